/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* A measured program: starts it, requests measurements, ends it. */
#ifndef PAGEALLOC_BENCH_PROCESS_H
#define PAGEALLOC_BENCH_PROCESS_H

#include <signal.h>
#include <stdint.h>
#include <sys/types.h>

#include "counters.h"
#include "suite.h"

/* Set by the signals that end a run, after process_catch(). */
extern volatile sig_atomic_t process_interrupted;

/**
 * struct process_job - a program to run
 * @command: words of the command line, followed by those of @args
 * @env: NAME=VALUE, added to this process's environment
 * @options: options for pagealloc run, or NULL to run the program without it
 * @options_dir: directory that files in @options are relative to
 * @dir: the program's working directory
 * @trace: file that @program of struct process is written to before it executes anything, or NULL
 * @lines: measurements are requested by lines on its standard input
 */
struct process_job {
	const struct words *command, *args, *env, *options;
	const char *options_dir, *dir, *trace;
	int lines;
};

/**
 * struct process - a running program
 * @pid: the child process
 * @program: the process that executes the program: @pid, or a child of it
 * @begin_ns: time of its release
 * @deadline_ns: time at which it is killed
 * @tail: the end of its output
 * @line: the current, incomplete line of its output
 */
struct process {
	pid_t pid, program;
	int pidfd, in, out;
	int status;		/* wait status, if @ended */
	int ended;
	uint64_t begin_ns, deadline_ns;
	double cpu_begin_s;
	struct counters counters;
	char tail[2048];
	size_t tail_len;
	char line[1024];
	size_t line_len;
};

/* Why a measurement failed. */
enum process_result {
	PROCESS_OK, PROCESS_ENDED, PROCESS_TIMEOUT, PROCESS_INTERRUPTED, PROCESS_WRONG,
	PROCESS_EARLY,		/* an answer before the request */
	PROCESS_METRICS,	/* other metrics than in the first measurement */
	PROCESS_TRACE,		/* its number could not be written */
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
