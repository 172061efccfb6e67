/* A greedy sender and a call share an uplink: how long do the packets of the call wait? The greedy sender opens its window by one packet a
 * round trip and halves it at a loss. The program fails if it does not find what it says: bufferbloat behind a long FIFO, and none behind
 * FQ-CoDel. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sojourn.h"

#define MS UINT64_C(1000000)
#define END (20000 * MS)
#define CALLS 1000

static int ascending(const void *one, const void *other) {
    uint64_t a = *(const uint64_t *)one, b = *(const uint64_t *)other;
    return (a > b) - (a < b);
}

static sojourn_path *link_of(const char *queue, const char *rate) {
    char error[2000];
    sojourn_path *path = sojourn_bottleneck_new(queue, rate, "20ms", 1, error, sizeof error);
    if (path == NULL) {
        fprintf(stderr, "%s\n", error);
        exit(2);
    }
    return path;
}

/* Gives what one packet of the call in a hundred waits longer than, in milliseconds. */
static double p99_of(const char *queue) {
    sojourn_path *there = link_of(queue, "10Mbit"), *back = link_of("fifo", "100Mbit");
    const sojourn_packet bulk = {.len = 1500, .flow = 0}, call = {.len = 200, .flow = 1}, ack = {.len = 60, .flow = 0};
    double window = 10;
    uint64_t now = 0, next_call = 0, flying = 0, halved = 0, delivered = 0, lost_count = 0, count = 0;
    static uint64_t waits[CALLS];
    sojourn_arrived got;
    sojourn_lost lost;

    while (now < END) {
        while ((double)flying < window) {
            sojourn_path_send(there, now, bulk, now);
            flying += 1;
        }
        if (now >= next_call) {
            sojourn_path_send(there, now, call, now);
            next_call += 20 * MS;
        }
        uint64_t a = sojourn_path_next_time(there), b = sojourn_path_next_time(back);
        now = a < b ? a : b;
        now = now < next_call ? now : next_call;
        while (sojourn_path_receive(there, now, &got) == SOJOURN_PACKET) {
            if (got.packet.flow == 0) {
                sojourn_path_send(back, now, ack, got.payload);
                delivered += 1;
            } else if (count < CALLS) {
                waits[count++] = got.waited;
            }
        }
        while (sojourn_path_receive(back, now, &got) == SOJOURN_PACKET) {
            flying -= 1;
            window += 1 / window;
        }
        while (sojourn_path_lost(there, &lost) == SOJOURN_PACKET) {
            lost_count += 1;
            if (lost.packet.flow != 0) {
                continue;
            }
            flying -= 1;
            /* Once for what was sent before the last halving. */
            if (lost.payload >= halved) {
                window = window > 4 ? window / 2 : 2;
                halved = now;
            }
        }
    }
    sojourn_path_free(there);
    sojourn_path_free(back);
    qsort(waits, count, sizeof *waits, ascending);
    double p99 = (double)waits[count * 99 / 100] / 1e6;
    printf("%-16s %5.2f Mbit/s %8.1f ms %5" PRIu64 "\n", queue, (double)delivered * 1500 * 8 / (double)END * 1e3, p99, lost_count);
    return p99;
}

int main(void) {
    printf("%-16s %12s %11s %5s\n", "queue", "upload", "call, p99", "lost");
    double fifo = p99_of("fifo:limit=200p"), codel = p99_of("codel"), fair = p99_of("fq_codel");
    return fifo > 100 && codel < fifo / 2 && fair < 10 ? 0 : 1;
}
