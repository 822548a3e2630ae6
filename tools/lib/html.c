// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Text and SVG pictures as parts of an HTML page. */
#include <string.h>

#include "html.h"
#include "lib/cells/utf8.h"

/**
 * html_text() - write text with HTML's special characters escaped, as valid UTF-8
 * @out: the page
 * @text: any bytes; safe between tags and in quoted attributes
 */
void html_text(FILE *out, const char *text)
{
	char c[UTF8_SIZE];

	while (*text) {
		text += utf8_next(c, text);
		switch (*c) {
		case '&': fputs("&amp;", out); break;
		case '<': fputs("&lt;", out); break;
		case '>': fputs("&gt;", out); break;
		case '"': fputs("&quot;", out); break;
		case '\'': fputs("&#39;", out); break;
		default: fputs(c, out);
		}
	}
}

/**
 * html_svg() - embed a picture into a page
 * @out: the page
 * @svg: contents of an SVG file
 * @prefix: prepended to its ids, which must be unique in the page
 */
void html_svg(FILE *out, const char *svg, const char *prefix)
{
	static const char * const before_id[] = {
		" id='", " id=\"", "href='#", "href=\"#", "url(#", "url('#",
	};
	const char *p = strstr(svg, "<svg");
	int in_tag = 0;
	size_t i, n;

	while (p && *p) {
		in_tag = *p == '<' || (in_tag && *p != '>');
		for (i = 0; in_tag && i < sizeof(before_id) / sizeof(before_id[0]); i++) {
			n = strlen(before_id[i]);
			if (strncmp(p, before_id[i], n))
				continue;
			fprintf(out, "%s%s", before_id[i], prefix);
			p += n;
			break;
		}
		/* Check @p anew: the next character may end the tag. */
		if (in_tag && i < sizeof(before_id) / sizeof(before_id[0]))
			continue;
		fputc(*p++, out);
	}
}
