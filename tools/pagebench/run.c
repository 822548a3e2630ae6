// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* pagealloc bench run: measure the programs of a suite with each strategy. */
#include <errno.h>
#include <ftw.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/mark.h"
#include "lib/outfile.h"
#include "pagealloc/cli.h"
#include "pagebench/measure/ager.h"
#include "bench.h"
#include "pagebench/measure/canary.h"
#include "pagebench/measure/process.h"
#include "pagebench/measure/progress.h"
#include "pagebench/stat/random.h"
#include "pagebench/measure/raw.h"
#include "pagebench/measure/warmup.h"

/* Relative change of the canary that is reported. */
#define DRIFT 0.1

/**
 * struct run - a run of a suite
 * @dir: directory of the results
 * @suite_dir: directory of the suite
 * @scratch: working directory of the programs; created empty, removed at the end
 * @selected: bit mask of the selected strategies
 * @canary: results of the canary, in seconds
 */
struct run {
	const char *dir;
	uint64_t boot;
	int dry;
	uint32_t selected;
	struct suite suite;
	struct plan plan;
	struct raw raw;
	struct progress progress;
	char suite_dir[PATH_MAX], scratch[PATH_MAX];
	double *canary;
	size_t nr_canaries;
	int printed_limit;		/* the message that the ager fragments less is printed */
};

static const struct verb_usage usage = {
	.command = "pagealloc bench run", .operands = "SUITE -o DIR [options]",
	.about = "Measure the programs of a suite with each of its strategies.  Executions that DIR has "
		 "already are not repeated: after an interruption, run the same command again.",
	.min = 1, .max = 1,
};

/* The name of an execution, for messages. */
static const char *name_of(const struct plan_entry *e, char *buf, size_t size)
{
	snprintf(buf, size, "%s, config %s, strategy %s", e->program->name, e->config->name,
		 e->strategy->name);
	return buf;
}

/* Try each strategy once, before measuring with the first. */
static int try_strategies(struct run *r)
{
	static char *command[] = { "true", NULL };
	const struct words words = { command, 1 };
	const struct suite_strategy *s;
	enum process_result result;
	struct process_job job;
	struct process p;
	char what[64];
	size_t i;

	for (i = 0; i < r->suite.nr_strategies; i++) {
		s = &r->suite.strategies[i];
		if (!(r->selected >> i & 1))
			continue;
		job = (struct process_job){ .command = &words, .options = &s->options,
					    .options_dir = r->suite_dir };
		result = process_start(&p, &job, 60);
		if (!result) {
			process_go(&p);
			result = process_wait(&p, NULL);
		}
		snprintf(what, sizeof(what), "strategy %s cannot be used", s->name);
		if (result)
			process_complain(&p, result, what);
		process_end(&p);
		if (result && s->options.nr)
			complain(OK, "strategies that can be used are measured with --strategy NAME");
		if (result)
			return FAILED;
	}
	return OK;
}

/* Run the programs' prepare commands, in their working directory. */
static int prepare(struct run *r)
{
	static char *sh[] = { "sh", "-e", "-c", NULL };
	const struct words words = { sh, 3 };
	const struct suite_program *prog;
	enum process_result result;
	struct process_job job;
	struct process p;
	char what[64];
	size_t i;

	for (i = 0; i < r->suite.nr_programs; i++) {
		prog = &r->suite.programs[i];
		if (!prog->prepare)
			continue;
		job = (struct process_job){
			.command = &words, .dir = r->scratch,
			.args = &(struct words){ (char *[]){ prog->prepare, NULL }, 1 },
		};
		result = process_start(&p, &job, prog->rules.timeout_s);
		if (!result) {
			process_go(&p);
			result = process_wait(&p, NULL);
		}
		snprintf(what, sizeof(what), "%s: prepare", prog->name);
		if (result)
			process_complain(&p, result, what);
		process_end(&p);
		if (result)
			return FAILED;
	}
	return OK;
}

static int flag_warmup(const struct run *r, const struct suite_rules *rules, struct measurement *m, size_t nr)
{
	size_t i, warmup = rules->warmup;
	double *time;

	if (rules->warmup == WARMUP_MSER) {
		time = malloc(nr * sizeof(*time));
		if (!time)
			return complain(FAILED, "%s: no memory left", r->dir);
		for (i = 0; i < nr; i++)
			time[i] = metric_find(&m[i], "wall_time")->value;
		warmup = warmup_mser(time, nr);
		free(time);
	}
	for (i = 0; i < warmup; i++)
		m[i].warmup = 1;
	return OK;
}

/* Measure one run of the program. */
static enum process_result measure_run(struct process *p, const struct plan_entry *e,
				       struct measurement *m)
{
	enum process_result result;

	if (e->program->caches == CACHES_EMPTY)
		oracle_empty();
	oracle_phase_begin();
	process_go(p);
	result = process_wait(p, m);
	oracle_phase_end();
	return result;
}

/* Request the measurements from the program, one by one. */
static enum process_result measure_lines(struct process *p, const struct plan_entry *e,
					 struct measurement *m)
{
	enum process_result result = PROCESS_OK;
	uint64_t i;

	process_go(p);
	for (i = 0; i < e->program->rules.measurements && !result; i++) {
		if (e->program->caches == CACHES_EMPTY)
			oracle_empty();
		if (!e->program->marks_itself)
			oracle_phase_begin();
		result = process_measure(p, i, &m[i]);
		if (!e->program->marks_itself)
			oracle_phase_end();
		if (!result && !metrics_same_own(&m[0], &m[i]))
			result = PROCESS_METRICS;
	}
	if (!result)
		metrics_keep_common(m, i);
	return result ? result : process_wait(p, NULL);
}

/* Make an execution; write its rows only if the ager survived it. */
static int execute(struct run *r, struct plan_entry *e, struct ager *ager)
{
	const struct suite_rules *rules = &e->program->rules;
	struct measurement *m = calloc(rules->measurements, sizeof(*m));
	struct process_job job = {
		.command = &e->program->command, .args = &e->config->args, .env = &e->config->env,
		.options = &e->strategy->options, .options_dir = r->suite_dir, .dir = r->scratch,
		.trace = r->suite.trace, .lines = e->program->protocol == PROTOCOL_LINES,
	};
	enum process_result result;
	struct process p;
	char what[128];
	uint64_t i;
	int ret;

	if (!m) {
		ager_stop(ager);
		return complain(FAILED, "%s: no memory left", r->dir);
	}
	for (i = 0; i < rules->measurements; i++)
		m[i].phase = r->raw.phases + i;
	result = process_start(&p, &job, rules->timeout_s);
	if (!result)
		result = job.lines ? measure_lines(&p, e, m) : measure_run(&p, e, m);
	if (result && result != PROCESS_INTERRUPTED)
		progress_end(&r->progress);
	process_complain(&p, result, name_of(e, what, sizeof(what)));
	process_end(&p);
	ret = ager_stop(ager) || result ? FAILED : OK;
	if (!ret)
		ret = flag_warmup(r, rules, m, rules->measurements);
	if (!ret) {
		ret = raw_add(&r->raw, e, m, rules->measurements);
		r->raw.phases += rules->measurements;
	}
	free(m);
	return ret;
}

static int run_canary(struct run *r, struct plan_entry *e)
{
	struct measurement m = { .phase = r->raw.phases++ };

	oracle_phase_begin();
	r->canary[r->nr_canaries] = canary_s();
	oracle_phase_end();
	metric_add(&m, "wall_time", r->canary[r->nr_canaries++]);
	return raw_add(&r->raw, e, &m, 1);
}

/* Seed by the execution's identity, not by its time: repeated runs get the same free pages. */
static uint64_t ager_seed(const struct run *r, const struct plan_entry *e)
{
	uint64_t hash = random_hash(0, e->program->name);

	hash = random_hash(hash, e->config->name);
	hash = random_hash(hash, e->strategy->name);
	return random_at(r->suite.seed, hash, e->execution);
}

static int run_entry(struct run *r, struct plan_entry *e)
{
	struct ager ager;
	int ret;

	if (!e->program)
		return run_canary(r, e);
	progress_next(&r->progress, e);
	if (!r->printed_limit && r->suite.aging_bytes > ager_limit()) {
		r->printed_limit = 1;
		progress_end(&r->progress);
		complain(OK, "aging: less than %" PRIu64 " MiB are scattered: a tenth of memory stays"
			 " free", r->suite.aging_bytes >> 20);
	}
	ret = ager_start(&ager, r->suite.aging_bytes, ager_seed(r, e));
	if (!ret)
		ret = execute(r, e, &ager);
	if (!ret)
		progress_done(&r->progress);
	return ret;
}

static int run_all(struct run *r)
{
	size_t i;
	int ret = OK;

	progress_begin(&r->progress, &r->plan);
	for (i = 0; i < r->plan.nr && !ret && !process_interrupted; i++)
		if (!r->plan.entry[i].done)
			ret = run_entry(r, &r->plan.entry[i]);
	progress_end(&r->progress);
	return ret;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static int make_scratch(struct run *r)
{
	const char *tmp = getenv("TMPDIR");

	snprintf(r->scratch, sizeof(r->scratch), "%s/pagealloc-bench.XXXXXX", tmp ? tmp : "/tmp");
	if (!mkdtemp(r->scratch)) {
		complain(FAILED, "%s: %s", r->scratch, strerror(errno));
		r->scratch[0] = '\0';
		return FAILED;
	}
	return OK;
}

/* Export the suite's directory as SUITE_DIR, and find programs beside this one. */
static void set_environment(struct run *r, const char *suite)
{
	char self[PATH_MAX], *all, *slash;
	const char *path = getenv("PATH");
	ssize_t n;

	if (!realpath(suite, r->suite_dir))
		strcpy(r->suite_dir, ".");
	slash = strrchr(r->suite_dir, '/');
	if (slash)
		slash[slash == r->suite_dir] = '\0';
	setenv("SUITE_DIR", r->suite_dir, 1);
	n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	if (n > 0) {
		self[n] = '\0';
		*strrchr(self, '/') = '\0';
		if (asprintf(&all, "%s:%s", self, path ? path : "/usr/bin:/bin") >= 0) {
			setenv("PATH", all, 1);
			free(all);
		}
	}
}

static void report_end(struct run *r, size_t left, size_t whole)
{
	double drift = canary_drift(r->canary, r->nr_canaries);

	if (drift > 1 + DRIFT || drift < 1 / (1 + DRIFT))
		complain(OK, "the machine drifts: what should always take the same time takes %.2f"
			 " times what it took at first (canary in raw.csv)", drift);
	if (left)
		inform("%s: %zu of %zu executions of boot %" PRIu64 " are there; the same"
		       " command goes on", r->dir, whole - left, whole, r->boot);
	else if (r->boot + 1 < r->suite.boots)
		inform("%s: boot %" PRIu64 " of %" PRIu64 " is complete; next: --boot %" PRIu64
		       ", after a reboot", r->dir, r->boot, r->suite.boots, r->boot + 1);
}

static int measure(struct run *r, const char *suite)
{
	char missing[256];
	size_t i, left = 0, whole = 0;
	int ret;

	r->canary = calloc(r->plan.nr, sizeof(*r->canary));
	if (!r->canary)
		return complain(FAILED, "%s: no memory left", r->dir);
	process_catch();
	set_environment(r, suite);
	ret = try_strategies(r);
	if (ret)
		return ret;
	ret = raw_open(&r->raw, r->dir, &r->suite, r->boot, &r->plan);
	if (ret)
		goto out;
	for (i = 0; i < r->plan.nr; i++) {
		whole += !!r->plan.entry[i].program;
		left += r->plan.entry[i].program && !r->plan.entry[i].done;
	}
	if (!left) {
		inform("%s: all of boot %" PRIu64 " is there already", r->dir, r->boot);
		goto out;
	}
	if (*counters_missing(missing, sizeof(missing)))
		complain(OK, "not measured: %s", missing);
	ret = make_scratch(r);
	if (!ret)
		ret = prepare(r);
	if (!ret)
		ret = run_all(r);
	report_end(r, left - r->progress.done, whole);
	if (r->scratch[0])
		nftw(r->scratch, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	if (process_interrupted)
		ret = 128 + process_interrupted;
out:
	raw_close(&r->raw);
	return ret;
}

/* Drop the executions of strategies that are not selected; a later run can make them. */
static void drop_unselected(struct run *r)
{
	size_t i, n = 0;

	for (i = 0; i < r->plan.nr; i++) {
		const struct plan_entry *e = &r->plan.entry[i];

		if (!e->program || r->selected >> (e->strategy - r->suite.strategies) & 1)
			r->plan.entry[n++] = *e;
	}
	r->plan.nr = n;
}

static int print_plan(const struct run *r)
{
	struct outfile out;
	size_t i;

	if (outfile_open(&out, NULL))
		return FAILED;
	fputs("boot,block,execution,benchmark,config,strategy\n", out.f);
	for (i = 0; i < r->plan.nr; i++) {
		const struct plan_entry *e = &r->plan.entry[i];

		if (e->program)
			fprintf(out.f, "%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%s,%s,%s\n", r->boot, e->block,
				e->execution, e->program->name, e->config->name, e->strategy->name);
	}
	return outfile_close(&out, 0);
}

static int select_strategies(struct run *r, char **names, size_t nr)
{
	const struct suite *s = &r->suite;
	size_t i, j;

	for (i = 0; i < nr; i++) {
		for (j = 0; j < s->nr_strategies; j++)
			if (!strcmp(s->strategies[j].name, names[i]))
				break;
		if (j == s->nr_strategies)
			return complain(FAILED, "--strategy %s: the suite has no such strategy",
					names[i]);
		r->selected |= 1u << j;
	}
	if (!nr)
		r->selected = ~0u;
	return OK;
}

static int run(struct run *r, const char *path, char **names, size_t nr)
{
	int ret = suite_load(path, &r->suite);

	if (!ret && r->boot >= r->suite.boots)
		ret = complain(FAILED, "--boot %" PRIu64 ": the suite has boots 0 to %" PRIu64,
			       r->boot, r->suite.boots - 1);
	if (!ret)
		ret = select_strategies(r, names, nr);
	if (!ret && plan_make(&r->suite, r->boot, &r->plan))
		ret = complain(FAILED, "%s: no memory left", path);
	if (!ret) {
		drop_unselected(r);
		if (r->dry)
			ret = print_plan(r);
		else
			ret = measure(r, path);
	}
	free(r->canary);
	plan_free(&r->plan);
	suite_free(&r->suite);
	return ret;
}

/* The strategies named by --strategy. */
struct names {
	char *name[SUITE_STRATEGIES];
	size_t nr;
};

static int add_name(const struct opt *o, const char *value)
{
	struct names *names = o->to;

	if (names->nr == SUITE_STRATEGIES)
		return wrong_usage("--strategy: at most %d", SUITE_STRATEGIES);
	names->name[names->nr++] = (char *)value;
	return OK;
}

/**
 * bench_run() - measure the programs of a suite with each strategy
 *
 * Return: exit status; 128 plus the number of the signal that interrupted the run.
 */
int bench_run(int argc, char **argv)
{
	struct names names = { };
	struct run r = { };
	const struct opt options[] = {
		OPT_TEXT('o', "output", "DIR", &r.dir, "directory of the results: raw.csv and a copy of the suite"),
		OPT_NUMBER(0, "boot", "K", &r.boot, 0, UINT32_MAX,
			   "this is boot K of the suite's, from 0 (default 0)"),
		OPT_CALL(0, "strategy", "NAME", add_name, &names, "only this strategy; may be repeated"),
		OPT_FLAG(0, "dry-run", &r.dry, "print the runs in their order, and run nothing"),
		QUIET_OPTION,
		OPT_CHANGED('s', NULL, "--strategy"), OPT_CHANGED('n', NULL, "--dry-run"), { }
	};

	argv += options_parse(&usage, options, argc, argv);
	if (!r.dir && !r.dry)
		return options_wrong(&usage, "-o DIR is missing");
	if (r.dir && r.dry)
		return options_wrong(&usage, "--dry-run: writes nothing, so not with -o");
	return run(&r, argv[0], names.name, names.nr);
}
