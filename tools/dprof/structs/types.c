// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * Finds the C structs of a recording's types.
 *
 * Sources, for variables: their own type.  For objects, in this order: the name of the cache, if a struct has this name and size; the
 * variables of the allocating function (DWARF); its return type (BTF); a majority vote of the
 * instructions that access the objects, weighted by samples (DWARF).  Objects that are only
 * copied, cleared or checksummed have no struct.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dprof/model/paths.h"
#include "types.h"

/* Caches whose name differs from that of their struct. */
static const char * const cache_struct[][2] = {
	{ "skbuff_head_cache", "sk_buff" }, { "skbuff_fclone_cache", "sk_buff_fclones" },
	{ "filp", "file" }, { "cred_jar", "cred" }, { "signal_cache", "signal_struct" },
	{ "sighand_cache", "sighand_struct" }, { "files_cache", "files_struct" },
	{ "fs_cache", "fs_struct" }, { "inode_cache", "inode" },
	{ "sock_inode_cache", "socket_alloc" }, { "shmem_inode_cache", "shmem_inode_info" },
	{ "ext4_inode_cache", "ext4_inode_info" }, { "bdev_cache", "bdev_inode" },
	{ "radix_tree_node", "xa_node" }, { "kernfs_node_cache", "kernfs_node" },
	{ "TCP", "tcp_sock" }, { "TCPv6", "tcp6_sock" }, { "UDP", "udp_sock" },
	{ "UDPv6", "udp6_sock" }, { "UNIX", "unix_sock" }, { "RAW", "raw_sock" },
	{ "request_sock_TCP", "tcp_request_sock" }, { "tw_sock_TCP", "tcp_timewait_sock" },
	{ "eventpoll_epi", "epitem" }, { "eventpoll_pwq", "eppoll_entry" },
	{ "ip_dst_cache", "rtable" }, { "mnt_cache", "mount" }, { "proc_inode_cache", "proc_inode" },
	{ "file_lock_cache", "file_lock" }, { "bio-0", "bio" }, { "net_namespace", "net" },
	{ "vm_area", "vm_area_struct" }, { "fsnotify_mark_connector", "fsnotify_mark_connector" },
};

/* Sites whose struct follows neither from variables nor from accesses. */
static const char * const site_struct[][2] = {
	{ "alloc_thread_stack_node", STACK_STRUCT }, { "alloc_slab_obj_exts", "slabobj_ext" },
};

/* Number of instructions that vote: those with the most samples. */
#define MAX_VOTERS	32

static bool fits(struct layouts *l, const char *name, uint32_t size)
{
	const struct layout *layout = *name ? layouts_find(l, name) : NULL;

	/* Caches round up, at most to a line. */
	return layout && layout->size && layout->size <= size && size - layout->size < LINE;
}

/*
 * Return whether a struct has the name of the cache.  The sizes may differ by a factor of 2:
 * the struct may end in an array of another length than declared.
 */
static bool has_name(struct layouts *l, const struct dtype *t)
{
	const struct layout *layout = layouts_find(l, t->event.cache);

	return layout && layout->size && layout->size < 2 * t->size && t->size < 2 * layout->size;
}

static bool by_cache(struct layouts *l, struct dtype *t)
{
	static const char * const ends[] = { "", "_cache", "_cachep", "_info", "_struct" };
	const char *cache = t->event.cache;
	char name[96];
	size_t i, n;

	for (i = 0; i < sizeof(cache_struct) / sizeof(cache_struct[0]); i++) {
		if (strcmp(cache, cache_struct[i][0]) || !fits(l, cache_struct[i][1], t->size))
			continue;
		snprintf(t->struct_name, sizeof(t->struct_name), "%s", cache_struct[i][1]);
		return true;
	}
	for (i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		n = strlen(cache);
		snprintf(name, sizeof(name), "%s", cache);
		if (i == 3 || i == 4)
			snprintf(name + n, sizeof(name) - n, "%s", ends[i]);
		else if (n > strlen(ends[i]) && !strcmp(cache + n - strlen(ends[i]), ends[i]))
			name[n - strlen(ends[i])] = '\0';
		else
			continue;
		if (!fits(l, name, t->size))
			continue;
		snprintf(t->struct_name, sizeof(t->struct_name), "%.63s", name);
		return true;
	}
	if (!*cache || !has_name(l, t))
		return false;
	snprintf(t->struct_name, sizeof(t->struct_name), "%.63s", cache);
	return true;
}

/* The requested size of a type's objects, which kmalloc() rounds up; 0 if it is not known. */
static uint32_t requested(struct model *m, const struct dtype *t)
{
	const struct object *o;
	const struct path *p;

	for (o = m->objects; o; o = o->hh.next)
		if (o->key.type == t->index && o->size)
			return o->size;
	for (p = m->paths; p; p = p->hh.next)
		if (p->type == t->index && p->size)
			return p->size / p->count;
	return 0;
}

/* The smallest size that is allocated from this size class. */
static uint32_t least_of_class(uint32_t size)
{
	return size == 96 ? 65 : size == 128 ? 97 : size == 192 ? 129 : size == 256 ? 193 : size / 2 + 1;
}

static bool by_site(struct model *m, struct layouts *l, struct dtype *t)
{
	const struct type_event *e = &t->event;
	uint32_t most = requested(m, t), least = most;
	size_t i;

	for (i = 0; i < sizeof(site_struct) / sizeof(site_struct[0]); i++) {
		if (strcmp(e->func, site_struct[i][0]))
			continue;
		strcpy(t->struct_name, site_struct[i][1]);
		return true;
	}
	if (!most) {
		most = t->size;
		least = e->class == CLASS_KMALLOC ? least_of_class(most) : most;
	}
	return l->dwarf && *e->func &&
	       !dwarf_site(l->dwarf, e->file, e->func, e->line, least, most, t->struct_name,
			   sizeof(t->struct_name));
}

static bool by_return(struct model *m, struct layouts *l, struct dtype *t)
{
	uint32_t asked = requested(m, t), size = asked ? asked : t->size;
	const struct layout *layout;
	char name[64];

	if (!*t->event.func || layouts_returned(l, t->event.func, name, sizeof(name)))
		return false;
	layout = layouts_find(l, name);
	/* If only the size class is known, the struct must use more than half of it. */
	if (!layout || !layout->size || layout->size > size ||
	    (size == t->size ? layout->size * 2 <= size : layout->size != size))
		return false;
	snprintf(t->struct_name, sizeof(t->struct_name), "%s", name);
	return true;
}

struct vote {
	char name[64];
	uint64_t samples;
};

static int by_samples(const void *a, const void *b)
{
	const struct site *x = *(struct site * const *)a, *y = *(struct site * const *)b;

	return x->sum.n > y->sum.n ? -1 : x->sum.n < y->sum.n;
}

/*
 * Take the struct that most samples of known type access.  If most samples copy or clear the
 * object, and few access it as a struct, it is bytes.
 */
static bool by_votes(struct model *m, struct layouts *l, struct dtype *t)
{
	size_t first = model_sites(m, t->index, 0), nr = 0, i, j, nr_votes = 0;
	struct vote votes[MAX_VOTERS] = { }, *best = votes;
	uint64_t sum = 0, all = 0, bytes = 0;
	struct site **voters;

	if (!l->dwarf)
		return false;
	while (first + nr < m->nr_sites && m->by_site[first + nr]->key.type == t->index)
		nr++;
	voters = malloc((nr + 1) * sizeof(*voters));
	if (!voters)
		return false;
	memcpy(voters, m->by_site + first, nr * sizeof(*voters));
	qsort(voters, nr, sizeof(*voters), by_samples);
	for (i = 0; i < nr; i++) {
		uint64_t n = voters[i]->sum.n;
		struct dwarf_code code;
		uint32_t in;
		char name[64];

		all += n;
		if (!place_function(m, voters[i]->key.ip, &code))
			continue;
		/* Count all copies, not just MAX_VOTERS: a copy has a site for each offset. */
		if (dwarf_moves_bytes(l->dwarf, &code)) {
			bytes += n;
			continue;
		}
		/* The struct must begin where the object does. */
		if (i >= MAX_VOTERS || dwarf_access(l->dwarf, &code, false, name, sizeof(name), &in) ||
		    in != voters[i]->key.offset)
			continue;
		for (j = 0; j < nr_votes && strcmp(votes[j].name, name); j++)
			;
		if (j == nr_votes)
			strcpy(votes[nr_votes++].name, name);
		votes[j].samples += n;
		sum += n;
		if (votes[j].samples > best->samples)
			best = &votes[j];
	}
	free(voters);
	if (bytes * 2 > all && sum * 10 <= bytes) {
		strcpy(t->struct_name, NO_STRUCT);
		return true;
	}
	if (best->samples * 2 <= sum)
		return false;
	strcpy(t->struct_name, best->name);
	return true;
}

/* Number of functions whose compilation units are searched for a variable. */
#define MAX_USERS	8

/* The struct of a static or per-CPU variable, by the functions that access it. */
static bool by_variable(struct model *m, struct layouts *l, struct dtype *t)
{
	const struct symbol *seen = NULL;
	char variable[128], number[32];
	int users = 0;
	size_t i;

	snprintf(variable, sizeof(variable), "%s",
		 symbols_name(&m->symbols, t->key.symbol == 1 ? 0 : t->key.symbol, number, sizeof(number)));
	if (!layouts_variable(l, variable, t->struct_name, sizeof(t->struct_name)))
		return true;
	for (i = model_sites(m, t->index, 0); l->dwarf && users < MAX_USERS && i < m->nr_sites &&
	     m->by_site[i]->key.type == t->index; i++) {
		const struct symbol *s = symbols_find(&m->symbols, m->by_site[i]->key.ip);

		/* Sorted by instruction. */
		if (!s || s == seen)
			continue;
		seen = s;
		users++;
		if (!dwarf_variable(l->dwarf, m->symbols.names + s->name, variable, t->struct_name,
				    sizeof(t->struct_name)))
			return true;
	}
	/* down_read() is in another file than uts_sem. */
	return l->dwarf && !dwarf_variable(l->dwarf, NULL, variable, t->struct_name, sizeof(t->struct_name));
}

/**
 * types_name() - find the C structs of a recording's types
 * @m: the model, after model_end()
 * @l: the layouts
 *
 * Return: the number of types with a struct.
 */
int types_name(struct model *m, struct layouts *l)
{
	uint32_t i;
	int nr = 0;

	for (i = 0; i < m->nr_types; i++) {
		struct dtype *t = m->by_index[i];

		if (t->event.class == CLASS_STRUCT_PAGE) {
			strcpy(t->struct_name, "page");
			t->struct_from = "class";
		}
		if (t->key.symbol && by_variable(m, l, t))
			t->struct_from = "variable";
		if (t->event.class != CLASS_SLAB && t->event.class != CLASS_KMALLOC &&
		    t->event.class != CLASS_PAGE) {
			nr += *t->struct_name != 0;
			continue;
		}
		if (by_cache(l, t))
			t->struct_from = "cache";
		else if (by_site(m, l, t))
			t->struct_from = "site";
		else if (by_return(m, l, t))
			t->struct_from = "return";
		else if (by_votes(m, l, t))
			t->struct_from = "votes";
		nr += *t->struct_name != 0;
	}
	return nr;
}

/**
 * place_function() - find the function of an instruction of the kernel
 * @m: the model, for its symbols
 * @ip: the instruction
 * @code: set to it
 *
 * Return: true if it has one.
 */
bool place_function(struct model *m, uint64_t ip, struct dwarf_code *code)
{
	const struct symbol *s = ip >> 63 ? symbols_find(&m->symbols, ip) : NULL;

	if (!s)
		return false;
	*code = (struct dwarf_code){ symbols_module(&m->symbols, s), m->symbols.names + s->name, ip - s->addr };
	return true;
}

/**
 * place_name() - name an instruction
 * @m: the model, for its symbols
 * @l: the layouts, for lines from DWARF; or NULL
 * @ip: the instruction
 * @buf: set to function+offset, and (file:line) if that is known
 * @size: of @buf
 */
void place_name(struct model *m, struct layouts *l, uint64_t ip, char *buf, size_t size)
{
	const struct symbol *s = symbols_find(&m->symbols, ip);
	const char *name;
	int n;

	if (!s) {
		snprintf(buf, size, "0x%llx", (unsigned long long)ip);
		return;
	}
	name = m->symbols.names + s->name;
	/* perf.data: code without a symbol has its address in the file for one. */
	if (!strncmp(name, "0x", 2)) {
		snprintf(buf, size, "%s+%s", symbols_module(&m->symbols, s), name);
		return;
	}
	n = snprintf(buf, size, "%s+0x%llx", name, (unsigned long long)(ip - s->addr));
	if (l && l->dwarf && n > 0 && (size_t)n + 4 < size) {
		struct dwarf_code code;
		char line[128];

		if (place_function(m, ip, &code) && !dwarf_line(l->dwarf, &code, line, sizeof(line)))
			snprintf(buf + n, size - n, " (%s)", line);
	}
}
