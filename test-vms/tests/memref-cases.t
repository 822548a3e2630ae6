#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0
# Whose references memref reports, and what it costs others: memref_cases, in the
# guest.  Its metrics go where those of the benchmarks are.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use JSON::PP;
use Test::More;
use VM;

my $vm = vm('--smp', 2, '--mem', '1G', '--timeout', 600, '--', 'memref_cases');
is($vm->{status}, 0, 'the guest ran') or diag $vm->{err};
my ($planned) = $vm->{out} =~ /^1\.\.(\d+)/m;
my @results = $vm->{out} =~ /^((?:not )?ok \d+ - .*)/mg;
is(scalar @results, $planned, 'all cases ran') or diag $vm->{out};
for (@results) {
	my ($not, $name) = /^(not )?ok \d+ - (.*?)\r?$/;
	ok(!$not, $name) or diag $vm->{out};
}
my %metrics = $vm->{out} =~ /^# metric (\w+) ([\d.e+-]+)/mg;
diag "$_ $metrics{$_}" for sort keys %metrics;

# The numbers are the plain kernel's.
if (($ENV{MEMSCOPE_KERNEL} // 'vm') ne 'vm') {
	done_testing();
	exit;
}
my $json = JSON::PP->new->canonical->pretty;
my $path = "$build/bench/memref.json";
mkdir "$build/bench";
my $bench = eval { $json->decode(slurp($path)) } // {};
my %how = map { $_ => 1 } grep { !/memref-cases\.t/ } split / \| /, $bench->{_how} // '';
$how{join(', ', sort keys %metrics) . ': prove test-vms/tests/memref-cases.t; TCG, 2 CPUs, 1 GiB'} = 1;
$bench->{$_} = 0 + $metrics{$_} for keys %metrics;
$bench->{_how} = join ' | ', sort keys %how;
open my $f, '>', $path or die "$path: $!";
print $f $json->encode($bench);
ok(close $f, 'bench/memref.json is written');
done_testing();
