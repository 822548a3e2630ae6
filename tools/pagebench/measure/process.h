/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* A program that is measured: started, asked, ended. */
#ifndef PAGEALLOC_BENCH_PROCESS_H
#define PAGEALLOC_BENCH_PROCESS_H

#include <signal.h>
#include <stdint.h>
#include <sys/types.h>

#include "counters.h"
#include "suite.h"

/* Set by the signals that end a run; process_catch() has them set it. */
extern volatile sig_atomic_t process_interrupted;

/**
 * struct process_job - what is to be run
 * @command: its words, then those of @args
 * @env: NAME=VALUE, added to ours
 * @options: of pagealloc run, or NULL
 * @dir: where it runs
 * @lines: it is asked for measurements on standard input
 */
struct process_job {
	const struct words *command, *args, *env, *options;
	const char *dir;
	int lines;
};

/**
 * struct process - a program that runs
 * @pid: our child
 * @program: it, or a child of it that becomes the program
 * @begin_ns: when it was let go
 * @deadline_ns: when it is to be ended
 * @tail: the last of what it printed
 * @line: of its output, not yet whole
 */
struct process {
	pid_t pid, program;
	int pidfd, in, out;
	int status;		/* of waitpid(), when it has ended */
	int ended;
	uint64_t begin_ns, deadline_ns;
	double cpu_begin_s;
	struct counters counters;
	char tail[2048];
	size_t tail_len;
	char line[1024];
	size_t line_len;
};

/* Why something could not be had of it. */
enum process_result {
	PROCESS_OK, PROCESS_ENDED, PROCESS_TIMEOUT, PROCESS_INTERRUPTED, PROCESS_WRONG,
	PROCESS_ERRNO
};

void process_catch(void);
uint64_t process_now_ns(void);
enum process_result process_start(struct process *p, const struct process_job *job,
				  uint64_t timeout_s);
void process_go(struct process *p);
enum process_result process_wait(struct process *p, struct measurement *m);
enum process_result process_measure(struct process *p, unsigned long k, struct measurement *m);
void process_end(struct process *p);
void process_complain(struct process *p, enum process_result result, const char *what);

#endif
