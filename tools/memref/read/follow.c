// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Follows memref's events as they come, from a tracing instance of its own. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tracefs.h>
#include <unistd.h>

#include "lib/complain.h"
#include "lib/record/guard.h"
#include "follow.h"

/* Skips events that this kernel does not have. */
static int enable(struct follow *f, enum event event)
{
	char path[64];

	if (f->decoder.event[event].id < 0)
		return 0;
	/* tracefs_event_enable() would look at each event of all systems. */
	snprintf(path, sizeof(path), "events/memref/%s/enable", event_names[event]);
	return tracefs_instance_file_write(f->instance, path, "1") < 0 ? -1 : 0;
}

/*
 * The formats of memref's events only: tracefs_local_events_system() reads all symbols of the
 * kernel, too, into a buffer that it enlarges for each page of /proc/kallsyms.
 */
static int read_formats(struct tep_handle *tep)
{
	char path[64], *text;
	int i, size, ret;

	text = tracefs_instance_file_read(NULL, "events/header_page", &size);
	ret = text ? tep_parse_header_page(tep, text, size, sizeof(long)) : -1;
	free(text);
	/* One that is missing is decoder_init()'s matter. */
	for (i = 0; !ret && i < NR_EVENTS; i++) {
		snprintf(path, sizeof(path), "events/memref/%s/format", event_names[i]);
		if (!tracefs_file_exists(NULL, path))
			continue;
		text = tracefs_instance_file_read(NULL, path, &size);
		ret = text ? tep_parse_event(tep, text, size, "memref") : -1;
		free(text);
	}
	return ret;
}

/**
 * follow_begin() - enable memref's events, which starts the sampler
 * @f: its public fields are set
 * @name: of the tracing instance, to which the pid is added
 *
 * The guard must be running.
 *
 * Return: OK, or FAILED with a message printed.  follow_end() must follow either.
 */
int follow_begin(struct follow *f, const char *name)
{
	char instance[64], wrong[128];

	tep_set_loglevel(TEP_LOG_NONE);
	f->tep = tep_alloc();
	if (!f->tep)
		return complain(FAILED, "no memory left");
	if (read_formats(f->tep))
		return complain(FAILED, "formats of memref's events cannot be read");
	if (decoder_init(&f->decoder, f->tep, wrong, sizeof(wrong)))
		return complain(FAILED, "this kernel's memref events: unsupported format: %s", wrong);
	snprintf(instance, sizeof(instance), "%s-%d", name, getpid());
	/* Whatever ends this process, the sampler does not go on for nobody. */
	if (guard_note(UNDO_INSTANCE, instance, NULL))
		return FAILED;
	f->instance = tracefs_instance_create(instance);
	if (!f->instance)
		return complain(FAILED, "tracing instance %s: %s", instance, strerror(errno));
	/* memref_scan last: of an interval that has it, the other events are here, too. */
	if (enable(f, EVENT_TASK) || enable(f, EVENT_NODE) || (f->ages && enable(f, EVENT_AGE)) ||
	    (f->groups && (enable(f, EVENT_GROUP) || enable(f, EVENT_BATCH))) || enable(f, EVENT_SCAN))
		return complain(FAILED, "events of memref cannot be enabled: %s", strerror(errno));
	return OK;
}

static int take_record(struct tep_event *event, struct tep_record *record, int cpu, void *ctx)
{
	struct follow *f = ctx;
	int ret;

	(void)event;
	(void)cpu;
	if (record->missed_events)
		f->lost_events += record->missed_events > 0 ? record->missed_events : 1;
	ret = decode(&f->decoder, record->ts, record->data, record->size, f->row, f->ctx);
	/* A damaged event counts as lost. */
	if (ret < 0)
		f->lost_events++;
	else
		f->ret = ret;
	return f->ret;
}

/**
 * follow_read() - read what has come since the last call
 * @f: begun by follow_begin()
 *
 * Return: 0, or what @f->row returned above 0.
 */
int follow_read(struct follow *f)
{
	f->ret = 0;
	/* Fails if there are no events yet, which is no error. */
	tracefs_iterate_raw_events(f->tep, f->instance, NULL, 0, take_record, f);
	return f->ret;
}

/**
 * follow_is_gone() - whether somebody has removed the tracing instance, so that no event comes any more
 * @f: begun by follow_begin()
 */
bool follow_is_gone(const struct follow *f)
{
	char *path = tracefs_instance_get_dir(f->instance);
	const bool gone = path && access(path, F_OK) && errno == ENOENT;

	tracefs_put_tracing_file(path);
	return gone;
}

/**
 * follow_end() - disable the events and remove the instance
 * @f: for which follow_begin() was called
 */
void follow_end(struct follow *f)
{
	if (f->instance) {
		tracefs_event_disable(f->instance, "memref", NULL);
		if (!follow_is_gone(f) && tracefs_instance_destroy(f->instance))
			complain(FAILED, "tracing instance %s: cannot be removed: %s",
				 tracefs_instance_get_name(f->instance), strerror(errno));
		tracefs_instance_free(f->instance);
	}
	if (f->tep)
		tep_free(f->tep);
	f->instance = NULL;
	f->tep = NULL;
}
