/* Queues, bottlenecks and paths of Sojourn for C. docs/bottleneck.md shows how they are used.
 * Written from the functions of the crate sojourn-c by its tests; do not change it by hand.
 *
 * What callers keep: a handle comes from a _new function, is used by one thread at a time, and not after its _free. A text ends
 * with a zero. A result pointer has room for what it points to, an error buffer for error_len bytes, or is null; 2000 bytes hold
 * nearly every message, the rest is cut. Times are nanoseconds since a moment of the caller's choice. Functions that give an int
 * give SOJOURN_PACKET, SOJOURN_NONE or, below zero, an error. */
#ifndef SOJOURN_H
#define SOJOURN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* No time: nothing happens without another packet. */
#define SOJOURN_NEVER UINT64_MAX

/* The call did what it should, and has no packet to give. */
#define SOJOURN_NONE 0

/* A packet was written to the result. */
#define SOJOURN_PACKET 1

/* A handle or a result is null. */
#define SOJOURN_NULL (-1)

/* The time is earlier than one that was said before. Nothing was done. */
#define SOJOURN_TIME_GOES_BACK (-2)

/* A number of the packet is out of its range. Nothing was done. */
#define SOJOURN_BAD_PACKET (-3)

/* A fault of Sojourn. The handle may only be freed from now on. */
#define SOJOURN_FAULT (-4)

/* The properties of a packet that queues may use. */
typedef struct sojourn_packet {
    /* Bytes on the wire, headers included; 1 to 2^31 - 1. */
    uint32_t len;
    /* Number of its flow; small numbers are best. */
    uint32_t flow;
    /* Bits of the IP header: 0 Not-ECT, 1 ECT(1), 2 ECT(0), 3 CE. */
    uint8_t ecn;
    /* Class of service, 0 to 63. */
    uint8_t dscp;
} sojourn_packet;

/* A packet that has arrived, or has left a queue. */
typedef struct sojourn_arrived {
    /* When, in nanoseconds. */
    uint64_t at;
    /* How long it was in queues, in nanoseconds. */
    uint64_t waited;
    /* The number that was sent with it. */
    uint64_t payload;
    /* The packet as it arrived: a mark of congestion is 3 in its ecn. */
    sojourn_packet packet;
} sojourn_arrived;

/* A packet that did not get through. */
typedef struct sojourn_lost {
    /* When, in nanoseconds. */
    uint64_t at;
    /* The number that was sent with it. */
    uint64_t payload;
    /* The packet as it was then. */
    sojourn_packet packet;
    /* Number of the link, from 0. */
    uint32_t link;
    /* Why, in a word that ends with a zero: overflow, early, sojourn, corruption and others. */
    char reason[24];
} sojourn_lost;

/* How much waits. */
typedef struct sojourn_backlog {
    /* Packets, without the one that is being sent. */
    uint64_t packets;
    /* Their bytes. */
    uint64_t bytes;
} sojourn_backlog;

/* Links in a row, in one direction. Times are nanoseconds since a moment of the caller's choice, and never go back. */
typedef struct sojourn_path sojourn_path;

/* One link: a queue such as "codel" or "red:min_th=5p,ecn=true", a rate such as "10Mbit", a delay such as "20ms". The seed decides all
 * that is random. Gives null, and a message in error, if one of them is wrong. */
sojourn_path *sojourn_bottleneck_new(
    const char *queue,
    const char *rate,
    const char *delay,
    uint64_t seed,
    char *error,
    size_t error_len);

/* Links in a row, as [[link]] tables in TOML with rate, delay, queue, loss, jitter, changes and what else scenario files say of links.
 * Gives null, and a message in error, if something is wrong. */
sojourn_path *sojourn_path_new(const char *links, uint64_t seed, char *error, size_t error_len);

/* Frees a path; null is allowed. */
void sojourn_path_free(sojourn_path *path);

/* Hands a packet to the first link, after all that happens up to and including now. payload is given back with the packet. Gives
 * SOJOURN_NONE or an error. */
int sojourn_path_send(sojourn_path *path, uint64_t now, sojourn_packet packet, uint64_t payload);

/* Takes the next packet that has arrived by now, in order of arrival. Gives SOJOURN_PACKET, SOJOURN_NONE or an error. */
int sojourn_path_receive(sojourn_path *path, uint64_t now, sojourn_arrived *arrived);

/* Takes the next packet that was lost, as of the last time that was said. Gives SOJOURN_PACKET, SOJOURN_NONE or an error. */
int sojourn_path_lost(sojourn_path *path, sojourn_lost *lost);

/* Says when something happens next, or SOJOURN_NEVER while nothing is under way. */
uint64_t sojourn_path_next_time(const sojourn_path *path);

/* Says how much waits at the link of this number, from 0; nothing if there is no such link. */
sojourn_backlog sojourn_path_backlog(const sojourn_path *path, uint32_t link);

/* A queue discipline alone: the caller takes packets out when it is free to send. */
typedef struct sojourn_queue sojourn_queue;

/* A queue such as "codel" or "red:min_th=5p,ecn=true", on a link of this rate, for flows with this round-trip time without queues. The
 * seed decides all that is random. Gives null, and a message in error, if one of them is wrong. */
sojourn_queue *sojourn_queue_new(
    const char *queue,
    const char *rate,
    const char *base_rtt,
    uint64_t seed,
    char *error,
    size_t error_len);

/* Frees a queue; null is allowed. */
void sojourn_queue_free(sojourn_queue *queue);

/* Hands a packet over; it, or others, may be lost. payload is given back with the packet. Gives SOJOURN_NONE or an error. */
int sojourn_queue_enqueue(sojourn_queue *queue, uint64_t now, sojourn_packet packet, uint64_t payload);

/* Takes the next packet to send. A caller that is free to send asks after each packet that it hands over, at
 * sojourn_queue_next_time, and when it has sent a packet. Gives SOJOURN_PACKET, SOJOURN_NONE or an error. */
int sojourn_queue_dequeue(sojourn_queue *queue, uint64_t now, sojourn_arrived *left);

/* Takes the next packet that was lost. Gives SOJOURN_PACKET, SOJOURN_NONE or an error. */
int sojourn_queue_lost(sojourn_queue *queue, sojourn_lost *lost);

/* Says when the queue wants to be asked next, or SOJOURN_NEVER. */
uint64_t sojourn_queue_next_time(const sojourn_queue *queue);

/* Says how much waits. */
sojourn_backlog sojourn_queue_backlog(const sojourn_queue *queue);

#ifdef __cplusplus
}
#endif

#endif
