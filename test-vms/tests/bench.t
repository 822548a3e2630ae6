#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# pagealloc bench run on a kernel with page hints: programs are really hinted,
# memory is really scattered, and what cannot be measured is said.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use Test::More;
use VM;

my $kernel = $ENV{MEMSCOPE_KERNEL} // 'vm';
system 'cp', "$build/bin/pagealloc", "$build/bin/pagealloc-programs", "$build/bin/pagetest", $share;

sub spew {
	my ($name, $text) = @_;
	open my $f, '>', "$share/$name" or die "$share/$name: $!";
	print $f $text;
	close $f or die;
	chmod 0755, "$share/$name";
}

# Measures what pages a program has, for as long as it lives.
spew('look.sh', <<'EOT');
pagetest --how anon --size 8M --sleep 100000 >out &
pid=$!
while read -r word k; do
	until grep -q iteration out; do kill -0 $pid || exit 1; sleep 0.1; done
	# Of all its pages: present, hinted, placed, hits; neighbors in memory, too.
	counts=$(pagealloc verify $pid -f csv | awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
		$1 == "all" { printf "placed=%d hits=%d", $at["placed"], $at["hits"] }')
	pairs=$(pagealloc map $pid -f csv | awk -F, '$2 == last + 1 || $2 == last - 1 { n++ } { last = $2 } END { print n + 0 }')
	free=$(awk '/MemFree/ { print $2 }' /proc/meminfo)
	strategy=$(pagealloc get $pid -f csv | awk -F, 'NR == 2 { print $3 }')
	case $strategy in coloring) s=1 ;; binhop) s=2 ;; *) s=0 ;; esac
	echo "done $k ${counts:-placed=0 hits=0} pairs=$pairs free_kb=$free strategy=$s"
done
kill $pid
EOT

sub suite {
	my ($name, $aging) = @_;
	spew("$name.ini", <<"EOT");
[suite]
name = $name
executions = 2
measurements = 2
aging = $aging
seed = 3
[strategies]
default = --no-aslr
coloring = --no-aslr --strategy coloring
binhop = --strategy binhop
slow = --strategy coloring --inherit fork
[program look]
command = sh /share/look.sh
protocol = lines
strategies = default coloring binhop
[program fft]
command = pagealloc-programs fft --size 64K --lines
protocol = lines
marks = program
[program gzip]
prepare = seq 1 100 >text
command = gzip -c text
EOT
}
suite('aged', '32M');
suite('fresh', 'off');
suite('greedy', '64G');

# On a busy host the kernel takes the TSC for unstable; its clock of tasks then stands still between two ticks that
# come late, and a program of 2 ms needs no CPU time.
my $vm = vm('--kernel', $kernel, '--root', 'host', '--share', $share, '--timeout', 900, '--mem', '512M',
	    '--append', 'tsc=reliable clocksource=tsc',
	    '--env', 'PATH=/share:/usr/sbin:/usr/bin:/sbin:/bin', '--', 'sh', '-c', <<'EOT');
cd /share
sed 's/--strategy binhop/--strategy hopscotch/' aged.ini >none.ini
pagealloc bench run none.ini -o /tmp/none 2>none.err
echo "none $?"
ls -d /tmp/none
echo colors:16 >/sys/kernel/mm/page_hint/color_function
# Fresh memory first: what the others leave is aged.
for s in fresh aged greedy; do
	only=
	[ $s = aged ] || only='--strategy default'
	pagealloc bench run $s.ini $only -o /share/$s 2>$s.err
	echo "$s $?"
done
dmesg | grep -i 'out of memory' >oom
awk '$1 == "managed" { n += $2 } $1 == "low" { l += $2 } END { print n * 4, l * 4 }' /proc/zoneinfo >memory
# The same directory after the color function was changed; a user without privilege.
echo colors:8 >/sys/kernel/mm/page_hint/color_function && pagealloc bench run aged.ini -o aged 2>changed.err
echo "changed $?"
chmod 755 /share
setpriv --reuid 65534 --clear-groups pagealloc bench run aged.ini --strategy default -o /tmp/nobody 2>nobody.err
echo "nobody $?"
cp /tmp/nobody/raw.csv nobody.csv
setpriv --reuid 65534 --clear-groups pagealloc bench run aged.ini -o /tmp/nobody2 2>nobody2.err
echo "nobody2 $?"
EOT
is($vm->{status}, 0, 'the guest came to its end') or diag $vm->{err}, $vm->{out};
my %status = $vm->{out} =~ /^(\w+) (\d+)$/mg;

sub rows {
	my ($file) = @_;
	my @names = qw(suite benchmark config strategy boot block execution measurement warmup phase metric unit value);
	return map { my %r; @r{@names} = split /,/; \%r } grep { !/^#|^suite,|,canary,/ } split /\n/, slurp("$share/$file") // '';
}
sub values_of {
	my ($file, $benchmark, $strategy, $metric) = @_;
	return map { $_->{value} } grep { $_->{benchmark} eq $benchmark && $_->{strategy} eq $strategy && $_->{metric} eq $metric } rows($file);
}

is($status{none}, 1, 'with a strategy that is not there nothing is run');
like(slurp("$share/none.err"), qr/strategy binhop cannot be used: .*\n.*hopscotch/, 'it says which');
unlike($vm->{out}, qr/^\/tmp\/none/m, 'and makes nothing');
is($status{aged}, 0, 'else it is') or diag slurp("$share/aged.err");
my @ends = grep { $_->{metric} eq 'end' } rows('aged/raw.csv');
is(scalar(@ends), 2 * (3 + 4 + 4), 'all executions ended');
my %code = (default => 0, coloring => 1, binhop => 2);
for my $strategy (sort keys %code) {
	is(join(' ', values_of('aged/raw.csv', 'look', $strategy, 'strategy')), join(' ', ($code{$strategy}) x 4), "$strategy is what programs get");
}
# What binhop wants is only known when a page is touched: no page has a place.
for my $strategy ('default', 'coloring') {
	my @placed = values_of('aged/raw.csv', 'look', $strategy, 'placed');
	my @hits = values_of('aged/raw.csv', 'look', $strategy, 'hits');
	is(scalar(grep { $strategy eq 'default' ? $_ : $_ < 2048 } @placed), 0, "$strategy: $placed[0] pages have a place");
	is(scalar(grep { $hits[$_] < 0.99 * $placed[$_] } 0 .. 3), 0, "$hits[0] are there") if $strategy eq 'coloring';
}
for ('default', 'coloring', 'slow') {
	is(scalar(values_of('aged/raw.csv', 'fft', $_, 'cpu_time')), 4, "$_: CPU time is the program's");
	is(scalar(grep { $_ <= 0 } values_of('aged/raw.csv', 'fft', $_, 'cpu_time')), 0, 'and some');
}
# Neighbors of 2048 pages.
my ($aged) = sort { $b <=> $a } values_of('aged/raw.csv', 'look', 'default', 'pairs');
my ($fresh) = sort { $a <=> $b } values_of('fresh/raw.csv', 'look', 'default', 'pairs');
cmp_ok($fresh, '>', 2 * $aged, "the ager scatters memory: $aged pages beside their neighbor, else $fresh");
is($status{greedy}, 0, 'it may be asked for all memory');
like(slurp("$share/greedy.err"), qr/less than 65536 MiB are scattered/, 'but takes less, and says so');
my ($managed, $low) = split ' ', slurp("$share/memory");
my ($least) = sort { $a <=> $b } values_of('greedy/raw.csv', 'look', 'default', 'free_kb');
# The program itself has 8 MiB and what it runs.
cmp_ok($least + 24 * 1024, '>=', $low + 0.1 * $managed, "$least KiB stay free");
is(slurp("$share/oom"), '', 'nothing ran out of memory');
is($status{changed}, 1, 'another color function: other results');
like(slurp("$share/changed.err"), qr/measured on another system/, 'said');
is($status{nobody}, 0, 'a user may measure the default') or diag slurp("$share/nobody.err");
cmp_ok(scalar(values_of('nobody.csv', 'fft', 'default', 'wall_time')), '==', 4, 'and has results');
is($status{nobody2}, 1, 'but no strategies');
like(slurp("$share/nobody2.err"), qr/needs CAP_SYS_NICE/, 'and is told what is needed');
done_testing;
