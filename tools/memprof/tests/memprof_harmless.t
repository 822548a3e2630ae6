#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# Programs that do what is unusual, but theirs to do: with the preloaded library they end as without.
use strict;
use warnings;
use File::Temp 'tempdir';
use FindBin;
use Test::More;

my $build = $ENV{MEMSCOPE_BUILD} // "$FindBin::RealBin/../../../build";
my $dir = tempdir('memprof-harmless.XXXXXX', TMPDIR => 1, CLEANUP => 1);
my $preload = "$build/lib/libmemprof-preload.so";
mkdir "$dir/rings" or die;

sub compile {
	my ($language, $name, $text, @flags) = @_;
	my $suffix = $language eq 'gcc' ? 'c' : 'cc';
	open my $f, '>', "$dir/$name.$suffix" or die;
	print $f $text;
	close $f or die;
	return if !system $language, '-O1', '-fno-builtin', '-pthread', '-o', "$dir/$name", "$dir/$name.$suffix", @flags;
	BAIL_OUT("$name cannot be compiled");
}

sub slurp_status {
	open my $f, '<', '/proc/self/status' or die;
	local $/;
	return <$f>;
}

# What a program prints, and its status, with and without the library.
sub same {
	my ($name, $what, $by) = @_;
	my $run = $by // '';
	my @with = (scalar `$run timeout 60 env LD_PRELOAD=$preload MEMPROF_SESSION=$dir/rings $dir/$name 2>&1`, $?);
	my @without = (scalar `$run timeout 60 $dir/$name 2>&1`, $?);
	is($without[1], 0, "$what: ends well");
	is_deeply(\@with, \@without, 'and does so when it is recorded');
}

compile('gcc', 'fork', <<'END');
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void *work(void *unused)
{
	int status = -1;
	pid_t pid;

	free(malloc(10));
	pid = fork();
	if (!pid)
		return NULL;
	waitpid(pid, &status, 0);
	printf("child: %x\n", status);
	return unused;
}

int main(void)
{
	pthread_t thread;

	return pthread_create(&thread, NULL, work, NULL) || pthread_join(thread, NULL);
}
END
same('fork', "a thread of a child of fork() that ends without an event");

compile('gcc', 'cancel', <<'END');
#include <pthread.h>
#include <stdio.h>

static int ran;

static void *work(void *unused)
{
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
	ran++;
	return unused;
}

int main(void)
{
	pthread_t thread;
	int i;

	for (i = 0; i < 200; i++)
		if (pthread_create(&thread, NULL, work, NULL) || pthread_cancel(thread) || pthread_join(thread, NULL))
			return 1;
	printf("%d\n", ran);
	return 0;
}
END
same('cancel', 'threads that are cancelled, and do not want to be');

compile('gcc', 'coroutine', <<'END');
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char stack[65536] __attribute__((aligned(16)));
static jmp_buf back;

static void coroutine(void)
{
	free(malloc(100));
	puts("here");
	longjmp(back, 1);
}

int main(void)
{
	memset(stack, 0x5a, sizeof(stack));
	if (!setjmp(back))
		__asm__ volatile("mov %0, %%rsp; jmp *%1" : : "r"(stack + sizeof(stack) - 1032), "r"(coroutine));
	return 0;
}
END
same('coroutine', 'a stack whose outermost return address is none');

compile('gcc', 'stacks', <<'END');
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>

#define SIZE (1 << 20)
static ucontext_t back, here;

__attribute__((noinline)) static void leaf(void)
{
	free(malloc(100));
	__asm__ volatile("");
}

__attribute__((noinline)) static void deep(void)
{
	volatile char on_stack[200000];

	on_stack[0] = on_stack[sizeof(on_stack) - 1] = 1;
	leaf();
	__asm__ volatile("" : : "r"(on_stack));
}

static void shallow(void)
{
	leaf();
}

static void run(char *base, size_t size, size_t at, void (*f)(void))
{
	getcontext(&here);
	here.uc_stack.ss_sp = base + at - size;
	here.uc_stack.ss_size = size;
	here.uc_link = &back;
	makecontext(&here, f, 0);
	swapcontext(&back, &here);
}

int main(void)
{
	char *base = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int i;

	run(base, SIZE / 2, SIZE / 2, deep);
	munmap(base, SIZE);
	for (i = 0; i < 4096; i += 16) {
		const size_t top = SIZE / 2 - 200000 - 2048 + i, end = (top + 4095) & ~4095UL;

		mmap(base, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
		munmap(base + end, SIZE - end);
		run(base, 65536, top, shallow);
		munmap(base, SIZE);
	}
	return 0;
}
END
same('stacks', 'a stack that ends where another one went on');

compile('gcc', 'locked', <<'END');
#define _GNU_SOURCE
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int stop;
static void *kept[256];

static void *work(void *unused)
{
	unsigned int i;

	for (i = 0; !stop; i++) {
		free(kept[i % 256]);
		kept[i % 256] = malloc(2000 + i % 5000);
	}
	return unused;
}

int main(void)
{
	pthread_t thread;
	int i, status;
	pid_t pid;

	mallopt(M_ARENA_MAX, 1);
	free(malloc(10));
	pthread_create(&thread, NULL, work, NULL);
	for (i = 0; i < 30; i++) {
		pid = _Fork();
		if (!pid) {
			/* What it may not call is malloc(), whose lock the other thread may have had. */
			munmap(mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), 4096);
			_exit(0);
		}
		if (waitpid(pid, &status, 0) != pid || status)
			return 1;
	}
	stop = 1;
	return pthread_join(thread, NULL);
}
END
same('locked', 'children that must not call malloc()');

compile('gcc', 'jump', <<'END');
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>

static sigjmp_buf out;
static volatile sig_atomic_t armed;

static void on_alarm(int unused)
{
	(void)unused;
	if (armed) {
		armed = 0;
		siglongjmp(out, 1);
	}
}

/* With a call chain of its own for each n. */
static void map(int n)
{
	if (n & 1)
		map(n / 2);
	else if (n)
		map(n / 2);
	munmap(mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), 4096);
	__asm__ volatile("");
}

static void *work(void *unused)
{
	free(malloc(20));
	return unused;
}

int main(void)
{
	pthread_t thread;
	volatile int i, k;

	signal(SIGALRM, on_alarm);
	free(malloc(1));
	for (i = 0; i < 300; i++) {
		const struct itimerval soon = { { 0, 0 }, { 0, 300 + i % 100 } };

		if (sigsetjmp(out, 1))
			continue;
		armed = 1;
		setitimer(ITIMER_REAL, &soon, NULL);
		for (k = 0;; k++)
			map(k & 0xfff);
	}
	return pthread_create(&thread, NULL, work, NULL) || pthread_join(thread, NULL);
}
END
same('jump', 'a signal handler that jumps out of mmap()');
# Beside one that is busy on the same CPU, which runs for milliseconds whenever it may: not in each run is a lock left.
my ($cpu) = slurp_status() =~ /^Cpus_allowed_list:\s*(\d+)/m;
my $busy = fork // die "fork: $!";
exec 'taskset', '-c', $cpu, 'sh', '-c', 'while :; do :; done' if !$busy;
same('jump', "... beside a busy program, run $_", "taskset -c $cpu") for 1 .. 5;
kill 'KILL', $busy;
waitpid $busy, 0;

# As a signal handler may, at the two functions of the C library that end what is set up once for a program and
# once for a process.  The program's own are called instead.
compile('gcc', 'abandoned', <<'END', '-rdynamic');
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static sigjmp_buf out;
static const char *armed = "";

static void leave(const char *where)
{
	if (!strcmp(armed, where)) {
		armed = "";
		siglongjmp(out, 1);
	}
}

int madvise(void *p, size_t size, int advice)
{
	if (advice == MADV_WIPEONFORK)
		leave("program");
	return syscall(SYS_madvise, p, size, advice);
}

int clock_gettime(clockid_t clock, struct timespec *t)
{
	leave("process");
	return syscall(SYS_clock_gettime, clock, t);
}

static int allocate(void)
{
	struct timespec from, to;
	int i;

	if (!sigsetjmp(out, 1))
		free(malloc(10));
	armed = "";
	clock_gettime(CLOCK_MONOTONIC, &from);
	for (i = 0; i < 100000; i++)
		free(malloc(10 + i % 10));
	clock_gettime(CLOCK_MONOTONIC, &to);
	return to.tv_sec - from.tv_sec > 20;
}

int main(int argc, char **argv)
{
	int status, ret;

	armed = argv[1] ? argv[1] : "";
	ret = allocate();
	/* What a child has is its own, but for what is of the program. */
	fflush(NULL);
	if (!fork())
		_exit(allocate());
	return wait(&status) < 0 || status || ret;
}
END
for my $what (qw(program process)) {
	my @before = glob "$dir/rings/*";
	my %had = map { $_ => 1 } @before;
	same("abandoned $what", "a signal handler that jumps out of what is set up once for a $what");
	my @new = grep { !$had{$_} } glob "$dir/rings/*";
	is(scalar(grep { !-s } @new), 1, '... which the recorder is told');
	is(scalar(grep { -s } @new), $what eq 'process' ? 1 : 0, '... and a child has a ring if that can be set up');
}

# A plugin has C++'s operators of its own, which no other code is to use, nor it another's.
compile('g++', 'plugin.so', <<'END', '-shared', '-fPIC', '-static-libstdc++');
extern "C" int plugin() { int *p = new int(4), n = *p; delete p; return n; }
END
compile('g++', 'arena.so', <<'END', '-shared', '-fPIC');
#include <cstddef>
static char arena[1 << 16];
static size_t used;
void *operator new(size_t n) { void *p = arena + used; used += (n + 15) & ~15UL; return p; }
void operator delete(void *) noexcept {}
void operator delete(void *, size_t) noexcept {}
extern "C" int plugin() { char *p = (char *)new int; int mine = p >= arena && p < arena + sizeof(arena); delete (int *)p; return mine; }
END
compile('gcc', 'plugins', <<"END");
#include <dlfcn.h>
#include <stdio.h>

int main(void)
{
	static const char *const names[] = { "$dir/plugin.so", "$dir/arena.so", "$dir/plugin.so" };
	int i;

	for (i = 0; i < 3; i++) {
		void *handle = dlopen(names[i], RTLD_NOW);
		int (*plugin)(void) = handle ? (int (*)(void))dlsym(handle, "plugin") : NULL;

		if (!plugin)
			return 1;
		printf("%d\\n", plugin());
		dlclose(handle);
	}
	return 0;
}
END
same('plugins', 'plugins with operators of their own');

# Not only harmless, but recorded, too.
compile('gcc', 'title', <<'END');
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

int main(int argc, char **argv)
{
	char *end = argv[0] + strlen(argv[0]);
	int i, status;

	(void)argc;
	free(malloc(10));
	for (i = 0; environ[i]; i++) {
		end = environ[i] + strlen(environ[i]);
		environ[i] = strdup(environ[i]);
	}
	memset(argv[0], 0, end - argv[0]);
	strcpy(argv[0], "worker");
	if (!fork()) {
		for (i = 0; i < 1000; i++)
			free(malloc(10));
		_exit(0);
	}
	return wait(&status) < 0 || status;
}
END
unlink glob "$dir/rings/*";
same('title', 'a process that writes over its environment');
is(scalar(() = glob "$dir/rings/*"), 2, 'and its child has a ring, too');

done_testing();
