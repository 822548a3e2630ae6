// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * The command that a program records, trace-cmd that records it, and the signals that
 * end a recording.  These are blocked but while something is waited for, so that none is
 * lost between looking and waiting.
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
#include "guard.h"

/* How long trace-cmd may take to write its file once it was told to end, in ms. */
#define END_MS 10000

volatile sig_atomic_t command_interrupted;

static sigset_t before;		/* the signals that were blocked at first */
static bool caught;

static void on_signal(int sig)
{
	command_interrupted = sig;
}

/**
 * command_catch_signals() - SIGINT, SIGTERM and SIGHUP are to end the recording
 *
 * They set command_interrupted, and only while command_wait() waits.
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
		/* One that is ignored, as by nohup(1), stays so; but Ctrl-C is how to end. */
		if (old.sa_handler == SIG_IGN && signals[i] != SIGINT)
			continue;
		sigaction(signals[i], &action, NULL);
		sigaddset(&blocked, signals[i]);
	}
	/* The command may be gone, by Ctrl-C, before it is told to go. */
	signal(SIGPIPE, SIG_IGN);
	sigprocmask(SIG_SETMASK, &blocked, NULL);
	caught = true;
}

static void restore_signals(void)
{
	signal(SIGINT, SIG_DFL);
	signal(SIGPIPE, SIG_DFL);
	if (caught)
		sigprocmask(SIG_SETMASK, &before, NULL);
}

/**
 * command_wait() - wait until one of two children ends, or a signal comes
 * @child: a child that was not waited for, or -1
 * @tracer: another one, or -1
 * @timeout_ms: or so long; -1: no limit
 *
 * Return: COMMAND_ENDED, TRACER_ENDED, both, or 0.  They are not reaped.
 */
int command_wait(pid_t child, pid_t tracer, int timeout_ms)
{
	struct pollfd fds[2] = {
		{ .fd = child > 0 ? pidfd_open(child, 0) : -1, .events = POLLIN },
		{ .fd = tracer > 0 ? pidfd_open(tracer, 0) : -1, .events = POLLIN },
	};
	struct timespec timeout = { timeout_ms / 1000, timeout_ms % 1000 * 1000000 };
	int ended = 0, n;

	n = command_interrupted ? 0 : ppoll(fds, 2, timeout_ms < 0 ? NULL : &timeout, &before);
	if (n > 0)
		ended = (fds[0].revents ? COMMAND_ENDED : 0) | (fds[1].revents ? TRACER_ENDED : 0);
	for (n = 0; n < 2; n++)
		if (fds[n].fd >= 0)
			close(fds[n].fd);
	return ended;
}

/**
 * command_start() - start a command, stopped until it is told to go
 * @command: name and arguments, as for execvp()
 * @prepare: runs in the new process when it may go; other than 0: it ends; or NULL
 * @ctx: for @prepare
 * @go: set to what a byte is to be written to
 *
 * A program that cannot be executed gives the status that a shell gives.
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
 * command_status() - an exit status, as a shell tells it
 * @status: as waitpid() tells it
 *
 * Return: the status; 128 + N if signal N ended the process.
 */
int command_status(int status)
{
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* Until it does, an interrupt would kill trace-cmd, and the recording be lost. */
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

/* What it will change: it puts that back itself, unless it is killed. */
static int note_tracing(const char *system)
{
	char enable[64], *on = tracefs_instance_file_read(NULL, "tracing_on", NULL), *enabled;
	int ret = OK;

	snprintf(enable, sizeof(enable), "events/%s/enable", system);
	enabled = tracefs_instance_file_read(NULL, enable, NULL);
	if (on) {
		on[strcspn(on, "\n")] = '\0';
		ret = guard_note(UNDO_WRITE, "tracing_on", on);
	}
	/* What others enabled, trace-cmd disables. */
	if (!ret && enabled && *enabled == '0')
		ret = guard_note(UNDO_WRITE, enable, "0");
	free(on);
	free(enabled);
	return ret;
}

static void __attribute__((noreturn)) run_trace_cmd(const char *system, const char *tmp, int go)
{
	char byte;

	/* Ctrl-C is for the command, and for us to pass on. */
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGINT);
	restore_signals();
	/* Not before the guard knows of it. */
	if (read(go, &byte, 1) != 1)
		_exit(127);
	execlp("trace-cmd", "trace-cmd", "record", "-q", "-e", system, "-o", tmp, NULL);
	_exit(127);
}

/* It may have written a part of its file, and its processes of each CPU may go on. */
static void kill_trace_cmd(pid_t pid)
{
	kill(pid, SIGINT);
	if (!(command_wait(-1, pid, END_MS) & TRACER_ENDED))
		kill(-pid, SIGKILL);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

/**
 * trace_cmd_start() - let trace-cmd record until it is told to stop
 * @system: the tracing system whose events are recorded
 * @tmp: the file, of trace_cmd_output()
 * @runs: does the kernel do its part by now?
 *
 * Return: its pid, or -1 after saying why it does not come to that.
 */
pid_t trace_cmd_start(const char *system, const char *tmp, bool (*runs)(void))
{
	char group[16];
	int go[2], tries;
	pid_t pid;

	if (note_tracing(system))
		return -1;
	if (pipe2(go, O_CLOEXEC)) {
		complain(FAILED, "pipe: %s", strerror(errno));
		return -1;
	}
	pid = fork();
	if (!pid) {
		close(go[1]);
		run_trace_cmd(system, tmp, go[0]);
	}
	close(go[0]);
	if (pid > 0) {
		setpgid(pid, pid);
		snprintf(group, sizeof(group), "%d", (int)pid);
		if (!guard_note(UNDO_TRACER, group, NULL) && write(go[1], "", 1) != 1)
			complain(FAILED, "trace-cmd: %s", strerror(errno));
	}
	close(go[1]);
	for (tries = 0; pid > 0 && tries < 1000; tries++) {
		if (waitpid(pid, NULL, WNOHANG) == pid) {
			complain(FAILED, "trace-cmd record does not work here");
			return -1;
		}
		if (runs() && catches_interrupts(pid))
			return pid;
		usleep(10000);
	}
	complain(FAILED, "trace-cmd record does not begin");
	if (pid > 0)
		kill_trace_cmd(pid);
	return -1;
}

/**
 * trace_cmd_wait() - wait for the command; without one, for a signal
 * @child: the command, or -1
 * @tracer: from trace_cmd_start(); -1: it has ended
 *
 * Signals but SIGINT, which a terminal sends to all, are passed on to the command.
 *
 * Return: the exit status; or -1 when trace-cmd ends by itself, after saying so.
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
			complain(FAILED, "trace-cmd ended: the recording is over%s", child > 0 ?
				 ", the command goes on" : "");
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

/* The path that it is, with links followed.  Return: 0, or -1 with errno set. */
static int whole_path(const char *path, char *whole, size_t size)
{
	const char *slash = strrchr(path, '/');
	char *dir, *real = realpath(path, NULL);
	int n;

	if (real) {
		n = snprintf(whole, size, "%s", real);
	} else {
		dir = slash ? strndup(path, slash - path + 1) : strdup(".");
		real = dir ? realpath(dir, NULL) : NULL;
		free(dir);
		if (!real)
			return -1;
		n = snprintf(whole, size, "%s/%s", real, slash ? slash + 1 : path);
	}
	free(real);
	errno = ENAMETOOLONG;
	return n < (int)size ? 0 : -1;
}

/* Is there a place for it, as far as can be known? */
static int try_file(const char *path, const char *tmp)
{
	static const char block[4096];
	struct stat st;
	int fd, err;

	if (!stat(path, &st) && !S_ISREG(st.st_mode)) {
		errno = S_ISDIR(st.st_mode) ? EISDIR : EINVAL;
		return -1;
	}
	fd = open(tmp, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
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
 * trace_cmd_output() - have a file for trace-cmd that appears when it is whole
 * @output: the file
 * @tmp: gets the name that trace-cmd is to write to
 * @size: of @tmp
 * @keep: it is @output in the end; else it is one for a while
 *
 * Return: OK, or FAILED after saying why the output cannot be written.
 */
int trace_cmd_output(const char *output, char *tmp, size_t size, bool keep)
{
	char whole[PATH_MAX];

	errno = ENOENT;
	if (!*output || whole_path(output, whole, sizeof(whole)))
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
 * trace_cmd_stop() - end the recording
 * @pid: from trace_cmd_start()
 * @tmp: of trace_cmd_output()
 * @output: becomes this file; NULL: it stays
 *
 * Return: OK, or FAILED after saying why, with no file.
 */
int trace_cmd_stop(pid_t pid, const char *tmp, const char *output)
{
	char part[PATH_MAX + 16], whole[PATH_MAX];
	int status = 0;

	kill(pid, SIGINT);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	snprintf(part, sizeof(part), "%s.cpu0", tmp);
	/* It removes the parts once it has made one file of them. */
	if (command_status(status) || access(tmp, R_OK) || !access(part, F_OK)) {
		undo_output(tmp);
		return complain(FAILED, "%s: trace-cmd did not write it (status %d)",
				output ? output : tmp, command_status(status));
	}
	if (output && (whole_path(output, whole, sizeof(whole)) || rename(tmp, whole))) {
		complain(FAILED, "%s: %s", output, strerror(errno));
		undo_output(tmp);
		return FAILED;
	}
	return OK;
}
