// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * stress: the worker that starts, stops and sets the sampler, one for each mode.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "stress.h"

#define TRACING	"/sys/kernel/tracing/"

/* Of memref, in turns. */
static const char * const workers[] = { "1", "2", "7", "64" };

/* Start, stop and turn every knob. */
static unsigned long starts, changes;

void stress_control(void)
{
	static const char * const writes[] = { "off", "anon", "all", "all" };
	static const char * const kernels[] = { "auto", "on", "off" };
	static const char * const cgroups[] = { "", "", "/", "/none" };
	char buf[64];
	int err, on = 0;

	/* Do not let the sampler's CPU budget limit it. */
	stress_put(TRACING "memref/cpu_max", "0");
	while (!stress_over()) {
		changes++;
		switch (stress_rnd() % 18) {
		case 0:
		case 10:
		case 11:
			err = stress_put(TRACING "events/memref/enable", on ? "0" : "1");
			if (err)
				stress_fail("enable: %s", strerror(err));
			on = !on;
			starts += on;
			break;
		case 1:
			stress_put(TRACING "memref/write", writes[stress_rnd() % 4]);
			break;
		case 2:
			stress_put(TRACING "memref/kernel", kernels[stress_rnd() % 3]);
			break;
		case 3:
			snprintf(buf, sizeof(buf), "%d", (int)(10 + stress_rnd() % 90));
			stress_put(TRACING "memref/interval_ms", buf);
			break;
		case 4:
			snprintf(buf, sizeof(buf), "%d %d %d", (int)(1 + stress_rnd() % 200),
				 getppid(), getpid());
			stress_put(TRACING "memref_pid", buf);
			break;
		case 5:
			stress_put(TRACING "memref_pid", "\n");
			break;
		case 6:
			stress_put(TRACING "memref/scan", "1");
			break;
		case 7:
			stress_put(TRACING "memref/children", stress_rnd() & 1 ? "1" : "0");
			break;
		case 8:
			snprintf(buf, sizeof(buf), "%d", (int)(stress_rnd() % 3));
			stress_put(TRACING "memref/flush", buf);
			break;
		case 12:
			stress_put(TRACING "memref/encoding", stress_rnd() & 1 ? "batch" : "group");
			break;
		case 13:
			stress_put(TRACING "memref/tasks", stress_rnd() & 1 ? "1" : "0");
			stress_put(TRACING "memref/virt", stress_rnd() & 1 ? "1" : "0");
			stress_put(TRACING "memref/fault_around", stress_rnd() & 1 ? "1" : "0");
			break;
		case 14:
			stress_put(TRACING "memref/cgroup", cgroups[stress_rnd() % 4]);
			break;
		case 15:
			stress_put(TRACING "memref/cpu_max", stress_rnd() % 4 ? "0" : "50");
			stress_put(TRACING "memref/workers", workers[stress_rnd() % 4]);
			break;
		case 16:
		case 17:
			stress_put(TRACING "memref/ages", stress_rnd() % 4 ? "1" : "0");
			stress_put(TRACING "memref/vma_ages", stress_rnd() % 4 ? "1" : "0");
			break;
		case 9:
			snprintf(buf, sizeof(buf), "%d", 64 << (stress_rnd() % 15));
			err = stress_put(TRACING "memref/group_kb", buf);
			if (err != (on ? EBUSY : 0))
				stress_fail("group_kb while %s: %s", on ? "on" : "off",
					    strerror(err));
			break;
		}
		/* Usually long enough for some intervals. */
		usleep(stress_rnd() % (on ? 300000 : 20000));
	}
	stress_put(TRACING "events/memref/enable", "0");
	stress_put(TRACING "memref/ages", "0");
	stress_put(TRACING "memref/vma_ages", "0");
	stress_put(TRACING "memref/workers", "1");
	stress_put(TRACING "memref_pid", "\n");
	printf("# %lu starts of the sampler, %lu changes\n", starts, changes);
	fflush(stdout);
}

/* Sample the dirty bits of all pages every 50 ms, without a pause. */
void stress_control_write(void)
{
	stress_put(TRACING "memref/cpu_max", "0");
	stress_put(TRACING "memref/interval_ms", "50");
	while (!stress_over()) {
		stress_put(TRACING "memref/write", stress_rnd() % 8 ? "all" : "anon");
		stress_put(TRACING "memref/flush", stress_rnd() % 4 ? "1" : "2");
		stress_put(TRACING "memref/workers", workers[stress_rnd() % 4]);
		if (stress_put(TRACING "events/memref/enable", "1"))
			stress_fail("enable: %s", strerror(errno));
		starts++;
		for (int i = 0; i < 60 && !stress_over(); i++)
			sleep(1);
		stress_put(TRACING "events/memref/enable", "0");
	}
	printf("# %lu starts of the sampler, each for a minute\n", starts);
	fflush(stdout);
}

/* The same every 10 ms, each encoding in turn. */
void stress_control_dirty(void)
{
	stress_put(TRACING "memref/cpu_max", "0");
	stress_put(TRACING "memref/interval_ms", "10");
	stress_put(TRACING "memref/write", "all");
	while (!stress_over()) {
		stress_put(TRACING "memref/encoding", starts % 2 ? "batch" : "group");
		/* Without the TLB flush for accessed bits, only the one for dirty bits remains. */
		stress_put(TRACING "memref/flush", starts % 4 == 3 ? "1" : "0");
		stress_put(TRACING "memref/workers", workers[starts / 2 % 4]);
		if (stress_put(TRACING "events/memref/enable", "1"))
			stress_fail("enable: %s", strerror(errno));
		starts++;
		for (int i = 0; i < 10 && !stress_over(); i++)
			sleep(1);
		stress_put(TRACING "events/memref/enable", "0");
	}
	printf("# %lu starts of the sampler, each for ten seconds\n", starts);
	fflush(stdout);
}
