#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# memref size on a recording of which the limits are known (memref_ages_gen.c), on recordings
# that have none, and what is wrong with its options.
use strict;
use warnings;
use FindBin;
use JSON::PP;
use lib "$FindBin::RealBin/../../tests";
use Test::More;
use Tool;

my $memref = "$build/bin/memref";
my ($gen) = grep { -x "$_/memref_ages_gen" } map { "$build/$_/tests" } qw(tools ../tools);
my $file = "$dir/ages.dat";
is(system("$gen/memref_ages_gen $file"), 0, 'a recording');

# size OPTIONS: rows by control group.
sub size {
	my ($options) = @_;
	my ($status, $text, $err) = run("$memref size $file $options -f json");
	is("$status $err", '0 ', "size $options");
	return map { $_->{cgroup} => $_ } @{decode_json($text)->{rows}};
}

# /web/db refers to 512 pages, and to a loop over 1600; /web to 1024 more.
my %of = size('--refaults 0');
is(join(' ', sort keys %of), '/web /web/db', 'each control group');
is($of{'/web/db'}{high_mib}, sprintf('%.3f', 2112 / 256) + 0, 'the loop as a whole');
is($of{'/web'}{high_mib}, (1024 + 2112) / 256, 'with the group below');
is($of{'/web'}{memory_mib}, sprintf('%.3f', (4096 + 2112) / 256) + 0, 'all memory');
is($of{'/web'}{saved_mib}, 12, 'what is saved: the cold pages');
is($of{'/web'}{refaults_per_s}, 0, 'no refaults');
is($of{'/web'}{intervals}, 59, 'three quarters of the intervals');
ok($_->{low_mib} <= $_->{estimate_mib} && $_->{estimate_mib} <= $_->{high_mib} && $_->{high_mib} == $_->{limit_mib},
	"$_->{cgroup}: the estimate is in its interval") for values %of;

# 200 pages of the loop are referenced a second: as many refaults, and it need not stay.
my %loose = size('-G web/db --refaults 200');
is(join(' ', keys %loose), '/web/db', 'one control group');
cmp_ok($loose{'/web/db'}{high_mib}, '<', 4, 'the loop does not stay');
cmp_ok($loose{'/web/db'}{refaults_per_s}, '<=', 200, 'refaults with the limit');
# The same as a slowdown: 1 % of a second is 200 refaults of 50 us.
my %slow = size('-G /sys/fs/cgroup/web/db/ --slowdown 1 --refault-us 50 --evict-us 0');
is_deeply({ %{$slow{'/web/db'}}, slowdown_pct => 0 }, { %{$loose{'/web/db'}}, slowdown_pct => 0 }, '--slowdown');
cmp_ok(abs($slow{'/web/db'}{slowdown_pct} - $slow{'/web/db'}{refaults_per_s} * 50e-4), '<', 1e-3, 'slowdown_pct');
my %default = size('-G /web/db');
is_deeply(\%default, { size('-G /web/db --slowdown 2 --refault-us 100 --evict-us 2') }, 'the default is 2 % with 100 us');
my %extra = size('-G web/db --extra 3M');
is($extra{'/web/db'}{limit_mib}, $default{'/web/db'}{high_mib} + 3, '--extra');
is_deeply({ size('-G web') }, { size('-G web') }, 'the same each time');

# Formats, a part.
my ($status, $csv, $err) = run("$memref size $file -G web -f csv -o $dir/size.csv");
is("$status$csv$err", '0', '-o');
like(slurp("$dir/size.csv"), qr{^cgroup,intervals,seconds,memory_mib,low_mib,estimate_mib,high_mib,limit_mib,saved_mib,refaults_per_s,slowdown_pct,evictions_per_s\n/web,59,59\.000,[\d.,]+\n$}, 'CSV');
like((run("$memref size $file"))[1], qr{^cgroup +intervals .*\n/web .*\n/web/db .*\n$}, 'text');
# The first quarter is that of the recording, and ages are those since its begin.
is((size('--from 20 -G web'))[1]{intervals}, 59, '--from, within the first quarter');
# Of the part before --until, the first quarter.
is((size('--until 60 -G web'))[1]{intervals}, 44, '--until');
is_deeply({ size('--from 40 -G web --refaults 0') }, { '/web' => { %{$of{'/web'}}, intervals => 40, seconds => 40 } }, '--from');

# What has no answer.
is(system("$gen/memref_gen $dir/none.dat"), 0, 'a recording without ages');
is(system("$gen/memref_ages_gen $dir/short.dat 39"), 0, 'a short recording');
is(system("$gen/memref_ages_gen $dir/enough.dat 41"), 0, 'one that is just long enough');
spew("$dir/cut.dat", substr slurp($file), 0, -5000);
for ([ "$dir/none.dat", 1, qr/no memref_age events: record with memref record --ages$/ ],
     [ "$dir/short.dat -G web", 1, qr{control group /web: 29 intervals .* at least 30} ],
     [ "$dir/short.dat", 1, qr{control group /\S*: 29 intervals .* at least 30} ],
     [ "$file -G webb", 1, qr{no memory of control group /webb has ages: memref report ages --by cgroup} ],
     [ "$dir/missing.dat", 1, qr/missing\.dat: No such file/ ],
     [ "$file --refaults 1 --slowdown 1", 2, qr/--refaults and --slowdown: give one/ ],
     [ "$file --refaults -1", 2, qr/--refaults/ ], [ "$file --slowdown nan", 2, qr/--slowdown/ ],
     [ "$file --refault-us 0", 2, qr/--refault-us/ ], [ "$file --extra x", 2, qr/--extra/ ],
     [ "$file --from 5 --until 1", 2, qr/no time is between/ ],
     [ "$file --from 100", 1, qr/no interval from 100 s on: the recording lasts 80\.000 s/ ],
     [ "$file --until 0.1 -G web", 1, qr{control group /web: 0 intervals .* besides the first quarter} ], [ "$file other", 2, qr/one argument too many/ ]) {
	my ($arguments, $expected, $message) = @$_;
	my ($status, $text, $err) = run("$memref size $arguments -o $dir/not.written");
	is("$status$text", $expected, "size $arguments: status $expected");
	like($err, qr/^memref(?: size)?: [^\n]*\n\z/, 'one line') ;
	like($err, $message, 'says why');
	ok(!-e "$dir/not.written", 'nothing is written');
}
like((run("$memref size $dir/enough.dat -G web -f csv"))[1], qr{^/web,30,30\.000,\d}m, '30 intervals are enough');
# What makes it doubtful: 32, selected processes, 1, reclaim, and not 2048, pages mapped around a fault.
is(system("$gen/memref_ages_gen $dir/doubt.dat 80 33"), 0, 'a recording with flags');
($status, my $doubt, $err) = run("$memref size $dir/doubt.dat -f json");
is_deeply({ map { $_->{cgroup} => $_ } @{decode_json($doubt)->{rows}} }, { size('') }, 'with limits');
is("$status $err", "0 memref: in 80 of 80 intervals only selected processes were sampled: memory of others seems idle\n" .
	"memref: in 80 of 80 intervals reclaim ran: what it evicted is not counted\n" .
	"memref: in 80 of 80 intervals pages mapped around a page fault did not count, which reclaim keeps: " .
	"limits of programs that map large files are too small (record with --fault-around)\n", 'and what to think of these');
($status, my $text, $err) = run("$memref size $dir/cut.dat -G web -f csv");
is($status, 1, 'a damaged recording');
like($err, qr/cut\.dat: /, 'says so');
like($text, qr{^/web,5\d,}m, 'and what was read of it counts');

done_testing;
