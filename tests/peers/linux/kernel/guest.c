/* What the guest needs besides ip and tc: one static program whose first argument names the part.
 *
 *   guest offload DEVICE whole|none      the stack cuts segments before the device (whole), or hands single segments over (none)
 *   guest sink PORT CONTROL              accepts connections for ever and throws away what comes
 *   guest bulk ADDRESS PORT CONTROL START_NS END_NS WARM_NS      one flow; prints what was acknowledged between WARM and END
 *   guest datagrams ADDRESS FILE         sends what FILE says, one line a datagram: microseconds, flow, size, ECN field
 *   guest clock                          nanoseconds since the machine was started
 *   guest until NS                       waits for that time
 *   guest halt
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <linux/tcp.h>
#include <net/if.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/reboot.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { FLOWS = 1024, LARGEST = 2000 };

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

/* A control that needs ECN is set on the listener: a namespace's default cannot be one, and without it ECN is refused. */
static int sink(int port, const char *control)
{
	static char buffer[1 << 18];
	int s = socket(AF_INET, SOCK_STREAM, 0), one = 1;
	struct sockaddr_in any = address("0.0.0.0", port);

	setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	set_control(s, control);
	if (bind(s, (void *)&any, sizeof(any)) || listen(s, 1024))
		fail("listen");
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

static struct tcp_info info(int s)
{
	struct tcp_info found = { 0 };
	socklen_t size = sizeof(found);

	getsockopt(s, IPPROTO_TCP, TCP_INFO, &found, &size);
	return found;
}

static int bulk(char **argument)
{
	static char buffer[1 << 17];
	int64_t start = atoll(argument[3]), end = atoll(argument[4]), warm = atoll(argument[5]);
	struct sockaddr_in to = address(argument[0], atoi(argument[1]));
	struct tcp_info before, after;
	pid_t writer;
	int s;

	until(start);
	s = socket(AF_INET, SOCK_STREAM, 0);
	set_control(s, argument[2]);
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
	printf("%s acked %llu retransmitted %u ecn %d\n", argument[2],
	       (unsigned long long)(after.tcpi_bytes_acked - before.tcpi_bytes_acked),
	       after.tcpi_total_retrans - before.tcpi_total_retrans, !!(after.tcpi_options & TCPI_OPT_ECN));
	fflush(stdout);
	kill(writer, SIGKILL);
	return 0;
}

/* ---- UDP. */

static int flow_socket(int flow)
{
	int s = socket(AF_INET, SOCK_DGRAM, 0), large = 1 << 26;
	struct sockaddr_in me = address("0.0.0.0", 20000 + flow);

	if (bind(s, (void *)&me, sizeof(me)))
		fail("bind");
	setsockopt(s, SOL_SOCKET, SO_SNDBUFFORCE, &large, sizeof(large));
	return s;
}

static int datagrams(const char *to, const char *name)
{
	static char bytes[LARGEST];
	static int sockets[FLOWS], fields[FLOWS];
	struct sockaddr_in other = address(to, 9);
	int64_t start = clock_ns() + 100000000;
	FILE *file = fopen(name, "r");
	double microseconds;
	int flow, size, ecn;

	if (!file)
		fail(name);
	while (fscanf(file, "%lf %d %d %d", &microseconds, &flow, &size, &ecn) == 4) {
		if (!sockets[flow])
			sockets[flow] = flow_socket(flow);
		if (fields[flow] != ecn)
			setsockopt(sockets[flow], IPPROTO_IP, IP_TOS, &ecn, sizeof(ecn));
		fields[flow] = ecn;
		until(start + (int64_t)(microseconds * 1000));
		if (sendto(sockets[flow], bytes, size - 28, 0, (void *)&other, sizeof(other)) < 0)
			perror("sendto");
	}
	return 0;
}

int main(int count, char **argument)
{
	const char *part = count > 1 ? argument[1] : "";

	if (!strcmp(part, "offload")) {
		switch_off(argument[2], ETHTOOL_STSO);
		if (!strcmp(argument[3], "none"))
			switch_off(argument[2], ETHTOOL_SGSO);
		return 0;
	}
	if (!strcmp(part, "sink"))
		return sink(atoi(argument[2]), argument[3]);
	if (!strcmp(part, "bulk"))
		return bulk(argument + 2);
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
