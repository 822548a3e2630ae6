// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * decoder [-] [FILE...]: compares the decoder with the references on all forms, but
 * with -, and then on the text of the files.  Prints TAP.
 * decoder silicon FILE: with the IBS ops of a processor, decoded (silicon.c).
 */
#include "decoder.h"

/*
 * Forms that the decoder refused when it was first compared.  It may refuse fewer;
 * a version of Zydis that knows more instructions has more forms.
 */
static const struct {
	int major, minor;
	unsigned long refused;
} recorded[] = {
	{ 4, 0, 2535957 },	/* Debian 12 */
	{ 4, 1, 2614887 },	/* Debian 13 */
};

/* Of all instructions that access memory. */
#define MAX_REFUSED_SHARE	0.0001

static int nr_tests, failed;

static void result(bool ok, const char *name)
{
	printf("%sok %d - %s\n", ok ? "" : "not ", ++nr_tests, name);
	fflush(stdout);
	failed += !ok;
}

static void test_forms(void)
{
	int major = ZYDIS_VERSION_MAJOR(ZydisGetVersion());
	int minor = ZYDIS_VERSION_MINOR(ZydisGetVersion());
	char name[128];
	unsigned long wrong;
	int i;

	enumerate();
	wrong = compare_end();
	/* So many there are at least: it is not for want of forms. */
	result(!wrong && totals.same > 15000000,
	       "the decoder is as its references on every form it accepts");
	result(!totals.again_differ && totals.again > 40000000,
	       "what is decoded once is right with other registers");
	result(!totals.no_reason, "every form that it refuses has a reason");
	for (i = 0; i < ARRAY_SIZE(recorded); i++)
		if (recorded[i].major == major && recorded[i].minor == minor)
			break;
	if (i < ARRAY_SIZE(recorded)) {
		snprintf(name, sizeof(name), "refused forms: %lu, at most %lu", totals.refused,
			 recorded[i].refused);
		result(totals.refused <= recorded[i].refused, name);
	} else {
		printf("ok %d - refused forms: %lu # SKIP no number for Zydis %d.%d\n", ++nr_tests,
		       totals.refused, major, minor);
	}
}

static void test_text(char **files, int nr)
{
	unsigned long memory = 0, refused = 0, wrong = 0;
	char name[128];
	int i;

	for (i = 0; i < nr; i++) {
		totals = (struct totals){ 0 };
		if (sweep(files[i])) {
			printf("# %s: no text\n", files[i]);
			wrong++;
		}
		printf("# %s: %lu instructions, %lu with memory, %lu refused\n", files[i],
		       totals.forms, totals.with_memory, totals.refused);
		memory += totals.with_memory;
		refused += totals.refused;
		wrong += compare_end() + totals.no_reason + totals.again_differ;
	}
	result(!wrong, "no instruction of the kernel and the guest's programs is decoded otherwise");
	snprintf(name, sizeof(name), "of %lu that access memory it refuses %lu (%.4f %%)", memory,
		 refused, memory ? 100.0 * refused / memory : 0);
	result(memory && refused <= memory * MAX_REFUSED_SHARE, name);
}

static void test_silicon(const char *path)
{
	struct silicon s;
	char name[128];

	if (silicon(path, &s)) {
		result(false, "the ops can be read");
		return;
	}
	result(!s.unreadable && s.linear, "all lines are ops with an instruction, and some access memory");
	/* What the processor accesses by itself while it enters the kernel is no instruction's. */
	snprintf(name, sizeof(name), "direction and width: %lu of %lu as decoded, all but the %lu of the kernel's entry",
		 s.agree, s.linear, s.kernel);
	result(s.agree == s.linear - s.kernel, name);
	snprintf(name, sizeof(name), "addresses: %lu of the %lu that no register decides", s.address, s.fixed);
	result(s.fixed && s.address == s.fixed, name);
}

int main(int argc, char **argv)
{
	zydis_init();
	if (argc == 3 && !strcmp(argv[1], "silicon")) {
		test_silicon(argv[2]);
		printf("1..%d\n", nr_tests);
		return failed != 0;
	}
	if (argc > 1 && !strcmp(argv[1], "-")) {
		argv++;
		argc--;
	} else {
		test_forms();
	}
	if (argc > 1)
		test_text(argv + 1, argc - 1);
	printf("1..%d\n", nr_tests);
	return failed != 0;
}
