/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/*
 * The options of a verb, in one table.  The parser, --help, the OPTIONS sections of the
 * man pages, docs/options.md and the completions of shells are made from it: the last
 * three by lib/options.pl, from what the hidden option --help-table prints.
 */
#ifndef MEMSCOPE_OPTIONS_H
#define MEMSCOPE_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum opt_kind {
	OPT_END, OPT_KIND_SET, OPT_KIND_TEXT, OPT_KIND_NUMBER, OPT_KIND_REAL, OPT_KIND_SIZE,
	OPT_KIND_TIME, OPT_KIND_WORD, OPT_KIND_CALL, OPT_KIND_RENAMED, OPT_KIND_CHANGED,
};

/**
 * struct opt - an option: a row of a verb's table
 * @kind: what it takes; made by the macros below
 * @letter: 0: it has none
 * @name: behind --
 * @arg: name of its argument, or the words it may be with | between them; NULL: it
 *	takes none; in [], it need not be there
 * @to: what it sets
 * @size: of *@to
 * @min: smallest value; of OPT_SET, the value
 * @max: largest value
 * @unit: of a time without unit; NULL: there must be one
 * @take: of OPT_CALL: takes the argument, returns OK, or USAGE after saying why
 * @help: what it does; of an option that changed, what to write instead
 */
struct opt {
	enum opt_kind kind;
	char letter;
	const char *name, *arg;
	void *to;
	size_t size;
	double min, max;
	const char *unit;
	int (*take)(const struct opt *o, const char *value);
	const char *help;
};

/* Sets *to, an integer, to a value. */
#define OPT_SET(letter, name, to, value, about) \
	{ OPT_KIND_SET, letter, name, NULL, to, sizeof(*(to)), value, .help = (about) }
#define OPT_FLAG(letter, name, to, about)	OPT_SET(letter, name, to, 1, about)
#define OPT_TEXT(letter, name, arg, to, about) \
	{ OPT_KIND_TEXT, letter, name, arg, to, sizeof(*(to)), .help = (about) }
/* *to is an integer of 1 to 8 bytes without sign, or a large enough one with it. */
#define OPT_NUMBER(letter, name, arg, to, min, max, about) \
	{ OPT_KIND_NUMBER, letter, name, arg, to, sizeof(*(to)), min, max, .help = (about) }
#define OPT_SIZE(letter, name, arg, to, min, max, about) \
	{ OPT_KIND_SIZE, letter, name, arg, to, sizeof(*(to)), min, max, .help = (about) }
/* *to is a double; of a time, in seconds. */
#define OPT_REAL(letter, name, arg, to, min, max, about) \
	{ OPT_KIND_REAL, letter, name, arg, to, sizeof(*(to)), min, max, .help = (about) }
#define OPT_TIME(letter, name, arg, to, unit, min, max, about) \
	{ OPT_KIND_TIME, letter, name, arg, to, sizeof(*(to)), min, max, unit, NULL, about }
/* *to is an integer or enum: the index in the words of @arg. */
#define OPT_WORD(letter, name, arg, to, about) \
	{ OPT_KIND_WORD, letter, name, arg, to, sizeof(*(to)), .help = (about) }
#define OPT_CALL(letter, name, arg, take, to, about) \
	{ OPT_KIND_CALL, letter, name, arg, (void *)(to), 0, 0, 0, NULL, take, about }

/* A letter or name that still works in this release, with a warning: it is --@new. */
#define OPT_RENAMED(letter, name, new) \
	{ OPT_KIND_RENAMED, letter, name, .help = new }
/* A letter or name that has, or will have, another meaning: refused, with what to write instead. */
#define OPT_CHANGED(letter, name, instead) \
	{ OPT_KIND_CHANGED, letter, name, .help = instead }

#define OPT_NUMBER_MAX	0x1p64
/* @min of a time that must not be 0. */
#define SHORTEST	1e-9

/**
 * struct verb_usage - what the command line of a verb looks like
 * @command: program and verb
 * @operands: behind it, as in the usage
 * @about: sentences
 * @words: the name of the Nth word that the first operand may be, with what it is in
 *	@about if that is not NULL; NULL behind the last.  NULL: it may be anything
 * @words_of: name of the option whose argument has @words; NULL: of the first operand
 * @end: sentences behind the options
 * @min: so many operands at least
 * @max: so many at most; -1: any number
 * @command_follows: options end at the first operand
 */
struct verb_usage {
	const char *command, *operands, *about;
	const char *(*words)(int n, const char **about);
	const char *words_of, *end;
	int min, max;
	bool command_follows;
};

int options_parse(const struct verb_usage *u, const struct opt *options, int argc, char **argv);
int options_wrong(const struct verb_usage *u, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
const char *nearest_word(const char *word, const char *(*words)(int n, const char **about));
int unknown_word(const struct verb_usage *u, const char *what, const char *word);

#endif
