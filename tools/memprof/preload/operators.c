// SPDX-License-Identifier: LGPL-2.1-or-later
// Copyright (C) 2026 the memscope authors
/*
 * C++'s operators new and delete, in all forms of C++17, by the names that the Itanium ABI
 * gives them.
 *
 * libstdc++'s call malloc() and free(), but jemalloc, tcmalloc and mimalloc have operators of
 * their own, which call none of these.  So each form calls the same form behind it.  An
 * operator may throw: the frame is left by a cleanup, which unwinding runs, too.
 */
#include <dlfcn.h>
#include <stdlib.h>

#include "interpose.h"

typedef void *new_plain(size_t);
typedef void *new_nothrow(size_t, const void *);
typedef void *new_aligned(size_t, size_t);
typedef void *new_aligned_nothrow(size_t, size_t, const void *);
typedef void delete_plain(void *);
typedef void delete_with(void *, uintptr_t);
typedef void delete_with_two(void *, uintptr_t, uintptr_t);

/* A library of C++ that was opened with dlopen() is not among those behind this one. */
static void *in_opened_library(const char *name)
{
	static const char * const files[] = { "libstdc++.so.6", "libc++.so.1", "libc++abi.so.1" };
	void *handle, *function = NULL;
	size_t i;

	for (i = 0; i < sizeof(files) / sizeof(*files) && !function; i++) {
		handle = dlopen(files[i], RTLD_LAZY | RTLD_NOLOAD);
		if (!handle)
			continue;
		function = dlsym(handle, name);
		/* What is found is kept. */
		if (function && dlopen(files[i], RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE))
			dlclose(handle);
		dlclose(handle);
	}
	return function;
}

/*
 * Nor is an opened library that has operators of its own, as with -static-libstdc++: they are for its
 * code.  @also: those of the libraries that it needs, too.
 */
static void *in_library_of(const void *caller, const char *name, bool also)
{
	void *handle, *function = NULL;
	Dl_info info, found;

	if (!dladdr(caller, &info) || !info.dli_fname)
		return NULL;
	handle = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
	if (handle) {
		function = dlsym(handle, name);
		dlclose(handle);
	}
	if (function && !also && (!dladdr(function, &found) || found.dli_fbase != info.dli_fbase))
		return NULL;
	return function;
}

/* The same operator behind this library's, for code at @caller. */
static __attribute__((noinline, cold)) void *find_operator(void **kept, const char *name, const void *caller)
{
	const int busy = self.busy;
	void *function, *own = NULL;

	if (!ready)
		find_real();
	/* What the loader allocates is no object of the program's. */
	self.busy = 1;
	function = dlsym(RTLD_NEXT, name);
	if (!function)
		own = in_library_of(caller, name, false);
	if (!function && !own)
		function = in_opened_library(name);
	if (!function && !own)
		own = in_library_of(caller, name, true);
	self.busy = busy;
	/* An operator was called that no library defines. */
	if (!function && !own)
		abort();
	/* Others have others. */
	if (function)
		__atomic_store_n(kept, function, __ATOMIC_RELEASE);
	return function ? function : own;
}

/* What is called an operator of a type behind this one: OPERATOR(new_plain, "_Znwm")(size) */
#define OPERATOR(type, name) ({							\
	static void *kept_;							\
	void *function_ = __atomic_load_n(&kept_, __ATOMIC_ACQUIRE);		\
										\
	if (unlikely(!function_))						\
		function_ = find_operator(&kept_, name, __builtin_return_address(0)); \
	(type *)function_; })

static inline void leave_if(const bool *entered)
{
	if (*entered)
		leave();
}

/* An object of the operator's first argument's size. */
#define NEW(name, type, parameters, arguments)					\
public void *name parameters							\
{										\
	type *next = OPERATOR(type, #name);					\
	bool entered __attribute__((cleanup(leave_if))) = enter();		\
	void *p = next arguments;						\
										\
	if (!entered)								\
		return p;							\
	entered = false;							\
	return allocated(p, size, RETURN_SLOT);					\
}

NEW(_Znwm, new_plain, (size_t size), (size))
NEW(_Znam, new_plain, (size_t size), (size))
NEW(_ZnwmRKSt9nothrow_t, new_nothrow, (size_t size, const void *tag), (size, tag))
NEW(_ZnamRKSt9nothrow_t, new_nothrow, (size_t size, const void *tag), (size, tag))
NEW(_ZnwmSt11align_val_t, new_aligned, (size_t size, size_t align), (size, align))
NEW(_ZnamSt11align_val_t, new_aligned, (size_t size, size_t align), (size, align))
NEW(_ZnwmSt11align_val_tRKSt9nothrow_t, new_aligned_nothrow, (size_t size, size_t align, const void *tag),
    (size, align, tag))
NEW(_ZnamSt11align_val_tRKSt9nothrow_t, new_aligned_nothrow, (size_t size, size_t align, const void *tag),
    (size, align, tag))

#define DELETE(name, type, parameters, arguments)				\
public void name parameters							\
{										\
	type *next = OPERATOR(type, #name);					\
	const bool entered = p && enter();					\
										\
	if (entered) {								\
		freed(p);							\
		self.deleting = p;						\
	}									\
	next arguments;								\
	if (entered) {								\
		self.deleting = NULL;						\
		leave();							\
	}									\
}

DELETE(_ZdlPv, delete_plain, (void *p), (p))
DELETE(_ZdaPv, delete_plain, (void *p), (p))
DELETE(_ZdlPvm, delete_with, (void *p, uintptr_t size), (p, size))
DELETE(_ZdaPvm, delete_with, (void *p, uintptr_t size), (p, size))
DELETE(_ZdlPvRKSt9nothrow_t, delete_with, (void *p, uintptr_t tag), (p, tag))
DELETE(_ZdaPvRKSt9nothrow_t, delete_with, (void *p, uintptr_t tag), (p, tag))
DELETE(_ZdlPvSt11align_val_t, delete_with, (void *p, uintptr_t align), (p, align))
DELETE(_ZdaPvSt11align_val_t, delete_with, (void *p, uintptr_t align), (p, align))
DELETE(_ZdlPvmSt11align_val_t, delete_with_two, (void *p, uintptr_t size, uintptr_t align), (p, size, align))
DELETE(_ZdaPvmSt11align_val_t, delete_with_two, (void *p, uintptr_t size, uintptr_t align), (p, size, align))
DELETE(_ZdlPvSt11align_val_tRKSt9nothrow_t, delete_with_two, (void *p, uintptr_t align, uintptr_t tag),
       (p, align, tag))
DELETE(_ZdaPvSt11align_val_tRKSt9nothrow_t, delete_with_two, (void *p, uintptr_t align, uintptr_t tag),
       (p, align, tag))
