#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# The oracle sees exactly the accesses a program makes to its own pages, in
# the interval it makes them: by set, with several CPUs, across changed
# mappings, above the hole below 4 GiB, and with NUMA nodes.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use Test::More;
use VM;

my %what = (
	0x10 => 'reads', 0x11 => 'writes', 0x12 => 'atomic operations read and write',
	0x13 => 'accesses across a page border', 0x14 => 'helper functions and wide accesses',
	0x15 => 'code on a page of its own', 0x16 => 'an instruction across a page border',
	0x17 => 'write() reads user memory, writes the file page',
	0x18 => 'read() reads the file page, writes user memory',
	0x19 => 'one address, two mappings', 0x1a => 'another CPU', 0x1c => 'nothing after STOP',
	0x1d => 'recording again after STOP', 0x100 => 'a busy CPU is in each of 100 intervals',
);
my @sets = qw(user_read user_write user_fetch copy_read copy_write kernel_read kernel_write
	      kernel_fetch);

# All of the intervals of one file: { code, insns, sets => { name => { pfn => 1 } } }
sub read_oracle {
	my ($path) = @_;
	my $data = VM::slurp($path) // die "$path: $!";
	my ($magic, $version, $nr_sets) = unpack 'a8 V V', $data;
	my ($at, @intervals) = (40);

	die "$path: not an oracle file" unless $magic eq 'MSORACLE' && $version == 1;
	while ($at < length $data) {
		my (undef, $seq, $size, $begin, $end, undef, undef, undef, undef, $insns) =
			unpack 'V V Q V V V V Q Q Q', substr $data, $at, 64;
		my ($i, $p) = ({ seq => $seq, code => $begin, insns => $insns }, $at + 80);

		for my $set (@sets[0 .. $nr_sets - 1]) {
			my $runs = unpack 'V', substr $data, $p, 4;
			$p += 4;
			while ($runs--) {
				my ($first, $n) = unpack 'V V', substr $data, $p, 8;
				my @words = unpack "Q$n", substr $data, $p + 8, 8 * $n;
				for my $w (0 .. $n - 1) {
					for my $b (0 .. 63) {
						$i->{sets}{$set}{64 * ($first + $w) + $b} = 1
							if $words[$w] >> $b & 1;
					}
				}
				$p += 8 + 8 * $n;
			}
		}
		is($p, $at + $size, "interval $seq has the size it says") if $p != $at + $size;
		push @intervals, $i;
		$at += $size;
	}
	return @intervals;
}

sub check {
	my ($name, $oracle, $expect) = @_;
	my (%mine, %want, %once, %insns, %seen);

	for (split /\n/, VM::slurp($expect) // '') {
		my ($word, @f) = split;
		if ($word eq 'page') { $mine{$f[0]} = 1 }
		elsif ($word eq 'expect') { $want{hex $f[0]}{$f[1]}{$f[2]} = 1 }
		elsif ($word eq 'once') { $once{hex $f[0]}{$f[1]}{$f[2]} = 0 }
		else { $insns{hex $f[0]} = $f[1] }
	}
	my (%wrong);
	for my $i (read_oracle($oracle)) {
		my $code = $i->{code};

		$seen{$code}++;
		for my $set (keys %{ $once{$code} // {} }) {
			$once{$code}{$set}{$_}++
				for grep { exists $once{$code}{$set}{$_} } keys %{ $i->{sets}{$set} };
		}
		if (my $n = $insns{$code}) {
			my $diff = $i->{insns} - $n;
			ok($diff >= 0 && $diff < 1000, "$name: instructions counted: $n and $diff");
		}
		next unless $what{$code};
		for my $set (@sets) {
			my %got = map { $_ => 1 } grep { $mine{$_} } keys %{ $i->{sets}{$set} };
			my $wanted = $want{$code}{$set} // {};
			for (grep { !$got{$_} } keys %$wanted) {
				push @{ $wrong{$code} }, "interval $i->{seq} $set: frame $_ missing";
			}
			for (grep { !$wanted->{$_} } keys %got) {
				push @{ $wrong{$code} }, "interval $i->{seq} $set: frame $_ too many";
			}
		}
	}
	for my $code (sort { $a <=> $b } keys %what) {
		my $n = { 0x100 => 100, 0x1c => 0 }->{$code} // 1;
		is_deeply([ $seen{$code} // 0, $wrong{$code} ], [ $n, undef ], "$name: $what{$code}");
	}
	my @times = values %{ $once{0x101}{user_write} };
	is(scalar @times, 4096, "$name: the sweep is there");
	is(scalar(grep { $_ < 1 } @times), 0, "$name: no access of another CPU is lost in $seen{0x101} cuts");
	is(scalar(grep { $_ > 1 } @times), 0, "$name: none is in two intervals");
	return \%mine;
}

# A host thread for each CPU: accesses and cuts that really are concurrent, and
# atomic operations in one piece.
my $plain = vm_threads('--smp', 2, '--share', $share, '--oracle', "out=$share/plain", '--',
	       'oracle_selftest', '/share/plain.expect');
is($plain->{status}, 0, 'the self-test runs') or diag $plain->{err};
check('1 GiB', "$share/plain", "$share/plain.expect");

# The cache model at the same time changes nothing.  By the project's own QEMU, which gives the
# addresses of memory above the hole in another way than the system's (see cache.t for that).
my $numa = vm('--qemu', 'ibs', '--smp', 2, '--mem', '3G', '--numa', 2, '--share', $share,
	      '--oracle', "out=$share/numa,insns=exact,cache=L1:32K:8:64,counts=$share/counts",
	      '--', 'oracle_selftest', '/share/numa.expect', 1);
is($numa->{status}, 0, 'the self-test runs on node 1 of 2') or diag $numa->{err};
my $pages = check('3 GiB, node 1', "$share/numa", "$share/numa.expect");
is(scalar(grep { $_ < 0x100000 } keys %$pages), 0, 'node 1: its pages are above 4 GiB');

my $report = "$build/bin/oracle-report";
my @list = split /\n/, `$report list $share/plain`;
like($list[0], qr/user_read .*kernel_fetch$/, 'oracle-report list names the sets');
like($list[1], qr/^ +0 0x0001 0x0010 /, 'oracle-report list shows the marks');
my ($seq) = map { /^ +(\d+) 0x0010 / } @list;
my @pages = split /\n/, `$report pages $share/plain $seq user_read,user_write`;
is(scalar(grep { VM::slurp("$share/plain.expect") =~ /^expect 0x10 user_read $_$/m } @pages), 32,
   'oracle-report pages lists the frames');
is(length(`$report bitmap $share/numa 0-3 all`), (0x140000) / 8,
   'oracle-report bitmap reaches to the end of memory');
open my $cut, '>', "$share/cut";
print $cut substr(VM::slurp("$share/plain"), 0, -7);
close $cut;
like(`$report list $share/cut 2>&1 >/dev/null`, qr/^$share\/cut: truncated at 0x/,
     'oracle-report says where a file is cut off');
isnt($? >> 8, 0, '... and fails');
for ('list', "pages $seq all", "bitmap $seq all") {
	my ($verb, @rest) = split;
	is(`$report $verb $share/plain @rest 2>&1 >/dev/full`, "oracle-report: standard output: No space left on device\n",
	   "oracle-report $verb says why it cannot write");
	isnt($? >> 8, 0, '... and fails');
}

done_testing();
