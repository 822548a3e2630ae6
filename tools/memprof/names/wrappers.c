// SPDX-License-Identifier: LGPL-2.1-or-later
// Copyright (C) 2026 the memscope authors
/* Functions that allocate for others: their caller is the allocation site. */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "names.h"

/* Files whose every function is one: their names begin with this. */
static const char * const files[] = {
	"libc.so", "libc-", "ld-linux", "libstdc++.so", "libc++.so", "libc++abi.so", "libgcc_s.so",
	"libmemprof-preload.so", "libglib-2.0.so", "libnuma.so", "libjemalloc", "libtcmalloc", "libmimalloc",
	"libapr-1.so", "libtalloc.so",
};

/* Names as in the source, C++'s without their parameters. */
static const char * const functions[] = {
	"operator new", "operator new[]",
	/* operators of a class, allocators of containers */
	"*::operator new", "*::operator new[]", "*::allocate", "*::do_allocate",
	/* everybody's */
	"xmalloc", "xcalloc", "xrealloc", "xstrdup", "xstrndup", "xzalloc", "xmemdup", "xmallocarray", "xnmalloc",
	"xreallocarray", "xcharalloc", "xpalloc", "x2realloc", "x2nrealloc", "emalloc", "ecalloc", "erealloc",
	"safe_malloc", "safe_calloc", "safe_realloc", "checked_malloc", "my_malloc", "my_realloc", "my_strdup",
	/* Redis, and others of its kind */
	"zmalloc", "zcalloc", "zrealloc", "ztrymalloc*", "ztrycalloc*", "ztryrealloc*", "zstrdup",
	/* libnuma, glib, APR, talloc: linked statically */
	"numa_alloc*", "numa_realloc", "g_malloc*", "g_realloc*", "g_try_malloc*", "g_try_realloc*", "g_slice_*",
	"g_strdup", "g_aligned_alloc*", "apr_palloc", "apr_pcalloc", "apr_pool_create*", "apr_allocator_alloc",
	"allocator_alloc", "talloc_*", "_talloc_*",
	/* Berkeley DB, SQLite, PostgreSQL */
	"__os_malloc*", "__os_umalloc*", "__os_calloc*", "__os_realloc*", "__os_urealloc*", "__env_alloc*",
	"sqlite3_malloc*", "sqlite3_realloc*", "sqlite3Malloc*", "sqlite3MemMalloc", "sqlite3DbMalloc*", "palloc*",
	"repalloc*", "pstrdup", "pnstrdup", "pg_malloc*", "pg_realloc", "pg_strdup", "MemoryContextAlloc*",
	"MemoryContextStrdup", "AllocSetAlloc*", "AllocSetRealloc", "AllocSetContextCreate*", "GenerationAlloc*",
	"SlabAlloc*",
	/* Python, Perl, Ruby, PHP, Lua */
	"PyMem_*", "_PyMem_*", "PyObject_Malloc", "PyObject_Calloc", "PyObject_Realloc", "_PyObject_Malloc",
	"_PyObject_Calloc", "_PyObject_Realloc", "_PyObject_Arena*", "_PyObject_New*", "_PyObject_GC_*",
	"PyObject_GC_*", "PyType_GenericAlloc", "_PyType_AllocNoTrack", "pymalloc_alloc", "new_arena",
	"Perl_safesys*", "ruby_xmalloc*", "ruby_xcalloc*", "ruby_xrealloc*", "_emalloc*", "_ecalloc*", "_erealloc*",
	"_zend_mm_alloc*", "l_alloc", "luaM_*",
	/* Java's virtual machine */
	"os::malloc", "os::realloc", "os::strdup*", "AllocateHeap", "ReallocateHeap", "resource_allocate_bytes",
	"resource_reallocate_bytes", "ArrayAllocator*", "Arena::*", "Chunk::*", "ChunkPool*::*",
	/* servers and libraries */
	"ngx_alloc", "ngx_calloc", "ngx_palloc", "ngx_pcalloc", "ngx_pnalloc", "ngx_memalign", "CRYPTO_malloc",
	"CRYPTO_zalloc", "CRYPTO_realloc", "CRYPTO_strdup", "CRYPTO_memdup", "av_malloc*", "av_realloc*",
	"av_calloc",
	/* allocators, linked statically */
	"je_*", "tc_malloc*", "tc_calloc", "tc_realloc", "tc_new*", "mi_malloc*", "mi_calloc*", "mi_realloc*",
	"mi_zalloc*", "mi_new*", "mi_heap_*",
};

static const char *base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/** wrappers_add() - one that the user names.  Return: 0, or -1 without memory */
int wrappers_add(struct wrappers *w, const char *name)
{
	char **all = realloc(w->names, (w->nr + 1) * sizeof(*all));

	if (!all)
		return -1;
	w->names = all;
	w->names[w->nr] = strdup(name);
	return w->names[w->nr] ? (w->nr++, 0) : -1;
}

/** wrappers_add_json() - add the wrappers named in the recording.  Return: 0, or -1 without memory */
int wrappers_add_json(struct wrappers *w, const json_t *names)
{
	const json_t *name;
	size_t i;

	json_array_foreach(names, i, name)
		if (json_is_string(name) && wrappers_add(w, json_string_value(name)))
			return -1;
	return 0;
}

/** wrappers_free() - forget them */
void wrappers_free(struct wrappers *w)
{
	size_t i;

	for (i = 0; i < w->nr; i++)
		free(w->names[i]);
	free(w->names);
}

/** wrappers_have_file() - whether all functions of a file allocate for others */
bool wrappers_have_file(const struct wrappers *w, const char *path)
{
	size_t i;

	for (i = 0; i < sizeof(files) / sizeof(*files); i++)
		if (!strncmp(base(path), files[i], strlen(files[i])))
			return true;
	/* A name with ".so" is a library's. */
	for (i = 0; i < w->nr; i++)
		if (strstr(w->names[i], ".so") && !fnmatch(w->names[i], base(path), 0))
			return true;
	return false;
}

/** wrappers_have() - whether a function allocates for others */
bool wrappers_have(const struct wrappers *w, const char *function)
{
	size_t i;

	for (i = 0; i < sizeof(functions) / sizeof(*functions); i++)
		if (!strcmp(functions[i], function) || (strchr(functions[i], '*') &&
							!fnmatch(functions[i], function, 0)))
			return true;
	for (i = 0; i < w->nr; i++)
		if (!strcmp(w->names[i], function) || !fnmatch(w->names[i], function, 0))
			return true;
	return false;
}

/** runtime_of() - the language whose runtime a file is, NULL if it is none's */
const char *runtime_of(const char *path)
{
	static const struct { const char *file, *language; } runtimes[] = {
		{ "libjvm.so", "Java" }, { "python3", "Python" }, { "libpython3", "Python" },
		{ "libruby", "Ruby" }, { "node", "JavaScript" }, { "libnode", "JavaScript" },
		{ "luajit", "Lua" }, { "libluajit", "Lua" }, { "libcoreclr.so", ".NET" }, { "libclrgc.so", ".NET" },
		{ "libmonosgen", ".NET" },
	};
	size_t i;

	for (i = 0; i < sizeof(runtimes) / sizeof(*runtimes); i++)
		if (!strncmp(base(path), runtimes[i].file, strlen(runtimes[i].file)))
			return runtimes[i].language;
	return NULL;
}

/** is_system_header() - whether a source file is of the compiler or an installed library */
bool is_system_header(const char *file)
{
	return !strncmp(file, "/usr/include/", strlen("/usr/include/")) ||
	       !strncmp(file, "/usr/lib/gcc", strlen("/usr/lib/gcc")) ||
	       !strncmp(file, "/usr/lib/llvm", strlen("/usr/lib/llvm")) || strstr(file, "/include/c++/");
}
