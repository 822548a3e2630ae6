// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * Archives of Performance Co-Pilot, by its libpcp_import.
 *
 * The library is loaded when an archive is written: it brings a dozen others, which every
 * run of a tool would have to load.  An archive is three files; they get their names when
 * they are complete.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <pcp/pmapi.h>
#include <pcp/import.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/complain.h"
#include "lib/hash.h"
#include "lib/options.h"
#include "pcp.h"
#include "pcp_names.h"

#define LIBRARY		"libpcp_import.so.1"
/* The domain of data that are no running agent's. */
#define DOMAIN		245

static const char * const suffixes[] = { "index", "meta", "0" };

#define NR_SUFFIXES	(int)(sizeof(suffixes) / sizeof(suffixes[0]))

/* An instance that has its number: of a metric, by its name. */
struct instance {
	struct { int metric; char name[PCP_NAME]; } key;
	UT_hash_handle hh;
};

struct pcp {
	void *library;
	__typeof__(pmiStart) *start;
	__typeof__(pmiEnd) *end;
	__typeof__(pmiSetHostname) *set_host;
	__typeof__(pmiSetTimezone) *set_timezone;
	__typeof__(pmiAddMetric) *add_metric;
	__typeof__(pmiAddInstance) *add_instance;
	__typeof__(pmiPutValue) *put_value;
	__typeof__(pmiPutText) *put_text;
	__typeof__(pmiWrite) *write;
	__typeof__(pmiID) *id;
	__typeof__(pmiInDom) *indom;
	__typeof__(pmiErrStr_r) *error;
	const struct metric *list;
	int cluster;
	struct instance *instances;
	char output[PATH_MAX], tmp[PATH_MAX];
	uint64_t defined;		/* a bit for each metric of @list, of which there are fewer */
	bool begun;
};

static const struct {
	const char *name;
	size_t at;
} functions[] = {
	{ "pmiStart", offsetof(struct pcp, start) }, { "pmiEnd", offsetof(struct pcp, end) },
	{ "pmiSetHostname", offsetof(struct pcp, set_host) },
	{ "pmiSetTimezone", offsetof(struct pcp, set_timezone) },
	{ "pmiAddMetric", offsetof(struct pcp, add_metric) },
	{ "pmiAddInstance", offsetof(struct pcp, add_instance) },
	{ "pmiPutValue", offsetof(struct pcp, put_value) }, { "pmiPutText", offsetof(struct pcp, put_text) },
	{ "pmiWrite", offsetof(struct pcp, write) }, { "pmiID", offsetof(struct pcp, id) },
	{ "pmiInDom", offsetof(struct pcp, indom) },
	{ "pmiErrStr_r", offsetof(struct pcp, error) },
};

static int load(struct pcp *p)
{
	size_t i;

	p->library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
	if (!p->library)
		return complain(FAILED, "%s: not found: archives of Performance Co-Pilot need Debian's libpcp-import1",
				LIBRARY);
	for (i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		void *function = dlsym(p->library, functions[i].name);

		if (!function)
			return complain(FAILED, "%s: no function %s", LIBRARY, functions[i].name);
		memcpy((char *)p + functions[i].at, &function, sizeof(function));
	}
	return OK;
}

/* Return OK, or FAILED with a message printed, for a status of the library. */
static int check(struct pcp *p, int status)
{
	char text[PMI_MAXERRMSGLEN] = "";

	if (status >= 0)
		return OK;
	return complain(FAILED, "%s: %s", p->output, p->error(status, text, sizeof(text)));
}

/* Archives of the tools can be merged: the metrics of each have numbers of their own. */
static int cluster_of(const struct metric *list)
{
	static const char * const tools[] = { "memref_", "dprof_", "memprof_" };
	int i, n = sizeof(tools) / sizeof(tools[0]);

	for (i = 0; i < n && strncmp(list->name, tools[i], strlen(tools[i])); i++)
		;
	return i;
}

static pmID metric_id(const struct pcp *p, int i)
{
	return p->id(DOMAIN, p->cluster, i + 1);
}

static pmInDom metric_indom(const struct pcp *p, int i)
{
	return p->indom(DOMAIN, p->cluster << 8 | (i + 1));
}

/* A metric is defined with its first value: those without one are not in the archive. */
static int define(struct pcp *p, int i)
{
	const struct metric *metric = &p->list[i];
	char name[PCP_NAME];
	int ret;

	if (p->defined & UINT64_C(1) << i)
		return OK;
	p->defined |= UINT64_C(1) << i;
	pcp_metric_name(metric, name);
	ret = check(p, p->add_metric(name, metric_id(p, i), pcp_type(metric),
				     metric->labels[0] ? metric_indom(p, i) : PM_INDOM_NULL,
				     PM_SEM_INSTANT, pcp_units(metric->unit)));
	return ret ? ret : check(p, p->put_text(PM_TEXT_PMID, PM_TEXT_ONELINE, metric_id(p, i), metric->help));
}

/* The library prints why it cannot create a file: find out before. */
static int try_file(const struct pcp *p)
{
	char path[PATH_MAX + 8];
	int fd;

	snprintf(path, sizeof(path), "%s.meta", p->tmp);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (fd < 0)
		return complain(FAILED, "%s: %s", p->output, strerror(errno));
	close(fd);
	unlink(path);
	return OK;
}

/**
 * pcp_open() - begin an archive
 * @output: its name: OUTPUT.meta, OUTPUT.index and OUTPUT.0 are written
 * @host: name of the machine
 * @list: the metrics
 *
 * Return: the archive, to be ended by pcp_close(), or NULL with a message printed.
 */
struct pcp *pcp_open(const char *output, const char *host, const struct metric *list)
{
	struct pcp *p = calloc(1, sizeof(*p));

	if (!p) {
		complain(FAILED, "no memory left");
		return NULL;
	}
	p->list = list;
	p->cluster = cluster_of(list);
	snprintf(p->output, sizeof(p->output), "%s", output);
	if (snprintf(p->tmp, sizeof(p->tmp), "%s.tmp%d", output, getpid()) >= (int)sizeof(p->tmp) - 8) {
		complain(FAILED, "%s: name too long", output);
	} else if (!load(p) && !try_file(p)) {
		p->begun = p->start(p->tmp, 0) >= 0;
		if (p->begun && !check(p, p->set_host(*host ? host : "unknown")) &&
		    !check(p, p->set_timezone("UTC")))
			return p;
	}
	pcp_close(p, 1);
	return NULL;
}

/* The instance that the labels of a value name.  Return: OK, or FAILED with a message printed. */
static int find_instance(struct pcp *p, const struct metric_value *v, char *name)
{
	struct instance key = { .key.metric = v->metric }, *i;

	pcp_instance_name(v, key.key.name);
	strcpy(name, key.key.name);
	HASH_FIND(hh, p->instances, &key.key, sizeof(key.key), i);
	if (i)
		return OK;
	i = calloc(1, sizeof(*i));
	if (!i)
		return complain(FAILED, "no memory left");
	i->key = key.key;
	HASH_ADD(hh, p->instances, key, sizeof(i->key), i);
	return check(p, p->add_instance(metric_indom(p, v->metric), name, HASH_COUNT(p->instances)));
}

/**
 * pcp_write() - add values to the archive, and remove them from the metrics
 * @p: the archive
 * @m: the values
 * @time_ns: when they were, in ns since 1970
 *
 * Return: OK, or FAILED with a message printed.
 */
int pcp_write(struct pcp *p, struct metrics *m, uint64_t time_ns)
{
	char name[PCP_NAME], instance[PCP_NAME], value[64];
	int ret = m->no_memory ? complain(FAILED, "no memory left") : OK;
	size_t i;

	for (i = 0; !ret && i < m->nr; i++) {
		const struct metric_value *v = &m->values[i];
		const struct metric *metric = &m->list[v->metric];

		pcp_metric_name(metric, name);
		snprintf(value, sizeof(value), pcp_type(metric) == PM_TYPE_U64 ? "%.0f" : "%.17g", v->value);
		ret = define(p, v->metric);
		if (!ret && metric->labels[0])
			ret = find_instance(p, v, instance);
		if (!ret)
			ret = check(p, p->put_value(name, metric->labels[0] ? instance : NULL, value));
	}
	metrics_clear(m);
	return ret ? ret : check(p, p->write(time_ns / 1000000000, time_ns % 1000000000 / 1000));
}

/**
 * pcp_close() - end an archive
 * @p: the archive
 * @failed: it is incomplete: remove it
 *
 * Return: OK, or FAILED with a message printed unless @failed.
 */
int pcp_close(struct pcp *p, int failed)
{
	char from[PATH_MAX + 8], to[PATH_MAX + 8];
	struct instance *i, *next;
	int s;

	if (p->begun && p->end() < 0 && !failed)
		failed = complain(FAILED, "%s: not written", p->output);
	for (s = 0; p->begun && s < NR_SUFFIXES; s++) {
		snprintf(from, sizeof(from), "%s.%s", p->tmp, suffixes[s]);
		snprintf(to, sizeof(to), "%s.%s", p->output, suffixes[s]);
		if (failed)
			unlink(from);
		else if (outfile_rename(from, to))
			failed = complain(FAILED, "%s: %s", to, strerror(errno));
	}
	HASH_ITER(hh, p->instances, i, next) {
		HASH_DEL(p->instances, i);
		free(i);
	}
	free(p);
	return failed ? FAILED : OK;
}

/** pcp_check_output() - check the name of an archive.  Return: OK, or USAGE with a message printed */
int pcp_check_output(const char *output)
{
	if (output && strcmp(output, "-"))
		return OK;
	return wrong_usage("-o OUTPUT is missing: an archive is three files");
}

/**
 * pcp_write_summary() - write an archive of one record, at the end of a recording or a part of it
 * @o: host and time; the host is set
 * @path: the recording
 * @output: name of the archive
 * @end_ns: end of the part, since the recording began
 * @length_ns: length of the recording
 * @m: the values; removed
 *
 * Return: OK, or FAILED with a message printed.
 */
int pcp_write_summary(const struct pcp_options *o, const char *path, const char *output, uint64_t end_ns,
		      uint64_t length_ns, struct metrics *m)
{
	struct stat st = { 0 };
	uint64_t begin_ns, modified_ns;
	struct pcp *p;

	if (!o->begin_ns && stat(path, &st)) {
		metrics_clear(m);
		return complain(FAILED, "%s: %s", path, strerror(errno));
	}
	p = pcp_open(output, o->host, m->list);
	if (!p) {
		metrics_clear(m);
		return FAILED;
	}
	begin_ns = o->begin_ns;
	if (!begin_ns) {
		modified_ns = st.st_mtim.tv_sec * UINT64_C(1000000000) + st.st_mtim.tv_nsec;
		/* An archiver may have set it to 1970. */
		begin_ns = modified_ns > length_ns ? modified_ns - length_ns : 0;
	}
	return pcp_close(p, pcp_write(p, m, begin_ns + end_ns));
}
