// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * memprof record: samples of memory accesses through perf, and, of a command, the
 * lives of its objects from the preloaded library.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib/numbers.h"
#include "lib/options.h"
#include "lib/record/cgroup.h"
#include "lib/record/command.h"
#include "lib/record/guard.h"
#include "lib/record/pids.h"
#include "lib/cells/utf8.h"
#include "memprof_cli.h"
#include "options.h"
#include "memprof/record/preload_path.h"
#include "memprof/record/record.h"

#define DEFAULT_FREQUENCY	4000
#define MAX_TIDS		16384
#define MAX_RATE		1000000
#define MAX_ALLOCATORS		8

struct options {
	const char *output, *source, *cgroup;
	struct memsource_request request;
	struct pids pids;
	struct allocator allocators[MAX_ALLOCATORS];
	struct wrapper_names wrappers;
	int nr_allocators;
	bool system, no_preload;
	uint64_t ring_bytes;
	unsigned int depth;
	char **command;
};

static volatile sig_atomic_t interrupted;

static void on_signal(int sig)
{
	interrupted = sig;
}

/* What is ignored stays so (nohup), but for Ctrl-C, which ends the recording. */
static void catch_signals(void)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction action = { .sa_handler = on_signal }, old;
	size_t i;

	for (i = 0; i < sizeof(signals) / sizeof(*signals); i++) {
		sigaction(signals[i], NULL, &old);
		if (old.sa_handler != SIG_IGN || signals[i] == SIGINT)
			sigaction(signals[i], &action, NULL);
	}
	command_ignore_pipe();
}

static const struct verb_usage usage = {
	.command = "memprof record", .operands = "[options] [-- COMMAND [ARGUMENT...]]",
	.about = "Record memory accesses, and the objects accessed, while COMMAND runs, or until Ctrl-C.",
	.end = "The exit status is COMMAND's.", .max = -1, .command_follows = true,
};

/* What set_environment() goes by. */
struct preload {
	const struct options *o;
	const struct rings *rings;	/* NULL: nothing is preloaded */
};

static int set_environment(void *ctx)
{
	const struct preload *preload = ctx;
	const struct options *o = preload->o;
	const char *old = getenv("LD_PRELOAD");
	char path[PATH_MAX], value[2 * PATH_MAX];

	if (!preload->rings)
		return OK;
	if (preload_path(path, sizeof(path)))
		return complain(FAILED, "libmemprof-preload.so: not found (--no-preload does without)");
	snprintf(value, sizeof(value), "%s%s%s", path, old ? ":" : "", old ? old : "");
	setenv("LD_PRELOAD", value, 1);
	setenv("MEMPROF_SESSION", rings_directory(preload->rings), 1);
	setenv("MEMPROF_CLOCK", rings_clock(preload->rings), 1);
	snprintf(value, sizeof(value), "%lu", (unsigned long)o->ring_bytes);
	setenv("MEMPROF_RING_BYTES", value, 1);
	snprintf(value, sizeof(value), "%u", o->depth);
	setenv("MEMPROF_DEPTH", value, 1);
	/* AddressSanitizer refuses to run with another library before its own. */
	old = getenv("ASAN_OPTIONS");
	snprintf(value, sizeof(value), "%s%sverify_asan_link_order=0", old ? old : "", old && *old ? ":" : "");
	setenv("ASAN_OPTIONS", value, 1);
	return OK;
}

static json_t *describe_machine(const struct machine *m)
{
	json_t *cpus = json_array(), *distances = json_array(), *row;
	int i, k;

	for (i = 0; i < m->nr_cpus; i++)
		json_array_append_new(cpus, json_integer(m->cpu_node[i]));
	for (i = 0; i < m->nr_nodes; i++) {
		row = json_array();
		for (k = 0; k < m->nr_nodes; k++)
			json_array_append_new(row, json_integer(m->distance[i][k]));
		json_array_append_new(distances, row);
	}
	return json_pack("{s:o,s:o,s:i}", "cpu_node", cpus, "distance", distances, "nodes",
			 m->nr_nodes);
}

static void write_json(struct recording *r, enum chunk_type type, json_t *json)
{
	char *text = json ? json_dumps(json, JSON_COMPACT) : NULL;
	uint64_t now = now_ns();

	if (text)
		writer_chunk(&r->writer, type, 0, now, now, 1, &(struct iovec){ text, strlen(text) }, 1);
	else
		r->writer.error = ENOMEM;
	free(text);
	json_decref(json);
}

static json_t *describe_wrappers(const struct wrapper_names *w)
{
	char text[1024];
	json_t *names = json_array();
	size_t i;

	for (i = 0; i < w->nr; i++) {
		utf8_copy(text, sizeof(text), w->names[i]);
		json_array_append_new(names, json_string(text));
	}
	return names;
}

static void write_meta(struct recording *r, const struct options *o)
{
	char command[1024] = "", host[3 * sizeof((struct utsname){ }.nodename)];
	struct utsname u;
	size_t n = 0;
	int i;

	uname(&u);
	utf8_copy(host, sizeof(host), u.nodename);
	for (i = 0; o->command[i] && n < sizeof(command) - 1; i++) {
		n += utf8_copy(command + n, sizeof(command) - n, i ? " " : "");
		n += utf8_copy(command + n, sizeof(command) - n, o->command[i]);
	}
	write_json(r, CHUNK_META, json_pack(
		"{s:s,s:s,s:s,s:s,s:s,s:s,s:I,s:I,s:b,s:b,s:b,s:b,s:b,s:s,s:s,s:o,s:b,s:o}",
		"version", MEMSCOPE_VERSION, "host", host, "kernel", u.release,
		"command", command, "source", r->source->name, "period_unit", r->source->period_unit,
		"period", (json_int_t)o->request.period, "frequency", (json_int_t)o->request.frequency,
		"kernel_mode", o->request.kernel, "loads", o->request.loads, "stores", o->request.stores,
		"objects", (!o->no_preload && *o->command) || o->nr_allocators, "latency", r->source->latency,
		"levels", r->source->latency ? "loads" : "none",
		"node_of_pages", r->by_move_pages ? "move_pages" : "physical address",
		"wrappers", describe_wrappers(&o->wrappers),
		"preload", !o->no_preload && *o->command, "machine", describe_machine(&r->machine)));
}

/* Accesses that the source saw and could not report since it is there: of swmem. */
static uint64_t source_drops(const struct memsource *source)
{
	static const char * const names[] = { "unreadable", "unknown", "invalid" };
	unsigned long n, sum = 0;
	char path[PATH_MAX];
	size_t i;
	FILE *f;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++) {
		snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s/stats/%s", source->pmu, names[i]);
		f = fopen(path, "re");
		if (f && fscanf(f, "%lu", &n) == 1)
			sum += n;
		if (f)
			fclose(f);
	}
	return sum;
}

static void write_end(struct recording *r, const struct rings *rings)
{
	write_json(r, CHUNK_END, json_pack(
		"{s:s,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I}",
		"clock_of_events", rings ? rings_clock(rings) : "none",
		"clock_error_ns", (json_int_t)(rings ? rings_clock_error(rings) : 0),
		"samples", (json_int_t)r->writer.counts[CHUNK_SAMPLES],
		"discarded", (json_int_t)r->discarded,
		"dropped", (json_int_t)(source_drops(r->source) - r->dropped_before),
		"events", (json_int_t)r->events,
		"lost_samples", (json_int_t)r->lost[LOST_SAMPLES],
		"lost_tasks", (json_int_t)r->lost[LOST_TASKS],
		"lost_events", (json_int_t)r->lost[LOST_EVENTS],
		"throttled", (json_int_t)r->lost[LOST_THROTTLED],
		"waits", (json_int_t)r->waits));
}

static int add_tids(pid_t pid, pid_t *tids, int n)
{
	char path[64];
	struct dirent *d;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	dir = opendir(path);
	if (!dir)
		return -1;
	while ((d = readdir(dir)) && n < MAX_TIDS)
		if (atoi(d->d_name))
			tids[n++] = atoi(d->d_name);
	closedir(dir);
	return n;
}

static void found_all(struct sampler *s)
{
	struct dirent *d;
	DIR *dir = opendir("/proc");

	while (dir && (d = readdir(dir)))
		if (atoi(d->d_name))
			sampler_found(s, atoi(d->d_name));
	if (dir)
		closedir(dir);
}

/* Whether all threads of a process have ended: its parent may leave it a zombie. */
static bool is_gone(pid_t pid)
{
	struct pollfd p = { .fd = pidfd_open(pid, 0), .events = POLLIN };
	bool gone;

	/* A thread that is not its process's first has none. */
	if (p.fd < 0)
		return kill(pid, 0) && errno == ESRCH;
	gone = poll(&p, 1, 0) > 0;
	close(p.fd);
	return gone;
}

static bool all_gone(const struct options *o)
{
	size_t i;

	for (i = 0; i < o->pids.nr; i++)
		if (!is_gone(o->pids.id[i]))
			return false;
	return true;
}

/* Pass a signal on to the command.  Return: its exit status if it has ended, or -1. */
static int reap(pid_t child)
{
	const int sig = interrupted;
	int status;
	pid_t pid = waitpid(child, &status, WNOHANG);

	if (pid == child)
		return command_status(status);
	if (pid < 0 && errno == ECHILD)
		return complain(FAILED, "the command has ended, with a status that is not known");
	if (sig) {
		interrupted = 0;
		/* Ctrl-C reaches the command by itself. */
		if (sig != SIGINT)
			kill(child, sig);
	}
	return -1;
}

/* Polling interval in ms: a thread's ring has no notification. */
#define BUSY_MS		5
#define IDLE_MS		40

/* Until the command ends, or the processes, or Ctrl-C. */
static int collect(struct recording *r, struct sampler *s, struct rings *rings, struct uprobes *uprobes,
		   const struct options *o, pid_t child)
{
	const int others[] = { child > 0 ? pidfd_open(child, 0) : -1, rings ? rings_fd(rings) : -1 };
	enum rings_found found = RINGS_QUIET;
	uint64_t checked = now_ns();
	int ret = -1, wait = BUSY_MS;
	bool any, failed = false;

	while (ret < 0) {
		/* The command goes on, the kernel need not. */
		if (r->writer.error && !failed) {
			failed = true;
			complain(FAILED, "%s: %s: the recording is over", o->output, writer_error(&r->writer));
			sampler_enable(s, false);
			if (uprobes)
				uprobes_enable(uprobes, false);
			if (child < 0) {
				ret = FAILED;
				break;
			}
		}
		if (found != RINGS_FULL)
			sampler_wait(s, others, 2, rings || uprobes ? wait : 20);
		/* Records in the ring of events may refer to samples: read those first. */
		any = sampler_drain(s, false);
		found = rings ? rings_drain(rings, false) : RINGS_QUIET;
		if (uprobes)
			any |= uprobes_drain(uprobes, false);
		wait = any || found ? BUSY_MS : 2 * wait < IDLE_MS ? 2 * wait : IDLE_MS;
		if (child > 0) {
			ret = reap(child);
		} else if (interrupted) {
			ret = OK;
		} else if (o->pids.nr && now_ns() - checked > 100000000) {
			checked = now_ns();
			if (all_gone(o))
				ret = OK;
		}
	}
	if (others[0] >= 0)
		close(others[0]);
	return ret;
}

static void report_losses(const struct recording *r, const struct rings *rings, const struct options *o)
{
	const uint64_t no_space = r->no_space + r->without_ring;

	inform("%s: %lu samples, %lu with a level, %lu events of objects, %.1f MB", o->output,
	       (unsigned long)r->writer.counts[CHUNK_SAMPLES], (unsigned long)r->with_level,
	       (unsigned long)r->events, r->writer.bytes / 1e6);
	if (r->lost[LOST_SAMPLES])
		complain(OK, "%lu samples lost: a longer period loses fewer",
			 (unsigned long)r->lost[LOST_SAMPLES]);
	if (r->lost[LOST_THROTTLED])
		complain(OK, "throttled by perf %lu times: busy moments have too few samples. A longer period "
			 "(-c) or lower frequency (-F) helps, or more leave: sysctl "
			 "kernel.perf_event_max_sample_rate, kernel.perf_cpu_time_max_percent",
			 (unsigned long)r->lost[LOST_THROTTLED]);
	if (r->lost[LOST_EVENTS] > no_space)
		complain(OK, "%lu events of objects lost: --ring makes their buffers larger",
			 (unsigned long)(r->lost[LOST_EVENTS] - no_space));
	if (no_space)
		complain(OK, "%lu events of objects lost, and all of %lu threads: no room for their buffers in %s: "
			 "is that file system full, is ulimit -f less than --ring, have they no file left to open (ulimit -n), "
			 "or did a signal handler leave the first allocation of a process by siglongjmp()?",
			 (unsigned long)r->no_space, (unsigned long)r->without_ring, rings_directory(rings));
	if (r->lost[LOST_TASKS])
		complain(OK, "%lu records of processes and mappings lost",
			 (unsigned long)r->lost[LOST_TASKS]);
}

/* Samples, and the calls of allocators if there are any, of the same threads. */
static int open_events(struct sampler *s, struct uprobes *uprobes, const pid_t *tids, int n, bool on_exec)
{
	int ret = sampler_open(s, tids, n, on_exec);

	return ret || !uprobes ? ret : uprobes_open(uprobes, tids, n, on_exec);
}

static int open_sampler(struct sampler *s, struct uprobes *uprobes, const struct options *o, pid_t child)
{
	pid_t *tids = NULL;
	int n = 0, ret;
	size_t i;

	if (child > 0)
		return open_events(s, uprobes, &child, 1, true);
	if (o->system || o->cgroup)
		return open_events(s, uprobes, NULL, 0, false);
	tids = malloc(MAX_TIDS * sizeof(*tids));
	if (!tids)
		return complain(FAILED, "no memory left");
	for (i = 0; i < o->pids.nr && n >= 0; i++) {
		n = add_tids(o->pids.id[i], tids, n);
		if (n < 0) {
			free(tids);
			return complain(FAILED, "--pid %d: %s", o->pids.id[i], strerror(errno));
		}
	}
	ret = open_events(s, uprobes, tids, n, false);
	free(tids);
	return ret;
}

/* NULL: none are wanted, or it is said why not, with @failed set. */
static struct uprobes *make_uprobes(struct recording *r, const struct options *o, int *failed)
{
	struct uprobes *u;
	int i;

	if (!o->nr_allocators)
		return NULL;
	u = uprobes_new(r, o->depth);
	*failed = u ? OK : complain(FAILED, "no memory left");
	for (i = 0; i < o->nr_allocators && !*failed; i++)
		*failed = uprobes_add(u, &o->allocators[i]);
	if (!*failed || !u)
		return u;
	uprobes_close(u);
	return NULL;
}

/* Until it has samples, and so its name, the guard removes it if this process is killed. */
static int note_output(const struct writer *w)
{
	char whole[PATH_MAX];

	return w->tmp && realpath(w->tmp, whole) ? guard_note(UNDO_FILE, whole, NULL) : OK;
}

static int record(struct recording *r, const struct options *o)
{
	struct uprobes *uprobes;
	struct rings *rings = NULL;
	struct sampler *s;
	char error[512];
	pid_t child = -1;
	int go = -1, ret = OK;
	size_t i;

	uprobes = make_uprobes(r, o, &ret);
	if (ret)
		return ret;
	s = sampler_new(r);
	if (!s) {
		ret = complain(FAILED, "no memory left");
		goto out;
	}
	if (*o->command && !o->no_preload) {
		rings = rings_new(r, error, sizeof(error));
		if (!rings) {
			ret = complain(FAILED, "%s", error);
			goto out;
		}
	}
	if (*o->command) {
		struct preload preload = { o, rings };

		child = command_start(o->command, set_environment, &preload, &go);
		if (child < 0)
			ret = complain(FAILED, "fork: %s", strerror(errno));
	}
	ret = *o->command && child < 0 ? FAILED : open_sampler(s, uprobes, o, child);
	if (!ret)
		ret = writer_open(&r->writer, o->output, now_ns());
	if (!ret && note_output(&r->writer)) {
		writer_drop(&r->writer);
		ret = FAILED;
	}
	if (ret) {
		if (child > 0) {
			close(go);
			waitpid(child, NULL, 0);
		}
		goto out;
	}
	write_meta(r, o);
	r->dropped_before = source_drops(r->source);
	if (child > 0) {
		sampler_forked(s, child, getpid());
		if (interrupted)
			kill(child, interrupted);
		else if (write(go, "", 1) != 1)
			complain(FAILED, "%s: ended before it began", o->command[0]);
		close(go);
	} else {
		sampler_enable(s, true);
		if (uprobes)
			uprobes_enable(uprobes, true);
		for (i = 0; i < o->pids.nr; i++)
			sampler_found(s, o->pids.id[i]);
		/* What is moved into a control group later has its name and mappings, too. */
		if (o->system || o->cgroup)
			found_all(s);
		inform("recording; Ctrl-C ends it");
	}
	ret = collect(r, s, rings, uprobes, o, child);
	sampler_enable(s, false);
	if (uprobes)
		uprobes_enable(uprobes, false);
	sampler_drain(s, true);
	if (rings)
		rings_drain(rings, true);
	if (uprobes)
		uprobes_drain(uprobes, true);
	write_end(r, rings);
	if (writer_close(&r->writer))
		ret = FAILED;
	else
		report_losses(r, rings, o);
out:
	if (rings)
		rings_close(rings);
	if (uprobes)
		uprobes_close(uprobes);
	if (s)
		sampler_close(s);
	return ret;
}

/* Physical addresses are not for everyone: try. */
static bool may_have_physical(const struct memsource *source, const struct memsource_request *request)
{
	struct memsource_request physical = *request;
	struct memsource_events events;
	int fds[MEMSOURCE_MAX_EVENTS], i;
	char error[512];

	physical.physical = true;
	if (memsource_events(source, &physical, &events, error, sizeof(error)) ||
	    memsource_open(&events, 0, -1, fds))
		return false;
	for (i = 0; i < events.nr; i++)
		close(fds[i]);
	return true;
}

static int open_cgroup(const char *name)
{
	char path[PATH_MAX];
	int fd;

	cgroup_directory(name, path, sizeof(path));
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		complain(FAILED, "--cgroup %s: %s", path, strerror(errno));
	else if (faccessat(fd, "cgroup.procs", F_OK, 0)) {
		complain(FAILED, "--cgroup %s: not a control group", path);
		close(fd);
		fd = -1;
	}
	return fd;
}

/* The kernel opens no event of a higher frequency than it allows. */
static int check_frequency(struct memsource_request *request)
{
	const long max = memsource_max_rate();

	if (request->period)
		return OK;
	if (request->frequency)
		return max < 0 || request->frequency <= max ? OK :
		       complain(FAILED, "--frequency %u: sysctl kernel.perf_event_max_sample_rate is %ld",
				request->frequency, max);
	request->frequency = DEFAULT_FREQUENCY;
	if (max > 0 && max < DEFAULT_FREQUENCY) {
		request->frequency = max;
		complain(OK, "%ld samples a second, no more: sysctl kernel.perf_event_max_sample_rate", max);
	}
	return OK;
}

static int prepare(struct recording *r, struct options *o)
{
	static struct memsource sources[MEMSOURCE_COUNT];
	char error[1024];

	r->cgroup = -1;
	if (o->cgroup) {
		r->cgroup = open_cgroup(o->cgroup);
		if (r->cgroup < 0)
			return FAILED;
	}
	memsource_probe(sources, "");
	r->source = memsource_choose(sources, o->source, error, sizeof(error));
	if (!r->source)
		return complain(FAILED, "no samples of memory accesses here: %s", error);
	if (check_frequency(&o->request) || machine_read(&r->machine, ""))
		return FAILED;
	o->request.physical = may_have_physical(r->source, &o->request);
	o->request.cgroup = memsource_cgroups();
	r->by_move_pages = !o->request.physical;
	if (r->by_move_pages)
		complain(OK, "no physical addresses without CAP_PERFMON: nodes of pages are asked "
			 "for by move_pages(2), a few ms after the access");
	r->request = o->request;
	return OK;
}

static int take_allocator(const struct opt *opt, const char *value)
{
	struct options *o = opt->to;

	if (o->nr_allocators == MAX_ALLOCATORS)
		return wrong_usage("--allocator: more than %d", MAX_ALLOCATORS);
	o->allocators[o->nr_allocators++].file = value;
	return OK;
}

/* --alloc and --free are of the --allocator before them. */
static int take_function(const struct opt *opt, const char *value)
{
	struct options *o = opt->to;
	struct allocator *a = &o->allocators[o->nr_allocators - 1];
	bool alloc = !strcmp(opt->name, "alloc");
	const char **list = alloc ? a->alloc : a->free;
	int *n = alloc ? &a->nr_alloc : &a->nr_free;
	uint64_t argument;
	char name[256];

	if (uprobes_parse(value, name, sizeof(name), &argument))
		return wrong_usage("--%s %s: not a function's name, or NAME/N with N from 1 to 4", opt->name, value);
	if (!o->nr_allocators)
		return wrong_usage("--%s %s: of which --allocator?", opt->name, value);
	if (*n == sizeof(a->alloc) / sizeof(*a->alloc))
		return wrong_usage("--%s %s: too many", opt->name, value);
	list[(*n)++] = value;
	return OK;
}

int cmd_record(int argc, char **argv)
{
	struct options o = {
		.output = DEFAULT_FILE,
		.request = { .user = true, .loads = true, .stores = true },
	};
	const struct opt options[] = {
		PIDS_OPTION('p', &o.pids, 1, "only these processes, and what they fork"),
		OPT_FLAG('a', "all-cpus", &o.system, "record all processes"),
		OPT_TEXT('G', "cgroup", "NAME", &o.cgroup,
			 "only processes in this control group and those below it: " CGROUP_HELP),
		OPT_TEXT('s', "source", "auto|ibs|pebs|swmem", &o.source,
			 "source of the samples (default auto: the best available)"),
		OPT_NUMBER('c', "count", "N", &o.request.period, 1, UINT32_MAX,
			   "sampling period, in units of the source (see memscope-caps)"),
		OPT_NUMBER('F', "frequency", "N", &o.request.frequency, 1, MAX_RATE,
			   "samples each second and CPU (default 4000)"),
		OPT_FLAG(0, "kernel", &o.request.kernel, "sample kernel mode, too"),
		OPT_SET(0, "loads", &o.request.stores, false, "sample loads only"),
		OPT_SET(0, "stores", &o.request.loads, false, "sample stores only"),
		OPT_FLAG('g', "call-graph", &o.request.callchain,
			 "record the call chain of each access (by frame pointers)"),
		OPT_NUMBER(0, "depth", "N", &o.depth, 1, MEMPROF_MAX_DEPTH,
			   "maximum number of frames in the call chain of an allocation (default 8, with --allocator at most 8)"),
		OPT_CALL('A', "allocator", "FILE", take_allocator, &o,
			 "record by uprobes the objects of malloc() and similar functions in this program or "
			 "library: for statically linked or running programs; may be repeated"),
		OPT_CALL(0, "alloc", "NAME[/N]", take_function, &o,
			 "record the objects of FILE's function NAME() instead, whose Nth argument is their "
			 "size (default 1); may be repeated"),
		OPT_CALL(0, "free", "NAME[/N]", take_function, &o,
			 "FILE's function that frees the object given as its Nth argument (default 1)"),
		WRAPPER_OPTION(&o.wrappers),
		OPT_FLAG(0, "no-preload", &o.no_preload, "do not preload the library that records the objects of COMMAND"),
		OPT_SIZE(0, "ring", "SIZE", &o.ring_bytes, 4096, 1 << 30,
			 "size of each thread's event buffer (default 1M)"),
		OPT_TEXT('o', "output", "FILE", &o.output, "the recording (default " DEFAULT_FILE ")"),
		QUIET_OPTION,
		OPT_RENAMED(0, "period", "count"), OPT_RENAMED(0, "system", "all-cpus"), { }
	};
	static struct recording r;
	int targets, ret;

	o.command = argv + options_parse(&usage, options, argc, argv);
	if (o.source && !strcmp(o.source, "auto"))
		o.source = NULL;
	targets = !!*o.command + !!o.pids.nr + !!o.cgroup + o.system;
	if (targets > 1)
		return wrong_usage("a command, --pid, --cgroup and --all-cpus: give one of them");
	if (!targets)
		return wrong_usage("what to record: a command, --pid, --cgroup, or --all-cpus?");
	if (!*o.command && (o.ring_bytes || o.no_preload))
		return wrong_usage("--%s: only with a command", o.ring_bytes ? "ring" : "no-preload");
	if (o.no_preload && o.ring_bytes)
		return wrong_usage("--ring: not with --no-preload");
	if ((!*o.command || o.no_preload) && o.depth && !o.nr_allocators)
		return wrong_usage("--depth: only with a command, of which objects are recorded, or --allocator");
	if ((!*o.command || o.no_preload) && o.depth > UPROBES_DEPTH)
		return wrong_usage("--depth %u: at most %d with --allocator", o.depth, UPROBES_DEPTH);
	o.depth = o.depth ? o.depth : 8;
	o.ring_bytes = o.ring_bytes ? o.ring_bytes : 1 << 20;
	if (o.request.period && o.request.frequency)
		return wrong_usage("--count and --frequency: one of them");
	if (!o.request.loads && !o.request.stores)
		return wrong_usage("--loads and --stores: neither of them records both");
	ret = command_check(o.command);
	if (ret)
		return ret;
	catch_signals();
	/* Before any event is open, which the guard would keep. */
	if (guard_begin("memprof", false))
		return FAILED;
	ret = prepare(&r, &o) ? FAILED : record(&r, &o);
	machine_free(&r.machine);
	return guard_undo() ? FAILED : ret;
}
