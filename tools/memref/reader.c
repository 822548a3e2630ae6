// SPDX-License-Identifier: GPL-2.0
/*
 * Reads a trace.dat file into a model, by libtracecmd.
 *
 * The library trusts the file: a damaged one may make it crash, loop, or end
 * the process.  So it reads in a child, which sends what it finds through a
 * pipe; whatever becomes of the child, what it had sent is good.
 */
#include <errno.h>
#include <event-parse.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <trace-cmd.h>
#include <unistd.h>

#include "reader.h"

/* In the library, and in its own tools' use of it, but in no header. */
const char *tracecmd_get_uname(struct tracecmd_input *handle);

/* A damaged file may make the library turn in circles. */
#define SILENCE_MS 60000

/* From this size on, a compressed file is converted first. */
#define CONVERT_BYTES (8 << 20)

enum { MSG_HOST, MSG_GROUP, MSG_SCAN, MSG_LOST, MSG_NO_EVENTS, MSG_END };

struct message {
	uint32_t type;
	uint64_t offset;		/* in the file */
	union {
		char host[256];
		struct group_row group;
		struct scan_row scan;
		uint64_t lost;
	};
};

/* Where the fields of an event are. */
struct fields {
	struct tep_event *event;
	struct tep_format_field *field[20];
};

static const char * const group_fields[] = {
	"phys_addr", "seq", "kernel", "user", "page_cache", "rw", NULL
};

static const char * const scan_fields[] = {
	"begin_ns", "scan_ns", "end_ns", "kernel", "user", "page_cache", "ptes", "young",
	"seq", "groups", "mms", "mms_skipped", "interval_ms", "group_kb", "kernel_leaf_kb",
	"pids", "flags", "flush", "write", NULL
};

struct child {
	FILE *out;
	struct fields group, scan;
};

static int find_fields(struct tep_handle *tep, const char *name,
		       const char * const *names, struct fields *f)
{
	int i;

	f->event = tep_find_event_by_name(tep, "memref", name);
	if (!f->event)
		return -1;
	for (i = 0; names[i]; i++) {
		f->field[i] = tep_find_field(f->event, names[i]);
		if (!f->field[i])
			return -1;
	}
	return 0;
}

static uint64_t value(const struct fields *f, int i, struct tep_record *record)
{
	unsigned long long v = 0;

	/* A record shorter than its format would be read beyond its end. */
	if (f->field[i]->offset + f->field[i]->size > record->size)
		return 0;
	tep_read_number_field(f->field[i], record->data, &v);
	return v;
}

static int on_event(struct child *c, struct tep_handle *tep, struct tep_record *record)
{
	struct message msg = { .offset = record->offset };
	int type = tep_data_type(tep, record);

	if (record->missed_events) {
		msg.type = MSG_LOST;
		msg.lost = record->missed_events > 0 ? record->missed_events : 1;
		fwrite(&msg, sizeof(msg), 1, c->out);
	}
	if (type == c->group.event->id) {
		const struct fields *f = &c->group;

		msg.type = MSG_GROUP;
		msg.group.phys_addr = value(f, 0, record);
		msg.group.seq = value(f, 1, record);
		msg.group.pages[KERNEL] = value(f, 2, record);
		msg.group.pages[USER] = value(f, 3, record);
		msg.group.pages[PAGE_CACHE] = value(f, 4, record);
		msg.group.written = value(f, 5, record) == 1;
	} else if (type == c->scan.event->id) {
		const struct fields *f = &c->scan;
		struct scan_row *s = &msg.scan;

		msg.type = MSG_SCAN;
		s->begin_ns = value(f, 0, record);
		s->scan_ns = value(f, 1, record);
		s->end_ns = value(f, 2, record);
		s->pages[KERNEL] = value(f, 3, record);
		s->pages[USER] = value(f, 4, record);
		s->pages[PAGE_CACHE] = value(f, 5, record);
		s->ptes = value(f, 6, record);
		s->young = value(f, 7, record);
		s->seq = value(f, 8, record);
		s->groups = value(f, 9, record);
		s->mms = value(f, 10, record);
		s->mms_skipped = value(f, 11, record);
		s->interval_ms = value(f, 12, record);
		s->group_kb = value(f, 13, record);
		s->kernel_leaf_kb = value(f, 14, record);
		s->pids = value(f, 15, record);
		s->flags = value(f, 16, record);
		s->flush = value(f, 17, record);
		s->write = value(f, 18, record);
	} else {
		return 0;
	}
	return fwrite(&msg, sizeof(msg), 1, c->out) == 1 ? 0 : -1;
}

/* All records, merged by time; each is freed before the next is read. */
static int read_all(struct tracecmd_input *handle, struct child *c)
{
	struct tep_handle *tep = tracecmd_get_tep(handle);
	int cpus = tep_get_cpus(tep), cpu, first, ret = 0;
	struct tep_record **next = calloc(cpus, sizeof(*next));

	if (!next)
		return -1;
	for (cpu = 0; cpu < cpus; cpu++)
		next[cpu] = tracecmd_read_data(handle, cpu);
	while (!ret) {
		for (first = -1, cpu = 0; cpu < cpus; cpu++)
			if (next[cpu] && (first < 0 || next[cpu]->ts < next[first]->ts))
				first = cpu;
		if (first < 0)
			break;
		ret = on_event(c, tep, next[first]);
		tracecmd_free_record(next[first]);
		next[first] = tracecmd_read_data(handle, first);
	}
	free(next);
	return ret;
}

/*
 * libtracecmd 3.1 keeps all that it decompresses in memory; trace-cmd convert
 * does not.  So a large compressed file is read through an uncompressed copy.
 *
 * The header: magic, version as text, byte order, size of long, page size,
 * name of the compression (trace-cmd.dat.v7(5)).
 */
static struct tracecmd_input *open_trace(const char *path)
{
	const char *dir = getenv("TMPDIR");
	struct tracecmd_input *handle;
	char head[32] = "", copy[4096];
	struct stat st;
	int status, fd = open(path, O_RDONLY);
	pid_t pid;

	if (fd < 0 || fstat(fd, &st) || pread(fd, head, sizeof(head) - 1, 0) < 24)
		return NULL;
	close(fd);
	if (st.st_size < CONVERT_BYTES || strcmp(head + 10, "7") || !strcmp(head + 18, "none"))
		return tracecmd_open(path, 0);

	snprintf(copy, sizeof(copy), "%s/memref.XXXXXX", dir ? dir : "/tmp");
	fd = mkstemp(copy);
	if (fd < 0)
		return tracecmd_open(path, 0);
	close(fd);
	pid = fork();
	if (!pid) {
		execlp("trace-cmd", "trace-cmd", "convert", "--compression", "none",
		       "-i", path, "-o", copy, NULL);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) < 0 || status)
		handle = tracecmd_open(path, 0);
	else
		handle = tracecmd_open(copy, 0);
	unlink(copy);
	return handle;
}

static void child(const char *path, int fd)
{
	struct child c = { .out = fdopen(fd, "w") };
	struct tracecmd_input *handle;
	struct rlimit no_core = { 0, 0 };
	struct message msg = { .type = MSG_HOST };
	const char *uname;
	int null = open("/dev/null", O_WRONLY);

	/* What the library has to say of a damaged file is said better later. */
	dup2(null, STDERR_FILENO);
	dup2(null, STDOUT_FILENO);
	setrlimit(RLIMIT_CORE, &no_core);
	tracecmd_set_loglevel(TEP_LOG_NONE);
	tep_set_loglevel(TEP_LOG_NONE);

	handle = open_trace(path);
	if (!c.out || !handle)
		_exit(1);
	uname = tracecmd_get_uname(handle);
	snprintf(msg.host, sizeof(msg.host), "%s", uname ? uname : "unknown host");
	fwrite(&msg, sizeof(msg), 1, c.out);

	if (find_fields(tracecmd_get_tep(handle), "memref_log_data", group_fields, &c.group) ||
	    find_fields(tracecmd_get_tep(handle), "memref_scan", scan_fields, &c.scan)) {
		msg.type = MSG_NO_EVENTS;
		fwrite(&msg, sizeof(msg), 1, c.out);
		fflush(c.out);
		_exit(0);
	}
	if (read_all(handle, &c))
		_exit(1);
	msg.type = MSG_END;
	fwrite(&msg, sizeof(msg), 1, c.out);
	fflush(c.out);
	_exit(0);
}

/* Read what is there; return 1 for a message, 0 at the end, -1 on silence. */
static int next_message(int fd, struct message *msg)
{
	size_t got = 0;

	while (got < sizeof(*msg)) {
		struct pollfd p = { .fd = fd, .events = POLLIN };
		ssize_t n;

		if (poll(&p, 1, SILENCE_MS) == 0)
			return -1;
		n = read(fd, (char *)msg + got, sizeof(*msg) - got);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return 0;
		got += n;
	}
	return 1;
}

/* "Linux guest 6.12.117-memscope #1 ..." -> "guest, Linux 6.12.117-memscope" */
static void set_host(struct model *m, char *uname)
{
	char system[64], host[64], release[64];

	uname[sizeof(m->host) - 1] = '\0';
	if (sscanf(uname, "%63s %63s %63s", system, host, release) == 3)
		snprintf(m->host, sizeof(m->host), "%s, %s %s", host, system, release);
	else
		snprintf(m->host, sizeof(m->host), "%s", uname);
}

/**
 * reader_read() - read a file into a model
 * @path: the file
 * @m: the model, initialized
 * @error: says what is wrong with the file
 * @size: of @error
 *
 * A damaged file gives what could be read of it, and an error.
 *
 * Return: 0, or -1 with @error set.
 */
int reader_read(const char *path, struct model *m, char *error, size_t size)
{
	uint64_t offset = 0;
	struct message msg;
	int fds[2], ret, done = 0, no_events = 0, opened = 0, failed = 0;
	struct stat st;
	char magic[10] = "";
	pid_t pid;
	int fd = open(path, O_RDONLY);

	if (fd < 0 || fstat(fd, &st)) {
		snprintf(error, size, "%s: %s", path, strerror(errno));
		if (fd >= 0)
			close(fd);
		return -1;
	}
	ret = read(fd, magic, sizeof(magic));
	close(fd);
	if (ret != sizeof(magic) || memcmp(magic, "\027\010\104tracing", 10)) {
		snprintf(error, size, "%s: not a trace.dat file", path);
		return -1;
	}
	if (pipe2(fds, O_CLOEXEC)) {
		snprintf(error, size, "pipe: %s", strerror(errno));
		return -1;
	}
	fflush(NULL);
	pid = fork();
	if (pid < 0) {
		snprintf(error, size, "fork: %s", strerror(errno));
		close(fds[0]);
		close(fds[1]);
		return -1;
	}
	if (!pid) {
		close(fds[0]);
		child(path, fds[1]);
	}
	close(fds[1]);

	while ((ret = next_message(fds[0], &msg)) > 0) {
		if (msg.offset)
			offset = msg.offset;
		switch (msg.type) {
		case MSG_HOST:
			opened = 1;
			set_host(m, msg.host);
			break;
		case MSG_GROUP:
			failed |= model_add_group(m, &msg.group);
			break;
		case MSG_SCAN:
			failed |= model_add_scan(m, &msg.scan);
			break;
		case MSG_LOST:
			m->lost_events += msg.lost;
			break;
		case MSG_NO_EVENTS:
			no_events = 1;
			break;
		case MSG_END:
			done = 1;
			break;
		}
		if (failed)
			break;
	}
	close(fds[0]);
	if (ret < 0 || failed)
		kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	model_end(m);

	if (failed) {
		snprintf(error, size, "%s: no memory left for it", path);
		return -1;
	}
	if (no_events) {
		snprintf(error, size, "%s: no memref events (record with: trace-cmd record -e memref)",
			 path);
		return -1;
	}
	if (!opened) {
		snprintf(error, size, "%s: damaged or truncated: its index cannot be read (%" PRIu64
			 " bytes)", path, (uint64_t)st.st_size);
		return -1;
	}
	if (!done) {
		snprintf(error, size, "%s: damaged or truncated after 0x%" PRIx64
			 " (%zu intervals read)", path, offset, m->nr_intervals);
		return -1;
	}
	if (!m->nr_intervals) {
		snprintf(error, size, "%s: no complete interval of memref in it", path);
		return -1;
	}
	return 0;
}
