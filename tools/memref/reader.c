// SPDX-License-Identifier: GPL-2.0
/*
 * Reads the memref events of a trace.dat file into a model.
 *
 * libtraceevent trusts the formats of events that are in the file: damaged, it
 * may crash, loop, or end the process.  So a child reads, and sends what it
 * finds through a pipe; whatever becomes of it, what it had sent is good.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <trace-cmd.h>
#include <unistd.h>

#include "decode.h"
#include "reader.h"
#include "../lib/trace_dat.h"
#include "window.h"

/* A child that says nothing for so long turns in circles. */
#define SILENCE_MS	60000
#define PROGRESS_BYTES	(4 << 20)

enum { MSG_HOST, MSG_ROW, MSG_PROGRESS, MSG_ERROR, MSG_END };

struct message {
	uint32_t type, size;			/* size: of what of the union is sent */
	union {
		char text[256];
		struct row row;
		double progress;
		struct {
			uint64_t lost_events, bad_offset;
		} end;
	};
};

#define MSG_HEADER offsetof(struct message, text)

static void send(FILE *out, uint32_t type, struct message *msg, size_t size)
{
	msg->type = type;
	msg->size = size;
	/* Without a reader there is nothing left to do. */
	if (fwrite(msg, MSG_HEADER + size, 1, out) != 1)
		_exit(1);
}

/* Rows are many: only as much as the type has is sent. */
static int send_row(void *out, const struct row *row)
{
	static const size_t size[] = {
		[ROW_GROUP] = sizeof(row->group), [ROW_NODE] = sizeof(row->node),
		[ROW_TASK] = sizeof(row->task), [ROW_VIRT] = sizeof(row->virt),
		[ROW_SCAN] = sizeof(row->scan),
	};
	struct message msg;
	size_t n = offsetof(struct row, group) + size[row->type];

	memcpy(&msg.row, row, n);
	send(out, MSG_ROW, &msg, n);
	return 0;
}

static int send_events(FILE *out, struct trace_dat *d)
{
	uint64_t next_progress = 0;
	struct decoder decoder;
	struct trace_event e;
	struct message msg;
	int ret;

	if (decoder_init(&decoder, d->tep)) {
		strcpy(msg.text, "its memref events have other fields");
		send(out, MSG_ERROR, &msg, sizeof(msg.text));
		return 0;
	}
	while ((ret = trace_dat_next(d, &e)) > 0) {
		if (d->read >= next_progress) {
			next_progress = d->read + PROGRESS_BYTES;
			msg.progress = (double)d->read / d->size;
			send(out, MSG_PROGRESS, &msg, sizeof(msg.progress));
		}
		if (decode(&decoder, e.ts, e.data, e.size, send_row, out))
			trace_dat_bad(d, e.offset);
	}
	return ret;
}

static void child(const char *path, int fd)
{
	FILE *out = fdopen(fd, "w");
	struct rlimit no_core = { 0, 0 };
	struct message msg = { 0 };
	struct trace_dat d;
	char error[256] = "";
	int null = open("/dev/null", O_WRONLY);

	/* What the libraries have to say of a damaged file is said better later. */
	dup2(null, STDERR_FILENO);
	dup2(null, STDOUT_FILENO);
	setrlimit(RLIMIT_CORE, &no_core);
	tracecmd_set_loglevel(TEP_LOG_NONE);
	tep_set_loglevel(TEP_LOG_NONE);
	if (!out)
		_exit(1);

	if (trace_dat_open(&d, path, "memref", error, sizeof(error))) {
		snprintf(msg.text, sizeof(msg.text), "%s", error);
		send(out, MSG_ERROR, &msg, sizeof(msg.text));
	} else {
		snprintf(msg.text, sizeof(msg.text), "%s", d.uname);
		send(out, MSG_HOST, &msg, sizeof(msg.text));
		if (send_events(out, &d))
			_exit(1);
	}
	memset(&msg, 0, sizeof(msg));
	msg.end.lost_events = d.lost_events;
	msg.end.bad_offset = d.bad_offset;
	send(out, MSG_END, &msg, sizeof(msg.end));
	trace_dat_close(&d);
	_exit(fclose(out) ? 1 : 0);
}

/* What the child wrote, on its way to messages. */
struct inbox {
	int fd;
	size_t have, at;
	char buf[1 << 16];
};

/* Return 1, 0 at the end, -1 on silence. */
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
		if (poll(&p, 1, SILENCE_MS) == 0)
			return -1;
		new = read(in->fd, in->buf, sizeof(in->buf));
		if (new < 0 && errno == EINTR)
			continue;
		if (new <= 0)
			return 0;
		in->have = new;
		in->at = 0;
	}
	return 1;
}

static int next_message(struct inbox *in, struct message *msg)
{
	int ret = get(in, msg, MSG_HEADER);

	if (ret <= 0)
		return ret;
	if (msg->size > sizeof(*msg) - MSG_HEADER)
		return 0;
	return get(in, msg->text, msg->size);
}

/* "Linux guest 6.12.117-memscope x86_64" -> "guest, Linux 6.12.117-memscope" */
static void set_host(struct reader *r, char *uname, size_t size)
{
	char system[64], host[64], release[64];

	uname[size - 1] = '\0';
	if (sscanf(uname, "%63s %63s %63s", system, host, release) == 3)
		snprintf(r->host, sizeof(r->host), "%s, %s %s", host, system, release);
	else if (*uname)
		snprintf(r->host, sizeof(r->host), "%s", uname);
}

/* Take what the child sends.  Return what the taker of rows returned. */
static int receive(struct reader *r, struct inbox *in, int *ended, char *error, size_t size)
{
	struct message msg;
	int ret = 0;

	while (!ret && next_message(in, &msg) > 0) {
		switch (msg.type) {
		case MSG_HOST:
			set_host(r, msg.text, sizeof(msg.text));
			break;
		case MSG_ROW:
			ret = r->row(r->ctx, &msg.row);
			break;
		case MSG_PROGRESS:
			if (r->progress)
				r->progress(msg.progress);
			break;
		case MSG_ERROR:
			msg.text[sizeof(msg.text) - 1] = '\0';
			snprintf(error, size, "%s", msg.text);
			break;
		case MSG_END:
			r->lost_events = msg.end.lost_events;
			r->bad_offset = msg.end.bad_offset;
			*ended = 1;
			break;
		}
	}
	return ret;
}

/**
 * reader_each() - read a file row by row
 * @path: the file
 * @r: takes the rows, and has more to tell when they are read
 * @error: says what is wrong with the file
 * @size: of @error
 *
 * A damaged file gives what could be read of it, and an error.
 *
 * Return: 0, -1 with @error set, or what the taker of rows returned.
 */
int reader_each(const char *path, struct reader *r, char *error, size_t size)
{
	int fds[2], ret, ended = 0;
	struct inbox *in;
	char what[256] = "";
	pid_t pid;

	*error = '\0';
	strcpy(r->host, "unknown host");
	r->lost_events = r->bad_offset = 0;
	in = calloc(1, sizeof(*in));
	if (!in || pipe2(fds, O_CLOEXEC)) {
		snprintf(error, size, "%s: %s", path, strerror(errno));
		free(in);
		return -1;
	}
	fflush(NULL);
	pid = fork();
	if (!pid) {
		close(fds[0]);
		child(path, fds[1]);
	}
	close(fds[1]);
	if (pid < 0) {
		snprintf(error, size, "fork: %s", strerror(errno));
		close(fds[0]);
		free(in);
		return -1;
	}
	in->fd = fds[0];
	ret = receive(r, in, &ended, what, sizeof(what));
	close(fds[0]);
	free(in);
	if (!ended)
		kill(pid, SIGKILL);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	if (ret)
		return ret;
	if (*what) {
		r->bad_offset = 0;
		snprintf(error, size, "%s: %s", path, what);
	} else if (!ended) {
		snprintf(error, size, "%s: damaged or truncated: its formats of events cannot be read",
			 path);
	} else if (r->bad_offset) {
		snprintf(error, size, "%s: damaged or truncated at 0x%" PRIx64, path,
			 r->bad_offset);
	}
	return *error ? -1 : 0;
}

static int add_to_model(void *m, const struct row *row)
{
	switch (row->type) {
	case ROW_GROUP: return model_add_group(m, &row->group);
	case ROW_NODE: return model_add_node(m, &row->node);
	case ROW_TASK: return model_add_task(m, &row->task);
	case ROW_VIRT: return model_add_virt(m, &row->virt);
	case ROW_SCAN: return model_add_scan(m, &row->scan);
	}
	return 0;
}

static void no_interval(const struct model *m, const char *path, char *error, size_t size)
{
	const struct window time = { .from = m->window.from, .to = m->window.to };
	char text[128];

	window_describe(&time, text, sizeof(text));
	if (m->outside)
		snprintf(error, size, "%s: no interval %s: the recording lasts %.3f s", path,
			 text, model_seconds(m));
	else
		snprintf(error, size, "%s: no complete interval of memref in it", path);
}

/**
 * reader_read() - read a file into a model
 * @path: the file
 * @m: the model, initialized
 * @progress: told now and then how much of the file is read; or NULL
 * @error: says what is wrong with the file
 * @size: of @error
 *
 * A damaged file gives what could be read of it, and an error.
 *
 * Return: 0, or -1 with @error set.
 */
int reader_read(const char *path, struct model *m, void (*progress)(double share),
		char *error, size_t size)
{
	struct reader r = { .row = add_to_model, .ctx = m, .progress = progress };
	int failed = reader_each(path, &r, error, size);
	size_t length = strlen(error);

	strcpy(m->host, r.host);
	model_end(m);
	m->lost_events = r.lost_events;
	if (failed && !length)
		snprintf(error, size, "%s: no memory left for it", path);
	else if (failed && r.bad_offset)
		snprintf(error + length, size - length,
			 " (%" PRIu64 " of %" PRIu64 " intervals read)", m->nr_intervals + m->outside,
			 m->nr_intervals + m->outside + m->missing);
	else if (!failed && !m->nr_intervals)
		no_interval(m, path, error, size);
	return *error ? -1 : 0;
}
