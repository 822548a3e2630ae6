// SPDX-License-Identifier: LGPL-2.1-or-later
// Copyright (C) 2026 the memscope authors
/* Reads and writes layout files: see pagealloc(5). */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "layout.h"

#define VERSION 1

/* A line has a name of a file at most, which may be escaped. */
#define MAX_LINE (1 << 15)

/**
 * pagealloc_layout_write() - write a layout
 * @layout: the layout
 * @file: output; flushed
 *
 * Return: 0, or a negative errno.
 */
API int pagealloc_layout_write(const struct pagealloc_layout *layout, FILE *file)
{
	const struct pagealloc_layout *l = layout;
	size_t i, j;

	errno = 0;
	fprintf(file, "pagealloc-layout %d\npage_size %" PRIu64 "\ncolors %u\nmasks", VERSION,
		l->page_size, l->info.colors);
	for (i = 0; i < l->info.color_bits; i++)
		fprintf(file, " 0x%llx", (unsigned long long)l->info.masks[i]);
	fprintf(file, "\nframes %s\n", l->frames ? "yes" : "no");
	for (i = 0; i < NR_ANCHORS; i++)
		if (l->anchors[i])
			fprintf(file, "anchor %s 0x%" PRIx64 "\n", anchor_names[i], l->anchors[i]);
	for (i = 0; i < l->nr_maps; i++) {
		const struct layout_map *m = &l->maps[i];

		fprintf(file, "map %s 0x%" PRIx64 " 0x%" PRIx64 " %s 0x%" PRIx64 " %u%s%s\n",
			anchor_names[m->anchor], m->at.start, m->at.end, m->at.perms,
			m->at.offset, m->order, *m->at.name ? " " : "", m->at.name);
		for (j = m->first; j < m->first + m->nr; j++) {
			const struct layout_page *p = &l->pages[j];

			fprintf(file, "%c %" PRIu64 " %u", p->file ? 'f' : 'a', p->index, p->color);
			if (l->frames)
				fprintf(file, " %" PRIu64, p->pfn);
			fputc('\n', file);
		}
	}
	fprintf(file, "end %zu %zu\n", l->nr_maps, l->nr_pages);
	if (fflush(file) || ferror(file))
		return errno ? -errno : -EIO;
	return 0;
}

/* Lines of the header, each of which is there once. */
enum { SEEN_PAGE_SIZE, SEEN_COLORS, SEEN_MASKS, SEEN_FRAMES, SEEN_ANCHORS };

/* A file being read. */
struct source {
	FILE *file;
	struct pagealloc_layout *l;
	char *line;			/* the current line, without its newline */
	size_t nr;
	unsigned int seen;		/* lines of the header: by SEEN_*, anchors behind them */
	char *error;
	size_t error_size;
};

__attribute__((format(printf, 2, 3)))
static int damaged(struct source *s, const char *fmt, ...)
{
	va_list ap;
	int n;

	if (!s->error_size)
		return -EINVAL;
	n = snprintf(s->error, s->error_size, "line %zu: ", s->nr);
	if (n < 0 || (size_t)n >= s->error_size)
		return -EINVAL;
	va_start(ap, fmt);
	vsnprintf(s->error + n, s->error_size - n, fmt, ap);
	va_end(ap);
	return -EINVAL;
}

/*
 * Return 1, 0 at the end of the file, or a negative errno.  Not getline(): it takes a line of
 * any length.
 */
static int next_line(struct source *s)
{
	size_t n = 0;
	int c;

	if (!s->line)
		s->line = malloc(MAX_LINE);
	if (!s->line)
		return -ENOMEM;
	s->nr++;
	while ((c = getc(s->file)) != EOF && c && c != '\n') {
		if (n == MAX_LINE - 1)
			return damaged(s, "too long");
		s->line[n++] = c;
	}
	if (ferror(s->file))
		return errno ? -errno : -EIO;
	if (c == EOF && !n)
		return 0;
	s->line[n] = '\0';
	return c == '\n' ? 1 : damaged(s, "incomplete");
}

/* Note that a line of the header is there.  Return 0, or a negative errno if it was before. */
static int once(struct source *s, unsigned int line, const char *name)
{
	if (s->seen & 1U << line)
		return damaged(s, "%s twice", name);
	s->seen |= 1U << line;
	return 0;
}

/* Parse a number at *@s up to @max, followed by a space or the end. */
static int field(const char **s, uint64_t max, uint64_t *n)
{
	char *end;

	if (!isdigit((unsigned char)**s))
		return -1;
	errno = 0;
	*n = strtoull(*s, &end, (*s)[0] == '0' && (*s)[1] == 'x' ? 16 : 10);
	/* A blank is followed by another field. */
	if (errno || *n > max || (*end && (*end != ' ' || !end[1])))
		return -1;
	*s = *end ? end + 1 : end;
	return 0;
}

/* Skip the word @name and a space.  Return 0, or -1 if they are not at *@s. */
static int word(const char **s, const char *name)
{
	size_t n = strlen(name);

	if (strncmp(*s, name, n) || (*s)[n] != ' ')
		return -1;
	*s += n + 1;
	return 0;
}

static int anchor(const char **s, enum anchor *a)
{
	int i;

	for (i = 0; i < NR_ANCHORS; i++) {
		if (!word(s, anchor_names[i])) {
			*a = i;
			return 0;
		}
	}
	return -1;
}

static int read_masks(struct source *s, const char *text)
{
	struct page_hints_info *info = &s->l->info;
	uint64_t mask;

	while (*text) {
		if (info->color_bits == PAGE_HINTS_MAX_COLOR_BITS ||
		    field(&text, UINT64_MAX, &mask) || !mask)
			return damaged(s, "invalid color masks");
		info->masks[info->color_bits++] = mask;
	}
	if (info->colors != 1U << info->color_bits)
		return damaged(s, "%u colors, but %u masks", info->colors, info->color_bits);
	return 0;
}

/* Parse a header line.  Return 0, 1 if it is not one, or a negative errno. */
static int read_header(struct source *s)
{
	struct pagealloc_layout *l = s->l;
	const char *text = s->line;
	enum anchor a;
	uint64_t n;

	if (!word(&text, "page_size")) {
		if (once(s, SEEN_PAGE_SIZE, "page_size"))
			return -EINVAL;
		if (field(&text, 1 << 20, &n) || *text || n < 512 || n & (n - 1))
			return damaged(s, "invalid page size");
		l->page_size = n;
	} else if (!word(&text, "colors")) {
		if (once(s, SEEN_COLORS, "colors"))
			return -EINVAL;
		if (field(&text, PAGE_HINTS_MAX_COLORS, &n) || *text || !n)
			return damaged(s, "not a number of colors up to %d", PAGE_HINTS_MAX_COLORS);
		l->info.colors = n;
	} else if (!word(&text, "masks")) {
		return once(s, SEEN_MASKS, "masks") ? -EINVAL : read_masks(s, text);
	} else if (!word(&text, "frames")) {
		if (once(s, SEEN_FRAMES, "frames"))
			return -EINVAL;
		if (strcmp(text, "yes") && strcmp(text, "no"))
			return damaged(s, "frames: not yes or no");
		l->frames = *text == 'y';
	} else if (!word(&text, "anchor")) {
		if (anchor(&text, &a) || field(&text, UINT64_MAX, &n) || *text || n % 512)
			return damaged(s, "invalid anchor");
		if (once(s, SEEN_ANCHORS + a, anchor_names[a]))
			return -EINVAL;
		l->anchors[a] = n;
	} else {
		return 1;
	}
	return 0;
}

static int read_map(struct source *s, const char *text)
{
	struct pagealloc_layout *l = s->l;
	uint64_t start, end, offset, order, last = 0;
	enum anchor a;
	struct layout_map *m;
	char perms[8] = "";

	if (!l->page_size || !l->info.color_bits)
		return damaged(s, "a mapping before page_size, colors and masks");
	if (l->nr_maps)
		last = l->maps[l->nr_maps - 1].at.end;
	if (anchor(&text, &a) || field(&text, UINT64_MAX, &start) ||
	    field(&text, UINT64_MAX, &end) || strspn(text, "rwxps-") != 4 || text[4] != ' ')
		return damaged(s, "invalid mapping");
	memcpy(perms, text, 4);
	text += 5;
	if (field(&text, UINT64_MAX, &offset) || field(&text, UINT32_MAX, &order))
		return damaged(s, "invalid mapping");
	if (start % l->page_size || end % l->page_size || start >= end)
		return damaged(s, "not of whole pages");
	if (start < last)
		return damaged(s, "overlaps the previous mapping");
	m = layout_add_map(l);
	if (!m)
		return -ENOMEM;
	m->at = (struct pagealloc_mapping){ .start = start, .end = end, .offset = offset };
	memcpy(m->at.perms, perms, sizeof(perms));
	m->anchor = a;
	m->order = order;
	m->at.name = strdup(text);
	return m->at.name ? 0 : -ENOMEM;
}

static int read_page(struct source *s, const char *text, int file)
{
	struct pagealloc_layout *l = s->l;
	struct layout_map *m = l->nr_maps ? &l->maps[l->nr_maps - 1] : NULL;
	uint64_t index, color, pfn = 0;
	struct layout_page *p;

	if (!m)
		return damaged(s, "a page before the first mapping");
	if (field(&text, (m->at.end - m->at.start) / l->page_size - 1, &index))
		return damaged(s, "not a page of the mapping");
	if (m->nr && index <= l->pages[l->nr_pages - 1].index)
		return damaged(s, "pages are not in order");
	if (field(&text, l->info.colors - 1, &color))
		return damaged(s, "not a color below %u", l->info.colors);
	if (l->frames && (field(&text, UINT64_MAX - 1, &pfn) || !pfn))
		return damaged(s, "not a frame number");
	if (l->frames && pagealloc_color(&l->info, pfn) != color)
		return damaged(s, "the frame is of color %u, not %u",
			       pagealloc_color(&l->info, pfn), (unsigned int)color);
	if (*text)
		return damaged(s, "too many fields");
	p = layout_add_page(l);
	if (!p)
		return -ENOMEM;
	*p = (struct layout_page){ .index = index, .color = color, .pfn = pfn, .file = file };
	return 0;
}

static int read_end(struct source *s, const char *text)
{
	uint64_t maps, pages;

	if (!s->l->page_size || !s->l->info.color_bits)
		return damaged(s, "page_size, colors or masks missing");
	if (field(&text, UINT64_MAX, &maps) || field(&text, UINT64_MAX, &pages) || *text ||
	    maps != s->l->nr_maps || pages != s->l->nr_pages)
		return damaged(s, "%zu mappings with %zu pages were read, which differs from the"
			       " end line", s->l->nr_maps, s->l->nr_pages);
	return 0;
}

static int read_lines(struct source *s)
{
	const char *text;
	uint64_t version;
	int ret;

	ret = next_line(s);
	if (ret < 0)
		return ret;
	if (!ret) {
		snprintf(s->error, s->error_size, "empty file");
		return -EINVAL;
	}
	text = s->line;
	if (word(&text, "pagealloc-layout") || field(&text, UINT32_MAX, &version) || *text)
		return damaged(s, "not a layout");
	if (version != VERSION)
		return damaged(s, "unsupported version %" PRIu64 " (this library reads %d)", version, VERSION);
	for (;;) {
		ret = next_line(s);
		if (ret < 0)
			return ret;
		text = s->line;
		if (!ret)
			return damaged(s, "truncated: no end line");
		if (*text == '#')
			continue;
		if (!word(&text, "end")) {
			ret = read_end(s, text);
			if (ret)
				return ret;
			return fgetc(s->file) == EOF ? 0 : damaged(s, "lines after the end");
		}
		if (!word(&text, "map"))
			ret = read_map(s, text);
		else if (!word(&text, "a"))
			ret = read_page(s, text, 0);
		else if (!word(&text, "f"))
			ret = read_page(s, text, 1);
		else
			ret = s->l->nr_maps ? 1 : read_header(s);
		if (ret == 1)
			ret = damaged(s, "unknown line");
		if (ret)
			return ret;
	}
}

/**
 * pagealloc_layout_read() - read a layout
 * @file: the file, read from its current position
 * @layout: set to the layout; free it with pagealloc_layout_free()
 * @error: set to an error message; may be NULL if @error_size is 0
 * @error_size: size of @error
 *
 * Return: 0; -EINVAL: damaged, not a layout, or of another version; -EIO: the file
 * cannot be read; -ENOMEM.
 */
API int pagealloc_layout_read(FILE *file, struct pagealloc_layout **layout, char *error,
			      size_t error_size)
{
	struct source s = { .file = file, .error = error, .error_size = error_size };
	int ret = -ENOMEM;

	if (error_size)
		*error = '\0';
	s.l = calloc(1, sizeof(*s.l));
	if (s.l)
		ret = read_lines(&s);
	free(s.line);
	if (error_size && ret && !*error)
		snprintf(error, error_size, "%s", strerror(-ret));
	if (ret)
		pagealloc_layout_free(s.l);
	else
		*layout = s.l;
	return ret;
}
