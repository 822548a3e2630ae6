/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/*
 * The options of a verb, in one table.  The parser and --help use it directly;
 * tools/options.pl generates the OPTIONS sections of the man pages, docs/reference/options.md and
 * shell completions from it, as printed by the hidden option --help-table.
 */
#ifndef MEMSCOPE_OPTIONS_H
#define MEMSCOPE_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum opt_kind {
	OPT_END, OPT_KIND_SET, OPT_KIND_INSTEAD, OPT_KIND_TEXT, OPT_KIND_NUMBER, OPT_KIND_REAL, OPT_KIND_SIZE,
	OPT_KIND_TIME, OPT_KIND_WORD, OPT_KIND_CALL, OPT_KIND_RENAMED, OPT_KIND_CHANGED,
};

/**
 * struct opt - an option: a row of a verb's table
 * @kind: type of the option; set by the macros below
 * @letter: short option; 0: none
 * @name: long option, without --
 * @arg: name of the argument, or its possible words separated by |; NULL: the option
 *	has no argument; in []: the argument is optional
 * @to: the variable to set
 * @size: size of *@to
 * @min: smallest value; for OPT_SET, the value to store
 * @max: largest value
 * @unit: unit of a time given without one; NULL: a unit is required
 * @take: for OPT_CALL: handle the argument, one of the words of @arg if it has any; return OK, or
 *	USAGE with a message printed. With a @max, the argument is the decimal form of a number
 * @help: text for --help; for a changed option, what to use instead
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

/* Sets the integer *to to a value. */
#define OPT_SET(letter, name, to, value, about) \
	{ OPT_KIND_SET, letter, name, NULL, to, sizeof(*(to)), value, .help = (about) }
#define OPT_FLAG(letter, name, to, about)	OPT_SET(letter, name, to, 1, about)
/* A flag with which the verb does something else, without its operands but a first word. */
#define OPT_INSTEAD(letter, name, to, about) \
	{ OPT_KIND_INSTEAD, letter, name, NULL, to, sizeof(*(to)), 1, .help = (about) }
#define OPT_TEXT(letter, name, arg, to, about) \
	{ OPT_KIND_TEXT, letter, name, arg, to, sizeof(*(to)), .help = (about) }
/* *to is an unsigned integer of 1 to 8 bytes, or a signed one that can hold @max. */
#define OPT_NUMBER(letter, name, arg, to, min, max, about) \
	{ OPT_KIND_NUMBER, letter, name, arg, to, sizeof(*(to)), min, max, .help = (about) }
#define OPT_SIZE(letter, name, arg, to, min, max, about) \
	{ OPT_KIND_SIZE, letter, name, arg, to, sizeof(*(to)), min, max, .help = (about) }
/* *to is a double; times are in seconds. */
#define OPT_REAL(letter, name, arg, to, min, max, about) \
	{ OPT_KIND_REAL, letter, name, arg, to, sizeof(*(to)), min, max, .help = (about) }
#define OPT_TIME(letter, name, arg, to, unit, min, max, about) \
	{ OPT_KIND_TIME, letter, name, arg, to, sizeof(*(to)), min, max, unit, NULL, about }
/* *to is an integer or enum: the index of the word in @arg. */
#define OPT_WORD(letter, name, arg, to, about) \
	{ OPT_KIND_WORD, letter, name, arg, to, sizeof(*(to)), .help = (about) }
#define OPT_CALL(letter, name, arg, take, to, about) \
	{ OPT_KIND_CALL, letter, name, arg, (void *)(to), 0, 0, 0, NULL, take, about }
#define OPT_CALL_NUMBER(letter, name, arg, take, to, min, max, about) \
	{ OPT_KIND_CALL, letter, name, arg, (void *)(to), 0, min, max, NULL, take, about }

/* A deprecated letter or name of --@new: works in this release, with a warning. */
#define OPT_RENAMED(letter, name, new) \
	{ OPT_KIND_RENAMED, letter, name, .help = new }
/* A letter or name whose meaning changes: refused, with what to use instead. */
#define OPT_CHANGED(letter, name, instead) \
	{ OPT_KIND_CHANGED, letter, name, .help = instead }

#define OPT_NUMBER_MAX	0x1p64
/* @min of a time that must be above 0. */
#define SHORTEST	1e-9

/**
 * struct opt_only - an option that has an effect with some words only; of a list of words, one of
 *	these is enough, and "all" has them
 * @option: its name, without --
 * @words: words that it is for, separated by |; of what, see @only of struct verb_usage
 */
struct opt_only {
	const char *option, *words;
};

/**
 * struct verb_usage - the command line of a verb
 * @command: program and verb
 * @operands: operands, as in the usage line
 * @about: description, printed before the options
 * @words: returns the Nth word allowed as the first operand, and sets *@about to its
 *	description if @about is not NULL; returns NULL behind the last word.  NULL: any
 *	word is allowed
 * @words_of: name of the option that @words and @only apply to; NULL: to the first operand, a view
 * @word: what counts as the argument of @words_of if that option is not given; NULL: then no
 *	option is refused by @only
 * @only: options that are for some words only, and refused with the others; ended by one without a
 *	name; NULL: none is
 * @end: text printed behind the options
 * @min: minimal number of operands
 * @max: maximal number of operands; -1: any number
 * @command_follows: options end at the first operand
 */
struct verb_usage {
	const char *command, *operands, *about;
	const char *(*words)(int n, const char **about);
	const char *words_of, *word, *end;
	const struct opt_only *only;
	int min, max;
	bool command_follows;
};

int options_parse(const struct verb_usage *u, const struct opt *options, int argc, char **argv);
int options_printed(void);
void help_row(FILE *f, const char *head, const char *text, int indent);
int wrong_usage(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
int options_wrong(const struct verb_usage *u, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
const char *nearest_word(const char *word, const char *(*words)(int n, const char **about));
int unknown_word(const struct verb_usage *u, const char *what, const char *word);

#endif
