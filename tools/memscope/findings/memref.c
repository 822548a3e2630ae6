// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Findings of memref recordings: memory that is not used, and huge pages that would pay off. */
#include <stdio.h>
#include <string.h>

#include "lib/complain.h"
#include "memscope/run/rows.h"
#include "findings.h"

/* Less unused memory is not worth a finding. */
#define LEAST_COLD	0.25
#define LEAST_COLD_MIB	1
#define FAIR_INTERVALS	3
#define GOOD_INTERVALS	10

/* What all findings of a recording rest on. */
struct basis {
	double intervals, disturbed;
};

static void set_trust(struct finding *f, const struct basis *b)
{
	f->trust = b->intervals >= GOOD_INTERVALS ? TRUST_GOOD : b->intervals >= FAIR_INTERVALS ? TRUST_FAIR : TRUST_WEAK;
	if (b->disturbed && f->trust > TRUST_WEAK)
		f->trust--;
	snprintf(f->trust_why, sizeof(f->trust_why), "%.0f intervals%s; accessed bits of page tables, not samples",
		 b->intervals, b->disturbed ? ", and events or intervals were lost" : "");
}

static int add_cold(struct findings *l, const char *file, const struct basis *b, json_t *wss)
{
	double used = 0, resident = 0, cold;
	struct finding *f;
	json_t *row;
	size_t i;

	json_array_foreach(wss, i, row) {
		const double mib = row_number(row, "wss_user_mib");

		used = mib > used ? mib : used;
		resident = row_number(row, "rss_mib") > resident ? row_number(row, "rss_mib") : resident;
	}
	cold = resident - used;
	if (cold < LEAST_COLD * resident || cold < LEAST_COLD_MIB)
		return OK;
	f = findings_add(l, "memref", file);
	if (!f)
		return FAILED;
	strcpy(f->subject, "memory of processes");
	strcpy(f->what, "resident, but not used");
	f->share = cold / resident;
	f->of = "resident memory";
	snprintf(f->evidence, sizeof(f->evidence), "at most %.1f of %.1f MiB were used in one interval", used, resident);
	snprintf(f->advice, sizeof(f->advice), "memory.high of the control group near %.0f MiB lets the kernel reclaim the rest; "
		 "memref report heatmap and virtual show where it is", used * 1.1 + 1);
	set_trust(f, b);
	return OK;
}

static int add_thp(struct findings *l, const char *file, const struct basis *b, json_t *thp)
{
	const char *advice = row_text(rows_item(thp, "density_pct", "all"), "advice");
	struct finding *f;

	if (strncmp(advice, "worth it", 8))
		return OK;
	f = findings_add(l, "memref", file);
	if (!f)
		return FAILED;
	strcpy(f->subject, "page size");
	strcpy(f->what, "huge pages would pay off");
	snprintf(f->evidence, sizeof(f->evidence), "%s", advice + strcspn(advice, ":") + (strchr(advice, ':') ? 2 : 0));
	strcpy(f->advice, "madvise(MADV_HUGEPAGE) for the large areas, or "
	       "echo always >/sys/kernel/mm/transparent_hugepage/enabled; then measure the run time");
	set_trust(f, b);
	return OK;
}

int memref_findings(struct findings *l, const char *file)
{
	static const char * const views[] = { "summary", "wss", "thp" };
	json_t *rows[3] = { };
	struct basis b = { };
	char error[512];
	int i, ret = OK;

	for (i = 0; i < 3 && !ret; i++) {
		const char *const argv[] = { "memref", "report", views[i], file, "-f", "json", NULL };

		rows[i] = rows_read(argv, error, sizeof(error));
		/* Other recordings of the run may have findings. */
		if (!rows[0] && rows_none(error))
			return complain(OK, "%s", error);
		/* Groups larger than a huge page have no view thp. */
		if (!rows[i] && !rows_none(error) && !strstr(error, "--group-size"))
			ret = complain(FAILED, "%s", error);
	}
	if (!ret) {
		b.intervals = row_number(rows_item(rows[0], "item", "intervals"), "value");
		b.disturbed = row_number(rows_item(rows[0], "item", "lost_events"), "value") +
			      row_number(rows_item(rows[0], "item", "intervals_incomplete"), "value") +
			      row_number(rows_item(rows[0], "item", "intervals_missing"), "value");
		ret = add_cold(l, file, &b, rows[1]) || add_thp(l, file, &b, rows[2]) ? FAILED : OK;
	}
	for (i = 0; i < 3; i++)
		json_decref(rows[i]);
	return ret;
}
