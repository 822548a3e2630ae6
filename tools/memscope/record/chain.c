// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * The command of a run, behind memprof record if its objects are recorded, too.  memref
 * needs the pid of the command before it begins, and only memprof's own child has it: a
 * shell that writes its pid, waits, and becomes the command.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/complain.h"
#include "lib/record/command.h"
#include "memscope/run/program.h"
#include "run.h"

/* Descriptors that the shell finds. */
#define NAMED_FD	9
#define GATE_FD		8

static const char script[] = "echo $$ >&9; read -r go <&8 || exit 1; exec 8<&- 9>&-; exec \"$@\"";

struct pipes {
	int named[2], gate[2];
};

/*
 * In the child, before it executes memprof.  The pipes may be at these numbers already, also at
 * each other's: move them away first.  dup2() clears FD_CLOEXEC, but not of equal numbers.
 */
static int take_pipes(void *ctx)
{
	const struct pipes *p = ctx;
	const int named = fcntl(p->named[1], F_DUPFD_CLOEXEC, NAMED_FD + 1);
	const int gate = fcntl(p->gate[0], F_DUPFD_CLOEXEC, NAMED_FD + 1);

	return named < 0 || gate < 0 || dup2(named, NAMED_FD) < 0 || dup2(gate, GATE_FD) < 0;
}

/* memprof record [options] -- sh -c SCRIPT sh COMMAND..., to be freed. */
static char **make_command(const struct run *r, char *program, char *objects)
{
	char *const head[] = { program, "record", "-o", objects, NULL };
	char *const tail[] = { "--", "sh", "-c", (char *)script, "sh", NULL };
	size_t n = 0, i;
	char **all;

	while (r->command[n])
		n++;
	all = calloc(n + 16, sizeof(*all));
	if (!all)
		return NULL;
	n = 0;
	for (i = 0; head[i]; i++)
		all[n++] = head[i];
	if (r->objects_source) {
		all[n++] = "-s";
		all[n++] = (char *)r->objects_source;
	}
	if (r->period) {
		all[n++] = "-c";
		all[n++] = (char *)r->period;
	}
	for (i = 0; tail[i]; i++)
		all[n++] = tail[i];
	for (i = 0; r->command[i]; i++)
		all[n++] = r->command[i];
	return all;
}

/* Wait for the line with the pid of the shell.  Return 0 if memprof ends before, or on a signal. */
static pid_t read_pid(const struct chain *c)
{
	struct pollfd fd = { .fd = c->named, .events = POLLIN };
	char line[32] = "";
	ssize_t n;

	while (!poll(&fd, 1, 0)) {
		if (command_wait(c->child, -1, 50) & COMMAND_ENDED || command_interrupted)
			break;
	}
	n = poll(&fd, 1, 0) > 0 ? read(c->named, line, sizeof(line) - 1) : 0;
	return n > 0 ? atoi(line) : 0;
}

static int start_memprof(struct chain *c, struct run *r)
{
	char program[4096], objects[4096];
	struct pipes p;
	char **command;

	program_path("memprof", program, sizeof(program));
	snprintf(objects, sizeof(objects), "%s/" RUN_OBJECTS, r->part);
	command = make_command(r, program, objects);
	if (!command || pipe2(p.named, O_CLOEXEC) || pipe2(p.gate, O_CLOEXEC)) {
		free(command);
		return complain(FAILED, "%s", strerror(errno));
	}
	c->child = command_start(command, take_pipes, &p, &c->go);
	free(command);
	close(p.named[1]);
	close(p.gate[0]);
	c->named = p.named[0];
	c->gate = p.gate[1];
	if (c->child < 0 || write(c->go, "", 1) != 1)
		return complain(FAILED, "memprof: %s", strerror(errno));
	r->pid = read_pid(c);
	/* memprof has printed why. */
	return r->pid > 0 ? OK : FAILED;
}

/**
 * chain_start() - start the command up to where it waits for chain_release()
 * @c: set to what waits
 * @r: the run; its pid is set
 *
 * Return: OK, or FAILED with a message printed.  chain_drop() ends what was started.
 */
int chain_start(struct chain *c, struct run *r)
{
	*c = (struct chain){ .child = -1, .go = -1, .gate = -1, .named = -1 };
	if (r->what & RECORD_OBJECTS)
		return start_memprof(c, r);
	c->child = command_start(r->command, NULL, NULL, &c->go);
	if (c->child < 0)
		return complain(FAILED, "fork: %s", strerror(errno));
	r->pid = c->child;
	return OK;
}

/**
 * chain_release() - let the command begin
 * @c: from chain_start()
 * @r: the run
 *
 * Return: OK, or FAILED with a message printed.
 */
int chain_release(struct chain *c, const struct run *r)
{
	const int fd = c->gate >= 0 ? c->gate : c->go;

	return write(fd, "\n", 1) == 1 ? OK : complain(FAILED, "%s: ended before it began", r->command[0]);
}

/**
 * chain_drop() - close what chain_start() opened; a command that was not released ends
 * @c: from chain_start()
 */
void chain_drop(struct chain *c)
{
	int *const fds[] = { &c->go, &c->gate, &c->named };
	size_t i;

	for (i = 0; i < 3; i++) {
		if (*fds[i] >= 0)
			close(*fds[i]);
		*fds[i] = -1;
	}
}
