/* Sojourn's random numbers for the congestion controls of Linux that draw some.
 *
 * The compiler reads this file before each file of net/ipv4 that kernel_build.py names, which also defines DRAWS_NAME. Nothing in the
 * kernel's sources changes. The first flow of a machine, which sends to port 5001 and is the one that is recorded, has a stream of its
 * own: its numbers are those that Sojourn's law of that name draws in a replay (`replay::ends`), where its stream is
 * Rng::named(DRAWS_SEED, DRAWS_NAME). All other flows draw from a second stream. Runs with another seed than 1 (`sojourn_seed` on the
 * kernel's command line) have other streams.
 */
#ifndef SOJOURN_DRAWS_H
#define SOJOURN_DRAWS_H
#include <linux/etherdevice.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/types.h>
#include <linux/math64.h>
#include <linux/random.h>
#include <linux/string.h>
#include <net/tcp.h>

/* The bits of the second number of Rng::named(1, "replay"); a test in replay/ends.rs holds it. */
#define DRAWS_SEED 0x3fcc5e82d7960accULL

#define DRAWS_FIRST_PORT 5001

/* The stream of the first flow, and that of the others. */
static u64 draws_state[2][4];
static bool draws_begun;

static u64 draws_splitmix(u64 *x)
{
	u64 z = (*x += 0x9e3779b97f4a7c15ULL);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

static void draws_begin(void)
{
	static const char name[] = DRAWS_NAME, word[] = "sojourn_seed=";
	const char *said = strstr(saved_command_line, word);
	u64 run = said ? simple_strtoull(said + sizeof(word) - 1, NULL, 10) : 1;
	u64 hash = 0xcbf29ce484222325ULL;
	int i;

	for (i = 0; name[i]; i++)
		hash = (hash ^ (u8)name[i]) * 0x100000001b3ULL;
	hash ^= rol64((DRAWS_SEED + run - 1) * 0x9e3779b97f4a7c15ULL, 31);
	for (i = 0; i < 8; i++)
		draws_state[i / 4][i % 4] = draws_splitmix(&hash);
	draws_begun = true;
}

/* xoshiro256++; of 64 bits the upper 53 are used, as Rng::uniform does. */
static u64 draws_next(const struct sock *sk)
{
	u64 *s = draws_state[inet_sk(sk)->inet_dport != htons(DRAWS_FIRST_PORT)], result, t;

	if (!draws_begun)
		draws_begin();
	result = rol64(s[0] + s[3], 23) + s[0];
	t = s[1] << 17;
	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = rol64(s[3], 45);
	return result & ~2047ULL;
}

static inline u32 draws_below(const struct sock *sk, u32 n)
{
	return mul_u64_u64_shr(draws_next(sk), n, 64);
}

static inline void draws_byte(const struct sock *sk, void *to, size_t length)
{
	u8 drawn = draws_next(sk) >> 56;

	memset(to, drawn, length);
}

/* Each function that draws has its socket as `sk`. */
#define get_random_u32() ((u32)(draws_next(sk) >> 32))
#define get_random_u32_below(n) draws_below(sk, n)
#define get_random_bytes(to, length) draws_byte(sk, to, length)
#endif
