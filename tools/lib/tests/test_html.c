// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Texts stay texts, and pictures keep their ids apart. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "lib/html.h"

static char page[4096];

static void texts(void **state)
{
	FILE *f = fmemopen(page, sizeof(page), "w");

	(void)state;
	html_text(f, "a<b>&\"c\"='d'\x1b[0m\n\xc3\xa4\xc3<\xc2\x9b");
	fclose(f);
	assert_string_equal(page, "a&lt;b&gt;&amp;&quot;c&quot;=&#39;d&#39;\xef\xbf\xbd[0m\n\xc3\xa4\xef\xbf\xbd&lt;\xef\xbf\xbd");
}

static void ids(void **state)
{
	FILE *f = fmemopen(page, sizeof(page), "w");

	(void)state;
	html_svg(f, "<?xml version=\"1.0\"?>\n<!DOCTYPE svg>\n<svg>"
		    "<path id='a' d='M 0'/><use xlink:href='#a' id=\"b\"/>"
		    "<g clip-path=\"url(#a)\" fill=\"red\"/><text>x id='a' href='#a'</text></svg>",
		 "p1-");
	fclose(f);
	assert_string_equal(page, "<svg>"
		"<path id='p1-a' d='M 0'/><use xlink:href='#p1-a' id=\"p1-b\"/>"
		"<g clip-path=\"url(#p1-a)\" fill=\"red\"/><text>x id='a' href='#a'</text></svg>");
}

static void no_picture(void **state)
{
	FILE *f = fmemopen(page, sizeof(page), "w");

	(void)state;
	html_svg(f, "gnuplot: error", "p1-");
	fputc('.', f);
	fclose(f);
	assert_string_equal(page, ".");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(texts), cmocka_unit_test(ids), cmocka_unit_test(no_picture),
	};

	return cmocka_run_group_tests_name("html", tests, NULL, NULL);
}
