/* What the guest needs besides ip and tc: one static program whose first argument names the part.
 *
 *   guest dualpi2 DEVICE [WORDS]         adds the queue of Linux 6.17 as 10: below the class 1:1 (guest_dualpi2.h)
 *   guest dualpi2-shown DEVICE           prints its counters
 *   guest offload DEVICE whole|none      the stack cuts segments before the device (whole), or hands single segments over (none)
 *   guest sink PORT CONTROL [DEVICE FILE]      accepts connections for ever and throws away what comes
 *   guest bulk ADDRESS PORT CONTROL START_NS END_NS WARM_NS SOURCE TARGET TOS [DEVICE FILE]
 *         one flow; prints the bytes that were acknowledged between WARM and END; TOS has its DSCP;
 *         with a device, all segments of the flow that pass it are written down (struct segment)
 *   guest transfer ADDRESS PORT CONTROL START_NS END_NS BYTES
 *         so many bytes over a connection of their own; prints the bytes, and the nanoseconds from the call that connects until all of
 *         them are acknowledged; it looks every STEP_NS
 *   guest datagrams ADDRESS FILE         sends what FILE says, one line a datagram: microseconds, flow, size, DSCP and ECN field (TOS),
 *                                        numbers of source and target; hosts are numbered from 1, and 0 is ADDRESS and its sender
 *   guest clock                          nanoseconds since the machine was started
 *   guest until NS                       waits for that time
 *   guest halt
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <linux/ethtool.h>
#include <linux/if_packet.h>
#include <linux/sockios.h>
#include <linux/tcp.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/reboot.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "guest_dualpi2.h"

/* Frames of a ring have room for a full packet of 1500 bytes and a header; BLOCK is a multiple of the page's size. */
enum { FLOWS = 1024, LARGEST = 1 << 16, STEP_NS = 100000, FRAME = 2048, FRAMES = 4096, BLOCK = 1 << 16 };

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static int64_t clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static void until(int64_t ns)
{
	struct timespec then = { ns / 1000000000LL, ns % 1000000000LL };

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &then, NULL))
		;
}

static struct sockaddr_in address(const char *text, int port)
{
	struct sockaddr_in found = { .sin_family = AF_INET, .sin_port = htons(port) };

	inet_pton(AF_INET, text, &found.sin_addr);
	return found;
}

/* Host n of the sender's network is 10.0.1.(10 + n), of the receiver's 10.0.3.(10 + n). */
static struct sockaddr_in host(const char *net, int number, int port)
{
	char text[32];

	snprintf(text, sizeof(text), "10.0.%s.%d", net, 10 + number);
	return address(text, port);
}

/* ---- Devices. */

static void switch_off(const char *device, uint32_t command)
{
	int s = socket(AF_INET, SOCK_DGRAM, 0);
	struct ethtool_value value = { command, 0 };
	struct ifreq request = { 0 };

	strncpy(request.ifr_name, device, IFNAMSIZ - 1);
	request.ifr_data = (void *)&value;
	if (ioctl(s, SIOCETHTOOL, &request))
		perror(device);
	close(s);
}

/* ---- TCP. */

static void set_control(int s, const char *control)
{
	if (setsockopt(s, IPPROTO_TCP, TCP_CONGESTION, control, strlen(control)))
		fail(control);
}

static struct tcp_info info(int s)
{
	struct tcp_info found = { 0 };
	socklen_t size = sizeof(found);

	getsockopt(s, IPPROTO_TCP, TCP_INFO, &found, &size);
	return found;
}

/* ---- What passes a device, as segments.py reads it: 88 bytes a segment. */

struct segment {
	uint64_t time;                /* nanoseconds since the machine was started */
	uint32_t seq, ack, value, echo;      /* numbers and timestamps of the header */
	uint32_t sack[3][2];
	uint16_t length, window;      /* payload; as it stands in the header */
	uint8_t flags, ecn, leaves, blocks;
	uint32_t cwnd, ssthresh, srtt, rto;      /* of the sender, when the machine has done what followed from it; 0 elsewhere */
	uint8_t state, backoff, pad[2];
	uint32_t unsent, may;         /* bytes that are written and not sent, and the receiver's window in bytes */
	uint32_t end;
};

static uint32_t number(const uint8_t *at)
{
	return (uint32_t)at[0] << 24 | at[1] << 16 | at[2] << 8 | at[3];
}

static void options(struct segment *found, const uint8_t *at, const uint8_t *end)
{
	while (at + 1 < end && at[0]) {
		int i, size = at[0] == 1 ? 1 : at[1];

		if (size < 1)
			return;
		if (at[0] == 8) {
			found->value = number(at + 2);
			found->echo = number(at + 6);
		}
		for (i = 0; at[0] == 5 && i < 3 && 8 * i + 10 <= size; i++) {
			found->sack[i][0] = number(at + 2 + 8 * i);
			found->sack[i][1] = number(at + 6 + 8 * i);
			found->blocks = i + 1;
		}
		at += size;
	}
}

/* Whether it is a segment of this port. */
static int understand(struct segment *found, const uint8_t *frame, int port)
{
	const uint8_t *ip = frame + 14, *tcp = ip + (ip[0] & 15) * 4;
	int header = (tcp[12] >> 4) * 4;

	if (frame[12] != 8 || frame[13] != 0 || ip[9] != IPPROTO_TCP)
		return 0;
	if ((tcp[0] << 8 | tcp[1]) != port && (tcp[2] << 8 | tcp[3]) != port)
		return 0;
	found->seq = number(tcp + 4);
	found->ack = number(tcp + 8);
	found->flags = tcp[13];
	found->window = tcp[14] << 8 | tcp[15];
	found->ecn = ip[1] & 3;
	found->length = (ip[2] << 8 | ip[3]) - (tcp - ip) - header;
	options(found, tcp + 20, tcp + header);
	return 1;
}

/* A ring into which the kernel copies what passes a device. A socket that gets packets themselves would change the receiver: while it keeps
 * a reference to a segment, TCP does not add those behind it to the same buffer, and the application reads them one by one.
 */
static uint8_t *ring_of(const char *device, int *tap)
{
	struct sockaddr_ll where = { .sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL), .sll_ifindex = if_nametoindex(device) };
	struct tpacket_req size = { .tp_block_size = BLOCK, .tp_block_nr = FRAMES * FRAME / BLOCK, .tp_frame_size = FRAME, .tp_frame_nr = FRAMES };
	int version = TPACKET_V2, one = 1;
	void *ring;

	*tap = socket(AF_PACKET, SOCK_RAW, 0);
	if (*tap < 0 || setsockopt(*tap, SOL_PACKET, PACKET_VERSION, &version, sizeof(version)) ||
	    setsockopt(*tap, SOL_PACKET, PACKET_RX_RING, &size, sizeof(size)))
		fail(device);
	setsockopt(*tap, SOL_SOCKET, SO_TIMESTAMPNS, &one, sizeof(one));
	ring = mmap(NULL, FRAMES * FRAME, PROT_READ | PROT_WRITE, MAP_SHARED, *tap, 0);
	if (ring == MAP_FAILED || bind(*tap, (void *)&where, sizeof(where)))
		fail(device);
	return ring;
}

/* Writes down what passes, for ever; s is the sender's socket or -1. */
static pid_t record(const char *device, const char *name, int port, int s)
{
	int tap, ready[2], at = 0;
	struct timespec real;
	int64_t apart;
	uint8_t *ring;
	pid_t child;
	FILE *file;

	/* The clock goes on with each reading: the mean of what is read before and behind. */
	apart = -clock_ns();
	clock_gettime(CLOCK_REALTIME, &real);
	apart = real.tv_sec * 1000000000LL + real.tv_nsec - (clock_ns() - apart) / 2;
	if (pipe(ready))
		fail("pipe");
	child = fork();
	if (child) {
		/* It listens from now on. */
		close(ready[1]);
		if (read(ready[0], &at, 1) < 0)
			fail("pipe");
		close(ready[0]);
		return child;
	}
	ring = ring_of(device, &tap);
	close(ready[0]);
	close(ready[1]);
	file = fopen(name, "w");
	if (!file)
		fail(name);
	setvbuf(file, NULL, _IONBF, 0);
	for (;; at = (at + 1) % FRAMES) {
		volatile struct tpacket2_hdr *head = (void *)(ring + at * FRAME);
		const struct sockaddr_ll *from = (void *)(ring + at * FRAME + TPACKET_ALIGN(sizeof(*head)));
		struct pollfd full = { tap, POLLIN, 0 };
		struct segment found = { 0 };

		while (!(head->tp_status & TP_STATUS_USER))
			poll(&full, 1, -1);
		if (understand(&found, (uint8_t *)head + head->tp_mac, port)) {
			found.time = head->tp_sec * 1000000000LL + head->tp_nsec - apart;
			found.leaves = from->sll_pkttype == PACKET_OUTGOING;
			if (s >= 0) {
				struct tcp_info now = info(s);

				found.cwnd = now.tcpi_snd_cwnd;
				found.ssthresh = now.tcpi_snd_ssthresh;
				found.srtt = now.tcpi_rtt;
				found.rto = now.tcpi_rto;
				found.state = now.tcpi_ca_state;
				found.backoff = now.tcpi_backoff;
				found.unsent = now.tcpi_notsent_bytes;
				found.may = now.tcpi_snd_wnd;
			}
			fwrite(&found, sizeof(found), 1, file);
		}
		head->tp_status = TP_STATUS_KERNEL;
	}
}

/* A control that needs ECN is set on the listener: a namespace's default cannot be one, and without it ECN is refused. */
static int sink(int port, const char *control, char **tap)
{
	static char buffer[1 << 18];
	int s = socket(AF_INET, SOCK_STREAM, 0), one = 1;
	struct sockaddr_in any = address("0.0.0.0", port);

	setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	set_control(s, control);
	if (bind(s, (void *)&any, sizeof(any)) || listen(s, 1024))
		fail("listen");
	if (tap[0])
		record(tap[0], tap[1], port, -1);
	signal(SIGCHLD, SIG_IGN);
	for (;;) {
		int connection = accept(s, NULL, NULL);

		if (connection < 0)
			continue;
		if (fork() == 0) {
			close(s);
			while (read(connection, buffer, sizeof(buffer)) > 0)
				;
			_exit(0);
		}
		close(connection);
	}
}

static int bulk(char **argument)
{
	static char buffer[1 << 17];
	int64_t start = atoll(argument[3]), end = atoll(argument[4]), warm = atoll(argument[5]);
	int source = atoi(argument[6]), target = atoi(argument[7]), tos = atoi(argument[8]), port = atoi(argument[1]);
	struct sockaddr_in to = target ? host("3", target, port) : address(argument[0], port);
	struct sockaddr_in me = host("1", source, 0);
	struct tcp_info before, after;
	pid_t writer, recorder = 0;
	int s;

	until(start);
	s = socket(AF_INET, SOCK_STREAM, 0);
	set_control(s, argument[2]);
	if (tos && setsockopt(s, IPPROTO_IP, IP_TOS, &tos, sizeof(tos)))
		fail("tos");
	if (argument[9])
		recorder = record(argument[9], argument[10], port, s);
	if (source && bind(s, (void *)&me, sizeof(me)))
		fail("bind");
	if (connect(s, (void *)&to, sizeof(to)))
		fail("connect");
	writer = fork();
	if (writer == 0) {
		while (write(s, buffer, sizeof(buffer)) > 0)
			;
		_exit(0);
	}
	until(warm);
	before = info(s);
	until(end);
	after = info(s);
	printf("%s acked %llu retransmitted %u ecn %d port %d\n", argument[2],
	       (unsigned long long)(after.tcpi_bytes_acked - before.tcpi_bytes_acked),
	       after.tcpi_total_retrans - before.tcpi_total_retrans, !!(after.tcpi_options & TCPI_OPT_ECN), port);
	fflush(stdout);
	kill(writer, SIGKILL);
	if (recorder)
		kill(recorder, SIGKILL);
	return 0;
}

static int transfer(char **argument)
{
	static char buffer[1 << 17];
	int64_t start = atoll(argument[3]), end = atoll(argument[4]), bytes = atoll(argument[5]), left = bytes, began;
	struct sockaddr_in to = address(argument[0], atoi(argument[1]));
	int s, out = 1;

	/* A sleep may last 50 us longer otherwise. */
	prctl(PR_SET_TIMERSLACK, 1);
	until(start);
	s = socket(AF_INET, SOCK_STREAM, 0);
	set_control(s, argument[2]);
	began = clock_ns();
	if (connect(s, (void *)&to, sizeof(to)))
		fail("connect");
	while (left > 0) {
		ssize_t wrote = write(s, buffer, left < (int64_t)sizeof(buffer) ? left : (int64_t)sizeof(buffer));

		if (wrote < 0)
			fail("write");
		left -= wrote;
	}
	/* What is written and not acknowledged. */
	while (ioctl(s, SIOCOUTQ, &out) == 0 && out > 0)
		until(clock_ns() + STEP_NS);
	printf("%lld %lld\n", (long long)bytes, (long long)(clock_ns() - began));
	fflush(stdout);
	/* Nothing says that it is over. */
	until(end);
	return 0;
}

/* ---- UDP. */

static int flow_socket(int flow, int source)
{
	int s = socket(AF_INET, SOCK_DGRAM, 0), large = 1 << 26;
	struct sockaddr_in me = source ? host("1", source, 20000 + flow) : address("0.0.0.0", 20000 + flow);

	if (bind(s, (void *)&me, sizeof(me)))
		fail("bind");
	setsockopt(s, SOL_SOCKET, SO_SNDBUFFORCE, &large, sizeof(large));
	return s;
}

static int datagrams(const char *to, const char *name)
{
	static char bytes[LARGEST];
	static int sockets[FLOWS], fields[FLOWS];
	int64_t start = clock_ns() + 100000000;
	FILE *file = fopen(name, "r");
	double microseconds;
	int flow, size, tos, source, target;

	if (!file)
		fail(name);
	while (fscanf(file, "%lf %d %d %d %d %d", &microseconds, &flow, &size, &tos, &source, &target) == 6) {
		struct sockaddr_in other = target ? host("3", target, 9) : address(to, 9);

		if (!sockets[flow])
			sockets[flow] = flow_socket(flow, source);
		if (fields[flow] != tos)
			setsockopt(sockets[flow], IPPROTO_IP, IP_TOS, &tos, sizeof(tos));
		fields[flow] = tos;
		until(start + (int64_t)(microseconds * 1000));
		if (sendto(sockets[flow], bytes, size - 28, 0, (void *)&other, sizeof(other)) < 0)
			perror("sendto");
	}
	return 0;
}

int main(int count, char **argument)
{
	const char *part = count > 1 ? argument[1] : "";

	if (!strcmp(part, "dualpi2"))
		return dualpi2_add(argument[2], argument + 3);
	if (!strcmp(part, "dualpi2-shown"))
		return dualpi2_shown(argument[2]);
	if (!strcmp(part, "offload")) {
		switch_off(argument[2], ETHTOOL_STSO);
		if (!strcmp(argument[3], "none"))
			switch_off(argument[2], ETHTOOL_SGSO);
		return 0;
	}
	if (!strcmp(part, "sink"))
		return sink(atoi(argument[2]), argument[3], argument + 4);
	if (!strcmp(part, "bulk"))
		return bulk(argument + 2);
	if (!strcmp(part, "transfer"))
		return transfer(argument + 2);
	if (!strcmp(part, "datagrams"))
		return datagrams(argument[2], argument[3]);
	if (!strcmp(part, "clock"))
		return printf("%lld\n", (long long)clock_ns()) < 0;
	if (!strcmp(part, "until")) {
		until(atoll(argument[2]));
		return 0;
	}
	if (!strcmp(part, "halt"))
		return reboot(RB_POWER_OFF);
	return 2;
}
