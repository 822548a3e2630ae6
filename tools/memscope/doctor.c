// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* memscope doctor: what works on this machine, what does not and why, and what to do. */
#include <string.h>

#include "memscope/doctor/judge.h"
#include "memscope/doctor/selftest.h"
#include "memscope.h"

static const struct verb_usage usage = {
	.command = "memscope doctor", .operands = "[options]",
	.about = "Report what of memscope works on this machine: first the tools, then the kernel's features, the "
		 "sources of samples, permissions, memory, and page colors.",
	.end = "Exit status: 0 if all tools work, 1 if one does not.",
};

static void add_tools(struct checks *c, const struct tool_state tools[NR_TOOLS])
{
	char value[128];
	int i;

	for (i = 0; i < NR_TOOLS; i++) {
		const struct tool_state *t = &tools[i];

		snprintf(value, sizeof(value), "%s: %s", t->state == BAD ? "does not work" : "works", t->about);
		checks_add(c, t->name, t->state, value, t->why, t->fix);
	}
}

/* A sentence that names the tools that work, and those that do not. */
static void make_verdict(const struct tool_state tools[NR_TOOLS], char *text, size_t size)
{
	char works[128] = "", not[128] = "";
	int i;

	for (i = 0; i < NR_TOOLS; i++) {
		char *list = tools[i].state == BAD ? not : works;
		const size_t n = strlen(list);

		snprintf(list + n, sizeof(works) - n, "%s%s", n ? ", " : "", tools[i].name);
	}
	snprintf(text, size, "%s%s.%s%s%s", *works ? "Works here: " : "None of the tools works here: ",
		 *works ? works : not, *works && *not ? " Does not: " : "", *works ? not : "", *works && *not ? "." : "");
}

static void add_topics(const struct facts *f, struct checks *c)
{
	c->topic = "kernel";
	judge_kernel(f, c);
	c->topic = "samples";
	judge_samples(f, c);
	c->topic = "permissions";
	judge_permissions(f, c);
	c->topic = "machine";
	judge_machine(f, c);
	c->topic = "colors";
	if (f->page_hints)
		check_page_hints(c);
	check_colors(c);
}

int cmd_doctor(int argc, char **argv)
{
	struct tool_state tools[NR_TOOLS];
	struct output output = { };
	bool test = false;
	const struct opt options[] = {
		OPT_FLAG(0, "test", &test, "also record for a few seconds with each tool that works, and check what it recorded"),
		OUTPUT_OPTIONS(&output), { }
	};
	char verdict[512];
	struct checks c;
	struct facts f;
	int ret, i, bad = 0, failed;

	options_parse(&usage, options, argc, argv);
	if (output.explain)
		return output_explain(&output, &topic_columns);
	facts_read(&f);
	judge_tools(&f, tools);
	checks_init(&c, "tools");
	add_tools(&c, tools);
	for (i = 0; i < NR_TOOLS; i++)
		bad |= tools[i].state == BAD;
	make_verdict(tools, verdict, sizeof(verdict));
	if (test) {
		c.topic = "self-test";
		failed = selftest(tools, &c);
		bad |= failed;
		snprintf(verdict + strlen(verdict), sizeof(verdict) - strlen(verdict), " Self-test: %s.",
			 failed ? "failed" : "passed");
	}
	add_topics(&f, &c);
	ret = checks_print(&c, &output, verdict);
	checks_free(&c);
	return ret || bad ? FAILED : OK;
}
