// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * The options of a verb, in one table.
 *
 * Parsing is by getopt_long(3), whose conventions users know: bundled letters,
 * --name=value, operands between options, --.  popt(3) and argp(3) have tables as well,
 * but their own layout of help and errors and their own exit statuses, and neither
 * prints the table for man pages and completions, which most of this file is for.
 * Unlike getopt_long(), abbreviations are refused: a script must not change its meaning
 * when an option is added.
 */
#include <getopt.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "complain.h"
#include "numbers.h"
#include "options.h"

enum { MAX_OPTIONS = 64, HELP = 256, TABLE, VERSION, FIRST };

/* Width of the screen, and the column where an option's help begins. */
enum { WIDTH = 80, HELP_COLUMN = 27 };

static const struct opt help_option = OPT_SET('h', "help", (int *)NULL, 0, "print this help");

/* Of programs; what it prints has no row. */
static const struct opt version_option = OPT_SET(0, "version", (int *)NULL, 0, "print the version");

static bool is_program(const struct verb_usage *u)
{
	return !strchr(u->command, ' ');
}

/* The verb whose options were parsed last. */
static const struct verb_usage *parsed;

static int vwrong(const struct verb_usage *u, const char *fmt, va_list ap)
{
	char text[512];

	vsnprintf(text, sizeof(text), fmt, ap);
	return u ? complain(USAGE, "%s; see %s --help", text, u->command) : complain(USAGE, "%s", text);
}

/**
 * options_wrong() - print what is wrong with a command line, in one line
 * @u: usage of the verb
 * @fmt: as for printf
 *
 * Return: USAGE.
 */
int options_wrong(const struct verb_usage *u, const char *fmt, ...)
{
	va_list ap;
	int ret;

	va_start(ap, fmt);
	ret = vwrong(u, fmt, ap);
	va_end(ap);
	return ret;
}

/**
 * wrong_usage() - print what is wrong with the command line whose options were parsed last
 * @fmt: as for printf
 *
 * For handlers of options, and what checks options against each other.
 *
 * Return: USAGE.
 */
int wrong_usage(const char *fmt, ...)
{
	va_list ap;
	int ret;

	va_start(ap, fmt);
	ret = vwrong(parsed, fmt, ap);
	va_end(ap);
	return ret;
}

/* --- the nearest word --------------------------------------------------------- */

enum { MAX_WORD = 32, MAX_WORDS = 16 };

static int least(int a, int b)
{
	return a < b ? a : b;
}

/* Damerau-Levenshtein distance: insertions, deletions, substitutions, transpositions. */
static int distance(const char *a, const char *b)
{
	int d[MAX_WORD + 1][MAX_WORD + 1], i, k, n = strlen(a), m = strlen(b);

	if (n > MAX_WORD || m > MAX_WORD)
		return MAX_WORD;
	for (i = 0; i <= n; i++) {
		for (k = 0; k <= m; k++) {
			if (!i || !k) {
				d[i][k] = i + k;
				continue;
			}
			d[i][k] = least(least(d[i - 1][k], d[i][k - 1]) + 1,
					d[i - 1][k - 1] + (a[i - 1] != b[k - 1]));
			if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1])
				d[i][k] = least(d[i][k], d[i - 2][k - 2] + 1);
		}
	}
	return d[n][m];
}

/* Set @best to @candidate if it is nearer, and at most a third of @word is mistyped. */
static void nearer(const char *word, const char *candidate, int *best_distance, const char **best)
{
	int n = distance(word, candidate);

	if (n < *best_distance && n <= 1 + (int)strlen(candidate) / 3) {
		*best_distance = n;
		*best = candidate;
	}
}

/**
 * nearest_word() - find the word that was probably meant
 * @word: the mistyped word
 * @words: as in struct verb_usage
 *
 * Return: one of them, or NULL if none is near.
 */
const char *nearest_word(const char *word, const char *(*words)(int n, const char **about))
{
	const char *best = NULL, *candidate;
	int n, best_distance = MAX_WORD;

	for (n = 0; (candidate = words(n, NULL)); n++)
		nearer(word, candidate, &best_distance, &best);
	return best;
}

/**
 * unknown_word() - print that the first operand is unknown, and the nearest word
 * @u: usage of the verb
 * @what: what the words name: "view"
 * @word: the operand
 *
 * Return: USAGE.
 */
int unknown_word(const struct verb_usage *u, const char *what, const char *word)
{
	const char *near = nearest_word(word, u->words);

	if (near)
		return options_wrong(u, "%s: no such %s (did you mean %s?)", word, what, near);
	return options_wrong(u, "%s: no such %s", word, what);
}

/* Of a list separated by |, into @near, "" if none is.  Return whether one is near. */
static bool nearest_of(const char *list, const char *word, char near[MAX_WORD + 1])
{
	int len, best_distance = MAX_WORD;
	char candidate[MAX_WORD + 1];
	const char *best;

	*near = '\0';
	for (; *list; list += len + !!list[len]) {
		len = strcspn(list, "|");
		snprintf(candidate, sizeof(candidate), "%.*s", len, list);
		best = NULL;
		nearer(word, candidate, &best_distance, &best);
		if (best)
			strcpy(near, candidate);
	}
	return *near;
}

static int no_such_option(const struct verb_usage *u, const struct opt *options, const char *text)
{
	const char *best = NULL;
	char name[MAX_WORD + 1];
	int best_distance = MAX_WORD;
	const struct opt *o;

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(text, "="), text);
	for (o = options; o->kind; o++)
		if (o->name && o->kind != OPT_KIND_RENAMED && o->kind != OPT_KIND_CHANGED)
			nearer(name, o->name, &best_distance, &best);
	if (best)
		return options_wrong(u, "--%s: no such option (did you mean --%s?)", name, best);
	return options_wrong(u, "--%s: no such option", name);
}

/* The rows of the table that the command line has. */
static uint64_t given;

/* --- options of some words ----------------------------------------------------- */

/* The index of a word in a list separated by |, or -1. */
static int word_index(const char *list, const char *word)
{
	size_t n, len = strlen(word);
	int i;

	for (i = 0; ; i++) {
		n = strcspn(list, "|");
		if (n == len && !strncmp(list, word, n))
			return i;
		if (!list[n])
			return -1;
		list += n + 1;
	}
}

static bool is_word(const struct verb_usage *u, const char *word)
{
	const char *w;
	int n;

	for (n = 0; (w = u->words(n, NULL)); n++)
		if (!strcmp(w, word))
			return true;
	return false;
}

/* The words that an option is for, separated by |; NULL: all. */
static const char *words_for(const struct verb_usage *u, const struct opt *o)
{
	const struct opt_only *v;

	for (v = u->only; v && v->option; v++)
		if (o->name && !strcmp(v->option, o->name))
			return v->words;
	return NULL;
}

/* Those of @words that the verb has, with commas, and @last before the last one. */
static void list_words(const struct verb_usage *u, const char *words, const char *last, char *text, size_t size)
{
	char all[MAX_WORDS][MAX_WORD + 1];
	int i, n = 0, len;
	size_t at = 0;

	for (; *words && n < MAX_WORDS; words += len + !!words[len]) {
		len = strcspn(words, "|");
		snprintf(all[n], sizeof(all[n]), "%.*s", len, words);
		n += !u->words || is_word(u, all[n]);
	}
	*text = '\0';
	for (i = 0; i < n && at < size; i++)
		at += snprintf(text + at, size - at, "%s%s", !i ? "" : i < n - 1 ? ", " : last, all[i]);
}

/*
 * The words of the verb that are not among @words, separated by |, if these are by far fewer: then they
 * are named.  Return whether they are.
 */
static bool all_but(const struct verb_usage *u, const char *words, char *others, size_t size)
{
	size_t at = 0;
	const char *w;
	int n, without = 0;

	for (n = 0; u->words && (w = u->words(n, NULL)); n++) {
		if (word_index(words, w) >= 0)
			continue;
		if (at < size)
			at += snprintf(others + at, size - at, "%s%s", without ? "|" : "", w);
		without++;
	}
	return without && 2 * without < n - without;
}

/* What --help says of an option, behind the words that it is for. */
static const char *help_of(const struct verb_usage *u, const struct opt *o, char *text, size_t size)
{
	const char *words = words_for(u, o);
	char list[256], others[256];
	bool but;

	if (!words)
		return o->help;
	but = all_but(u, words, others, sizeof(others));
	list_words(u, but ? others : words, ", ", list, sizeof(list));
	snprintf(text, size, "%s%s: %s", but ? "all but " : "", list, o->help);
	return text;
}

static int refuse_with(const struct verb_usage *u, const struct opt *o, const char *words, const char *word)
{
	char list[256], others[256];

	if (!u->words_of && all_but(u, words, others, sizeof(others))) {
		list_words(u, others, " and ", list, sizeof(list));
		return options_wrong(u, "--%s: not for the view%s %s", o->name, strchr(others, '|') ? "s" : "", list);
	}
	list_words(u, words, " and ", list, sizeof(list));
	return options_wrong(u, "--%s: not for %s%s %s, only for %s", o->name, u->words_of ? "--" : "the ",
			     u->words_of ? u->words_of : "view", word, list);
}

/* Whether one of the words of a list with commas is among @words, separated by |. */
static bool has_one_of(const char *words, const char *list)
{
	char word[MAX_WORD + 1];
	size_t n;

	for (; *list; list += n + !!list[n]) {
		n = strcspn(list, ",");
		if (n >= sizeof(word))
			continue;
		memcpy(word, list, n);
		word[n] = '\0';
		if (!strcmp(word, "all") || word_index(words, word) >= 0)
			return true;
	}
	return false;
}

/* Whether the words of a list with commas are all the verb's; "all" alone stands for them. */
static bool all_words(const struct verb_usage *u, const char *list)
{
	char word[MAX_WORD + 1];
	size_t n;

	for (; u->words && strcmp(list, "all") && *list; list += n + !!list[n]) {
		n = strcspn(list, ",");
		snprintf(word, sizeof(word), "%.*s", (int)n, list);
		if (n >= sizeof(word) || !is_word(u, word))
			return false;
	}
	return true;
}

/* @word: the first operand, or the argument of the option @words_of; NULL: there is none */
static int check_only(const struct verb_usage *u, const struct opt *options, const char *word)
{
	const char *words;
	int i;

	/* The caller reports unknown words. */
	if (!word || !all_words(u, word))
		return OK;
	for (i = 0; options[i].kind; i++) {
		words = given >> i & 1 ? words_for(u, &options[i]) : NULL;
		if (words && !has_one_of(words, word))
			return refuse_with(u, &options[i], words, word);
	}
	return OK;
}

/* --- help -------------------------------------------------------------------- */

/* Print text from @column on, wrapped between @indent and the screen's width. */
static void wrap(FILE *f, const char *text, int column, int indent)
{
	size_t n;

	while (*text) {
		n = strcspn(text, " \n");
		if (column > indent && column + 1 + (int)n > WIDTH) {
			fprintf(f, "\n%*s", indent, "");
			column = indent;
		}
		column += fprintf(f, "%s%.*s", column > indent ? " " : "", (int)n, text);
		text += n;
		if (*text == '\n') {
			fprintf(f, "\n%*s", indent, "");
			column = indent;
		}
		text += strspn(text, " \n");
	}
	fputc('\n', f);
}

/**
 * help_row() - print a word and, beside it, a text wrapped to the width of a screen
 * @f: output
 * @head: the word; if it is too long, the text begins on the next line
 * @text: the text
 * @indent: where the text begins
 */
void help_row(FILE *f, const char *head, const char *text, int indent)
{
	int column = fprintf(f, "%s", head);

	if (column > indent - 1) {
		fputc('\n', f);
		column = 0;
	}
	fprintf(f, "%*s", indent - column, "");
	wrap(f, text, indent, indent);
}

static void help_option_row(FILE *f, const struct verb_usage *u, const struct opt *o)
{
	char head[128], letter[8] = "    ", text[1024];

	if (o->letter)
		snprintf(letter, sizeof(letter), "-%c, ", o->letter);
	snprintf(head, sizeof(head), "  %s--%s%s%s", letter, o->name,
		 !o->arg || *o->arg == '[' ? "" : " ", o->arg ? o->arg : "");
	help_row(f, head, help_of(u, o, text, sizeof(text)), HELP_COLUMN);
}

static bool is_shown(const struct opt *o)
{
	return o->kind != OPT_KIND_RENAMED && o->kind != OPT_KIND_CHANGED;
}

static void help(const struct verb_usage *u, const struct opt *options)
{
	const char *word, *about;
	const struct opt *o;
	char head[64];
	int n;

	printf("usage: %s%s%s\n", u->command, *u->operands ? " " : "", u->operands);
	wrap(stdout, u->about, 0, 0);
	putchar('\n');
	if (u->words && u->words_of)
		printf("--%s:\n", u->words_of);
	for (n = 0; u->words && (word = u->words(n, &about)); n++) {
		snprintf(head, sizeof(head), "  %s", word);
		help_row(stdout, head, about, 15);
	}
	if (u->words)
		putchar('\n');
	for (o = options; o->kind; o++)
		if (is_shown(o))
			help_option_row(stdout, u, o);
	help_option_row(stdout, u, &help_option);
	if (is_program(u))
		puts("      --version");
	if (u->end) {
		putchar('\n');
		wrap(stdout, u->end, 0, 0);
	}
}

/* Tab-separated rows, for tools/options.pl. */
static void print_table(const struct verb_usage *u, const struct opt *options)
{
	const char *word, *about;
	const struct opt *o;
	char letter[2] = "", text[1024];
	int n;

	printf("command\t%s\t%s\t%s\n", u->command, u->operands, u->command_follows ? "command" : "");
	if (u->words && u->words_of)
		printf("words\t%s\n", u->words_of);
	for (n = 0; u->words && (word = u->words(n, &about)); n++)
		printf("word\t%s\t%s\n", word, about);
	for (o = options; o->kind; o++) {
		letter[0] = o->letter;
		printf("%s\t%s\t%s\t%s\t%s\n", o->kind == OPT_KIND_RENAMED ? "renamed" :
		       o->kind == OPT_KIND_CHANGED ? "changed" : "option", letter,
		       o->name ? o->name : "", o->arg ? o->arg : "", help_of(u, o, text, sizeof(text)));
	}
}

/* --- parsing ----------------------------------------------------------------- */

static void store(const struct opt *o, uint64_t value)
{
	switch (o->size) {
	case 1: *(uint8_t *)o->to = value; break;
	case 2: *(uint16_t *)o->to = value; break;
	case 4: *(uint32_t *)o->to = value; break;
	default: *(uint64_t *)o->to = value; break;
	}
}

/* The option with its dashes, for messages. */
static const char *written(const struct opt *o, char *text, size_t size)
{
	if (o->name)
		snprintf(text, size, "--%s", o->name);
	else
		snprintf(text, size, "-%c", o->letter);
	return text;
}

static int refuse_value(const struct verb_usage *u, const struct opt *o, const char *value,
			const char *what, bool range)
{
	char name[64], text[128] = "";

	if (range && o->max >= OPT_NUMBER_MAX && o->min > 0)
		snprintf(text, sizeof(text), " from %.15g up", o->min);
	else if (range && o->max < OPT_NUMBER_MAX)
		snprintf(text, sizeof(text), " from %.15g to %.15g", o->min, o->max);
	return options_wrong(u, "%s %s: not %s%s", written(o, name, sizeof(name)), value, what, text);
}

/* "a|b|c" -> "a, b or c" */
static const char *spelled(const char *list, char *text, size_t size)
{
	size_t n = 0, len;

	*text = '\0';
	for (; n < size; list += len + 1) {
		len = strcspn(list, "|");
		n += snprintf(text + n, size - n, "%s%.*s", !n ? "" : list[len] ? ", " : " or ", (int)len, list);
		if (!list[len])
			break;
	}
	return text;
}

/* Whether an argument is one of some words: a|b|c.  Names of arguments are in capitals. */
static bool is_choice(const char *arg)
{
	return strchr(arg, '|') && !arg[strspn(arg, "abcdefghijklmnopqrstuvwxyz0123456789-|")];
}

static int refuse_word(const struct verb_usage *u, const struct opt *o, const char *value)
{
	char text[256], name[64], near[MAX_WORD + 1];
	const bool found = nearest_of(o->arg, value, near);

	return options_wrong(u, "%s %s: not %s%s%s%s", written(o, name, sizeof(name)), value,
			     spelled(o->arg, text, sizeof(text)), found ? " (did you mean " : "", near,
			     found ? "?)" : "");
}

static uint64_t largest(const struct opt *o)
{
	const uint64_t fits = o->size < 8 ? (1ULL << 8 * o->size) - 1 : UINT64_MAX;

	return o->max < 0x1p64 && o->max < (double)fits ? (uint64_t)o->max : fits;
}

static int refuse_size(const struct verb_usage *u, const struct opt *o, const char *value)
{
	static const char units[] = "\0KMGT";
	char name[64], limit[2][24];
	double x;
	int i, k;

	for (i = 0; i < 2; i++) {
		x = i ? o->max : o->min;
		for (k = 0; k < 4 && x >= 1024; k++)
			x /= 1024;
		snprintf(limit[i], sizeof(limit[i]), "%.6g%.1s", x, units + k);
	}
	written(o, name, sizeof(name));
	/* More than a machine has is no limit that one need know. */
	if (o->max > 0x1p50)
		return options_wrong(u, "%s %s: not a size such as 64M or 2G", name, value);
	return options_wrong(u, "%s %s: not a size from %s to %s", name, value, limit[0], limit[1]);
}

/* Call the handler of an option, whose argument is checked if the table says what it may be. */
static int call(const struct verb_usage *u, const struct opt *o, const char *value)
{
	char text[24];
	uint64_t n;

	if (o->max > 0) {
		if (parse_number(value, o->min, o->max, &n))
			return refuse_value(u, o, value, "a number", true);
		snprintf(text, sizeof(text), "%" PRIu64, n);
		value = text;
	}
	return o->take(o, value);
}

static int take(const struct verb_usage *u, const struct opt *o, const char *value)
{
	char name[64];
	uint64_t n;
	double x;
	int i;

	if (value && o->arg && is_choice(o->arg) && word_index(o->arg, value) < 0)
		return refuse_word(u, o, value);
	switch (o->kind) {
	case OPT_KIND_SET:
	case OPT_KIND_INSTEAD:
		store(o, o->min);
		return OK;
	case OPT_KIND_TEXT:
		if (!*value && o->letter == 'o')
			return options_wrong(u, "%s: its argument is empty", written(o, name, sizeof(name)));
		*(const char **)o->to = value;
		return OK;
	case OPT_KIND_NUMBER:
		if (parse_number(value, o->min, largest(o), &n))
			return refuse_value(u, o, value, "a number", true);
		store(o, n);
		return OK;
	case OPT_KIND_SIZE:
		if (parse_size(value, &n) || n < o->min || n > largest(o))
			return refuse_size(u, o, value);
		store(o, n);
		return OK;
	case OPT_KIND_REAL:
		if (parse_real(value, &x) || x < o->min || x > o->max)
			return refuse_value(u, o, value, "a number", true);
		*(double *)o->to = x;
		return OK;
	case OPT_KIND_TIME:
		if (!o->unit && !parse_time(value, "s", &x) && parse_time(value, NULL, &x))
			return options_wrong(u, "--%s %s: in which unit? --%s %ss or --%s %sms", o->name,
					     value, o->name, value, o->name, value);
		if (parse_time(value, o->unit, &x))
			return refuse_value(u, o, value, "a time such as 250ms or 1.5s", false);
		if (x < o->min && o->min <= SHORTEST)
			return refuse_value(u, o, value, "a time above 0", false);
		if (x < o->min || x > o->max)
			return refuse_value(u, o, value, "a time in seconds", true);
		*(double *)o->to = x;
		return OK;
	case OPT_KIND_WORD:
		i = word_index(o->arg, value);
		if (i < 0)
			return refuse_word(u, o, value);
		store(o, i);
		return OK;
	case OPT_KIND_CALL:
		return call(u, o, value);
	default:
		return OK;
	}
}

/* The option of a name, also the one that programs have without a row. */
static const struct opt *find(const struct opt *options, const char *name)
{
	for (; options->kind; options++)
		if (is_shown(options) && !strcmp(options->name, name))
			return options;
	return !strcmp(name, version_option.name) ? &version_option : NULL;
}

/* The table in the form of getopt_long(). */
struct tables {
	char letters[3 * MAX_OPTIONS + 8];
	struct option names[MAX_OPTIONS + 4];
};

static int has_argument(const struct opt *o)
{
	return !o->arg ? no_argument : *o->arg == '[' ? optional_argument : required_argument;
}

static void make_tables(const struct verb_usage *u, const struct opt *options, struct tables *t)
{
	struct option *name = t->names;
	char *letter = t->letters;
	const struct opt *o, *real;
	int has;

	/* '+' ends the options at the first operand; ':' makes getopt_long() distinguish errors. */
	if (u->command_follows)
		*letter++ = '+';
	*letter++ = ':';
	for (o = options; o->kind; o++) {
		if (o - options == MAX_OPTIONS)
			abort();
		real = o->kind == OPT_KIND_RENAMED ? find(options, o->help) : o;
		/* A refused option may be given with or without an argument. */
		has = o->kind == OPT_KIND_CHANGED ? optional_argument : has_argument(real);
		if (o->name)
			*name++ = (struct option){ o->name, has, NULL, FIRST + (o - options) };
		if (!o->letter)
			continue;
		*letter++ = o->letter;
		/* Letters have no optional arguments: the next character would be another letter. */
		if (has == required_argument || o->kind == OPT_KIND_CHANGED)
			*letter++ = ':';
		if (o->kind == OPT_KIND_CHANGED)
			*letter++ = ':';
	}
	*letter++ = 'h';
	*letter = '\0';
	*name++ = (struct option){ "help", 0, NULL, HELP };
	*name++ = (struct option){ "help-table", 0, NULL, TABLE };
	if (is_program(u))
		*name++ = (struct option){ "version", 0, NULL, VERSION };
	*name = (struct option){ };
}

/* The row for a value that getopt_long() returned. */
static const struct opt *row_of(const struct opt *options, int c)
{
	if (c >= FIRST)
		return &options[c - FIRST];
	for (; options->kind; options++)
		if (options->letter == c)
			return options;
	return NULL;
}

/* getopt_long() accepts unambiguous prefixes of names: detect them. */
static bool is_abbreviated(const struct option *name, char **argv)
{
	/* The argument may be a separate word. */
	const char *text = argv[optind - 1] == optarg ? argv[optind - 2] : argv[optind - 1];
	size_t n = strlen(name->name);

	return strncmp(text, "--", 2) || strncmp(text + 2, name->name, n) ||
	       (text[2 + n] && text[2 + n] != '=');
}

/**
 * options_printed() - end what was printed on standard output instead of running a verb
 *
 * Return: the exit status: OK, or FAILED with a message printed.
 */
int options_printed(void)
{
	return fflush(stdout) || ferror(stdout) ? complain(FAILED, "standard output cannot be written") : OK;
}

static void end_at_once(const struct verb_usage *u, const struct opt *options, int c)
{
	if (c == TABLE)
		print_table(u, options);
	else if (c == VERSION)
		printf("%s (memscope) " MEMSCOPE_VERSION "\n", u->command);
	else if (c == HELP || c == 'h')
		help(u, options);
	else
		return;
	exit(options_printed());
}

static int wrong_option(const struct verb_usage *u, const struct opt *options, int c, char **argv)
{
	const struct opt *o;
	char name[64];

	if (c == '?' && !optopt)
		return no_such_option(u, options, argv[optind - 1] + 2);
	o = row_of(options, optopt);
	if (c == ':' && o)
		return options_wrong(u, "%s: needs an argument, %s",
				     optopt < FIRST ? (char []){ '-', optopt, 0 } :
				     written(o, name, sizeof(name)),
				     o->kind == OPT_KIND_RENAMED ? find(options, o->help)->arg : o->arg);
	if (o || optopt == HELP || optopt == TABLE || optopt == VERSION)
		return options_wrong(u, "%s: takes no argument", argv[optind - 1]);
	return options_wrong(u, "-%c: no such option", optopt);
}

/* An option of earlier releases.  Return today's, or NULL with a message if it is refused. */
static const struct opt *earlier(const struct verb_usage *u, const struct opt *options,
				 const struct opt *o, int c)
{
	char old[64];

	if (c < FIRST)
		snprintf(old, sizeof(old), "-%c", c);
	else
		snprintf(old, sizeof(old), "--%s", o->name);
	if (o->kind == OPT_KIND_CHANGED) {
		options_wrong(u, "%s: no longer has this meaning, use %s", old, o->help);
		return NULL;
	}
	complain(OK, "%s: goes away with the next release, use --%s", old, o->help);
	return find(options, o->help);
}

/* @instead: an option of kind OPT_KIND_INSTEAD was given */
static int check_operands(const struct verb_usage *u, int n, char **argv, bool instead)
{
	const int min = !instead ? u->min : u->words && !u->words_of && u->min;
	char word[64];
	const char *s = u->operands;
	int i;

	/* Each operand is one word of the usage line. */
	for (i = 0; i < n && *s; i++) {
		s += strcspn(s, " ");
		s += strspn(s, " ");
	}
	if (n < min) {
		while (!strncmp(s, "[options] ", 10) || !strncmp(s, "[--] ", 5))
			s += strcspn(s, " ") + 1;
		s += strspn(s, "[-] ");
		snprintf(word, sizeof(word), "%.*s", (int)strcspn(s, " ]."), s);
		return options_wrong(u, "%s is missing", word);
	}
	if (u->max >= 0 && n > u->max)
		return options_wrong(u, "%s: one argument too many", argv[u->max]);
	return OK;
}

/**
 * options_parse() - parse the options of a command line
 * @u: usage of the verb
 * @options: its options, ended by one of kind OPT_END
 * @argc: number of arguments, including the verb
 * @argv: the arguments; permuted so that operands come last
 *
 * Exits after --help (or help, of a program that takes no operands), and after printing one line about an error.
 *
 * Return: the index of the first operand in @argv.
 */
int options_parse(const struct verb_usage *u, const struct opt *options, int argc, char **argv)
{
	const char *word = NULL;
	int c, index, ret = OK;
	bool instead = false;
	const struct opt *o;
	struct tables t;

	given = 0;
	parsed = u;
	make_tables(u, options, &t);
	opterr = 0;
	optind = 0;
	while (!ret && (index = -1, c = getopt_long(argc, argv, t.letters, t.names, &index)) != -1) {
		if (index >= 0 && c != '?' && c != ':' && is_abbreviated(&t.names[index], argv)) {
			exit(no_such_option(u, options, (argv[optind - 1] == optarg ? argv[optind - 2] :
							 argv[optind - 1]) + 2));
		}
		end_at_once(u, options, c);
		if (c == '?' || c == ':')
			exit(wrong_option(u, options, c, argv));
		o = row_of(options, c);
		if (!is_shown(o))
			o = earlier(u, options, o, c);
		if (!o)
			exit(USAGE);
		end_at_once(u, options, o == &version_option ? VERSION : 0);
		/* getopt_long() takes -g=5 as -g with the argument "=5": refuse it. */
		if (c < FIRST && optarg && *optarg == '=' && optarg != argv[optind - 1])
			exit(options_wrong(u, "-%c%s: write --%s%s or -%c %s", c, optarg, o->name, optarg, c,
					   optarg + 1));
		given |= UINT64_C(1) << (o - options);
		ret = take(u, o, optarg);
		instead |= o->kind == OPT_KIND_INSTEAD;
		if (u->words_of && o->name && !strcmp(o->name, u->words_of))
			word = optarg;
	}
	/* As of a program with verbs: one that takes no operands cannot mean a file. */
	if (!ret && is_program(u) && !u->max && argc - optind == 1 && !strcmp(argv[optind], "help"))
		end_at_once(u, options, HELP);
	if (!ret)
		ret = check_operands(u, argc - optind, argv + optind, instead);
	if (!ret && u->only && (u->words || u->words_of))
		ret = check_only(u, options, !u->words_of ? argv[optind] : word ? word : u->word);
	if (ret)
		exit(ret);
	return optind;
}
