/* DualPI2 of Linux 6.17 by messages of the kernel's route socket: Debian 12's tc does not know this queue. */
#include <linux/netlink.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct route_request {
	struct nlmsghdr head;
	struct tcmsg about;
	uint8_t attributes[512];
};

static struct rtattr *attribute(struct route_request *to, int type, const void *value, int size)
{
	struct rtattr *next = (void *)((uint8_t *)to + NLMSG_ALIGN(to->head.nlmsg_len));

	next->rta_type = type;
	next->rta_len = RTA_LENGTH(size);
	if (size)
		memcpy(RTA_DATA(next), value, size);
	to->head.nlmsg_len = NLMSG_ALIGN(to->head.nlmsg_len) + RTA_ALIGN(next->rta_len);
	return next;
}

/* Words of tc: the number of the attribute, its bytes, and the factor of its value; or the value of a word that stands alone. */
static const struct dualpi2_option {
	const char *word;
	int type, bytes, value, alone;
} dualpi2_options[] = {
	{ "limit", 1, 4, 1, 0 },
	{ "memlimit", 2, 4, 1, 0 },
	{ "target", 3, 4, 1000, 0 },
	{ "tupdate", 4, 4, 1000, 0 },
	{ "alpha", 5, 4, 256, 0 },
	{ "beta", 6, 4, 256, 0 },
	{ "step_thresh", 8, 4, 1000, 0 },
	{ "min_qlen_step", 9, 4, 1, 0 },
	{ "coupling_factor", 10, 1, 1, 0 },
	{ "overflow", 11, 1, 0, 1 },
	{ "drop_on_overload", 11, 1, 1, 1 },
	{ "drop_dequeue", 12, 1, 0, 1 },
	{ "drop_enqueue", 12, 1, 1, 1 },
	{ "classic_protection", 13, 1, 1, 0 },
	{ "l4s_ect", 14, 1, 1, 1 },
	{ "any_ect", 14, 1, 3, 1 },
	{ NULL }
};

enum { STEP_IN_PACKETS = 7 };

/* Times are milliseconds, as in "15ms"; a step may be in packets, as in "5pkt". */
static int dualpi2_add(const char *device, char **word)
{
	struct route_request request = {
		{ NLMSG_LENGTH(sizeof(struct tcmsg)), RTM_NEWQDISC, NLM_F_REQUEST | NLM_F_ACK | NLM_F_CREATE | NLM_F_EXCL },
		{ .tcm_ifindex = if_nametoindex(device), .tcm_handle = 0x100000, .tcm_parent = 0x10001 },
	};
	struct { struct nlmsghdr head; struct nlmsgerr said; uint8_t rest[1024]; } answer = { 0 };
	int s = socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE);
	struct rtattr *all;

	attribute(&request, TCA_KIND, "dualpi2", sizeof("dualpi2"));
	all = attribute(&request, TCA_OPTIONS | NLA_F_NESTED, NULL, 0);
	for (; *word; word++) {
		const struct dualpi2_option *option = dualpi2_options;
		uint32_t value;
		int packets;

		while (option->word && strcmp(option->word, *word))
			option++;
		if (!option->word || (!option->alone && !word[1])) {
			fprintf(stderr, "dualpi2: %s?\n", *word);
			return 1;
		}
		word += !option->alone;
		packets = !option->alone && strstr(*word, "pkt");
		value = option->alone ? option->value : (uint32_t)(atof(*word) * (packets ? 1 : option->value));
		attribute(&request, packets ? STEP_IN_PACKETS : option->type, &value, option->bytes);
	}
	all->rta_len = (uint8_t *)&request + request.head.nlmsg_len - (uint8_t *)all;
	if (send(s, &request, request.head.nlmsg_len, 0) < 0 || recv(s, &answer, sizeof(answer), 0) < 0)
		perror("dualpi2");
	close(s);
	if (answer.head.nlmsg_type == NLMSG_ERROR && !answer.said.error)
		return 0;
	fprintf(stderr, "dualpi2: %s\n", strerror(-answer.said.error));
	return 1;
}

/* As the kernel hands them over. */
struct dualpi2_counters {
	uint32_t prob, delay_c, delay_l, pkts_in_c, pkts_in_l, maxq, ecn_mark, step_mark;
	int32_t credit;
	uint32_t memory_used, max_memory_used, memory_limit;
};

static int dualpi2_shown(const char *device)
{
	struct route_request request = {
		{ NLMSG_LENGTH(sizeof(struct tcmsg)), RTM_GETQDISC, NLM_F_REQUEST | NLM_F_ECHO },
		{ .tcm_ifindex = if_nametoindex(device), .tcm_parent = 0x10001 },
	};
	struct { struct nlmsghdr head; struct tcmsg about; uint8_t attributes[4096]; } answer = { 0 };
	struct rtattr *at = (void *)answer.attributes;
	int s = socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE);
	const struct dualpi2_counters *found = NULL;
	int left;

	if (send(s, &request, request.head.nlmsg_len, 0) < 0 || recv(s, &answer, sizeof(answer), 0) < 0)
		perror("dualpi2");
	close(s);
	for (left = NLMSG_PAYLOAD(&answer.head, sizeof(answer.about)); RTA_OK(at, left); at = RTA_NEXT(at, left))
		if (at->rta_type == TCA_XSTATS)
			found = RTA_DATA(at);
	if (!found)
		return 1;
	return printf("prob %.12f delay_c %uus delay_l %uus pkts_in_c %u pkts_in_l %u maxq %u ecn_mark %u step_mark %u credit %d "
		      "memory_used %u (max %u) of memory limit %u\n",
		      found->prob / 4294967295.0, found->delay_c, found->delay_l, found->pkts_in_c, found->pkts_in_l, found->maxq,
		      found->ecn_mark, found->step_mark, found->credit, found->memory_used, found->max_memory_used,
		      found->memory_limit) < 0;
}
