/* What a queue of Linux is asked, and what it answers.
 *
 * The compiler reads this file before each file of net/sched that the oracle listens to (kernel_build.py says how). Nothing in the kernel's
 * sources changes. While the kernel registers a queue, the queue's enqueue, dequeue and init are wrapped, and each call is written
 * down. Three things are different for the queue:
 *   - all readings of the clock within one call give the time at which the call began, as in Sojourn;
 *   - random numbers come from Sojourn's own generator (Rng::named(seed, "kernel")), so that both can be given the same ones; the seed is
 *     on the kernel's command line (sojourn_seed=), and 1 without it;
 *   - its timer's work is written down, too.
 * The calls are in the file /proc/sojourn_NAME; fates.py reads them. Queues with the handle 10: are listened to, and htb 1:.
 */
#ifndef SOJOURN_TAP_H
#define SOJOURN_TAP_H
#include <linux/types.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/ip.h>
#include <linux/ktime.h>
#include <linux/proc_fs.h>
#include <linux/random.h>
#include <linux/skbuff.h>
#include <linux/string.h>
#include <linux/tcp.h>
#include <linux/timekeeping.h>
#include <linux/timer.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>
#include <net/flow_dissector.h>
#include <net/sch_generic.h>
#include <net/tcp.h>

/* One call, as fates.py reads it: 88 bytes. */
struct tap_call {
	u64 time;      /* nanoseconds since the machine was started */
	u32 packet;    /* number of the packet that came or left, from 1; 0 is none */
	u32 hash;      /* of the packet's flow, where the queue asked for one */
	u32 backlog;   /* bytes that wait after the call */
	u32 waiting;   /* packets that wait after the call */
	u32 draws;     /* random numbers drawn so far */
	u32 size;      /* bytes of the packet */
	u16 flow;      /* the packet's source port */
	u8 kind;       /* E enqueue, D dequeue, T timer */
	u8 ecn;        /* the packet's ECN field after the call, for E before it */
	/* Of a packet that comes. */
	u8 dscp;
	u8 ack;        /* 0 for all but an acknowledgement without data; its flag ACK 1, ECE 2, CWR 4 */
	u16 pad;
	u32 memory;    /* bytes that the kernel counts for the packet and its buffer */
	u32 source;    /* hashes of its hosts, where the queue asked for them */
	u32 target;
	/* Of such an acknowledgement. */
	u32 acked;     /* the next byte that is expected */
	u32 told;      /* the timestamp option */
	u32 echoed;
	u32 sack[6];   /* blocks: where each begins and ends */
};

enum { TAP_MOST = 1 << 20, TAP_QUEUES = 4 };

/* sch_fq_pie calls functions of sch_pie: both files have one clock and one stream of random numbers (kernel_build.py defines TAP_SHARED). */
#ifdef TAP_SHARED
#define TAP_STATE __weak
#else
#define TAP_STATE static
#endif

TAP_STATE bool tap_inside;
TAP_STATE u64 tap_time;
TAP_STATE u64 tap_state[4];
TAP_STATE u32 tap_draws;

static struct tap_call *tap_calls;
static u32 tap_count, tap_packets, tap_hashed;
/* What CAKE asks for in a call: hashes of the hosts, that of the destination first, and of the flow if the packet brings none. */
static u32 tap_keys[3], tap_keyed;
static struct Qdisc *tap_queue;

static struct {
	struct Qdisc_ops *ops;
	typeof(((struct Qdisc_ops *)0)->enqueue) enqueue;
	typeof(((struct Qdisc_ops *)0)->dequeue) dequeue;
	typeof(((struct Qdisc_ops *)0)->init) init;
} tap_queues[TAP_QUEUES];

/* ---- The clock. */

static inline u64 tap_now(void)
{
	return tap_inside ? tap_time : ktime_to_ns(ktime_get());
}

static inline void tap_begin(void)
{
	tap_time = ktime_to_ns(ktime_get());
	tap_inside = true;
}

/* ---- Sojourn's random numbers: xoshiro256++, whose state splitmix64 fills from a hash of the stream's name and the seed. */

static u64 tap_splitmix(u64 *x)
{
	u64 z = (*x += 0x9e3779b97f4a7c15ULL);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

static void tap_seed(void)
{
	static const char name[] = "kernel", word[] = "sojourn_seed=";
	const char *said = strstr(saved_command_line, word);
	u64 seed = said ? simple_strtoull(said + sizeof(word) - 1, NULL, 10) : 1;
	u64 hash = 0xcbf29ce484222325ULL;
	int i;

	for (i = 0; name[i]; i++)
		hash = (hash ^ (u8)name[i]) * 0x100000001b3ULL;
	hash ^= rol64(seed * 0x9e3779b97f4a7c15ULL, 31);
	for (i = 0; i < 4; i++)
		tap_state[i] = tap_splitmix(&hash);
}

/* Of 64 bits the upper 53 are used, as Sojourn's Rng::uniform does. */
static u64 tap_draw(void)
{
	u64 *s = tap_state, result = rol64(s[0] + s[3], 23) + s[0], t = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = rol64(s[3], 45);
	tap_draws++;
	return result & ~2047ULL;
}

static inline u32 tap_below(u32 n)
{
	return mul_u64_u64_shr(tap_draw(), n, 64);
}

static inline void tap_bytes(void *to, size_t length)
{
	u64 drawn;

	/* Keys of hashes are no decisions. */
	if (length != sizeof(drawn)) {
		get_random_bytes(to, length);
		return;
	}
	drawn = tap_draw();
	memcpy(to, &drawn, sizeof(drawn));
}

static inline u32 tap_key(u32 hash)
{
	if (tap_keyed < ARRAY_SIZE(tap_keys))
		tap_keys[tap_keyed++] = hash;
	return hash;
}

/* ---- What is written down. */

static struct tap_call *tap_new(u8 kind)
{
	struct tap_call *call;

	if (!tap_calls || tap_count >= TAP_MOST)
		return NULL;
	call = &tap_calls[tap_count++];
	memset(call, 0, sizeof(*call));
	call->kind = kind;
	call->time = tap_time;
	return call;
}

static void tap_about(struct tap_call *call, const struct sk_buff *skb)
{
	const struct iphdr *ip = ip_hdr(skb);

	call->packet = skb->mark;
	call->size = qdisc_pkt_len(skb);
	if (skb->protocol == htons(ETH_P_IP)) {
		call->ecn = ip->tos & 3;
		call->flow = ntohs(*(__be16 *)((u8 *)ip + ip->ihl * 4));
	}
}

/* An acknowledgement without data: what it says, and its options. */
static void tap_acknowledgement(struct tap_call *call, const struct iphdr *ip)
{
	const struct tcphdr *tcp = (const void *)((const u8 *)ip + ip->ihl * 4);
	const u8 *at = (const u8 *)(tcp + 1), *end = (const u8 *)tcp + tcp->doff * 4;
	unsigned int i, blocks;

	if (ip->protocol != IPPROTO_TCP || ntohs(ip->tot_len) != ip->ihl * 4 + tcp->doff * 4)
		return;
	if (!tcp->ack || tcp->syn || tcp->fin || tcp->rst || tcp->psh || tcp->urg)
		return;
	call->ack = 1 | tcp->ece << 1 | tcp->cwr << 2;
	call->acked = ntohl(tcp->ack_seq);
	for (; at < end && *at != TCPOPT_EOL; at += *at == TCPOPT_NOP ? 1 : at[1]) {
		if (*at == TCPOPT_TIMESTAMP) {
			call->told = get_unaligned_be32(at + 2);
			call->echoed = get_unaligned_be32(at + 6);
		} else if (*at == TCPOPT_SACK) {
			blocks = min_t(unsigned int, (at[1] - 2) / 4, ARRAY_SIZE(call->sack));
			for (i = 0; i < blocks; i++)
				call->sack[i] = get_unaligned_be32(at + 2 + 4 * i);
		}
	}
}

static void tap_arrival(struct tap_call *call, const struct sk_buff *skb)
{
	call->memory = skb->truesize;
	if (skb->protocol == htons(ETH_P_IP)) {
		call->dscp = ip_hdr(skb)->tos >> 2;
		tap_acknowledgement(call, ip_hdr(skb));
	} else if (skb->protocol == htons(ETH_P_ARP)) {
		/* CAKE takes it for CS7. */
		call->dscp = 56;
	}
}

static void tap_end(struct tap_call *call, struct Qdisc *sch)
{
	if (call) {
		call->hash = tap_hashed;
		call->backlog = sch->qstats.backlog;
		call->waiting = sch->q.qlen;
		call->draws = tap_draws;
	}
	tap_inside = false;
}

static int tap_which(const struct Qdisc_ops *ops)
{
	int i = 0;

	while (tap_queues[i].ops != ops)
		i++;
	return i;
}

static int tap_enqueue(struct sk_buff *skb, struct Qdisc *sch, struct sk_buff **to_free)
{
	struct tap_call *call;
	u32 brought = skb->l4_hash ? skb->hash : 0;
	int result, which = tap_which(sch->ops);

	if (sch != tap_queue)
		return tap_queues[which].enqueue(skb, sch, to_free);
	tap_begin();
	tap_hashed = tap_keyed = 0;
	skb->mark = ++tap_packets;
	call = tap_new('E');
	if (call) {
		tap_about(call, skb);
		tap_arrival(call, skb);
	}
	result = tap_queues[which].enqueue(skb, sch, to_free);
	if (!tap_hashed)
		tap_hashed = tap_keyed & 1 ? tap_keys[tap_keyed - 1] : brought;
	if (call && tap_keyed >= 2) {
		call->target = tap_keys[0];
		call->source = tap_keys[1];
	}
	tap_end(call, sch);
	return result;
}

static struct sk_buff *tap_dequeue(struct Qdisc *sch)
{
	struct tap_call *call;
	struct sk_buff *skb;
	int which = tap_which(sch->ops);

	if (sch != tap_queue)
		return tap_queues[which].dequeue(sch);
	tap_begin();
	call = tap_new('D');
	skb = tap_queues[which].dequeue(sch);
	if (call && skb)
		tap_about(call, skb);
	tap_end(call, sch);
	return skb;
}

/* A queue's timer has done its work and is set anew; what sets it at first is no work. */
static inline int tap_timer(struct timer_list *timer, unsigned long expires)
{
	if (tap_queue && !tap_inside) {
		tap_begin();
		tap_end(tap_new('T'), tap_queue);
	}
	return mod_timer(timer, expires);
}

static ssize_t tap_read(struct file *file, char __user *to, size_t size, loff_t *at)
{
	return simple_read_from_buffer(to, size, at, tap_calls, tap_count * sizeof(*tap_calls));
}

static const struct proc_ops tap_file = { .proc_read = tap_read };

static int tap_init(struct Qdisc *sch, struct nlattr *options, struct netlink_ext_ack *extack)
{
	char name[40];
	int result = tap_queues[tap_which(sch->ops)].init(sch, options, extack);
	u32 handle = TC_H_MAJ(sch->handle) >> 16;

	if (!result && !tap_calls && handle == (strcmp(sch->ops->id, "htb") ? 0x10 : 0x1)) {
		tap_calls = vmalloc(TAP_MOST * sizeof(*tap_calls));
		tap_seed();
		tap_queue = sch;
		snprintf(name, sizeof(name), "sojourn_%s", sch->ops->id);
		proc_create(name, 0444, NULL, &tap_file);
	}
	return result;
}

/* Of net/pkt_sched.h, which is read later, with the macros below. */
int register_qdisc(struct Qdisc_ops *ops);

static inline int tap_register(struct Qdisc_ops *ops)
{
	int i = tap_which(NULL);

	tap_queues[i].ops = ops;
	tap_queues[i].enqueue = ops->enqueue;
	tap_queues[i].dequeue = ops->dequeue;
	tap_queues[i].init = ops->init;
	ops->enqueue = tap_enqueue;
	ops->dequeue = tap_dequeue;
	ops->init = tap_init;
	return register_qdisc(ops);
}

#define ktime_get() ns_to_ktime(tap_now())
#define ktime_get_ns() tap_now()
#define get_random_u32() ((u32)(tap_draw() >> 32))
#define get_random_u16() ((u16)(tap_draw() >> 48))
#define get_random_u32_below(n) tap_below(n)
#define get_random_bytes(to, length) tap_bytes(to, length)
#define skb_get_hash_perturb(skb, key) (tap_hashed = skb_get_hash_perturb(skb, key))
#define skb_get_hash(skb) (tap_hashed = skb_get_hash(skb))
#define flow_hash_from_keys(keys) tap_key(flow_hash_from_keys(keys))
#define mod_timer(timer, expires) tap_timer(timer, expires)
#define register_qdisc(ops) tap_register(ops)

/* A queue of Linux 6.17 in the sources of 6.12 (README.md): names that these lack, and a timer of the other kind. */
#ifdef TAP_NEWER
#include <linux/hrtimer.h>

/* The timer's work begins where it looks for the lock. What follows at once has the same time. */
static inline struct Qdisc *tap_wakes(const struct Qdisc *sch)
{
	if (tap_queue && !tap_inside)
		tap_begin();
	return qdisc_root_sleeping(sch);
}

static inline void tap_sleeps(struct hrtimer *timer, ktime_t expires)
{
	hrtimer_set_expires(timer, expires);
	if (tap_queue && tap_inside)
		tap_end(tap_new('T'), tap_queue);
	tap_inside = false;
}

static inline void tap_setup(struct hrtimer *timer, enum hrtimer_restart (*work)(struct hrtimer *), clockid_t clock,
			     const enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock, mode);
	timer->function = work;
}

#define timer_container_of(object, timer, field) container_of(timer, typeof(*object), field)
#define hrtimer_setup(timer, work, clock, mode) tap_setup(timer, work, clock, mode)
#define hrtimer_set_expires(timer, expires) tap_sleeps(timer, expires)
#define qdisc_root_sleeping(sch) tap_wakes(sch)
#define SKB_DROP_REASON_QDISC_OVERLIMIT SKB_DROP_REASON_QDISC_DROP
#define SKB_DROP_REASON_QDISC_CONGESTED SKB_DROP_REASON_QDISC_DROP
#define SKB_DROP_REASON_DUALPI2_STEP_DROP SKB_DROP_REASON_QDISC_DROP
#endif
#endif
