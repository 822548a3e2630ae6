// SPDX-License-Identifier: GPL-2.0
/*
 * Reads the dprof events of a trace.dat file.
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
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <trace-cmd.h>
#include <unistd.h>

#include "../lib/trace_dat.h"
#include "reader.h"

/* A child that says nothing for so long turns in circles. */
#define SILENCE_MS	60000
#define PROGRESS_BYTES	(4 << 20)

enum { MSG_HOST, MSG_SYMBOLS, MSG_EVENT, MSG_PROGRESS, MSG_ERROR, MSG_END };

struct message {
	uint32_t type, size;			/* size: of what of the union is sent */
	union {
		char text[4096];
		struct event event;
		double progress;
		struct {
			uint64_t lost_events, bad_offset;
		} end;
	};
};

#define MSG_HEADER offsetof(struct message, text)

/* The events in the file: their numbers, and where their fields are. */
struct decoder {
	int id[NR_EVENTS];			/* -1: it is not in the file */
	const struct tep_format_field *field[NR_EVENTS][MAX_FIELDS];
	const struct tep_format_field *pid;
};

static void send(FILE *out, uint32_t type, struct message *msg, size_t size)
{
	msg->type = type;
	msg->size = size;
	/* Without a reader there is nothing left to do. */
	if (fwrite(msg, MSG_HEADER + size, 1, out) != 1)
		_exit(1);
}

/* A field as the kernel has it must be there, and not overlap what it is not. */
static int usable(const struct tep_format_field *f, const struct event_field *want)
{
	if (!f || f->offset < 0 || f->size < 0)
		return 0;
	if (!want->count)
		return (f->flags & TEP_FIELD_IS_DYNAMIC) && f->size == 4;
	return f->size == want->size * want->count;
}

/* Return 0, or -1 with the name of a field that is not as expected in @wrong. */
static int decoder_init(struct decoder *d, struct tep_handle *tep, char *wrong, size_t size)
{
	const struct event_field *f;
	int i, k;

	memset(d, 0, sizeof(*d));
	for (k = 0; k < NR_EVENTS; k++) {
		struct tep_event *e = tep_find_event_by_name(tep, "dprof", event_format[k].name);

		d->id[k] = e ? e->id : -1;
		if (!e)
			continue;
		d->pid = tep_find_common_field(e, "common_pid");
		for (i = 0, f = event_format[k].field; f->name; f++, i++) {
			d->field[k][i] = tep_find_field(e, f->name);
			if (usable(d->field[k][i], f) || (!d->field[k][i] && f->optional))
				continue;
			snprintf(wrong, size, "%s.%s", event_format[k].name, f->name);
			return -1;
		}
	}
	return 0;
}

static uint64_t number(const unsigned char *p, int size)
{
	uint64_t v = 0;

	memcpy(&v, p, size);
	return v;
}

static int decode_text(struct event *e, const struct event_field *f, uint32_t where,
		       const struct trace_event *raw)
{
	uint32_t offset = where & 0xffff, size = where >> 16;
	const char *text = (const char *)raw->data + offset;

	if (offset + size > raw->size)
		return -1;
	size = strnlen(text, size);
	/* A name that is too long loses its beginning: the end of a path says more. */
	if (size >= f->size) {
		text += size - (f->size - 1);
		size = f->size - 1;
	}
	memcpy((char *)e + f->offset, text, size);
	return 0;
}

/* Return 1, 0 for an event of no interest, -1 for a damaged one. */
static int decode(const struct decoder *d, const struct trace_event *raw, struct event *e)
{
	const unsigned char *data = raw->data;
	const struct event_field *f;
	int i, j, k;

	if (raw->size < 2)
		return 0;
	for (k = 0; k < NR_EVENTS && d->id[k] != (int)number(data, 2); k++)
		;
	if (k == NR_EVENTS)
		return 0;
	memset(e, 0, sizeof(*e));
	e->kind = k;
	e->ts = raw->ts;
	e->cpu = raw->cpu;
	if (d->pid && d->pid->size == 4 && (uint64_t)d->pid->offset + 4 <= raw->size)
		e->pid = number(data + d->pid->offset, 4);
	for (i = 0, f = event_format[k].field; f->name; f++, i++) {
		const struct tep_format_field *in = d->field[k][i];

		if (!in)
			continue;
		if ((uint64_t)in->offset + in->size > raw->size)
			return -1;
		if (!f->count && decode_text(e, f, number(data + in->offset, 4), raw))
			return -1;
		for (j = 0; j < f->count; j++)
			event_put(e, f, j, number(data + in->offset + j * f->size, f->size));
	}
	return 1;
}

static int send_events(FILE *out, struct trace_dat *d)
{
	uint64_t next_progress = 0;
	struct decoder decoder;
	struct trace_event raw;
	struct message msg;
	char wrong[80];
	int ret;

	if (decoder_init(&decoder, d->tep, wrong, sizeof(wrong))) {
		snprintf(msg.text, sizeof(msg.text), "its events are of another version: %s", wrong);
		send(out, MSG_ERROR, &msg, strlen(msg.text) + 1);
		return 0;
	}
	while ((ret = trace_dat_next(d, &raw)) > 0) {
		if (d->read >= next_progress) {
			next_progress = d->read + PROGRESS_BYTES;
			msg.progress = (double)d->read / d->size;
			send(out, MSG_PROGRESS, &msg, sizeof(msg.progress));
		}
		ret = decode(&decoder, &raw, &msg.event);
		if (ret < 0)
			trace_dat_bad(d, raw.offset);
		if (ret > 0)
			send(out, MSG_EVENT, &msg, offsetof(struct event, type) +
			     event_format[msg.event.kind].size);
	}
	return ret;
}

static void send_symbols(FILE *out, struct trace_dat *d)
{
	char *text = trace_dat_symbols(d), *line = text, *end;
	struct message msg;

	/* Whole lines, so that whoever takes them need not put them together. */
	for (; line && *line; line = end) {
		size_t left = strlen(line);

		end = line + (left < sizeof(msg.text) ? left : sizeof(msg.text));
		while (end > line && end[-1] != '\n')
			end--;
		if (end == line)
			break;
		memcpy(msg.text, line, end - line);
		send(out, MSG_SYMBOLS, &msg, end - line);
	}
	free(text);
}

static void child(const char *path, int fd, int with_symbols)
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

	if (trace_dat_open(&d, path, "dprof", error, sizeof(error))) {
		snprintf(msg.text, sizeof(msg.text), "%s", error);
		send(out, MSG_ERROR, &msg, strlen(msg.text) + 1);
	} else {
		snprintf(msg.text, sizeof(msg.text), "%s", d.uname);
		send(out, MSG_HOST, &msg, strlen(msg.text) + 1);
		if (with_symbols)
			send_symbols(out, &d);
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

	uname[size ? size - 1 : 0] = '\0';
	if (sscanf(uname, "%63s %63s %63s", system, host, release) == 3)
		snprintf(r->host, sizeof(r->host), "%s, %s %s", host, system, release);
}

/* What the child had to say beside events. */
struct outcome {
	char what[256];
	uint64_t bad_offset;
	int ended;
};

/* Take what the child sends.  Return what the taker of events returned. */
static int receive(struct reader *r, struct inbox *in, struct outcome *o)
{
	struct message msg;
	int ret = 0;

	while (!ret && next_message(in, &msg) > 0) {
		switch (msg.type) {
		case MSG_HOST:
			set_host(r, msg.text, msg.size);
			break;
		case MSG_SYMBOLS:
			ret = r->symbols(r->ctx, msg.text, msg.size);
			break;
		case MSG_EVENT:
			ret = r->event(r->ctx, &msg.event);
			break;
		case MSG_PROGRESS:
			if (r->progress)
				r->progress(msg.progress);
			break;
		case MSG_ERROR:
			snprintf(o->what, sizeof(o->what), "%.*s", (int)msg.size, msg.text);
			break;
		case MSG_END:
			r->lost_events = msg.end.lost_events;
			o->bad_offset = msg.end.bad_offset;
			o->ended = 1;
			break;
		}
	}
	return ret;
}

/**
 * reader_trace() - read a trace.dat file
 * @path: the file
 * @r: takes the events
 * @error: says what is wrong with the file
 * @size: of @error
 *
 * Return: as reader_read().
 */
int reader_trace(const char *path, struct reader *r, char *error, size_t size)
{
	struct outcome o = { .what = "" };
	struct inbox *in = calloc(1, sizeof(*in));
	int fds[2], ret;
	pid_t pid;

	if (!in || pipe2(fds, O_CLOEXEC)) {
		snprintf(error, size, "%s: %s", path, strerror(errno));
		free(in);
		return -1;
	}
	fflush(NULL);
	pid = fork();
	if (!pid) {
		close(fds[0]);
		child(path, fds[1], r->symbols != NULL);
	}
	close(fds[1]);
	if (pid < 0) {
		snprintf(error, size, "fork: %s", strerror(errno));
		close(fds[0]);
		free(in);
		return -1;
	}
	in->fd = fds[0];
	ret = receive(r, in, &o);
	close(fds[0]);
	free(in);
	if (!o.ended)
		kill(pid, SIGKILL);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	if (ret)
		return ret;
	if (*o.what)
		snprintf(error, size, "%s: %s", path, o.what);
	else if (!o.ended)
		snprintf(error, size, "%s: damaged or truncated: its formats of events cannot be read",
			 path);
	else if (o.bad_offset)
		snprintf(error, size, "%s: damaged or truncated at 0x%" PRIx64, path, o.bad_offset);
	return *error ? -1 : 0;
}
