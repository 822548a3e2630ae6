// SPDX-License-Identifier: LGPL-2.1-or-later
// Copyright (C) 2026 the memscope authors
/*
 * libmemprof-preload: reports objects to the recorder.
 *
 * Loaded before the C library (LD_PRELOAD), it has the allocation functions of
 * section 4.1 of "MemProf" (Lachaize, Lepers, Quema, 2012) and calls the real ones.
 * An event that ends an object's life is dated before the real call, one that begins
 * it after: an address is never two objects' at a time.  calloc() and realloc() use
 * the object before they return, so their events are dated before and state how long
 * they took.
 */
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/rseq.h>
#include <unistd.h>

#include "interpose.h"

static struct {
	void *(*malloc)(size_t);
	void *(*calloc)(size_t, size_t);
	void *(*realloc)(void *, size_t);
	void (*free)(void *);
	void *(*memalign)(size_t, size_t);
	void *(*aligned_alloc)(size_t, size_t);
	int (*posix_memalign)(void **, size_t, size_t);
	void *(*valloc)(size_t);
	void *(*pvalloc)(size_t);
	char *(*strdup)(const char *);
	char *(*strndup)(const char *, size_t);
	void *(*mmap)(void *, size_t, int, int, int, off_t);
	int (*munmap)(void *, size_t);
	void *(*mremap)(void *, size_t, size_t, int, ...);
	int (*brk)(void *);
	void *(*sbrk)(intptr_t);
	int (*pthread_create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
} real;

#define PAGE	4096UL

static pthread_key_t exit_key;
bool ready;

/* What dlsym() allocates before the real functions are known. */
static char early[32768] __attribute__((aligned(16)));
static size_t early_used;

static void *early_alloc(size_t bytes)
{
	size_t at = __atomic_fetch_add(&early_used, (bytes + 31) & ~(size_t)15, __ATOMIC_RELAXED);

	if (at + bytes + 16 > sizeof(early))
		return NULL;
	memcpy(early + at, &bytes, sizeof(bytes));
	return early + at + 16;
}

static bool is_early(const void *p)
{
	return (const char *)p >= early && (const char *)p < early + sizeof(early);
}

/* Other destructors may still allocate: the ring goes in the last round. */
static void on_thread_exit(void *unused)
{
	self.busy++;
	if (++self.exit_rounds < PTHREAD_DESTRUCTOR_ITERATIONS - 1) {
		pthread_setspecific(exit_key, unused);
		self.busy--;
		return;
	}
	ring_thread_exit();
	self.busy--;
}

/* The first @size - 1 bytes of a string, and their end. */
static char *copy_early(const char *s, size_t size)
{
	char *p = early_alloc(size);

	if (p) {
		memcpy(p, s, size - 1);
		p[size - 1] = '\0';
	}
	return p;
}

/** find_real() - the functions that this library's are called before */
void find_real(void)
{
	static int state;
	int expected = 0;

	if (!__atomic_compare_exchange_n(&state, &expected, 1, false, __ATOMIC_ACQ_REL,
					 __ATOMIC_ACQUIRE))
		return;
	self.busy++;
#define FIND(name) *(void **)&real.name = dlsym(RTLD_NEXT, #name)
	FIND(calloc); FIND(realloc); FIND(free); FIND(memalign); FIND(aligned_alloc);
	FIND(posix_memalign); FIND(valloc); FIND(pvalloc); FIND(mmap); FIND(munmap);
	FIND(mremap); FIND(brk); FIND(sbrk); FIND(pthread_create); FIND(strdup); FIND(strndup);
	FIND(malloc);
#undef FIND
	pthread_key_create(&exit_key, on_thread_exit);
	self.busy--;
	__atomic_store_n(&ready, true, __ATOMIC_RELEASE);
}

static __attribute__((constructor)) void begin(void)
{
	find_real();
}

/*
 * A thread's variables are in the mapping of its stack, but for the first one's, which the loader
 * maps: from the C library's, which the loader puts lowest of those that programs have, to the end of
 * what the library itself knows of a thread.
 */
static void report_thread_local(const char *low, size_t size)
{
	const char *thread = __builtin_thread_pointer(), *first = (const char *)&errno;
	const char *end = thread + __rseq_offset + sizeof(struct rseq);
	unsigned int cpu;
	uint64_t time;

	if ((uintptr_t)(thread - low) < size || !__rseq_size)
		return;
	if (first > (const char *)&self)
		first = (const char *)&self;
	if (first > thread || end < thread)
		return;
	first = (const char *)((uintptr_t)first & ~63UL);
	time = ring_now(&cpu);
	ring_event(EVENT_STACK, first, end - first, 0, 0, time, cpu, 0);
}

/*
 * A thread's stack is asked for once.  A child of fork() has its parent's: there, to ask may mean to
 * wait for ever for a lock of malloc() that another thread had.
 */
static void set_up_stack(void)
{
	static __thread struct {
		void *low;
		size_t size;
	} stack;
	pthread_attr_t attr;
	unsigned int cpu;
	uint64_t time;

	if (!stack.size) {
		if (pthread_getattr_np(pthread_self(), &attr))
			return;
		if (pthread_attr_getstack(&attr, &stack.low, &stack.size))
			stack.size = 0;
		pthread_attr_destroy(&attr);
	}
	if (!stack.size)
		return;
	time = ring_now(&cpu);
	ring_event(EVENT_STACK, stack.low, stack.size, 0, 0, time, cpu, 0);
	report_thread_local(stack.low, stack.size);
}

/** enter_first() - the first event of a thread, or of a child after fork() */
bool enter_first(void)
{
	/* What the program sees after free(), among others. */
	const int had_errno = errno;
	int cancel;
	bool begun;

	if (self.busy)
		return false;
	/* open() and others end a thread that is cancelled; malloc() does not. */
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	if (!ready)
		find_real();
	begun = ready && ring_begin();
	if (begun) {
		self.busy = 1;
		pthread_setspecific(exit_key, &self);
		set_up_stack();
	}
	pthread_setcancelstate(cancel, NULL);
	errno = had_errno;
	return begun;
}

/** allocated_slow() - the event of an object that is there now; to be called from the interposed function */
void *allocated_slow(void *p, size_t size, unsigned int flags, uintptr_t *return_slot)
{
	uint32_t chain;
	unsigned int cpu;
	uint64_t time;

	if (p) {
		chain = chain_id(return_slot);
		time = ring_now(&cpu);
		ring_event(EVENT_ALLOC, p, size, flags, chain, time, cpu, 0);
	}
	leave();
	return p;
}

/** freed_slow() - the event of an object that is about to end, if it takes more than writing it */
void freed_slow(void *p)
{
	unsigned int cpu;
	uint64_t time = ring_now(&cpu);

	ring_event(EVENT_FREE, p, 0, 0, 0, time, cpu, 0);
}

/*
 * A call that allocates, and the event of its object.  What the allocator maps in the
 * meantime is its own: no event.
 */
#define ALLOCATE(p, size, call) do {					\
	if (!enter()) {							\
		call;							\
		break;							\
	}								\
	call;								\
	allocated_slow(p, size, 0, RETURN_SLOT);			\
} while (0)

public void *malloc(size_t size)
{
	if (unlikely(!enter()))
		return ready ? real.malloc(size) : early_alloc(size);
	return allocated(real.malloc(size), size, RETURN_SLOT);
}

public void free(void *p)
{
	if (!p || unlikely(is_early(p)))
		return;
	if (unlikely(!enter())) {
		/* A program's own operator delete may have put a header before the object. */
		if (self.deleting && self.deleting != p)
			freed(p);
		real.free(p);
		return;
	}
	freed(p);
	real.free(p);
	leave();
}

public void *calloc(size_t n, size_t size)
{
	unsigned int cpu, then;
	uint64_t before;
	size_t bytes;
	void *p;

	if (unlikely(!enter())) {
		if (ready)
			return real.calloc(n, size);
		return __builtin_mul_overflow(n, size, &bytes) ? NULL : early_alloc(bytes);
	}
	before = ring_now(&cpu);
	p = real.calloc(n, size);
	if (p) {
		uint32_t chain = chain_id(RETURN_SLOT);

		ring_event(EVENT_ALLOC, p, n * size, EVENT_ZEROED, chain, before, cpu,
			   ring_waited(before, ring_now(&then)));
	}
	leave();
	return p;
}

public void *realloc(void *old, size_t size)
{
	unsigned int wait, cpu, then;
	uint64_t before;
	uint32_t chain;
	void *p;

	if (unlikely(is_early(old))) {
		size_t size_before;

		p = malloc(size);
		memcpy(&size_before, (char *)old - 16, sizeof(size_before));
		if (p)
			memcpy(p, old, size_before < size ? size_before : size);
		return p;
	}
	if (unlikely(!enter()))
		return ready ? real.realloc(old, size) : early_alloc(size);
	before = ring_now(&cpu);
	p = real.realloc(old, size);
	chain = chain_id(RETURN_SLOT);
	wait = ring_waited(before, ring_now(&then));
	/* NULL: nothing happened, unless it was asked to free. */
	if (old && (p || !size))
		ring_event(EVENT_FREE, old, 0, EVENT_REALLOC, 0, before, cpu, wait);
	if (p)
		ring_event(EVENT_ALLOC, p, size, EVENT_REALLOC, chain, before, cpu, wait);
	leave();
	return p;
}

public void *reallocarray(void *old, size_t n, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(n, size, &bytes)) {
		errno = ENOMEM;
		return NULL;
	}
	return realloc(old, bytes);
}

public void *memalign(size_t alignment, size_t size)
{
	void *p;

	ALLOCATE(p, size, p = real.memalign(alignment, size));
	return p;
}

public void *aligned_alloc(size_t alignment, size_t size)
{
	void *p;

	ALLOCATE(p, size, p = real.aligned_alloc(alignment, size));
	return p;
}

public int posix_memalign(void **p, size_t alignment, size_t size)
{
	void *got = NULL;
	int ret;

	ALLOCATE(got, size, ret = real.posix_memalign(&got, alignment, size));
	if (!ret)
		*p = got;
	return ret;
}

public void *valloc(size_t size)
{
	void *p;

	ALLOCATE(p, size, p = real.valloc(size));
	return p;
}

public void *pvalloc(size_t size)
{
	void *p;

	ALLOCATE(p, (size + PAGE - 1) & -PAGE, p = real.pvalloc(size));
	return p;
}

/*
 * The C library's call malloc(), but mimalloc 3 has functions of its own, which call no function
 * that is interposed.
 */
public char *strdup(const char *s)
{
	const size_t size = strlen(s) + 1;
	char *p;

	ALLOCATE(p, size, p = ready ? real.strdup(s) : copy_early(s, size));
	return p;
}

public char *strndup(const char *s, size_t n)
{
	const size_t size = strnlen(s, n) + 1;
	char *p;

	ALLOCATE(p, size, p = ready ? real.strndup(s, n) : copy_early(s, size));
	return p;
}

#define MAPPED(p, size, flags) do {					\
	if (enter()) {							\
		const uint32_t chain_ = chain_id(RETURN_SLOT);		\
		unsigned int cpu_;					\
		const uint64_t time_ = ring_now(&cpu_);			\
									\
		ring_event(EVENT_MAP, p, size, flags, chain_, time_, cpu_, 0); \
		leave();						\
	}								\
} while (0)

public void *mmap(void *addr, size_t length, int prot, int flags, int fd, off_t offset)
{
	void *p;

	if (unlikely(!ready))
		find_real();
	p = real.mmap(addr, length, prot, flags, fd, offset);
	if (p != MAP_FAILED)
		MAPPED(p, length, flags & MAP_ANONYMOUS ? 0 : EVENT_FILE);
	return p;
}

public void *mmap64(void *addr, size_t length, int prot, int flags, int fd, off_t offset)
	__attribute__((alias("mmap")));

/*
 * Another thread may get the address before the call returns, and the kernel may refuse the call, also
 * for what only it knows: as many mappings as there may be.  So the event is written when it is known
 * that the memory is gone, and dated before that.
 */
public int munmap(void *addr, size_t length)
{
	unsigned int cpu;
	uint64_t time;
	int ret;

	if (unlikely(!ready))
		find_real();
	if (!enter())
		return real.munmap(addr, length);
	time = ring_now(&cpu);
	ret = real.munmap(addr, length);
	if (!ret)
		ring_event(EVENT_UNMAP, addr, length, 0, 0, time, cpu, 0);
	leave();
	return ret;
}

public void *mremap(void *old, size_t old_size, size_t new_size, int flags, ...)
{
	void *target = NULL, *p;
	unsigned int cpu;
	uint64_t time;
	va_list ap;

	if (unlikely(!ready))
		find_real();
	if (flags & MREMAP_FIXED) {
		va_start(ap, flags);
		target = va_arg(ap, void *);
		va_end(ap);
	}
	if (!enter())
		return real.mremap(old, old_size, new_size, flags, target);
	time = ring_now(&cpu);
	p = real.mremap(old, old_size, new_size, flags, target);
	if (p != MAP_FAILED) {
		uint32_t chain = chain_id(RETURN_SLOT);

		if (!(flags & MREMAP_DONTUNMAP))
			ring_event(EVENT_UNMAP, old, old_size, EVENT_REALLOC, 0, time, cpu, 0);
		time = ring_now(&cpu);
		ring_event(EVENT_MAP, p, new_size, EVENT_REALLOC, chain, time, cpu, 0);
	}
	leave();
	return p;
}

/*
 * The event of what sbrk() and brk() did since @time: where the break is tells it, as the C library
 * returns success where the kernel refuses to lower the break.
 */
static void break_moved(char *old, uint64_t time, unsigned int cpu, uintptr_t *return_slot)
{
	char *end = real.sbrk(0);
	uint32_t chain;

	if (end < old) {
		ring_event(EVENT_UNMAP, end, old - end, 0, 0, time, cpu, 0);
	} else if (end > old) {
		chain = chain_id(return_slot);
		time = ring_now(&cpu);
		ring_event(EVENT_MAP, old, end - old, 0, chain, time, cpu, 0);
	}
}

public void *sbrk(intptr_t bytes)
{
	unsigned int cpu;
	uint64_t time;
	char *old;
	void *p;

	if (unlikely(!ready))
		find_real();
	/* 0 only asks where the break is. */
	if (!bytes || !enter())
		return real.sbrk(bytes);
	old = real.sbrk(0);
	time = ring_now(&cpu);
	p = real.sbrk(bytes);
	break_moved(old, time, cpu, RETURN_SLOT);
	leave();
	return p;
}

public int brk(void *end)
{
	unsigned int cpu;
	uint64_t time;
	char *old;
	int ret;

	if (unlikely(!ready))
		find_real();
	if (!enter())
		return real.brk(end);
	old = real.sbrk(0);
	time = ring_now(&cpu);
	ret = real.brk(end);
	break_moved(old, time, cpu, RETURN_SLOT);
	leave();
	return ret;
}

struct start {
	void *(*run)(void *);
	void *arg;
	bool used;
};

/*
 * Of threads that are about to run.  Not malloc() but for more: to free it would give each thread an
 * arena of its own.
 */
static struct start starts[64];

static struct start *take_start(void)
{
	size_t i;

	for (i = 0; i < sizeof(starts) / sizeof(*starts); i++)
		if (!__atomic_load_n(&starts[i].used, __ATOMIC_RELAXED) &&
		    !__atomic_exchange_n(&starts[i].used, true, __ATOMIC_ACQUIRE))
			return &starts[i];
	return real.malloc(sizeof(*starts));
}

static void give_start(struct start *s)
{
	if (s >= starts && s < starts + sizeof(starts) / sizeof(*starts))
		__atomic_store_n(&s->used, false, __ATOMIC_RELEASE);
	else
		real.free(s);
}

/* A thread's stack is known from its first instruction on. */
static void *run_thread(void *arg)
{
	struct start *from = arg, s = { from->run, from->arg };

	give_start(from);
	if (enter())
		leave();
	return s.run(s.arg);
}

public int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *),
			  void *arg)
{
	struct start *s;
	int ret;

	if (unlikely(!ready))
		find_real();
	s = take_start();
	if (!s)
		return EAGAIN;
	s->run = run;
	s->arg = arg;
	ret = real.pthread_create(thread, attr, run_thread, s);
	if (ret)
		give_start(s);
	return ret;
}

/* ---- what programs with allocators of their own call: memprof_hook.h ---- */

public void memprof_hook_alloc(const void *p, size_t size)
{
	if (p && enter())
		allocated_slow((void *)p, size, EVENT_DECLARED, RETURN_SLOT);
}

public void memprof_hook_free(const void *p)
{
	unsigned int cpu;
	uint64_t time;

	if (p && enter()) {
		time = ring_now(&cpu);
		ring_event(EVENT_FREE, p, 0, EVENT_DECLARED, 0, time, cpu, 0);
		leave();
	}
}
