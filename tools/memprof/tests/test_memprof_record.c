// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* memprof record: what the recording says of itself, whatever the command is called. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#define XXH_STATIC_LINKING_ONLY	/* its state on the stack */
#include <xxhash.h>

#include "memprof/record.c"

static char path[] = "/tmp/memprof-record.XXXXXX";

/* The command of a recording's description, to be freed. */
static char *command_of(char **command)
{
	static const struct memsource source = { .name = "swmem", .period_unit = "ns" };
	struct recording r = { .source = &source, .cgroup = -1 };
	struct options o = { .command = command };
	static char text[1 << 16];
	const char *json;
	char *kept;
	json_t *meta;
	FILE *f;
	size_t n;

	r.machine.nr_cpus = r.machine.nr_nodes = 1;
	assert_int_equal(writer_open(&r.writer, path, 1), OK);
	write_meta(&r, &o);
	assert_int_equal(r.writer.error, 0);
	assert_int_equal(writer_close(&r.writer), OK);
	f = fopen(path, "r");
	n = fread(text, 1, sizeof(text) - 1, f);
	fclose(f);
	/* The bytes before it may be any, as times and checks are. */
	json = memmem(text, n, "{\"", 2);
	assert_non_null(json);
	meta = json_loadb(json, text + n - json, 0, NULL);
	assert_non_null(meta);
	kept = strdup(json_string_value(json_object_get(meta, "command")));
	json_decref(meta);
	return kept;
}

static void arguments_that_are_not_utf8_are_recorded(void **unused)
{
	char *kept = command_of((char *[]){ "sh", "caf\351", "\xff\xfe", "gr\xc3\xbc\xc3\x9f", NULL });

	(void)unused;
	assert_non_null(strstr(kept, "sh caf"));
	assert_non_null(strstr(kept, " gr\xc3\xbc\xc3\x9f"));
	free(kept);
}

/* Wherever the cut comes, it is between two characters. */
static void long_commands_are_cut_between_characters(void **unused)
{
	char argument[4096], *kept;
	size_t first, i;

	(void)unused;
	for (first = 0; first < 4; first++) {
		memset(argument, 'x', first);
		for (i = first; i + 3 < sizeof(argument); i += 3)
			memcpy(argument + i, "\xe6\xbc\xa2", 3);
		argument[i] = '\0';
		kept = command_of((char *[]){ argument, NULL });
		assert_in_range(strlen(kept), 1000, 1023);
		assert_int_equal(strncmp(kept, argument, strlen(kept)), 0);
		assert_int_equal((strlen(kept) - first) % 3, 0);
		free(kept);
	}
}

static int make_path(void **unused)
{
	(void)unused;
	return close(mkstemp(path));
}

static int remove_path(void **unused)
{
	(void)unused;
	return unlink(path);
}

/* What earlier calls may leave on the stack: states of hashes with the seed of the next one. */
static void __attribute__((noinline)) fill_stack(uint64_t seed)
{
	_Alignas(64) char fill[8192] = "";
	size_t at;

	/* Wherever a state begins: it is aligned to 64 bytes. */
	for (at = offsetof(XXH3_state_t, seed) % 64; at < sizeof(fill); at += 64)
		memcpy(fill + at, &seed, sizeof(seed));
	__asm__ volatile("" : : "r"(fill) : "memory");
}

/* Two chunks with the same header; short data are hashed in another way. */
static void checks_do_not_depend_on_the_stack(void **unused)
{
	static struct {
		struct file_header file;
		struct {
			struct chunk_header h;
			char data[1024];
		} chunk[2];
	} read;
	static char data[1024];
	const size_t hashed = offsetof(struct chunk_header, check);
	struct writer w;
	FILE *f;
	int i;

	(void)unused;
	assert_int_equal(writer_open(&w, path, 1), OK);
	for (i = 0; i < 2; i++) {
		writer_chunk(&w, CHUNK_META, 0, 5, 5, 1, &(struct iovec){ data, sizeof(data) }, 1);
		f = fopen(path, "r");
		assert_int_equal(fread(&read, 1, sizeof(read), f),
				 sizeof(read.file) + (i + 1) * sizeof(read.chunk[0]));
		fclose(f);
		fill_stack(XXH3_64bits(&read.chunk[i].h, hashed));
	}
	assert_int_equal(writer_close(&w), OK);
	for (i = 0; i < 2; i++)
		assert_int_equal(read.chunk[i].h.check, (uint32_t)XXH3_64bits_withSeed(read.chunk[i].data,
				 sizeof(data), XXH3_64bits(&read.chunk[i].h, hashed)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(arguments_that_are_not_utf8_are_recorded),
		cmocka_unit_test(long_commands_are_cut_between_characters),
		cmocka_unit_test(checks_do_not_depend_on_the_stack),
	};

	return cmocka_run_group_tests_name("memprof record", tests, make_path, remove_path);
}
