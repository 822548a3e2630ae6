// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Suite files: INI, read by libinih, whose reader is ours so that lines have numbers. */
#include <ctype.h>
#include <errno.h>
#include <ini.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/complain.h"
#include "lib/numbers.h"
#include "suite.h"

/* A suite is written by hand; more is a file of another kind. */
#define MAX_SUITE (1 << 20)
#define MAX_COUNT 1000000

/* Where the parser is. */
struct parser {
	struct suite *suite;
	const char *path, *next;
	unsigned int line;	/* 0: nothing was read yet */
	unsigned int section_line;	/* 0: something stands in the section */
	int continued;		/* the line begins with a blank: more of the value before it */
	int failed;
	struct suite_program *program;
	char key[256];		/* section and name that were set last */
	uint32_t seen;		/* bit i: keys[i] was set in [suite], or in the program */
};

/* Keys that are there once; of these, which may go on in the next line. */
static const struct { const char *name; int goes_on; } keys[] = {
	{ "name" }, { "seed" }, { "boots" }, { "aging" }, { "trace" }, { "executions" }, { "measurements" },
	{ "warmup" }, { "timeout" }, { "command", 1 }, { "prepare", 1 }, { "strategies", 1 },
	{ "protocol" }, { "marks" }, { "caches" },
};

#define NR_KEYS (sizeof(keys) / sizeof(keys[0]))

static int __attribute__((format(printf, 2, 3))) wrong(struct parser *p, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	if (p->failed)
		return 0;
	p->failed = 1;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	complain(FAILED, "%s: line %u: %s", p->path, p->line, text);
	return 0;
}

static int no_memory(struct parser *p)
{
	return wrong(p, "no memory left");
}

/* fgets() for libinih, which cuts long lines and passes over empty sections. */
static char *next_line(char *buf, int size, void *stream)
{
	struct parser *p = stream;
	size_t n = strcspn(p->next, "\n"), blanks;

	if (!*p->next || p->failed)
		return NULL;
	p->line++;
	if (n + 2 > (size_t)size) {
		wrong(p, "longer than %d characters (go on in the next line, indented)", size - 2);
		return NULL;
	}
	blanks = strspn(p->next, " \t");
	p->continued = blanks > 0;
	if (p->next[blanks] == '[') {
		if (p->section_line) {
			p->line = p->section_line;
			wrong(p, "an empty section");
			return NULL;
		}
		p->section_line = p->line;
		p->key[0] = '\0';
	}
	memcpy(buf, p->next, n);
	buf[n] = '\0';
	p->next += n;
	if (*p->next == '\n') {
		strcpy(buf + n, "\n");
		p->next++;
	}
	return buf;
}

static int is_name(const char *text)
{
	size_t n = strlen(text);

	return n && n < SUITE_NAME_LEN && (isalnum((unsigned char)*text) || *text == '_') &&
	       strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
			    "0123456789_.+-") == n;
}

static int set_name(struct parser *p, char *to, const char *text, const char *what)
{
	if (!is_name(text))
		return wrong(p, "%s '%s': not a name (letters, digits, _ . + -, at most %d)", what,
			     text, SUITE_NAME_LEN - 1);
	strcpy(to, text);
	return 1;
}

static int number(struct parser *p, const char *key, const char *text, uint64_t min, uint64_t max,
		  uint64_t *to)
{
	if (parse_number(text, min, max, to))
		return wrong(p, "%s = %s: not a number from %llu to %llu", key, text,
			     (unsigned long long)min, (unsigned long long)max);
	return 1;
}

static int split(struct parser *p, const char *key, const char *text, struct words *words)
{
	if (words_split(text, words))
		return wrong(p, "%s = %s: %s", key, text, errno == ENOMEM ? "no memory left" : "a quote is not closed");
	return 1;
}

/* Return: -1 if @key is no rule. */
static int set_rule(struct parser *p, struct suite_rules *rules, const char *key, const char *text)
{
	uint64_t warmup;

	if (!strcmp(key, "executions"))
		return number(p, key, text, 1, MAX_COUNT, &rules->executions);
	if (!strcmp(key, "measurements"))
		return number(p, key, text, 1, MAX_COUNT, &rules->measurements);
	if (!strcmp(key, "timeout"))
		return number(p, key, text, 1, MAX_COUNT, &rules->timeout_s);
	if (strcmp(key, "warmup"))
		return -1;
	if (!strcmp(text, "mser")) {
		rules->warmup = WARMUP_MSER;
		return 1;
	}
	if (!number(p, key, text, 0, MAX_COUNT, &warmup))
		return 0;
	rules->warmup = warmup;
	return 1;
}

static int set_trace(struct parser *p, const char *text)
{
	if (!*text)
		return 1;
	if (*text != '/')
		return wrong(p, "trace = %s: does not begin with /", text);
	p->suite->trace = strdup(text);
	return p->suite->trace ? 1 : no_memory(p);
}

static int set_suite(struct parser *p, const char *key, const char *text)
{
	struct suite *s = p->suite;
	int ret = set_rule(p, &s->rules, key, text);

	if (ret >= 0)
		return ret;
	if (!strcmp(key, "name"))
		return set_name(p, s->name, text, key);
	if (!strcmp(key, "seed"))
		return number(p, key, text, 0, UINT64_MAX, &s->seed);
	if (!strcmp(key, "boots"))
		return number(p, key, text, 1, 1000, &s->boots);
	if (!strcmp(key, "aging")) {
		s->aging_bytes = 0;
		if (strcmp(text, "off") && parse_size(text, &s->aging_bytes))
			return wrong(p, "aging = %s: neither a size (64M) nor off", text);
		return 1;
	}
	if (!strcmp(key, "trace"))
		return set_trace(p, text);
	return wrong(p, "%s: no such key in [suite]", key);
}

static int add_strategy(struct parser *p, const char *key, const char *text)
{
	struct suite *s = p->suite;
	struct suite_strategy *all, *st;
	size_t i;

	if (s->nr_programs)
		return wrong(p, "strategies come before programs");
	for (i = 0; i < s->nr_strategies; i++)
		if (!strcmp(s->strategies[i].name, key))
			return wrong(p, "strategy %s is there twice", key);
	if (s->nr_strategies == SUITE_STRATEGIES)
		return wrong(p, "more than %d strategies", SUITE_STRATEGIES);
	all = realloc(s->strategies, (s->nr_strategies + 1) * sizeof(*all));
	if (!all)
		return no_memory(p);
	s->strategies = all;
	st = &all[s->nr_strategies];
	*st = (struct suite_strategy){ };
	if (!set_name(p, st->name, key, "strategy"))
		return 0;
	s->nr_strategies++;
	if (!split(p, key, text, &st->options))
		return 0;
	for (i = 0; i < st->options.nr && !strcmp(key, "default"); i++)
		if (strcmp(st->options.word[i], "--no-aslr"))
			return wrong(p, "default = %s: it has no hints, only --no-aslr is allowed",
				     text);
	return 1;
}

static struct suite_config *config(struct parser *p, const char *name, int create)
{
	struct suite_program *prog = p->program;
	struct suite_config *all, *c;
	size_t i;

	for (i = 0; i < prog->nr_configs; i++)
		if (!strcmp(prog->configs[i].name, name))
			break;
	if (i < prog->nr_configs) {
		if (!create || p->continued)
			return &prog->configs[i];
		wrong(p, "config.%s is there twice", name);
		return NULL;
	}
	if (!create) {
		wrong(p, "env.%s: comes before config.%s", name, name);
		return NULL;
	}
	all = realloc(prog->configs, (prog->nr_configs + 1) * sizeof(*all));
	if (!all) {
		no_memory(p);
		return NULL;
	}
	prog->configs = all;
	c = &all[prog->nr_configs];
	*c = (struct suite_config){ };
	if (!set_name(p, c->name, name, "config"))
		return NULL;
	prog->nr_configs++;
	return c;
}

static int set_env(struct parser *p, struct suite_config *c, const char *key, const char *text)
{
	size_t i;

	if (c->env.nr && !p->continued)
		return wrong(p, "%s is there twice", key);
	if (!split(p, key, text, &c->env))
		return 0;
	for (i = 0; i < c->env.nr; i++)
		if (!strchr(c->env.word[i], '=') || *c->env.word[i] == '=')
			return wrong(p, "%s = %s: not NAME=VALUE", key, text);
	return 1;
}

static int set_strategies(struct parser *p, const char *text)
{
	struct suite *s = p->suite;
	struct words words = { };
	size_t i, j;
	int ok = split(p, "strategies", text, &words);

	for (i = 0; i < words.nr && ok; i++) {
		for (j = 0; j < s->nr_strategies; j++)
			if (!strcmp(s->strategies[j].name, words.word[i]))
				break;
		if (j == s->nr_strategies)
			ok = wrong(p, "strategies: %s is none of [strategies]", words.word[i]);
		else
			p->program->strategies |= 1u << j;
	}
	if (ok && !words.nr)
		ok = wrong(p, "strategies: there is none");
	words_free(&words);
	return ok;
}

static int set_prepare(struct parser *p, const char *text)
{
	char *before = p->program->prepare, *all;

	if (asprintf(&all, "%s%s%s", before ? before : "", before ? " " : "", text) < 0)
		return no_memory(p);
	free(before);
	p->program->prepare = all;
	return 1;
}

static int set_program(struct parser *p, const char *key, const char *text)
{
	struct suite_program *prog = p->program;
	struct suite_config *c;
	int ret = set_rule(p, &prog->rules, key, text);

	if (ret >= 0)
		return ret;
	if (!strcmp(key, "command"))
		return split(p, key, text, &prog->command);
	if (!strcmp(key, "prepare"))
		return set_prepare(p, text);
	if (!strcmp(key, "strategies"))
		return set_strategies(p, text);
	if (!strcmp(key, "protocol")) {
		prog->protocol = !strcmp(text, "lines") ? PROTOCOL_LINES : PROTOCOL_RUN;
		if (strcmp(text, "lines") && strcmp(text, "run"))
			return wrong(p, "protocol = %s: neither run nor lines", text);
		return 1;
	}
	if (!strcmp(key, "marks")) {
		prog->marks_itself = !strcmp(text, "program");
		if (strcmp(text, "program") && strcmp(text, "runner"))
			return wrong(p, "marks = %s: neither runner nor program", text);
		return 1;
	}
	if (!strcmp(key, "caches")) {
		prog->caches = !strcmp(text, "empty") ? CACHES_EMPTY : CACHES_KEEP;
		if (strcmp(text, "empty") && strcmp(text, "keep"))
			return wrong(p, "caches = %s: neither keep nor empty", text);
		return 1;
	}
	if (!strncmp(key, "config.", 7)) {
		c = config(p, key + 7, 1);
		return c ? split(p, key, text, &c->args) : 0;
	}
	if (!strncmp(key, "env.", 4)) {
		c = config(p, key + 4, 0);
		return c ? set_env(p, c, key, text) : 0;
	}
	return wrong(p, "%s: no such key of a program", key);
}

static int begin_program(struct parser *p, const char *name)
{
	struct suite *s = p->suite;
	struct suite_program *all;
	size_t i;

	for (i = 0; i < s->nr_programs; i++)
		if (!strcmp(s->programs[i].name, name))
			break;
	if (i < s->nr_programs) {
		p->line = p->section_line;
		return wrong(p, "[program %s] is there twice", name);
	}
	if (!strcmp(name, "canary"))
		return wrong(p, "[program canary]: that is the name of the measurement for drift");
	all = realloc(s->programs, (s->nr_programs + 1) * sizeof(*all));
	if (!all)
		return no_memory(p);
	s->programs = all;
	p->program = &all[s->nr_programs];
	*p->program = (struct suite_program){ .line = p->section_line, .rules = s->rules };
	if (!set_name(p, p->program->name, name, "program"))
		return 0;
	s->nr_programs++;
	p->seen = 0;
	return 1;
}

/* Would this line replace a value that is there? */
static int check_key(struct parser *p, const char *name)
{
	size_t i;

	for (i = 0; i < NR_KEYS && strcmp(keys[i].name, name); i++)
		;
	if (i == NR_KEYS)
		return 1;
	if (p->continued)
		return keys[i].goes_on ? 1 : wrong(p, "%s goes on in the next line", name);
	if (p->seen >> i & 1)
		return wrong(p, "%s is there twice", name);
	p->seen |= 1u << i;
	return 1;
}

static int handle(void *user, const char *section, const char *name, const char *value)
{
	struct parser *p = user;
	char key[256];
	int is_program = !strncmp(section, "program ", 8);

	if (p->failed)
		return 0;
	snprintf(key, sizeof(key), "[%s] %s", section, name);
	if (p->continued && strcmp(key, p->key))
		return wrong(p, "an indented line goes on with a value, but there is none");
	strcpy(p->key, key);
	if (is_program && p->section_line && !begin_program(p, section + 8))
		return 0;
	p->section_line = 0;
	if (!strcmp(section, "suite")) {
		if (p->suite->nr_programs)
			return wrong(p, "[suite] comes before programs, for which it counts");
		return check_key(p, name) ? set_suite(p, name, value) : 0;
	}
	if (!strcmp(section, "strategies"))
		return p->continued ? wrong(p, "%s goes on in the next line", name) :
				      add_strategy(p, name, value);
	if (is_program)
		return check_key(p, name) ? set_program(p, name, value) : 0;
	return wrong(p, "[%s]: neither suite, strategies nor program NAME", section);
}

/* Values that exist for a whole program only. */
static int finish_program(struct parser *p, struct suite_program *prog)
{
	struct suite *s = p->suite;
	struct suite_rules *r = &prog->rules;

	p->line = prog->line;
	if (!prog->command.nr)
		return wrong(p, "[program %s] has no command", prog->name);
	if (!prog->strategies)
		prog->strategies = s->nr_strategies == 32 ? ~0u : (1u << s->nr_strategies) - 1;
	if (prog->protocol == PROTOCOL_RUN) {
		if (prog->marks_itself)
			return wrong(p, "[program %s]: marks = program needs protocol = lines",
				     prog->name);
		/* A run is a measurement; m and warm-up are for those that have more. */
		r->measurements = 1;
		r->warmup = 0;
	}
	/* A whole run would start with what another program left; lines have a warm-up. */
	if (prog->caches == CACHES_DEFAULT)
		prog->caches = prog->protocol == PROTOCOL_RUN ? CACHES_EMPTY : CACHES_KEEP;
	if (r->warmup != WARMUP_MSER && (uint64_t)r->warmup >= r->measurements)
		return wrong(p, "[program %s]: warmup = %lld leaves nothing of %llu measurements",
			     prog->name, (long long)r->warmup, (unsigned long long)r->measurements);
	/* Of 2 it may cut one off or none: an execution of one value and one of two cannot be evaluated together. */
	if (r->warmup == WARMUP_MSER && r->measurements == 2)
		return wrong(p, "[program %s]: warmup = mser leaves 1 or 2 of 2 measurements: it needs 3 or more",
			     prog->name);
	if (!prog->nr_configs) {
		prog->configs = calloc(1, sizeof(*prog->configs));
		if (!prog->configs)
			return no_memory(p);
		strcpy(prog->configs[prog->nr_configs++].name, "-");
	}
	return 1;
}

static int finish(struct parser *p)
{
	struct suite *s = p->suite;
	size_t i;

	if (p->failed)
		return FAILED;
	if (p->section_line) {
		p->line = p->section_line;
		wrong(p, "an empty section");
		return FAILED;
	}
	if (!s->nr_programs)
		return complain(FAILED, "%s: there is no [program NAME]", p->path);
	if (!s->nr_strategies)
		return complain(FAILED, "%s: there is no strategy in [strategies]", p->path);
	for (i = 0; i < s->nr_programs; i++)
		if (!finish_program(p, &s->programs[i]))
			return FAILED;
	if (!*s->name)
		return complain(FAILED, "%s: [suite] has no name", p->path);
	return OK;
}

/**
 * suite_parse() - read a suite
 * @path: what it is called in messages
 * @text: the file, ended by 0; is the suite's from here on
 * @size: without that
 * @suite: free with suite_free(), also after a failure
 *
 * Return: OK, or FAILED after saying what is wrong where.
 */
int suite_parse(const char *path, char *text, size_t size, struct suite *suite)
{
	struct parser p = { .suite = suite, .path = path, .next = text };
	int line;

	*suite = (struct suite){
		.text = text, .size = size, .seed = 1, .boots = 1, .aging_bytes = 64 << 20,
		.rules = { .executions = 30, .measurements = 30, .timeout_s = 600 },
	};
	if (strlen(text) != size)
		return complain(FAILED, "%s: not a text", path);
	line = ini_parse_stream(next_line, &p, handle, &p);
	if (line && !p.failed) {
		p.line = line > 0 ? (unsigned int)line : p.line;
		wrong(&p, "neither [section], key = value nor ; comment");
	}
	return finish(&p);
}

/**
 * suite_load() - read a suite file
 * @path: the file
 * @suite: free with suite_free(), also after a failure
 *
 * Return: OK, or FAILED after saying what is wrong.
 */
int suite_load(const char *path, struct suite *suite)
{
	FILE *f = fopen(path, "re");
	char *text;
	size_t n;

	*suite = (struct suite){ };
	if (!f)
		return complain(FAILED, "%s: %s", path, strerror(errno));
	text = malloc(MAX_SUITE + 1);
	errno = 0;
	n = text ? fread(text, 1, MAX_SUITE + 1, f) : 0;
	if (!text || ferror(f) || n > MAX_SUITE) {
		complain(FAILED, "%s: %s", path,
			 !text ? "no memory left" : n > MAX_SUITE ? "too long for a suite" :
			 strerror(errno));
		fclose(f);
		free(text);
		return FAILED;
	}
	fclose(f);
	text[n] = '\0';
	return suite_parse(path, text, n, suite);
}

static void program_free(struct suite_program *prog)
{
	size_t i;

	for (i = 0; i < prog->nr_configs; i++) {
		words_free(&prog->configs[i].args);
		words_free(&prog->configs[i].env);
	}
	free(prog->configs);
	free(prog->prepare);
	words_free(&prog->command);
}

/**
 * suite_free() - free what suite_load() made
 * @suite: empty then
 */
void suite_free(struct suite *suite)
{
	size_t i;

	for (i = 0; i < suite->nr_programs; i++)
		program_free(&suite->programs[i]);
	for (i = 0; i < suite->nr_strategies; i++)
		words_free(&suite->strategies[i].options);
	free(suite->programs);
	free(suite->strategies);
	free(suite->text);
	free(suite->trace);
	*suite = (struct suite){ };
}
