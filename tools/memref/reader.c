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

#include "batch.h"
#include "reader.h"
#include "trace_dat.h"
#include "window.h"

/* A child that says nothing for so long turns in circles. */
#define SILENCE_MS	60000
#define PROGRESS_BYTES	(4 << 20)

enum {
	MSG_HOST, MSG_GROUP, MSG_NODE, MSG_TASK, MSG_VIRT, MSG_SCAN, MSG_PROGRESS,
	MSG_ERROR, MSG_END
};

struct message {
	uint32_t type, size;			/* size: of what of the union is sent */
	union {
		char text[256];
		struct group_row group;
		struct node_row node;
		struct task_row task;
		struct virt_row virt;
		struct scan_row scan;
		double progress;
		struct {
			uint64_t lost_events, bad_offset;
		} end;
	};
};

#define MSG_HEADER offsetof(struct message, text)

/* An event, and where its fields are. */
struct fields {
	int type;			/* -1: not in this file */
	const struct tep_format_field *field[32];
};

enum { GROUP, BATCH, NODE, TASK, VIRT, SCAN, NR_EVENTS };

/* Fields from @later on came later, and may not be there. */
static const struct {
	const char *name;
	const char *field[32];
	int later;
} known[NR_EVENTS] = {
	[GROUP] = { "memref_log_data", {
		"phys_addr", "seq", "kernel", "user", "page_cache", "rw",
	}, 99 },
	[BATCH] = { "memref_batch", { "seq", "group_kb", "first", "data" }, 99 },
	[NODE] = { "memref_node", { "start", "end", "seq", "node" }, 99 },
	[TASK] = { "memref_task", { "pages", "written", "rss", "seq", "pid", "comm" }, 99 },
	[VIRT] = { "memref_virt", { "addr", "seq", "pid", "pages", "written" }, 99 },
	[SCAN] = { "memref_scan", {
		"begin_ns", "scan_ns", "end_ns", "kernel", "user", "page_cache", "ptes",
		"young", "seq", "groups", "mms", "mms_skipped", "interval_ms", "group_kb",
		"kernel_leaf_kb", "pids", "flags", "flush", "write",
		"tables", "tables_cold", "rss", "cpu_max",
	}, 19 },
};

/* Return 0, or -1 if an event of the name has other fields. */
static int find_fields(struct tep_handle *tep, int event, struct fields *f)
{
	struct tep_event *e = tep_find_event_by_name(tep, "memref", known[event].name);
	int i;

	memset(f, 0, sizeof(*f));
	f->type = e ? e->id : -1;
	for (i = 0; e && known[event].field[i]; i++) {
		f->field[i] = tep_find_field(e, known[event].field[i]);
		if (f->field[i] && (f->field[i]->offset < 0 || f->field[i]->size < 0))
			return -1;
		if (!f->field[i] && i < known[event].later)
			return -1;
	}
	return 0;
}

static uint64_t value(const struct fields *f, int i, const struct trace_event *e)
{
	unsigned long long v = 0;

	/* A record shorter than its format would be read beyond its end. */
	if (!f->field[i] || (uint64_t)f->field[i]->offset + f->field[i]->size > e->size)
		return 0;
	tep_read_number_field((struct tep_format_field *)f->field[i], e->data, &v);
	return v;
}

static void send(FILE *out, uint32_t type, struct message *msg, size_t size)
{
	msg->type = type;
	msg->size = size;
	/* Without a reader there is nothing left to do. */
	if (fwrite(msg, MSG_HEADER + size, 1, out) != 1)
		_exit(1);
}

static void send_group(FILE *out, const struct fields *f, const struct trace_event *e)
{
	struct message msg = { .group = {
		.phys_addr = value(f, 0, e),
		.seq = value(f, 1, e),
		.pages = { [KERNEL] = value(f, 2, e), [USER] = value(f, 3, e),
			   [PAGE_CACHE] = value(f, 4, e) },
		.written = value(f, 5, e) == 1,
	} };

	send(out, MSG_GROUP, &msg, sizeof(msg.group));
}

/* Return 0, or -1 if it is damaged. */
static int send_batch(FILE *out, const struct fields *f, const struct trace_event *e)
{
	struct batch b = {
		.seq = value(f, 0, e), .group_kb = value(f, 1, e), .group = value(f, 2, e),
	};
	uint32_t where = value(f, 3, e);	/* offset, and length << 16 */
	struct message msg;
	int ret;

	if ((where & 0xffff) + (where >> 16) > e->size)
		return -1;
	b.data = (const uint8_t *)e->data + (where & 0xffff);
	b.end = b.data + (where >> 16);
	while ((ret = batch_next(&b, &msg.group)) > 0)
		send(out, MSG_GROUP, &msg, sizeof(msg.group));
	return ret;
}

static void send_node(FILE *out, const struct fields *f, const struct trace_event *e)
{
	struct message msg = { .node = {
		.start = value(f, 0, e), .end = value(f, 1, e), .seq = value(f, 2, e),
		.node = value(f, 3, e),
	} };

	send(out, MSG_NODE, &msg, sizeof(msg.node));
}

static void send_task(FILE *out, const struct fields *f, const struct trace_event *e)
{
	struct message msg = { .task = {
		.pages = value(f, 0, e), .written = value(f, 1, e), .rss = value(f, 2, e),
		.seq = value(f, 3, e), .pid = value(f, 4, e),
	} };
	const struct tep_format_field *comm = f->field[5];

	if ((uint64_t)comm->offset + comm->size <= e->size && comm->size <= 16)
		memcpy(msg.task.comm, (const char *)e->data + comm->offset,
		       strnlen((const char *)e->data + comm->offset, comm->size));
	msg.task.comm[15] = '\0';
	send(out, MSG_TASK, &msg, sizeof(msg.task));
}

static void send_virt(FILE *out, const struct fields *f, const struct trace_event *e)
{
	struct message msg = { .virt = {
		.addr = value(f, 0, e), .seq = value(f, 1, e), .pid = value(f, 2, e),
		.pages = value(f, 3, e), .written = value(f, 4, e),
	} };

	send(out, MSG_VIRT, &msg, sizeof(msg.virt));
}

static void send_scan(FILE *out, const struct fields *f, const struct trace_event *e)
{
	struct message msg = { .scan = {
		.begin_ns = value(f, 0, e),
		.scan_ns = value(f, 1, e),
		.end_ns = value(f, 2, e),
		.pages = { [KERNEL] = value(f, 3, e), [USER] = value(f, 4, e),
			   [PAGE_CACHE] = value(f, 5, e) },
		.ptes = value(f, 6, e),
		.young = value(f, 7, e),
		.seq = value(f, 8, e),
		.groups = value(f, 9, e),
		.mms = value(f, 10, e),
		.mms_skipped = value(f, 11, e),
		.interval_ms = value(f, 12, e),
		.group_kb = value(f, 13, e),
		.kernel_leaf_kb = value(f, 14, e),
		.pids = value(f, 15, e),
		.flags = value(f, 16, e),
		.flush = value(f, 17, e),
		.write = value(f, 18, e),
		.tables = value(f, 19, e),
		.tables_cold = value(f, 20, e),
		.rss = value(f, 21, e),
		.cpu_max = value(f, 22, e),
	} };

	send(out, MSG_SCAN, &msg, sizeof(msg.scan));
}

static int send_events(FILE *out, struct trace_dat *d)
{
	struct fields f[NR_EVENTS];
	uint64_t next_progress = 0;
	struct trace_event e;
	struct message msg;
	int ret, i, other = 0;

	for (i = 0; i < NR_EVENTS; i++)
		other |= find_fields(d->tep, i, &f[i]);
	if (other || f[GROUP].type < 0 || f[SCAN].type < 0) {
		strcpy(msg.text, "its memref events have other fields");
		send(out, MSG_ERROR, &msg, sizeof(msg.text));
		return 0;
	}
	while ((ret = trace_dat_next(d, &e)) > 0) {
		uint16_t type;

		if (d->read >= next_progress) {
			next_progress = d->read + PROGRESS_BYTES;
			msg.progress = (double)d->read / d->size;
			send(out, MSG_PROGRESS, &msg, sizeof(msg.progress));
		}
		if (e.size < sizeof(type))
			continue;
		memcpy(&type, e.data, sizeof(type));
		for (i = 0; i < NR_EVENTS && f[i].type != type; i++)
			;
		switch (i) {
		case GROUP:
			send_group(out, &f[i], &e);
			break;
		case BATCH:
			if (send_batch(out, &f[i], &e))
				trace_dat_bad(d, e.offset);
			break;
		case NODE:
			send_node(out, &f[i], &e);
			break;
		case TASK:
			send_task(out, &f[i], &e);
			break;
		case VIRT:
			send_virt(out, &f[i], &e);
			break;
		case SCAN:
			send_scan(out, &f[i], &e);
			break;
		}
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
static void set_host(struct model *m, char *uname)
{
	char system[64], host[64], release[64];

	uname[sizeof(m->host) - 1] = '\0';
	if (sscanf(uname, "%63s %63s %63s", system, host, release) == 3)
		snprintf(m->host, sizeof(m->host), "%s, %s %s", host, system, release);
	else if (*uname)
		snprintf(m->host, sizeof(m->host), "%s", uname);
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
	int fds[2], ret, failed = 0, ended = 0;
	struct message msg, end = { 0 };
	struct inbox *in;
	pid_t pid;

	*error = '\0';
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
	in->fd = fds[0];
	while (!failed && pid > 0 && (ret = next_message(in, &msg)) > 0) {
		switch (msg.type) {
		case MSG_HOST:
			set_host(m, msg.text);
			break;
		case MSG_GROUP:
			failed = model_add_group(m, &msg.group);
			break;
		case MSG_NODE:
			failed = model_add_node(m, &msg.node);
			break;
		case MSG_TASK:
			failed = model_add_task(m, &msg.task);
			break;
		case MSG_VIRT:
			failed = model_add_virt(m, &msg.virt);
			break;
		case MSG_SCAN:
			failed = model_add_scan(m, &msg.scan);
			break;
		case MSG_PROGRESS:
			if (progress)
				progress(msg.progress);
			break;
		case MSG_ERROR:
			msg.text[sizeof(msg.text) - 1] = '\0';
			snprintf(error, size, "%s: %s", path, msg.text);
			break;
		case MSG_END:
			end = msg;
			ended = 1;
			break;
		}
	}
	close(fds[0]);
	free(in);
	if (pid < 0) {
		snprintf(error, size, "fork: %s", strerror(errno));
		return -1;
	}
	if (!ended)
		kill(pid, SIGKILL);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	model_end(m);
	m->lost_events = end.end.lost_events;

	if (*error)
		return -1;
	if (failed)
		snprintf(error, size, "%s: no memory left for it", path);
	else if (!ended)
		snprintf(error, size, "%s: damaged or truncated: its formats of events cannot be read",
			 path);
	else if (end.end.bad_offset)
		snprintf(error, size, "%s: damaged or truncated at 0x%" PRIx64
			 " (%" PRIu64 " of %" PRIu64 " intervals read)", path,
			 end.end.bad_offset, m->nr_intervals + m->outside,
			 m->nr_intervals + m->outside + m->missing);
	else if (!m->nr_intervals)
		no_interval(m, path, error, size);
	return *error ? -1 : 0;
}
