// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * memprof export --to pprof, --to openmetrics, --to pcp and --to perfetto.
 *
 * A stack of the profile, the leaf first: the object, by its name at the allocation; the
 * place of the allocation; the code that accesses it, and its callers.
 */
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "lib/export/pcp.h"
#include "lib/export/perfetto.h"
#include "lib/export/pprof.h"
#include "memprof/metrics.h"
#include "memprof_cli.h"
#include "options.h"

/* What an access of main memory transfers. */
#define LINE_BYTES	64
#define MAX_CHAIN	(PPROF_MAX_DEPTH - 2)

/* The frames of a call chain; their names are looked up once. */
struct chain {
	struct pprof_frame *frames;
	char **texts;
	unsigned int depth;
};

struct profile {
	struct memprof *m;
	struct pprof *p;
	char host[256];
	struct chain *chains;
	uint32_t nr_chains;
};

/* The " (" of what is in parentheses at the end, where others may be in: "f+0x12 (lib (1).so)". */
static char *last_parenthesis(char *text)
{
	char *p = text + strlen(text);
	int depth = 0;

	if (p == text || p[-1] != ')')
		return NULL;
	while (p-- > text) {
		depth += *p == ')' ? 1 : *p == '(' ? -1 : 0;
		if (!depth)
			return p > text && p[-1] == ' ' ? p - 1 : NULL;
	}
	return NULL;
}

/* "function (file.c:34)" or "function+0x12 (library.so)" -> a frame; cuts @text. */
static struct pprof_frame parse_frame(char *text)
{
	struct pprof_frame f = { .function = text };
	char *at = last_parenthesis(text), *colon;

	if (at) {
		at[strlen(at) - 1] = '\0';
		*at = '\0';
		f.file = at + 2;
		colon = strrchr(f.file, ':');
		if (colon) {
			*colon = '\0';
			f.line = strtoul(colon + 1, NULL, 10);
		}
	}
	/* So that other versions of a function compare. */
	at = strrchr(text, '+');
	if (at && at > text && !strncmp(at, "+0x", 3) && f.file && !f.line)
		*at = '\0';
	return f;
}

static int load_chain(struct profile *x, struct chain *c, uint32_t number)
{
	unsigned int depth = memprof_chain(x->m, number, NULL, 0), i;

	depth = depth < MAX_CHAIN ? depth : MAX_CHAIN;
	c->frames = calloc(depth + 1, sizeof(*c->frames));
	c->texts = calloc(depth + 1, sizeof(*c->texts));
	for (i = 0; c->frames && c->texts && i < depth; i++) {
		const char *text = memprof_frame(x->m, number, i);

		c->texts[i] = text ? strdup(text) : NULL;
		if (!c->texts[i])
			return -1;
		c->frames[i] = parse_frame(c->texts[i]);
		c->depth = i + 1;
	}
	return c->frames && c->texts ? 0 : -1;
}

static const struct chain *find_chain(struct profile *x, uint32_t number)
{
	struct chain *more;
	uint32_t nr;

	if (number >= x->nr_chains) {
		nr = number < UINT32_MAX / 2 ? 2 * number + 64 : UINT32_MAX;
		more = reallocarray(x->chains, nr, sizeof(*more));
		if (!more)
			return NULL;
		memset(more + x->nr_chains, 0, (nr - x->nr_chains) * sizeof(*more));
		x->chains = more;
		x->nr_chains = nr;
	}
	if (!x->chains[number].frames && load_chain(x, &x->chains[number], number))
		return NULL;
	return &x->chains[number];
}

static void free_chains(struct profile *x)
{
	uint32_t i;
	unsigned int f;

	for (i = 0; i < x->nr_chains; i++) {
		for (f = 0; x->chains[i].texts && f < x->chains[i].depth; f++)
			free(x->chains[i].texts[f]);
		free(x->chains[i].texts);
		free(x->chains[i].frames);
	}
	free(x->chains);
}

static const char *level_of(const struct memprof_access *a)
{
	return a->level == MEMPROF_LEVEL_UNKNOWN ? "unknown" : memprof_level_name(a->level);
}

static const char *op_of(const struct memprof_access *a)
{
	return a->read && a->write ? "load+store" : a->write ? "store" : "load";
}

static int add_access(struct profile *x, const struct memprof_access *a)
{
	const struct memprof_object *o = memprof_object(x->m, a->object);
	const struct memprof_site *site = memprof_object_site(x->m, a->object);
	const struct memprof_thread *thread = memprof_thread(x->m, a->thread);
	const struct chain *chain = find_chain(x, a->chain);
	const bool memory = memprof_in_memory(x->m, a);
	const char *cgroup = memprof_cgroup(x->m, a->thread, a->time_ns);
	struct pprof_frame frames[PPROF_MAX_DEPTH];
	char cpu[16], node[16], home[16];
	unsigned int n = 0;

	if (!o || !site || !chain)
		return -1;
	frames[n++] = (struct pprof_frame){ site->name, site->file, site->line };
	if (o->type == MEMPROF_DYNAMIC && *site->function && strcmp(site->function, site->name))
		frames[n++] = (struct pprof_frame){ site->function, site->file, site->line };
	memcpy(frames + n, chain->frames, chain->depth * sizeof(*frames));
	snprintf(cpu, sizeof(cpu), "%u", a->cpu);
	snprintf(node, sizeof(node), "%d", a->node);
	snprintf(home, sizeof(home), "%d", a->home);
	const struct pprof_label labels[] = {
		{ "host", *x->host ? x->host : NULL }, { "cpu", cpu }, { "node", a->node < 0 ? NULL : node },
		{ "memory_node", a->home < 0 ? NULL : home }, { "level", level_of(a) },
		{ "op", op_of(a) },
		{ "cgroup", *cgroup ? cgroup : NULL },
		{ "object", memprof_type_name(o->type) },
		{ "comm", thread && *thread->name ? thread->name : NULL },
	};
	const int64_t values[] = { 1, a->latency, memory && memprof_is_remote(a), memory ? LINE_BYTES : 0 };

	pprof_add(x->p, &(struct pprof_sample){ frames, n + chain->depth, labels,
						 sizeof(labels) / sizeof(*labels), values });
	return 0;
}

static void host_of(const struct memprof *m, char *host, size_t size)
{
	json_t *meta = json_loads(memprof_meta(m), 0, NULL);
	const char *name = json_string_value(json_object_get(meta, "host"));

	snprintf(host, size, "%s", name ? name : "");
	json_decref(meta);
}

/* Return OK or FAILED, with @out closed. */
static int write_profile(struct profile *x, struct outfile *out)
{
	struct memprof_access a;
	int failed = 0;
	size_t k;

	for (k = 0; !failed && k < memprof_nr_accesses(x->m); k++) {
		memprof_access(x->m, k, &a);
		failed = add_access(x, &a);
	}
	pprof_times(x->p, 0, memprof_totals(x->m)->duration_ns);
	errno = 0;
	failed = failed ? 1 : pprof_write(x->p, NULL, out->f);
	if (failed <= 0)
		return outfile_close(out, failed);
	outfile_drop(out);
	return complain(FAILED, "no memory left");
}

/* OK, or FAILED after saying that there is nothing to write. */
static int check_accesses(const struct memprof *m, const struct common *common, const char *path)
{
	if (common_matches(m, common, memprof_nr_accesses(m)))
		return FAILED;
	return memprof_nr_accesses(m) ? OK :
	       complain(FAILED, "%s: no accesses in the recording", path ? path : DEFAULT_FILE);
}

/**
 * export_pprof() - write the accesses as a profile of pprof
 * @common: which accesses
 * @path: the recording; NULL: the default
 * @output: the file to write; NULL: standard output
 *
 * Return: OK, or FAILED with a message printed.
 */
int export_pprof(struct common *common, const char *path, const char *output)
{
	static const struct pprof_type types[] = {
		{ "accesses", "count" }, { "latency", "cycles" }, { "remote", "count" }, { "bytes", "bytes" },
	};
	int damaged, failed = FAILED;
	struct profile x = { .m = common_open(path, common, &damaged) };
	struct outfile out;

	if (!x.m)
		return FAILED;
	host_of(x.m, x.host, sizeof(x.host));
	x.p = pprof_new(types, sizeof(types) / sizeof(*types));
	if (!x.p)
		complain(FAILED, "no memory left");
	else if (!check_accesses(x.m, common, path) && !outfile_open(&out, output))
		failed = write_profile(&x, &out);
	free_chains(&x);
	pprof_free(x.p);
	memprof_close(x.m);
	return failed || damaged ? FAILED : OK;
}

/** export_openmetrics() - write shares of levels and nodes as OpenMetrics; as export_pprof() */
int export_openmetrics(struct common *common, const char *path, const char *output)
{
	struct metrics metrics = { .list = memprof_metrics };
	int damaged, failed = FAILED;
	struct memprof *m = common_open(path, common, &damaged);
	struct outfile out;
	char host[256];

	if (!m)
		return FAILED;
	host_of(m, host, sizeof(host));
	if (!common_matches(m, common, memprof_nr_accesses(m)) && !outfile_open(&out, output)) {
		metrics_of_memprof(&metrics, m, host);
		failed = metrics_write(&metrics, &out);
	}
	memprof_close(m);
	return failed || damaged ? FAILED : OK;
}

/** export_pcp() - write the same as an archive of Performance Co-Pilot, named @output; as export_pprof() */
int export_pcp(struct common *common, const char *path, const char *output, const struct pcp_options *pcp)
{
	struct metrics metrics = { .list = memprof_metrics };
	struct pcp_options o = *pcp;
	struct memprof *m;
	uint64_t end;
	int damaged, failed;
	char host[256];

	if (pcp_check_output(output))
		return USAGE;
	m = common_open(path, common, &damaged);
	if (!m)
		return FAILED;
	host_of(m, host, sizeof(host));
	o.host = o.host ? o.host : host;
	failed = common_matches(m, common, memprof_nr_accesses(m));
	if (!failed) {
		metrics_of_memprof(&metrics, m, host);
		end = common->what.from_ns + memprof_totals(m)->duration_ns;
		failed = pcp_write_summary(&o, path ? path : DEFAULT_FILE, output, end,
					   memprof_totals(m)->recorded_ns, &metrics);
	}
	memprof_close(m);
	return failed || damaged ? FAILED : OK;
}

/* On the track of its thread.  Return 0, or -1 without memory. */
static int add_to_track(struct perfetto *p, struct memprof *m, const struct memprof_access *a)
{
	const struct memprof_site *site = memprof_object_site(m, a->object);
	const struct memprof_thread *t = memprof_thread(m, a->thread);
	const char *code = memprof_frame(m, a->chain, 0);

	if (!site || !t)
		return -1;
	perfetto_add(p, &(struct perfetto_sample){
		.name = strcmp(site->name, "?") ? site->name : site->function, .ns = a->time_ns, .pid = t->pid, .tid = t->tid,
		.args = (const struct perfetto_arg[]){
			{ "op", op_of(a) }, { "level", level_of(a) }, { "latency_cycles", NULL, a->latency },
			{ "code", code ? code : "" }, { "cpu", NULL, a->cpu }, { "node", NULL, a->node },
			{ "memory_node", NULL, a->home }, { } } });
	return p->no_memory ? -1 : 0;
}

/* Return OK or FAILED, with @out closed. */
static int write_tracks(struct memprof *m, struct outfile *out)
{
	struct perfetto p;
	struct memprof_access a;
	char host[256];
	int failed = 0;
	size_t k;

	host_of(m, host, sizeof(host));
	errno = 0;
	perfetto_begin(&p, out->f, host);
	for (k = 0; k < memprof_nr_threads(m); k++) {
		const struct memprof_thread *t = memprof_thread(m, k);

		if (*t->name)
			perfetto_name_thread(&p, t->pid, t->tid, t->name);
	}
	for (k = 0; !failed && k < memprof_nr_accesses(m); k++) {
		memprof_access(m, k, &a);
		failed = add_to_track(&p, m, &a);
	}
	perfetto_end(&p);
	if (!failed && !p.no_memory)
		return outfile_close(out, ferror(out->f));
	outfile_drop(out);
	return complain(FAILED, "no memory left");
}

/** export_perfetto() - write accesses as trace events, on a track for each thread; as export_pprof() */
int export_perfetto(struct common *common, const char *path, const char *output)
{
	int damaged, failed = FAILED;
	struct memprof *m = common_open(path, common, &damaged);
	struct outfile out;

	if (!m)
		return FAILED;
	if (!check_accesses(m, common, path) && !outfile_open(&out, output))
		failed = write_tracks(m, &out);
	memprof_close(m);
	return failed || damaged ? FAILED : OK;
}
