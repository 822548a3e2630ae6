// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * Runs a command and stops it before its first instruction, and at its exit.  Uses
 * ptrace, which works for any program, static ones included.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli.h"

/* Exit statuses as of env(1) and nohup(1). */
enum { CANNOT_EXEC = 126, NOT_FOUND = 127 };

/* The PTRACE_EVENT_* of a stop; 0: a signal. */
#define EVENT(status) ((unsigned int)(status) >> 16)

static volatile pid_t child;

/* Wait status of a child that ended during launch_reserve(), else 0. */
static int early_end;

/**
 * no_aslr() - disable address randomization for programs executed from now on
 *
 * Return: OK, or FAILED with a message printed.
 */
int no_aslr(void)
{
	int now = personality(0xffffffff);

	if (now == -1 || personality(now | ADDR_NO_RANDOMIZE) == -1)
		return complain(FAILED, "--no-aslr: %s", strerror(errno));
	return OK;
}

/* If set, called immediately before a command is executed. */
void (*launch_gate)(void);

/**
 * launch_exec() - execute a command in this process
 * @argv: the command
 *
 * Return: on failure only, an exit status with a message printed.
 */
int launch_exec(char **argv)
{
	if (launch_gate)
		launch_gate();
	execvp(argv[0], argv);
	return complain(errno == ENOENT ? NOT_FOUND : CANNOT_EXEC, "%s: %s", argv[0],
			strerror(errno));
}

/* What the kernel sends is for us alone, or, for a terminal, sent to the command, too. */
static void forward_signal(int sig, siginfo_t *info, void *context)
{
	(void)context;
	if (child > 0 && (info->si_code <= 0 || sig == SIGTERM || sig == SIGHUP))
		kill(child, sig);
}

static void set_signals(void)
{
	static const int signals[] = { SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM, SIGWINCH };
	struct sigaction forward = { .sa_sigaction = forward_signal, .sa_flags = SA_RESTART | SA_SIGINFO };
	size_t i;

	for (i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		sigaction(signals[i], &forward, NULL);
}

/* In the child: wait until it is traced, then execute the command. */
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

#ifdef __x86_64__

/* The address of a syscall instruction: the vDSO has one, for its fallbacks. */
static uint64_t find_syscall(pid_t pid)
{
	unsigned long start = 0, end = 0, found = 0;
	char path[64], line[512], *code = NULL;
	ssize_t n = 0, i;
	FILE *f;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f))
		if (strstr(line, "[vdso]") && sscanf(line, "%lx-%lx", &start, &end) == 2)
			break;
	if (f)
		fclose(f);
	snprintf(path, sizeof(path), "/proc/%d/mem", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0 && end > start && end - start <= 1 << 20)
		code = malloc(end - start);
	if (code)
		n = pread(fd, code, end - start, start);
	for (i = 0; i + 1 < n && !found; i++)
		if (code[i] == '\x0f' && code[i + 1] == '\x05')
			found = start + i;
	free(code);
	if (fd >= 0)
		close(fd);
	return found;
}

/* Resume the child until stop signal @stop; collect other signals in @late. */
static int step(pid_t pid, int request, int stop, sigset_t *late)
{
	int status, ret;

	for (;;) {
		if (ptrace(request, pid, NULL, NULL))
			return -errno;
		do {
			ret = waitpid(pid, &status, __WALL);
		} while (ret < 0 && errno == EINTR);
		if (ret < 0)
			return -errno;
		if (!WIFSTOPPED(status)) {
			early_end = status;
			return -ESRCH;
		}
		if (EVENT(status))
			continue;
		if (WSTOPSIG(status) == stop)
			return 0;
		sigaddset(late, WSTOPSIG(status));
	}
}

static int call_mmap(pid_t pid, uint64_t start, uint64_t end, uint64_t instruction, sigset_t *late)
{
	struct user_regs_struct saved, regs;
	int ret;

	/* Finish execve() first: its return would overwrite registers. */
	ret = step(pid, PTRACE_SYSCALL, SIGTRAP | 0x80, late);
	if (ret)
		return ret;
	if (ptrace(PTRACE_GETREGS, pid, NULL, &saved))
		return -errno;
	saved.orig_rax = -1;
	regs = saved;
	regs.rip = instruction;
	regs.rax = SYS_mmap;
	regs.rdi = start;
	regs.rsi = end - start;
	regs.rdx = PROT_NONE;
	regs.r10 = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE;
	regs.r8 = -1;
	regs.r9 = 0;
	if (ptrace(PTRACE_SETREGS, pid, NULL, &regs))
		return -errno;
	ret = step(pid, PTRACE_SINGLESTEP, SIGTRAP, late);
	if (!ret && ptrace(PTRACE_GETREGS, pid, NULL, &regs))
		ret = -errno;
	if (ptrace(PTRACE_SETREGS, pid, NULL, &saved) && !ret)
		ret = -errno;
	if (!ret && regs.rax != start)
		ret = (long)regs.rax < 0 ? (long)regs.rax : -EEXIST;
	return ret;
}

/**
 * launch_reserve() - make a command reserve a range of addresses
 * @pid: the command, stopped in launch()'s @begin
 * @start: first address
 * @end: first address after it
 *
 * Return: 0, or a negative errno.
 */
int launch_reserve(pid_t pid, uint64_t start, uint64_t end)
{
	uint64_t instruction = find_syscall(pid);
	sigset_t late;
	int ret, sig;

	if (!instruction)
		return -ENOSYS;
	sigemptyset(&late);
	ret = call_mmap(pid, start, end, instruction, &late);
	for (sig = 1; sig < NSIG && !early_end; sig++)
		if (sigismember(&late, sig) == 1)
			kill(pid, sig);
	return ret;
}

#else

int launch_reserve(pid_t pid, uint64_t start, uint64_t end)
{
	(void)pid;
	(void)start;
	(void)end;
	return -ENOSYS;
}

#endif

/* Handle the child's stops until it ends.  Return its exit status, or a callback's. */
static int follow(struct launch *l)
{
	int status, ret = OK, begun = 0;

	for (;;) {
		int sig = 0, request = PTRACE_CONT;

		if (early_end) {
			status = early_end;
		} else if (waitpid(child, &status, __WALL) < 0) {
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
			/* Only the first exec is the command's; later ones keep running. */
			if (begun++)
				break;
			ret = l->begin ? l->begin(l, child) : OK;
			if (early_end)
				continue;
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
 * @l: the command and its callbacks
 *
 * Return: its exit status; 128 plus the number of the signal that ended it; or the status
 * of what failed, with a message printed.
 */
int launch(struct launch *l)
{
	long options = PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL | PTRACE_O_TRACESYSGOOD |
		       (l->end ? PTRACE_O_TRACEEXIT : 0);
	int go[2], err, failed;

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
	failed = write(go[1], "", 1) != 1;
	if (failed) {
		complain(FAILED, "%s: not begun: %s", l->argv[0], strerror(errno));
		kill(child, SIGKILL);
	}
	close(go[1]);
	err = follow(l);
	return failed ? FAILED : err;
}
