// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <trace-cmd.h>
#include <unistd.h>

#include "child.h"

#define PROGRESS_BYTES	(4 << 20)

/* Kinds of messages; the kinds of @read's records follow from NR_MSG on. */
enum { MSG_HOST, MSG_PROGRESS, MSG_ERROR, MSG_END, NR_MSG };

struct header {
	uint32_t kind, size;
};

struct end {
	uint64_t lost_events, bad_offset;
};

static void send(FILE *to, uint32_t kind, const void *what, uint32_t size)
{
	struct header header = { kind, size };

	/* Exit if the parent has closed the pipe. */
	if (fwrite_unlocked(&header, sizeof(header), 1, to) != 1 ||
	    (size && fwrite_unlocked(what, size, 1, to) != 1))
		_exit(1);
}

/**
 * trace_child_send() - send a record to the parent's @take
 * @to: the pipe, as passed to @read
 * @kind: a number that @read and @take define
 * @what: the record
 * @size: its size, at most TRACE_CHILD_BYTES
 */
void trace_child_send(FILE *to, unsigned int kind, const void *what, size_t size)
{
	send(to, NR_MSG + kind, what, size);
}

/**
 * trace_child_refuse() - report an error of the whole file to the parent
 * @to: the pipe, as passed to @read
 * @why: the error, without the file's name
 */
void trace_child_refuse(FILE *to, const char *why)
{
	send(to, MSG_ERROR, why, strlen(why));
}

/**
 * trace_child_next() - read the next event, and send progress to the parent
 * @d: the file
 * @event: set to the event
 * @to: the pipe, as passed to @read
 *
 * Return: as trace_dat_next().
 */
int trace_child_next(struct trace_dat *d, struct trace_event *event, FILE *to)
{
	uint64_t before = d->read;
	int ret = trace_dat_next(d, event);
	double share;

	if (d->read / PROGRESS_BYTES != before / PROGRESS_BYTES) {
		share = (double)d->read / d->size;
		send(to, MSG_PROGRESS, &share, sizeof(share));
		fflush(to);
	}
	return ret;
}

/* Send the file's records.  Return 0, or -1 on failure. */
static int read_file(const char *path, const struct trace_child *c, FILE *to)
{
	struct trace_dat d;
	struct end end;
	char error[256] = "";
	int ret = 0;

	tracecmd_set_loglevel(TEP_LOG_NONE);
	tep_set_loglevel(TEP_LOG_NONE);
	if (trace_dat_open(&d, path, c->system, error, sizeof(error))) {
		trace_child_refuse(to, error);
	} else {
		send(to, MSG_HOST, d.uname, strlen(d.uname));
		ret = c->read(c->ctx, &d, to);
	}
	end = (struct end){ d.lost_events, d.bad_offset };
	if (ret >= 0)
		send(to, MSG_END, &end, sizeof(end));
	trace_dat_close(&d);
	return ret < 0 ? -1 : 0;
}

static void __attribute__((noreturn)) child(const char *path, const struct trace_child *c, int fd)
{
	FILE *to = fdopen(fd, "w");
	struct rlimit no_core = { 0, 0 };
	int null = open("/dev/null", O_WRONLY);

	/* Suppress the libraries' messages about damaged files: the parent reports errors. */
	dup2(null, STDERR_FILENO);
	dup2(null, STDOUT_FILENO);
	setrlimit(RLIMIT_CORE, &no_core);
	if (!to || read_file(path, c, to))
		_exit(1);
	_exit(fclose(to) ? 1 : 0);
}

/* Return: the child, with @fd set to its records, or -1. */
static pid_t start(const char *path, const struct trace_child *c, int *fd)
{
	int fds[2];
	pid_t pid;

	if (pipe2(fds, O_CLOEXEC))
		return -1;
	fflush(NULL);
	pid = fork();
	if (!pid) {
		close(fds[0]);
		child(path, c, fds[1]);
	}
	close(fds[1]);
	if (pid < 0)
		close(fds[0]);
	*fd = fds[0];
	return pid;
}

/* Tests of many files clear it: then the calling process reads them, and ends where a child would. */
bool trace_child_forks = true;
int trace_child_silence_ms = 60000;

/* Read the file before its records are received.  Return: 0, with @fd set to them, or -1. */
static pid_t read_here(const char *path, const struct trace_child *c, int *fd)
{
	FILE *to;

	*fd = memfd_create("records", MFD_CLOEXEC);
	to = *fd < 0 ? NULL : fdopen(dup(*fd), "w");
	if (!to)
		return -1;
	read_file(path, c, to);
	fclose(to);
	lseek(*fd, 0, SEEK_SET);
	return 0;
}

/* The parent's end of the pipe: buffered bytes, and the body of the current message. */
struct inbox {
	int fd;
	pid_t child;		/* that sends; 0: none */
	double computed;	/* s, by then when something came last */
	size_t have, at;
	char buf[1 << 16];
	uint64_t body[TRACE_CHILD_BYTES / 8 + 1];
};

/* CPU time of the child in s; 0 if it is not known. */
static double computed(const struct inbox *in)
{
	struct timespec t;
	clockid_t clock;

	if (!in->child || clock_getcpuclockid(in->child, &clock) || clock_gettime(clock, &t))
		return 0;
	return t.tv_sec + t.tv_nsec * 1e-9;
}

/* Return 1, 0 at the end, -1 on timeout. */
static int get(struct inbox *in, void *to, size_t size)
{
	size_t got = 0, n;

	while (got < size) {
		struct pollfd p = { .fd = in->fd, .events = POLLIN };
		ssize_t new;

		if (in->at < in->have) {
			n = in->have - in->at < size - got ? in->have - in->at : size - got;
			memcpy((char *)to + got, in->buf + in->at, n);
			in->at += n;
			got += n;
			continue;
		}
		if (poll(&p, 1, trace_child_silence_ms) == 0) {
			if (computed(in) - in->computed >= trace_child_silence_ms / 2e3)
				return -1;
			continue;
		}
		new = read(in->fd, in->buf, sizeof(in->buf));
		if (new < 0 && errno == EINTR)
			continue;
		if (new <= 0)
			return 0;
		in->have = new;
		in->at = 0;
		in->computed = computed(in);
	}
	return 1;
}

/* Read a message; its body is terminated with a zero byte. */
static int next_message(struct inbox *in, struct header *header)
{
	int ret = get(in, header, sizeof(*header));

	if (ret <= 0)
		return ret;
	if (header->size > TRACE_CHILD_BYTES)
		return 0;
	ret = get(in, in->body, header->size);
	((char *)in->body)[header->size] = '\0';
	return ret;
}

/* "Linux guest 6.12.117-memscope x86_64" -> "guest, Linux 6.12.117-memscope" */
static void set_host(struct trace_child *c, const char *uname)
{
	char system[65], host[65], release[65];		/* as struct utsname has */

	if (sscanf(uname, "%64s %64s %64s", system, host, release) == 3)
		snprintf(c->host, sizeof(c->host), "%s, %s %s", host, system, release);
	else if (*uname)
		snprintf(c->host, sizeof(c->host), "%.255s", uname);
}

/* Handle the child's messages.  Return what @take returned. */
static int receive(struct trace_child *c, struct inbox *in, int *ended, char *what, size_t size)
{
	struct header header;
	struct end end;
	double share;
	int ret = 0;

	while (!ret && next_message(in, &header) > 0) {
		switch (header.kind) {
		case MSG_HOST:
			set_host(c, (const char *)in->body);
			break;
		case MSG_PROGRESS:
			memcpy(&share, in->body, sizeof(share));
			if (c->progress)
				c->progress(share);
			break;
		case MSG_ERROR:
			snprintf(what, size, "%.255s", (const char *)in->body);
			break;
		case MSG_END:
			memcpy(&end, in->body, sizeof(end));
			c->lost_events = end.lost_events;
			c->bad_offset = end.bad_offset;
			*ended = 1;
			break;
		default:
			ret = c->take(c->ctx, header.kind - NR_MSG, in->body, header.size);
		}
	}
	return ret;
}

/**
 * trace_child_read() - read a file in a child process
 * @path: the file
 * @c: callbacks; its metadata are set at the end
 * @error: set to what is wrong with the file
 * @size: size of @error
 *
 * Of a damaged file, what can be read is passed to @c->take, and @error is set.
 *
 * Return: 0, -1 with @error set, or what @c->take returned.
 */
int trace_child_read(const char *path, struct trace_child *c, char *error, size_t size)
{
	int ret, ended = 0;
	struct inbox *in;
	char what[256] = "";
	pid_t pid;

	*error = '\0';
	strcpy(c->host, "unknown host");
	c->lost_events = c->bad_offset = 0;
	in = calloc(1, sizeof(*in));
	pid = !in ? -1 : trace_child_forks ? start(path, c, &in->fd) : read_here(path, c, &in->fd);
	if (pid < 0) {
		snprintf(error, size, "%s: %s", path, strerror(errno));
		free(in);
		return -1;
	}
	in->child = pid;
	ret = receive(c, in, &ended, what, sizeof(what));
	close(in->fd);
	free(in);
	if (pid && !ended)
		kill(pid, SIGKILL);
	while (pid && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	if (ret)
		return ret;
	if (*what) {
		c->bad_offset = 0;
		snprintf(error, size, "%s: %s", path, what);
	} else if (!ended) {
		snprintf(error, size, "%s: damaged or truncated: event formats cannot be read",
			 path);
	} else if (c->bad_offset) {
		snprintf(error, size, "%s: damaged or truncated at 0x%" PRIx64, path,
			 c->bad_offset);
	}
	return *error ? -1 : 0;
}
