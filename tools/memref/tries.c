// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Runs a command with memory limits, to find the smallest that is enough. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib/complain.h"
#include "lib/numbers.h"
#include "lib/record/command.h"
#include "tries.h"

/* A run that takes so much longer than without a limit, or than is allowed, and a second, is ended. */
#define PATIENCE 2
/* From SIGTERM to SIGKILL. */
#define END_SECONDS 10
/* What is printed goes through a pipe that holds so much, and is read so often. */
#define PIPE_BYTES (1 << 20)
#define READ_MS 50
/* The last line is within so many bytes. */
#define LAST_BYTES 4096
/* Of the slowdown that is allowed, so much is made use of: the next run takes more or less time. */
#define SHARE 0.9
/* A limit with which a run takes so many times the slowdown that is allowed may have been slow by chance. */
#define CHANCE 2
/* Shorter times differ by more than a few %. */
#define SHORT_SECONDS 1

/* How a run ended.  BROKEN: the tries cannot go on, and a message says why. */
enum end { RAN, LATE, ENDED_BADLY, BROKEN };

/**
 * struct run - a run of the command
 * @end: how it ended
 * @status: its exit status, as a shell's
 * @elapsed: s by the clock
 * @printed: s by its own account; NAN: it printed none
 */
struct run {
	enum end end;
	int status;
	double elapsed, printed;
};

/* The last bytes that were printed. */
struct tail {
	int fd;
	size_t nr;
	char bytes[2 * LAST_BYTES];
};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec * 1e-9;
}

/* What the child is to become: descriptors and environment. */
struct becoming {
	int output;
	uint64_t limit;
};

static int become(void *ctx)
{
	const struct becoming *b = ctx;
	const int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	char limit[24];

	snprintf(limit, sizeof(limit), "%" PRIu64, b->limit);
	/* A session of its own: it is ended as a whole, and has no terminal that would stop it. */
	if (setsid() >= 0 && null >= 0 && dup2(null, STDIN_FILENO) >= 0 && dup2(b->output, STDOUT_FILENO) >= 0 &&
	    !setenv("MEMREF_LIMIT", limit, 1) && !prctl(PR_SET_PDEATHSIG, SIGTERM)) {
		signal(SIGTSTP, SIG_DFL);
		return 0;
	}
	return complain(FAILED, "a command cannot be started: %s", strerror(errno));
}

/* Read what is there. */
static void tail_read(struct tail *t)
{
	ssize_t n;

	while ((n = read(t->fd, t->bytes + t->nr, sizeof(t->bytes) - t->nr)) > 0) {
		t->nr += n;
		if (t->nr > LAST_BYTES) {
			memmove(t->bytes, t->bytes + t->nr - LAST_BYTES, LAST_BYTES);
			t->nr = LAST_BYTES;
		}
	}
}

/* The number that is the last line, or NAN. */
static double tail_number(struct tail *t)
{
	char *line, *end = t->bytes + t->nr;
	double value;

	while (end > t->bytes && memchr(" \t\r\n", end[-1], 4))
		end--;
	line = memrchr(t->bytes, '\n', end - t->bytes);
	line = line ? line + 1 : t->bytes;
	while (line < end && (*line == ' ' || *line == '\t'))
		line++;
	if (memchr(line, '\0', end - line))
		return NAN;
	*end = '\0';
	return parse_real(line, &value) ? NAN : value;
}

/*
 * End the session that the child @pid began; what runs of it has time to put back what it changed.  The child is
 * reaped here, so that until then @pid is no other's.  Return: 0 with its wait status, or -1 with errno set.
 */
static int end_session(pid_t pid, int *status)
{
	const double until = now() + END_SECONDS;
	pid_t reaped;

	/* Not yet a session of its own, if it was interrupted at once. */
	if (kill(-pid, SIGTERM))
		kill(pid, SIGTERM);
	kill(-pid, SIGCONT);
	while ((reaped = waitpid(pid, status, WNOHANG)) == 0 && now() < until)
		nanosleep(&(struct timespec){ .tv_nsec = 20000000 }, NULL);
	while (!kill(-pid, 0) && now() < until)
		nanosleep(&(struct timespec){ .tv_nsec = 20000000 }, NULL);
	if (now() >= until)
		kill(-pid, SIGKILL);
	if (!reaped)
		reaped = waitpid(pid, status, 0);
	return reaped == pid ? 0 : -1;
}

/* Wait for the child, and read what it prints.  Return: whether it ended before @patience did, or a signal came. */
static bool wait_for(pid_t pid, struct tail *tail, double begin, double patience)
{
	int ended;

	do {
		ended = command_wait(pid, -1, READ_MS);
		tail_read(tail);
	} while (!ended && !command_interrupted && (!patience || now() - begin < patience));
	return ended;
}

/* Run it until it ends, or for @patience seconds; 0: as long as it takes. */
static struct run run_once(const char *text, uint64_t limit, double patience)
{
	char *command[] = { "/bin/sh", "-c", (char *)text, NULL };
	struct run r = { .end = BROKEN, .printed = NAN };
	struct becoming b = { .limit = limit };
	struct tail tail = { 0 };
	int status = 0, go = -1, fds[2];
	double begin;
	pid_t pid;

	if (pipe2(fds, O_CLOEXEC)) {
		complain(FAILED, "%s: %s", text, strerror(errno));
		return r;
	}
	fcntl(fds[0], F_SETFL, O_NONBLOCK);
	fcntl(fds[1], F_SETPIPE_SZ, PIPE_BYTES);
	tail.fd = fds[0];
	b.output = fds[1];
	fflush(NULL);
	pid = command_start(command, become, &b, &go);
	close(fds[1]);
	begin = now();
	if (pid < 0 || write(go, "", 1) != 1)
		complain(FAILED, "%s: %s", text, strerror(errno));
	else if (wait_for(pid, &tail, begin, patience))
		r.end = RAN;
	else if (command_interrupted)
		complain(FAILED, "interrupted");
	else
		r.end = LATE;
	r.elapsed = now() - begin;
	r.printed = tail_number(&tail);
	if (go >= 0)
		close(go);
	if (pid > 0 && end_session(pid, &status)) {
		complain(FAILED, "%s: how it ended is not known: %s", text, strerror(errno));
		r.end = BROKEN;
	} else if (r.end == RAN) {
		r.status = command_status(status);
		r.end = r.status ? ENDED_BADLY : RAN;
	}
	close(fds[0]);
	return r;
}

/**
 * struct runs - the runs with a limit
 * @nr: their number
 * @end: how the first ended that ended badly; LATE if the median took too long; else RAN
 * @last: the last one
 * @median: of times: by the command's own account if there is one
 * @longest: by the clock
 * @spread: between the shortest and the longest of times
 * @nr_printed: so many printed a time above 0
 * @nr_late: so many were ended, as they took too long
 */
struct runs {
	uint32_t nr;
	enum end end;
	struct run last;
	double median, longest, spread;
	uint32_t nr_printed, nr_late;
};

static int by_value(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/*
 * As many as are to be made, or until one ends badly, or so many took longer than @allowed that the median of all
 * would, too.  One that took longer than @patience counts as one that never ends.
 */
static struct runs run_repeats(const struct tries *t, uint64_t limit, double patience, double allowed)
{
	double *times = calloc(t->repeats, sizeof(*times));
	struct runs all = { .end = times ? RAN : BROKEN };
	uint32_t over = 0;

	if (!times)
		complain(FAILED, "no memory left");
	while (all.nr < t->repeats && all.end == RAN && over <= t->repeats / 2) {
		double *time = &times[all.nr++];

		all.last = run_once(t->command, limit, patience);
		all.longest = fmax(all.longest, all.last.elapsed);
		if (all.last.end == LATE) {
			all.nr_late++;
			*time = INFINITY;
		} else {
			all.end = all.last.end;
			all.nr_printed += all.last.printed > 0;
			*time = isnan(all.last.printed) ? all.last.elapsed : all.last.printed;
		}
		over += *time > allowed;
	}
	if (all.end == RAN) {
		qsort(times, all.nr, sizeof(*times), by_value);
		/* Of all runs that there were to be: those that were not made may be as fast as any. */
		all.median = times[all.nr + t->repeats / 2 - t->repeats];
		all.spread = times[all.nr - 1] - times[0];
		if (isinf(all.median))
			all.end = LATE;
	}
	free(times);
	return all;
}

/* What makes times doubtful. */
static void note_times(const struct tries *t, const struct runs *without)
{
	if (without->spread * 100 > t->slowdown * without->median)
		complain(OK, "without a limit, times differ by %.1f %%, more than the %g %% that a limit may cost:"
			 " more --repeats, or a command that takes longer", without->spread * 100 / without->median, t->slowdown);
	if (!without->nr_printed && without->median < SHORT_SECONDS)
		complain(OK, "without a limit, it takes less than %d s: so short a time says little", SHORT_SECONDS);
	if (without->last.printed > 2 * without->last.elapsed)
		complain(OK, "without a limit, it prints %g, and takes %.3f s: its last line should be a time in seconds",
			 without->last.printed, without->last.elapsed);
}

/*
 * Without a limit, once before times count: then files and programs are in memory.  Return: OK, or FAILED with a
 * message printed.
 */
static int run_without(const struct tries *t, struct runs *without)
{
	const struct tries once = { .command = t->command, .repeats = 1 };

	*without = run_repeats(&once, TRIES_UNLIMITED, 0, INFINITY);
	if (without->end == RAN)
		*without = run_repeats(t, TRIES_UNLIMITED, 0, INFINITY);
	if (without->end == BROKEN)
		return FAILED;
	if (without->end != RAN)
		return complain(FAILED, "%s: fails without a limit: status %d", t->command, without->last.status);
	if (without->nr_printed ? without->nr_printed < t->repeats : !isnan(without->last.printed))
		return complain(FAILED, "%s: not each run without a limit prints a time above 0", t->command);
	inform("without a limit: %.3f s; with one, %.3f s is enough", without->median,
	       (1 + SHARE * t->slowdown / 100) * without->median);
	note_times(t, without);
	return OK;
}

/*
 * With a limit, which may make use of @share of the slowdown; @once_more: it was tried before.  Return: OK with *@found
 * and *@slowdown set, or FAILED with a message printed.
 */
static int run_limited(const struct tries *t, uint64_t limit, bool once_more, double share, const struct runs *without,
		       enum search_result *found, double *slowdown)
{
	const char *again = once_more ? "once more, " : "";
	const double patience = fmax(PATIENCE, 1 + t->slowdown / 100) * without->longest + 1;
	const double allowed = (1 + share * t->slowdown / 100) * without->median;
	const struct runs all = run_repeats(t, limit, patience, allowed);
	const double mib = limit / (double)(1 << 20);

	*found = SEARCH_TOO_SMALL;
	switch (all.end) {
	case BROKEN:
		return FAILED;
	case LATE:
		inform("%s%.3f MiB: ended after %.3f s: too small", again, mib, all.longest);
		return OK;
	case ENDED_BADLY:
		inform("%s%.3f MiB: status %d: too small", again, mib, all.last.status);
		return OK;
	case RAN:
		break;
	}
	if (all.nr_printed && !without->nr_printed)
		return complain(FAILED, "%s: prints a time with a limit only", t->command);
	/* Of a pipeline, the status is that of its last command. */
	if (without->nr_printed && all.nr_printed + all.nr_late < all.nr) {
		inform("%s%.3f MiB: printed no time above 0: too small", again, mib);
		return OK;
	}
	*slowdown = (all.median / without->median - 1) * 100;
	*found = all.median <= allowed ? SEARCH_ENOUGH :
		 *slowdown <= CHANCE * t->slowdown ? SEARCH_NEARLY : SEARCH_TOO_SMALL;
	inform("%s%.3f MiB: %.3f s, %.1f %% %s: %s", again, mib, all.median, fabs(*slowdown),
	       *slowdown < 0 ? "less" : "more", *found == SEARCH_ENOUGH ? "enough" : "too small");
	if (*slowdown < -t->slowdown)
		complain(OK, "less time than without a limit: times differ by more than %g %%: more --repeats", t->slowdown);
	return OK;
}

/*
 * Run with limits until the smallest that is enough is so twice, and a smaller one that was nearly enough is too small
 * twice.  Return: OK, or FAILED with a message printed.
 */
static int find_limit(const struct tries *t, const struct runs *without, struct search *s, struct tried *result)
{
	bool once_more, last, failed = false;
	enum search_result found;
	double slowdown = 0;
	uint64_t limit;

	do {
		limit = result->nr < t->most ? search_next(s) : 0;
		once_more = !limit;
		if (once_more)
			limit = search_doubt(s);
		last = !limit;
		if (last)
			limit = s->enough;
		if (!limit)
			return complain(FAILED, "of %" PRIu32 " limits, none was enough%s: the largest was %.3f MiB",
					result->nr, failed ? " twice" : "", s->too_small / (double)(1 << 20));
		if (run_limited(t, limit, once_more, last ? 1 : SHARE, without, &found, &slowdown))
			return FAILED;
		result->nr += !once_more;
		failed |= last && found != SEARCH_ENOUGH;
		/* Of the one before, nothing is printed until it ran once more. */
		result->slowdown = found == SEARCH_ENOUGH ? slowdown : last ? NAN : result->slowdown;
		search_note(s, limit, found);
	} while (!last || found != SEARCH_ENOUGH);
	return OK;
}

/**
 * tries_run() - run a command with limits until the smallest that is enough is found
 * @t: how
 * @s: the search, at its begin; what is known at its end
 * @result: set, also if it fails
 *
 * The result of each limit is printed to standard error.
 *
 * Return: OK, or FAILED with a message printed; @s has what was found before.
 */
int tries_run(const struct tries *t, struct search *s, struct tried *result)
{
	struct runs without;

	*result = (struct tried){ 0 };
	command_catch_signals();
	/* While this is stopped, time would go on. */
	signal(SIGTSTP, SIG_IGN);
	if (run_without(t, &without) || find_limit(t, &without, s, result))
		return FAILED;
	if (s->enough > s->peak)
		complain(OK, "the command needs more than the %.3f MiB that the group had in the recording, with --extra",
			 s->peak / (double)(1 << 20));
	if (search_next(s))
		complain(OK, "--tries %" PRIu32 ": a smaller limit may be enough, too", t->most);
	return OK;
}
