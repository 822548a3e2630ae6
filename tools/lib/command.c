// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "command.h"
#include "complain.h"

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

	if (pipe(fds))
		return -1;
	pid = fork();
	if (pid) {
		close(fds[0]);
		*go = fds[1];
		return pid;
	}
	close(fds[1]);
	signal(SIGINT, SIG_DFL);
	signal(SIGPIPE, SIG_DFL);
	if (read(fds[0], &byte, 1) != 1 || (prepare && prepare(ctx)))
		_exit(FAILED);
	close(fds[0]);
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

/**
 * trace_cmd_start() - let trace-cmd record until it is told to stop
 * @system: the tracing system whose events are recorded
 * @output: the file
 * @runs: does the kernel do its part by now?
 *
 * Return: its pid, or -1 if it does not come to that.
 */
pid_t trace_cmd_start(const char *system, const char *output, bool (*runs)(void))
{
	pid_t pid = fork();
	int tries;

	if (!pid) {
		/* Ctrl-C is for the command, and for us to pass on. */
		setpgid(0, 0);
		prctl(PR_SET_PDEATHSIG, SIGINT);
		signal(SIGPIPE, SIG_DFL);
		execlp("trace-cmd", "trace-cmd", "record", "-q", "-e", system, "-o", output, NULL);
		_exit(127);
	}
	for (tries = 0; pid > 0 && tries < 1000; tries++) {
		if (waitpid(pid, NULL, WNOHANG) == pid)
			return -1;
		if (runs() && catches_interrupts(pid))
			return pid;
		usleep(10000);
	}
	if (pid > 0)
		kill(pid, SIGINT);
	return -1;
}

/**
 * trace_cmd_ended() - has trace-cmd ended by itself?
 * @pid: from trace_cmd_start()
 *
 * Return: true if so; trace_cmd_stop() tells how.
 */
bool trace_cmd_ended(pid_t pid)
{
	siginfo_t info = { .si_pid = 0 };

	return waitid(P_PID, pid, &info, WEXITED | WNOHANG | WNOWAIT) || info.si_pid;
}

/**
 * trace_cmd_stop() - end the recording
 * @pid: from trace_cmd_start()
 * @output: the file
 *
 * Return: OK, or FAILED after saying why.
 */
int trace_cmd_stop(pid_t pid, const char *output)
{
	int status = 0;

	kill(pid, SIGINT);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	/* An older file of the same name does not count. */
	if (command_status(status) || access(output, R_OK))
		return complain(FAILED, "%s: trace-cmd did not write it (status %d)", output,
				command_status(status));
	return OK;
}
