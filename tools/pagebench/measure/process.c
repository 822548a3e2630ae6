// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * A measured program: starts it, requests measurements, ends it.
 *
 * The start has two steps, so that preparations such as setting hints are not
 * measured: the child prepares and waits; then the clock is read and the child
 * executes the program.
 */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "pagealloc/cli.h"
#include "process.h"

#define NS 1000000000ull

volatile sig_atomic_t process_interrupted;

static sigset_t before;		/* the signal mask at the start */
static const char *program_dir;	/* the child's directory from its exec on */
static int gate[2];		/* the child's ends of the pipes ready and go; one process at a time */

static void on_signal(int sig)
{
	process_interrupted = sig;
}

/**
 * process_catch() - make signals that end a run end its process, too
 *
 * Signals stay blocked except in ppoll(), which closes the race between checking for one
 * and waiting.
 */
void process_catch(void)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction action = { .sa_handler = on_signal }, old;
	sigset_t blocked;
	size_t i;

	sigprocmask(SIG_BLOCK, NULL, &before);
	blocked = before;
	for (i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		sigaction(signals[i], NULL, &old);
		/* Keep ignoring an ignored signal (nohup(1)). */
		if (old.sa_handler == SIG_IGN)
			continue;
		sigaction(signals[i], &action, NULL);
		sigaddset(&blocked, signals[i]);
	}
	signal(SIGPIPE, SIG_IGN);
	sigprocmask(SIG_SETMASK, &blocked, NULL);
}

/**
 * process_now_ns() - the clock of wall_time
 */
uint64_t process_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * NS + t.tv_nsec;
}

/* CPU time of the process and its threads in seconds; 0 if unknown. */
static double cpu_s(pid_t pid)
{
	struct timespec t;
	clockid_t clock;

	if (clock_getcpuclockid(pid, &clock) || clock_gettime(clock, &t))
		return 0;
	return t.tv_sec + t.tv_nsec / 1e9;
}

/* launch_gate: called in the child immediately before exec. */
static void wait_at_gate(void)
{
	pid_t pid = getpid();
	char c;

	if (program_dir && chdir(program_dir)) {
		complain(FAILED, "%s: %s", program_dir, strerror(errno));
		_exit(126);
	}
	if (write(gate[1], &pid, sizeof(pid)) != sizeof(pid) || read(gate[0], &c, 1) != 1)
		_exit(126);
}

/* Whoever reads @path is to trace the process and its future children.  Never created: it is of a driver. */
static int trace(const char *path, pid_t pid)
{
	int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC), failed;

	failed = fd < 0 || dprintf(fd, "%d", (int)pid) < 0;
	if (failed)
		complain(FAILED, "%s: %s", path, strerror(errno));
	if (fd >= 0)
		close(fd);
	return failed;
}

static char **join(const struct words *a, const struct words *b, const struct words *c)
{
	char **all = calloc(a->nr + b->nr + c->nr + 1, sizeof(*all));
	size_t n = 0, i;

	for (i = 0; all && i < a->nr; i++)
		all[n++] = a->word[i];
	for (i = 0; all && i < b->nr; i++)
		all[n++] = b->word[i];
	for (i = 0; all && i < c->nr; i++)
		all[n++] = c->word[i];
	return all;
}

/* Execute the program, by pagealloc run if it has options for that. */
static int become(const struct process_job *job)
{
	static const struct words none;
	static char *run[] = { "run" };
	const struct words verb = { run, job->options && job->options->nr };
	const struct words *args = job->args ? job->args : &none;
	char **argv, **command = join(job->command, args, &none);
	struct words whole = { command, job->command->nr + args->nr };
	size_t i;

	for (i = 0; job->env && i < job->env->nr; i++)
		putenv(job->env->word[i]);
	launch_gate = wait_at_gate;
	if (!command)
		return complain(FAILED, "%s: no memory left", job->command->word[0]);
	if (!verb.nr)
		return launch_exec(command);
	argv = join(&verb, job->options, &whole);
	if (!argv)
		return complain(FAILED, "%s: no memory left", job->command->word[0]);
	optind = 0;
	return cmd_run(1 + job->options->nr + whole.nr, argv);
}

static void __attribute__((noreturn)) child(const struct process_job *job, int in, int out)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGPIPE };
	struct sigaction old;
	size_t i;

	/* The child must not outlive this process. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setpgid(0, 0);
	for (i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		sigaction(signals[i], NULL, &old);
		if (old.sa_handler != SIG_IGN || signals[i] == SIGPIPE)
			signal(signals[i], SIG_DFL);
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	if (dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(out, 2) < 0)
		_exit(126);
	program_dir = job->dir;
	if (job->options_dir && chdir(job->options_dir)) {
		complain(FAILED, "%s: %s", job->options_dir, strerror(errno));
		_exit(126);
	}
	_exit(become(job));
}

static int open_pipes(int to[2], int from[2], int up[2], int down[2])
{
	to[0] = to[1] = from[0] = from[1] = up[0] = up[1] = down[0] = down[1] = -1;
	return pipe2(to, O_CLOEXEC) || pipe2(from, O_CLOEXEC) || pipe2(up, O_CLOEXEC) ||
	       pipe2(down, O_CLOEXEC);
}

static void close_all(const int *fds, size_t nr)
{
	int err = errno;

	while (nr--)
		if (fds[nr] >= 0)
			close(fds[nr]);
	errno = err;
}

/* Keep the end of the program's output. */
static void keep_tail(struct process *p, const char *text, size_t n)
{
	size_t capacity = sizeof(p->tail), drop;

	if (n > capacity) {
		text += n - capacity;
		n = capacity;
	}
	drop = p->tail_len + n > capacity ? p->tail_len + n - capacity : 0;
	memmove(p->tail, p->tail + drop, p->tail_len - drop);
	memcpy(p->tail + p->tail_len - drop, text, n);
	p->tail_len += n - drop;
}

/* Read available output.  Return: the number of bytes, 0 at the end, -1 if none is available. */
static ssize_t read_out(struct process *p, char *buf, size_t size)
{
	ssize_t n = read(p->out, buf, size);

	if (n > 0)
		keep_tail(p, buf, n);
	if (!n) {
		close(p->out);
		p->out = -1;
	}
	return n;
}

/* Reap the child if it has ended.  Descendants may keep its output open. */
static int reap(struct process *p, struct rusage *usage)
{
	if (p->ended)
		return 1;
	if (wait4(p->pid, &p->status, WNOHANG, usage) != p->pid)
		return 0;
	p->ended = 1;
	return 1;
}

/* Wait for @fd (or -1), output, or the child's end; set the poll events that occurred. */
static enum process_result await(struct process *p, int fd, short *fd_events, short *out_events,
				 short *end_events)
{
	struct pollfd fds[3] = {
		{ .fd = fd, .events = POLLIN },
		{ .fd = p->out, .events = POLLIN },
		{ .fd = p->pidfd, .events = POLLIN },
	};
	uint64_t now = process_now_ns();
	struct timespec left;
	int n;

	if (process_interrupted)
		return PROCESS_INTERRUPTED;
	if (now >= p->deadline_ns)
		return PROCESS_TIMEOUT;
	left.tv_sec = (p->deadline_ns - now) / NS;
	left.tv_nsec = (p->deadline_ns - now) % NS;
	n = ppoll(fds, 3, &left, &before);
	if (n < 0 && errno != EINTR)
		return PROCESS_ERRNO;
	if (process_interrupted)
		return PROCESS_INTERRUPTED;
	*fd_events = n > 0 ? fds[0].revents : 0;
	*out_events = n > 0 ? fds[1].revents : 0;
	*end_events = n > 0 ? fds[2].revents : 0;
	return n ? PROCESS_OK : PROCESS_TIMEOUT;
}

/* Wait until the program is ready, and read its pid: it may be a child of p->pid. */
static enum process_result await_ready(struct process *p, int ready)
{
	enum process_result ret;
	short at_gate, out, end;
	char buf[512];

	for (;;) {
		ret = await(p, ready, &at_gate, &out, &end);
		if (ret)
			return ret;
		if (out && read_out(p, buf, sizeof(buf)) < 0 && errno != EINTR)
			return PROCESS_ERRNO;
		if (at_gate & POLLIN)
			return read(ready, &p->program, sizeof(p->program)) == sizeof(p->program) ?
			       PROCESS_OK : PROCESS_ERRNO;
		if (!out && end)
			return reap(p, NULL) ? PROCESS_ENDED : PROCESS_ERRNO;
	}
}

/**
 * process_start() - start a program up to its exec
 * @p: end it with process_end(), even after a failure
 * @job: the program
 * @timeout_s: time limit of the execution
 *
 * Return: PROCESS_OK: the program waits for process_go(); else the reason of the failure.
 */
enum process_result process_start(struct process *p, const struct process_job *job,
				  uint64_t timeout_s)
{
	int to[2], from[2], up[2], down[2], fds[8];
	enum process_result ret;

	*p = (struct process){ .pid = -1, .pidfd = -1, .in = -1, .out = -1 };
	memset(p->counters.fd, -1, sizeof(p->counters.fd));
	p->deadline_ns = process_now_ns() + timeout_s * NS;
	ret = open_pipes(to, from, up, down) ? PROCESS_ERRNO : PROCESS_OK;
	if (!ret) {
		fflush(NULL);
		p->pid = fork();
		if (p->pid < 0)
			ret = PROCESS_ERRNO;
	}
	if (!ret && !p->pid) {
		gate[0] = down[0];
		gate[1] = up[1];
		close(down[1]);
		close(to[1]);
		if (!job->lines)
			dup3(open("/dev/null", O_RDONLY | O_CLOEXEC), to[0], O_CLOEXEC);
		child(job, to[0], from[1]);
	}
	memcpy(fds, (int[]){ to[0], to[1], from[0], from[1], up[0], up[1], down[0], down[1] },
	       sizeof(fds));
	if (ret) {
		close_all(fds, 8);
		return ret;
	}
	setpgid(p->pid, p->pid);
	close_all((int[]){ to[0], from[1], up[1], down[0] }, 4);
	p->in = to[1];
	p->out = from[0];
	p->pidfd = pidfd_open(p->pid, 0);
	if (p->pidfd < 0)
		ret = PROCESS_ERRNO;
	else
		ret = await_ready(p, up[0]);
	close(up[0]);
	if (!ret && job->trace && trace(job->trace, p->program))
		ret = PROCESS_TRACE;
	gate[1] = down[1];
	if (ret)
		close(down[1]);
	else
		counters_open(&p->counters, p->program, 1);
	return ret;
}

/**
 * process_go() - let the program begin
 * @p: from process_start()
 */
void process_go(struct process *p)
{
	char c = 0;
	ssize_t n;

	p->cpu_begin_s = cpu_s(p->pid);
	p->begin_ns = process_now_ns();
	/* Ignore errors: process_wait() reports an ended program. */
	n = write(gate[1], &c, 1);
	(void)n;
	close(gate[1]);
}

/**
 * process_wait() - wait for the end of a program
 * @p: the process, after process_go()
 * @m: the metrics of the whole run are added to it; may be NULL
 *
 * Return: PROCESS_OK, or the reason of the failure: PROCESS_ENDED for a non-zero status.
 */
enum process_result process_wait(struct process *p, struct measurement *m)
{
	struct counts zero = { }, counts;
	enum process_result ret;
	short unused, out, end;
	struct rusage usage;
	uint64_t end_ns;
	char buf[4096];

	if (p->in >= 0)
		close(p->in);
	p->in = -1;
	for (;;) {
		ret = await(p, -1, &unused, &out, &end);
		end_ns = process_now_ns();
		if (ret)
			return ret;
		if (end)
			break;
		if (out && read_out(p, buf, sizeof(buf)) < 0 && errno != EINTR)
			return PROCESS_ERRNO;
	}
	if (!reap(p, &usage))
		return PROCESS_ERRNO;
	/* Read the rest of the output. */
	if (p->out >= 0)
		fcntl(p->out, F_SETFL, O_NONBLOCK);
	while (p->out >= 0 && read_out(p, buf, sizeof(buf)) > 0)
		;
	if (p->status)
		return PROCESS_ENDED;
	if (!m)
		return PROCESS_OK;
	counters_read(&p->counters, &counts);
	metric_add(m, "wall_time", (end_ns - p->begin_ns) / 1e9);
	metric_add(m, "cpu_time", usage.ru_utime.tv_sec + usage.ru_stime.tv_sec +
		   (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6 - p->cpu_begin_s);
	counters_add(&p->counters, &zero, &counts, m);
	return PROCESS_OK;
}

/* Parse the metrics of "done K [NAME=VALUE ...]". */
static int parse_done(char *line, unsigned long k, struct measurement *m)
{
	char *word, *save, *value, *end;
	double x;

	strtok_r(line, " ", &save);
	word = strtok_r(NULL, " ", &save);
	if (!word || strtoul(word, &end, 10) != k || *end)
		return -1;
	while ((word = strtok_r(NULL, " ", &save))) {
		value = strchr(word, '=');
		if (!value)
			return -1;
		*value++ = '\0';
		errno = 0;
		x = strtod(value, &end);
		if (end == value || *end || !isfinite(x) || x < 0 || metric_find(m, word) ||
		    metric_add(m, word, x))
			return -1;
	}
	return 0;
}

/* Take the first line of what was read.  Return: whether it is whole; @line is without its newline. */
static int take_line(struct process *p, char *line, size_t size)
{
	char *nl = memchr(p->line, '\n', p->line_len);
	size_t n = nl ? nl - p->line : 0;

	if (!nl)
		return 0;
	snprintf(line, size, "%.*s", (int)n, p->line);
	memmove(p->line, nl + 1, p->line_len - n - 1);
	p->line_len -= n + 1;
	return 1;
}

/* Wait for output, and read what there is of it. */
static enum process_result read_more(struct process *p)
{
	enum process_result ret;
	short unused, out, end;
	ssize_t n;

	/* Overlong lines belong to the program's own output, not to the protocol. */
	if (p->line_len == sizeof(p->line))
		p->line_len = 0;
	ret = await(p, -1, &unused, &out, &end);
	if (ret)
		return ret;
	if (out) {
		n = read_out(p, p->line + p->line_len, sizeof(p->line) - p->line_len);
		if (n < 0 && errno != EINTR)
			return PROCESS_ERRNO;
		if (n > 0)
			p->line_len += n;
	} else if (end) {
		return reap(p, NULL) ? PROCESS_ENDED : PROCESS_ERRNO;
	}
	return PROCESS_OK;
}

/* Read the next line of the output.  Return: PROCESS_OK with @line set, without its newline. */
static enum process_result next_line(struct process *p, char *line, size_t size)
{
	enum process_result ret = PROCESS_OK;

	while (!ret && !take_line(p, line, size))
		ret = read_more(p);
	return ret;
}

/* Pass over what the program said so far.  An answer in it would be taken for that to the next request. */
static enum process_result pass_over(struct process *p)
{
	enum process_result ret = PROCESS_OK;
	struct pollfd out = { .events = POLLIN };
	char line[1024];

	while (!ret) {
		while (take_line(p, line, sizeof(line)))
			if (!strncmp(line, "done ", 5))
				return PROCESS_EARLY;
		out.fd = p->out;
		if (poll(&out, 1, 0) < 1 || !(out.revents & POLLIN))
			break;
		ret = read_more(p);
	}
	return ret;
}

/**
 * process_measure() - request one measurement
 * @p: the process, after process_go(), of a job with lines
 * @k: number of the measurement
 * @m: metrics of the program are added to it, and those observed from outside that the
 *	program does not report
 *
 * Return: PROCESS_OK, or the reason of the failure.
 */
enum process_result process_measure(struct process *p, unsigned long k, struct measurement *m)
{
	struct counts before_counts, after_counts;
	enum process_result ret = pass_over(p);
	uint64_t begin, end;
	double cpu, cpu_after;
	char line[1024];
	int n = snprintf(line, sizeof(line), "measure %lu\n", k);

	if (ret)
		return ret;
	cpu = cpu_s(p->program);
	counters_read(&p->counters, &before_counts);
	begin = process_now_ns();
	if (write(p->in, line, n) != n && errno != EPIPE)
		return PROCESS_ERRNO;
	do {
		ret = next_line(p, line, sizeof(line));
		if (ret)
			return ret;
	} while (strncmp(line, "done ", 5));
	end = process_now_ns();
	counters_read(&p->counters, &after_counts);
	cpu_after = cpu_s(p->program);
	if (parse_done(line, k, m))
		return PROCESS_WRONG;
	m->own = m->nr;
	if (metric_add(m, "wall_time", (end - begin) / 1e9) ||
	    (cpu_after > 0 && metric_add(m, "cpu_time", cpu_after - cpu)) ||
	    counters_add(&p->counters, &before_counts, &after_counts, m))
		return PROCESS_WRONG;
	return PROCESS_OK;
}

/**
 * process_end() - kill the process group and release everything
 * @p: in any state
 */
void process_end(struct process *p)
{
	int saved = errno;

	if (p->pid > 0) {
		/* Kill descendants, too. */
		kill(-p->pid, SIGKILL);
		if (!p->ended)
			kill(p->pid, SIGKILL);
		while (!p->ended && waitpid(p->pid, &p->status, 0) < 0 && errno == EINTR)
			;
	}
	if (p->in >= 0)
		close(p->in);
	if (p->out >= 0)
		close(p->out);
	if (p->pidfd >= 0)
		close(p->pidfd);
	counters_close(&p->counters);
	p->in = p->out = p->pidfd = p->pid = -1;
	errno = saved;
}

static void describe_status(int status, char *buf, size_t size)
{
	if (WIFSIGNALED(status))
		snprintf(buf, size, "was ended by signal %d (%s)", WTERMSIG(status),
			 strsignal(WTERMSIG(status)));
	else
		snprintf(buf, size, "ended with status %d", WEXITSTATUS(status));
}

/**
 * process_complain() - print why a measurement failed
 * @p: the process, before process_end()
 * @result: the reason
 * @what: name of the execution
 */
void process_complain(struct process *p, enum process_result result, const char *what)
{
	char text[256] = "";
	size_t i, begin = 0, lines = 0;

	switch (result) {
	case PROCESS_ENDED:
		describe_status(p->status, text, sizeof(text));
		break;
	case PROCESS_TIMEOUT: strcpy(text, "did not end in time (timeout)"); break;
	case PROCESS_WRONG: strcpy(text, "did not answer 'done K [NAME=NUMBER...]'"); break;
	case PROCESS_EARLY: strcpy(text, "answered 'done ...' before it was asked"); break;
	case PROCESS_METRICS: strcpy(text, "did not answer with the metrics of its first measurement"); break;
	case PROCESS_TRACE: strcpy(text, "cannot be traced (trace)"); break;
	case PROCESS_ERRNO: snprintf(text, sizeof(text), "%s", strerror(errno)); break;
	default: return;
	}
	complain(FAILED, "%s: %s%s", what, text, p->tail_len ? "; the last it said:" : "");
	/* Print the last ten lines of output. */
	for (i = p->tail_len; i > 0 && lines < 10; i--)
		if (i < p->tail_len && p->tail[i - 1] == '\n' && ++lines == 10)
			begin = i;
	for (i = begin; i < p->tail_len; i++) {
		if (i == begin || p->tail[i - 1] == '\n')
			fputs("    ", stderr);
		fputc(p->tail[i], stderr);
	}
	if (p->tail_len && p->tail[p->tail_len - 1] != '\n')
		fputc('\n', stderr);
}
