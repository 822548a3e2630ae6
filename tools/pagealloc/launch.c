// SPDX-License-Identifier: GPL-2.0
/*
 * Commands that are stopped where their program begins, and where it ends: by
 * ptrace, so that it also works for static programs and needs nothing in them.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli.h"

/* As env(1) and nohup(1). */
enum { CANNOT_EXEC = 126, NOT_FOUND = 127 };

/* Stops that ptrace(2) reports beside signals. */
#define EVENT(status) ((unsigned int)(status) >> 16)

static volatile pid_t child;

/**
 * no_aslr() - do not randomize the address space of programs from here on
 *
 * Return: OK, or FAILED after saying why.
 */
int no_aslr(void)
{
	int now = personality(0xffffffff);

	if (now == -1 || personality(now | ADDR_NO_RANDOMIZE) == -1)
		return complain(FAILED, "--no-aslr: %s", strerror(errno));
	return OK;
}

/**
 * launch_exec() - become a command
 * @argv: the command
 *
 * Return: only if that failed, a status after saying why.
 */
int launch_exec(char **argv)
{
	execvp(argv[0], argv);
	return complain(errno == ENOENT ? NOT_FOUND : CANNOT_EXEC, "%s: %s", argv[0],
			strerror(errno));
}

static void pass_on(int sig)
{
	if (child > 0)
		kill(child, sig);
}

/* A terminal's Ctrl-C is sent to the command as well; others are passed on. */
static void set_signals(void)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN };
	struct sigaction pass = { .sa_handler = pass_on, .sa_flags = SA_RESTART };

	sigaction(SIGINT, &ignore, NULL);
	sigaction(SIGQUIT, &ignore, NULL);
	sigaction(SIGTERM, &pass, NULL);
	sigaction(SIGHUP, &pass, NULL);
}

/* The child waits until it is traced. */
static void run_child(const struct launch *l, int go)
{
	char c;

	if (read(go, &c, 1) != 1)
		_exit(FAILED);
	close(go);
	if (l->no_aslr && no_aslr())
		_exit(FAILED);
	_exit(launch_exec(l->argv));
}

static int is_group_stop(int sig)
{
	return sig == SIGSTOP || sig == SIGTSTP || sig == SIGTTIN || sig == SIGTTOU;
}

/* Until it ends.  Return: its status, or ours if it had to be killed. */
static int follow(struct launch *l)
{
	int status, ret = OK, begun = 0;

	for (;;) {
		int sig = 0, request = PTRACE_CONT;

		if (waitpid(child, &status, __WALL) < 0) {
			if (errno == EINTR)
				continue;
			return complain(FAILED, "waiting for %s: %s", l->argv[0], strerror(errno));
		}
		if (WIFEXITED(status))
			return ret ? ret : WEXITSTATUS(status);
		if (WIFSIGNALED(status))
			return ret ? ret : 128 + WTERMSIG(status);
		switch (EVENT(status)) {
		case PTRACE_EVENT_EXEC:
			/* A command that becomes another one goes on as it is. */
			if (begun++)
				break;
			ret = l->begin ? l->begin(l, child) : OK;
			if (ret)
				kill(child, SIGKILL);
			else if (!l->end)
				request = PTRACE_DETACH;
			break;
		case PTRACE_EVENT_EXIT:
			if (begun && !ret)
				ret = l->end(l, child);
			break;
		case PTRACE_EVENT_STOP:
			if (is_group_stop(WSTOPSIG(status)))
				request = PTRACE_LISTEN;
			break;
		default:
			sig = WSTOPSIG(status);
		}
		ptrace(request, child, NULL, (void *)(long)sig);
	}
}

/**
 * launch() - run a command
 * @l: the command and what to do at its stops
 *
 * Return: its status, 128 and the number of the signal that ended it, or the
 * status of what failed, after saying why.
 */
int launch(struct launch *l)
{
	long options = PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL | (l->end ? PTRACE_O_TRACEEXIT : 0);
	int go[2], err;

	if (pipe(go))
		return complain(FAILED, "%s", strerror(errno));
	fflush(NULL);
	child = fork();
	if (child < 0)
		return complain(FAILED, "%s", strerror(errno));
	if (!child) {
		close(go[1]);
		run_child(l, go[0]);
	}
	close(go[0]);
	if (ptrace(PTRACE_SEIZE, child, NULL, (void *)options)) {
		err = errno;
		close(go[1]);
		waitpid(child, NULL, 0);
		return complain(FAILED, "%s: cannot be stopped where it begins: ptrace: %s",
				l->argv[0], strerror(err));
	}
	set_signals();
	if (write(go[1], "", 1) != 1)
		kill(child, SIGKILL);
	close(go[1]);
	return follow(l);
}
