// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Messages back and forth over a TCP connection on the loopback interface. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernel.h"

struct ping {
	uint64_t size;
	unsigned char *to, *from;
	int fd;
	pid_t peer;
};

static int transfer(int fd, void *data, uint64_t size, ssize_t (*how)(int, void *, size_t))
{
	char *p = data;
	ssize_t n;

	for (; size; p += n, size -= n) {
		n = how(fd, p, size);
		if (n <= 0)
			return -1;
	}
	return 0;
}

static ssize_t send_some(int fd, void *data, size_t size)
{
	return send(fd, data, size, MSG_NOSIGNAL);
}

/* Sends back what comes, with each byte's bits turned over. */
static void __attribute__((noreturn)) answer(int listener, uint64_t size)
{
	unsigned char *buf = malloc(size);
	int fd = accept(listener, NULL, NULL), one = 1;
	uint64_t i;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	while (buf && !transfer(fd, buf, size, read)) {
		for (i = 0; i < size; i++)
			buf[i] = ~buf[i];
		if (transfer(fd, buf, size, send_some))
			break;
	}
	_exit(0);
}

static int connect_peer(struct ping *p)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int listener = socket(AF_INET, SOCK_STREAM, 0), one = 1;
	socklen_t n = sizeof(a);

	if (listener < 0 || bind(listener, (struct sockaddr *)&a, sizeof(a)) ||
	    listen(listener, 1) || getsockname(listener, (struct sockaddr *)&a, &n))
		return -1;
	p->peer = fork();
	if (!p->peer)
		answer(listener, p->size);
	p->fd = socket(AF_INET, SOCK_STREAM, 0);
	setsockopt(p->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	if (p->peer < 0 || connect(p->fd, (struct sockaddr *)&a, sizeof(a)))
		return -1;
	close(listener);
	return 0;
}

static void destroy(void *data)
{
	struct ping *p = data;

	if (p->fd >= 0)
		close(p->fd);
	if (p->peer > 0) {
		kill(p->peer, SIGKILL);
		waitpid(p->peer, NULL, 0);
	}
	free(p->to);
	free(p->from);
	free(p);
}

static void *make(uint64_t size)
{
	struct ping *p = calloc(1, sizeof(*p));
	uint64_t i;

	if (!p)
		return NULL;
	/* A message, and what comes back. */
	p->size = size / 2;
	p->fd = -1;
	p->to = malloc(p->size + 1);
	p->from = malloc(p->size + 1);
	if (!p->size || !p->to || !p->from || connect_peer(p)) {
		destroy(p);
		return NULL;
	}
	for (i = 0; i < p->size; i++)
		p->to[i] = i * 7;
	return p;
}

static uint64_t bytes(const void *data)
{
	const struct ping *p = data;

	return 2 * p->size;
}

static void prepare(void *data)
{
	struct ping *p = data;

	memset(p->from, 0, p->size);
}

static int run(void *data, uint64_t iterations)
{
	struct ping *p = data;

	while (iterations--)
		if (transfer(p->fd, p->to, p->size, send_some) ||
		    transfer(p->fd, p->from, p->size, read))
			return -1;
	return 0;
}

static int check(void *data)
{
	struct ping *p = data;
	uint64_t i;

	for (i = 0; i < p->size; i++)
		if (p->from[i] != (unsigned char)~p->to[i])
			return -1;
	return 0;
}

const struct kernel kernel_ping = {
	"ping", "messages back and forth over TCP on the loopback interface", make, bytes, prepare, run, check,
	destroy
};
