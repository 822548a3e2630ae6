// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * stress: workers whose processes, threads and CPUs come and go.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "stress.h"

static void *idle_thread(void *arg)
{
	usleep(stress_rnd() % 2000);
	return NULL;
}

/* fork, vfork, exec, threads, exit. */
void stress_worker_fork(void)
{
	char *mem = stress_map(MIB, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	pthread_t threads[4];
	unsigned int i;
	pid_t pid;

	memset(mem, 1, MIB);
	while (!stress_over()) {
		switch (stress_rnd() % 4) {
		case 0:
			pid = vfork();
			if (!pid) {
				execl("/bin/true", "true", NULL);
				_exit(127);
			}
			break;
		case 1:
			pid = fork();
			if (!pid) {
				memset(mem, 2, MIB / 2);
				execl("/bin/true", "true", NULL);
				_exit(127);
			}
			break;
		case 2:
			pid = fork();
			if (!pid) {
				for (i = 0; i < 4; i++)
					pthread_create(&threads[i], NULL, idle_thread, NULL);
				/* The leader leaves first. */
				pthread_exit(NULL);
			}
			break;
		default:
			pid = fork();
			if (!pid) {
				munmap(mem + MIB / 4, MIB / 4);
				kill(getpid(), SIGKILL);
			}
		}
		if (pid > 0)
			waitpid(pid, NULL, 0);
	}
}

void stress_worker_hotplug(void)
{
	char path[64];

	while (!stress_over()) {
		snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/online",
			 1 + (int)(stress_rnd() % 3));
		stress_put(path, "0");
		usleep(200000);
		stress_put(path, "1");
		usleep(stress_rnd() % 1000000);
	}
	for (int cpu = 1; cpu < 4; cpu++) {
		snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/online", cpu);
		stress_put(path, "1");
	}
}
