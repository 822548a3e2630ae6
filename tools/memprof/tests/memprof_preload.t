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

# What munmap() refuses stays mapped: its object has not ended.
{
	open my $f, '>', "$dir/unmap.c" or die;
	print $f <<'END';
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>

int main(void)
{
	volatile size_t none = 0, all = -4096UL;
	char *p = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	FILE *out = fopen("address", "w");

	if (!munmap(p + 1, 4096) || !munmap(p, none) || !munmap(p, all))
		return 1;
	p[0] = 1;
	fprintf(out, "%lu\n", (unsigned long)p);
	fclose(out);
	return munmap(p, 65536);
}
END
	close $f;
	is(system('gcc', '-w', '-o', "$dir/unmap", "$dir/unmap.c"), 0, 'a program whose munmap() fails');
	my ($status, @rings) = run('sh', '-c', "cd $dir && exec ./unmap");
	is($status, 0, 'runs');
	my ($p) = split /\n/, do { local (@ARGV, $/) = "$dir/address"; <> };
	my @ends = grep { $_->[0] == 4 && $_->[1] >= $p && $_->[1] < $p + 65536 } map { ring($_) } @rings;
	is(join(' ', map { $_->[1] - $p . ",$_->[2]" } @ends), '0,65536', 'its memory ends once, by the call that succeeds');
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
