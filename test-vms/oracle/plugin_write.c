// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* liboracle: writes the file described in file.h. */
#include <errno.h>
#include <string.h>

#include "plugin.h"

#define WORD_4G ((1ull << (32 - 12)) / 64)

static void put(struct oracle_writer *w, const void *data, size_t size)
{
	if (fwrite(data, 1, size, w->f) != size)
		oracle_die("write: %s", strerror(errno));
}

void oracle_write_begin(struct oracle_writer *w, const char *path)
{
	w->f = fopen(path, "wb");
	if (!w->f)
		oracle_die("%s: %s", path, strerror(errno));
}

void oracle_write_header(struct oracle_writer *w, const struct oracle_header *h)
{
	put(w, h, sizeof(*h));
}

/* Words of RAM pages to words of frame numbers: the hole lies between. */
static uint32_t frame_word(const struct oracle_writer *w, size_t word)
{
	return word < w->hole_word ? word : word - w->hole_word + WORD_4G;
}

/* The end of the run of non-zero words at @word; a run does not span the hole. */
static size_t run_end(const struct oracle_writer *w, const uint64_t *set, size_t word)
{
	do {
		word++;
	} while (word < w->nr_words && word != w->hole_word && set[word]);
	return word;
}

static uint32_t count_runs(const struct oracle_writer *w, const uint64_t *set, uint64_t *size)
{
	uint32_t nr_runs = 0;
	size_t end;

	for (size_t word = 0; word < w->nr_words; word++) {
		if (!set[word])
			continue;
		end = run_end(w, set, word);
		*size += sizeof(struct oracle_run) + (end - word) * sizeof(*set);
		nr_runs++;
		word = end - 1;
	}
	return nr_runs;
}

static void write_set(struct oracle_writer *w, uint64_t *set, uint32_t nr_runs)
{
	struct oracle_run run;

	put(w, &nr_runs, sizeof(nr_runs));
	for (size_t word = 0; nr_runs; word++) {
		if (!set[word])
			continue;
		run.first_word = frame_word(w, word);
		run.nr_words = run_end(w, set, word) - word;
		put(w, &run, sizeof(run));
		put(w, set + word, run.nr_words * sizeof(*set));
		memset(set + word, 0, run.nr_words * sizeof(*set));
		word += run.nr_words - 1;
		nr_runs--;
	}
}

void oracle_write_interval(struct oracle_writer *w, struct oracle_interval *i,
			   uint64_t *set[ORACLE_NR_SETS])
{
	uint32_t nr_runs[ORACLE_NR_SETS];

	i->size = sizeof(*i) + sizeof(nr_runs);
	for (int s = 0; s < ORACLE_NR_SETS; s++)
		nr_runs[s] = count_runs(w, set[s], &i->size);
	put(w, i, sizeof(*i));
	for (int s = 0; s < ORACLE_NR_SETS; s++)
		write_set(w, set[s], nr_runs[s]);
	/* A VM that is killed leaves the intervals it completed. */
	if (fflush(w->f))
		oracle_die("write: %s", strerror(errno));
}

void oracle_write_end(struct oracle_writer *w)
{
	if (fclose(w->f))
		oracle_die("write: %s", strerror(errno));
}
