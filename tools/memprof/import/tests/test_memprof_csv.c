// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Comma-separated samples: each field of the accesses that they become, and each line that is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/complain.h"
#include "lib/perf/data_src.h"
#include "memprof/import/sink.h"
#include "memprof/memprof.h"

#define FIRST	(UINT64_C(1) << 40)	/* where objects with a name are */
#define NONE	MEMPROF_NO_NODE
#define NO_IP	UINT64_MAX

static char folder[] = "/tmp/memprof-csv.XXXXXX", input[64], output[64], errors[64];
static char messages[8192];

/* Import a text.  What is said of it is kept. */
static int import(const char *text, size_t bytes, const struct csv_options *o)
{
	const int out = dup(2), to = open(errors, O_RDWR | O_CREAT | O_TRUNC, 0600);
	FILE *f = fopen(input, "w");
	ssize_t n;
	int ret;

	assert_true(out >= 0 && to >= 0 && f);
	assert_int_equal(fwrite(text, 1, bytes, f), bytes);
	assert_int_equal(fclose(f), 0);
	unlink(output);
	fflush(stderr);
	dup2(to, 2);
	ret = import_csv(input, "in", output, o);
	fflush(stderr);
	dup2(out, 2);
	n = pread(to, messages, sizeof(messages) - 1, 0);
	messages[n > 0 ? n : 0] = '\0';
	close(out);
	close(to);
	return ret;
}

static const struct csv_options as_it_is = { .element = 8, .unit = 1 };

static struct memprof *import_good(const char *text, const struct csv_options *o)
{
	const struct memprof_options options = { .size = sizeof(options), .physical = true };
	struct memprof *m;
	char error[256];

	if (import(text, strlen(text), o) != OK)
		fail_msg("%s: %s", text, messages);
	m = memprof_open(output, &options, error, sizeof(error));
	if (!m)
		fail_msg("%s", error);
	assert_null(memprof_damage(m));
	return m;
}

static void is_refused(int status, const char *text, const struct csv_options *o, const char *why)
{
	const int ret = import(text, strlen(text), o);
	const char *message = strstr(messages, ": ");

	if (ret != status || !message || strncmp(message + 2, why, strlen(why)))
		fail_msg("%s: %d: %s, not %s", text, ret, messages, why);
	assert_int_equal(access(output, F_OK), -1);
}

struct expected {
	uint64_t time;
	uint32_t pid, tid;
	int cpu, node, home;
	uint32_t latency;
	int level, op;
	bool hitm, tlb_miss, kernel;
	uint64_t address;
	const char *object;
	uint64_t start, size, ip;
};

static void access_is(struct memprof *m, size_t i, const struct expected *e)
{
	const struct memprof_object *o;
	const struct memprof_thread *t;
	struct memprof_access a;
	uint64_t ip = 0;

	assert_true(i < memprof_nr_accesses(m));
	memprof_access(m, i, &a);
	o = memprof_object(m, a.object);
	t = memprof_thread(m, a.thread);
	assert_int_equal(a.time_ns, e->time);
	assert_int_equal(t->pid, e->pid);
	assert_int_equal(t->tid, e->tid);
	assert_int_equal(a.cpu, e->cpu);
	assert_int_equal(a.node, e->node);
	assert_int_equal(a.home, e->home);
	assert_int_equal(a.latency, e->latency);
	assert_int_equal(a.level, e->level);
	assert_int_equal(a.read | a.write << 1, e->op);
	assert_int_equal(a.hitm, e->hitm);
	assert_int_equal(a.tlb_miss, e->tlb_miss);
	assert_int_equal(a.kernel, e->kernel);
	assert_int_equal(a.address, e->address);
	if (strcmp(o->symbol, e->object))
		fail_msg("access %zu: of %s, not %s", i, o->symbol, e->object);
	assert_int_equal(o->address, e->start);
	assert_int_equal(o->size, e->size);
	assert_int_equal(memprof_chain(m, a.chain, &ip, 1), e->ip != NO_IP);
	assert_int_equal(ip, e->ip != NO_IP ? e->ip : 0);
}

static void accesses_are(struct memprof *m, const struct expected *e, size_t n)
{
	assert_int_equal(memprof_nr_accesses(m), n);
	for (size_t i = 0; i < n; i++)
		access_is(m, i, &e[i]);
	memprof_close(m);
}

#define ACCESSES_ARE(m, ...)	do {						\
		const struct expected e_[] = { __VA_ARGS__ };			\
		accesses_are(m, e_, sizeof(e_) / sizeof(e_[0]));		\
	} while (0)

/* All columns, and in another order; blank lines, and either end of lines. */
static void each_column(void **unused)
{
	struct memprof *m;

	(void)unused;
	m = import_good("time,pid,tid,cpu,cpu_node,node,address,ip,latency,level,op,object\n"
			"100,10,11,0,0,1,0x1000,0x400100,300,DRAM,load,a\n"
			"\n\r\n"
			"101,10,12,3,1,254,4112,0x7fffffffffffffff,65535,l1,STORE,\"a\"\r\n"
			"102,11,13,1,0,255,0x1020,0xffffffff81000000,65536,HITM,rw,a\n"
			"103,11,13,2,,,0x7fffffffe000,,,,,\n"
			"103,11,13,4094,1,0,0x7fffffffe00f,1,1.5,,,\"q\"\"uoted, \"\n"
			"104,4294967295,1,4095,1,300,1,1,1,L2,w,z", &as_it_is);
	assert_string_equal(strchr(messages, ':'), ": in: the node is not known of 1 of the CPUs, the first of which is 2\n");
	assert_int_equal(memprof_nr_nodes(m), 255);
	ACCESSES_ARE(m,
		{ 1, 10, 11, 0, 0, 1, 300, MEMPROF_RAM, 1, false, false, false, FIRST, "a", FIRST, 0x18, 0x400100 },
		{ 2, 10, 12, 3, 1, 254, 65535, MEMPROF_L1, 2, false, false, false, FIRST + 0x10, "a", FIRST, 0x18, 0x7fffffffffffffff },
		{ 3, 11, 13, 1, 0, NONE, 65535, MEMPROF_REMOTE_CACHE, 3, true, false, true, FIRST + 0x2020, "a",
		  FIRST + 0x2020, 8, 0xffffffff81000000 },
		{ 4, 11, 13, 2, NONE, NONE, 0, 0, 0, false, false, false, 0x7fffffffe000, "[memory]", 0x7fffffffe000, 8, 0 },
		{ 4, 11, 13, 4094, 1, 0, 2, 0, 0, false, false, false, FIRST + 0x400f, "q\"uoted, ", FIRST + 0x400f, 8, 1 },
		{ 5, 4294967295, 1, 4095, NONE, NONE, 1, MEMPROF_L2, 2, false, false, false, FIRST + 0x6001, "z", FIRST + 0x6001, 8, 1 });
}

/* Without columns: what takes their place, and what is said of it. */
static void missing_columns(void **unused)
{
	struct memprof *m;

	(void)unused;
	m = import_good("Address\n4096\n4104\n", &as_it_is);
	assert_string_equal(messages,
		"test_memprof_csv: in: no column node: the node of the memory is not known\n"
		"test_memprof_csv: in: no column cpu_node: from which node an access is, is not known\n"
		"test_memprof_csv: in: no column latency\n"
		"test_memprof_csv: in: no column level\n"
		"test_memprof_csv: in: no column op: each is taken for a load\n"
		"test_memprof_csv: in: no column tid: each CPU is taken for a thread\n");
	assert_int_equal(memprof_nr_nodes(m), 1);
	/* Times are the numbers of the lines. */
	ACCESSES_ARE(m,
		{ 1, 1, 1, 4095, NONE, NONE, 0, 0, 1, false, false, false, 4096, "[memory]", 4096, 16, NO_IP },
		{ 2, 1, 1, 4095, NONE, NONE, 0, 0, 1, false, false, false, 4104, "[memory]", 4096, 16, NO_IP });
	m = import_good("object,tid,node,cpu_node,latency,data_src\na,1,,,,\n", &as_it_is);
	assert_string_equal(messages,
		"test_memprof_csv: in: no column address, offset or index: cache lines and pages are not known\n");
	memprof_close(m);
	/* A CPU is a node's, and a thread of each process. */
	m = import_good("pid,cpu_node,offset,object\n7,1,3,a\n7,254,5,a\n7,255,4,a\n9,4096,4,a\n", &as_it_is);
	assert_null(strstr(messages, "no column address"));
	ACCESSES_ARE(m,
		{ 1, 7, 7, 1, 1, NONE, 0, 0, 1, false, false, false, FIRST + 3, "a", FIRST + 3, 10, NO_IP },
		{ 2, 7, 7, 254, 254, NONE, 0, 0, 1, false, false, false, FIRST + 5, "a", FIRST + 3, 10, NO_IP },
		{ 3, 7, 7, 4095, NONE, NONE, 0, 0, 1, false, false, false, FIRST + 4, "a", FIRST + 3, 10, NO_IP },
		{ 4, 9, 9, 4095, NONE, NONE, 0, 0, 1, false, false, false, FIRST + 0x2004, "a", FIRST + 0x2004, 8, NO_IP });
	/* Nodes and CPUs are as many as the last one has a number. */
	m = import_good("tid,node,address\n1,1,1\n1,2,1\n", &as_it_is);
	assert_int_equal(memprof_nr_nodes(m), 3);
	memprof_close(m);
	m = import_good("tid,cpu,cpu_node,address\n1,0,0,1\n1,1,1,1\n1,2,2,1\n", &as_it_is);
	assert_int_equal(memprof_nr_nodes(m), 3);
	assert_int_equal(memprof_node_of_cpu(m, 0), 0);
	assert_int_equal(memprof_node_of_cpu(m, 1), 1);
	assert_int_equal(memprof_node_of_cpu(m, 2), 2);
	assert_int_equal(memprof_node_of_cpu(m, 3), NONE);
	memprof_close(m);
	m = import_good("pid,cpu,index,object\n7,2,3,a\n8,4096,5,a\n", &(struct csv_options){ .element = 24, .unit = 1 });
	ACCESSES_ARE(m,
		{ 1, 7, 9, 2, NONE, NONE, 0, 0, 1, false, false, false, FIRST + 72, "a", FIRST + 72, 8, NO_IP },
		{ 2, 8, 8 + 4095, 4095, NONE, NONE, 0, 0, 1, false, false, false, FIRST + 0x2000 + 120, "a",
		  FIRST + 0x2000 + 120, 8, NO_IP });
	/* Memory that is no object's may be all around: objects lie over it. */
	m = import_good("tid,address,object\n1,0x1000,\n1,0x20000000000,\n1,16,a\n", &as_it_is);
	access_is(m, 2, &(struct expected){ 3, 1, 1, 4095, NONE, NONE, 0, 0, 1, false, false, false, FIRST + 16, "a",
		  FIRST + 16, 8, NO_IP });
	memprof_close(m);
	/* One without a name is none of ours. */
	m = import_good(",Address,\"\"\n5,4096,6\n", &as_it_is);
	ACCESSES_ARE(m, { 1, 1, 1, 4095, NONE, NONE, 0, 0, 1, false, false, false, 4096, "[memory]", 4096, 8, NO_IP });
	/* Addresses count more than offsets, and these more than indices. */
	m = import_good("tid,address,offset,index,object\n1,1,2,3,a\n", &as_it_is);
	ACCESSES_ARE(m, { 1, 1, 1, 4095, NONE, NONE, 0, 0, 1, false, false, false, FIRST + 1, "a", FIRST + 1, 8, NO_IP });
	m = import_good("tid,offset,index,object\n1,2,3,a\n", &as_it_is);
	ACCESSES_ARE(m, { 1, 1, 1, 4095, NONE, NONE, 0, 0, 1, false, false, false, FIRST + 2, "a", FIRST + 2, 8, NO_IP });
}

static void level_is(struct memprof *m, size_t i, int level, bool hitm, bool tlb_miss)
{
	struct memprof_access a;

	memprof_access(m, i, &a);
	if ((int)a.level != level || a.hitm != hitm || a.tlb_miss != tlb_miss)
		fail_msg("access %zu: level %d, hitm %d, TLB miss %d", i, a.level, a.hitm, a.tlb_miss);
}

/* By name, by the numbers of Intel, and as perf has them. */
static void levels_of_accesses(void **unused)
{
	static const char names[] = "level,address\n,1\nunknown,1\nL1,1\nl2,1\nL3,1\nLFB,1\nfill buffer,1\n"
		"memory,1\nram,1\nDRAM,1\nlocal memory,1\nREMOTE MEMORY,1\nremote cache,1\nHitm,1\npeer cache,1\n"
		"L3 or peer cache,1\nL2 miss buffer,1\nmemory-side cache,1\nPMEM,1\nCXL,1\nbeyond L3,1\nuncached,1\n";
	static const int by_name[] = { 0, 0, 1, 2, 3, 4, 4, 5, 5, 5, 5, 6, 7, 7, 10, 9, 8, 11, 12, 13, 14, 15 };
	static const int by_number[16] = { 14, 1, 4, 2, 3, 3, 3, 3, 7, 7, 5, 6, 5, 6, 15, 15 };
	const struct data_src src[] = { { .level = DATA_L2, .load = true }, { .level = DATA_RAM, .store = true },
					{ .level = DATA_L1, .locked = true, .load = true },
					{ .level = DATA_REMOTE_CACHE, .modified = true, .tlb_miss = true } };
	static const int of_src[] = { 2, 5, 1, 7 }, ops[] = { 1, 2, 3, 0 };
	char text[1024];
	struct memprof_access a;
	struct memprof *m;
	size_t i, n;

	(void)unused;
	m = import_good(names, &as_it_is);
	assert_int_equal(memprof_nr_accesses(m), 22);
	for (i = 0; i < 22; i++)
		level_is(m, i, by_name[i], i == 13, false);
	memprof_close(m);
	n = sprintf(text, "level,address\n");
	for (i = 0; i < 64; i++)
		n += sprintf(text + n, i % 3 ? "%zu,1\n" : "0x%zx,1\n", i);
	m = import_good(text, &(struct csv_options){ .element = 8, .unit = 1, .pebs = true });
	for (i = 0; i < 64; i++)
		level_is(m, i, by_number[i % 16], i % 16 == 7 || i % 16 == 9, i & 16);
	memprof_close(m);
	m = import_good("level,address\n11,1\n", &(struct csv_options){ .element = 8, .unit = 1, .pebs = true, .hex = "level" });
	level_is(m, 0, 1, false, true);
	memprof_close(m);
	/* It says more than the other columns. */
	n = sprintf(text, "op,data_src,level,address\n");
	for (i = 0; i < 4; i++)
		n += sprintf(text + n, "load,0x%lx,L3,1\n", (unsigned long)data_src_encode(&src[i]));
	m = import_good(text, &as_it_is);
	for (i = 0; i < 4; i++) {
		level_is(m, i, of_src[i], i == 3, i == 3);
		memprof_access(m, i, &a);
		assert_int_equal(a.read | a.write << 1, ops[i]);
	}
	memprof_close(m);
	m = import_good("op,address\nload,1\nRead,1\nr,1\nstore,1\nwrite,1\nW,1\nread-write,1\nrw,1\n,1\n", &as_it_is);
	for (i = 0; i < 9; i++) {
		memprof_access(m, i, &a);
		assert_int_equal(a.read | a.write << 1, i < 3 ? 1 : i < 6 ? 2 : i < 8 ? 3 : 0);
	}
	memprof_close(m);
}

/* Columns by other names; those without 0x; the unit of times. */
static void options_of_columns(void **unused)
{
	const struct csv_options o = {
		.column = { "tid=CPU", "address=where", "latency=", "pid=Node" }, .nr_columns = 4, .hex = "address,tid",
		.element = 8, .unit = 1000,
	};
	const struct csv_options hex = { .hex = "time", .unit = 1000, .element = 8 };
	struct memprof *m;

	(void)unused;
	m = import_good("time,cpu,WHERE,Latency,node,cpu_node\n0.5,1f,ff,7,3,\n1.0006,0x20,0xfe,7,4,\n", &o);
	ACCESSES_ARE(m,
		{ 1, 3, 0x1f, 4095, NONE, NONE, 0, 0, 1, false, false, false, 0xff, "[memory]", 0xff, 8, NO_IP },
		{ 502, 4, 0x20, 4095, NONE, NONE, 0, 0, 1, false, false, false, 0xfe, "[memory]", 0xfe, 8, NO_IP });
	m = import_good("time,tid,address\n0f,1,1\n0x10,1,1\n", &hex);
	ACCESSES_ARE(m,
		{ 1, 1, 1, 4095, NONE, NONE, 0, 0, 1, false, false, false, 1, "[memory]", 1, 8, NO_IP },
		{ 1001, 1, 1, 4095, NONE, NONE, 0, 0, 1, false, false, false, 1, "[memory]", 1, 8, NO_IP });
}

/* Lines of one time are in the order of the file; one without a time is of that before. */
static void order_of_lines(void **unused)
{
	struct memprof *m;
	struct memprof_access a;
	int i;
	static const uint64_t times[] = { 1, 1, 1, 2, 3 }, latencies[] = { 12, 14, 15, 13, 11 };

	(void)unused;
	m = import_good("time,tid,cpu,address,latency\n3,1,0,1,11\n1,1,0,1,12\n2,1,0,1,13\n1,1,0,1,14\n,1,0,1,15\n", &as_it_is);
	assert_int_equal(memprof_nr_accesses(m), 5);
	for (i = 0; i < 5; i++) {
		memprof_access(m, i, &a);
		assert_int_equal(a.time_ns, times[i]);
		assert_int_equal(a.latency, latencies[i]);
	}
	memprof_close(m);
	/* Each CPU's are in order: nothing is to be sorted. */
	m = import_good("time,tid,cpu,address,latency\n3,1,0,1,11\n1,1,1,1,12\n4,1,0,1,13\n", &as_it_is);
	memprof_access(m, 0, &a);
	assert_int_equal(a.latency, 12);
	assert_int_equal(a.time_ns, 1);
	memprof_access(m, 2, &a);
	assert_int_equal(a.time_ns, 4);
	memprof_close(m);
}

static void lines_that_are_refused(void **unused)
{
#define NOT_A_NUMBER " (--hex NAME,... if it is hexadecimal; --column NAME= leaves the column out)\n"
	const struct csv_options hex = { .hex = "address", .element = 8, .unit = 1 };
	const struct csv_options late = { .hex = "time", .element = 8, .unit = 1000 };
	const struct csv_options pebs = { .pebs = true, .element = 8, .unit = 1 };
	static const struct { const char *text, *why; } cases[] = {
		{ "address\n1.5\n", "in:2: address: 1.5: not a number" NOT_A_NUMBER },
		{ "address\n1\n-1\n", "in:3: address: -1: not a number" NOT_A_NUMBER },
		{ "address\n 1\n", "in:2: address:  1: not a number" NOT_A_NUMBER },
		{ "address,pid\n1,ff\n", "in:2: pid: ff: not a number" NOT_A_NUMBER },
		{ "address\n0x\n", "in:2: address: 0x: not a hexadecimal number\n" },
		{ "address\n0xg\n", "in:2: address: 0xg: not a hexadecimal number\n" },
		{ "address\n0x10000000000000000\n", "in:2: address: 0x10000000000000000: not a hexadecimal number\n" },
		{ "address\n18446744073709551616\n", "in:2: address: 18446744073709551616: not a number" NOT_A_NUMBER },
		{ "address,time\n1,9223372036854775808\n", "in:2: time: 9223372036854775808: too large: a time is less than" },
		{ "address,op\n1,execute\n", "in:2: op: execute: not load, store or read-write\n" },
		{ "address,level\n1,L4\n", "in:2: level: L4: no such level (memprof-import(1) has their names; --pebs: numbers)\n" },
		{ "address,level\n1,1234567890123456789012345678901234567890xyz\n",
		  "in:2: level: 1234567890123456789012345678901234567890: no such level" },
		{ "address,cpu\n1\n", "in:2: not as many fields as the first line\n" },
		{ "address,cpu\n1,2,3\n", "in:2: not as many fields as the first line\n" },
		{ "address,cpu\n1,\"2\"3\n", "in:2: too many fields, or a quote out of place\n" },
		{ "address,cpu\n1,\"2\n", "in:2: too many fields, or a quote out of place\n" },
		{ "address,cpu\n1,2\"\"\n", "in:2: too many fields, or a quote out of place\n" },
		{ "address\n1\"2\n", "in:2: too many fields, or a quote out of place\n" },
		{ "cpu,index\n1,2\n", "in:1: neither a column address nor object (--column object=NAME says which it is)\n" },
		{ "addr,objects\n1,2\n", "in:1: neither a column address nor object" },
		{ "\n", "in:1: no names of columns\n" }, { "\"\n", "in:1: no names of columns\n" },
		{ "address\n", "in: no samples\n" }, { "address\n\n\n", "in: no samples\n" }, { "", "in: empty file\n" },
		{ "object,offset\na,0\na,68719476737\n",
		  "in: a: from 0x0 to 0x1000000001: too large for an object\n" },
	};
	static char many[8192];
	struct memprof *m;
	size_t i, n;

	(void)unused;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		is_refused(FAILED, cases[i].text, &as_it_is, cases[i].why);
	is_refused(FAILED, "address\n1g\n", &hex, "in:2: address: 1g: not a hexadecimal number\n");
	is_refused(FAILED, "address\n-1\n", &hex, "in:2: address: -1: not a hexadecimal number\n");
	is_refused(FAILED, "time,address\nffffffffffffffff,1\n", &late, "in:2: time: ffffffffffffffff: too large");
	is_refused(FAILED, "time,address\n8000000000000000,1\n", &late, "in:2: time: 8000000000000000: too large");
	is_refused(FAILED, "address,level\n1,L1\n", &pebs, "in:2: level: L1: not a number, as --pebs has them\n");
	assert_int_equal(import("address\n1\0\n", 11, &as_it_is), FAILED);
	assert_non_null(strstr(messages, ": in:2: no text\n"));
	/* The largest object; the most columns. */
	m = import_good("object,offset\na,0\na,68719476736\n", &as_it_is);
	assert_int_equal(memprof_object(m, 0)->size, (UINT64_C(1) << 36) + 8);
	memprof_close(m);
	n = sprintf(many, "address");
	for (i = 1; i < 256; i++)
		n += sprintf(many + n, ",");
	memset(many + n + 1, ',', 255);
	many[n] = '\n';
	many[n + 1] = '1';
	memset(many + n + 2, ',', 255);
	memprof_close(import_good(many, &as_it_is));
	memmove(many + 8, many + 7, n + 300);
	is_refused(FAILED, many, &as_it_is, "in:1: no names of columns\n");
}

static void options_that_are_refused(void **unused)
{
	static const struct { const char *column; int status; const char *why; } cases[] = {
		{ "tid", USAGE, "--column tid: not NAME=COLUMN with one of time, pid, tid, cpu, cpu_node, node, address, "
		  "offset, index, ip, latency, level, data_src, op, object" },
		{ "ti=x", USAGE, "--column ti=x: not NAME=COLUMN" }, { "tid2=x", USAGE, "--column tid2=x: not NAME=COLUMN" },
		{ "=x", USAGE, "--column =x: not NAME=COLUMN" }, { "TID=x", USAGE, "--column TID=x: not NAME=COLUMN" },
		{ "tid=x", FAILED, "in:1: no column x\n" }, { "tid=addr", FAILED, "in:1: no column addr\n" },
		{ "tid=address2", FAILED, "in:1: no column address2\n" },
		{ "address=", FAILED, "in:1: neither a column address nor object" },
		{ "tid=address", FAILED, "in:1: neither a column address nor object" },
	};
	static const struct { const char *hex, *why; } hexes[] = {
		{ "tid,x", "--hex x: no such column" }, { ",", "--hex : no such column" }, { "tid,,", "--hex : no such column" },
		{ "tidx,pid", "--hex tidx: no such column" },
	};
	size_t i;

	(void)unused;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		is_refused(cases[i].status, "address\n1\n",
			   &(struct csv_options){ .column = { cases[i].column }, .nr_columns = 1, .element = 8, .unit = 1 },
			   cases[i].why);
	for (i = 0; i < sizeof(hexes) / sizeof(hexes[0]); i++)
		is_refused(USAGE, "address\n1\n", &(struct csv_options){ .hex = hexes[i].hex, .element = 8, .unit = 1 },
			   hexes[i].why);
}

/* As many objects as there may be, by number and by size, and one more. */
static void many_objects(void **unused)
{
	char *text = malloc(4 << 20);
	struct memprof *m;
	size_t i, n, end;

	(void)unused;
	assert_non_null(text);
	n = sprintf(text, "object\n");
	for (i = 0; i < 65536; i++)
		n += sprintf(text + n, "%zx\n", i);
	m = import_good(text, &as_it_is);
	assert_int_equal(memprof_nr_accesses(m), 65536);
	memprof_close(m);
	sprintf(text + n, "one more\n");
	is_refused(FAILED, text, &as_it_is, "in:65538: more than 65536 objects\n");
	/* 64 GiB and two pages each, from 1 TiB to 64 TiB. */
	n = sprintf(text, "object,offset\n");
	for (i = end = 0; i < 1008; i++) {
		end = i == 1007 ? n : end;
		n += sprintf(text + n, "%zu,0\n%zu,68719476736\n", i, i);
	}
	is_refused(FAILED, text, &as_it_is, "in: 1007: from 0x0 to 0x1000000000: too large for an object\n");
	text[end] = '\0';
	m = import_good(text, &as_it_is);
	assert_int_equal(memprof_object(m, 1006)->address, FIRST + 1006 * ((UINT64_C(1) << 36) + 0x2000));
	memprof_close(m);
	free(text);
}

static int make_folder(void **unused)
{
	(void)unused;
	if (!mkdtemp(folder))
		return -1;
	snprintf(input, sizeof(input), "%s/in", folder);
	snprintf(output, sizeof(output), "%s/out", folder);
	snprintf(errors, sizeof(errors), "%s/errors", folder);
	return 0;
}

static int remove_folder(void **unused)
{
	(void)unused;
	unlink(input);
	unlink(output);
	unlink(errors);
	return rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_column),
		cmocka_unit_test(missing_columns),
		cmocka_unit_test(levels_of_accesses),
		cmocka_unit_test(options_of_columns),
		cmocka_unit_test(order_of_lines),
		cmocka_unit_test(lines_that_are_refused),
		cmocka_unit_test(options_that_are_refused),
		cmocka_unit_test(many_objects),
	};

	return cmocka_run_group_tests_name("memprof csv", tests, make_folder, remove_folder);
}
