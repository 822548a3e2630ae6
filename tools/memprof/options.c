// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Options that verbs share: which part of a recording, what of a view. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/numbers.h"
#include "lib/perf/perf_data.h"
#include "memprof/import/sink.h"
#include "memprof_cli.h"
#include "options.h"

/** common_time() - the argument of --from or --until.  Return: OK, or USAGE after saying why. */
int common_time(const struct opt *o, const char *value)
{
	double seconds;

	if (parse_time(value, "s", &seconds))
		return wrong_usage("--%s %s: not a time such as 250ms or 1.5s", o->name, value);
	*(uint64_t *)o->to = llround(seconds * 1e9);
	/* 0 is no limit. */
	if (!strcmp(o->name, "until") && !*(uint64_t *)o->to)
		return wrong_usage("--until %s: not a time above 0", value);
	return OK;
}

static int add_wrapper(struct wrapper_names *w, const char *name)
{
	if (w->nr == MAX_WRAPPERS)
		return wrong_usage("--wrapper: more than %d", MAX_WRAPPERS);
	w->names[w->nr++] = name;
	return OK;
}

/* A name a line; blank ones and those that begin with # are none. */
static int read_wrappers(struct wrapper_names *w, const char *path)
{
	char line[1024], *name, *end;
	FILE *f = fopen(path, "re");
	int ret = OK;

	if (!f)
		return wrong_usage("--wrapper @%s: %s", path, strerror(errno));
	while (!ret && fgets(line, sizeof(line), f)) {
		name = line + strspn(line, " \t");
		end = name + strcspn(name, "\r\n");
		while (end > name && strchr(" \t", end[-1]))
			end--;
		*end = '\0';
		if (!*name || *name == '#')
			continue;
		/* Kept until the program ends, as arguments are. */
		name = strdup(name);
		ret = name ? add_wrapper(w, name) : complain(FAILED, "no memory left");
	}
	if (!ret && ferror(f))
		ret = wrong_usage("--wrapper @%s: %s", path, strerror(errno));
	fclose(f);
	return ret;
}

/** common_wrapper() - the argument of --wrapper.  Return: OK, or after saying why not */
int common_wrapper(const struct opt *o, const char *value)
{
	return *value == '@' ? read_wrappers(o->to, value + 1) : add_wrapper(o->to, value);
}

/* How a recording is read, --symfs and --memory, is for all views. */
const struct opt_only common_only[] = {
	{ "wrapper", "objects|flow|lines" },
	{ "object", "flow" },
	{ "thread", "flow" },
	{ "site", "objects" },
	{ "instances", "objects" },
	{ "top", "objects|threads|flow|lines" },
	{ "all", "flow|nodes|lines" },
	{ }
};

/** common_check_options() - do they go together?  Return: OK, or USAGE after saying why not */
int common_check_options(const struct common *c)
{
	if (c->what.to_ns && c->what.from_ns >= c->what.to_ns)
		return wrong_usage("--from %g --until %g: no time is between them",
				   c->what.from_ns / 1e9, c->what.to_ns / 1e9);
	if (c->view.object != NO_NUMBER && c->view.thread != NO_NUMBER)
		return wrong_usage("--object and --thread: give one of them");
	return OK;
}

/** unnamed_file() - a file that is gone when it is closed.  Return: its descriptor, or -1 after saying why */
int unnamed_file(void)
{
	const char *dir = getenv("TMPDIR");
	char path[4096];
	int fd;

	snprintf(path, sizeof(path), "%s/memprof.XXXXXX", dir && *dir ? dir : "/var/tmp");
	fd = mkostemp(path, O_CLOEXEC);
	if (fd < 0)
		complain(FAILED, "%s: %s", path, strerror(errno));
	else
		unlink(path);
	return fd;
}

/** common_what() - what of a recording to read; its lists are those of @c */
struct memprof_options common_what(const struct common *c)
{
	struct memprof_options what = c->what;

	what.wrappers = c->wrappers.names;
	what.pids = c->pids.id;
	what.nr_pids = c->pids.nr;
	what.tids = c->tids.id;
	what.nr_tids = c->tids.nr;
	return what;
}

/* What perf recorded is read as a recording that is made of it. */
static struct memprof *open_perf(const char *path, const struct memprof_options *what, int *damaged, char *error,
				 size_t size)
{
	struct memprof *m = NULL;
	char copy[64];
	int fd = unnamed_file();

	*error = '\0';
	if (fd < 0)
		return NULL;
	snprintf(copy, sizeof(copy), "/proc/self/fd/%d", fd);
	*damaged = import_perf(path, path, copy);
	if (lseek(fd, 0, SEEK_END) > 0)
		m = memprof_open(copy, what, error, size);
	close(fd);
	return m;
}

/**
 * common_open() - open a recording, and say what is wrong with it
 * @path: of memprof record or perf record; NULL: the default
 * @c: what of it
 * @damaged: gets whether it is, and what could be read was
 *
 * Return: it, or NULL after saying why.
 */
struct memprof *common_open(const char *path, const struct common *c, int *damaged)
{
	const struct memprof_options what = common_what(c);
	struct memprof *m;
	char error[512];

	if (!path)
		path = DEFAULT_FILE;
	*damaged = 0;
	if (perf_data_is(path))
		m = open_perf(path, &what, damaged, error, sizeof(error));
	else
		m = memprof_open(path, &what, error, sizeof(error));
	if (!m) {
		if (*error)
			complain(FAILED, "%s", error);
	} else if (memprof_damage(m)) {
		*damaged = 1;
		complain(FAILED, "%s: %s; %lu samples and %lu events read", path, memprof_damage(m),
			 (unsigned long)memprof_totals(m)->samples,
			 (unsigned long)memprof_totals(m)->events);
	}
	return m;
}

/** common_check() - the object and the thread asked for exist.  Return: OK, or FAILED */
int common_check(const struct memprof *m, const struct common *c)
{
	if (c->view.object != NO_NUMBER && c->view.object >= memprof_totals(m)->objects)
		return complain(FAILED, "no access matches --object %u: there are %llu objects", c->view.object,
				(unsigned long long)memprof_totals(m)->objects);
	if (c->view.thread != NO_NUMBER && c->view.thread >= memprof_nr_threads(m))
		return complain(FAILED, "no access matches --thread %u: there are %zu threads", c->view.thread,
				memprof_nr_threads(m));
	return OK;
}

/* Of a flow that is chosen: does it have accesses, which caches answered? */
static bool has_cached(const struct memprof *m, const struct common *c)
{
	if (c->view.all || c->view.site)
		return false;
	if (c->view.thread != NO_NUMBER)
		return memprof_thread(m, c->view.thread)->accesses;
	return c->view.object != NO_NUMBER && memprof_object(m, c->view.object)->accesses;
}

/* The options that choose accesses, as they are written. */
static void print_choice(FILE *f, const struct common *c)
{
	if (c->what.from_ns)
		fprintf(f, " --from %g", c->what.from_ns / 1e9);
	if (c->what.to_ns)
		fprintf(f, " --until %g", c->what.to_ns / 1e9);
	if (c->pids.nr) {
		fprintf(f, " --pid ");
		pids_print(&c->pids, f);
	}
	if (c->tids.nr) {
		fprintf(f, " --tid ");
		pids_print(&c->tids, f);
	}
	if (c->view.object != NO_NUMBER)
		fprintf(f, " --object %u", c->view.object);
	if (c->view.thread != NO_NUMBER)
		fprintf(f, " --thread %u", c->view.thread);
	if (c->view.site)
		fprintf(f, " --site %s", c->view.site);
}

/**
 * common_matches() - do the options choose anything of a recording that has samples?
 * @m: the recording, behind common_doubt()
 * @c: the options
 * @rows: of the view
 *
 * Return: OK, or FAILED after saying which options match nothing.
 */
int common_matches(const struct memprof *m, const struct common *c, size_t rows)
{
	const bool part = c->what.from_ns || c->what.to_ns || c->pids.nr || c->tids.nr;
	const bool chosen = c->view.object != NO_NUMBER || c->view.thread != NO_NUMBER || c->view.site;
	char *choice = NULL;
	size_t size;
	FILE *f;

	if (!memprof_totals(m)->recorded || !((part && !memprof_totals(m)->accesses) || (chosen && !rows)))
		return OK;
	f = open_memstream(&choice, &size);
	if (!f)
		return complain(FAILED, "no memory left");
	print_choice(f, c);
	fclose(f);
	complain(FAILED, "no access%s matches%s%s", has_cached(m, c) ? " of main memory" : "", choice ? choice : "",
		 has_cached(m, c) ? ": --all shows those that caches answered" : "");
	free(choice);
	return FAILED;
}

/** common_doubt_add() - look at an access while the recording is read: see common_doubt() */
void common_doubt_add(struct common *c, const struct memprof_access *a)
{
	plausible_add(&c->plausible, &(struct plausible_sample){
		.addr = a->address, .level = a->level,
		.memory = a->level == MEMPROF_RAM || a->level == MEMPROF_REMOTE_RAM,
		.remote = a->level == MEMPROF_REMOTE_RAM || a->level == MEMPROF_REMOTE_CACHE,
		.latency = a->latency });
}

/* Which of the accesses are in a mapping, by their objects. */
static void add_mappings(struct plausible *p, const struct memprof *m)
{
	size_t i;

	/* Where the recorder missed mappings, it says so. */
	if (memprof_totals(m)->lost_tasks)
		return;
	for (i = 0; i < memprof_nr_objects(m); i++) {
		const struct memprof_object *o = memprof_object(m, i);

		if (o->type == MEMPROF_UNKNOWN && !strncmp(o->symbol, "not mapped", strlen("not mapped")))
			p->unmapped += o->accesses;
		else if (o->type != MEMPROF_KERNEL)
			p->mapped += o->accesses;
	}
}

/**
 * common_doubt() - warn of a recording that cannot be true
 * @m: the recording
 * @path: its name, NULL: the default
 * @c: gets what cannot, "" if nothing is found
 */
void common_doubt(const struct memprof *m, const char *path, struct common *c)
{
	struct memprof_access a;
	size_t i;

	for (i = 0; i < memprof_nr_accesses(m); i++) {
		memprof_access(m, i, &a);
		common_doubt_add(c, &a);
	}
	add_mappings(&c->plausible, m);
	if (plausible_doubt(&c->plausible, memprof_nr_nodes(m), c->doubt, sizeof(c->doubt)))
		complain(FAILED, "%s: not plausible: %s", path ? path : DEFAULT_FILE, c->doubt);
}
