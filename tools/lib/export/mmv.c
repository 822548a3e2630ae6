// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * Memory-mapped values of Performance Co-Pilot, by its libpcp_mmv: a value is published by
 * writing it to a mapped file, which pmcd's agent pmdammv reads when somebody asks.
 *
 * Instances are fixed when the file is made, so it is made anew when an instance comes that
 * it does not have.  One that is gone keeps its place with the value 0, until so many are gone
 * that a new file is smaller.  A new file is made under a name that pmdammv does not look at,
 * and takes the place of the old one when its values are in it: the library leaves them 0.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pcp/pmapi.h>
#include <pcp/mmv_stats.h>
#include <pcp/mmv_dev.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/complain.h"
#include "lib/hash.h"
#include "mmv.h"
#include "pcp_names.h"

#define LIBRARY		"libpcp_mmv.so.1"
/* Instances that are gone and still have a place in the file. */
#define MAX_GONE	256
/* pmdammv tells files apart by it. */
#define CLUSTER		245

/* A value of the file: of a metric, and of an instance of it if it has labels. */
struct place {
	struct { int metric; char name[PCP_NAME]; } key;
	bool used;			/* by the current values */
	pmAtomValue *at;
	UT_hash_handle hh;
};

struct mmv {
	void *library, *file;
	__typeof__(mmv_stats2_init) *init;
	__typeof__(mmv_stats_stop) *stop;
	__typeof__(mmv_lookup_value_desc) *lookup;
	const struct metric *list;
	/* Paths of the file, and of one that is being made. */
	char path[PATH_MAX], new_path[PATH_MAX];
	struct place *places;
	bool failing;			/* and it was said so */
};

/* Return FAILED; the message is printed once, until values are published again. */
__attribute__((format(printf, 2, 3)))
static int fail(struct mmv *v, const char *fmt, ...)
{
	char text[PATH_MAX + 256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (!v->failing)
		complain(FAILED, "values for Performance Co-Pilot: %s", text);
	v->failing = true;
	return FAILED;
}

static int load(struct mmv *v, const char *name)
{
	__typeof__(pmGetConfig) *config;
	const char *directory;

	v->library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
	if (!v->library)
		return complain(FAILED, "%s: not found: values for Performance Co-Pilot need Debian's libpcp-mmv1",
				LIBRARY);
	v->init = (__typeof__(v->init))dlsym(v->library, "mmv_stats2_init");
	v->stop = (__typeof__(v->stop))dlsym(v->library, "mmv_stats_stop");
	v->lookup = (__typeof__(v->lookup))dlsym(v->library, "mmv_lookup_value_desc");
	config = (__typeof__(config))dlsym(v->library, "pmGetConfig");
	if (!v->init || !v->stop || !v->lookup || !config)
		return complain(FAILED, "%s: too old: mmv_stats2_init, mmv_stats_stop, mmv_lookup_value_desc or pmGetConfig is missing",
				LIBRARY);
	directory = config("PCP_TMP_DIR");
	if (snprintf(v->path, sizeof(v->path), "%s/mmv/%s", directory, name) >= (int)sizeof(v->path) ||
	    snprintf(v->new_path, sizeof(v->new_path), "%s/mmv/.%s", directory, name) >= (int)sizeof(v->new_path))
		return complain(FAILED, "%s/mmv/%s: %s", directory, name, strerror(ENAMETOOLONG));
	return OK;
}

/**
 * mmv_begin() - begin to publish; the file is made with the first values
 * @name: name of the file; metrics are mmv.*, with the first word of their own name
 * @list: the metrics
 *
 * Return: what mmv_end() frees, or NULL with a message printed.
 */
struct mmv *mmv_begin(const char *name, const struct metric *list)
{
	struct mmv *v = calloc(1, sizeof(*v));

	if (!v)
		complain(FAILED, "no memory left");
	if (!v || load(v, name)) {
		free(v);
		return NULL;
	}
	v->list = list;
	return v;
}

static void forget(struct mmv *v)
{
	struct place *p, *next;

	HASH_ITER(hh, v->places, p, next) {
		HASH_DEL(v->places, p);
		free(p);
	}
}

static struct place *find(struct mmv *v, const struct metric_value *value)
{
	struct place key = { .key.metric = value->metric }, *p;

	if (v->list[value->metric].labels[0])
		pcp_instance_name(value, key.key.name);
	HASH_FIND(hh, v->places, &key.key, sizeof(key.key), p);
	return p;
}

/* Mark the places that have a value.  Return: whether each value has a place, and few are gone. */
static bool fits(struct mmv *v, const struct metrics *m)
{
	unsigned int used = 0;
	struct place *p;
	bool all = true;
	size_t i;

	for (p = v->places; p; p = p->hh.next)
		p->used = false;
	for (i = 0; i < m->nr; i++) {
		p = find(v, &m->values[i]);
		all &= !!p;
		used += p && !p->used;
		if (p)
			p->used = true;
	}
	if (HASH_COUNT(v->places) - used <= MAX_GONE)
		return all;
	forget(v);
	return false;
}

/* Return 0, or -1 if out of memory. */
static int add_place(struct mmv *v, const struct metric_value *value)
{
	struct place *p;

	if (find(v, value))
		return 0;
	p = calloc(1, sizeof(*p));
	if (!p)
		return -1;
	p->used = true;
	p->key.metric = value->metric;
	if (v->list[value->metric].labels[0])
		pcp_instance_name(value, p->key.name);
	HASH_ADD(hh, v->places, key, sizeof(p->key), p);
	return 0;
}

/* The metrics that have values, and their instances, as the library wants them. */
struct layout {
	mmv_metric2_t *metrics;
	mmv_indom2_t *indoms;
	mmv_instances2_t *instances;
	char (*names)[PCP_NAME];
	int nr_metrics, nr_indoms, nr_instances;
};

static void add_metric(const struct mmv *v, struct layout *l, int metric)
{
	const struct metric *d = &v->list[metric];
	mmv_indom2_t *indom = &l->indoms[l->nr_indoms];
	const struct place *p;
	int first = l->nr_instances;

	for (p = v->places; p; p = p->hh.next)
		if (p->key.metric == metric)
			break;
	if (!p)
		return;
	pcp_metric_name(d, l->names[l->nr_metrics]);
	l->metrics[l->nr_metrics] = (mmv_metric2_t){
		.name = l->names[l->nr_metrics], .item = metric + 1, .type = pcp_type(d),
		.semantics = MMV_SEM_INSTANT, .dimension = pcp_units(d->unit),
		.indom = d->labels[0] ? (unsigned int)metric + 1 : MMV_INDOM_NULL, .shorttext = (char *)d->help,
	};
	l->nr_metrics++;
	if (!d->labels[0])
		return;
	for (; p; p = p->hh.next)
		if (p->key.metric == metric)
			l->instances[l->nr_instances++] = (mmv_instances2_t){ l->nr_instances - first, p->key.name };
	*indom = (mmv_indom2_t){
		.serial = metric + 1, .count = l->nr_instances - first, .instances = &l->instances[first],
		.shorttext = (char *)d->labels[0],
	};
	l->nr_indoms++;
}

/*
 * The library writes to the mapping of a file that has holes: where there is no room left, that kills.  Whether there
 * is room for all that a file of this layout has is tried before.  Return: 0, or an errno.
 */
static int try_reserve(struct mmv *v, const struct layout *l, size_t nr_values)
{
	const size_t strings = 2 * l->nr_metrics + l->nr_instances + l->nr_indoms;
	const size_t bytes = sizeof(mmv_disk_header_t) + 6 * sizeof(mmv_disk_toc_t) + l->nr_indoms * sizeof(mmv_disk_indom_t) +
		l->nr_instances * sizeof(mmv_disk_instance2_t) + l->nr_metrics * sizeof(mmv_disk_metric2_t) +
		nr_values * sizeof(mmv_disk_value_t) + strings * sizeof(mmv_disk_string_t);
	const int fd = open(v->new_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	int err;

	if (fd < 0)
		return errno;
	err = posix_fallocate(fd, 0, bytes);
	close(fd);
	unlink(v->new_path);
	/* Where the file system has none to give in advance, it may go wrong. */
	return err == EOPNOTSUPP || err == EINVAL ? 0 : err;
}

/* Make the new file of all places.  Return OK, or FAILED with a message printed. */
static int make_file(struct mmv *v)
{
	const size_t nr = HASH_COUNT(v->places) + 1;
	struct layout l = {
		.metrics = calloc(nr, sizeof(*l.metrics)), .indoms = calloc(nr, sizeof(*l.indoms)),
		.instances = calloc(nr, sizeof(*l.instances)), .names = calloc(nr, sizeof(*l.names)),
	};
	char name[PCP_NAME];
	void *file = NULL;
	struct place *p;
	int i, ret = OK;

	if (!l.metrics || !l.indoms || !l.instances || !l.names) {
		ret = fail(v, "no memory left");
	} else {
		for (i = 0; v->list[i].name; i++)
			add_metric(v, &l, i);
		errno = try_reserve(v, &l, nr);
		if (!errno)
			file = v->init(v->new_path, CLUSTER, MMV_FLAG_NOPREFIX | MMV_FLAG_PROCESS, l.metrics,
				       l.nr_metrics, l.indoms, l.nr_indoms);
		if (file)
			v->file = file;
		else
			ret = fail(v, "file %s: %s", v->path, errno ? strerror(errno) : "not made");
	}
	for (p = ret ? NULL : v->places; p; p = p->hh.next) {
		pcp_metric_name(&v->list[p->key.metric], name);
		p->at = v->lookup(v->file, name, v->list[p->key.metric].labels[0] ? p->key.name : NULL);
	}
	free(l.metrics);
	free(l.indoms);
	free(l.instances);
	free(l.names);
	return ret;
}

/*
 * Put the new file in the place of the old one, or NULL.
 * Return: OK, or FAILED with a message printed.
 */
static int show_file(struct mmv *v, mmv_disk_header_t *old)
{
	bool exchanged = old && !renameat2(AT_FDCWD, v->new_path, AT_FDCWD, v->path, RENAME_EXCHANGE);
	int ret;

	/* pmdammv reads a file anew if this changes; of the directory it compares seconds only. */
	if (old) {
		old->g2 = 0;
		v->stop(exchanged ? v->new_path : v->path, old);
	}
	/* Where files cannot be exchanged, there is none for a moment. */
	if (exchanged || !rename(v->new_path, v->path))
		return OK;
	ret = fail(v, "file %s: %s", v->path, strerror(errno));
	v->stop(v->new_path, v->file);
	v->file = NULL;
	return ret;
}

static void store(struct mmv *v, struct place *p, double value)
{
	if (!p->at)
		return;
	if (pcp_type(&v->list[p->key.metric]) == PM_TYPE_U64)
		p->at->ull = value > 0 ? value : 0;
	else
		p->at->d = value;
}

/**
 * mmv_publish() - publish values, and remove them from the metrics
 * @v: begun by mmv_begin()
 * @m: the values
 *
 * What fails may be tried again with the next values: no file is there meanwhile.
 *
 * Return: OK, or FAILED with a message printed, once until values are published again.
 */
int mmv_publish(struct mmv *v, struct metrics *m)
{
	int ret = m->no_memory ? fail(v, "no memory left") : OK;
	void *old = v->file;
	bool made = false;
	struct place *p;
	size_t i;

	if (!ret && (!fits(v, m) || !old)) {
		for (i = 0; !ret && i < m->nr; i++)
			if (add_place(v, &m->values[i]))
				ret = fail(v, "no memory left");
		ret = ret ? ret : make_file(v);
		made = !ret;
		/* Its values are not those of now. */
		if (ret && old)
			v->stop(v->path, old);
		if (ret)
			v->file = NULL;
	}
	for (i = 0; !ret && i < m->nr; i++)
		store(v, find(v, &m->values[i]), m->values[i].value);
	for (p = ret ? NULL : v->places; p; p = p->hh.next)
		if (!p->used)
			store(v, p, 0);
	if (made)
		ret = show_file(v, old);
	v->failing &= !!ret;
	metrics_clear(m);
	return ret;
}

/**
 * mmv_end() - end publishing, and remove the file
 * @v: begun by mmv_begin(), or NULL
 */
void mmv_end(struct mmv *v)
{
	if (!v)
		return;
	if (v->file)
		v->stop(v->path, v->file);
	forget(v);
	free(v);
}
