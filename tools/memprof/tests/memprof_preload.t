#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# The preloaded library of memprof, without a recorder: what is in its rings.
use strict;
use warnings;
use File::Temp 'tempdir';
use FindBin;
use Test::More;

my $build = $ENV{MEMSCOPE_BUILD} // "$FindBin::RealBin/../../../build";
my $dir = tempdir('memprof-rings.XXXXXX', TMPDIR => 1, CLEANUP => 1);
my $preload = "$build/lib/libmemprof-preload.so";

# Records of a ring: [type, address, size, chain].  See format.h.
sub ring {
	my ($path) = @_;
	open my $f, '<:raw', $path or return;
	local $/;
	my $data = <$f>;
	my $head = unpack 'Q<', substr $data, 64, 8;
	my @records;
	for (my $i = 0; $i < $head; $i++) {
		my @w = unpack 'Q<3', substr $data, 4096 + 24 * $i, 24;
		my $type = $w[0] >> 40 & 15;
		if ($type == 6) {
			# A chain's frames, three a record.
			$i += int((($w[1] >> 48) + 2) / 3);
			next;
		}
		push @records, [ $type, $w[1] & (1 << 48) - 1, $w[2] & (1 << 40) - 1, $w[2] >> 40 ];
	}
	return @records;
}

sub slurp {
	open my $f, '<', $_[0] or die "$_[0]: $!";
	local $/;
	return <$f>;
}

sub spew {
	open my $f, '>', $_[0] or die "$_[0]: $!";
	print $f $_[1];
	close $f or die "$_[0]: $!";
}

sub run {
	my $pid = fork() // die "fork: $!";
	if (!$pid) {
		%ENV = (%ENV, MEMPROF_SESSION => $dir, LD_PRELOAD => $preload);
		open STDOUT, '>', '/dev/null';
		exec @_;
		exit 127;
	}
	waitpid $pid, 0;
	my @rings = glob "$dir/$pid.*";
	return ($?, @rings);
}

{
	my ($status, @rings) = run('ls', '/');
	is($status, 0, 'a program runs');
	is(scalar @rings, 1, 'one thread, one ring');
	my @records = ring($rings[0]);
	my %alive;
	my ($wrong, $n) = (0, 0);
	for (@records) {
		if ($_->[0] == 1) {
			# ALLOC: where nothing is, with a chain.
			$wrong++ if $alive{$_->[1]}++ || !$_->[3] || $_->[2] == 0;
			$n++;
		} elsif ($_->[0] == 2) {
			delete $alive{$_->[1]};
		}
	}
	cmp_ok($n, '>', 5, "$n objects");
	is($wrong, 0, 'each has a chain and a size, and is where no other is');
}

# The second program has the first one's number, and nobody has taken the first ring yet.
{
	my ($status, @rings) = run('sh', '-c', 'exec ls /');
	is($status, 0, 'a program that executes another runs');
	is(scalar @rings, 2, 'each has a ring');
	cmp_ok(scalar(grep { $_->[0] == 1 } ring($_)), '>', 5, 'with objects') for @rings;
}

# What unwinding accesses is the profiler's own, by where the code is: not in a library that
# the program may use, too, nor seen by the program in place of that library's.
{
	my ($needed, $defined) = map { scalar `$_ $preload` } 'readelf -dW', 'nm -D --defined-only';
	like($needed, qr/NEEDED.*libc\.so/, 'the library needs the C library');
	unlike($needed, qr/NEEDED.*libgcc/, 'and no unwinder');
	like($defined, qr/ malloc$/m, 'it defines malloc()');
	unlike($defined, qr/_Unwind|__register_frame|__gcc/, 'and nothing of the unwinder');
}

# A program of functions that fail, which writes the addresses that its events are of; its changes of
# these, as type,offset,size.
sub changes {
	my ($name, $source) = @_;
	spew("$dir/$name.c", <<'END' . $source);
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

static void address(const char *from, const char *to)
{
	FILE *out = fopen("address", "w");

	fprintf(out, "%lu %lu\n", (unsigned long)from, (unsigned long)to);
	fclose(out);
}
END
	is(system('gcc', '-w', '-o', "$dir/$name", "$dir/$name.c"), 0, "a program: $name");
	my ($status, @rings) = run('sh', '-c', "cd $dir && exec ./$name");
	is($status, 0, 'runs, and its calls fail');
	my ($from, $to) = split ' ', slurp("$dir/address");
	return join ' ', map { "$_->[0]," . ($_->[1] - $from) . ",$_->[2]" }
		grep { ($_->[0] == 3 || $_->[0] == 4) && $_->[1] + $_->[2] > $from && $_->[1] < $to } map { ring($_) } @rings;
}

# What munmap() refuses stays mapped: its object has not ended.
is(changes('munmap-that-is-wrong', <<'END'), '3,0,65536 4,0,65536', 'munmap() that fails with EINVAL ends no object');
int main(void)
{
	volatile size_t none = 0, all = -4096UL;
	char *p = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	address(p, p + 65536);
	if (!munmap(p + 1, 4096) || !munmap(p, none) || !munmap(p, all))
		return 1;
	p[0] = 1;
	return munmap(p, 65536);
}
END

# To unmap the middle takes one mapping more than there may be.
is(changes('munmap-with-too-many-mappings', <<'END'), '3,0,65536 4,0,65536', 'munmap() that fails with ENOMEM ends no object');
int main(void)
{
	char *p = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), *pages;
	FILE *f = fopen("/proc/sys/vm/max_map_count", "r");
	size_t n, i;

	address(p, p + 65536);
	if (!f || fscanf(f, "%zu", &n) != 1)
		return 1;
	pages = mmap(NULL, n * 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (pages == MAP_FAILED)
		return 2;
	for (i = 1; i < n && !mprotect(pages + i * 4096, 4096, PROT_READ); i += 2)
		;
	if (!munmap(p + 16384, 4096))
		return 3;
	p[16384] = 1;
	if (munmap(pages, n * 4096))
		return 4;
	return munmap(p, 65536);
}
END

# The C library returns success where the kernel does not lower the break.
for my $call ('sbrk', 'brk') {
	my $set = $call eq 'brk' ? 'brk(end)' : 'sbrk((intptr_t)(end) - (intptr_t)sbrk(0)) == (void *)-1 ? -1 : 0';
	is(changes("$call-that-fails", <<END), '3,0,65536 4,32768,32768 4,0,32768', "$call() that fails neither begins nor ends an object");
#define set(end) ($set)

int main(void)
{
	struct rlimit limit;
	char *low;

	/* What malloc() needs is there. */
	address(low, low);
	low = sbrk(0);
	if (set(low + 65536) || sbrk(0) != low + 65536)
		return 1;
	set(low - (1 << 28));
	if (sbrk(0) != low + 65536)
		return 2;
	getrlimit(RLIMIT_DATA, &limit);
	setrlimit(RLIMIT_DATA, &(struct rlimit){ 65536, limit.rlim_max });
	if (!set(low + (1 << 20)) || sbrk(0) != low + 65536)
		return 3;
	/* Above the limit, the kernel refuses to lower it, too. */
	set(low + 32768);
	if (sbrk(0) != low + 65536)
		return 4;
	setrlimit(RLIMIT_DATA, &limit);
	address(low, low + 65536);
	if (set(low + 32768) || set(low) || sbrk(0) != low)
		return 5;
	return 0;
}
END
}

# Recorded programs write to the session's directory: what else they put there is no ring, and
# does not stay.
{
	open my $f, '>', "$dir/hostile.sh" or die;
	print $f <<'END';
cd "$MEMPROF_SESSION" || exit
mkfifo 1.1.1 && truncate -s 100G 1.1.2 && ln -s /etc/passwd 1.1.3 && mkdir 1.1.4 && touch .1 && head -c 8192 /dev/zero >1.1.5 &&
	ln 1.1.5 1.1.6 && ln -s /nonexistent 1.1.7 || exit
pwd >&2
echo end
read rest
exit 0
END
	close $f;
	my $session = `timeout 60 $build/tools/tests/memprof_objects $dir/hostile.data sh $dir/hostile.sh 2>&1 >/dev/null`;
	is($?, 0, 'files that are no rings are left alone');
	like($session, qr{^/(?:dev/shm|tmp)/memprof\.\w+(?:/[0-9a-f]{32})?$}, 'in the directory of the session');
	chomp $session;
	ok(!-e $session && !-e $session =~ s{/[0-9a-f]{32}$}{}r, 'which goes with them');
	like(`$build/bin/memprof report summary $dir/hostile.data -f csv`, qr/^accesses,0/m, 'and the recording is whole');
}

# A program that is recorded goes on as without: it finds errno as it was after free(), when a thread's
# ring begins, too, and is not ended where the file system of the rings is full (containers have 64 MiB).
SKIP: {
	open my $f, '>', "$dir/program.c" or die;
	print $f <<'END';
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

static void *given;
static int changed;

static void *work(void *unused)
{
	int i;

	errno = 77;
	free(given);
	changed += errno != 77;
	for (i = 0; i < 20000; i++) {
		given = malloc(100 + i % 7);
		errno = 77;
		free(given);
		changed += errno != 77;
	}
	given = malloc(10);
	return unused;
}

int main(int argc, char **argv)
{
	const struct rlimit files = { 3, 3 };
	pthread_t thread;
	int i;

	(void)argv;
	given = malloc(10);
	if (argc > 1 && setrlimit(RLIMIT_NOFILE, &files))
		return 3;
	for (i = 0; i < 4; i++)
		if (pthread_create(&thread, NULL, work, NULL) || pthread_join(thread, NULL))
			return 2;
	fprintf(stderr, "%d of 80004 changed errno\n", changed);
	puts("end");
	return 0;
}
END
	close $f;
	is(system('gcc', '-O1', '-fno-builtin', '-pthread', '-o', "$dir/program", "$dir/program.c"), 0, 'a program of threads');
	my $command = "OBJECTS_PRELOAD=$preload $build/tools/tests/memprof_objects $dir/full.data $dir/program";
	my $events_lost = sub {
		`$build/bin/memprof report summary $dir/full.data -f csv` =~ /^events of objects lost,(\d+),/m ? $1 : -1;
	};
	my $said = `bash -c 'ulimit -f 100 && $command' 2>&1`;
	is($?, 0, 'runs with a limit of the size of files');
	is($said, "0 of 80004 changed errno\n", 'and is not told of it');
	is($events_lost->(), 5, 'threads without a ring have at least one lost event each');
	$said = `$command files 2>&1`;
	is($?, 0, 'runs with a limit of open files');
	is($said, "0 of 80004 changed errno\n", 'and is not told of it');
	is($events_lost->(), 4, 'nor are the losses of its threads hidden');
	skip 'this user may not mount a file system', 9 if system 'unshare -rm mount -t tmpfs none /dev/shm 2>/dev/null';
	for my $size (qw(100M 300k 0)) {
		my $mount = $size ? "mount -t tmpfs -o size=$size none /dev/shm" :
			'mount -t tmpfs -o size=4k none /dev/shm && echo full >/dev/shm/full';
		$said = `unshare -rm sh -c '$mount && $command' 2>&1`;
		is($?, 0, "runs with rings in $size");
		is($said, "0 of 80004 changed errno\n", 'and finds errno as it was');
		cmp_ok($events_lost->(), $size eq '100M' ? '==' : '>=', $size eq '100M' ? 0 : $size ? 27_000 : 5, 'lost events are told');
	}
}

done_testing();
