// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * The two case studies of the paper about data profiling (EuroSys 2010, section 4), with
 * their remedies, over loopback:
 *
 *	net_cases hash|local|deep|short ROUNDS
 *
 *	hash	two processes, each on a CPU, receive datagrams for one port; the kernel
 *		queues each by a hash, so that half of them go to the other CPU
 *	local	the same, but a datagram goes to the process of its CPU
 *		(SO_INCOMING_CPU)
 *	deep	a server accepts connections once 256 wait
 *	short	the same, once 4 wait
 *
 * A round is 16 datagrams a process, or 256 connections.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define NR_FLOWS 16
#define NR_CONNECTIONS 256

static void die(const char *what)
{
	fprintf(stderr, "net_cases: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		die("sched_setaffinity");
}

static void loopback_on(void)
{
	struct ifreq r = { .ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING };
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	if (fd < 0 || ioctl(fd, SIOCSIFFLAGS, &r))
		die("lo");
	close(fd);
}

static struct sockaddr_in port(int number)
{
	return (struct sockaddr_in){
		.sin_family = AF_INET, .sin_port = htons(number),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
}

static int server_socket(int cpu, int local)
{
	int fd = socket(AF_INET, SOCK_DGRAM, 0), one = 1;
	struct sockaddr_in a = port(11211);

	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &one, sizeof(one)) ||
	    (local && setsockopt(fd, SOL_SOCKET, SO_INCOMING_CPU, &cpu, sizeof(cpu))) ||
	    bind(fd, (struct sockaddr *)&a, sizeof(a)))
		die("bind");
	return fd;
}

/* Sends requests of many flows, and receives those that came to its own queue. */
static void serve(int cpu, int server, int rounds)
{
	struct sockaddr_in a = port(11211);
	int client[NR_FLOWS];
	char data[1024];

	pin(cpu);
	memset(data, 1, sizeof(data));
	for (int i = 0; i < NR_FLOWS; i++) {
		struct sockaddr_in own = port(20000 + cpu * NR_FLOWS + i);

		client[i] = socket(AF_INET, SOCK_DGRAM, 0);
		if (client[i] < 0 || bind(client[i], (struct sockaddr *)&own, sizeof(own)))
			die("bind");
	}
	for (int r = 0; r < rounds; r++) {
		for (int i = 0; i < NR_FLOWS; i++)
			if (sendto(client[i], data, sizeof(data), 0, (struct sockaddr *)&a, sizeof(a)) < 0)
				die("sendto");
		sched_yield();
		while (recv(server, data, sizeof(data), MSG_DONTWAIT) > 0)
			;
	}
}

static int datagrams(int local, int rounds)
{
	int server[2], bad = 0, status;

	/* Both are there before the first datagram is sent. */
	for (int cpu = 0; cpu < 2; cpu++)
		server[cpu] = server_socket(cpu, local);
	for (int cpu = 0; cpu < 2; cpu++) {
		if (fork())
			continue;
		serve(cpu, server[cpu], rounds);
		exit(0);
	}
	for (int cpu = 0; cpu < 2; cpu++) {
		wait(&status);
		bad |= status;
	}
	return bad != 0;
}

/* One CPU for all: what moves between CPUs is the other case. */
static int connections(int waiting, int rounds)
{
	int listener = socket(AF_INET, SOCK_STREAM, 0), one = 1, client[NR_CONNECTIONS];
	struct linger reset = { .l_onoff = 1 };
	struct sockaddr_in a = port(8080);
	struct rlimit files = { 1024, 1024 };

	pin(0);
	setrlimit(RLIMIT_NOFILE, &files);
	if (listener < 0 || setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)) ||
	    bind(listener, (struct sockaddr *)&a, sizeof(a)) || listen(listener, NR_CONNECTIONS))
		die("listen");
	for (int done = 0; done < rounds * NR_CONNECTIONS; done += waiting) {
		char request[64] = "GET / HTTP/1.0\r\n\r\n";

		for (int i = 0; i < waiting; i++) {
			client[i] = socket(AF_INET, SOCK_STREAM, 0);
			if (client[i] < 0 || connect(client[i], (struct sockaddr *)&a, sizeof(a)) ||
			    send(client[i], request, sizeof(request), 0) < 0)
				die("connect");
		}
		for (int i = 0; i < waiting; i++) {
			int fd = accept(listener, NULL, NULL);

			if (fd < 0 || recv(fd, request, sizeof(request), 0) < 0)
				die("accept");
			/* No connection waits for its last packets when it is over. */
			setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset));
			close(fd);
		}
		for (int i = 0; i < waiting; i++)
			close(client[i]);
	}
	return 0;
}

int main(int argc, char **argv)
{
	int rounds = argc == 3 ? atoi(argv[2]) : 0;

	if (rounds > 0) {
		loopback_on();
		if (!strcmp(argv[1], "hash") || !strcmp(argv[1], "local"))
			return datagrams(!strcmp(argv[1], "local"), rounds);
		if (!strcmp(argv[1], "deep") || !strcmp(argv[1], "short"))
			return connections(!strcmp(argv[1], "deep") ? NR_CONNECTIONS : 4, rounds);
	}
	fprintf(stderr, "usage: net_cases hash|local|deep|short ROUNDS\n");
	return 2;
}
