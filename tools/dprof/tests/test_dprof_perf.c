// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* dprof: what it makes of perf.data files, of /proc/kallsyms and of ELF files, field by field. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>
#include <sys/mman.h>
#include <cmocka.h>

#include "dprof/read/files.c"
#include "dprof/read/kernel.h"
#include "dprof/read/reader.h"
#include "made/mutate.h"
#include "made/perf_file.h"

#define LENGTH(a)	(sizeof(a) / sizeof((a)[0]))
#define GIB		(1ULL << 30)
#define TEXT		0xffffffff81000000
#define MODULES		0xffffffffa0000000

/* ---- the kernel's memory ---- */

static void modules_are_named_as_the_kernel_names_them(void **unused)
{
	static const struct { const char *name, *expected; } rows[] = {
		{ "[nf_nat]", "nf_nat" }, { "[nf-nat-ftp]", "nf_nat_ftp" }, { "[no_end", "no_end" },
		{ "/lib/modules/6.12/kernel/nf-nat.ko.xz", "nf_nat" }, { "/x.ko", "x" }, { "/x/plain", "plain" },
		{ "a/b.ko", "b" }, { "[a/b.c]", "b" },
		{ "[a_name_of_55_letters_12345678901234567890123456789012345]",
		  "a_name_of_55_letters_12345678901234567890123456789012345" },
	};
	struct kernel k = { 0 };
	const char *module;
	size_t i;

	(void)unused;
	for (i = 0; i < LENGTH(rows); i++)
		assert_int_equal(kernel_map_add(&k, rows[i].name, TEXT + 256 * i, 16, 0), 0);
	assert_int_equal(k.nr_maps, LENGTH(rows));
	for (i = 0; i < LENGTH(rows); i++) {
		assert_int_equal(k.map[i].start, TEXT + 256 * i);
		assert_int_equal(k.map[i].end, TEXT + 256 * i + 16);
		assert_memory_equal(k.map[i].name, rows[i].expected, strnlen(rows[i].expected, 55));
		assert_int_equal(strlen(k.map[i].name), strnlen(rows[i].expected, 55));
		assert_int_equal(kernel_region(&k, TEXT + 256 * i - 1, 0, &module), REGION_KERNEL);
		assert_string_equal(module, "");
		assert_int_equal(kernel_region(&k, TEXT + 256 * i, 0, &module), REGION_MODULE);
		assert_ptr_equal(module, k.map[i].name);
		assert_int_equal(kernel_region(&k, TEXT + 256 * i + 15, 0, &module), REGION_MODULE);
		assert_int_equal(kernel_region(&k, TEXT + 256 * i + 16, 0, &module), REGION_KERNEL);
	}
	/* What is no module, and what would end beyond the last address. */
	assert_int_equal(kernel_map_add(&k, "plain", TEXT, 16, 0), 0);
	assert_int_equal(kernel_map_add(&k, "[x]", 17, UINT64_MAX - 16, 0), 0);
	assert_int_equal(k.nr_maps, LENGTH(rows));
	assert_int_equal(kernel_map_add(&k, "[x]", 17, UINT64_MAX - 17, 0), 0);
	assert_int_equal(k.nr_maps, LENGTH(rows) + 1);
	assert_int_equal(k.text, 0);
	for (i = k.nr_maps; i < 300; i++)
		assert_int_equal(kernel_map_add(&k, "[many]", i << 12, 1 << 12, 0), 0);
	assert_int_equal(k.nr_maps, 300);
	assert_int_equal(k.map[299].start, 299 << 12);
	kernel_free(&k);
}

static void the_first_image_says_where_the_kernel_is(void **unused)
{
	static const struct { const char *name; uint64_t offset, text; bool stext; } rows[] = {
		{ "[kernel.kallsyms]_text", 0x2000, 0x2000, false }, { "[kernel.kallsyms]_stext", 0x2000, 0x2000, true },
		{ "[kernel.kallsyms]_text", 0, 0x1000, false }, { "[kernel.kallsyms]", 0, 0x1000, false },
		{ "[kernel.kallsyms", 0x2000, 0, false },
	};
	size_t i;

	(void)unused;
	for (i = 0; i < LENGTH(rows); i++) {
		struct kernel k = { 0 };

		assert_int_equal(kernel_map_add(&k, rows[i].name, 0x1000, 16, rows[i].offset), 0);
		assert_int_equal(k.text, rows[i].text);
		assert_int_equal(k.text_is_stext, rows[i].stext);
		assert_int_equal(k.nr_maps, !rows[i].text);
		kernel_map_add(&k, "[kernel.kallsyms]_other", 0x5000, 16, 0);
		assert_int_equal(k.text, rows[i].text ? rows[i].text : 0x5000);
		kernel_map_add(&k, "[kernel.kallsyms]_stext", 0x6000, 16, 0);
		assert_int_equal(k.text_is_stext, rows[i].stext);
		kernel_free(&k);
	}
}

static void each_address_is_of_its_region(void **unused)
{
	static const struct { bool x86; uint64_t text, addr, phys; enum kernel_region expected; } rows[] = {
		{ true, 0, 0xfffffdffffffffff, 0, REGION_KERNEL }, { true, 0, 0xfffffe0000000000, 0, REGION_CPU_ENTRY },
		{ true, 0, 0xfffffe7fffffffff, 8, REGION_CPU_ENTRY }, { true, 0, 0xfffffe8000000000, 0, REGION_KERNEL },
		{ true, 0, 0xffffffff7fffffff, 0, REGION_KERNEL }, { true, 0, 0xffffffff80000000, 0, REGION_IMAGE },
		{ true, 0, 0xffffffff9fffffff, 0, REGION_IMAGE }, { true, 0, 0xffffffffa0000000, 0, REGION_MODULE },
		{ true, 0, 0xfffffffffeffffff, 0, REGION_MODULE }, { true, 0, 0xffffffffff000000, 0, REGION_FIXMAP },
		{ true, 0, UINT64_MAX, 0, REGION_FIXMAP },
		/* An image that is where modules may be has 128 MiB. */
		{ true, MODULES, MODULES, 0, REGION_IMAGE }, { true, MODULES, MODULES + GIB / 8 - 1, 0, REGION_IMAGE },
		{ true, MODULES, MODULES + GIB / 8, 0, REGION_MODULE },
		{ true, MODULES + 16, MODULES + 15, 0, REGION_MODULE },
		{ false, 0, 0xfffffe0000000000, 0, REGION_KERNEL }, { false, 0, 0xffffffff80000000, 0, REGION_KERNEL },
		{ false, 0, 0xffffffffa0000000, 0, REGION_KERNEL }, { false, 0, UINT64_MAX, 0, REGION_KERNEL },
		{ true, 0, 0xffff888000001000, 0x1000, REGION_DIRECT },
		{ false, 0, 0xffff880040001000, 0x40001000, REGION_DIRECT },
		{ true, 0, 0xffff888000001000, 0x2000, REGION_VMALLOC },
		{ true, 0, 0xffff888020000000, 0x40000000, REGION_VMALLOC },
	};
	struct kernel k = { 0 };
	const char *module;
	size_t i;

	(void)unused;
	for (i = 0; i < LENGTH(rows); i++) {
		k = (struct kernel){ .x86 = rows[i].x86, .text = rows[i].text };
		module = NULL;
		assert_int_equal(kernel_region(&k, rows[i].addr, rows[i].phys, &module), rows[i].expected);
		assert_string_equal(module, "");
	}
	k = (struct kernel){ .symbols = true, .image = 0x1000, .image_end = 0x2000 };
	assert_int_equal(kernel_region(&k, 0xfff, 0, &module), REGION_KERNEL);
	assert_int_equal(kernel_region(&k, 0x1000, 0, &module), REGION_IMAGE);
	assert_int_equal(kernel_region(&k, 0x1fff, 0, &module), REGION_IMAGE);
	assert_int_equal(kernel_region(&k, 0x2000, 0, &module), REGION_KERNEL);
	k.symbols = false;
	assert_int_equal(kernel_region(&k, 0x1000, 0, &module), REGION_KERNEL);
}

/* ---- kallsyms ---- */

struct text {
	char bytes[8192];
	size_t size;
	int calls, stop;
};

static int take_text(void *ctx, const char *text, size_t size)
{
	struct text *t = ctx;

	assert_true(t->size + size < sizeof(t->bytes));
	memcpy(t->bytes + t->size, text, size);
	t->size += size;
	t->bytes[t->size] = '\0';
	return ++t->calls == t->stop ? 5 : 0;
}

/* Return: of kernel_read_symbols() */
static int read_symbols_of(struct kernel *k, const char *kallsyms, const char *expected, const char *error, int stop)
{
	struct text t = { .stop = stop };
	const char *path = mutate_file(kallsyms, strlen(kallsyms));
	char wrong[256] = "", full[256];

	const int ret = kernel_read_symbols(k, path, "none", take_text, &t, wrong, sizeof(wrong));

	snprintf(full, sizeof(full), "%s%s", *error ? path : "", error);
	assert_string_equal(wrong, full);
	assert_string_equal(t.bytes, expected);
	return ret;
}

#define LOWEST	"0000000000001000 A percpu\n7fffffffffffffff T user\n"
#define BEGIN	"ffffffff80ffff00 T before\nffffffff81000000 T _text\nffffffff81000100 T _stext\n"
#define END	"ffffffff81800000 D _end\nffffffff81800001 D behind\nffffffffc0000000 t mod\t[mod]\n"

static void symbols_are_moved_to_where_the_kernel_was(void **unused)
{
	struct kernel k = { 0 };

	(void)unused;
	/* Not moved, all of them are given, but for what is of no kernel. */
	assert_int_equal(read_symbols_of(&k, LOWEST BEGIN "not a line\n\n" END, BEGIN END, "", 0), 0);
	assert_true(k.symbols);
	assert_int_equal(k.image, TEXT);
	assert_int_equal(k.image_end, TEXT + 0x800000);
	k = (struct kernel){ .text = TEXT };
	assert_int_equal(read_symbols_of(&k, BEGIN END, BEGIN END, "", 0), 0);
	k = (struct kernel){ .text = TEXT + 0x100, .text_is_stext = true };
	assert_int_equal(read_symbols_of(&k, BEGIN END, BEGIN END, "", 0), 0);
	assert_int_equal(k.image, TEXT);
	/* Moved, those of the image, its end included. */
	k = (struct kernel){ .text = TEXT + 0x10000 };
	assert_int_equal(read_symbols_of(&k, BEGIN END,
			 "ffffffff81010000 T _text\nffffffff81010100 T _stext\nffffffff81810000 D _end\n", "", 0), 0);
	assert_int_equal(k.image, TEXT + 0x10000);
	assert_int_equal(k.image_end, TEXT + 0x810000);
	k = (struct kernel){ .text = TEXT - 0xff00, .text_is_stext = true };
	assert_int_equal(read_symbols_of(&k, BEGIN END,
			 "ffffffff80ff0000 T _text\nffffffff80ff0100 T _stext\nffffffff817f0000 D _end\n", "", 0), 0);
	/* One of both beginnings stands for the other. */
	k = (struct kernel){ .text = TEXT, .text_is_stext = true };
	assert_int_equal(read_symbols_of(&k, "ffffffff81000000 T _text\n" END, "ffffffff81000000 T _text\n" END, "", 0), 0);
	k = (struct kernel){ .text = TEXT };
	assert_int_equal(read_symbols_of(&k, "ffffffff81000000 T _stext\n" END, "ffffffff81000000 T _stext\n" END, "", 0), 0);
	assert_int_equal(k.image, TEXT);
	/* A last line without an end is none; what takes them may have enough. */
	k = (struct kernel){ 0 };
	assert_int_equal(read_symbols_of(&k, BEGIN END "ffffffffc0000010 t cut", BEGIN END, "", 0), 0);
	assert_int_equal(read_symbols_of(&k, BEGIN END, "ffffffff80ffff00 T before\nffffffff81000000 T _text\n", "", 2), 5);
}

static void what_is_no_kallsyms_is_refused(void **unused)
{
	static const char wrong[] = ": not a /proc/kallsyms with addresses (_text, _end)";
	struct kernel k = { 0 };
	char long_line[800], all[1200], error[256] = "";
	struct text t = { .stop = 0 };

	(void)unused;
	assert_int_equal(read_symbols_of(&k, BEGIN, "", wrong, 0), -1);
	assert_int_equal(read_symbols_of(&k, END, "", wrong, 0), -1);
	assert_int_equal(read_symbols_of(&k, "0000000000000000 T _text\n0000000000000000 D _end\n", "", wrong, 0), -1);
	assert_int_equal(read_symbols_of(&k, "ffffffff81000000 T _text\nffffffff81000000 D _end\n", "", wrong, 0), -1);
	assert_false(k.symbols);
	assert_int_equal(kernel_read_symbols(&k, "/nowhere", "none", take_text, &t, error, sizeof(error)), -1);
	assert_string_equal(error, "/nowhere: No such file or directory");
	/* Not asked for, it is no error that the running kernel is another one. */
	*error = '\0';
	assert_int_equal(kernel_read_symbols(&k, NULL, "none", take_text, &t, error, sizeof(error)), 0);
	assert_string_equal(error, "");
	assert_int_equal(t.calls, 0);
	/* Lines of 639 bytes are taken, longer ones are not. */
	memset(long_line, 'n', sizeof(long_line));
	memcpy(long_line, "ffffffff81000010 t ", 19);
	strcpy(long_line + 638, "\n");
	snprintf(all, sizeof(all), BEGIN "%s" END, long_line);
	assert_int_equal(read_symbols_of(&k, all, all, "", 0), 0);
	strcpy(long_line + 638, "n\n");
	snprintf(all, sizeof(all), BEGIN "%s" END, long_line);
	assert_int_equal(read_symbols_of(&k, all, BEGIN END, "", 0), 0);
}

/* ---- ELF files ---- */

static void an_offset_is_of_the_segment_that_has_its_page(void **unused)
{
	/* The second begins within a page of the first; the third has memory beyond its bytes. */
	struct segment s[] = { { 0, 0x400000, 0x1800, 0x1800 }, { 0x1800, 0x602800, 0x800, 0x800 },
			       { 0x3010, 0x704010, 0x10, 0x2ff0 } };
	const struct file f = { .segment = s, .nr_segments = 3 };
	static const struct { uint64_t offset, addr; } rows[] = {
		{ 0, 0x400000 }, { 0xfff, 0x400fff }, { 0x1000, 0x602000 }, { 0x17ff, 0x6027ff }, { 0x1800, 0x602800 },
		{ 0x1fff, 0x602fff }, { 0x2000, 0 }, { 0x2fff, 0 }, { 0x3000, 0x704000 }, { 0x3010, 0x704010 },
		{ 0x5fff, 0x706fff }, { 0x6000, 0 },
	};
	uint64_t addr;
	size_t i;

	(void)unused;
	for (i = 0; i < LENGTH(rows); i++) {
		addr = 0;
		assert_int_equal(file_address(&f, rows[i].offset, &addr), rows[i].addr != 0);
		assert_int_equal(addr, rows[i].addr);
	}
}

static void a_symbol_ends_with_its_size(void **unused)
{
	struct file_symbol code[] = { { 0x3000, 0, "asm" }, { 0x1000, 0x20, "large" }, { 0x1000, 0x10, "small" },
				      { 0x1020, 0x10, "next" }, { 0x1000, 0x20, "large" } };
	struct file_symbol data[] = { { 0x5000, 8, "first" }, { 0x5008, 0, "none" } };
	const struct file f = { .functions = { code, LENGTH(code) }, .variables = { data, LENGTH(data) } };
	static const struct { uint64_t addr; bool code; const char *name; } rows[] = {
		{ 0xfff, true, NULL }, { 0x1000, true, "large" }, { 0x101f, true, "large" }, { 0x1020, true, "next" },
		{ 0x102f, true, "next" }, { 0x1030, true, NULL }, { 0x2fff, true, NULL }, { 0x3000, true, "asm" },
		{ 0x3fff, true, "asm" }, { 0x4000, true, NULL }, { 0x5000, true, NULL }, { 0x4fff, false, NULL },
		{ 0x5000, false, "first" }, { 0x5007, false, "first" }, { 0x5008, false, NULL }, { 0x1000, false, NULL },
	};
	const struct file none = { 0 };
	size_t i;

	(void)unused;
	qsort(code, LENGTH(code), sizeof(*code), by_start);
	assert_string_equal(code[0].name, "small");
	assert_string_equal(code[4].name, "asm");
	for (i = 0; i < LENGTH(rows); i++) {
		const struct file_symbol *s = file_symbol(&f, rows[i].addr, rows[i].code);

		assert_string_equal(s ? s->name : "-", rows[i].name ? rows[i].name : "-");
	}
	assert_null(file_symbol(&none, 0x1000, true));
}

int main(void);

/* Variables of this program, beside main(). */
uint64_t test_perf_variable = 5;
uint64_t test_perf_zero[3];

static const struct file_symbol *symbol_named(const struct file_symbols *in, const char *name)
{
	size_t i;

	for (i = 0; i < in->nr; i++)
		if (!strcmp(in->symbol[i].name, name))
			return &in->symbol[i];
	return NULL;
}

/* Another id, one that is cut, and one that is longer than the file's. */
static void only_the_file_with_the_build_id_is_read(void **unused)
{
	char path[4096] = "";
	unsigned char id[64] = { 0 };
	const unsigned char *bits;
	GElf_Addr addr;
	struct file *f;
	int n;

	(void)unused;
	assert_true(readlink("/proc/self/exe", path, sizeof(path) - 1) > 0);
	f = file_open(path, NULL, 0);
	assert_non_null(f);
	n = dwfl_module_build_id(f->module, &bits, &addr);
	if (n <= 0 || n >= (int)sizeof(id)) {
		file_close(f);
		skip();
	}
	memcpy(id, bits, n);
	file_close(f);
	f = file_open(path, id, n);
	assert_non_null(f);
	file_close(f);
	f = file_open(path, id, n - 1);
	assert_non_null(f);
	file_close(f);
	assert_null(file_open(path, id, n + 1));
	id[n - 1] ^= 1;
	assert_null(file_open(path, id, n));
	f = file_open(path, id, n - 1);
	assert_non_null(f);
	file_close(f);
}

static void programs_have_functions_and_variables(void **unused)
{
	char path[4096] = "";
	int descriptor;
	struct file *f;
	size_t i;

	(void)unused;
	assert_true(readlink("/proc/self/exe", path, sizeof(path) - 1) > 0);
	f = file_open(path, NULL, 0);
	assert_non_null(f);
	assert_true(f->nr_segments >= 2);
	assert_non_null(symbol_named(&f->functions, "main"));
	assert_null(symbol_named(&f->variables, "main"));
	assert_null(symbol_named(&f->functions, "test_perf_variable"));
	assert_int_equal(symbol_named(&f->variables, "test_perf_zero")->size, 24);
	assert_int_equal(symbol_named(&f->variables, "test_perf_variable")->size, 8);
	assert_int_equal(symbol_named(&f->variables, "test_perf_variable")->start - symbol_named(&f->functions, "main")->start,
			 (uintptr_t)&test_perf_variable - (uintptr_t)main);
	for (i = 1; i < f->functions.nr; i++)
		assert_true(f->functions.symbol[i - 1].start <= f->functions.symbol[i].start);
	for (i = 1; i < f->variables.nr; i++)
		assert_true(f->variables.symbol[i - 1].start <= f->variables.symbol[i].start);
	/* What is not defined here has no address here; with a version or not. */
	for (i = 0; i < f->functions.nr; i++)
		assert_true(strncmp(f->functions.symbol[i].name, "readlink", 8));
	file_close(f);
	descriptor = dup(0);
	close(descriptor);
	assert_null(file_open(path + 1, NULL, 0));
	assert_null(file_open("/nowhere/prog", NULL, 0));
	assert_null(file_open("/dev/null", NULL, 0));
	assert_null(file_open("/tmp", NULL, 0));
	assert_null(file_open("/proc/self/status", NULL, 0));
	/* None is left open. */
	assert_int_equal(dup(0), descriptor);
	close(descriptor);
	file_close(NULL);
}

/* ---- events of perf.data files ---- */

#define MAX_EVENTS	64

struct events {
	struct event e[MAX_EVENTS];
	size_t nr, stop;
	bool named;
	struct text symbols;
};

static int take_event(void *ctx, const struct event *e)
{
	struct events *all = ctx;

	assert_true(all->nr < MAX_EVENTS);
	all->e[all->nr++] = *e;
	return all->nr == all->stop ? 7 : 0;
}

static int take_symbols(void *ctx, const char *text, size_t size)
{
	return take_text(&((struct events *)ctx)->symbols, text, size);
}

/* Reads the file, which is freed. */
static void read_made(struct made_perf *f, struct events *all, int expected, const char *error, uint64_t lost)
{
	struct reader r = { .event = take_event, .symbols = take_symbols, .ctx = all, .host = UNKNOWN_HOST };
	char wrong[512] = "", full[512];
	const char *path;
	size_t size;
	void *bytes = made_perf_bytes(f, PERF_NATIVE, &size);

	all->nr = 0;
	all->symbols = (struct text){ .stop = 0 };
	path = mutate_file(bytes, size);
	assert_int_equal(reader_perf(path, &r, wrong, sizeof(wrong)), expected);
	snprintf(full, sizeof(full), "%s%s", *error ? path : "", error);
	assert_string_equal(wrong, full);
	assert_int_equal(r.lost_events, lost);
	assert_string_equal(r.host, all->named ? "box, Linux 6.1" : UNKNOWN_HOST);
	made_perf_free(f);
	free(bytes);
}

static void check_type(const struct event *e, uint32_t id, uint8_t class, const char *cache, const char *func,
		       const char *file)
{
	assert_int_equal(e->kind, EVENT_TYPE);
	assert_int_equal(e->cpu, -1);
	assert_int_equal(e->pid, 0);
	assert_int_equal(e->type.id, id);
	assert_int_equal(e->type.size, 0);
	assert_int_equal(e->type.class, class);
	assert_string_equal(e->type.cache, cache);
	assert_string_equal(e->type.func, func);
	assert_string_equal(e->type.file, file);
}

static void check_sample(const struct event *e, uint64_t ts, int cpu, int pid, const struct sample_event *s)
{
	const struct sample_event *g = &e->sample;

	assert_int_equal(e->kind, EVENT_SAMPLE);
	assert_int_equal(e->ts, ts);
	assert_int_equal(e->cpu, cpu);
	assert_int_equal(e->pid, pid);
	assert_int_equal(g->ip, s->ip);
	assert_int_equal(g->addr, s->addr);
	assert_int_equal(g->phys, s->phys);
	assert_int_equal(g->base, s->base);
	assert_int_equal(g->data_src, s->data_src);
	assert_int_equal(g->at, s->at);
	assert_int_equal(g->cgroup, s->cgroup);
	assert_int_equal(g->type, s->type);
	assert_int_equal(g->offset, s->offset);
	assert_int_equal(g->latency, s->latency);
	assert_int_equal(g->space, s->space);
	assert_int_equal(g->op, s->op);
	assert_int_equal(g->width, s->width);
	assert_int_equal(g->source, s->source);
	assert_int_equal(g->flags, s->flags);
	assert_int_equal(g->home, s->home);
	assert_int_equal(g->cpu_home, s->cpu_home);
}

#define LOAD	((uint64_t)PERF_MEM_OP_LOAD << PERF_MEM_OP_SHIFT)
#define STORE	((uint64_t)PERF_MEM_OP_STORE << PERF_MEM_OP_SHIFT)
#define LEVEL(l) ((uint64_t)(PERF_MEM_LVL_HIT | PERF_MEM_LVL_##l) << PERF_MEM_LVL_SHIFT)
#define ONE	NR_MEMORY_CLASSES
#define CODE	(1ULL << 48)

static void put_map(struct made_perf *f, uint32_t pid, uint64_t start, uint64_t length, uint64_t offset, uint32_t flags,
		    const char *name)
{
	made_perf_mapping(f, 1, pid, &(struct perf_made_map){ start, length, offset, PROT_READ, flags, name });
}

static void accesses_of_user_mode_have_each_field(void **unused)
{
	static struct events all;
	struct made_perf *f = made_perf_new();
	struct perf_made s = { .time = 100, .ip = 0x400010, .addr = 0x600040, .weight = 1ULL << 32, .data_src = LOAD,
			       .phys_addr = 0x40000008, .pid = 10, .tid = 11, .cpu = 1, .cgroup = 55 };
	struct sample_event e = { .ip = CODE | 0x1010, .addr = 0x600040, .phys = 0x40000008, .base = 0x600000,
				  .data_src = LOAD, .cgroup = 55, .type = ONE, .offset = 0x40, .latency = UINT32_MAX, .space = 1,
				  .op = OP_LOAD, .source = SOURCE_PERF, .flags = SAMPLE_USER, .home = 2, .cpu_home = 2 };

	(void)unused;
	made_perf_memory(f);
	made_perf_nodes(f, "0", "1");
	made_perf_cgroup(f, 55, "/a/group");
	made_perf_comm(f, 1, 10, 10, 0, "prog");
	put_map(f, 10, 0x400000, 0x1000, 0x1000, MAP_PRIVATE, "/nowhere/prog");
	put_map(f, 10, 0x600000, 0x1000, 0, MAP_PRIVATE, "[heap]");
	put_map(f, 10, 0x10000000, 0x1000, 0x3000, MAP_SHARED, "/dev/shm/queue");
	made_perf_sample(f, &s);
	/* The node is that of the address; without one, of the source and the CPU. */
	s.time++, s.weight = 7, s.phys_addr = 0, s.data_src = STORE | LEVEL(LOC_RAM);
	made_perf_sample(f, &s);
	s.time++, s.data_src = LOAD | LEVEL(REM_RAM1);
	made_perf_sample(f, &s);
	s.time++, s.cpu = 0;
	made_perf_sample(f, &s);
	s.time++, s.data_src = LOAD | LEVEL(LOC_RAM);
	made_perf_sample(f, &s);
	s.time++, s.cpu = 2;
	made_perf_sample(f, &s);
	s.time++, s.cpu = 1, s.data_src = LOAD | STORE | LEVEL(L1), s.addr = 0x10000080;
	made_perf_sample(f, &s);
	/* No mapping has it; and of another process, nothing is known. */
	s.time++, s.addr = 0x7000000000ab, s.ip = 0x7000;
	made_perf_sample(f, &s);
	read_made(f, &all, 0, "", 0);
	assert_int_equal(all.nr, 12);
	assert_int_equal(all.e[0].kind, EVENT_CGROUP);
	assert_int_equal(all.e[0].cgroup.id, 55);
	assert_string_equal(all.e[0].cgroup.path, "/a/group");
	check_type(&all.e[1], ONE, CLASS_USER, "prog", "[heap]", "");
	check_sample(&all.e[2], 100, 1, 11, &e);
	e.latency = 7, e.phys = 0, e.data_src = STORE | LEVEL(LOC_RAM), e.op = OP_STORE;
	check_sample(&all.e[3], 101, 1, 11, &e);
	e.data_src = LOAD | LEVEL(REM_RAM1), e.op = OP_LOAD, e.home = 1;
	check_sample(&all.e[4], 102, 1, 11, &e);
	e.home = 2, e.cpu_home = 1;
	check_sample(&all.e[5], 103, 0, 11, &e);
	e.home = 1, e.data_src = LOAD | LEVEL(LOC_RAM);
	check_sample(&all.e[6], 104, 0, 11, &e);
	e.home = e.cpu_home = 0;
	check_sample(&all.e[7], 105, 2, 11, &e);
	e.cpu_home = 2;
	check_type(&all.e[8], ONE + 1, CLASS_USER, "queue", "", "/dev/shm/queue");
	e.data_src = LOAD | STORE | LEVEL(L1), e.op = OP_LOAD | OP_STORE, e.home = 0, e.addr = 0x10000080;
	e.type = ONE + 1, e.offset = 0x80, e.space = 2, e.at = 0x3080 + (1ULL << 32), e.base = 0x3000 + (1ULL << 32);
	check_sample(&all.e[9], 106, 1, 11, &e);
	check_type(&all.e[10], ONE + 2, CLASS_USER, "prog", "[not_mapped]", "");
	e.ip = 0x7000, e.addr = 0x7000000000ab, e.type = ONE + 2, e.offset = 0xab, e.space = 1, e.at = 0;
	e.base = 0x700000000000;
	check_sample(&all.e[11], 107, 1, 11, &e);
	assert_string_equal(all.symbols.bytes, "0001000000001010 t 0x1010\t[prog]\n");
}

static void what_is_no_access_is_left_out(void **unused)
{
	static struct events all;
	struct made_perf *f = made_perf_new();
	struct perf_made s = { .time = 100, .ip = 0x400010, .addr = 0, .data_src = LOAD, .pid = 10, .tid = 10 };

	(void)unused;
	made_perf_memory(f);
	made_perf_sample(f, &s);
	s.addr = 1ULL << 63;
	made_perf_sample(f, &s);
	s.addr = 0x1000, s.data_src = (uint64_t)PERF_MEM_OP_NA << PERF_MEM_OP_SHIFT;
	made_perf_sample(f, &s);
	made_perf_put(f, PERF_RECORD_LOST, 0, (uint64_t[]){ PERF_MADE_ID, 5, 10, 99999, 0, PERF_MADE_ID }, 48);
	made_perf_put(f, PERF_RECORD_LOST, 0, (uint64_t[]){ PERF_MADE_ID, 6, 10, 99999, 0, PERF_MADE_ID }, 48);
	read_made(f, &all, -1, ": no samples of memory accesses (3 of others)", 11);
	assert_int_equal(all.nr, 0);
	/* One below is of user mode. */
	f = made_perf_new();
	made_perf_memory(f);
	s.addr = (1ULL << 63) - 1, s.data_src = LOAD;
	made_perf_sample(f, &s);
	all.stop = 2;
	read_made(f, &all, 7, "", 0);
	assert_int_equal(all.nr, 2);
	check_type(&all.e[0], ONE, CLASS_USER, "[unknown]", "[not_mapped]", "");
	all.stop = 0;
	f = made_perf_new();
	made_perf_event(f, &(struct perf_event_attr){ .sample_type = PERF_SAMPLE_IP }, NULL, 0);
	read_made(f, &all, -1, ": its samples have no addresses of data (perf mem record and perf record -d record them)", 0);
}

static void accesses_of_the_kernel_are_of_its_regions(void **unused)
{
	static const struct { uint64_t addr, phys; uint32_t type; const char *cache, *func; uint8_t class; } rows[] = {
		{ 0xffff888012345040, 0x12345040, ONE, "direct_map", "", CLASS_UNKNOWN },
		{ 0xffffc90000001008, 0x2345008, ONE + 1, "vmalloc_or_vmemmap", "", CLASS_VMALLOC },
		{ 0xfffffe0000000010, 0, ONE + 2, "cpu_entry_area", "", CLASS_FIXMAP },
		{ 0xffffffffff000010, 0, CLASS_FIXMAP, NULL, NULL, 0 },
		{ TEXT + 0x1000050, 0, CLASS_STATIC, NULL, NULL, 0 },
		{ MODULES + 8, 0, ONE + 3, "module", "netmod", CLASS_MODULE },
		{ MODULES + 0x4000, 0, ONE + 4, "module", "", CLASS_MODULE },
		{ 0xffff888012345040, 0, ONE + 5, "kernel", "", CLASS_UNKNOWN },
	};
	static struct events all;
	struct made_perf *f = made_perf_new();
	size_t i, n = 0;

	(void)unused;
	made_perf_memory(f);
	made_perf_feature(f, 3, "\4\0\0\0box", 8);
	made_perf_feature(f, 4, "\4\0\0\0006.1", 8);
	all.named = true;
	made_perf_feature(f, 6, "\7\0\0\0x86_64", 11);
	put_map(f, -1, TEXT, 0x2000000, TEXT, MAP_PRIVATE, "[kernel.kallsyms]_text");
	put_map(f, -1, MODULES, 0x4000, 0, MAP_PRIVATE, "[netmod]");
	for (i = 0; i < LENGTH(rows); i++)
		made_perf_sample(f, &(struct perf_made){
			.time = 100 + i, .ip = i ? MODULES + i : TEXT, .addr = rows[i].addr, .phys_addr = rows[i].phys, .tid = 5,
			.weight = 3, .data_src = LOAD, .misc = PERF_RECORD_MISC_KERNEL });
	read_made(f, &all, 0, "", 0);
	for (i = 0; i < LENGTH(rows); i++) {
		if (rows[i].cache)
			check_type(&all.e[n++], rows[i].type, rows[i].class, rows[i].cache, rows[i].func, "");
		check_sample(&all.e[n++], 100 + i, 0, 5, &(struct sample_event){
			.ip = i ? MODULES + i : TEXT, .addr = rows[i].addr, .phys = rows[i].phys, .type = rows[i].type,
			.base = rows[i].addr & ~0xffffffffULL, .offset = (uint32_t)rows[i].addr, .latency = 3, .op = OP_LOAD,
			.data_src = LOAD, .source = SOURCE_PERF });
	}
	assert_int_equal(all.nr, n);
	assert_non_null(strstr(all.symbols.bytes, "ffffffffa0000001 t 0xffffffffa0000001\t[netmod]\n"));
	assert_int_equal(all.symbols.size, 7 * strlen("ffffffffa0000001 t 0xffffffffa0000001\t[netmod]\n"));
}

static void put_exit(struct made_perf *f, uint64_t time, uint32_t pid, uint32_t tid)
{
	const uint64_t words[] = { pid | 1ULL << 32, tid | 1ULL << 32, time, pid | (uint64_t)tid << 32, time, 0, PERF_MADE_ID };

	made_perf_put(f, PERF_RECORD_EXIT, 0, words, sizeof(words));
}

static void processes_have_their_own_mappings(void **unused)
{
	static struct events all;
	struct made_perf *f = made_perf_new();
	struct perf_made s = { .time = 100, .ip = 0x1, .addr = 0x600040, .data_src = LOAD, .pid = 20, .tid = 20 };
	static const struct { uint32_t type, space; } expected[] = {
		{ ONE, 1 }, { ONE, 3 }, { ONE + 1, 3 }, { ONE + 2, 4 }, { ONE + 2, 4 }, { ONE + 3, 5 },
	};
	static const char * const names[] = { "prog", "named", "next", "[unknown]" };
	size_t i, n = 0;

	(void)unused;
	made_perf_memory(f);
	made_perf_comm(f, 1, 20, 20, 0, "prog");
	/* The name of a thread is not that of its process. */
	made_perf_comm(f, 1, 20, 21, 0, "thread");
	put_map(f, 20, 0x600000, 0x1000, 0, MAP_PRIVATE, "//anon");
	made_perf_sample(f, &s);
	made_perf_fork(f, 110, 30, 30, 20);
	s.time = 111, s.pid = 30;
	made_perf_sample(f, &s);
	made_perf_comm(f, 112, 30, 30, 0, "named");
	s.time = 113;
	made_perf_sample(f, &s);
	made_perf_comm(f, 114, 30, 30, PERF_RECORD_MISC_COMM_EXEC, "next");
	s.time = 115;
	made_perf_sample(f, &s);
	/* A thread's end is not that of its process. */
	put_exit(f, 116, 30, 31);
	s.time = 117;
	made_perf_sample(f, &s);
	put_exit(f, 118, 30, 30);
	s.time = 119;
	made_perf_sample(f, &s);
	read_made(f, &all, 0, "", 0);
	for (i = 0; i < all.nr; i++)
		if (all.e[i].kind == EVENT_TYPE)
			check_type(&all.e[i], all.e[i].type.id, CLASS_USER,
				   names[all.e[i].type.id - ONE],
				   all.e[i].type.id < ONE + 2 ? "[anon]" : "[not_mapped]", "");
	for (i = 0; i < all.nr; i++) {
		if (all.e[i].kind != EVENT_SAMPLE)
			continue;
		assert_int_equal(all.e[i].sample.type, expected[n].type);
		assert_int_equal(all.e[i].sample.space, expected[n].space);
		n++;
	}
	assert_int_equal(n, LENGTH(expected));
	assert_int_equal(all.nr, n + 4);
}

/* This program as it is mapped here, in .data and in .bss. */
static void put_own_maps(struct made_perf *f, const char *self)
{
	char line[512], path[256];
	uint64_t start, end, offset;
	FILE *maps = fopen("/proc/self/maps", "re");

	assert_non_null(maps);
	while (fgets(line, sizeof(line), maps)) {
		*path = '\0';
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64 " %*s %*s %255s", &start, &end, &offset, path) >= 3 &&
		    (!*path || !strcmp(path, self)))
			put_map(f, 30, start, end - start, offset, MAP_PRIVATE, *path ? path : "//anon");
	}
	fclose(maps);
}

static void variables_of_programs_are_types(void **unused)
{
	static struct events all;
	struct made_perf *f = made_perf_new();
	char line[512], self[256] = "";
	const struct { void *addr; uint32_t offset, size; const char *name; } rows[] = {
		{ (char *)&test_perf_variable + 7, 7, 8, "test_perf_variable" },
		{ (char *)&test_perf_zero[1], 8, 24, "test_perf_zero" },
	};
	size_t i;

	(void)unused;
	assert_true(readlink("/proc/self/exe", self, sizeof(self) - 1) > 0);
	made_perf_memory(f);
	made_perf_comm(f, 1, 30, 30, 0, "own");
	put_own_maps(f, self);
	for (i = 0; i < LENGTH(rows); i++)
		made_perf_sample(f, &(struct perf_made){ .time = 100 + i, .ip = (uintptr_t)main + 1, .pid = 30, .tid = 30,
							 .addr = (uintptr_t)rows[i].addr, .data_src = STORE });
	read_made(f, &all, 0, "", 0);
	assert_int_equal(all.nr, 2 * LENGTH(rows));
	for (i = 0; i < LENGTH(rows); i++) {
		const struct event *t = &all.e[2 * i], *e = t + 1;

		assert_int_equal(t->kind, EVENT_TYPE);
		assert_int_equal(t->type.size, rows[i].size);
		assert_string_equal(t->type.cache, strrchr(self, '/') + 1);
		assert_string_equal(t->type.func, rows[i].name);
		assert_int_equal(strncmp(t->type.file, self, sizeof(t->type.file) - 1), 0);
		assert_int_equal(e->sample.type, ONE + i);
		assert_int_equal(e->sample.base, (uintptr_t)rows[i].addr - rows[i].offset);
		assert_int_equal(e->sample.offset, rows[i].offset);
		assert_int_equal(e->sample.space, 1);
		assert_int_equal(e->sample.ip >> 48, 1);
	}
	/* The symbol is where the function begins. */
	snprintf(line, sizeof(line), "%016" PRIx64 " t main\t[%s]\n", all.e[1].sample.ip - 1,
		 strrchr(self, '/') + 1);
	assert_string_equal(all.symbols.bytes, line);
}

static void a_recording_that_is_damaged_says_what_was_read(void **unused)
{
	struct perf_made s = { .time = 100, .ip = 1, .addr = 0x1000, .data_src = LOAD, .pid = 10, .tid = 10 };
	static struct events all;
	struct made_perf *f;
	char expected[80];
	int samples;

	(void)unused;
	for (samples = 0; samples < 2; samples++) {
		f = made_perf_new();
		made_perf_memory(f);
		if (samples)
			made_perf_sample(f, &s);
		made_perf_put(f, PERF_RECORD_SAMPLE, 0, &s, 8);
		/* Behind the header, an id, and an event with its section. */
		snprintf(expected, sizeof(expected), ": damaged sample at 0x%zx%s",
			 104 + 8 + sizeof(struct perf_event_attr) + 16 + (samples ? 88 : 0), samples ? "; 1 samples read" : "");
		read_made(f, &all, -1, expected, 0);
		assert_int_equal(all.nr, 2 * samples);
	}
}

struct limits {
	uint64_t types, samples;
};

static int take_limit(void *ctx, const struct event *e)
{
	struct limits *l = ctx;
	const uint64_t n = l->samples;

	if (e->kind == EVENT_TYPE) {
		assert_int_equal(e->type.id, NR_MEMORY_CLASSES + l->types++);
		return 0;
	}
	assert_int_equal(e->sample.type, n < 8192 ? NR_MEMORY_CLASSES + n : CLASS_USER);
	assert_int_equal(e->sample.ip, n < 0x7ffe ? (n + 1) << 48 | 8 : 0x1000 * (n + 1) + 8);
	l->samples++;
	return 0;
}

/* Each with a mapping that has an instruction and what it accesses. */
static void types_and_files_of_code_have_bounds(void **unused)
{
	struct limits l = { 0 };
	struct reader r = { .event = take_limit, .ctx = &l };
	struct made_perf *f = made_perf_new();
	char name[32], error[256] = "";
	uint64_t i, start;
	size_t size;
	void *bytes;

	(void)unused;
	made_perf_memory(f);
	for (i = 0; i < 0x8000; i++) {
		start = 0x1000 * (i + 1);
		snprintf(name, sizeof(name), "/nowhere/%" PRIu64, i);
		made_perf_map(f, 2 * i + 1, 10, start, 0x1000, 0, name);
		made_perf_sample(f, &(struct perf_made){ .time = 2 * i + 2, .ip = start + 8, .addr = start + 16, .pid = 10,
							 .tid = 10, .data_src = LOAD });
	}
	bytes = made_perf_bytes(f, PERF_NATIVE, &size);
	assert_int_equal(reader_perf(mutate_file(bytes, size), &r, error, sizeof(error)), 0);
	assert_string_equal(error, "");
	assert_int_equal(l.types, 8192);
	assert_int_equal(l.samples, 0x8000);
	made_perf_free(f);
	free(bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(modules_are_named_as_the_kernel_names_them),
		cmocka_unit_test(the_first_image_says_where_the_kernel_is),
		cmocka_unit_test(each_address_is_of_its_region),
		cmocka_unit_test(symbols_are_moved_to_where_the_kernel_was),
		cmocka_unit_test(what_is_no_kallsyms_is_refused),
		cmocka_unit_test(an_offset_is_of_the_segment_that_has_its_page),
		cmocka_unit_test(a_symbol_ends_with_its_size),
		cmocka_unit_test(programs_have_functions_and_variables),
		cmocka_unit_test(only_the_file_with_the_build_id_is_read),
		cmocka_unit_test(accesses_of_user_mode_have_each_field),
		cmocka_unit_test(what_is_no_access_is_left_out),
		cmocka_unit_test(accesses_of_the_kernel_are_of_its_regions),
		cmocka_unit_test(processes_have_their_own_mappings),
		cmocka_unit_test(variables_of_programs_are_types),
		cmocka_unit_test(types_and_files_of_code_have_bounds),
		cmocka_unit_test(a_recording_that_is_damaged_says_what_was_read),
	};

	return cmocka_run_group_tests_name("dprof perf.data", tests, NULL, NULL);
}
