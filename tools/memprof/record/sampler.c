// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * memprof record: the samples, and perf's records of processes.  For each CPU two
 * rings: one of samples, one of the names, forks and mappings, so that these are not
 * lost where samples come too fast.
 */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

#include "lib/complain.h"
#include "lib/perf/descriptors.h"
#include "lib/perf/lost.h"
#include "lib/record/cgroup.h"
#include "chunks.h"
#include "perf_ring.h"
#include "record.h"

#define PAGE		4096UL
/* Bytes of the rings: root's, and what everyone may lock by default (516 KiB a CPU). */
#define SAMPLE_RING	(4UL << 20)
#define TASK_RING	(1UL << 20)
#define SMALL_SAMPLE_RING	(256UL << 10)
#define SMALL_TASK_RING	(128UL << 10)
#define BATCH		8192
#define FLUSH_NS	1000000000
/* Chunks of tasks are written when they have so many. */
#define TASK_BYTES	65536

struct cpu_state {
	int cpu;
	struct perf_event_mmap_page *samples, *tasks;
	int sample_fd, task_fd;
	struct sample_record *batch;
	struct { uint32_t pid; uint64_t addr; } *pages;	/* beside batch, to ask for nodes */
	uint32_t nr_batch;
	uint64_t base_ns, last_ns, flushed_ns;
	struct buffer task_buffer, cgroup_buffer;
	uint64_t task_last_ns, cgroup_last_ns;
};

struct sampler {
	struct recording *r;
	struct memsource_events events;
	struct cpu_state *cpus;
	struct pollfd *polled;			/* of the CPUs' samples, and others' */
	int nr_cpus;
	struct event_fd { int fd, lost; } *fds;	/* lost: which of enum LOST_ its records are */
	int nr_fds;
	uint64_t lost[LOST_KINDS];		/* reported in rings */
	size_t sample_ring, task_ring;
	struct numbers numbers;
	struct buffer found;			/* what was there when the recording began */
	uint64_t found_last_ns;
};

/** sampler_new() - a sampler for a recording, or NULL without memory */
struct sampler *sampler_new(struct recording *r)
{
	struct sampler *s = calloc(1, sizeof(*s));

	if (s)
		s->r = r;
	return s;
}

static int keep_fd(struct sampler *s, int fd, int lost)
{
	struct event_fd *fds;

	/* The capacity is the next power of two. */
	if (!(s->nr_fds & (s->nr_fds - 1))) {
		fds = realloc(s->fds, (s->nr_fds ? 2 * s->nr_fds : 1) * sizeof(*fds));
		if (!fds) {
			close(fd);
			return -ENOMEM;
		}
		s->fds = fds;
	}
	s->fds[s->nr_fds++] = (struct event_fd){ fd, lost };
	return 0;
}

static int open_tasks(const struct sampler *s, pid_t tid, int cpu, bool on_exec)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr), .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY,
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU |
			       PERF_SAMPLE_IDENTIFIER,
		.disabled = 1, .inherit = 1, .mmap = 1, .mmap_data = 1, .mmap2 = 1, .comm = 1,
		.comm_exec = 1, .task = 1, .sample_id_all = 1, .use_clockid = 1,
		.clockid = CLOCK_MONOTONIC, .exclude_kernel = 1, .enable_on_exec = on_exec,
		.read_format = perf_lost_format(), .cgroup = s->r->request.cgroup,
	};

	return syscall(SYS_perf_event_open, &attr, tid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

/* The ring of a descriptor; or the descriptor's records go to one that is there. */
static int map_or_join(struct perf_event_mmap_page **ring, int *owner, int fd, size_t bytes)
{
	void *p;

	if (*ring)
		return ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, *owner) ? -errno : 0;
	p = mmap(NULL, PAGE + bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED)
		return -errno;
	*ring = p;
	*owner = fd;
	return 0;
}

/* @tid: a thread, or -1: all; of a control group, samples are those of its processes. */
static int open_on_cpu(struct sampler *s, struct cpu_state *c, pid_t tid, bool on_exec)
{
	int fds[MEMSOURCE_MAX_EVENTS], ret, i, fd;

	fd = open_tasks(s, tid, c->cpu, on_exec);
	if (fd < 0)
		return -errno;
	ret = keep_fd(s, fd, LOST_TASKS);
	if (!ret)
		ret = map_or_join(&c->tasks, &c->task_fd, fd, s->task_ring);
	if (ret)
		return ret;
	ret = memsource_open(&s->events, s->r->cgroup < 0 ? tid : s->r->cgroup, c->cpu, fds);
	if (ret)
		return ret;
	for (i = 0; i < s->events.nr; i++) {
		if (ret)
			close(fds[i]);
		else
			ret = keep_fd(s, fds[i], LOST_SAMPLES);
		/* The leader of a group has no samples. */
		if (!ret)
			ret = map_or_join(&c->samples, &c->sample_fd, fds[i], s->sample_ring);
	}
	return ret;
}

/**
 * sampler_open() - open the events, stopped
 * @s: of sampler_new()
 * @tids: threads; those they create are sampled, too
 * @nr_tids: how many; 0: all of the system, or of the recording's control group
 * @on_exec: they begin when the thread executes a program
 *
 * Return: OK, or FAILED after saying why.
 */
int sampler_open(struct sampler *s, const pid_t *tids, int nr_tids, bool on_exec)
{
	char error[512];
	int i, k, ret = 0;

	if (memsource_events(s->r->source, &s->r->request, &s->events, error, sizeof(error)))
		return complain(FAILED, "%s", error);
	s->events.flags = s->r->cgroup < 0 ? 0 : PERF_FLAG_PID_CGROUP;
	for (i = 0; i < s->events.nr; i++) {
		s->events.attr[i].use_clockid = 1;
		s->events.attr[i].clockid = CLOCK_MONOTONIC;
		s->events.attr[i].inherit = nr_tids > 0;
		s->events.attr[i].read_format = perf_lost_format();
		s->events.attr[i].enable_on_exec = on_exec && (!i || !s->events.group);
	}
	s->sample_ring = geteuid() ? SMALL_SAMPLE_RING : SAMPLE_RING;
	s->task_ring = geteuid() ? SMALL_TASK_RING : TASK_RING;
	s->cpus = calloc(s->r->machine.nr_cpus, sizeof(*s->cpus));
	s->polled = calloc(s->r->machine.nr_cpus + MAX_OTHERS, sizeof(*s->polled));
	if (!s->cpus || !s->polled)
		return complain(FAILED, "no memory left");
	descriptors_need((uint64_t)s->r->machine.nr_cpus * (nr_tids ? nr_tids : 1) * (1 + s->events.nr));
	for (i = 0; i < s->r->machine.nr_cpus; i++) {
		struct cpu_state *c = &s->cpus[s->nr_cpus];

		if (!s->r->machine.online[i])
			continue;
		s->nr_cpus++;
		c->cpu = i;
		c->batch = malloc(BATCH * sizeof(*c->batch));
		c->pages = s->r->by_move_pages ? malloc(BATCH * sizeof(*c->pages)) : NULL;
		if (!c->batch || (s->r->by_move_pages && !c->pages))
			return complain(FAILED, "no memory left");
		if (!nr_tids)
			ret = open_on_cpu(s, c, -1, false);
		for (k = 0; k < nr_tids && !ret; k++) {
			ret = open_on_cpu(s, c, tids[k], on_exec);
			/* It has ended in the meantime. */
			if (ret == -ESRCH && nr_tids > 1)
				ret = 0;
		}
		if (ret)
			return complain(FAILED, "%s cannot be opened on CPU %d: %s%s",
					s->r->source->pmu, i, strerror(-ret),
					ret == -EACCES || ret == -EPERM ?
					" (needs CAP_PERFMON or root; see memscope-caps)" :
					ret == -EMFILE ? " (ulimit -Hn, sysctl fs.nr_open)" :
					ret == -ENOENT && s->r->cgroup >= 0 ?
					" (perf does not know the control group: it was made before any "
					"controller was enabled in cgroup.subtree_control)" : "");
		s->polled[s->nr_cpus - 1] = (struct pollfd){ .fd = c->samples ? c->sample_fd : -1,
							     .events = POLLIN };
	}
	return OK;
}

/** sampler_enable() - start or stop all events */
void sampler_enable(struct sampler *s, bool on)
{
	for (int i = 0; i < s->nr_fds; i++)
		ioctl(s->fds[i].fd, on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
}

/**
 * sampler_wait() - until there are samples, or something else
 * @s: the sampler
 * @others: descriptors that may become readable; -1: none
 * @nr: how many, at most MAX_OTHERS
 * @milliseconds: or so long
 */
void sampler_wait(struct sampler *s, const int *others, int nr, int milliseconds)
{
	int i;

	for (i = 0; i < nr; i++)
		s->polled[s->nr_cpus + i] = (struct pollfd){ .fd = others[i], .events = POLLIN };
	if (poll(s->polled, s->nr_cpus + nr, milliseconds) <= 0)
		return;
	/* One whose threads have all ended would wake us for ever; other threads may use its ring. */
	for (i = 0; i < s->nr_cpus; i++)
		if (s->polled[i].revents & POLLHUP)
			s->polled[i].fd = -1;
}

/* ---- samples ---- */

/* Without physical addresses: where the pages are now, some milliseconds later. */
static void ask_nodes(struct cpu_state *c)
{
	static void *addresses[BATCH];
	static int status[BATCH];
	uint32_t i, k, n;

	for (i = 0; i < c->nr_batch; i += n) {
		for (n = 0; i + n < c->nr_batch && c->pages[i + n].pid == c->pages[i].pid; n++)
			addresses[n] = (void *)(c->pages[i + n].addr & -PAGE);
		if (syscall(SYS_move_pages, c->pages[i].pid, n, addresses, NULL, status, 0))
			continue;
		for (k = 0; k < n; k++)
			if (status[k] >= 0 && status[k] < NODE_UNKNOWN)
				c->batch[i + k].node = status[k];
	}
}

static void flush_samples(struct sampler *s, struct cpu_state *c)
{
	if (!c->nr_batch)
		return;
	if (c->pages)
		ask_nodes(c);
	/* Who reads the samples has then seen what they refer to. */
	numbers_flush(&s->numbers, &s->r->writer, c->base_ns, c->last_ns);
	writer_chunk(&s->r->writer, CHUNK_SAMPLES, c->cpu, c->base_ns, c->last_ns, c->nr_batch,
		     &(struct iovec){ c->batch, c->nr_batch * sizeof(*c->batch) }, 1);
	c->nr_batch = 0;
	c->flushed_ns = c->last_ns;
}

/* The thread is in this control group from now on. */
static void put_cgroup(struct sampler *s, struct cpu_state *c, uint64_t time, uint32_t pid, uint32_t tid,
		       uint64_t id)
{
	struct task_record t = { .type = TASK_CGROUP, .pid = pid, .tid = tid };
	const char *path = numbers_cgroup(&s->numbers, id);
	char found[MEMPROF_MAX_CGROUP + 1];

	/* Without a path, it went away in the meantime. */
	if (!path && !cgroup_path(id, pid, tid, found, sizeof(found)))
		path = numbers_name_cgroup(&s->numbers, id, found);
	if (time > c->cgroup_last_ns)
		c->cgroup_last_ns = time;
	t.delta = c->cgroup_last_ns;
	if (buffer_add_task(&c->cgroup_buffer, &t, path))
		record_lost(s->r, LOST_TASKS, c->cpu, time, 1);
}

static void take_sample(struct sampler *s, struct cpu_state *c, const struct perf_event_header *h)
{
	const struct memsource_request *request = &s->r->request;
	const uint64_t *p = (const uint64_t *)(h + 1), *end = (const uint64_t *)((char *)h + h->size);
	uint64_t frames[MEMPROF_MAX_DEPTH], ip, time, addr, weight, phys = 0, cgroup = 0, delta;
	const bool kernel = (h->misc & PERF_RECORD_MISC_CPUMODE_MASK) != PERF_RECORD_MISC_USER;
	struct sample_record *r, what = { 0 };
	uint32_t pid, tid, depth = 1;
	int node = -1;

	if (end - p < 6 + request->callchain + 2 + request->physical + request->cgroup)
		return;
	/* The order is perf_event.h's: identifier, ip, tid, time, addr, cpu, chain, ... */
	p++;
	ip = *p++;
	pid = *p;
	tid = *p++ >> 32;
	time = *p++;
	addr = *p++;
	p++;
	frames[0] = ip;
	if (request->callchain) {
		uint64_t n = *p++, i;
		bool user = false;

		if (n > (uint64_t)(end - p) || (uint64_t)(end - p) - n < 2U + request->physical + request->cgroup)
			return;
		for (i = 0; i < n; i++) {
			if (p[i] >= (uint64_t)PERF_CONTEXT_MAX)
				user = p[i] == (uint64_t)PERF_CONTEXT_USER;
			else if (user && p[i] != ip && depth < MEMPROF_MAX_DEPTH)
				frames[depth++] = p[i];
		}
		p += n;
	}
	weight = *p++;
	chunk_data_src(&what, *p++);
	if (request->physical)
		phys = *p++;
	if (request->cgroup)
		cgroup = *p++;
	/* Idle tasks have pid 0; instructions without an access have no address. */
	if (!what.op || !addr || !pid || (!kernel && addr >= KERNEL_MEMORY) ||
	    (kernel ? !request->kernel : !request->user) ||
	    !((what.op & 1 && request->loads) || (what.op & 2 && request->stores))) {
		s->r->discarded++;
		return;
	}
	/* An NMI between taking the time and writing: by less than it takes. */
	delta = time > c->base_ns ? time - c->base_ns : 0;
	if (c->nr_batch == BATCH || delta > MEMPROF_MAX_DELTA)
		flush_samples(s, c);
	if (!c->nr_batch) {
		c->base_ns = time;
		delta = 0;
	}
	if (phys)
		node = machine_node_of_pfn(&s->r->machine, phys / PAGE);
	if (c->pages) {
		c->pages[c->nr_batch].pid = pid;
		c->pages[c->nr_batch].addr = addr;
	}
	if (numbers_moved(&s->numbers, pid, tid, cgroup, time))
		put_cgroup(s, c, time, pid, tid, cgroup);
	s->r->with_level += what.level != LEVEL_NA;
	r = &c->batch[c->nr_batch++];
	*r = (struct sample_record){
		.delta = delta, .cpu = c->cpu, .level = what.level, .op = what.op,
		.hitm = what.hitm, .tlb_miss = what.tlb_miss, .kernel = kernel, .addr = addr,
		.latency = weight > UINT16_MAX ? UINT16_MAX : weight,
		.chain = numbers_chain(&s->numbers, frames, depth), .thread = numbers_thread(&s->numbers, pid, tid),
		.node = node < 0 ? NODE_UNKNOWN : node, .pfn = phys / PAGE,
	};
	if (time > c->last_ns)
		c->last_ns = time;
	numbers_flush_many(&s->numbers, &s->r->writer, time);
}

/* ---- tasks ---- */

static void put_task(struct sampler *s, struct cpu_state *c, uint64_t time, struct task_record *t,
		     const char *name)
{
	t->delta = time;
	if (buffer_add_task(&c->task_buffer, t, name))
		record_lost(s->r, LOST_TASKS, c->cpu, time, 1);
	else if (time > c->task_last_ns)
		c->task_last_ns = time;
}

static void flush_tasks(struct sampler *s, struct cpu_state *c)
{
	/* Their times are whole. */
	buffer_flush(&c->task_buffer, &s->r->writer, CHUNK_TASKS, c->cpu, 0, c->task_last_ns);
	buffer_flush(&c->cgroup_buffer, &s->r->writer, CHUNK_TASKS, c->cpu | MEMPROF_OF_SAMPLES, 0,
		     c->cgroup_last_ns);
}

/* Of what rings and descriptors report. */
static void count_lost(struct sampler *s, const struct cpu_state *c, int kind, uint64_t time,
		       uint64_t count)
{
	s->lost[kind] += count;
	record_lost(s->r, kind, c->cpu, time, count);
}

/* Behind each record: tid, time, cpu, identifier. */
#define SAMPLE_ID	(4 * sizeof(uint64_t))

/* Whether a record has so many bytes, and a name behind them that ends. */
static bool has(const struct perf_event_header *h, size_t bytes, bool name)
{
	const char *text = (const char *)(h + 1) + bytes;
	const size_t fixed = sizeof(*h) + bytes + SAMPLE_ID;

	return h->size >= fixed && (!name || memchr(text, '\0', h->size - fixed));
}

/* Whether the loader ignores LD_PRELOAD for a program, unless root runs it. */
static bool is_privileged(const char *path)
{
	struct stat st;

	if (*path != '/' || stat(path, &st))
		return false;
	return st.st_mode & (S_ISUID | S_ISGID) || getxattr(path, "security.capability", NULL, 0) > 0;
}

static void take_task(struct sampler *s, struct cpu_state *c, const struct perf_event_header *h)
{
	const uint32_t *w = (const uint32_t *)(h + 1);
	const uint64_t *d = (const uint64_t *)(h + 1);
	struct task_record t = { 0 };
	uint64_t time;

	if (!has(h, 0, false))
		return;
	time = ((const uint64_t *)((const char *)h + h->size))[-3];
	switch (h->type) {
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		if (!has(h, 24, false))
			return;
		t = (struct task_record){
			.type = h->type == PERF_RECORD_FORK ? TASK_FORK : TASK_EXIT,
			.pid = w[0], .other = w[1], .tid = w[2] };
		put_task(s, c, time, &t, NULL);
		if (t.type == TASK_EXIT)
			numbers_ended(&s->numbers, t.pid, t.tid);
		break;
	case PERF_RECORD_COMM:
		if (!has(h, 8, true))
			return;
		t = (struct task_record){
			.type = h->misc & PERF_RECORD_MISC_COMM_EXEC ? TASK_EXEC : TASK_COMM,
			.pid = w[0], .tid = w[1] };
		put_task(s, c, time, &t, (const char *)(w + 2));
		break;
	case PERF_RECORD_MMAP2:
		if (!has(h, 64, true))
			return;
		/* pid, tid, addr, len, pgoff, maj, min, ino, ino_generation, prot, flags */
		t = (struct task_record){
			.type = TASK_MMAP, .pid = w[0], .tid = w[1], .start = d[1], .length = d[2],
			.offset = d[3],
			.flags = (w[14] & PROT_EXEC ? TASK_EXECUTABLE : 0) |
				 (w[14] & PROT_WRITE ? TASK_WRITABLE : 0) |
				 (w[15] & MAP_SHARED ? TASK_SHARED : 0) };
		if (t.flags & TASK_EXECUTABLE && is_privileged((const char *)(w + 16)))
			t.flags |= TASK_PRIVILEGED;
		put_task(s, c, time, &t, (const char *)(w + 16));
		break;
	case PERF_RECORD_CGROUP:
		if (has(h, 8, true))
			numbers_name_cgroup(&s->numbers, d[0], (const char *)(d + 1));
		break;
	case PERF_RECORD_LOST:
		if (has(h, 16, false))
			count_lost(s, c, LOST_TASKS, time, d[1]);
		break;
	}
}

/* ---- rings ---- */

/* Whose ring is read. */
struct reading {
	struct sampler *s;
	struct cpu_state *c;
};

static void take_of_tasks(void *ctx, const struct perf_event_header *h)
{
	const struct reading *of = ctx;

	take_task(of->s, of->c, h);
}

static void take_of_samples(void *ctx, const struct perf_event_header *h)
{
	const struct reading *of = ctx;
	const uint64_t *d = (const uint64_t *)(h + 1);

	if (h->type == PERF_RECORD_SAMPLE)
		take_sample(of->s, of->c, h);
	else if (h->type == PERF_RECORD_LOST && h->size >= sizeof(*h) + 16)
		count_lost(of->s, of->c, LOST_SAMPLES, of->c->last_ns, d[1]);
	else if (h->type == PERF_RECORD_THROTTLE && h->size >= sizeof(*h) + 8)
		record_lost(of->s->r, LOST_THROTTLED, of->c->cpu, d[0], 1);
}

static void flush_found(struct sampler *s)
{
	buffer_flush(&s->found, &s->r->writer, CHUNK_TASKS, MEMPROF_WAS_THERE, 0, s->found_last_ns);
}

/* Records lost after the last one that fitted: no ring reports them. */
static void report_last_losses(struct sampler *s)
{
	uint64_t lost[LOST_KINDS] = { 0 };
	int i;

	for (i = 0; i < s->nr_fds; i++)
		lost[s->fds[i].lost] += perf_lost(s->fds[i].fd);
	for (i = 0; i < LOST_KINDS; i++)
		if (lost[i] > s->lost[i])
			count_lost(s, &s->cpus[0], i, now_ns(), lost[i] - s->lost[i]);
}

/**
 * sampler_drain() - read what there is
 * @s: the sampler
 * @all: and write what is being collected: the events are stopped
 *
 * Return: whether there was anything.
 */
bool sampler_drain(struct sampler *s, bool all)
{
	bool any = false;

	for (int i = 0; i < s->nr_cpus; i++) {
		struct cpu_state *c = &s->cpus[i];
		struct reading of = { s, c };

		if (!c->samples || !c->tasks)
			continue;
		any |= perf_ring_read(c->tasks, s->task_ring, take_of_tasks, &of);
		any |= perf_ring_read(c->samples, s->sample_ring, take_of_samples, &of);
		if (all || c->task_buffer.used > TASK_BYTES || c->cgroup_buffer.used > TASK_BYTES ||
		    c->last_ns - c->flushed_ns > FLUSH_NS)
			flush_tasks(s, c);
		if (all || c->last_ns - c->flushed_ns > FLUSH_NS)
			flush_samples(s, c);
	}
	flush_found(s);
	if (all) {
		numbers_flush(&s->numbers, &s->r->writer, 0, 0);
		report_last_losses(s);
	}
	return any;
}

/** sampler_forked() - report a process that was forked before events were open */
void sampler_forked(struct sampler *s, pid_t pid, pid_t parent)
{
	struct task_record t = { .type = TASK_FORK, .pid = pid, .tid = pid, .other = parent };

	put_task(s, &s->cpus[0], now_ns(), &t, NULL);
}

/* Rings that were not read yet have earlier records: this is a stream of its own. */
static void put_found(struct sampler *s, struct task_record *t, const char *name)
{
	s->found_last_ns = t->delta = now_ns();
	if (buffer_add_task(&s->found, t, name))
		record_lost(s->r, LOST_TASKS, 0, t->delta, 1);
	if (s->found.used > TASK_BYTES)
		flush_found(s);
}

static void found_maps(struct sampler *s, pid_t pid)
{
	char path[64], line[4096 + 256], name[4096], prot[8];
	uint64_t start, end, offset;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f)) {
		struct task_record t = { .type = TASK_MMAP, .flags = TASK_FOUND, .pid = pid, .tid = pid };

		strcpy(name, "//anon");
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %*s %*u %4095[^\n]",
			   &start, &end, prot, &offset, name) < 4)
			continue;
		t.start = start;
		t.length = end - start;
		t.offset = offset;
		t.flags |= (prot[1] == 'w' ? TASK_WRITABLE : 0) | (prot[2] == 'x' ? TASK_EXECUTABLE : 0) |
			   (prot[3] == 's' ? TASK_SHARED : 0);
		put_found(s, &t, name);
	}
	if (f)
		fclose(f);
}

/** sampler_found() - report a process that existed before */
void sampler_found(struct sampler *s, pid_t pid)
{
	char path[300], name[64] = "?";
	struct dirent *d;
	DIR *dir;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	dir = opendir(path);
	while (dir && (d = readdir(dir))) {
		struct task_record t = { .type = TASK_COMM, .flags = TASK_FOUND, .pid = pid,
					 .tid = atoi(d->d_name) };

		if (!t.tid)
			continue;
		snprintf(path, sizeof(path), "/proc/%d/task/%s/comm", pid, d->d_name);
		f = fopen(path, "re");
		if (f) {
			if (fgets(name, sizeof(name), f))
				name[strcspn(name, "\n")] = '\0';
			fclose(f);
		}
		put_found(s, &t, name);
	}
	if (dir)
		closedir(dir);
	found_maps(s, pid);
}

/** sampler_close() - end */
void sampler_close(struct sampler *s)
{
	int i;

	for (i = 0; i < s->nr_cpus; i++) {
		struct cpu_state *c = &s->cpus[i];

		if (c->samples)
			munmap(c->samples, PAGE + s->sample_ring);
		if (c->tasks)
			munmap(c->tasks, PAGE + s->task_ring);
		free(c->batch);
		free(c->pages);
		free(c->task_buffer.data);
		free(c->cgroup_buffer.data);
	}
	for (i = 0; i < s->nr_fds; i++)
		close(s->fds[i].fd);
	numbers_free(&s->numbers);
	free(s->found.data);
	free(s->fds);
	free(s->polled);
	free(s->cpus);
	free(s);
}
