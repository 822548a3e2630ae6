// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* vm-relay: starts QEMU, sends the guest its command, and forwards the command's
 * output and exit status.  Part of test-vms/run.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "guest/proto.h"

#define STATUS_TIMEOUT 124
#define STATUS_VM 125
/* From the command's end to QEMU's: the oracle may have files to write. */
#define SHUTDOWN_MS 60000

static pid_t qemu;
static int sock = -1;
static volatile sig_atomic_t got_signal;

static void complain(const char *fmt, ...)
{
	va_list ap;

	fputs("test-vms/run: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
}

static int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000ll + t.tv_nsec / 1000000;
}

static int write_all(int fd, const void *data, size_t len)
{
	const char *p = data;

	while (len) {
		ssize_t n = write(fd, p, len);

		if (n < 0 && errno == EINTR && !got_signal)
			continue;
		if (n < 0 && errno == EAGAIN) {
			struct pollfd pf = { fd, POLLOUT, 0 };

			poll(&pf, 1, -1);
			continue;
		}
		if (n < 0)
			return -1;
		p += n;
		len -= n;
	}
	return 0;
}

static int write_frame(int fd, uint32_t type, const void *data, uint32_t len)
{
	struct vm_frame f = { type, len };

	if (write_all(fd, &f, sizeof(f)))
		return -1;
	return len ? write_all(fd, data, len) : 0;
}

static int send_frame(uint32_t type, const void *data, uint32_t len)
{
	return write_frame(sock, type, data, len);
}

static void on_signal(int sig)
{
	got_signal = sig;
}

/* QEMU gets the other end of a socket as file descriptor 3. */
static void start_qemu(char **argv, const char *log)
{
	int sv[2], out;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sv)) {
		complain("socketpair: %s", strerror(errno));
		exit(STATUS_VM);
	}
	qemu = fork();
	if (qemu < 0) {
		complain("fork: %s", strerror(errno));
		exit(STATUS_VM);
	}
	if (!qemu) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		setpgid(0, 0);
		out = open(log, O_WRONLY | O_CREAT | O_TRUNC, 0644);
		if (out < 0)
			_exit(127);
		/* dup2() onto itself would leave close-on-exec set. */
		if (sv[1] == 3)
			fcntl(3, F_SETFD, 0);
		else if (dup2(sv[1], 3) < 0)
			_exit(127);
		dup2(open("/dev/null", O_RDONLY), 0);
		dup2(out, 1);
		dup2(out, 2);
		execvp(argv[0], argv);
		fprintf(stderr, "%s: %s\n", argv[0], strerror(errno));
		_exit(127);
	}
	close(sv[1]);
	sock = sv[0];
}

/* Bytes of frames not complete yet. */
static char in[sizeof(struct vm_frame) + VM_FRAME_MAX];
static size_t in_len;
static int have_status, status;

/* Handle a frame from the guest.  Return false if it is invalid. */
static int handle(const struct vm_frame *f, const char *data)
{
	uint32_t st;

	switch (f->type) {
	case VM_STDOUT:
	case VM_STDERR:
		/* Ignore errors: if our reader has closed the pipe, the command continues. */
		write_all(f->type == VM_STDOUT ? 1 : 2, data, f->len);
		return 1;
	case VM_STATUS:
		if (f->len != sizeof(st))
			return 0;
		memcpy(&st, data, sizeof(st));
		status = st & 0xff;
		have_status = 1;
		send_frame(VM_ACK, NULL, 0);
		return 1;
	case VM_ERROR:
		complain("guest init: %.*s", (int)f->len, data);
		status = STATUS_VM;
		have_status = 1;
		send_frame(VM_ACK, NULL, 0);
		return 1;
	}
	return 0;
}

/* Return false at the end of the connection, or after an invalid frame. */
static int read_guest(void)
{
	struct vm_frame f;
	ssize_t n = read(sock, in + in_len, sizeof(in) - in_len);
	size_t at = 0;

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return 1;
	if (n <= 0)
		return 0;
	in_len += n;
	while (in_len - at >= sizeof(f)) {
		memcpy(&f, in + at, sizeof(f));
		if (f.len > VM_FRAME_MAX) {
			complain("nonsense from the guest's init");
			return 0;
		}
		if (in_len - at < sizeof(f) + f.len)
			break;
		if (!handle(&f, in + at + sizeof(f))) {
			complain("nonsense from the guest's init");
			return 0;
		}
		at += sizeof(f) + f.len;
	}
	memmove(in, in + at, in_len - at);
	in_len -= at;
	return 1;
}

static int read_stdin(void)
{
	char buf[VM_FRAME_MAX];
	ssize_t n = read(0, buf, sizeof(buf));

	if (n < 0 && errno == EINTR)
		return 1;
	if (n < 0)
		n = 0;
	send_frame(VM_STDIN, buf, n);
	return n > 0;
}

static int end(int code)
{
	kill(qemu, SIGKILL);
	waitpid(qemu, NULL, 0);
	return code;
}

static int relay(int64_t timeout_ms, int with_stdin)
{
	int64_t deadline = timeout_ms ? now_ms() + timeout_ms : INT64_MAX;
	struct pollfd p[2] = { { sock, POLLIN, 0 }, { with_stdin ? 0 : -1, POLLIN, 0 } };

	for (;;) {
		int64_t left = deadline - now_ms();
		int before = have_status;

		if (got_signal)
			return end(128 + got_signal);
		if (left <= 0) {
			if (have_status) {
				complain("the guest did not power off");
				return end(STATUS_VM);
			}
			complain("timeout after %lld s", (long long)timeout_ms / 1000);
			return end(STATUS_TIMEOUT);
		}
		if (poll(p, 2, left > 60000 ? 60000 : left) < 0)
			continue;
		if (p[0].revents && !read_guest())
			break;
		if (have_status && !before) {
			deadline = now_ms() + SHUTDOWN_MS;
			p[1].fd = -1;
		}
		if (p[1].revents && !read_stdin())
			p[1].fd = -1;
	}
	/* The socket closed: QEMU is ending, of itself or by a panic. */
	for (int ms = 0; ms < SHUTDOWN_MS; ms++) {
		int st;

		if (waitpid(qemu, &st, WNOHANG) == qemu) {
			if (WIFSIGNALED(st))
				complain("QEMU ended by signal %d", WTERMSIG(st));
			else if (WEXITSTATUS(st))
				complain("QEMU ended with status %d", WEXITSTATUS(st));
			else if (!have_status)
				complain("the VM ended before the command did");
			return have_status && !st ? status : STATUS_VM;
		}
		if (got_signal)
			return end(128 + got_signal);
		usleep(1000);
	}
	complain("QEMU does not end");
	return end(STATUS_VM);
}

static void __attribute__((noreturn)) usage(void)
{
	fputs("usage: vm-relay [--timeout SECONDS] [--stdin] [--option KEY=VALUE]... --log FILE\n"
	      "                [--asked] --command N ARG... -- QEMU ARG...\n"
	      "       vm-relay [--option KEY=VALUE]... --request FILE --command N ARG...\n", stderr);
	exit(2);
}

static int write_request(int fd, const char **options, int nr_options, char **args, int nr_args)
{
	for (int i = 0; i < nr_options; i++) {
		if (write_frame(fd, VM_OPTION, options[i], strlen(options[i])))
			return -1;
	}
	for (int i = 0; i < nr_args; i++) {
		if (write_frame(fd, VM_ARG, args[i], strlen(args[i])))
			return -1;
	}
	return write_frame(fd, VM_GO, NULL, 0);
}

/* For a guest that finds its request in its own image. */
static int save_request(const char *path, const char **options, int nr_options, char **args,
			int nr_args)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);

	if (fd < 0 || write_request(fd, options, nr_options, args, nr_args) || close(fd)) {
		complain("%s: %s", path, strerror(errno));
		return STATUS_VM;
	}
	return 0;
}

int main(int argc, char **argv)
{
	static const struct option longopts[] = {
		{ "timeout", required_argument, NULL, 't' },
		{ "stdin", no_argument, NULL, 'i' },
		{ "option", required_argument, NULL, 'o' },
		{ "log", required_argument, NULL, 'l' },
		{ "command", required_argument, NULL, 'c' },
		{ "request", required_argument, NULL, 'r' },
		{ "asked", no_argument, NULL, 'a' },
		{}
	};
	struct sigaction sa = { .sa_handler = on_signal };
	const char *options[256], *log = NULL, *request = NULL;
	int c, nr_options = 0, with_stdin = 0, asked = 0, nr_args = -1;
	double timeout = 0;

	while (nr_args < 0 && (c = getopt_long(argc, argv, "+", longopts, NULL)) != -1) {
		if (c == 't')
			timeout = atof(optarg);
		else if (c == 'i')
			with_stdin = 1;
		else if (c == 'o' && nr_options < 256)
			options[nr_options++] = optarg;
		else if (c == 'l')
			log = optarg;
		else if (c == 'c')
			nr_args = atoi(optarg);
		else if (c == 'r')
			request = optarg;
		else if (c == 'a')
			asked = 1;
		else
			usage();
	}
	if (request && nr_args >= 1 && optind + nr_args == argc)
		return save_request(request, options, nr_options, argv + optind, nr_args);
	if (!log || nr_args < 1 || optind + nr_args + 1 >= argc ||
	    strcmp(argv[optind + nr_args], "--"))
		usage();

	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);
	sigaction(SIGHUP, &sa, NULL);
	signal(SIGPIPE, SIG_IGN);
	start_qemu(argv + optind + nr_args + 1, log);
	if (!asked)
		write_request(sock, options, nr_options, argv + optind, nr_args);
	return relay((int64_t)(timeout * 1000), with_stdin);
}
