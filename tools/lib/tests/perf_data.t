#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# perf.data files of real machines: each sample has what perf script prints of it, field by
# field.  They are where MEMSCOPE_REALDATA says, ../shared/realdata without it.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::RealBin/../../tests";
use Test::More;
use Tool;

my $folder = $ENV{MEMSCOPE_REALDATA} // "$FindBin::RealBin/../../../../shared/realdata";
my ($print) = grep { -x } map { "$build/$_/tests/perf_data_print" } qw(tools ../tools);

my @files = glob "$folder/*perf.data*";
plan(skip_all => "no recordings of real machines in $folder") if !@files;
my ($status) = run('perf --version');
plan(skip_all => 'no perf here to compare with') if $status;

# The fields that all samples of a file have, of those that both programs know.
my @fields = (
	[ 'pid', qr/^ *(-?\d+)/ ], [ 'tid', qr/^ *(?:-?\d+\/)?(-?\d+)/ ], [ 'cpu', qr/\[(\d+)\]/ ],
	[ 'time', qr/(\d+\.\d+):/ ], [ 'period', qr/(\d+)\s*$/ ], [ 'event', qr/(\S.*?): *$/ ],
	[ 'addr', qr/([0-9a-f]+)\s*$/ ], [ 'ip', qr/^\s*([0-9a-f]+)/ ], [ 'weight', qr/(\d+)\s*$/ ],
	[ 'ins_lat', qr/(\d+)\s*$/ ], [ 'data_src', qr/([0-9a-f]+) \|/ ], [ 'phys_addr', qr/([0-9a-f]+)\s*$/ ],
);

for my $file (@files) {
	my ($name) = $file =~ /([^\/]+)$/;
	my ($compared, $samples) = ('', 0);
	for my $field (@fields) {
		my ($failed, $perf, $why) = run("perf script -G -i $file --ns -F $field->[0]");
		# Some files have no such field, and some perf refuses, or leaves empty: addresses of
		# instructions of IBS, from a pipe (perf 6.1).
		next if $failed || $perf !~ /\S/ || $why =~ /Cannot print/;
		my @theirs = map { $_ =~ $field->[1] ? $1 =~ s/^0+(?=\d)//r : "? $_" } split /\n/, $perf;
		my ($status, $ours, $err) = run("$print $file $field->[0]");
		is("$status $err", '0 ', "$name: read");
		my @ours = map { s/^ //r =~ s/^0+(?=\d)//r } split /\n/, $ours;
		# perf adds modifiers that the header does not name.
		s/:[a-zA-Z]+$//g for $field->[0] eq 'event' ? (@ours, @theirs) : ();
		is_deeply(\@ours, \@theirs, "$name: $field->[0] of each sample is what perf script prints");
		$compared .= " $field->[0]";
		$samples = @ours;
	}
	cmp_ok($samples, '>', 0, "$name: $samples samples compared by$compared");
	like($compared, qr/ addr (?:ip )?weight .*data_src/, "$name: where each access was, too") if $name =~ /weight|memory/;
}
done_testing();
