// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Suites: what they say, what is refused; plans; warm-up; drift. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "pagebench/measure/ager.h"
#include "pagebench/measure/canary.h"
#include "pagebench/measure/metric.h"
#include "pagebench/measure/plan.h"
#include "pagebench/stat/random.h"
#include "pagebench/measure/warmup.h"

#define HEAD "[suite]\nname = s\n[strategies]\ndefault =\ncoloring = --no-aslr -s coloring:offset=1\n"

static int parse(const char *text, struct suite *s)
{
	return suite_parse("s.ini", strdup(text), strlen(text), s);
}

static void test_whole(void **state)
{
	static const char text[] =
		"; a suite\n[suite]\nname = study-1.0\nexecutions = 4\nmeasurements = 7\nwarmup = 2\n"
		"seed = 18446744073709551615\nboots = 3\naging = 32M\ntimeout = 9\n"
		"trace = /sys/traced file\n[strategies]\ndefault = --no-aslr\n# another\nbinhop = -s binhop\n"
		"[program fft]\ncommand = prog 'a b' \"c \\\" d\" e\\ f ''   ; words\nprotocol = lines\n"
		"marks = program\ncaches = empty\nconfig.half = --size 1K\nenv.half = A=1 B='x y'\nconfig.one =\n"
		"warmup = mser\n"
		"[program gzip]\ncommand = gzip\n  -k file\nprepare = a |\n  b\nstrategies = binhop\n"
		"executions = 2\nmeasurements = 9\n"
		"[program kept]\ncommand = x \"\\$ \\` \\\" \\\\ \\n \\1\" \\n\ncaches = keep\n"
		"[program warm]\ncommand = x\nprotocol = lines\n";
	struct suite s;
	struct suite_program *p;

	(void)state;
	assert_int_equal(parse(text, &s), 0);
	assert_string_equal(s.name, "study-1.0");
	assert_true(s.seed == UINT64_MAX && s.boots == 3 && s.aging_bytes == 32 << 20);
	assert_string_equal(s.trace, "/sys/traced file");
	assert_int_equal(s.nr_strategies, 2);
	assert_string_equal(s.strategies[0].options.word[0], "--no-aslr");
	assert_int_equal(s.strategies[1].options.nr, 2);
	assert_int_equal(s.nr_programs, 4);
	/* By default a whole run starts with empty caches, and lines, which have a warm-up, do not. */
	assert_int_equal(s.programs[0].caches, CACHES_EMPTY);
	assert_int_equal(s.programs[1].caches, CACHES_EMPTY);
	assert_int_equal(s.programs[2].caches, CACHES_KEEP);
	assert_int_equal(s.programs[3].caches, CACHES_KEEP);
	p = &s.programs[0];
	assert_int_equal(p->command.nr, 5);
	assert_string_equal(p->command.word[1], "a b");
	assert_string_equal(p->command.word[2], "c \" d");
	assert_string_equal(p->command.word[3], "e f");
	assert_string_equal(p->command.word[4], "");
	assert_null(p->command.word[5]);
	assert_true(p->protocol == PROTOCOL_LINES && p->marks_itself && p->strategies == 3);
	assert_true(p->rules.executions == 4 && p->rules.measurements == 7 &&
		    p->rules.warmup == WARMUP_MSER && p->rules.timeout_s == 9);
	assert_int_equal(p->nr_configs, 2);
	assert_string_equal(p->configs[0].env.word[1], "B=x y");
	assert_int_equal(p->configs[1].args.nr, 0);
	p = &s.programs[1];
	assert_int_equal(p->command.nr, 3);
	assert_string_equal(p->prepare, "a | b");
	assert_true(p->protocol == PROTOCOL_RUN && p->strategies == 2);
	assert_true(p->rules.executions == 2 && p->rules.measurements == 1 && !p->rules.warmup);
	assert_int_equal(p->nr_configs, 1);
	assert_string_equal(p->configs[0].name, "-");
	/* As sh has it. */
	p = &s.programs[2];
	assert_int_equal(p->command.nr, 3);
	assert_string_equal(p->command.word[1], "$ ` \" \\ \\n \\1");
	assert_string_equal(p->command.word[2], "n");
	suite_free(&s);
}

/* What is said on standard error. */
static void refused(const char *text, const char *message)
{
	static char printed[4096];
	struct suite s;
	FILE *f = tmpfile();
	int err = dup(2), ret;

	fflush(stderr);
	dup2(fileno(f), 2);
	ret = parse(text, &s);
	fflush(stderr);
	dup2(err, 2);
	close(err);
	suite_free(&s);
	rewind(f);
	printed[fread(printed, 1, sizeof(printed) - 1, f)] = '\0';
	fclose(f);
	if (ret != 1 || !strstr(printed, message) || strchr(printed, '\n') != strrchr(printed, '\n'))
		fail_msg("status %d, said '%s', expected '%s' of:\n%s", ret, printed, message, text);
}

static void test_refused(void **state)
{
	char big[400];

	(void)state;
	refused("", "s.ini: there is no [program NAME]");
	refused("[suite]\nname = s\n[strategies]\ndefault =\n", "there is no [program NAME]");
	refused("[suite]\nname = s\n[program p]\ncommand = x\n", "there is no strategy");
	refused("[strategies]\ndefault =\n[program p]\ncommand = x\n", "[suite] has no name");
	refused("name = s\n", "line 1: []: neither suite, strategies");
	refused("[suite]\nfoo\n", "line 2: neither [section], key = value");
	refused("[suite]\nfoo = 1\n", "line 2: foo: no such key in [suite]");
	refused("[suite]\nname = a b\n", "line 2: name 'a b': not a name");
	refused("[suite]\nname = a,b\n", "not a name");
	refused("[suite]\nname = s\nname = t\n", "line 3: name is there twice");
	refused("[suite]\nexecutions = 0\n", "executions = 0: not a number from 1");
	refused("[suite]\nexecutions = 3x\n", "executions = 3x: not a number");
	refused("[suite]\nexecutions = -3\n", "executions = -3: not a number");
	refused("[suite]\nmeasurements = 1000001\n", "not a number from 1 to 1000000");
	refused("[suite]\nwarmup = some\n", "warmup = some: not a number");
	refused("[suite]\nseed = 18446744073709551616\n", "seed = 18446744073709551616: not");
	refused("[suite]\naging = much\n", "aging = much: neither a size");
	refused("[suite]\ntrace = traced\n", "trace = traced: does not begin with /");
	refused("[suite]\nboots = 0\n", "boots = 0: not a number");
	refused("[suite]\nname = s\n  t\n", "line 3: name goes on in the next line");
	refused("[suite]\n[strategies]\ndefault =\n", "line 1: an empty section");
	refused(HEAD "[program p]\n", "line 6: an empty section");
	refused(HEAD "[other]\na = 1\n", "[other]: neither suite, strategies nor program");
	refused("[strategies]\ndefault = -s coloring\n", "it has no hints");
	refused("[strategies]\na = 'x\n", "a = 'x: a quote is not closed");
	refused("[strategies]\na =\nb =\na =\n", "line 4: strategy a is there twice");
	refused(HEAD "[program p]\nprotocol = lines\n", "line 6: [program p] has no command");
	refused(HEAD "[program p]\ncommand = x\nprotocol = csv\n", "protocol = csv: neither run nor lines");
	refused(HEAD "[program p]\ncommand = x\nmarks = program\n", "marks = program needs protocol = lines");
	refused(HEAD "[program p]\ncommand = x\nmarks = all\n", "marks = all: neither");
	refused(HEAD "[program p]\ncommand = x\ncaches = full\n", "caches = full: neither keep nor empty");
	refused(HEAD "[program p]\ncommand = x\nstrategies = binhop\n", "binhop is none of [strategies]");
	refused(HEAD "[program p]\ncommand = x\nstrategies =\n", "strategies: there is none");
	refused(HEAD "[program p]\ncommand = x\nenv.a = A=1\n", "env.a: comes before config.a");
	refused(HEAD "[program p]\ncommand = x\nconfig.a =\nenv.a = A\n", "env.a = A: not NAME=VALUE");
	refused(HEAD "[program p]\ncommand = x\nconfig.a =\nconfig.b =\nconfig.a =\n", "config.a is there twice");
	refused(HEAD "[program p]\ncommand = x\nconfig./ =\n", "config '/': not a name");
	refused(HEAD "[program p]\ncommand = x\nseed = 1\n", "seed: no such key of a program");
	refused(HEAD "[program p]\ncommand = x\n[program p]\ncommand = y\n", "line 8: [program p] is there twice");
	refused(HEAD "[program canary]\ncommand = x\n", "that is the name of the measurement");
	refused(HEAD "[program p]\ncommand = x\nprotocol = lines\nmeasurements = 3\nwarmup = 3\n",
		"warmup = 3 leaves nothing of 3");
	/* With 3 an execution keeps 2 or 3, and each its variation. */
	refused(HEAD "[program p]\ncommand = x\nprotocol = lines\nmeasurements = 2\nwarmup = mser\n",
		"line 6: [program p]: warmup = mser leaves 1 or 2 of 2 measurements");
	refused(HEAD "[program p]\ncommand = x\n[suite]\nseed = 2\n", "[suite] comes before programs");
	refused(HEAD "[program p]\ncommand = x\n[strategies]\nb =\n", "strategies come before programs");
	memset(big, 'x', sizeof(big) - 1);
	big[sizeof(big) - 1] = '\0';
	memcpy(big, "[suite]\nname = ", 15);
	refused(big, "line 2: longer than");
}

/* No line replaces what another one said. */
static void test_twice(void **state)
{
	static const char *const once[] = {
		"executions = 3", "measurements = 3", "warmup = 1", "timeout = 9", "protocol = lines", "marks = runner",
		"caches = keep",
	};
	static const char *const more[] = { "prepare = a", "strategies = default", "env.a = A=1" };
	static const char *const in_suite[] = { "executions = 3", "seed = 3", "boots = 3", "aging = 3M", "trace = /a" };
	char text[512], message[64];
	struct suite s;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(once) / sizeof(once[0]) + sizeof(more) / sizeof(more[0]); i++) {
		const char *line = i < sizeof(once) / sizeof(once[0]) ? once[i] : more[i - sizeof(once) / sizeof(once[0])];

		/* With another key between them. */
		snprintf(text, sizeof(text), HEAD "[program p]\ncommand = x\nconfig.a =\n%s\nconfig.b =\n%s\n", line, line);
		snprintf(message, sizeof(message), "line 11: %.*s is there twice", (int)strcspn(line, " "), line);
		refused(text, message);
	}
	for (i = 0; i < sizeof(once) / sizeof(once[0]); i++) {
		snprintf(text, sizeof(text), HEAD "[program p]\ncommand = x\n%s\n  1\n", once[i]);
		snprintf(message, sizeof(message), "line 9: %.*s goes on in the next line", (int)strcspn(once[i], " "), once[i]);
		refused(text, message);
	}
	for (i = 0; i < sizeof(in_suite) / sizeof(in_suite[0]); i++) {
		snprintf(text, sizeof(text), "[suite]\n%s\nname = s\n%s\n", in_suite[i], in_suite[i]);
		snprintf(message, sizeof(message), "line 4: %.*s is there twice", (int)strcspn(in_suite[i], " "), in_suite[i]);
		refused(text, message);
	}
	refused(HEAD "[program p]\ncommand = x\nprepare = a\ncommand = y\n", "line 9: command is there twice");
	refused("[suite]\nseed = 1\n[strategies]\ndefault =\n[suite]\nseed = 2\n", "line 6: seed is there twice");
	/* A strategy may have the name of a key, each program has its own, and lists go on. */
	assert_int_equal(parse("[suite]\nname = s\n[strategies]\nname =\nseed =\ntimeout =\n"
			       "[program p]\ncommand = x\n  y\ntimeout = 8\nprepare = a\n  b\nstrategies = seed\n  name\n"
			       "config.a = 1\n  2\nenv.a = A=1\n  B=2\n[program q]\ncommand = z\ntimeout = 9\n", &s), 0);
	assert_int_equal(s.programs[0].command.nr, 2);
	assert_string_equal(s.programs[0].prepare, "a b");
	assert_int_equal(s.programs[0].strategies, 3);
	assert_int_equal(s.programs[0].configs[0].args.nr, 2);
	assert_int_equal(s.programs[0].configs[0].env.nr, 2);
	assert_true(s.programs[0].rules.timeout_s == 8 && s.programs[1].rules.timeout_s == 9);
	suite_free(&s);
}

/* Any text is a suite or refused. */
static void test_any(void **state)
{
	static const char letters[] = "[]=;#: \n\n\tsuiteprogramcommandstrategies.'\"\\x1";
	uint64_t seed = 1;
	char text[300];
	struct suite s;
	int err = dup(2), i, null = open("/dev/null", O_WRONLY);
	size_t j, n;

	(void)state;
	dup2(null, 2);
	for (i = 0; i < 20000; i++) {
		n = random_below(&seed, sizeof(text) - 1);
		for (j = 0; j < n; j++)
			text[j] = letters[random_below(&seed, sizeof(letters) - 1)];
		text[n] = '\0';
		parse(text, &s);
		suite_free(&s);
		/* A good one, damaged. */
		strcpy(text, HEAD "[program p]\ncommand = x 'y'\nconfig.a = b\n");
		text[random_below(&seed, strlen(text))] =
			letters[random_below(&seed, sizeof(letters) - 1)];
		parse(text, &s);
		suite_free(&s);
	}
	dup2(err, 2);
	close(err);
	close(null);
}

static int same(const struct plan_entry *a, const struct plan_entry *b)
{
	return a->program == b->program && a->config == b->config && a->strategy == b->strategy;
}

/* Each boot's blocks have each experiment once, in an order that follows from the seed. */
static void test_plan(void **state)
{
	static const char text[] = HEAD "[program a]\ncommand = x\nconfig.1 =\nconfig.2 =\nexecutions = 5\n"
		"[program b]\ncommand = y\nexecutions = 3\n";
	struct suite s;
	struct plan plan, again;
	uint64_t boot, seen[2][2][2][5] = { };
	size_t i, in_block, differ = 0, total = 0;

	(void)state;
	assert_int_equal(parse(text, &s), 0);
	s.boots = 2;
	for (boot = 0; boot < 2; boot++) {
		assert_int_equal(plan_make(&s, boot, &plan), 0);
		assert_int_equal(plan_make(&s, boot, &again), 0);
		in_block = 0;
		for (i = 0; i < plan.nr; i++) {
			struct plan_entry *e = &plan.entry[i];

			assert_true(same(e, &again.entry[i]));
			assert_int_equal(e->execution, e->block * 2 + boot);
			if (!e->program) {
				in_block = 0;
				continue;
			}
			assert_true(i && plan.entry[i - 1].block == e->block);
			in_block++;
			total++;
			seen[e->program - s.programs][e->config - e->program->configs]
			    [e->strategy - s.strategies][e->execution]++;
			differ += in_block == 1 && !same(e, &plan.entry[1]);
		}
		plan_free(&plan);
		plan_free(&again);
	}
	/* 5 executions of 4 experiments, 3 of 2, each once. */
	assert_int_equal(total, 26);
	for (i = 0; i < sizeof(seen) / sizeof(uint64_t); i++)
		assert_true(((uint64_t *)seen)[i] <= 1);
	assert_true(differ > 0);
	suite_free(&s);
}

/* Over many seeds each strategy is as often first. */
static void test_order(void **state)
{
	struct suite s;
	struct plan plan;
	int first = 0;

	(void)state;
	assert_int_equal(parse(HEAD "[program a]\ncommand = x\nexecutions = 1\n", &s), 0);
	for (s.seed = 0; s.seed < 10000; s.seed++) {
		plan_make(&s, 0, &plan);
		first += plan.entry[1].strategy == s.strategies;
		plan_free(&plan);
	}
	/* Five standard deviations. */
	assert_in_range(first, 4750, 5250);
	suite_free(&s);
}

static void test_warmup(void **state)
{
	double steady[] = { 1, 1.1, 0.9, 1, 1.1, 0.9, 1, 1.1 };
	double slow[] = { 9, 5, 1, 1.1, 0.9, 1, 1.1, 0.9, 1, 1.1 };
	double all_the_time[] = { 8, 7, 6, 5, 4, 3, 2, 1 };
	double one[] = { 3 };

	(void)state;
	assert_int_equal(warmup_mser(steady, 8), 0);
	assert_int_equal(warmup_mser(slow, 10), 2);
	/* Never more than half. */
	assert_int_equal(warmup_mser(all_the_time, 8), 4);
	assert_int_equal(warmup_mser(one, 1), 0);
}

static void test_drift(void **state)
{
	double same[] = { 1, 1.2, 1, 1, 5, 1, 1, 1, 1.1 };
	double slower[] = { 1, 1, 1, 1.2, 1.3, 1.3, 1.5, 1.5, 1.5 };

	(void)state;
	assert_true(canary_drift(same, 9) == 1);
	assert_true(canary_drift(slower, 5) == 1);
	assert_true(canary_drift(slower, 9) == 1.5);
}

/* A counter that did not run in one measurement; the program's own metrics are in all. */
static void test_metrics_common(void **state)
{
	struct measurement m[4] = { };
	size_t i;

	(void)state;
	for (i = 0; i < 4; i++) {
		metric_add(&m[i], "hits", i);
		m[i].own = 1;
		if (i != 2)
			metric_add(&m[i], "LLC_misses", 10 + i);
		metric_add(&m[i], "wall_time", 20 + i);
		if (i)
			metric_add(&m[i], "cpu_time", 30 + i);
	}
	metrics_keep_common(m, 4);
	for (i = 0; i < 4; i++) {
		assert_int_equal(m[i].nr, 2);
		assert_string_equal(m[i].metric[0].name, "hits");
		assert_true(m[i].metric[0].value == i);
		assert_string_equal(m[i].metric[1].name, "wall_time");
		assert_true(m[i].metric[1].value == 20 + i);
	}
	metrics_keep_common(m, 1);
	assert_int_equal(m[0].nr, 2);
}

/* It holds half, as much of files as of its own, and is gone afterwards. */
static void test_ager(void **state)
{
	struct ager a;
	uint64_t limit = ager_limit();
	char path[64], line[128];
	unsigned long anon = 0, file = 0;
	FILE *f;

	(void)state;
	assert_int_equal(ager_start(&a, 16 << 20, 1), 0);
	assert_true(a.bytes <= limit && a.bytes <= 16 << 20);
	snprintf(path, sizeof(path), "/proc/%d/status", (int)a.pid);
	f = fopen(path, "re");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		sscanf(line, "RssAnon: %lu kB", &anon);
		sscanf(line, "RssShmem: %lu kB", &file);
	}
	fclose(f);
	/* A quarter each, give or take chance; of its own it has more. */
	assert_in_range(file, 3800, 4400);
	assert_true(anon >= 3800);
	assert_int_equal(ager_stop(&a), 0);
	assert_int_equal(access(path, F_OK), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whole), cmocka_unit_test(test_refused), cmocka_unit_test(test_twice),
		cmocka_unit_test(test_any), cmocka_unit_test(test_plan),
		cmocka_unit_test(test_order), cmocka_unit_test(test_warmup),
		cmocka_unit_test(test_drift), cmocka_unit_test(test_metrics_common),
		cmocka_unit_test(test_ager),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
