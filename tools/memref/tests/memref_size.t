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
like(slurp("$dir/size.csv"), qr{^cgroup,intervals,seconds,memory_mib,low_mib,estimate_mib,high_mib,limit_mib,saved_mib,refaults_per_s,slowdown_pct,evictions_per_s,limit_bytes\n/web,59,59\.000,[\d.,]+\n$}, 'CSV');
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
     [ "$file --try true", 2, qr/--try: which control group\? \(-G\)/ ],
     [ "$file -G web --try true --refaults 1", 2, qr/--refaults: not with --try/ ],
     [ "$file -G web --try ''", 2, qr/--try: no command/ ],
     [ "$file -G web --try true --repeats 2", 2, qr/--repeats 2: not an odd number/ ],
     [ "$file --tries 3", 2, qr/--tries, --repeats and --precision: only with --try/ ],
     [ "$file -G web --try true --tries 0", 2, qr/--tries/ ],
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

# --- tries of a command with limits -------------------------------------------------

my $mib = 1 << 20;
# try_it COMMAND, OPTIONS: status, row, messages.  The group's memory is 24.25 MiB, its estimate at most 12.25.
sub try_it {
	my ($command, $options) = @_;
	unlink "$dir/tried";
	spew("$dir/runs", '');
	my ($status, $text, $err) = run("$memref size $file -G web --try '$command' " . ($options // '') . " -f json -o $dir/tried");
	my $json = slurp("$dir/tried");
	return ($status, $json ? decode_json($json)->{rows}[0] : {}, $err);
}
# A command that needs so much memory, by its own account of time.
sub needs { return 'test $MEMREF_LIMIT -ge ' . int($_[0] * $mib) . ' && echo 10.1 || echo 12' }
# One that prints these words in turn, from the run that is not counted on; the last one again and again.
sub prints { return "echo x >>$dir/runs; set -- @_; n=\$(wc -l <$dir/runs); test \$n -le \$# || n=\$#; shift \$((n - 1)); eval \$1" }
sub left { return scalar(() = `ps -eo args` =~ /^\Q$_[0]\E$/mg) }

for my $least (0.5, 5, 11, 20, 40) {
	my $peak = 24.25;
	my ($status, $row, $err) = try_it(needs($least));
	my $limit = $row->{limit_mib} // 0;
	is($status, 0, "needs $least MiB") or diag $err;
	cmp_ok($limit, '>=', $least, '... that limit is enough');
	cmp_ok($limit, '<=', $least < $peak ? $peak - 0.9 * ($peak - $least) + $peak / 1024 : $least + $peak / 1024,
	       '... and saves nine tenths of what the best saves');
	cmp_ok($row->{too_small_mib} // -1, '<', $least, '... the largest that was too small');
	is(defined $row->{too_small_mib}, $least > 1, '... is known');
	is($row->{tried_slowdown_pct}, 0, '... no slowdown');
	is($err =~ /needs more than the 24\.250 MiB that the group had/, $least > $peak, '... more than the recording had');
	my @lines = split /\n/, $err;
	is(shift @lines, 'memref: without a limit: 10.100 s; with one, 10.282 s is enough', '... without a limit first');
	my @limits = grep { /^memref: [\d.]+ MiB: (?:10\.100 s, 0\.0 % more: enough|12\.000 s, 18\.8 % more: too small)$/ } @lines;
	is(scalar @limits, $row->{tries}, '... and the result of each limit');
	is(join("\n", grep { /once more/ } @lines), sprintf('memref: once more, %.3f MiB: 10.100 s, 0.0 %% more: enough', $limit), '... that which was found runs once more');
	is(0 + sprintf('%.3f', $row->{limit_bytes} / $mib), $limit, '... in bytes');
	is($row->{limit_bytes} % 4096, 0, '... of whole pages');
	my ($first) = ($limits[0] // '') =~ /([\d.]+) MiB/;
	cmp_ok($first, '==', $row->{high_mib}, '... first, that of the estimate');
}
my (undef, $one, $more) = try_it(needs(5), '--tries 1');
is($one->{tries}, 1, '--tries');
like($more, qr/--tries 1: a smaller limit may be enough, too$/m, 'and says what it means');
cmp_ok((try_it(needs(5), '--precision 1'))[1]{limit_mib}, '<', 5.4, '--precision');
my ($quiet, $found, $said) = try_it(needs(5), '--tries 2 --quiet');
is_deeply([ $quiet, $found->{tries} ], [ 0, 2 ], '--quiet: limits are tried');
unlike($said, qr/enough$|too small$/m, 'and their results are not printed');
is_deeply([ (try_it(needs(5), '--slowdown 21'))[1]->@{qw(too_small_mib tried_slowdown_pct)} ], [ undef, 18.8 ], '--slowdown: all are enough');
cmp_ok((try_it(needs(20), '--extra 8M'))[2] =~ /^memref: ([\d.]+) MiB/m ? $1 : 0, '==', $of{'/web'}{high_mib} + 8,
       '--extra is added to what is tried first');
# The first run is not counted.  One slow run of three is no slowdown.
my ($repeated, $row, $says) = try_it(prints('echo\ 99', ('echo\ 14', ('echo\ 10') x 2) x 3), '--repeats 3 --tries 2');
is_deeply([ $repeated, $row->{too_small_mib}, $row->{tries}, $row->{tried_slowdown_pct} ], [ 0, undef, 2, 0 ], '--repeats: the median') or diag $says;
is(scalar(() = slurp("$dir/runs") =~ /x/g), 13, 'so many runs');
like($says, qr/^memref: without a limit, times differ by 40\.0 %, more than the 2 % that a limit may cost: more --repeats/m, 'times that differ are noted');
# Two slow runs of three are enough to know it.
($repeated, $row, $says) = try_it(prints(('echo\ 10') x 4, ('echo\ 12') x 2, 'echo\ 10'), '--repeats 3 --tries 2');
is_deeply([ $repeated, defined $row->{too_small_mib}, $row->{tried_slowdown_pct} ], [ 0, 1, 0 ], '--repeats: a slow limit') or diag $says;
like($says, qr/^memref: [\d.]+ MiB: 12\.000 s, 20\.0 % more: too small$/m, 'is too small');
is(scalar(() = slurp("$dir/runs") =~ /x/g), 12, 'with as many runs as are needed');
# So is one that is ended because it takes too long.
($repeated, $row, $says) = try_it(prints(('echo\ 10') x 5, 'sleep\ 985', 'echo\ 10'), '--repeats 3 --tries 1');
is_deeply([ $repeated, @$row{qw(limit_mib too_small_mib)} ], [ 0, $of{'/web'}{high_mib}, undef ], '--repeats: one run of three is ended') or diag $says;
is(scalar(() = slurp("$dir/runs") =~ /x/g), 10, 'and the others run') or diag $says;
(undef, $row, $says) = try_it(prints(('echo\ 1000') x 4, 'echo\ 1024', 'sleep\ 985', 'echo\ 1000'), '--repeats 3 --tries 1');
like($says, qr/MiB: 1024\.000 s, 2\.4 % more: too small$/m, '--repeats: the median may be that of the run that is not ended');
# 1.9 % more is not enough of 2, as the next run may take more, in either run of a limit; in the last run, it is.
(undef, $row, $says) = try_it(prints(('echo\ 1000') x 2, 'echo\ 1019', 'echo\ 1018', 'echo\ 1019'), '--tries 2');
like($says, qr/: 1019\.000 s, 1\.9 % more: too small\n.*: 1018\.000 s, 1\.8 % more: enough\n.*once more, .*: 1019\.000 s, 1\.9 % more: too small\n.*once more, .*: 1019\.000 s, 1\.9 % more: enough\n/, 'what is left for the next run');
is($row->{tried_slowdown_pct}, 1.9, '... of which the slowdown is');
# A limit that was too small by chance.  The first is that of the estimate; the peak, and one between them, are enough.
for ([ 'enough the second time', 10.25, [ 10, 10 ], [ $of{'/web'}{high_mib}, undef ] ],
     [ 'too small twice', 10.25, [ 10.25, 10 ], [ 18.25, $of{'/web'}{high_mib} ] ],
     [ 'by more than chance', 10.5, [ 10 ], [ 18.25, $of{'/web'}{high_mib} ] ]) {
	my ($name, $first, $again, $expected) = @$_;
	my @printed = (10, 10, $first, 10, 10, @$again);
	my ($status, $row, $err) = try_it(prints(map { "echo\\ $_" } @printed), '--precision 100');
	is_deeply([ $status, $row->{tries} ], [ 0, 3 ], "$name: three limits") or diag $err;
	is(scalar(() = slurp("$dir/runs") =~ /x/g), @printed, '... so many runs') or diag $err;
	is_deeply([ @$row{qw(limit_mib too_small_mib)} ], $expected, '... the limit') or diag $err;
}
# --tries counts limits, and this is one that was tried.
(undef, $row) = try_it(prints(map { "echo\\ $_" } 10, 10, 10.25, 10, 10), '--tries 2');
is_deeply([ @$row{qw(limit_mib too_small_mib tries)} ], [ $of{'/web'}{high_mib}, undef, 2 ], 'once more after the last of --tries');
# A limit that was enough by chance: runs are without a limit (two), with one (enough, enough), and that once more.
for ([ 'the one before it', '--tries 2', [ ('echo\ 10') x 4, 'echo\ 12', 'echo\ 10.1' ], [ 0, 1, 2 ] ],
     [ 'none is left', '--tries 2', [ ('echo\ 10') x 4, 'echo\ 12' ], [ 1 ] ],
     [ 'larger ones', '--precision 100', [ ('echo\ 10') x 3, 'echo\ 12', 'echo\ 10', 'echo\ 10.1' ], [ 0, 1, 3 ] ]) {
	my ($name, $options, $prints, $expected) = @$_;
	my ($status, $row, $err) = try_it(prints(@$prints), $options);
	is_deeply([ $status, $status ? () : ($row->{tried_slowdown_pct}, $row->{tries}) ], $expected, "not enough once more: $name") or diag $err;
	like($err, qr/^memref: once more, [\d.]+ MiB: 12\.000 s, 20\.0 % more: too small$/m, 'says so');
	ok(!$row->{limit_mib} || $row->{limit_mib} > $row->{too_small_mib}, 'and it is not the one') or diag explain $row;
}
# What is no time, or none of its own.
for ([ 'no time, where there was one', prints('echo\ 3', 'echo\ 3', 'true'), 'MiB: printed no time above 0: too small' ],
     [ 'a time of 0', prints('echo\ 3', 'echo\ 3', 'echo\ 0'), 'MiB: printed no time above 0: too small' ],
     [ 'a time in one run of three', prints(('echo\ 3') x 4, 'true', 'true', 'echo\ 3'), 'MiB: printed no time above 0: too small', '--repeats 3' ],
     [ 'less time with a limit', prints('echo\ 9', 'echo\ 9', 'echo\ 5'), 'less time than without a limit: times differ by more than 2 %: more --repeats' ],
     [ 'no time in seconds', 'echo 5000', 'without a limit, it prints 5000, and takes 0\.\d+ s: its last line should be a time in seconds' ],
     [ 'blanks', 'echo "no 5"; printf "  7 \r\n\n"', 'without a limit: 7.000 s; with one, 7.126 s is enough' ],
     [ 'a character 0', 'printf "5\n7\0\n"', 'without a limit: 0.\d+ s; with one, 0.\d+ s is enough' ],
     [ 'a short time', 'true', 'without a limit, it takes less than 1 s: so short a time says little' ],
     [ 'much output', 'head -c 30000000 /dev/zero; echo; echo 8; echo 9 >/dev/stdout', 'without a limit: 9.000 s; with one, 9.162 s is enough' ]) {
	my ($name, $command, $message, $options) = @$_;
	like((try_it($command, '--tries 1 ' . ($options // '')))[2], qr/^memref: .*$message$/m, $name);
}
# By the clock, and what would take for ever, with all that it started; with a slowdown that is allowed it has time.
my ($late, $slow, $messages) = try_it("test \$MEMREF_LIMIT -ge @{[ 6 * $mib ]} && sleep .5 || { sleep 987 & sleep 987; }", '--tries 4 --slowdown 60');
is($late, 0, 'by the clock') or diag $messages;
cmp_ok($slow->{too_small_mib} // 0, '>', 3, 'what is too slow is ended');
my ($free) = $messages =~ /without a limit: (?:it takes )?([\d.]+) s/;
my ($ended) = $messages =~ /MiB: ended after ([\d.]+) s: too small$/m;
# Both are rounded to ms.
cmp_ok(($ended // 0) + 0.0005, '>=', 2 * (($free // 1e9) - 0.0005) + 1, 'and too small') or diag $messages;
is(left('sleep 987'), 0, 'nothing of it is left');
like((try_it('test $MEMREF_LIMIT -ge ' . 6 * $mib . ' && sleep .5 || sleep 1.8', '--tries 3 --slowdown 600'))[2], qr/^(?!.*ended after)/s, 'what is allowed to be slow is not ended');
try_it('sleep 984 & echo 1', '--tries 1');
is(left('sleep 984'), 0, 'nor is what a run leaves');
# What it changed is put back, also by one that is not the first process.
for my $shell ('sh %s', 'sh %s; true', 'sh %s | cat') {
	spew("$dir/changes", "trap 'sleep .3; echo restored >$dir/state' EXIT\ntrap exit TERM\necho changed >$dir/state\n" .
	     "test \$MEMREF_LIMIT -ge @{[ 30 * $mib ]} || sleep 983\n");
	try_it(sprintf($shell, "$dir/changes"), '--tries 1');
	is(slurp("$dir/state"), "restored\n", "$shell: what it changed is put back");
}
# A parent that ignores the end of its children.
($status, undef, $err) = run("perl -e '\$SIG{CHLD} = q(IGNORE); exec \@ARGV' $memref size $file -G web --try 'test \$MEMREF_LIMIT -gt 1000000000000 || exit 7' --tries 2");
like($err, qr/MiB: status 7: too small$/m, 'a parent that ignores SIGCHLD');
for ([ 'exit 3', qr/^memref: exit 3: fails without a limit: status 3$/m ],
     [ 'echo 0', qr/not each run without a limit prints a time above 0/ ],
     [ prints('echo\ 3', 'true', 'echo\ 3'), qr/not each run without a limit prints a time above 0/, '--repeats 3' ],
     [ 'test $MEMREF_LIMIT = 9223372036854771712', qr/^memref: of \d limits, none was enough: the largest was 194\.000 MiB$/m ],
     [ 'test $MEMREF_LIMIT = 9223372036854771712', qr/^memref: of [12] limits, none was enough: the largest was 4398046511128\.250 MiB$/m, '--extra 4194304T' ],
     [ 'test $MEMREF_LIMIT -lt 9223372036854771712 && echo 3; true', qr/prints a time with a limit only$/m ]) {
	my ($command, $message, $options) = @$_;
	my ($status, undef, $err) = try_it($command, $options);
	is($status, 1, "$command: status 1");
	like($err, $message, 'says why');
	ok(!-e "$dir/tried", 'nothing is written');
}
# Ctrl-C: before a limit was tried, and after two were.
($status, $row, $err) = try_it('kill -INT $PPID; sleep 986');
is_deeply([ $status, $row, $err ], [ 1, {}, "memref: interrupted\n" ], 'Ctrl-C: says so, and nothing is written');
($status, $row, $err) = try_it("echo x >>$dir/runs; test \$(wc -l <$dir/runs) = 5 && kill -INT \$PPID && sleep 986; echo 10");
is_deeply([ $status, $row->{tries} ], [ 1, 2 ], 'what was found until then is written') or diag $err;
like($err, qr/^memref: interrupted$/m, 'with a message');
is(left('sleep 986'), 0, 'and the command has ended');
# A named pipe is opened once, at the end.
is(system("mkfifo $dir/fifo; $memref size $file -G web --try 'echo 5' --tries 1 -f csv -o $dir/fifo 2>/dev/null & timeout 60 cat $dir/fifo >$dir/read; wait"), 0, 'a pipe');
like(slurp("$dir/read"), qr{^cgroup,.*,too_small_mib\n/web,}, 'has the table');
# Nothing is run for a table that cannot be written.
($status, undef, $err) = run("$memref size $file -G web --try 'touch $dir/ran' -o $dir/nowhere/x");
is($status . (-e "$dir/ran" ? ' ran' : ''), 1, 'a table that cannot be written');
like($err, qr/nowhere/, 'says so');

($status, my $text, $err) = run("$memref size $dir/cut.dat -G web -f csv");
is($status, 1, 'a damaged recording');
like($err, qr/cut\.dat: /, 'says so');
like($text, qr{^/web,5\d,}m, 'and what was read of it counts');

done_testing;
