// SPDX-License-Identifier: GPL-2.0
/* Options that verbs share: which part of a recording, what of a view. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "lib/size.h"
#include "memprof_cli.h"
#include "options.h"

const char options_usage[] =
	"      --from S --to S         accesses between these seconds of the recording\n"
	"      --pid PID               of this process\n"
	"      --tid TID               of this thread\n"
	"      --object NUMBER         flow: of this object (see the view objects)\n"
	"      --thread NUMBER         flow: of this thread (see the view threads)\n"
	"      --site TEXT             objects: those with TEXT in their site\n"
	"      --instances             objects: each by itself, not by site\n"
	"      --top N                 the first N rows\n"
	"      --all                   accesses that caches answered, too\n"
	"      --symfs DIR             the recorded machine's files are below DIR\n"
	"      --memory SIZE           what needs more goes to a file in $TMPDIR or /var/tmp\n"
	"                              (default: a quarter of the machine's)\n";

static int number(const char *name, const char *text, uint32_t *value)
{
	unsigned long n;
	char *end;

	errno = 0;
	n = strtoul(text, &end, 10);
	if (*end || end == text || *text == '-' || errno || n >= NO_NUMBER)
		return complain(USAGE, "--%s %s: not a number", name, text);
	*value = n;
	return OK;
}

static int seconds(const char *name, const char *text, uint64_t *ns)
{
	char *end;
	double s = strtod(text, &end);

	if (*end || end == text || !(s >= 0 && s < 1e9))
		return complain(USAGE, "--%s %s: not seconds", name, text);
	*ns = llround(s * 1e9);
	return OK;
}

/**
 * common_option() - take an option
 * @c: gets its value
 * @option: OPT_*
 * @value: as it was given
 *
 * Return: OK, or USAGE after saying why.
 */
int common_option(struct common *c, int option, const char *value)
{
	uint32_t top;

	switch (option) {
	case OPT_FROM: return seconds("from", value, &c->what.from_ns);
	case OPT_TO: return seconds("to", value, &c->what.to_ns);
	case OPT_PID: return number("pid", value, &c->what.pid);
	case OPT_TID: return number("tid", value, &c->what.tid);
	case OPT_OBJECT: return number("object", value, &c->view.object);
	case OPT_THREAD: return number("thread", value, &c->view.thread);
	case OPT_TOP:
		if (number("top", value, &top))
			return USAGE;
		c->view.top = top;
		return OK;
	case OPT_SITE: c->view.site = value; return OK;
	case OPT_SYMBOLS: c->what.symbols = value; return OK;
	case OPT_INSTANCES: c->view.instances = true; return OK;
	case OPT_ALL: c->view.all = true; return OK;
	case OPT_MEMORY:
		if (parse_size(value, &c->what.memory) || !c->what.memory)
			return complain(USAGE, "--memory %s: not a size", value);
		return OK;
	}
	return USAGE;
}

/**
 * common_open() - open a recording, and say what is wrong with it
 * @path: NULL: the default
 * @c: what of it
 * @damaged: gets whether it is, and what could be read was
 *
 * Return: it, or NULL after saying why.
 */
struct memprof *common_open(const char *path, const struct common *c, int *damaged)
{
	struct memprof *m;
	char error[512];

	if (!path)
		path = DEFAULT_FILE;
	m = memprof_open(path, &c->what, error, sizeof(error));
	*damaged = 0;
	if (!m) {
		complain(FAILED, "%s", error);
	} else if (memprof_damage(m)) {
		*damaged = 1;
		complain(FAILED, "%s: %s; %lu samples and %lu events read", path, memprof_damage(m),
			 (unsigned long)memprof_totals(m)->samples,
			 (unsigned long)memprof_totals(m)->events);
	}
	return m;
}

/** common_check() - the object and the thread asked for exist.  Return: OK, or FAILED */
int common_check(const struct memprof *m, const struct common *c)
{
	if (c->view.object != NO_NUMBER && c->view.object >= memprof_nr_objects(m))
		return complain(FAILED, "--object %u: there are %zu", c->view.object,
				memprof_nr_objects(m));
	if (c->view.thread != NO_NUMBER && c->view.thread >= memprof_nr_threads(m))
		return complain(FAILED, "--thread %u: there are %zu", c->view.thread,
				memprof_nr_threads(m));
	return OK;
}
