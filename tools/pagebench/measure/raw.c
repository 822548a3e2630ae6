// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * raw.csv, the results as they were measured: only ever added to.
 *
 * The rows of an execution are written when it has ended, with one write, and
 * its last row says so (metric "end").  What stands behind the last such row is
 * what was written when the disk was full or the machine died; the next run
 * removes it.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "lib/csv/line.h"
#include "pagealloc/cli.h"
#include "raw.h"

/* What stands for a file of the system that the machine does not have. */
#define NO_FACT "none"

/* Of a machine that has no such file, it is empty; else not to read it would say something else. */
static int read_fact(const char *path, char *text, size_t size)
{
	const int err = system_read(path, text, size);

	return !err || err == -ENOENT || err == -EACCES ? OK : complain(FAILED, "%s: %s", path, strerror(-err));
}

/* What of the header must be the same when rows are added. */
static int add_machine(FILE *f, const char *no_fact)
{
	static const char *const files[][2] = {
		{ "color_function", "/sys/kernel/mm/page_hint/color_function" },
	};
	char text[1024], *model, *end;
	struct utsname u;
	size_t i;

	uname(&u);
	fprintf(f, "# kernel: %s %s\n", u.release, u.version);
	if (read_fact("/proc/cpuinfo", text, sizeof(text)))
		return FAILED;
	model = strstr(text, "model name\t: ");
	end = model ? strchr(model, '\n') : NULL;
	if (end)
		fprintf(f, "# cpu: %.*s\n", (int)(end - model - 13), model + 13);
	for (i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		if (read_fact(files[i][1], text, sizeof(text)))
			return FAILED;
		text[strcspn(text, "\n")] = '\0';
		fprintf(f, "# %s: %s\n", files[i][0], *text ? text : no_fact);
	}
	return OK;
}

/* Everything before the first row. */
static char *header(const struct suite *s, const char *no_fact)
{
	char *text = NULL;
	size_t size, i, j;
	FILE *f = open_memstream(&text, &size);
	int failed;

	if (!f)
		return NULL;
	fprintf(f, RAW_MAGIC "\n# suite: %s\n", s->name);
	failed = add_machine(f, no_fact);
	fprintf(f, "# pagealloc: " MEMSCOPE_VERSION "\n# seed: %llu\n# boots: %llu\n"
		"# aging_bytes: %llu\n", (unsigned long long)s->seed,
		(unsigned long long)s->boots, (unsigned long long)s->aging_bytes);
	for (i = 0; i < s->nr_strategies; i++) {
		fprintf(f, "# strategy %s:", s->strategies[i].name);
		for (j = 0; j < s->strategies[i].options.nr; j++)
			fprintf(f, " %s", s->strategies[i].options.word[j]);
		fputs(j ? "\n" : " none\n", f);
	}
	for (i = 0; i < s->nr_programs; i++)
		fprintf(f, "# caches %s: %s\n", s->programs[i].name,
			s->programs[i].caches == CACHES_EMPTY ? "empty" : "keep");
	fputs(RAW_HEADER "\n", f);
	if (fclose(f) || failed) {
		free(text);
		return NULL;
	}
	return text;
}

/*
 * All of it or nothing.  At a place that we know, not with O_APPEND: a file system
 * between guest and host (9p) would write cached pages again, at its end.
 */
static int write_whole(struct raw *raw, const char *text, size_t size)
{
	ssize_t n = pwrite(raw->fd, text, size, raw->end);
	int err = n < 0 ? errno : ENOSPC;

	if (n == (ssize_t)size && !fdatasync(raw->fd)) {
		raw->end += size;
		return OK;
	}
	if (n == (ssize_t)size)
		err = errno;
	complain(FAILED, "%s: %s", raw->path, strerror(err));
	if (ftruncate(raw->fd, raw->end))
		complain(FAILED, "%s: what was written of it stays: %s", raw->path, strerror(errno));
	return FAILED;
}

/**
 * raw_split() - the columns of a row
 * @line: without its newline; commas become ends
 * @column: RAW_COLUMNS of them
 *
 * Return: how many there are.
 */
size_t raw_split(char *line, char *column[RAW_COLUMNS])
{
	size_t n = 0;

	while (line && n < RAW_COLUMNS)
		column[n++] = strsep(&line, ",");
	return line ? RAW_COLUMNS + 1 : n;
}

static void mark_done(struct plan *plan, char **column)
{
	uint64_t execution = strtoull(column[RAW_EXECUTION], NULL, 10);
	struct plan_entry *e;
	size_t i;

	for (i = 0; i < plan->nr; i++) {
		e = &plan->entry[i];
		if (e->execution != execution)
			continue;
		if (!e->program) {
			e->done |= !strcmp(column[RAW_BENCHMARK], "canary");
			continue;
		}
		e->done |= !strcmp(column[RAW_BENCHMARK], e->program->name) &&
			   !strcmp(column[RAW_CONFIG], e->config->name) &&
			   !strcmp(column[RAW_STRATEGY], e->strategy->name);
	}
}

/* Reads the rows there are.  @whole: where the last whole execution ends. */
static int read_rows(struct raw *raw, FILE *f, struct plan *plan, off_t *whole)
{
	char *column[RAW_COLUMNS], *line = NULL;
	unsigned long long phase;
	ssize_t n = 0;
	int ret = OK;

	while (!ret && (n = line_get(&line, f)) > 0) {
		if (line[n - 1] != '\n')
			break;
		line[n - 1] = '\0';
		if (raw_split(line, column) != RAW_COLUMNS) {
			ret = complain(FAILED, "%s: byte %lld: not a row of results", raw->path,
				       (long long)(ftello(f) - n));
			break;
		}
		phase = strtoull(column[RAW_PHASE], NULL, 10);
		if (strtoull(column[RAW_BOOT], NULL, 10) == raw->boot && phase >= raw->phases)
			raw->phases = phase + 1;
		if (!strcmp(column[RAW_METRIC], "end")) {
			mark_done(plan, column);
			*whole = ftello(f);
		}
	}
	/* What was not read is not taken for an execution that was interrupted, and removed. */
	if (!ret && n < 0)
		ret = complain(FAILED, "%s: %s", raw->path, strerror(errno));
	free(line);
	return ret;
}

/* @old has room for @head. */
static int begins_with(FILE *f, const char *head, char *old)
{
	size_t n = strlen(head);

	rewind(f);
	return fread(old, 1, n, f) == n && !memcmp(old, head, n);
}

/* Results are there: of the same suite, on the same system? */
static int read_old(struct raw *raw, struct plan *plan, const char *head)
{
	/* Results of before have nothing where NO_FACT is now. */
	char *before = header(raw->suite, ""), *old = malloc(strlen(head) + 1);
	off_t whole = strlen(head), size = lseek(raw->fd, 0, SEEK_END);
	int fd = dup(raw->fd), ret = OK;
	FILE *f = fd >= 0 ? fdopen(fd, "r") : NULL;

	if (!f || !old || !before) {
		ret = complain(FAILED, "%s: %s", raw->path, strerror(errno));
		if (!f && fd >= 0)
			close(fd);
	} else if (!begins_with(f, head, old)) {
		whole = strlen(before);
		if (!begins_with(f, before, old))
			ret = complain(FAILED, "%s: measured on another system, or with another version:"
				       " its beginning would now be:\n%s", raw->path, head);
	}
	if (!ret)
		ret = read_rows(raw, f, plan, &whole);
	if (!ret && whole < size) {
		complain(OK, "%s: the last %lld bytes are of an execution that is not whole:"
			 " removed", raw->path, (long long)(size - whole));
		if (ftruncate(raw->fd, whole))
			ret = complain(FAILED, "%s: %s", raw->path, strerror(errno));
	}
	raw->end = whole;
	if (f)
		fclose(f);
	free(old);
	free(before);
	return ret;
}

/* The copy of the suite says what the results are of. */
static int keep_suite(struct raw *raw, const char *dir, int have_rows)
{
	const struct suite *s = raw->suite;
	char *old = malloc(s->size + 1), *path = NULL;
	struct outfile out;
	int fd = openat(raw->dir, "suite.ini", O_RDONLY | O_CLOEXEC), ret = OK;
	ssize_t n;

	if (!old || asprintf(&path, "%s/suite.ini", dir) < 0) {
		ret = complain(FAILED, "%s: no memory left", dir);
	} else if (fd >= 0) {
		n = read(fd, old, s->size + 1);
		if (n != (ssize_t)s->size || memcmp(old, s->text, n))
			ret = complain(FAILED, "%s: results of another suite, or of this one before"
				       " it was changed (%s); take another directory", dir, path);
	} else if (errno != ENOENT || have_rows) {
		ret = complain(FAILED, "%s: %s", path, strerror(errno));
	} else {
		ret = outfile_open(&out, path);
		if (!ret)
			ret = outfile_close(&out, fwrite(s->text, 1, s->size, out.f) != s->size);
	}
	if (fd >= 0)
		close(fd);
	free(path);
	free(old);
	return ret;
}

/**
 * raw_open() - begin a directory of results, or go on with one
 * @raw: close with raw_close(), also after a failure
 * @dir: the directory; made if it is not there
 * @suite: what is measured; a copy is kept in the directory
 * @boot: which boot
 * @plan: what there is of it already is marked as done
 *
 * Return: OK, or FAILED after saying why; results are never overwritten.
 */
int raw_open(struct raw *raw, const char *dir, const struct suite *suite, uint64_t boot,
	     struct plan *plan)
{
	char *head = header(suite, NO_FACT);
	struct stat st;
	int ret = OK;

	*raw = (struct raw){ .dir = -1, .fd = -1, .suite = suite, .boot = boot };
	if (!head || asprintf(&raw->path, "%s/raw.csv", dir) < 0) {
		raw->path = NULL;
		free(head);
		return complain(FAILED, "%s: its beginning cannot be written", dir);
	}
	if (mkdir(dir, 0777) && errno != EEXIST)
		ret = complain(FAILED, "%s: %s", dir, strerror(errno));
	if (!ret) {
		raw->dir = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (raw->dir < 0)
			ret = complain(FAILED, "%s: %s", dir, strerror(errno));
	}
	/* Another run into the same directory would make the same executions. */
	if (!ret && flock(raw->dir, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK)
		ret = complain(FAILED, "%s: another run writes there", dir);
	if (!ret)
		ret = keep_suite(raw, dir, !fstatat(raw->dir, "raw.csv", &st, 0));
	if (!ret) {
		raw->fd = openat(raw->dir, "raw.csv", O_RDWR | O_CREAT | O_CLOEXEC, 0666);
		if (raw->fd < 0 || fstat(raw->fd, &st))
			ret = complain(FAILED, "%s: %s", raw->path, strerror(errno));
	}
	if (!ret)
		ret = st.st_size ? read_old(raw, plan, head) : write_whole(raw, head, strlen(head));
	free(head);
	return ret;
}

static void add_row(FILE *f, const struct raw *raw, const struct plan_entry *e, size_t nr,
		    const struct measurement *m, const char *metric, double value)
{
	fprintf(f, "%s,%s,%s,%s,%llu,%llu,%llu,%zu,%d,%llu,%s,%s,%.17g\n", raw->suite->name,
		e->program ? e->program->name : "canary", e->program ? e->config->name : "-",
		e->program ? e->strategy->name : "default", (unsigned long long)raw->boot,
		(unsigned long long)e->block, (unsigned long long)e->execution, nr,
		m->warmup, m->phase, metric, metric_unit(metric), value);
}

/**
 * raw_add() - add the results of an execution
 * @raw: to these
 * @e: the execution
 * @m: its measurements, in order
 * @nr: how many, at least one
 *
 * Return: OK, or FAILED after saying why; nothing of it is there then.
 */
int raw_add(struct raw *raw, const struct plan_entry *e, const struct measurement *m, size_t nr)
{
	char *text = NULL;
	size_t size, i, j;
	FILE *f = open_memstream(&text, &size);
	struct measurement end = m[nr - 1];
	int ret;

	for (i = 0; f && i < nr; i++)
		for (j = 0; j < m[i].nr; j++)
			add_row(f, raw, e, i, &m[i], m[i].metric[j].name, m[i].metric[j].value);
	end.warmup = 0;
	if (f)
		add_row(f, raw, e, nr, &end, "end", nr);
	if (!f || fclose(f))
		ret = complain(FAILED, "%s: no memory left", raw->path);
	else
		ret = write_whole(raw, text, size);
	free(text);
	return ret;
}

/**
 * raw_close() - end with results
 * @raw: from raw_open()
 */
void raw_close(struct raw *raw)
{
	if (raw->fd >= 0)
		close(raw->fd);
	if (raw->dir >= 0)
		close(raw->dir);
	free(raw->path);
}
