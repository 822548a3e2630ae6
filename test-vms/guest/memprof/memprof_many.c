// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * memprof_many SLEEPERS PASSERS FILE: SLEEPERS threads allocate an object each and sleep; then
 * PASSERS threads start and end, each with an object; then the program prints "quiet" and
 * waits until FILE exists.  Prints the number of objects.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BYTES	1000

static pthread_mutex_t end = PTHREAD_MUTEX_INITIALIZER;

static void *use(void)
{
	char *object = malloc(BYTES);

	if (!object)
		exit(1);
	return memset(object, 1, BYTES);
}

static void *sleep_till_end(void *arg)
{
	void *object = use();

	pthread_mutex_lock(&end);
	pthread_mutex_unlock(&end);
	free(object);
	return arg;
}

static void *pass(void *arg)
{
	free(use());
	return arg;
}

static void begin(pthread_t *thread, void *(*run)(void *))
{
	pthread_attr_t small;

	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 64 << 10);
	if (pthread_create(thread, &small, run, NULL)) {
		fprintf(stderr, "memprof_many: no thread\n");
		exit(1);
	}
	pthread_attr_destroy(&small);
}

int main(int argc, char **argv)
{
	const int sleepers = argc == 4 ? atoi(argv[1]) : 0, passers = argc == 4 ? atoi(argv[2]) : 0;
	pthread_t *asleep = calloc(sleepers + 1, sizeof(*asleep)), passing[8];
	int i, k;

	if (argc != 4 || !asleep)
		return 2;
	pthread_mutex_lock(&end);
	for (i = 0; i < sleepers; i++)
		begin(&asleep[i], sleep_till_end);
	for (i = 0; i < passers; i += 8) {
		for (k = 0; k < 8; k++)
			begin(&passing[k], pass);
		for (k = 0; k < 8; k++)
			pthread_join(passing[k], NULL);
	}
	printf("quiet\n");
	fflush(stdout);
	while (access(argv[3], F_OK))
		usleep(200000);
	pthread_mutex_unlock(&end);
	for (i = 0; i < sleepers; i++)
		pthread_join(asleep[i], NULL);
	free(asleep);
	printf("objects %d\n", sleepers + (passers + 7) / 8 * 8);
	return 0;
}
