// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * dprof export --to pprof, --to openmetrics, --to pcp and --to perfetto.
 *
 * A stack of the profile, the leaf first: the field, its type, the function that allocates
 * objects of the type, the function that accesses it.  The recording is read twice: the
 * names of types are known at its end only.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "dprof.h"
#include "dprof/judge/analysis.h"
#include "dprof/read/reader.h"
#include "dprof/view/metrics.h"
#include "dprof/view/view.h"
#include "lib/export/pcp.h"
#include "lib/export/perfetto.h"
#include "lib/export/pprof.h"

#define MAX_FRAMES	4

struct profile {
	struct analysis *a;
	struct pprof *p;
	char host[256];
	bool no_memory;
};

/* As "function+0x12 (file.c:34)" has it: without the offset, so that versions of a function compare. */
static void code_frame(struct analysis *a, uint64_t ip, char *name, size_t size, char *file, size_t file_size,
		       struct pprof_frame *frame)
{
	char *at, *colon;

	place_name(&a->m, &a->l, ip, name, size);
	*frame = (struct pprof_frame){ .function = name };
	at = strstr(name, " (");
	if (at) {
		snprintf(file, file_size, "%s", at + 2);
		*at = '\0';
		colon = strrchr(file, ':');
		if (colon) {
			*colon = '\0';
			frame->file = file;
			frame->line = strtoul(colon + 1, NULL, 10);
		}
	}
	at = strstr(name, "+0x");
	if (at && at > name)
		*at = '\0';
}

static const char *level_of(const struct sample_event *s)
{
	bool modified;

	return level_name[sample_level(s, &modified)];
}

static const char *op_of(const struct sample_event *s)
{
	return s->op == (OP_LOAD | OP_STORE) ? "load+store" : s->op & OP_STORE ? "store" : "load";
}

static bool is_remote(const struct sample_event *s)
{
	return s->home && s->cpu_home && s->home != s->cpu_home;
}

/* The type that the first pass named, and the offset in it.  NULL without memory. */
static struct dtype *type_of(struct analysis *a, const struct sample_event *s, uint32_t *offset)
{
	uint64_t symbol;
	struct dtype *t = model_sample_type(&a->m, s, offset, &symbol);
	uint32_t id;

	if (!t || *t->name)
		return t;
	/* If a type has several ids, only the canonical one has a name. */
	id = model_same_type(&a->m, t->key.id);
	t = model_type(&a->m, id, symbol);
	if (!t || *t->name)
		return t;
	/* perf.data: the first pass met the sample before the symbols. */
	*offset = s->offset;
	return model_type(&a->m, id, 0);
}

static int add_sample(struct profile *x, const struct event *e)
{
	const struct sample_event *s = &e->sample;
	struct analysis *a = x->a;
	char field[256], leaf[512], code[256], file[256], cpu[16], node[16], home[16];
	struct pprof_frame frames[MAX_FRAMES];
	struct dtype *t;
	unsigned int n = 0;
	uint32_t offset;

	t = type_of(a, s, &offset);
	if (!t)
		return -1;
	/* In a region whose size is not known, an offset is no field. */
	if (offset < t->size) {
		field_label(a, t->index, offset, field, sizeof(field));
		snprintf(leaf, sizeof(leaf), "%s%s%s", type_label(t), *field == '+' ? "" : ".", field);
		frames[n++] = (struct pprof_frame){ .function = leaf };
	}
	frames[n++] = (struct pprof_frame){ .function = type_label(t) };
	/* For other classes, it is what the type is named after. */
	if (*t->event.func && (t->event.line || t->event.class == CLASS_SLAB || t->event.class == CLASS_KMALLOC))
		frames[n++] = (struct pprof_frame){ t->event.func, t->event.file, t->event.line };
	code_frame(a, s->ip, code, sizeof(code), file, sizeof(file), &frames[n++]);
	snprintf(cpu, sizeof(cpu), "%d", e->cpu);
	snprintf(node, sizeof(node), "%d", s->cpu_home - 1);
	snprintf(home, sizeof(home), "%d", s->home - 1);
	const struct pprof_label labels[] = {
		{ "host", *x->host ? x->host : NULL }, { "cpu", e->cpu < 0 ? NULL : cpu },
		{ "node", s->cpu_home ? node : NULL }, { "memory_node", s->home ? home : NULL },
		{ "level", level_of(s) }, { "op", op_of(s) },
		{ "cgroup", s->cgroup ? model_cgroup(&a->m, s->cgroup) : NULL },
	};
	const int64_t values[] = { 1, s->latency, is_remote(s), s->width };

	pprof_add(x->p, &(struct pprof_sample){ frames, n, labels, NR(labels), values });
	return 0;
}

static int take_event(void *arg, const struct event *e)
{
	struct profile *x = arg;

	if (e->kind == EVENT_SAMPLE && add_sample(x, e)) {
		x->no_memory = true;
		return 1;
	}
	return 0;
}

/* "name, system release" -> name */
static void host_name(const struct model *m, char *name, size_t size)
{
	snprintf(name, size, "%s", m->host);
	name[strcspn(name, ",")] = '\0';
}

/* Return OK or FAILED, with @out closed. */
static int write_profile(struct profile *x, const char *path, struct outfile *out, bool damaged)
{
	struct reader r = { .event = take_event, .ctx = x, .kallsyms = x->a->kallsyms };
	char error[512] = "";
	int failed;

	/* The first pass has reported damage of the file. */
	reader_read(path, &r, error, sizeof(error));
	if (*error && !damaged) {
		outfile_drop(out);
		return complain(FAILED, "%s", error);
	}
	pprof_times(x->p, 0, x->a->m.last_ts - x->a->m.first_ts);
	errno = 0;
	failed = x->no_memory ? 1 : pprof_write(x->p, *x->a->doubt ? x->a->doubt : NULL, out->f);
	if (failed <= 0)
		return outfile_close(out, failed);
	outfile_drop(out);
	return complain(FAILED, "%s: no memory left", path);
}

static bool has_samples(const struct analysis *a, const char *path, int damaged)
{
	if (!a->m.samples && a->m.events && !damaged)
		complain(FAILED, "%s: no samples (dprof_sample) in the recording", path);
	/* Without events, or without memory, nothing of the recording is to be written. */
	return a->m.events && !a->m.no_memory && a->m.samples;
}

/**
 * export_pprof() - write the samples as a profile of pprof
 * @a: the options of the command line, and initialized otherwise
 * @path: the recording
 * @output: the file to write; NULL: standard output
 *
 * Return: OK, or FAILED with a message printed.
 */
int export_pprof(struct analysis *a, const char *path, const char *output)
{
	static const struct pprof_type types[] = {
		{ "accesses", "count" }, { "latency", "cycles" }, { "remote", "count" }, { "bytes", "bytes" },
	};
	int damaged = analysis_load(a, path, NEED_MODEL), failed = FAILED;
	struct profile x = { .a = a, .p = pprof_new(types, NR(types)) };
	struct outfile out;

	host_name(&a->m, x.host, sizeof(x.host));
	if (!x.p) {
		complain(FAILED, "no memory left");
	} else if (has_samples(a, path, damaged) && !outfile_open(&out, output)) {
		failed = write_profile(&x, path, &out, damaged);
	}
	pprof_free(x.p);
	return failed || damaged ? FAILED : OK;
}

/** export_openmetrics() - write shares of types and levels as OpenMetrics; as export_pprof() */
int export_openmetrics(struct analysis *a, const char *path, const char *output)
{
	struct metrics metrics = { .list = dprof_metrics };
	int damaged = analysis_load(a, path, NEED_MODEL), failed = FAILED;
	struct outfile out;

	if (has_samples(a, path, damaged) && !outfile_open(&out, output)) {
		metrics_of_analysis(&metrics, a);
		failed = metrics_write(&metrics, &out);
	}
	return failed || damaged ? FAILED : OK;
}

/** export_pcp() - write the same as an archive of Performance Co-Pilot, named @output; as export_pprof() */
int export_pcp(struct analysis *a, const char *path, const char *output, const struct pcp_options *pcp)
{
	struct metrics metrics = { .list = dprof_metrics };
	struct pcp_options o = *pcp;
	int damaged, failed = FAILED;
	char host[256];
	uint64_t length;

	if (pcp_check_output(output))
		return USAGE;
	damaged = analysis_load(a, path, NEED_MODEL);
	if (has_samples(a, path, damaged)) {
		length = a->m.last_ts - a->m.first_ts;
		host_name(&a->m, host, sizeof(host));
		o.host = o.host ? o.host : host;
		metrics_of_analysis(&metrics, a);
		failed = pcp_write_summary(&o, path, output, length, length, &metrics);
	}
	return failed || damaged ? FAILED : OK;
}

struct tracks {
	struct analysis *a;
	struct perfetto p;
	bool no_memory;
};

/* On the track of its CPU. */
static int add_to_track(void *arg, const struct event *e)
{
	const struct sample_event *s = &e->sample;
	struct tracks *x = arg;
	char field[256] = "", code[256];
	struct dtype *t;
	uint32_t offset;

	if (e->kind != EVENT_SAMPLE)
		return 0;
	t = type_of(x->a, s, &offset);
	if (!t) {
		x->no_memory = true;
		return 1;
	}
	if (offset < t->size)
		field_label(x->a, t->index, offset, field, sizeof(field));
	place_name(&x->a->m, &x->a->l, s->ip, code, sizeof(code));
	perfetto_add(&x->p, &(struct perfetto_sample){
		.name = type_label(t), .ns = e->ts, .pid = 1, .tid = e->cpu < 0 ? 0 : e->cpu,
		.args = (const struct perfetto_arg[]){
			{ "field", field }, { "op", op_of(s) }, { "level", level_of(s) },
			{ "latency_cycles", NULL, s->latency }, { "code", code }, { "task", NULL, e->pid }, { } } });
	return x->p.no_memory;
}

/** export_perfetto() - write samples as trace events, on a track for each CPU; as export_pprof() */
int export_perfetto(struct analysis *a, const char *path, const char *output)
{
	int damaged = analysis_load(a, path, NEED_MODEL), failed = FAILED, cpu;
	struct tracks x = { .a = a };
	struct reader r = { .event = add_to_track, .ctx = &x, .kallsyms = a->kallsyms };
	char error[512] = "", name[32];
	struct outfile out;

	if (has_samples(a, path, damaged) && !outfile_open(&out, output)) {
		errno = 0;
		perfetto_begin(&x.p, out.f, a->m.host);
		for (cpu = 0; cpu < a->m.nr_cpus; cpu++) {
			snprintf(name, sizeof(name), "CPU %d", cpu);
			perfetto_name_thread(&x.p, 1, cpu, name);
		}
		/* The first pass has reported damage of the file. */
		reader_read(path, &r, error, sizeof(error));
		perfetto_end(&x.p);
		if (x.no_memory || x.p.no_memory) {
			outfile_drop(&out);
			complain(FAILED, "%s: no memory left", path);
		} else if (*error && !damaged) {
			outfile_drop(&out);
			complain(FAILED, "%s", error);
		} else {
			failed = outfile_close(&out, ferror(out.f));
		}
	}
	return failed || damaged ? FAILED : OK;
}
