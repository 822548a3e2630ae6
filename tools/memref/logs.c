// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * Tables of intervals as they come, in files of a directory that are replaced when old.
 *
 * The rows of an interval are written at once, so that who reads a file meanwhile sees whole
 * rows, and a full disk leaves none of them.  Times are those of the clock when an interval is
 * written: it is set, and the machine sleeps, while CLOCK_MONOTONIC goes on or stands still.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libgen.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "logs.h"
#include "memref.h"

#define TIME_LENGTH	16	/* 20261125T093713Z */
/* Seconds by which names of files are ahead of the clock, at most, unless it was set. */
#define CLOCK_SLACK	3600

static const struct {
	enum columns_table table;
	const char *suffix;
} kinds[NR_LOGS] = {
	{ COLUMNS_INTERVALS, ".intervals.csv" }, { COLUMNS_SERVICES, ".services.csv" }, { COLUMNS_AGES, ".ages.csv" },
};

static uint64_t now_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * UINT64_C(1000000000) + t.tv_nsec;
}

static uint64_t offset_ns(void)
{
	return now_ns(CLOCK_REALTIME) - now_ns(CLOCK_MONOTONIC);
}

static void boot_id(char *text, size_t size)
{
	FILE *f = fopen("/proc/sys/kernel/random/boot_id", "re");

	if (!f || !fgets(text, size, f))
		*text = '\0';
	text[strcspn(text, "\n")] = '\0';
	if (f)
		fclose(f);
}

/* Return 0 if the directory can be written, or made; else -1 with errno set. */
static int may_write(const char *directory)
{
	char path[PATH_MAX];
	int ret = access(directory, W_OK | X_OK);

	if (!ret || errno != ENOENT)
		return ret;
	snprintf(path, sizeof(path), "%s", directory);
	return access(dirname(path), W_OK | X_OK);
}

/**
 * logs_begin() - begin to write; the directory and its files are made with the first rows
 * @l: its public fields are set
 *
 * Return: OK, or FAILED with a message printed.  logs_end() must follow either.
 */
int logs_begin(struct logs *l)
{
	char host[256] = "", boot[64];
	int i;

	for (i = 0; i < NR_LOGS; i++)
		l->log[i].fd = -1;
	if (may_write(l->directory))
		return complain(FAILED, "%s: %s", l->directory, strerror(errno));
	gethostname(host, sizeof(host) - 1);
	boot_id(boot, sizeof(boot));
	for (i = 0; i < NR_LOGS; i++) {
		struct log *log = &l->log[i];

		log->columns = columns_new(kinds[i].table, host, boot);
		log->rows = open_memstream(&log->text, &log->size);
		if (!log->columns || !log->rows)
			return complain(FAILED, "no memory left");
	}
	return OK;
}

static void name_of(time_t t, char name[TIME_LENGTH + 1])
{
	struct tm tm;

	strftime(name, TIME_LENGTH + 1, "%Y%m%dT%H%M%SZ", gmtime_r(&t, &tm));
}

/* Return: whether a file's name is one of ours. */
static bool is_log(const char *name)
{
	static const char form[] = "dddddddd-dddddd-";
	int i;

	for (i = 0; i < TIME_LENGTH; i++)
		if (form[i] == 'd' ? name[i] < '0' || name[i] > '9' : name[i] != (i == 8 ? 'T' : 'Z'))
			return false;
	for (i = 0; i < NR_LOGS; i++)
		if (!strcmp(name + TIME_LENGTH, kinds[i].suffix))
			return true;
	return false;
}

static int log_filter(const struct dirent *d)
{
	return is_log(d->d_name);
}

/* A file of the future is of a time when the clock was wrong: the first to go. */
static int by_age(const struct dirent **a, const struct dirent **b)
{
	char soon[TIME_LENGTH + 1];
	bool x, y;

	name_of(time(NULL) + CLOCK_SLACK, soon);
	x = strncmp((*a)->d_name, soon, TIME_LENGTH) > 0;
	y = strncmp((*b)->d_name, soon, TIME_LENGTH) > 0;
	return x != y ? y - x : strcmp((*a)->d_name, (*b)->d_name);
}

static bool is_open(const struct logs *l, const char *name)
{
	int i;

	for (i = 0; i < NR_LOGS; i++)
		if (l->log[i].fd >= 0 && !strcmp(l->log[i].name, name))
			return true;
	return false;
}

/* Remove the oldest files, so that with those that are begun now all have at most @l->keep bytes. */
static void remove_old(const struct logs *l)
{
	const uint64_t capacity = l->keep - NR_LOGS * l->file_size;
	struct dirent **names;
	uint64_t sum = 0;
	struct stat st;
	int i, nr, dir = open(l->directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	nr = dir < 0 ? 0 : scandir(l->directory, &names, log_filter, by_age);
	for (i = 0; i < nr; i++)
		if (!fstatat(dir, names[i]->d_name, &st, AT_SYMLINK_NOFOLLOW))
			sum += st.st_size;
	for (i = 0; i < nr; i++) {
		if (sum > capacity && !is_open(l, names[i]->d_name) &&
		    !fstatat(dir, names[i]->d_name, &st, AT_SYMLINK_NOFOLLOW) &&
		    !unlinkat(dir, names[i]->d_name, 0))
			sum -= st.st_size;
		free(names[i]);
	}
	if (nr > 0)
		free(names);
	if (dir >= 0)
		close(dir);
}

static void close_file(struct log *log)
{
	if (log->fd >= 0)
		close(log->fd);
	log->fd = -1;
}

/* Return 0, or -1 with errno set; nothing stays of rows that cannot be written whole. */
static int write_all(struct log *log, const char *text, size_t size)
{
	ssize_t n;
	size_t at;

	for (at = 0; at < size; at += n) {
		n = write(log->fd, text + at, size - at);
		if (n < 0 && errno == EINTR)
			n = 0;
		if (n < 0) {
			int error = errno;

			if (ftruncate(log->fd, log->written))
				close_file(log);
			errno = error;
			return -1;
		}
	}
	log->written += size;
	return 0;
}

/*
 * Its name is later than that of any file before, unless the clock was set back.  Return 0, or -1
 * with errno set.
 */
static int open_file(struct logs *l, int i)
{
	struct log *log = &l->log[i];
	char path[PATH_MAX], when[TIME_LENGTH + 1], *header = NULL;
	time_t t = time(NULL);
	size_t size;
	FILE *f;
	int ret;

	if (mkdir(l->directory, 0777) && errno != EEXIST)
		return -1;
	remove_old(l);
	if (t <= l->time && l->time - t < CLOCK_SLACK)
		t = l->time + 1;
	do {
		l->time = t++;
		name_of(l->time, when);
		snprintf(log->name, sizeof(log->name), "%s%s", when, kinds[i].suffix);
		if (snprintf(path, sizeof(path), "%s/%s", l->directory, log->name) >= (int)sizeof(path)) {
			errno = ENAMETOOLONG;
			return -1;
		}
		log->fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666);
	} while (log->fd < 0 && errno == EEXIST);
	if (log->fd < 0)
		return -1;
	log->written = 0;
	f = open_memstream(&header, &size);
	if (f)
		columns_print_header(kinds[i].table, f);
	ret = f && !fclose(f) ? write_all(log, header, size) : -1;
	free(header);
	if (!ret)
		return 0;
	/* No file without a header. */
	close_file(log);
	unlink(path);
	return -1;
}

/* Write what is complete.  Return 0, or -1 with errno set. */
static int write_rows(struct logs *l, int i)
{
	struct log *log = &l->log[i];
	int ret = 0;

	fflush(log->rows);
	if (!log->size)
		return 0;
	if (log->fd < 0)
		ret = open_file(l, i);
	if (!ret)
		ret = write_all(log, log->text, log->size);
	rewind(log->rows);
	if (log->fd >= 0 && log->written >= l->file_size)
		close_file(log);
	return ret;
}

/**
 * logs_new_files() - continue in new files
 * @l: the tables
 */
void logs_new_files(struct logs *l)
{
	int i;

	for (i = 0; i < NR_LOGS; i++)
		close_file(&l->log[i]);
}

/* Errors of files pass: the next interval is tried again. */
static void write_interval(struct logs *l)
{
	int i, ret = 0;

	/* Of intervals, each has a row. */
	fflush(l->log[0].rows);
	if (!l->log[0].size)
		return;
	for (i = 0; i < NR_LOGS; i++) {
		if (!write_rows(l, i))
			continue;
		ret = -1;
		if (!l->failing)
			complain(FAILED, "%s: %s; intervals are lost until it can be written", l->directory, strerror(errno));
		l->failing = true;
	}
	if (!ret && l->failing)
		complain(OK, "%s: is written again; %" PRIu64 " intervals were lost", l->directory, l->unwritten);
	l->intervals += !ret;
	l->unwritten += !!ret;
	l->failing = ret;
}

/**
 * logs_add() - add a row
 * @l: the tables
 * @row: the row
 *
 * Return: OK, or FAILED with a message printed if out of memory.
 */
int logs_add(struct logs *l, const struct row *row)
{
	const uint64_t offset = offset_ns();
	int i, ret = 0;

	for (i = 0; i < NR_LOGS; i++)
		ret |= columns_add(l->log[i].columns, row, offset, l->log[i].rows);
	if (ret)
		return complain(FAILED, "no memory left");
	write_interval(l);
	return OK;
}

/**
 * logs_flush() - write the last interval, if all of it has come
 * @l: the tables
 * @end: nothing more comes: write it, even if groups are missing
 *
 * Return: OK, or FAILED with a message printed if out of memory.
 */
int logs_flush(struct logs *l, bool end)
{
	const uint64_t offset = offset_ns();
	int i, ret = 0;

	for (i = 0; i < NR_LOGS; i++)
		ret |= columns_flush(l->log[i].columns, offset, l->log[i].rows, end);
	if (ret)
		return complain(FAILED, "no memory left");
	write_interval(l);
	return OK;
}

/**
 * logs_end() - close the files, and free what logs_begin() and later calls allocated
 * @l: the tables
 */
void logs_end(struct logs *l)
{
	int i;

	logs_new_files(l);
	for (i = 0; i < NR_LOGS; i++) {
		columns_free(l->log[i].columns);
		if (l->log[i].rows)
			fclose(l->log[i].rows);
		free(l->log[i].text);
	}
}
