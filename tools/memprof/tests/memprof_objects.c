// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * A recording of a command's objects, by the preloaded library, with made-up accesses of
 * those that it names: memprof_objects OUTPUT COMMAND [ARGUMENT...].
 *
 * The command prints "ADDRESS BYTES" for each object, and "end", and waits until its input
 * ends.  Each object is accessed ACCESSES times, from each of two nodes.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/record/guard.h"
#include "memprof/record/chunks.h"
#include "memprof/record/record.h"

#define ACCESSES	100
#define MAX_OBJECTS	4096

static const char meta[] =
	"{\"machine\":{\"nodes\":2,\"cpu_node\":[0,1],\"distance\":[[10,20],[20,10]]},"
	"\"source\":\"swmem\",\"objects\":true,\"levels\":\"none\"}";

static struct recording r;
static struct sample_record samples[ACCESSES];

static void write_tasks(pid_t pid, const char *program, uint64_t time)
{
	char path[64], line[4096 + 256], name[4096], prot[8];
	struct buffer buffer = { };
	struct task_record t = { .delta = time, .type = TASK_FORK, .pid = pid, .tid = pid, .other = 1 };
	uint64_t start, end, offset;
	FILE *f;

	buffer_add_task(&buffer, &t, NULL);
	t.type = TASK_EXEC;
	t.other = 0;
	buffer_add_task(&buffer, &t, program);
	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	f = fopen(path, "r");
	while (f && fgets(line, sizeof(line), f)) {
		strcpy(name, "//anon");
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %*s %*u %4095[^\n]", &start, &end,
			   prot, &offset, name) < 4)
			continue;
		t = (struct task_record){ .delta = time, .type = TASK_MMAP, .pid = pid, .tid = pid, .start = start,
					  .length = end - start, .offset = offset };
		t.flags = (prot[1] == 'w' ? TASK_WRITABLE : 0) | (prot[2] == 'x' ? TASK_EXECUTABLE : 0);
		buffer_add_task(&buffer, &t, name);
	}
	if (f)
		fclose(f);
	buffer_flush(&buffer, &r.writer, CHUNK_TASKS, 0, 0, time);
	free(buffer.data);
}

/* From both CPUs, all over the object. */
static void write_samples(struct numbers *numbers, pid_t pid, uint64_t addr, uint64_t bytes)
{
	const uint64_t time = now_ns(), frame = 1;
	int cpu, i;

	for (cpu = 0; cpu < 2; cpu++) {
		for (i = 0; i < ACCESSES; i++)
			samples[i] = (struct sample_record){
				.delta = i, .cpu = cpu, .op = 1 + i % 2, .addr = addr + bytes * i / ACCESSES,
				.chain = numbers_chain(numbers, &frame, 1),
				.thread = numbers_thread(numbers, pid, pid), .node = 0, .pfn = 1 };
		numbers_flush(numbers, &r.writer, time, time + ACCESSES);
		writer_chunk(&r.writer, CHUNK_SAMPLES, cpu, time, time + ACCESSES, ACCESSES,
			     &(struct iovec){ samples, sizeof(samples) }, 1);
	}
}

static pid_t start(char **command, const struct rings *rings, int *in, int *out)
{
	const char *preload = getenv("OBJECTS_PRELOAD");
	int to[2], from[2];
	pid_t pid;

	if (pipe(to) || pipe(from))
		return -1;
	pid = fork();
	if (!pid) {
		dup2(to[0], 0);
		dup2(from[1], 1);
		close(to[0]), close(to[1]), close(from[0]), close(from[1]);
		if (preload)
			setenv("LD_PRELOAD", preload, 1);
		setenv("MEMPROF_SESSION", rings_directory(rings), 1);
		setenv("MEMPROF_CLOCK", rings_clock(rings), 1);
		execvp(command[0], command);
		_exit(127);
	}
	close(to[0]);
	close(from[1]);
	*in = to[1];
	*out = from[0];
	return pid;
}

int main(int argc, char **argv)
{
	static uint64_t objects[MAX_OBJECTS][2];
	struct numbers numbers = { };
	char error[256], line[256];
	struct rings *rings;
	int n = 0, i, in = -1, out = -1, status;
	uint64_t time;
	pid_t pid;
	FILE *f;

	if (argc < 3 || guard_begin("memprof", false))
		return 2;
	rings = rings_new(&r, error, sizeof(error));
	if (!rings || writer_open(&r.writer, argv[1], now_ns()))
		return 1;
	time = now_ns();
	writer_chunk(&r.writer, CHUNK_META, 0, time, time, 1, &(struct iovec){ (void *)meta, strlen(meta) }, 1);
	pid = start(argv + 2, rings, &in, &out);
	f = fdopen(out, "r");
	while (pid > 0 && f && fgets(line, sizeof(line), f) && strcmp(line, "end\n"))
		if (n < MAX_OBJECTS &&
		    sscanf(line, "%" SCNx64 " %" SCNu64, &objects[n][0], &objects[n][1]) == 2)
			n++;
	write_tasks(pid, argv[2], time);
	/* What the objects were allocated by is in the past of their accesses. */
	usleep(10000);
	for (i = 0; i < n; i++)
		write_samples(&numbers, pid, objects[i][0], objects[i][1]);
	close(in);
	waitpid(pid, &status, 0);
	rings_drain(rings, true);
	rings_close(rings);
	writer_chunk(&r.writer, CHUNK_END, 0, time, time, 1, &(struct iovec){ "{}", 2 }, 1);
	numbers_free(&numbers);
	fclose(f);
	guard_undo();
	return writer_close(&r.writer) || !WIFEXITED(status) ? 1 : WEXITSTATUS(status);
}
