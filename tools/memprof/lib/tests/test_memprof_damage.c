// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Recordings that are truncated or damaged, and files that are none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "memprof/lib/tests/one_process.h"

/* Truncated and damaged anywhere: what can be read is, nothing crashes. */
static void damage_is_reported(void **unused)
{
	char error[256], *bytes;
	struct memprof *m;
	struct stat st;
	struct data *d;
	uint32_t s, i, seed = 1;
	int fd;

	(void)unused;
	begin(&d, &s);
	for (i = 0; i < 500; i++) {
		alloc(d, s, T(10 + i), 0x20000 + 64 * i, 64);
		data_sample(d, i % 4, T(20 + i), 10, 10, 0x20000 + 64 * i, LOAD, 0);
	}
	data_end(d, 1);
	fd = open(data_path, O_RDWR);
	assert_int_equal(fstat(fd, &st), 0);
	bytes = malloc(st.st_size);
	assert_int_equal(read(fd, bytes, st.st_size), st.st_size);
	for (i = 0; i < 600; i++) {
		size_t at = (seed = seed * 1103515245 + 12345) % st.st_size;
		int cut = i % 2;

		assert_int_equal(pwrite(fd, bytes, st.st_size, 0), st.st_size);
		if (cut)
			assert_int_equal(ftruncate(fd, at), 0);
		else
			assert_int_equal(pwrite(fd, &seed, st.st_size - at < 4 ? 1 : 4, at), st.st_size - at < 4 ? 1 : 4);
		m = memprof_open(data_path, NULL, error, sizeof(error));
		if (m) {
			assert_true(memprof_nr_accesses(m) <= 500);
			/* Only what the file header says of the clock is not checked. */
			if (at >= sizeof(struct file_header))
				assert_non_null(memprof_damage(m));
		} else {
			assert_true(at < sizeof(struct file_header));
			assert_non_null(strstr(error, data_path));
		}
		memprof_close(m);
	}
	free(bytes);
	close(fd);
}

static void not_a_recording(void **unused)
{
	char error[256];

	(void)unused;
	assert_null(memprof_open("/proc/self/exe", NULL, error, sizeof(error)));
	assert_non_null(strstr(error, "not a recording"));
	assert_null(memprof_open("/nonexistent", NULL, error, sizeof(error)));
	assert_non_null(strstr(error, "/nonexistent"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(damage_is_reported),
		cmocka_unit_test(not_a_recording),
	};

	return cmocka_run_group_tests(tests, data_make_path, data_remove_path);
}
