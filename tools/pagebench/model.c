// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * pagealloc bench model: add the misses of the modelled caches to measurements.
 * The oracle counts misses for each phase of a boot; each measurement has the number
 * of its phase.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/csv/line.h"
#include "lib/numbers.h"
#include "pagealloc/cli.h"
#include "bench.h"
#include "pagebench/measure/metric.h"
#include "pagebench/measure/raw.h"

/* The count of instructions, on the level "-". */
#define INSTRUCTIONS "instructions"
/* One cycle per instruction, plus --miss cycles per miss. */
#define CYCLES "model_cycles"
#define MODEL_HEADER "phase,cache,level,cpu,accesses,misses"

enum { MAX_CACHES = 16 };
enum { MODEL_PHASE, MODEL_CACHE, MODEL_LEVEL, MODEL_CPU, MODEL_ACCESSES, MODEL_MISSES,
       MODEL_COLUMNS };

/* Settings of the oracle: lines "# KEY: ..." in the counts, and their names in results. */
static const struct { const char *counts, *results; } model_settings[] = {
	{ "cache", "cache" }, { "cpus", "cpus" }, { "who", "who" }, { "what", "what" },
	{ "begin", "begin" }, { "seed", "model_seed" }, { NULL, "miss" },
};

#define NR_SETTINGS (sizeof(model_settings) / sizeof(model_settings[0]))

struct count {
	uint64_t accesses, misses;
	int there;
};

struct phase {
	uint64_t number;
	struct count count[MAX_CACHES];
};

/**
 * struct model - the oracle's counts
 * @cache: names of caches, in the order of the file
 * @phases: the counted phases, in ascending order
 * @setting: values of model_settings; empty: none; one line per cache is joined
 */
struct model {
	const char *path;
	char cache[MAX_CACHES][METRIC_NAME_LEN - 9];
	size_t nr_caches;
	struct phase *phases;
	size_t nr_phases, capacity;
	char setting[NR_SETTINGS][1024];
};

/**
 * struct penalties - cycles that a miss adds to its instruction
 * @cache: names of caches
 * @cycles: cycles per miss of each cache
 */
struct penalties {
	char cache[MAX_CACHES][METRIC_NAME_LEN - 9];
	uint64_t cycles[MAX_CACHES];
	size_t nr;
};

/**
 * struct join - state of joining results with counts
 * @boot: the boot that the counts belong to
 * @penalties: --miss; if empty, there is no metric model_cycles
 * @row: the previous row, if of a measurement of this boot; else empty
 */
struct join {
	const char *path;
	uint64_t boot;
	int have_boot;
	const struct model *model;
	struct penalties penalties;
	FILE *out;
	unsigned long line;
	char *row;
	unsigned long long phase, joined;
	unsigned int has;	/* bit i: of model_settings i, from the counts of another boot */
};

/* Phases are counted one after another.  Return: NULL: it is before the last one, or no memory. */
static struct phase *add_phase(struct model *m, uint64_t number)
{
	struct phase *last = m->nr_phases ? &m->phases[m->nr_phases - 1] : NULL, *all;
	size_t capacity;

	if (last && number <= last->number)
		return number == last->number ? last : NULL;
	if (m->nr_phases == m->capacity) {
		capacity = m->capacity ? 2 * m->capacity : 64;
		all = realloc(m->phases, capacity * sizeof(*all));
		if (!all)
			return NULL;
		m->phases = all;
		m->capacity = capacity;
	}
	last = &m->phases[m->nr_phases++];
	*last = (struct phase){ .number = number };
	return last;
}

static int compare_phases(const void *a, const void *b)
{
	const struct phase *p = a, *q = b;

	return (p->number > q->number) - (p->number < q->number);
}

static const struct phase *find_phase(const struct model *m, uint64_t number)
{
	return bsearch(&(struct phase){ .number = number }, m->phases, m->nr_phases, sizeof(*m->phases),
		       compare_phases);
}

/* Return: its number, or -1 after saying why it cannot be taken. */
static int find_cache(struct model *m, const char *name, unsigned long line)
{
	size_t i;

	for (i = 0; i < m->nr_caches; i++)
		if (!strcmp(m->cache[i], name))
			return i;
	if (i == MAX_CACHES) {
		complain(FAILED, "%s: line %lu: more than %d caches", m->path, line, MAX_CACHES);
		return -1;
	}
	if (!metric_name_ok(name) || strlen(name) >= sizeof(m->cache[0])) {
		complain(FAILED, "%s: line %lu: cache '%.40s': no metric can be named so (letters, digits and _, at"
			 " most %zu)", m->path, line, name, sizeof(m->cache[0]) - 1);
		return -1;
	}
	strcpy(m->cache[m->nr_caches++], name);
	return i;
}

/* Sum over the CPUs: a program may migrate. */
static int add_count(struct model *m, char *text, unsigned long line)
{
	char *column[MODEL_COLUMNS];
	uint64_t number, accesses, misses, unused;
	struct phase *phase;
	struct count *count;
	size_t n = 0;
	int cache;

	while (text && n < MODEL_COLUMNS)
		column[n++] = strsep(&text, ",");
	if (text || n < MODEL_COLUMNS || parse_number(column[MODEL_PHASE], 0, UINT32_MAX, &number) ||
	    (strcmp(column[MODEL_CACHE], INSTRUCTIONS) &&
	     parse_number(column[MODEL_LEVEL], 0, UINT64_MAX, &unused)) ||
	    parse_number(column[MODEL_CPU], 0, UINT64_MAX, &unused) ||
	    parse_number(column[MODEL_ACCESSES], 0, UINT64_MAX, &accesses) ||
	    parse_number(column[MODEL_MISSES], 0, accesses, &misses))
		return complain(FAILED, "%s: line %lu: no counts of a phase", m->path, line);
	cache = find_cache(m, column[MODEL_CACHE], line);
	if (cache < 0)
		return FAILED;
	phase = add_phase(m, number);
	if (!phase)
		return complain(FAILED, "%s: line %lu: no counts of a phase", m->path, line);
	count = &phase->count[cache];
	count->accesses += accesses;
	count->misses += misses;
	count->there = 1;
	return OK;
}

static void take_comment(struct model *m, const char *text)
{
	size_t i, n;

	for (i = 0; i < NR_SETTINGS; i++) {
		const char *key = model_settings[i].counts;
		size_t len = key ? strlen(key) : 0;
		char *to = m->setting[i];

		if (!key || strncmp(text + 2, key, len) || strncmp(text + 2 + len, ": ", 2))
			continue;
		n = strlen(to);
		snprintf(to + n, sizeof(m->setting[i]) - n, "%s%s", n ? "," : "", text + len + 4);
	}
}

static int load(struct model *m, const char *path)
{
	FILE *f = fopen(path, "re");
	unsigned long line = 0;
	char *text = NULL;
	int ret = OK, header = 0;
	ssize_t n = 0;

	m->path = path;
	if (!f)
		return complain(FAILED, "%s: %s", path, strerror(errno));
	while (!ret && (n = line_get(&text, f)) > 0) {
		line++;
		if (text[n - 1] != '\n') {
			ret = complain(FAILED, "%s: line %lu: not whole", path, line);
			break;
		}
		text[n - 1] = '\0';
		if (*text == '#') {
			if (!strncmp(text, "# ", 2))
				take_comment(m, text);
		} else if (!header) {
			header = 1;
			if (strcmp(text, MODEL_HEADER))
				ret = complain(FAILED, "%s: line %lu: not '" MODEL_HEADER "'", path,
					       line);
		} else {
			ret = add_count(m, text, line);
		}
	}
	if (!ret && n < 0)
		ret = complain(FAILED, "%s: %s", path, strerror(errno));
	else if (!ret && !m->nr_phases)
		ret = complain(FAILED, "%s: no counts", path);
	free(text);
	fclose(f);
	return ret;
}

static uint64_t penalty_of(const struct penalties *p, const char *cache)
{
	size_t i;

	for (i = 0; i < p->nr; i++)
		if (!strcmp(p->cache[i], cache))
			return p->cycles[i];
	return 0;
}

/* --miss needs counts of its caches and of instructions. */
static int check_penalties(const struct join *j)
{
	const struct model *m = j->model;
	size_t i, c;

	for (i = 0; i <= j->penalties.nr && j->penalties.nr; i++) {
		const char *name = i < j->penalties.nr ? j->penalties.cache[i] : INSTRUCTIONS;

		for (c = 0; c < m->nr_caches && strcmp(m->cache[c], name); c++)
			;
		if (c == m->nr_caches)
			return complain(FAILED, "%s: no counts of %s, which --miss needs", m->path,
					name);
	}
	return OK;
}

static void take_penalties(struct model *m, const struct penalties *p)
{
	char *to = m->setting[NR_SETTINGS - 1];
	size_t i, n = 0;

	for (i = 0; i < p->nr && n < sizeof(m->setting[0]); i++)
		n += snprintf(to + n, sizeof(m->setting[0]) - n, "%s%s=%" PRIu64, i ? "," : "",
			      p->cache[i], p->cycles[i]);
}

/* A comment of the results: settings of counts joined earlier must equal this model's. */
static int check_comment(struct join *j, const char *text)
{
	const struct model *m = j->model;
	size_t i, n;

	for (i = 0; i < NR_SETTINGS; i++) {
		n = strlen(model_settings[i].results);
		if (strncmp(text, "# ", 2) || strncmp(text + 2, model_settings[i].results, n) ||
		    strncmp(text + 2 + n, ": ", 2))
			continue;
		j->has |= 1u << i;
		if (strcmp(text + n + 4, m->setting[i]))
			return complain(FAILED, "%s: line %lu: %s is %s, of %s it is %s", j->path, j->line,
					model_settings[i].results, text + n + 4, m->path,
					*m->setting[i] ? m->setting[i] : "not known");
	}
	return OK;
}

/* Write the model's settings above the column names, unless they are there already. */
static int put_settings(struct join *j)
{
	const struct model *m = j->model;
	size_t i;

	for (i = 0; i < NR_SETTINGS; i++) {
		if (!*m->setting[i] || j->has >> i & 1)
			continue;
		if (j->has)
			return complain(FAILED, "%s: line %lu: has counts without %s, of %s it is %s",
					j->path, j->line, model_settings[i].results, m->path,
					m->setting[i]);
		fprintf(j->out, "# %s: %s\n", model_settings[i].results, m->setting[i]);
	}
	return OK;
}

/* Write the rows that the counts add to the measurement that ends here. */
static int end_measurement(struct join *j)
{
	const struct model *m = j->model;
	const struct phase *phase = find_phase(m, j->phase);
	char *row = j->row;
	uint64_t cycles = 0;
	size_t c, there = 0;

	if (!row)
		return OK;
	for (c = 0; c < m->nr_caches && phase; c++) {
		const struct count *n = &phase->count[c];

		if (!n->there)
			continue;
		there++;
		if (!strcmp(m->cache[c], INSTRUCTIONS)) {
			fprintf(j->out, "%s," INSTRUCTIONS ",1,%" PRIu64 "\n", row, n->accesses);
			cycles += n->accesses;
			continue;
		}
		cycles += n->misses * penalty_of(&j->penalties, m->cache[c]);
		fprintf(j->out, "%s,%s_accesses,1,%" PRIu64 "\n%s,%s_misses,1,%" PRIu64 "\n", row,
			m->cache[c], n->accesses, row, m->cache[c], n->misses);
	}
	if (there && j->penalties.nr)
		fprintf(j->out, "%s," CYCLES ",1,%" PRIu64 "\n", row, cycles);
	j->joined += !!there;
	free(row);
	j->row = NULL;
	return there ? OK : complain(FAILED, "%s: line %lu: its phase %llu is not in %s", j->path,
				     j->line, j->phase, m->path);
}

static int has_already(const struct join *j, const char *metric)
{
	size_t c, n;

	if (!strcmp(metric, CYCLES))
		return 1;
	for (c = 0; c < j->model->nr_caches; c++) {
		if (!strcmp(metric, INSTRUCTIONS) && !strcmp(metric, j->model->cache[c]))
			return 1;
		n = strlen(j->model->cache[c]);
		if (!strncmp(metric, j->model->cache[c], n) &&
		    (!strcmp(metric + n, "_misses") || !strcmp(metric + n, "_accesses")))
			return 1;
	}
	return 0;
}

/* Copy a row of results, split into @column. */
static int join_row(struct join *j, char **column)
{
	uint64_t boot, phase;
	int ret;

	if (parse_number(column[RAW_BOOT], 0, UINT64_MAX, &boot) ||
	    parse_number(column[RAW_PHASE], 0, UINT64_MAX, &phase))
		return complain(FAILED, "%s: line %lu: no boot and phase", j->path, j->line);
	if (!j->have_boot) {
		j->boot = boot;
		j->have_boot = 1;
	} else if (j->have_boot == 1 && boot != j->boot) {
		return complain(FAILED, "%s: line %lu: results of several boots, of which one has"
				" these counts: --boot", j->path, j->line);
	}
	if (j->row && (phase != j->phase || !strcmp(column[RAW_METRIC], "end"))) {
		ret = end_measurement(j);
		if (ret)
			return ret;
	}
	if (boot != j->boot || !strcmp(column[RAW_METRIC], "end"))
		return OK;
	if (has_already(j, column[RAW_METRIC]))
		return complain(FAILED, "%s: line %lu: has %s already", j->path, j->line,
				column[RAW_METRIC]);
	free(j->row);
	j->phase = phase;
	if (asprintf(&j->row, "%s,%s,%s,%s,%s,%s,%s,%s,%s,%s", column[0], column[1], column[2],
		     column[3], column[4], column[5], column[6], column[7], column[8],
		     column[9]) < 0) {
		j->row = NULL;
		return complain(FAILED, "%s: no memory left", j->path);
	}
	return OK;
}

static int join(struct join *j, FILE *f)
{
	const uint64_t last = j->model->phases[j->model->nr_phases - 1].number;
	char *text = NULL, *copy, *column[RAW_COLUMNS];
	int ret = OK, header = 0;
	ssize_t n = 0;

	while (!ret && (n = line_get(&text, f)) > 0) {
		j->line++;
		if (text[n - 1] != '\n') {
			ret = complain(FAILED, "%s: line %lu: not whole", j->path, j->line);
			break;
		}
		text[n - 1] = '\0';
		if (j->line == 1 && strcmp(text, RAW_MAGIC)) {
			ret = complain(FAILED, "%s: no results of pagealloc bench", j->path);
			break;
		}
		if (*text != '#' && !header) {
			header = 1;
			if (strcmp(text, RAW_HEADER))
				ret = complain(FAILED, "%s: line %lu: not '" RAW_HEADER "'",
					       j->path, j->line);
			else
				ret = put_settings(j);
		} else if (*text == '#') {
			ret = check_comment(j, text);
		} else {
			copy = strdup(text);
			if (!copy || raw_split(copy, column) != RAW_COLUMNS)
				ret = complain(FAILED, "%s: line %lu: not a row of results",
					       j->path, j->line);
			else
				ret = join_row(j, column);
			free(copy);
		}
		if (!ret)
			fprintf(j->out, "%s\n", text);
	}
	if (!ret && n < 0)
		ret = complain(FAILED, "%s: %s", j->path, strerror(errno));
	if (!ret)
		ret = end_measurement(j);
	/* Interrupted executions have phases in the guest, but no rows. */
	if (!ret && j->joined && j->phase != last)
		ret = complain(FAILED, "%s: has %" PRIu64 " phases, the measurements of boot %" PRIu64
			       " are %llu: the run was interrupted, and does not fit its counts",
			       j->model->path, last + 1, j->boot, j->phase + 1);
	if (!ret && !j->joined)
		ret = complain(FAILED, "%s: no measurements%s", j->path,
			       j->have_boot == 2 ? " of this boot" : "");
	free(j->row);
	free(text);
	return ret;
}

static int run(struct join *j, const char *counts, const char *output)
{
	struct model m = { };
	struct outfile out;
	FILE *f = NULL;
	int ret = load(&m, counts);

	if (!ret) {
		f = fopen(j->path, "re");
		if (!f)
			ret = complain(FAILED, "%s: %s", j->path, strerror(errno));
	}
	j->model = &m;
	take_penalties(&m, &j->penalties);
	if (!ret)
		ret = check_penalties(j);
	if (!ret && (outfile_is(output, j->path) || outfile_is(output, counts)))
		ret = complain(FAILED, "%s: is read, is not overwritten", output);
	if (!ret)
		ret = outfile_open(&out, output);
	if (!ret) {
		j->out = out.f;
		ret = join(j, f);
		/* On failure the error was printed, and an existing output stays unchanged. */
		if (!ret)
			ret = outfile_close(&out, 0);
		else if (out.path)
			outfile_drop(&out);
	}
	if (f)
		fclose(f);
	free(m.phases);
	return ret;
}

static const struct verb_usage usage = {
	.command = "pagealloc bench model", .operands = "RAW COUNTS [options]",
	.about = "Add the oracle's counts of its modelled caches to the measurements of a boot, as metrics "
		 "CACHE_accesses and CACHE_misses.",
	.min = 2, .max = 2,
};

static int add_penalty(const struct opt *o, const char *text)
{
	struct penalties *p = o->to;
	const char *value = strchr(text, '=');
	size_t n = value ? (size_t)(value - text) : 0;

	if (!n || n >= sizeof(p->cache[0]) || p->nr == MAX_CACHES ||
	    parse_number(value + 1, 0, 1000000, &p->cycles[p->nr]))
		return wrong_usage("--miss %s: not CACHE=CYCLES, up to 1000000", text);
	memcpy(p->cache[p->nr++], text, n);
	return OK;
}

/**
 * bench_model() - add the misses of the modelled caches to measurements
 *
 * Return: exit status.
 */
int bench_model(int argc, char **argv)
{
	uint64_t boot = UINT64_MAX;
	const char *output = NULL;
	struct join j = { };
	const struct opt options[] = {
		OPT_TEXT('o', "output", "FILE", &output, "output file (default standard output)"),
		OPT_CALL(0, "miss", "CACHE=CYCLES", add_penalty, &j.penalties,
			 "add the metric model_cycles: one cycle per instruction and CYCLES per miss of CACHE; "
			 "may be repeated"),
		OPT_NUMBER(0, "boot", "K", &boot, 0, UINT32_MAX,
			   "the boot that COUNTS is of (default: the one in RAW)"), { }
	};

	argv += options_parse(&usage, options, argc, argv);
	if (boot != UINT64_MAX) {
		j.boot = boot;
		j.have_boot = 2;
	}
	j.path = argv[0];
	return run(&j, argv[1], output);
}
