// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * The second reference: objdump in Intel syntax, of many forms at once.  Its text
 * has the width and the address of the operand that ModRM names, not whether it
 * is loaded or stored, and nothing that is implied.
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "decoder.h"

/* Each form has a slot of its own and NOPs behind it, where objdump finds its step again. */
#define SLOT	32

static const struct {
	const char *name;
	int width;
} widths[] = {
	{ "BYTE", 1 }, { "WORD", 2 }, { "DWORD", 4 }, { "FWORD", 6 }, { "QWORD", 8 },
	{ "TBYTE", 10 }, { "OWORD", 16 }, { "XMMWORD", 16 }, { "YMMWORD", 32 }, { "ZMMWORD", 64 },
};

static int width_of(const char *operand)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(widths); i++) {
		size_t n = strlen(widths[i].name);

		if (!strncmp(operand, widths[i].name, n) && operand[n] == ' ')
			return widths[i].width;
	}
	return 0;
}

static unsigned long register_named(const char *name, int len, unsigned long next_ip)
{
	ZydisRegister reg;

	for (reg = ZYDIS_REGISTER_NONE + 1; reg <= ZYDIS_REGISTER_MAX_VALUE; reg++) {
		const char *z = ZydisRegisterGetString(reg);

		if (z && (int)strlen(z) == len && !strncmp(z, name, len))
			return known_value(reg, next_ip);
	}
	return 0;
}

/* "r12+rcx*4-0x10", up to the closing bracket */
static unsigned long evaluate(const char *p, unsigned long next_ip, bool *wide)
{
	unsigned long sum = 0;
	bool minus = false;

	*wide = false;
	while (*p && *p != ']') {
		unsigned long value;
		char *end;

		if (*p == '+' || *p == '-') {
			minus = *p++ == '-';
			continue;
		}
		if (*p >= '0' && *p <= '9') {
			value = strtoul(p, &end, 0);
		} else {
			int len = strcspn(p, "+-*]");

			value = register_named(p, len, next_ip);
			*wide |= p[0] == 'r' && !(p[len - 1] == 'd' && p[1] >= '0' && p[1] <= '9');
			end = (char *)p + len;
			if (*end == '*')
				value *= strtoul(end + 1, &end, 10);
		}
		sum += minus ? -value : value;
		minus = false;
		p = end;
	}
	return sum;
}

static void parse(const char *text, int length, bool long_mode, struct objdump_answer *a)
{
	const char *bracket = strchr(text, '['), *p;
	bool wide;

	snprintf(a->text, sizeof(a->text), "%.*s", (int)strcspn(text, "\n"), text);
	a->valid = !strstr(text, "(bad)");
	a->has_memory = bracket != NULL;
	if (!bracket)
		return;
	for (p = text; *p && p < bracket; p++)
		if ((p == text || p[-1] == ' ' || p[-1] == ',') && width_of(p))
			a->width = width_of(p);
	a->addr = evaluate(bracket + 1, known_regs.ip + length, &wide);
	a->wide_address = wide && long_mode;
	if (!a->wide_address)
		a->addr = (u32)a->addr;
}

static bool any_of_mode(const struct form *forms, int nr, bool long_mode)
{
	int i;

	for (i = 0; i < nr; i++)
		if (forms[i].long_mode == long_mode)
			return true;
	return false;
}

static int write_slots(FILE *f, const struct form *forms, int nr, bool long_mode)
{
	u8 slot[SLOT];
	int i;

	for (i = 0; i < nr; i++) {
		if (forms[i].long_mode != long_mode)
			continue;
		memset(slot, 0x90, sizeof(slot));
		memcpy(slot, forms[i].bytes, FORM_BYTES);
		if (fwrite(slot, sizeof(slot), 1, f) != 1)
			return -EIO;
	}
	return fflush(f) ? -EIO : 0;
}

/* Fills in @answers of the forms in one mode. */
int objdump_ask(const struct form *forms, int nr, bool long_mode, struct objdump_answer *answers)
{
	char path[] = "/tmp/decoder.XXXXXX", command[256], line[512];
	int fd, i = -1, err = 0;
	unsigned long at, last = ~0UL;
	FILE *f;
	char text[256] = "";

	/* objdump refuses an empty file. */
	if (!any_of_mode(forms, nr, long_mode))
		return 0;
	fd = mkstemp(path);
	f = fd < 0 ? NULL : fdopen(fd, "w");
	if (!f)
		return -errno;
	err = write_slots(f, forms, nr, long_mode);
	fclose(f);
	snprintf(command, sizeof(command),
		 "objdump -D -b binary -m i386%s -M intel --insn-width=16 --no-show-raw-insn %s",
		 long_mode ? ":x86-64" : "", path);
	f = err ? NULL : popen(command, "r");
	while (f && fgets(line, sizeof(line), f)) {
		char *colon = strchr(line, ':');

		if (!colon || line[0] != ' ')
			continue;
		at = strtoul(line, NULL, 16);
		/* The line behind a form tells how long it is. */
		if (last != ~0UL) {
			parse(text, at - last, long_mode, &answers[i]);
			last = ~0UL;
		}
		if (at % SLOT)
			continue;
		do
			i++;
		while (i < nr && forms[i].long_mode != long_mode);
		if (i >= nr)
			break;
		last = at;
		snprintf(text, sizeof(text), "%s", colon + 1 + strspn(colon + 1, " \t"));
	}
	if (f && pclose(f))
		err = -EIO;
	unlink(path);
	return err;
}
