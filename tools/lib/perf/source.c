// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * Sources of memory-access samples: what this machine has, and how it is opened.
 *
 * The attributes are those of the kernel's drivers: arch/x86/events/amd/ibs.c,
 * arch/x86/events/intel/ds.c and core.c, arch/x86/events/swmem/.  What a PMU's
 * events are called and which bits they set is read from sysfs, as perf does.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "source.h"

#define DEVICES	"/sys/bus/event_source/devices/"
#define SYSCTL	"/proc/sys/kernel/"

/* ibs.c: periods below this are refused, and those that are no multiple of 16. */
#define IBS_MIN_PERIOD	0x90
#define SWMEM_OP_LOADS	1
#define SWMEM_OP_STORES	2

static const char * const names[MEMSOURCE_COUNT] = { "ibs", "pebs", "swmem" };

/* The first line of a file.  Returns 0, or -1 with text empty. */
static int read_line(const char *root, const char *dir, const char *pmu, const char *file,
		     char *text, size_t size)
{
	char path[PATH_MAX];
	FILE *f;

	*text = '\0';
	snprintf(path, sizeof(path), "%s%s%s%s%s", root, dir, pmu, *pmu ? "/" : "", file);
	f = fopen(path, "r");
	if (!f)
		return -1;
	if (!fgets(text, size, f))
		*text = '\0';
	fclose(f);
	text[strcspn(text, "\n")] = '\0';
	return 0;
}

static bool has_file(const struct memsource *s, const char *file)
{
	char text[256];

	return !read_line(s->root, DEVICES, s->pmu, file, text, sizeof(text));
}

/* Set the bits that a format names: "config:0-7,32-35" */
static int set_bits(struct perf_event_attr *attr, const char *format, uint64_t value)
{
	__u64 *word;
	char *end;

	if (!strncmp(format, "config:", 7))
		word = &attr->config, format += 7;
	else if (!strncmp(format, "config1:", 8))
		word = &attr->config1, format += 8;
	else if (!strncmp(format, "config2:", 8))
		word = &attr->config2, format += 8;
	else
		return -1;
	while (1) {
		unsigned long from = strtoul(format, &end, 10), to = from, bit;

		if (end == format)
			return -1;
		format = end;
		if (*format == '-') {
			to = strtoul(++format, &end, 10);
			if (end == format)
				return -1;
			format = end;
		}
		if (to < from || to > 63)
			return -1;
		for (bit = from; bit <= to; bit++, value >>= 1)
			*word = (*word & ~(1ULL << bit)) | (value & 1) << bit;
		if (*format != ',')
			return *format ? -1 : 0;
		format++;
	}
}

static int set_term(const struct memsource *s, struct perf_event_attr *attr, const char *term,
		    uint64_t value)
{
	char file[128], format[256];

	snprintf(file, sizeof(file), "format/%s", term);
	if (read_line(s->root, DEVICES, s->pmu, file, format, sizeof(format)))
		return -1;
	return set_bits(attr, format, value);
}

/* An event as sysfs describes it: "event=0xcd,umask=0x1,ldlat=3" */
static int set_event(const struct memsource *s, struct perf_event_attr *attr, const char *event)
{
	char file[128], text[256], *term, *rest, *value;

	snprintf(file, sizeof(file), "events/%s", event);
	if (read_line(s->root, DEVICES, s->pmu, file, text, sizeof(text)))
		return -1;
	for (term = strtok_r(text, ",", &rest); term; term = strtok_r(NULL, ",", &rest)) {
		value = strchr(term, '=');
		if (value)
			*value++ = '\0';
		if (set_term(s, attr, term, value ? strtoull(value, NULL, 0) : 1))
			return -1;
	}
	return 0;
}

static int fail(char *error, size_t size, const char *fmt, const char *what)
{
	snprintf(error, size, fmt, what);
	return -1;
}

static int init_attr(const struct memsource *s, const struct memsource_request *request,
		     struct perf_event_attr *attr)
{
	char type[32];

	memset(attr, 0, sizeof(*attr));
	if (read_line(s->root, DEVICES, s->pmu, "type", type, sizeof(type)))
		return -1;
	attr->size = sizeof(*attr);
	attr->type = strtoul(type, NULL, 10);
	attr->disabled = 1;
	attr->sample_id_all = 1;
	attr->exclude_hv = s->filters_mode;
	attr->exclude_user = s->filters_mode && !request->user;
	attr->exclude_kernel = s->filters_mode && !request->kernel;
	attr->sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR |
			    PERF_SAMPLE_CPU | PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_WEIGHT |
			    PERF_SAMPLE_IDENTIFIER;
	if (request->physical)
		attr->sample_type |= PERF_SAMPLE_PHYS_ADDR;
	if (request->callchain)
		attr->sample_type |= PERF_SAMPLE_CALLCHAIN;
	if (request->cgroup)
		attr->sample_type |= PERF_SAMPLE_CGROUP;
	if (request->period) {
		attr->sample_period = request->period;
	} else {
		attr->freq = 1;
		attr->sample_freq = request->frequency;
	}
	return 0;
}

static int ibs_events(const struct memsource *s, const struct memsource_request *request,
		      struct memsource_events *e)
{
	struct perf_event_attr *attr = &e->attr[0];

	if (init_attr(s, request, attr))
		return -1;
	/* Micro-ops, not cycles: a slow one is not sampled more often. */
	if (has_file(s, "format/cnt_ctl") && set_term(s, attr, "cnt_ctl", 1))
		return -1;
	if (s->filters_mode && set_term(s, attr, "swfilt", 1))
		return -1;
	if (!attr->freq) {
		attr->sample_period = (attr->sample_period + 8) & ~15ULL;
		if (attr->sample_period < IBS_MIN_PERIOD)
			attr->sample_period = IBS_MIN_PERIOD;
	}
	e->nr = 1;
	e->filter_mode = !s->filters_mode && (!request->user || !request->kernel);
	e->filter_op = !request->loads || !request->stores;
	return 0;
}

static int pebs_events(const struct memsource *s, const struct memsource_request *request,
		       struct memsource_events *e)
{
	struct perf_event_attr *attr = e->attr;

	if (request->loads) {
		/* Since Sapphire Rapids, an auxiliary event must lead that of the loads. */
		if (has_file(s, "events/mem-loads-aux")) {
			if (init_attr(s, request, attr) || set_event(s, attr, "mem-loads-aux"))
				return -1;
			attr->sample_period = 0;
			attr->freq = 0;
			e->group = true;
			attr++;
		}
		if (init_attr(s, request, attr) || set_event(s, attr, "mem-loads"))
			return -1;
		if (has_file(s, "format/ldlat") &&
		    set_term(s, attr, "ldlat", request->min_latency < 3 ? 3 : request->min_latency))
			return -1;
		attr->precise_ip = 2;
		attr->disabled = !e->group;
		attr++;
	}
	if (request->stores) {
		if (init_attr(s, request, attr) || set_event(s, attr, "mem-stores"))
			return -1;
		attr->precise_ip = 2;
		attr->disabled = !e->group;
		attr++;
	}
	e->nr = attr - e->attr;
	return 0;
}

static int swmem_events(const struct memsource *s, const struct memsource_request *request,
			struct memsource_events *e)
{
	struct perf_event_attr *attr = &e->attr[0];
	uint64_t op = request->loads && request->stores ? 0 :
		      request->loads ? SWMEM_OP_LOADS : SWMEM_OP_STORES;

	if (init_attr(s, request, attr) || set_term(s, attr, "op", op))
		return -1;
	e->nr = 1;
	return 0;
}

/**
 * memsource_events() - what to open for samples
 * @source: that is available
 * @request: what of
 * @events: filled in
 * @error: says what is wrong
 * @size: of @error
 *
 * Return: 0, or -1 with @error set.
 */
int memsource_events(const struct memsource *source, const struct memsource_request *request,
		     struct memsource_events *events, char *error, size_t size)
{
	int (* const make[MEMSOURCE_COUNT])(const struct memsource *s,
					    const struct memsource_request *request,
					    struct memsource_events *e) = {
		ibs_events, pebs_events, swmem_events,
	};
	int kind = 0;

	memset(events, 0, sizeof(*events));
	if (!request->period && !request->frequency)
		return fail(error, size, "%s: neither a period nor a frequency", source->name);
	if (!request->loads && !request->stores)
		return fail(error, size, "%s: neither loads nor stores", source->name);
	if (!request->user && !request->kernel)
		return fail(error, size, "%s: neither user nor kernel mode", source->name);
	while (strcmp(names[kind], source->name))
		kind++;
	if (make[kind](source, request, events))
		return fail(error, size, "%s is not described in " DEVICES " as expected",
			    source->pmu);
	return 0;
}

/**
 * memsource_open() - open events
 * @events: of memsource_events()
 * @pid: whose, as of perf_event_open(): -1 all; with PERF_FLAG_PID_CGROUP a directory
 * @cpu: where: -1 all
 * @fds: get the descriptors, as many as @events has, closed on exec
 *
 * Return: 0, or -errno with none open.
 */
int memsource_open(const struct memsource_events *events, pid_t pid, int cpu,
		   int fds[MEMSOURCE_MAX_EVENTS])
{
	int i, err;

	for (i = 0; i < events->nr; i++) {
		struct perf_event_attr attr = events->attr[i];

		fds[i] = syscall(SYS_perf_event_open, &attr, pid, cpu,
				 events->group && i ? fds[0] : -1,
				 PERF_FLAG_FD_CLOEXEC | events->flags);
		if (fds[i] < 0) {
			err = -errno;
			while (i--)
				close(fds[i]);
			return err;
		}
	}
	return 0;
}

static bool in_cpuinfo(const char *root, const char *line_name, const char *word)
{
	char path[PATH_MAX], line[8192], padded[64];
	bool found = false;
	FILE *f;

	snprintf(path, sizeof(path), "%s/proc/cpuinfo", root);
	snprintf(padded, sizeof(padded), " %s ", word);
	f = fopen(path, "r");
	if (!f)
		return false;
	while (!found && fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = ' ';
		found = !strncmp(line, line_name, strlen(line_name)) && strstr(line, padded);
	}
	fclose(f);
	return found;
}

static void probe_ibs(struct memsource *s)
{
	s->latency = true;
	s->period_unit = "cycles";
	if (has_file(s, "type")) {
		/* By software, since 6.15. */
		s->filters_mode = has_file(s, "format/swfilt");
		if (has_file(s, "format/cnt_ctl"))
			s->period_unit = "ops";
		s->available = true;
	} else if (!in_cpuinfo(s->root, "vendor_id", "AuthenticAMD") &&
		   !in_cpuinfo(s->root, "vendor_id", "HygonGenuine")) {
		snprintf(s->reason, sizeof(s->reason), "the processor is not AMD's");
	} else if (!in_cpuinfo(s->root, "flags", "ibs")) {
		snprintf(s->reason, sizeof(s->reason),
			 "the processor has no IBS, or a hypervisor hides it");
	} else {
		snprintf(s->reason, sizeof(s->reason),
			 "the kernel has no ibs_op: no CONFIG_CPU_SUP_AMD, or dmesg tells why");
	}
}

static void probe_pebs(struct memsource *s)
{
	s->latency = s->filters_mode = s->store_source = true;
	s->period_unit = "loads and stores";
	strcpy(s->pmu, "cpu");
	if (!has_file(s, "type"))
		strcpy(s->pmu, "cpu_core");	/* beside cpu_atom */
	if (!in_cpuinfo(s->root, "vendor_id", "GenuineIntel"))
		snprintf(s->reason, sizeof(s->reason), "the processor is not Intel's");
	else if (has_file(s, "events/mem-loads") && has_file(s, "events/mem-stores"))
		s->available = true;
	else
		snprintf(s->reason, sizeof(s->reason),
			 "the processor samples no loads and stores, as in most virtual machines");
}

static void probe_swmem(struct memsource *s)
{
	s->filters_mode = true;
	s->period_unit = "ns";
	s->available = has_file(s, "type");
	if (!s->available)
		snprintf(s->reason, sizeof(s->reason),
			 "the kernel has no swmem (CONFIG_PERF_EVENTS_SWMEM)");
}

/* Opens it for this process, user mode: what anyone may, if perf may be used. */
static void try_open(struct memsource *s)
{
	const struct memsource_request request = {
		.period = 1000000, .user = true, .kernel = !s->filters_mode, .loads = true,
		.stores = true,
	};
	struct memsource_events events;
	int fds[MEMSOURCE_MAX_EVENTS], ret, i;
	char paranoid[32];

	if (memsource_events(s, &request, &events, s->reason, sizeof(s->reason))) {
		s->available = false;
		return;
	}
	ret = memsource_open(&events, 0, -1, fds);
	if (!ret) {
		for (i = 0; i < events.nr; i++)
			close(fds[i]);
		return;
	}
	s->available = false;
	if (ret == -EACCES || ret == -EPERM) {
		read_line(s->root, SYSCTL, "", "perf_event_paranoid", paranoid, sizeof(paranoid));
		snprintf(s->reason, sizeof(s->reason),
			 "needs CAP_PERFMON or root (kernel.perf_event_paranoid is %s)", paranoid);
	} else {
		snprintf(s->reason, sizeof(s->reason), "%s cannot be opened: %s", s->pmu,
			 strerror(-ret));
	}
}

/**
 * memsource_probe() - find out what this machine has
 * @sources: filled in, the best first
 * @root: where /sys and /proc are, "" for this machine's; kept, not copied
 */
void memsource_probe(struct memsource sources[MEMSOURCE_COUNT], const char *root)
{
	static const char * const pmus[MEMSOURCE_COUNT] = { "ibs_op", "", "swmem" };
	void (* const probe[MEMSOURCE_COUNT])(struct memsource *s) = {
		probe_ibs, probe_pebs, probe_swmem,
	};

	for (int i = 0; i < MEMSOURCE_COUNT; i++) {
		struct memsource *s = &sources[i];

		*s = (struct memsource){ .name = names[i], .root = root };
		strcpy(s->pmu, pmus[i]);
		probe[i](s);
		if (s->available && !*root)
			try_open(s);
		if (!has_file(s, "type"))
			*s->pmu = '\0';
	}
}

/**
 * memsource_choose() - the source to use
 * @sources: of memsource_probe()
 * @name: the requested one; NULL: the first that is available
 * @error: says why there is none
 * @size: of @error
 *
 * Return: the source, or NULL with @error set.
 */
const struct memsource *memsource_choose(const struct memsource sources[MEMSOURCE_COUNT],
					 const char *name, char *error, size_t size)
{
	size_t n = 0;
	int i;

	for (i = 0; i < MEMSOURCE_COUNT; i++) {
		if (name && strcmp(name, sources[i].name))
			continue;
		if (sources[i].available)
			return &sources[i];
		n += snprintf(error + n, n < size ? size - n : 0, "%s%s: %s", n ? "; " : "",
			      sources[i].name, sources[i].reason);
		if (n >= size)
			break;
	}
	if (!n)
		snprintf(error, size, "%s: not a source: ibs, pebs or swmem", name);
	return NULL;
}

static long get_sysctl(const char *name)
{
	char text[32];

	return read_line("", SYSCTL, "", name, text, sizeof(text)) ? -1 : strtol(text, NULL, 10);
}

/**
 * memsource_max_rate() - samples each second and CPU that perf allows
 *
 * The kernel lowers it when samples take long (kernel.perf_cpu_time_max_percent).
 * Events of a higher frequency cannot be opened.
 *
 * Return: kernel.perf_event_max_sample_rate, or -1 if it is not known.
 */
long memsource_max_rate(void)
{
	return get_sysctl("perf_event_max_sample_rate");
}

/**
 * memsource_perf_event() - the event for perf record that takes the same samples
 * @source: the source
 * @text: set to the event; to "" if this machine has no such source
 * @size: size of @text
 */
void memsource_perf_event(const struct memsource *source, char *text, size_t size)
{
	const struct memsource_request request = {
		.period = 65536, .user = true, .kernel = true, .loads = true, .stores = true,
	};
	struct memsource_events events;
	char error[256];

	if (!*source->pmu || memsource_events(source, &request, &events, error, sizeof(error)))
		*text = '\0';
	else if (!strcmp(source->name, "ibs"))
		snprintf(text, size, "%s", events.attr[0].config ? "ibs_op/cnt_ctl=1/" : "ibs_op//");
	else if (!strcmp(source->name, "pebs"))
		snprintf(text, size, "%s%s/mem-loads,ldlat=3/P%s %s/mem-stores/P",
			 events.group ? "{cpu/mem-loads-aux/," : "", source->pmu, events.group ? "}" : "",
			 source->pmu);
	else
		snprintf(text, size, "swmem//");
}

/** memsource_cgroups() - whether samples can have control groups: since Linux 5.7, with CONFIG_CGROUP_PERF */
bool memsource_cgroups(void)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr), .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY,
		.sample_type = PERF_SAMPLE_CGROUP, .disabled = 1, .exclude_kernel = 1, .cgroup = 1,
	};
	const int fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}
