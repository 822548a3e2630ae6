// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * Work for the kernel, each kind of its own data types:
 *
 *	kernel_load files|exec|pipes|udp|maps ROUNDS
 *
 *	files	creates, writes, reads, renames and removes files in /tmp
 *	exec	forks, executes itself, waits
 *	pipes	two processes hand bytes and descriptors to each other
 *	udp	two processes send datagrams to each other over loopback
 *	maps	maps, faults in, protects and unmaps memory
 *
 * Each runs one process for each CPU, pinned to it, or a pair on neighbors.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGE 4096

static char data[8 * PAGE];

static void die(const char *what)
{
	fprintf(stderr, "kernel_load: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu % sysconf(_SC_NPROCESSORS_ONLN), &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		die("sched_setaffinity");
}

static void files(int nr, int rounds)
{
	char path[64], other[64];
	struct stat st;

	/* Each its own, or they wait for each other most of the time. */
	snprintf(path, sizeof(path), "/tmp/load.%d", nr);
	if (mkdir(path, 0700) && errno != EEXIST)
		die(path);
	for (int i = 0; i < rounds; i++) {
		int fd;

		snprintf(path, sizeof(path), "/tmp/load.%d/%d", nr, i % 64);
		snprintf(other, sizeof(other), "/tmp/load.%d/%d.new", nr, i % 64);
		fd = open(path, O_CREAT | O_RDWR, 0600);
		if (fd < 0 || write(fd, data, sizeof(data) / 4) < 0 || fstat(fd, &st) ||
		    pread(fd, data, sizeof(data) / 4, 0) < 0)
			die(path);
		close(fd);
		if (rename(path, other) || stat(other, &st))
			die(other);
		if (i % 4 == 3 && unlink(other))
			die(other);
	}
}

static void execs(int nr, int rounds)
{
	for (int i = 0; i < rounds; i++) {
		int status;
		pid_t pid = fork();

		if (pid < 0)
			die("fork");
		if (!pid) {
			execl("/proc/self/exe", "kernel_load", "nothing", "0", NULL);
			_exit(1);
		}
		if (waitpid(pid, &status, 0) < 0 || status)
			die("exec");
	}
}

static void pipes(int nr, int rounds)
{
	int to[2], from[2];
	pid_t pid;

	if (pipe(to) || pipe(from))
		die("pipe");
	pid = fork();
	if (!pid) {
		pin(nr + 1);
		for (int i = 0; i < rounds; i++) {
			struct pollfd p = { .fd = to[0], .events = POLLIN };

			if (poll(&p, 1, -1) != 1 || read(to[0], data, PAGE) < 0 ||
			    write(from[1], data, 64) < 0)
				_exit(1);
		}
		_exit(0);
	}
	for (int i = 0; i < rounds; i++)
		if (write(to[1], data, 512) < 0 || read(from[0], data, 64) < 0)
			die("pipe");
	waitpid(pid, NULL, 0);
}

/* The loopback device is off after boot. */
static void loopback_on(void)
{
	struct ifreq r = { .ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING };
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	if (fd < 0 || ioctl(fd, SIOCSIFFLAGS, &r))
		die("lo");
	close(fd);
}

static void udp(int nr, int rounds)
{
	struct sockaddr_in a[2];
	int fd[2];
	pid_t pid;

	for (int i = 0; i < 2; i++) {
		a[i] = (struct sockaddr_in){
			.sin_family = AF_INET, .sin_port = htons(5000 + 2 * nr + i),
			.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
		};
		fd[i] = socket(AF_INET, SOCK_DGRAM, 0);
		if (fd[i] < 0 || bind(fd[i], (struct sockaddr *)&a[i], sizeof(a[i])))
			die("bind");
	}
	pid = fork();
	if (!pid) {
		int e = epoll_create1(0);
		struct epoll_event ev = { .events = EPOLLIN };

		pin(nr + 1);
		epoll_ctl(e, EPOLL_CTL_ADD, fd[1], &ev);
		for (int i = 0; i < rounds; i++) {
			if (epoll_wait(e, &ev, 1, -1) != 1 || recv(fd[1], data, sizeof(data), 0) < 0 ||
			    sendto(fd[1], data, 256, 0, (struct sockaddr *)&a[0], sizeof(a[0])) < 0)
				_exit(1);
		}
		_exit(0);
	}
	for (int i = 0; i < rounds; i++)
		if (sendto(fd[0], data, 1024, 0, (struct sockaddr *)&a[1], sizeof(a[1])) < 0 ||
		    recv(fd[0], data, sizeof(data), 0) < 0)
			die("udp");
	waitpid(pid, NULL, 0);
}

static void maps(int nr, int rounds)
{
	for (int i = 0; i < rounds; i++) {
		size_t size = (16 + i % 48) * PAGE;
		char *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (p == MAP_FAILED)
			die("mmap");
		for (size_t at = 0; at < size; at += PAGE)
			p[at] = 1;
		if (mprotect(p + PAGE, 4 * PAGE, PROT_READ) || munmap(p + size / 2 / PAGE * PAGE, PAGE) ||
		    munmap(p, size))
			die("mprotect");
	}
}

static const struct load {
	const char *name;
	void (*run)(int nr, int rounds);
	int pairs;
} loads[] = {
	{ "files", files, 0 }, { "exec", execs, 0 }, { "pipes", pipes, 1 },
	{ "udp", udp, 1 }, { "maps", maps, 0 },
};

int main(int argc, char **argv)
{
	int cpus = sysconf(_SC_NPROCESSORS_ONLN), bad = 0;

	if (argc == 3 && !strcmp(argv[1], "nothing"))
		return 0;
	for (size_t i = 0; argc == 3 && i < sizeof(loads) / sizeof(loads[0]); i++) {
		int step = loads[i].pairs && cpus > 1 ? 2 : 1;

		if (strcmp(argv[1], loads[i].name))
			continue;
		memset(data, 1, sizeof(data));
		if (!strcmp(argv[1], "udp"))
			loopback_on();
		for (int nr = 0; nr < cpus; nr += step) {
			if (!fork()) {
				pin(nr);
				loads[i].run(nr, atoi(argv[2]));
				exit(0);
			}
		}
		for (int nr = 0; nr < cpus; nr += step) {
			int status;

			wait(&status);
			bad |= status;
		}
		return bad != 0;
	}
	fprintf(stderr, "usage: kernel_load files|exec|pipes|udp|maps ROUNDS\n");
	return 2;
}
