// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* What features of perf.data files say of the machine and of events: host, CPUs, nodes, memory, names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "perf_bytes.h"

static struct perf_data *with_feature(unsigned int feature, const struct bytes *f)
{
	struct bytes b = native();
	struct perf_data *d;

	put_feature(&b, feature, f->size);
	patch(&b, SECTIONS, SECTIONS + 16);
	put(&b, f->at, f->size);
	d = open_as(&b, b.size, NULL);
	free(b.at);
	return d;
}

static void features_are_found_in_the_order_of_their_bits(void **unused)
{
	/* Of those not read, the bytes may be anywhere. */
	static const unsigned int others[] = { 0, 1, 2, 5, 9, 10, 11, 13, 15, 17, 18, 21, 23, 63, 64, 128, 255 };
	static const unsigned int numbers[] = { 3, 4, 6, 7, 8 };
	static const char * const texts[] = { "host.name", "6.12.1", "aarch64", "\x50", "A processor" };
	struct bytes b = native(), f = { 0 };
	size_t i, k, at, n = LENGTH(others) + LENGTH(numbers);
	struct perf_data *d;

	(void)unused;
	for (i = 0, at = SECTIONS; i < 256; i++) {
		for (k = 0; k < LENGTH(others); k++)
			if (others[k] == i) {
				put_feature(&b, i, UINT64_MAX);
				patch(&b, at, UINT64_MAX);
				at += 16;
			}
		for (k = 0; k < LENGTH(numbers); k++)
			if (numbers[k] == i) {
				put_feature(&b, i, 4 + (k == 3 ? 0 : strlen(texts[k]) + 1));
				patch(&b, at, SECTIONS + 16 * n + f.size);
				at += 16;
				if (k == 3)
					put32(&f, 80);
				else
					put_text(&f, texts[k]);
			}
	}
	put(&b, f.at, f.size);
	d = open_as(&b, b.size, NULL);
	assert_string_equal(d->machine.host, "host.name");
	assert_string_equal(d->machine.release, "6.12.1");
	assert_string_equal(d->machine.arch, "aarch64");
	assert_string_equal(d->machine.cpu, "A processor");
	assert_int_equal(d->machine.nr_cpus, 80);
	close_file(d, NULL);
	/* Without the last byte, and with half of the list of sections. */
	close_file(open_as(&b, b.size - 1, "x: truncated feature 8 at 0x1d0"), NULL);
	close_file(open_as(&b, SECTIONS + 8, "x: truncated at 0x158"), NULL);
	free(f.at);
	free(b.at);
}

static void a_feature_is_inside_of_the_file_or_too_large(void **unused)
{
	static const unsigned int read[] = { 3, 4, 6, 7, 8, 12, 14, 16, 22 };
	char expected[64];
	size_t i;

	(void)unused;
	for (i = 0; i < LENGTH(read); i++) {
		struct bytes b = native();

		put_feature(&b, read[i], 0);
		snprintf(expected, sizeof(expected), "x: truncated feature %u at 0x150", read[i]);
		patch(&b, SECTIONS, b.size);
		close_file(open_as(&b, b.size, NULL), NULL);
		patch(&b, SECTIONS, b.size + 1);
		close_file(open_as(&b, b.size, expected), NULL);
		patch(&b, SECTIONS, b.size - 8);
		patch(&b, SECTIONS + 8, 8);
		close_file(open_as(&b, b.size, NULL), NULL);
		patch(&b, SECTIONS + 8, 9);
		close_file(open_as(&b, b.size, expected), NULL);
		patch(&b, SECTIONS + 8, 16 * MIB);
		close_file(open_as(&b, b.size, expected), NULL);
		patch(&b, SECTIONS + 8, 16 * MIB + 1);
		close_file(open_as(&b, b.size, NULL), NULL);
		/* A file that was not ended has no features, whatever it says. */
		patch(&b, SECTIONS + 8, 9);
		patch(&b, DATA + 8, 0);
		close_file(open_as(&b, b.size, NULL), &b);
	}
}

static void texts_end_within_their_bytes(void **unused)
{
	static const struct { uint32_t says; const char *bytes; size_t size; const char *expected; } rows[] = {
		{ 5, "name", 5, "name" }, { 5, "hos\0t", 5, "hos" }, { 4, "name", 5, "" }, { 6, "name", 5, "" },
		{ 5, "name\0\0\0", 8, "name" }, { 1, "", 1, "" }, { 0, "", 1, "" },
	};
	char long_name[300];
	struct bytes f = { 0 };
	struct perf_data *d;
	size_t i;

	(void)unused;
	for (i = 0; i < LENGTH(rows); i++) {
		f.size = 0;
		put32(&f, rows[i].says);
		put(&f, rows[i].bytes, rows[i].size);
		d = with_feature(3, &f);
		assert_string_equal(d->machine.host, rows[i].expected);
		close_file(d, NULL);
	}
	f.size = 3;
	d = with_feature(3, &f);
	assert_string_equal(d->machine.host, "");
	close_file(d, NULL);
	memset(long_name, 'n', sizeof(long_name));
	long_name[299] = '\0';
	for (i = 0; i < 4; i++) {
		static const unsigned int features[] = { 3, 4, 6, 8 };
		const size_t sizes[] = { sizeof(d->machine.host), sizeof(d->machine.release), sizeof(d->machine.arch),
					 sizeof(d->machine.cpu) };

		f.size = 0;
		put_text(&f, long_name);
		d = with_feature(features[i], &f);
		const char *texts[] = { d->machine.host, d->machine.release, d->machine.arch, d->machine.cpu };

		assert_int_equal(strlen(texts[i]), sizes[i] - 1);
		close_file(d, NULL);
	}
	free(f.at);
}

static void check_names(struct bytes *f, const char *first, const char *second)
{
	struct perf_data *d = with_feature(12, f);

	assert_string_equal(d->events[0].name, first);
	assert_string_equal(d->events[1].name, second);
	close_file(d, NULL);
}

static void names_are_of_the_events_of_their_ids(void **unused)
{
	static const uint64_t first[] = { 31, 32 }, second[] = { 20 }, later[] = { 32, 20 }, none[] = { 99 };
	char long_name[100];
	struct bytes f = { 0 };
	struct perf_data *d;

	(void)unused;
	begin_names(&f, 2, 72);
	put_name(&f, 72, "two", second, 1);
	put_name(&f, 72, "one", first, 2);
	check_names(&f, "one", "two");
	/* What is behind the number of them is none. */
	begin_names(&f, 1, 72);
	put_name(&f, 72, "two", second, 1);
	put_name(&f, 72, "one", first, 2);
	check_names(&f, "", "two");
	/* The first of an event's ids says which it is; and of those without any, the order. */
	begin_names(&f, 3, 0);
	put_name(&f, 0, "one", later, 2);
	put_name(&f, 0, "two", NULL, 0);
	put_name(&f, 0, "none", NULL, 0);
	check_names(&f, "one", "two");
	begin_names(&f, 2, 0);
	put_name(&f, 0, "one", NULL, 0);
	put_name(&f, 0, "two", NULL, 0);
	check_names(&f, "one", "two");
	begin_names(&f, 2, 64);
	put_name(&f, 64, "none", none, 1);
	put_name(&f, 64, "two", NULL, 0);
	check_names(&f, "", "two");
	/* The last id is cut, or the name, or the attr. */
	begin_names(&f, 2, 64);
	put_name(&f, 64, "two", second, 1);
	put_name(&f, 64, "one", first, 2);
	f.size--;
	check_names(&f, "", "two");
	f.size -= 17;
	check_names(&f, "", "two");
	f.size -= 7;
	check_names(&f, "", "two");
	f.size = 4;
	check_names(&f, "", "");
	memset(long_name, 'n', sizeof(long_name));
	long_name[99] = '\0';
	begin_names(&f, 1, 8);
	put_name(&f, 8, long_name, second, 1);
	d = with_feature(12, &f);
	assert_int_equal(strlen(d->events[1].name), sizeof(d->events[1].name) - 1);
	close_file(d, &f);
}

static void pmus_are_found_by_their_numbers(void **unused)
{
	struct bytes f = { 0 };
	struct perf_data *d;
	size_t i;

	(void)unused;
	put32(&f, 3);
	put32(&f, 4);
	put_text(&f, "cpu");
	put32(&f, 6);
	put_text(&f, "software");
	put32(&f, 5);
	put_text(&f, "a_name_that_is_longer_than_31_characters");
	for (i = 0; i < 4; i++) {
		d = with_feature(16, &f);
		assert_string_equal(d->events[0].pmu, i < 3 ? "cpu" : "");
		assert_string_equal(d->events[1].pmu, i ? "" : "a_name_that_is_longer_than_31_c");
		close_file(d, NULL);
		/* Of a name the last byte is missing; then there is one fewer; then no number. */
		if (!i)
			f.size--;
		else if (i == 1)
			f.size += 1, f.at[0] = 2;
		else
			f.size = 3;
	}
	free(f.at);
}

static void cpus_are_of_the_nodes_whose_lists_have_them(void **unused)
{
	struct bytes f = { 0 };
	struct perf_data *d;
	size_t i;

	(void)unused;
	put32(&f, 5);
	put32(&f, 0);
	put(&f, "1234567812345678", 16);
	put_text(&f, "0-3,8");
	put32(&f, 254);
	put(&f, "1234567812345678", 16);
	put_text(&f, "5,12-11,14-14,4095-5000x9");
	put32(&f, 2);
	put(&f, "1234567812345678", 16);
	put_text(&f, "");
	put32(&f, 255);
	put(&f, "1234567812345678", 16);
	put_text(&f, "20");
	put32(&f, 1);
	put(&f, "1234567812345678", 16);
	put_text(&f, "21");
	d = with_feature(14, &f);
	for (i = 0; i < PERF_MAX_CPUS; i++)
		assert_int_equal(d->machine.cpu_node[i], i < 4 || i == 8 ? 0 :
				 i == 5 || i == 14 || i == 4095 ? 254 : PERF_NO_NODE);
	assert_int_equal(d->machine.nr_cpus, PERF_MAX_CPUS);
	assert_int_equal(d->machine.nr_nodes, 255);
	close_file(d, NULL);
	/* A list that is cut is none; what was before it stays. */
	f.size = 4 + 2 * (4 + 16 + 4) + 6 + 26 - 1;
	d = with_feature(14, &f);
	assert_int_equal(d->machine.nr_cpus, 9);
	assert_int_equal(d->machine.nr_nodes, 1);
	close_file(d, NULL);
	f.at[0] = 1;
	f.size = 4 + 4 + 15;
	d = with_feature(14, &f);
	assert_int_equal(d->machine.nr_nodes, 0);
	close_file(d, &f);
}

static void check_cpus(uint32_t number, uint32_t bytes, uint32_t expected)
{
	struct bytes f = { 0 };
	struct perf_data *d;

	put32(&f, number);
	f.size = bytes;
	d = with_feature(7, &f);
	assert_int_equal(d->machine.nr_cpus, expected);
	close_file(d, &f);
}

static void the_number_of_cpus_has_a_bound(void **unused)
{
	(void)unused;
	check_cpus(1, 4, 1);
	check_cpus(PERF_MAX_CPUS, 4, PERF_MAX_CPUS);
	check_cpus(PERF_MAX_CPUS + 1, 4, 0);
	check_cpus(1, 3, 0);
}

struct span { uint64_t first, end; int node; };

static void check_memory(const uint64_t *words, size_t bytes, uint32_t nodes, const struct span *spans, size_t nr)
{
	struct bytes f = { 0 };
	struct perf_data *d;
	size_t i;

	put(&f, words, bytes);
	d = with_feature(22, &f);
	assert_int_equal(d->machine.nr_nodes, nodes);
	assert_int_equal(d->machine.nr_memory, nr);
	for (i = 0; i < nr; i++) {
		assert_int_equal(d->machine.memory[i].first, spans[i].first);
		assert_int_equal(d->machine.memory[i].end, spans[i].end);
		assert_int_equal(d->machine.memory[i].node, spans[i].node);
		assert_int_equal(perf_data_node(d, spans[i].first), spans[i].node);
		assert_int_equal(perf_data_node(d, spans[i].end - 1), spans[i].node);
		if (i + 1 == nr || spans[i + 1].first > spans[i].end)
			assert_int_equal(perf_data_node(d, spans[i].end), PERF_NO_NODE);
	}
	if (!nr || spans[0].first)
		assert_int_equal(perf_data_node(d, nr ? spans[0].first - 1 : 0), PERF_NO_NODE);
	close_file(d, &f);
}

static void memory_is_of_the_nodes_whose_bitmaps_have_it(void **unused)
{
	/* Blocks 0, 1, 3, 64, 65 of node 3; 2, 63 and 66 of node 1: with a bit that is not of it. */
	uint64_t words[] = { 1, MIB, 2, 3, 66, 66, 0x0b, 7, 1, 67, 67, 1ULL << 63 | 1 << 2, 0x0c };
	const struct span spans[] = {
		{ 0, 2 * MIB, 3 }, { 2 * MIB, 3 * MIB, 1 }, { 3 * MIB, 4 * MIB, 3 }, { 63 * MIB, 64 * MIB, 1 },
		{ 64 * MIB, 66 * MIB, 3 }, { 66 * MIB, 67 * MIB, 1 },
	};
	const struct span first[] = { { 0, 2 * MIB, 3 }, { 3 * MIB, 4 * MIB, 3 }, { 64 * MIB, 66 * MIB, 3 } };

	(void)unused;
	check_memory(words, sizeof(words), 4, spans, 6);
	/* The last bitmap's second word is cut; and all of the second node's. */
	check_memory(words, sizeof(words) - 1, 4, spans, 5);
	words[10] = 8 * 8;
	check_memory(words, sizeof(words) - 8, 4, spans, 5);
	words[10] = 9 * 8;
	check_memory(words, sizeof(words) - 8, 4, first, 3);
	words[10] = 67;
	check_memory(words, 11 * 8 - 1, 4, first, 3);
	words[8] = 254;
	words[10] = 0;
	check_memory(words, sizeof(words), 255, first, 3);
	words[8] = 255;
	check_memory(words, sizeof(words), 4, first, 3);
	words[8] = 1;
	words[2] = 1;
	words[10] = 67;
	check_memory(words, sizeof(words), 4, first, 3);
	words[0] = 2;
	check_memory(words, sizeof(words), 0, NULL, 0);
	words[0] = 1;
	words[1] = 0;
	check_memory(words, sizeof(words), 0, NULL, 0);
	words[1] = MIB;
	check_memory(words, 23, 0, NULL, 0);
}

static void memory_ends_with_the_address_space(void **unused)
{
	/* Blocks of a third of all addresses: a fourth would end beyond. */
	const uint64_t third = UINT64_MAX / 3, words[] = { 1, third, 1, 0, 5, 5, 0x1d };
	const struct span spans[] = { { 0, third, 0 }, { 2 * third, 3 * third, 0 } };

	(void)unused;
	check_memory(words, sizeof(words), 1, spans, 2);
}

/* Every other block: as many spans as are kept, and one more. */
static void memory_has_as_many_spans_as_are_kept(void **unused)
{
	enum { SPANS = 1 << 16 };
	struct bytes f = { 0 };
	struct perf_data *d;
	int more, i;

	(void)unused;
	for (more = 0; more < 2; more++) {
		const uint64_t blocks = 2 * (SPANS + more);

		f.size = 0;
		put(&f, (uint64_t[]){ 1, MIB, 1, 7, blocks, blocks }, 48);
		for (i = 0; i < SPANS / 32 + more; i++)
			put64(&f, 0x5555555555555555);
		d = with_feature(22, &f);
		assert_int_equal(d->machine.nr_memory, more ? 0 : SPANS);
		assert_int_equal(perf_data_node(d, 2 * MIB * (SPANS - 1)), more ? PERF_NO_NODE : 7);
		assert_int_equal(perf_data_node(d, 2 * MIB * (SPANS - 1) + MIB), PERF_NO_NODE);
		close_file(d, NULL);
	}
	free(f.at);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(features_are_found_in_the_order_of_their_bits),
		cmocka_unit_test(a_feature_is_inside_of_the_file_or_too_large),
		cmocka_unit_test(texts_end_within_their_bytes),
		cmocka_unit_test(names_are_of_the_events_of_their_ids),
		cmocka_unit_test(pmus_are_found_by_their_numbers),
		cmocka_unit_test(cpus_are_of_the_nodes_whose_lists_have_them),
		cmocka_unit_test(the_number_of_cpus_has_a_bound),
		cmocka_unit_test(memory_is_of_the_nodes_whose_bitmaps_have_it),
		cmocka_unit_test(memory_ends_with_the_address_space),
		cmocka_unit_test(memory_has_as_many_spans_as_are_kept),
	};

	return cmocka_run_group_tests_name("perf.data features", tests, NULL, NULL);
}
