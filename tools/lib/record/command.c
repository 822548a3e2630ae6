// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * Runs the recorded command and trace-cmd, and handles the signals that end a
 * recording.  Signals stay blocked except in ppoll(), to close the check-then-wait race.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <tracefs.h>
#include <unistd.h>

#include "command.h"
#include "lib/complain.h"
#include "lib/outfile.h"
#include "guard.h"

/* Time limit for trace-cmd to end after SIGINT, in ms. */
#define END_MS 10000
/* Between looks at a child that there is no descriptor of, in ms. */
#define LOOK_MS 50

volatile sig_atomic_t command_interrupted;

static sigset_t before;		/* the signal mask at the start */
static bool caught;
static struct sigaction pipe_before;
static bool pipe_ignored;

static void on_signal(int sig)
{
	command_interrupted = sig;
}

/**
 * command_catch_signals() - let SIGINT, SIGTERM and SIGHUP end the recording
 *
 * They set command_interrupted, and are delivered in command_wait() only.
 */
void command_catch_signals(void)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction action = { .sa_handler = on_signal }, old;
	sigset_t blocked;
	size_t i;

	sigprocmask(SIG_BLOCK, NULL, &before);
	blocked = before;
	for (i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		sigaction(signals[i], NULL, &old);
		/* Keep ignoring ignored signals (nohup(1)), except SIGINT: Ctrl-C ends the recording. */
		if (old.sa_handler == SIG_IGN && signals[i] != SIGINT)
			continue;
		sigaction(signals[i], &action, NULL);
		sigaddset(&blocked, signals[i]);
	}
	command_ignore_pipe();
	sigprocmask(SIG_SETMASK, &blocked, NULL);
	caught = true;
}

/**
 * command_ignore_pipe() - have no SIGPIPE; the command has it as this was started with
 *
 * Ctrl-C may end the command before command_start()'s byte is written.
 */
void command_ignore_pipe(void)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN };

	sigaction(SIGPIPE, &ignore, &pipe_before);
	pipe_ignored = true;
}

static void restore_signals(void)
{
	signal(SIGINT, SIG_DFL);
	if (pipe_ignored)
		sigaction(SIGPIPE, &pipe_before, NULL);
	if (caught)
		sigprocmask(SIG_SETMASK, &before, NULL);
}

static bool has_ended(pid_t pid)
{
	siginfo_t info = { 0 };

	return pid > 0 && !waitid(P_PID, pid, &info, WEXITED | WNOHANG | WNOWAIT) && info.si_pid == pid;
}

/**
 * command_wait() - wait until one of two children ends, or a signal comes
 * @child: an unreaped child, or -1
 * @tracer: another one, or -1
 * @timeout_ms: time limit; -1: none
 *
 * Return: COMMAND_ENDED, TRACER_ENDED, both, or 0.  The children are not reaped.
 */
int command_wait(pid_t child, pid_t tracer, int timeout_ms)
{
	struct pollfd fds[2] = {
		{ .fd = child > 0 ? pidfd_open(child, 0) : -1, .events = POLLIN },
		{ .fd = tracer > 0 ? pidfd_open(tracer, 0) : -1, .events = POLLIN },
	};
	/* Without a descriptor, look again and again. */
	const bool blind = (child > 0 && fds[0].fd < 0) || (tracer > 0 && fds[1].fd < 0);
	int ended = 0, n = 0, ms;

	do {
		struct timespec timeout;

		ms = blind && (timeout_ms < 0 || timeout_ms > LOOK_MS) ? LOOK_MS : timeout_ms;
		timeout = (struct timespec){ ms / 1000, ms % 1000 * 1000000 };
		if (!command_interrupted)
			n = ppoll(fds, 2, ms < 0 ? NULL : &timeout, &before);
		if (n > 0)
			ended = (fds[0].revents ? COMMAND_ENDED : 0) | (fds[1].revents ? TRACER_ENDED : 0);
		if (blind)
			ended |= (has_ended(child) ? COMMAND_ENDED : 0) | (has_ended(tracer) ? TRACER_ENDED : 0);
		timeout_ms -= timeout_ms < 0 ? 0 : ms;
	} while (blind && !ended && !n && !command_interrupted && timeout_ms);
	for (n = 0; n < 2; n++)
		if (fds[n].fd >= 0)
			close(fds[n].fd);
	return ended;
}

/* Return: 0, or why execve() would not take it. */
static int why_not(const char *path)
{
	struct stat st;

	if (stat(path, &st))
		return errno;
	if (!S_ISREG(st.st_mode))
		return EACCES;
	return faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) ? errno : 0;
}

/* As execvp() looks for it.  Return: 0, or an error. */
static int look_for(const char *name)
{
	const char *path = getenv("PATH"), *end;
	char whole[PATH_MAX];
	int err, found = ENOENT;

	if (!*name)
		return ENOENT;
	if (strchr(name, '/'))
		return why_not(name);
	/* Its default. */
	for (path = path ? path : "/bin:/usr/bin"; path; path = *end ? end + 1 : NULL) {
		end = strchrnul(path, ':');
		if (snprintf(whole, sizeof(whole), "%.*s%s%s", (int)(end - path), path, end > path ? "/" : "",
			     name) >= (int)sizeof(whole))
			continue;
		err = why_not(whole);
		if (!err)
			return 0;
		if (err == EACCES)
			found = err;
	}
	return found;
}

/**
 * command_check() - refuse a command that cannot be executed, before anything is changed for it
 * @command: name and arguments, or none
 *
 * Return: OK, or a shell's exit status, 126 or 127, with a message printed.
 */
int command_check(char **command)
{
	const int err = *command ? look_for(*command) : 0;

	if (!err)
		return OK;
	complain(FAILED, "%s: %s", *command, strerror(err));
	return err == ENOENT ? 127 : 126;
}

/**
 * command_start() - fork a child that executes a command when released
 * @command: name and arguments, as for execvp()
 * @prepare: called in the child after its release; the child exits if the result is not
 *	0; may be NULL
 * @ctx: passed to @prepare
 * @go: set to a pipe: writing a byte releases the child, closing it ends the child
 *
 * If the program cannot be executed, the exit status is that of a shell: 126 or 127.
 *
 * Return: its pid, or -1 with errno set.
 */
pid_t command_start(char **command, int (*prepare)(void *ctx), void *ctx, int *go)
{
	int fds[2], status;
	char byte;
	pid_t pid;

	if (pipe2(fds, O_CLOEXEC))
		return -1;
	pid = fork();
	if (pid) {
		close(fds[0]);
		*go = fds[1];
		return pid;
	}
	close(fds[1]);
	restore_signals();
	if (read(fds[0], &byte, 1) != 1 || (prepare && prepare(ctx)))
		_exit(FAILED);
	execvp(command[0], command);
	status = errno == ENOENT ? 127 : 126;
	complain(FAILED, "%s: %s", command[0], strerror(errno));
	_exit(status);
}

/**
 * command_status() - convert a wait status into an exit status, as a shell does
 * @status: the status from waitpid()
 *
 * Return: the exit status; 128 + N if signal N ended the process.
 */
int command_status(int status)
{
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* Before trace-cmd installs its handler, SIGINT would kill it and lose the recording. */
static bool catches_interrupts(pid_t pid)
{
	unsigned long long caught = 0;
	char path[32], line[128];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	f = fopen(path, "re");
	if (!f)
		return false;
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "SigCgt: %llx", &caught) == 1)
			break;
	fclose(f);
	return caught >> (SIGINT - 1) & 1;
}

/* Only if disabled before: trace-cmd disables the events at its end in any case. */
static int note_events(const char *system)
{
	char enable[64], *enabled;
	int ret = OK;

	snprintf(enable, sizeof(enable), "events/%s/enable", system);
	enabled = tracefs_instance_file_read(NULL, enable, NULL);
	if (!enabled)
		ret = complain(FAILED, "%s: %s", enable, strerror(errno));
	else if (*enabled == '0')
		ret = guard_note(UNDO_WRITE, enable, "0");
	free(enabled);
	return ret;
}

/* trace-cmd leaves the clock that it sets; the file has the current one in brackets. */
static int note_clock(void)
{
	char *clocks = tracefs_instance_file_read(NULL, "trace_clock", NULL), *begin, *end;
	int ret = OK;

	begin = clocks ? strchr(clocks, '[') : NULL;
	end = begin ? strchr(begin, ']') : NULL;
	if (end) {
		*end = '\0';
		ret = guard_note(UNDO_WRITE, "trace_clock", begin + 1);
	} else {
		ret = complain(FAILED, "trace_clock: cannot be read, to be restored");
	}
	free(clocks);
	return ret;
}

/* Log what trace-cmd will change: it restores its changes itself unless it is killed. */
static int note_tracing(const struct tracing *t)
{
	char *on = tracefs_instance_file_read(NULL, "tracing_on", NULL);
	int ret = OK, i;

	if (on) {
		on[strcspn(on, "\n")] = '\0';
		ret = guard_note(UNDO_WRITE, "tracing_on", on);
	} else {
		ret = complain(FAILED, "tracing_on: %s", strerror(errno));
	}
	free(on);
	for (i = 0; i < TRACING_SYSTEMS && t->systems[i] && !ret; i++)
		ret = note_events(t->systems[i]);
	return ret || !t->clock ? ret : note_clock();
}

static void __attribute__((noreturn)) run_trace_cmd(const struct tracing *t, const char *tmp, int go)
{
	const char *argv[2 * TRACING_SYSTEMS + 8] = { "trace-cmd", "record", "-q", "-o", tmp };
	const int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	int n = 5, i;
	char byte;

	/* Standard output is the command's: with -q, too, trace-cmd prints there how to stop it. */
	if (null >= 0)
		dup2(null, STDOUT_FILENO);
	/* A process group of its own: the terminal's Ctrl-C must not reach trace-cmd. */
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGINT);
	restore_signals();
	/* Nobody else reads what may replace a file that nobody else may read. */
	umask(077);
	/* Wait until the guard has logged this process. */
	if (read(go, &byte, 1) != 1)
		_exit(127);
	for (i = 0; i < TRACING_SYSTEMS && t->systems[i]; i++) {
		argv[n++] = "-e";
		argv[n++] = t->systems[i];
	}
	if (t->clock) {
		argv[n++] = "-C";
		argv[n++] = t->clock;
	}
	execvp("trace-cmd", (char **)argv);
	_exit(127);
}

/* End trace-cmd; on timeout, kill it with its per-CPU processes. */
static void kill_trace_cmd(pid_t pid)
{
	kill(pid, SIGINT);
	if (!(command_wait(-1, pid, END_MS) & TRACER_ENDED))
		kill(-pid, SIGKILL);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

/**
 * trace_cmd_start() - start trace-cmd record of one system, until trace_cmd_stop()
 * @system: the tracing system whose events are recorded
 * @tmp: the file, from trace_cmd_output()
 * @runs: returns whether the kernel has begun to emit the events
 *
 * Return: trace-cmd's pid once it records, or -1 with a message printed.
 */
pid_t trace_cmd_start(const char *system, const char *tmp, bool (*runs)(void))
{
	const struct tracing t = { .systems = { system } };

	return tracing_start(&t, tmp, runs);
}

/**
 * tracing_start() - start trace-cmd record, until trace_cmd_stop()
 * @t: what is recorded
 * @tmp: the file, from trace_cmd_output()
 * @runs: returns whether the kernel has begun to emit the events
 *
 * Return: trace-cmd's pid once it records, or -1 with a message printed.
 */
pid_t tracing_start(const struct tracing *t, const char *tmp, bool (*runs)(void))
{
	char group[16];
	int go[2], tries;
	pid_t pid;

	if (note_tracing(t))
		return -1;
	if (pipe2(go, O_CLOEXEC)) {
		complain(FAILED, "pipe: %s", strerror(errno));
		return -1;
	}
	pid = fork();
	if (!pid) {
		close(go[1]);
		run_trace_cmd(t, tmp, go[0]);
	}
	if (pid < 0) {
		complain(FAILED, "fork: %s", strerror(errno));
		close(go[1]);
	}
	close(go[0]);
	if (pid < 0)
		return -1;
	setpgid(pid, pid);
	snprintf(group, sizeof(group), "%d", (int)pid);
	if (!guard_note(UNDO_TRACER, group, NULL) && write(go[1], "", 1) != 1)
		complain(FAILED, "trace-cmd: %s", strerror(errno));
	close(go[1]);
	for (tries = 0; tries < 1000; tries++) {
		if (waitpid(pid, NULL, WNOHANG) == pid) {
			complain(FAILED, "trace-cmd record failed to start");
			return -1;
		}
		if (runs() && catches_interrupts(pid))
			return pid;
		usleep(10000);
	}
	complain(FAILED, "trace-cmd record did not start within 10 s");
	kill_trace_cmd(pid);
	return -1;
}

/**
 * trace_cmd_wait() - wait for the command; without a command, for a signal
 * @child: the command, or -1
 * @tracer: trace-cmd, from trace_cmd_start(); -1: it has ended
 *
 * Forwards signals to the command, except SIGINT: the terminal sends that itself.
 *
 * Return: the exit status; -1 with a message printed if trace-cmd ends by itself.
 */
int trace_cmd_wait(pid_t child, pid_t tracer)
{
	int ended, status = 0;

	while (1) {
		ended = command_wait(child, tracer, -1);
		if (ended & COMMAND_ENDED) {
			while (waitpid(child, &status, 0) < 0 && errno == EINTR)
				;
			return command_status(status);
		}
		if (ended & TRACER_ENDED) {
			complain(FAILED, "trace-cmd ended, and with it the recording%s", child > 0 ?
				 "; the command continues" : "");
			return -1;
		}
		if (!command_interrupted)
			continue;
		if (child <= 0)
			return OK;
		if (command_interrupted != SIGINT)
			kill(child, command_interrupted);
		command_interrupted = 0;
	}
}

/* Check that the file can be written: try a block on the same file system. */
static int try_file(const char *path, const char *tmp)
{
	static const char block[4096];
	struct stat st;
	int fd, err;

	if (!stat(path, &st) && !S_ISREG(st.st_mode)) {
		errno = S_ISDIR(st.st_mode) ? EISDIR : EINVAL;
		return -1;
	}
	fd = open(tmp, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0)
		return -1;
	err = write(fd, block, sizeof(block)) == sizeof(block) ? 0 : errno ? errno : ENOSPC;
	if (!err && ftruncate(fd, 0))
		err = errno;
	if (close(fd) && !err)
		err = errno;
	errno = err;
	return err ? -1 : 0;
}

/**
 * trace_cmd_output() - create trace-cmd's output file under a temporary name
 * @output: the final name
 * @tmp: set to the temporary name, which trace-cmd writes to
 * @size: size of @tmp
 * @keep: the guard may rename it to @output; else the guard removes it
 *
 * Return: OK, or FAILED with a message printed.
 */
int trace_cmd_output(const char *output, char *tmp, size_t size, bool keep)
{
	char whole[PATH_MAX];

	errno = ENOENT;
	if (!*output || outfile_resolve(output, whole, sizeof(whole)))
		return complain(FAILED, "%s: %s", output, strerror(errno));
	if (snprintf(tmp, size, "%s.%s.%d", whole, keep ? "part" : "first", (int)getpid()) >= (int)size)
		return complain(FAILED, "%s: name too long", output);
	if (guard_note(UNDO_OUTPUT, tmp, keep ? whole : ""))
		return FAILED;
	if (!try_file(whole, tmp))
		return OK;
	complain(FAILED, "%s: %s", output, strerror(errno));
	undo_output(tmp);
	return FAILED;
}

/**
 * trace_cmd_stop() - end trace-cmd and rename its file; one that is replaced gives it its mode
 * @pid: trace-cmd, from trace_cmd_start()
 * @tmp: its file, from trace_cmd_output()
 * @output: the final name; NULL: keep @tmp
 *
 * Return: OK, or FAILED with a message printed and the file removed.
 */
int trace_cmd_stop(pid_t pid, const char *tmp, const char *output)
{
	char part[PATH_MAX + 16], whole[PATH_MAX];
	int status = 0;

	kill(pid, SIGINT);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	snprintf(part, sizeof(part), "%s.cpu0", tmp);
	/* trace-cmd removes the per-CPU files after it has merged them. */
	if (command_status(status) || access(tmp, R_OK) || !access(part, F_OK)) {
		undo_output(tmp);
		return complain(FAILED, "%s: trace-cmd did not write it (status %d)",
				output ? output : tmp, command_status(status));
	}
	if (output && (outfile_resolve(output, whole, sizeof(whole)) || outfile_rename(tmp, whole))) {
		complain(FAILED, "%s: %s", output, strerror(errno));
		undo_output(tmp);
		return FAILED;
	}
	return OK;
}
