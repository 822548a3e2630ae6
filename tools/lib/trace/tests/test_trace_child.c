// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* trace.dat files read by a child: its records, its errors, the host, and the progress that is shown. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>
#include <cmocka.h>

#include "lib/trace/child.h"
#include "small_trace.h"

/* What a child sends, and in what the parent takes it. */
struct sent {
	int records, returns, refuses;	/* which record @take ends with; read() returns this */
	size_t size;			/* of each, and one byte more of each later one */
	int taken, wrong;
	double share[64];
	int shares;
};

static struct sent sent;

static int send_records(void *ctx, struct trace_dat *d, FILE *to)
{
	const struct sent *s = ctx;
	unsigned char record[TRACE_CHILD_BYTES + 8];
	struct trace_event e;
	int i;

	for (i = 0; i < s->records; i++) {
		memset(record, 1 + i % 255, sizeof(record));
		trace_child_send(to, 40 + i, record, s->size + i);
	}
	while (trace_child_next(d, &e, to) > 0)
		;
	if (s->refuses)
		trace_child_refuse(to, "not like this");
	return s->returns;
}

static int take_record(void *ctx, unsigned int kind, const void *what, size_t size)
{
	struct sent *s = ctx;
	const unsigned char *p = what;
	size_t i;

	s->wrong += kind != 40 + (unsigned int)s->taken || size != s->size + s->taken || (uintptr_t)p % 8;
	for (i = 0; i < size; i++)
		s->wrong += p[i] != 1 + s->taken % 255;
	s->wrong += p[size] != 0;
	return ++s->taken == 100 ? 77 : 0;
}

static void take_share(double share)
{
	if (sent.shares < (int)COUNT(sent.share))
		sent.share[sent.shares++] = share;
}

static int read_by_child(struct trace_child *c)
{
	*c = (struct trace_child){ .system = "test", .read = send_records, .take = take_record, .ctx = &sent,
				   .progress = take_share };
	return trace_child_read(path, c, dat_error, sizeof(dat_error));
}

static void expect_child(int ret, int taken, const char *message)
{
	char expected[128];
	struct trace_child c;
	int got_ret;

	snprintf(expected, sizeof(expected), "%s%s%s", *message ? path : "", *message ? ": " : "", message);
	for (trace_child_forks = false; ; trace_child_forks = true) {
		sent.taken = sent.wrong = sent.shares = 0;
		got_ret = read_by_child(&c);
		assert_string_equal(dat_error, expected);
		assert_int_equal(got_ret, ret);
		assert_int_equal(sent.taken, taken);
		assert_int_equal(sent.wrong, 0);
		if (trace_child_forks)
			return;
	}
}

static void records_of_a_child(void **state)
{
	int fd;

	(void)state;
	make(V7);
	fd = write_file(file.size);
	sent = (struct sent){ 0 };
	expect_child(0, 0, "");
	sent = (struct sent){ .records = 99, .size = 0 };
	expect_child(0, 99, "");
	sent = (struct sent){ .records = 101, .size = 1000 };
	expect_child(77, 100, "");
	/* The largest record, and one that is larger. */
	sent = (struct sent){ .records = 50, .size = TRACE_CHILD_BYTES - 49 };
	expect_child(0, 50, "");
	sent = (struct sent){ .records = 51, .size = TRACE_CHILD_BYTES - 49 };
	expect_child(-1, 50, "damaged or truncated: event formats cannot be read");
	sent = (struct sent){ .returns = -1 };
	expect_child(-1, 0, "damaged or truncated: event formats cannot be read");
	sent = (struct sent){ .records = 2, .size = 3, .refuses = 1 };
	expect_child(-1, 2, "not like this");
	assert_int_equal(sent.shares, 0);
	close(fd);
	snprintf(path, sizeof(path), "/nowhere/trace.dat");
	expect_child(-1, 0, "No such file or directory");
	make(V7);
	fd = write_file(20);
	expect_child(-1, 0, "damaged or truncated in its header");
	close(fd);
}

static void damage_by_a_child(void **state)
{
	struct trace_child c;
	char expected[128];
	int fd;

	(void)state;
	sent = (struct sent){ 0 };
	make(V6);
	put_at(&file, place[DATA] + 4096 + 8, 16 | LOST | LOST_STORED, 8);
	put_at(&file, place[DATA] + 4096 + 32, 1234567, 8);
	put_at(&file, place[DATA_1] + 8, 5000, 8);
	fd = write_file(file.size);
	sprintf(expected, "%s: damaged or truncated at 0x%x", path, place[DATA_1]);
	assert_int_equal(read_by_child(&c), -1);
	assert_string_equal(dat_error, expected);
	assert_int_equal(c.lost_events, 1234567);
	assert_int_equal(c.bad_offset, place[DATA_1]);
	assert_string_equal(c.host, "machine");
	close(fd);
	/* Of the whole file, where is not said. */
	sent.refuses = 1;
	fd = write_file(file.size);
	assert_int_equal(read_by_child(&c), -1);
	assert_int_equal(c.lost_events, 1234567);
	assert_int_equal(c.bad_offset, 0);
	close(fd);
}

#define W64 "abcdefghijklmnopqrstuvwxyz0123456789abcdefghijklmnopqrstuvwxyz01"

static void hosts(void **state)
{
	static const struct { const char *uname, *host; } hosts[] = {
		{ "Linux guest 6.12.117-memscope x86_64", "guest, Linux 6.12.117-memscope" },
		{ "Linux guest 6.12", "guest, Linux 6.12" }, { "Linux guest", "Linux guest" }, { "x", "x" },
		{ "", "unknown host" },
		/* Words of 64 letters, which are the longest. */
		{ "A " W64 " 6 x", W64 ", A 6" }, { W64 " b " W64 " x", "b, " W64 " " W64 },
	};
	struct trace_child c;
	unsigned int i;
	int fd;

	(void)state;
	sent = (struct sent){ 0 };
	for (i = 0; i < COUNT(hosts); i++) {
		made_uname = hosts[i].uname;
		make(V7);
		fd = write_file(file.size);
		assert_int_equal(read_by_child(&c), 0);
		assert_string_equal(c.host, hosts[i].host);
		close(fd);
	}
	made_uname = "box";
}

/* Each 4 MiB read: what share of the file that is. */
static void progress(void **state)
{
	const uint32_t size = 9 << 20;
	struct trace_child c;
	uint32_t page, pages;
	int fd, i;

	(void)state;
	place[TABLE] = put_v6(&file, "test", formats, 1, 1);
	put_at(&file, place[TABLE], file.size, 8);
	put_at(&file, place[TABLE] + 8, size, 8);
	place[DATA] = file.size;
	fd = write_file(file.size);
	pages = size / PAGE_BYTES;
	for (page = 0; page < pages; page++) {
		file.size = 0;
		page_begin(&file, page);
		put_event(&file, 0, page);
		page_end(&file, 0, 0, 0);
		assert_int_equal(write(fd, file.b, PAGE_BYTES), PAGE_BYTES);
	}
	sent = (struct sent){ 0 };
	assert_int_equal(read_by_child(&c), 0);
	assert_int_equal(sent.shares, 2);
	for (i = 0; i < 2; i++)
		assert_true(sent.share[i] == (double)((i + 1) * (4 << 20)) / (size + place[DATA]));
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(records_of_a_child), cmocka_unit_test(damage_by_a_child),
		cmocka_unit_test(hosts), cmocka_unit_test(progress),
	};

	return cmocka_run_group_tests_name("trace_child", tests, NULL, NULL);
}
