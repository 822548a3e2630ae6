// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Command lines in words, quoted as for sh, without anything else of a shell. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "suite.h"

static int word_add(struct words *words, const char *text)
{
	char **all = realloc(words->word, (words->nr + 2) * sizeof(*all));

	if (!all)
		return -1;
	words->word = all;
	all[words->nr] = strdup(text);
	if (!all[words->nr])
		return -1;
	all[++words->nr] = NULL;
	return 0;
}

/**
 * words_split() - split a command line
 * @text: words with blanks between them; '...' keeps all, \ keeps one; in "...", it does so before $, `, " and \
 * @words: they are added to; free with words_free()
 *
 * Return: 0, or -1 with errno set: EINVAL: a quote is not closed; ENOMEM.
 */
int words_split(const char *text, struct words *words)
{
	char *word = malloc(strlen(text) + 1), quote = 0;
	int in_word = 0, ret = 0;
	size_t n = 0;

	if (!word)
		return -1;
	errno = EINVAL;
	for (; *text && !ret; text++) {
		if (!quote && strchr(" \t\n", *text)) {
			word[n] = '\0';
			if (in_word)
				ret = word_add(words, word);
			in_word = n = 0;
			continue;
		}
		in_word = 1;
		if (*text == quote) {
			quote = 0;
		} else if (!quote && (*text == '\'' || *text == '"')) {
			quote = *text;
		} else if (*text == '\\' && quote != '\'' && (!quote || !text[1] || strchr("$`\"\\", text[1]))) {
			if (!*++text) {
				ret = -1;
				break;
			}
			word[n++] = *text;
		} else {
			word[n++] = *text;
		}
	}
	word[n] = '\0';
	if (quote)
		ret = -1;
	if (!ret && in_word)
		ret = word_add(words, word);
	free(word);
	return ret;
}

/**
 * words_free() - free what words_split() made
 * @words: has none then
 */
void words_free(struct words *words)
{
	size_t i;

	for (i = 0; i < words->nr; i++)
		free(words->word[i]);
	free(words->word);
	*words = (struct words){ };
}
