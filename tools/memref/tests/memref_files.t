#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# memref on a recording of which all is known (memref_gen.c): what views, exports and cuts of
# it have, and what is said of parts of it.
use strict;
use warnings;
use FindBin;
use JSON::PP;
use lib "$FindBin::RealBin/../../tests";
use Test::More;
use Tool;

my $memref = "$build/bin/memref";
my $file = "$dir/known.dat";
# The programs with the sanitizers are below the others.
my ($gen) = grep { -x } map { "$build/$_/tests/memref_gen" } qw(tools ../tools);
is(system($gen, $file), 0, 'a recording');

# rows FILE VIEW...: of a view, by column.
sub rows {
	my ($of, @view) = @_;
	my ($status, $text, $err) = run("$memref report @view $of --format csv");
	is("$status $err", '0 ', "report @view");
	my ($head, @lines) = split /\n/, $text;
	my @names = split /,/, $head;
	return map { my @cells = split /,/, $_, -1; +{ map { $names[$_] => $cells[$_] } 0 .. $#names } } @lines;
}

# The edges of the boxes that a picture has, without those of no height: left, right, top, bottom.
sub boxes {
	my @boxes;
	for ($_[0] =~ /<polygon fill = '.*?' .*? points = '([^']*)'/g) {
		my @points = map { [ split /,/ ] } split;
		my @x = sort { $a <=> $b } map { $_->[0] } @points;
		my @y = sort { $a <=> $b } map { $_->[1] } @points;
		push @boxes, [ $x[0], $x[-1], $y[0], $y[-1] ] if $y[-1] - $y[0] > 1;
	}
	return @boxes;
}

my @user = (288, 320, 384);	# pages of each interval
sub mib { return sprintf '%.3f', $_[0] / 256; }

my @wss = rows($file, 'wss');
is_deeply([ map { [ @$_{qw(seq wss_kernel_mib wss_user_mib wss_page_cache_mib wss_total_mib rss_mib)} ] } @wss ],
	[ map { [ 1 + $_, mib(64), mib($user[$_]), mib(16), mib(64 + $user[$_] + 16), mib(1024) ] } 0 .. 2 ], 'wss');
my @temporal = rows($file, 'temporal');
is_deeply([ map { [ @$_{qw(time_s groups groups_kernel groups_user groups_page_cache groups_written pages_user scan_ms)} ] } @temporal ],
	[ map { [ "$_.990", 3, 1, 2, 1, 1, $user[$_], '10.000' ] } 0 .. 2 ], 'temporal');
my @spatial = rows($file, 'spatial');
is_deeply([ map { [ @$_{qw(phys_addr lmb intervals intervals_user intervals_written)} ] } @spatial ],
	[ [ 16 << 20, 16, 3, 0, 0 ], [ 17 << 20, 17, 3, 3, 3 ], [ 19 << 20, 19, 3, 3, 0 ] ], 'spatial');
my ($task) = rows($file, 'tasks');
is_deeply([ @$task{qw(pid comm intervals mean_pages max_mib share_pct)} ], [ 77, 'worker', 3, '330.7', '1.500', '100.00' ], 'tasks');
my %summary = map { $_->{item} => $_->{value} } rows($file, 'summary');
is($summary{$_->[0]}, $_->[1], "summary: $_->[0]")
	for [ host => 'machine' ], [ intervals => 3 ], [ intervals_missing => 0 ], [ lost_events => 5 ],
	    [ entries_read => 3000 ], [ entries_young => 368 + 400 + 464 ], [ group_size => 1024 ],
	    [ wss_user_max => '1.500' ], [ pages_user_min => '288.000' ];

# Groups of a comparison.
my $groups = sub { my @lines = split /\n/, (run("$memref diff $file $file --groups -f csv @_"))[1]; $#lines };
cmp_ok($groups->('-n 0'), '>=', 3, 'diff --groups -n 0 has groups');
is($groups->('-n 0'), $groups->('-n 100000'), '... all of them');
is($groups->('-n 2'), 2, 'diff --groups -n 2 has two');

# An output that fails is named once, with the reason.
for ([ "html $file -o /dev/full", '/dev/full: No space left on device' ],
     [ "html $file -o - >/dev/full", 'standard output: No space left on device' ],
     [ "cut $file -o - | cat", "$file: the copy must be a file, not a pipe" ]) {
	my ($command, $says) = @$_;
	my ($status, $out, $err) = run("bash -o pipefail -c '$memref $command'");
	is("$status$out$err", "1memref: $says\n", $command =~ s/\Q$dir\E\///gr);
}

# Parts of it, by time and by address.
is(scalar(rows($file, 'wss --from 1.5')), 2, 'from the second interval on');
is_deeply([ map { $_->{phys_addr} } rows($file, 'spatial --addr 17M-18M') ], [ 17 << 20 ], 'of a MiB');

# Names of any bytes are in the legend, and each mapping has a place of its own in the stack.
{
	my ($made) = grep { -x "$_/trace_gen" } map { "$build/$_/tests" } qw(tools ../tools);
	is(system("$made/trace_gen memref 7z $dir/mappings.dat 4"), 0, 'a recording of mappings');
	my ($status, undef, $err) = run("$memref plot mapping-times $dir/mappings.dat -o $dir/mappings.svg");
	is("$status $err", '0 ', 'plot mapping-times');
	my $svg = slurp("$dir/mappings.svg");
	is(system('xmllint', '--noout', "$dir/mappings.svg"), 0, 'is well-formed') if -x '/usr/bin/xmllint';
	is_deeply([ sort grep { /^[\[\/]/ } $svg =~ m{<text>(.*?)</text>}g ],
		[ "/a \",b/n", "/usr/lib/libm\xef\xbf\xbdll.so", '[anon:a cache]', '[heap]' ], 'each name is in the legend');
	my @boxes = boxes($svg);
	is(scalar @boxes, 11, 'boxes are drawn, four of them in the legend');
	# The data are rounded to 0.001 MiB, 5.3 of these pixels.
	my @over = grep {
		my ($a, $b) = map { $boxes[$_] } @$_;
		$a->[1] - $b->[0] > 1 && $b->[1] - $a->[0] > 1 && $a->[3] - $b->[2] > 6 && $b->[3] - $a->[2] > 6;
	} map { my $i = $_; map { [ $i, $_ ] } $i + 1 .. $#boxes } 0 .. $#boxes;
	is(scalar @over, 0, 'none is over another');
}

# Idle ages of processes, mappings and files, and what has none.
{
	my ($made) = grep { -x "$_/memref_ages_gen" } map { "$build/$_/tests" } qw(tools ../tools);
	is(system("$made/memref_ages_gen $dir/ages.dat 3 0 mappings"), 0, 'a recording of idle ages');
	is(system("$made/memref_ages_gen $dir/classes.dat 3"), 0, 'one without those of mappings');
	my @ages = map { "age_${_}_mib" } 0, 1, 2, 128;
	my $of = sub {
		my (@options) = @_;
		return [ map { [ @$_{qw(seq of)}, map { 256 * $_ } @$_{@ages, 'all_mib'} ] }
			rows("$dir/ages.dat", 'ages --until 1.5 --from 0.5', @options) ];
	};
	my @twice = (1, 2);
	is_deeply($of->('--by process'), [ map { [ $_, 'web (10)', 1088, 64, 0, 3072, 4224 ],
		[ $_, 'db srv (11)', 128, 0, 32, 0, 160 ] } @twice ], 'ages of processes');
	is_deeply($of->('--by mapping'), [ map { [ $_, 'web (10) [heap]', 1024, 0, 0, 3072, 4096 ],
		[ $_, 'web (10) /lib/c.so', 64, 64, 0, 0, 128 ], [ $_, 'db srv (11) /lib/c.so', 128, 0, 32, 0, 160 ] } @twice ],
		'ages of mappings');
	is_deeply($of->('--by file'), [ map { [ $_, '/lib/c.so', 128, 0, 32, 0, 160 ] } @twice ], 'ages of files');
	is_deeply($of->('--by file --pid 10'), [ map { [ $_, '/lib/c.so', 64, 32, 0, 0, 96 ] } @twice ], 'of one process, without what it copied');
	is_deeply($of->('--by process --mapping heap'), [ map { [ $_, 'web (10)', 1024, 0, 0, 3072, 4096 ] } @twice ],
		'of its heap');
	is(scalar @{$of->('--by total')}, 2, 'by total as before');
	is(system("$made/memref_ages_gen $dir/lost.dat 3 0 mappings 5"), 0, 'a recording with lost events');
	my ($status, $text, $err) = run("$memref report ages $dir/lost.dat --by process");
	like($err, qr/^memref: 5 events were lost: ages of some intervals may be missing$/m, 'report ages says that events were lost');
	is($status, 0, 'and shows the others');
	($status, $text, $err) = run("$memref export $dir/ages.dat --to raw");
	is("$status $err", '0 ', 'export --to raw');
	my @events = map { s/ ts=\d+//r } grep { /^memref_vma_age/ } split /\n/, $text;
	is(scalar @events, 3 * 4, 'each event');
	is($events[2], 'memref_vma_age seq=1 pid=11 start=2147483648 end=2164260864 anon=0,0,0,0,0,0,0,0,0 ' .
		'file=128,0,32,0,0,0,0,0,0 ' .
		'comm=db_srv name=/lib/c.so', 'with its fields');
	for my $by (qw(process mapping file)) {
		for ([ "ages $dir/classes.dat --by $by", 1,
		       qr/the recording has no memref_vma_age events: record with memref record --mapping-ages$/ ],
		     [ "curve $dir/ages.dat --by $by", 2, qr/--by $by: the view curve needs how much was referenced again/ ],
		     [ "wss $dir/ages.dat --by $by", 2, qr/--by $by: the view wss has no idle ages/ ],
		     [ "ages $dir/ages.dat --by $by --pid 12", 1, qr/no idle ages (?:of files )?of process 12$/ ]) {
			my ($report, $expected, $message) = @$_;
			my ($status, $text, $err) = run("$memref report $report");
			is("$status$text", $expected, "report $report: status $expected");
			like($err, qr/^memref[^\n]*\n\z/, 'one line');
			like($err, $message, 'says why');
		}
	}
	for ("report ages $dir/ages.dat --pid 10", "report ages $dir/ages.dat --by node --pid 10",
	     "plot ages $dir/ages.dat --pid 10 -o $dir/x.svg") {
		my ($status, $text, $err) = run("$memref $_");
		is("$status$text", 2, "$_: status 2");
		like($err, qr/--pid 10: the view ages does not distinguish processes, except with --by process, mapping or file; see memref \w+ --help$/, 'says why');
	}
	ok(!-e "$dir/x.svg" && !-e "$dir/x.csv", 'and writes nothing');
}

# Pictures of them: panels of those that are idle for longest, and of the others; names of any bytes.
{
	my ($made) = grep { -x "$_/memref_ages_gen" } map { "$build/$_/tests" } qw(tools ../tools);
	my $draw = sub {
		my ($of, $options, $ext) = @_;
		unlink map { "$dir/$_" } 'panels.svg', 'panels.csv', 'hurt';
		my ($status, $out, $err) = run("cd $dir && $memref plot ages $of.dat $options -o panels.svg");
		is("$status$out$err", '0', "plot ages $of.dat $options");
		ok(!-e "$dir/hurt", 'no name is a command');
		is(system('xmllint', '--noout', "$dir/panels.svg"), 0, 'is well-formed') if -x '/usr/bin/xmllint';
		my @lines = split /\n/, slurp("$dir/panels.csv") // '';
		my @names = split /,/, shift @lines;
		# The name in the fourth column has commas and quotes.
		my @rows = map { my %r; @r{qw(seq time_s interval_s of), @names[4 .. $#names]} =
			/^(\d+),([^,]*),([^,]*),("(?:[^"]|"")*"|[^",]*),(.*)$/ ? ($1, $2, $3, $4, split /,/, $5) : (); \%r } @lines;
		my @texts = slurp("$dir/panels.svg") =~ m{<text><tspan[^>]*>(.*?)</tspan></text>|<text>(.*?)</text>}g;
		return \@rows, [ grep { defined } @texts ];
	};
	is(system("$made/memref_ages_gen $dir/many.dat 40 0 many"), 0, 'a recording of 16 mappings');
	my ($rows, $texts) = $draw->('many', '--by mapping --pid 20');
	is(scalar @$rows, 40 * 8, 'eight in each interval');
	is_deeply([ map { $_->{rank} } @$rows ], [ map { 1 .. 8 } 1 .. 40 ], 'by rank');
	# Those of even number were never used again; then those of 11, 9, ... MiB, which were every 8 intervals.
	my @left = ((map { 12 - 2 * $_ } 0 .. 5), 11);
	my @last = @$rows[-8 .. -1];
	is_deeply([ map { $_->{age_0_mib} + 0 } @last ], [ (1) x 7, 5 ], 'what is used');
	is_deeply([ map { $_->{age_32_mib} + 0 } @last ], [ map({ $_ % 2 ? 0 : $_ } @left), 0 ], 'what is not for 39 intervals');
	is_deeply([ map { $_->{age_4_mib} + 0 } @last ], [ map({ $_ % 2 ? $_ : 0 } @left), 9 + 7 + 5 + 3 + 1 ], 'what is not for 7');
	is_deeply([ map { $_->{all_mib} + 0 } @last ], [ map({ 1 + $_ } @left), 5 + 9 + 7 + 5 + 3 + 1 ], 'all of each');
	is($last[7]{of}, 'other', 'the last is of the others');
	my %entity = (quot => '"', apos => "'", '#39' => "'", '#45' => '-', amp => '&', lt => '<', gt => '>');
	my @titles = grep { / idle$/ } map { s/&(\w+|#\d+);/$entity{$1} \/\/ '?'/ger } @$texts;
	my $mean = sub { $_[0] * 256 * $_[1] * (1 / 256 / 40) };	# rounded as there
	my $who = q(it's "{a_b} (20));
	is_deeply(\@titles, [ map { sprintf '%s: mean %.1f of %.1f MiB idle', @$_ }
		[ "$who [heap]", $mean->(12, 39), 13 ], [ "$who /tmp/two?lines", $mean->(10, 39), 11 ],
		[ "$who /\xef\xbf\xbd\xef\xbf\xbd(\xc3\xa9", $mean->(8, 39), 9 ],
		[ "...20) /`touch hurt`; system 'touch hurt' #", $mean->(6, 39), 7 ],
		[ '...9/0123456789/0123456789/library.so.6.0.1', $mean->(4, 39), 5 ], [ $who, $mean->(2, 39), 3 ],
		[ qq($who /lib/a"b",c.so), $mean->(11, 35), 12 ], [ '5 others', $mean->(25, 35), 30 ] ], 'the titles');
	# A name with quotes and commas has its boxes, too.
	is(scalar boxes(slurp("$dir/panels.svg")), 9 + grep({ $_ > 0 } map { @$_{grep { /^age_/ } keys %$_} } @$rows),
		'a box for each age that a panel has in an interval, and those of the legend');
	for my $by (qw(process mapping file class cgroup node total)) {
		for my $of (qw(many one empty)) {
			is(system("$made/memref_ages_gen $dir/$of.dat 1 0 " . ($of eq 'one' ? 'many' : $of)), 0, "one interval, $of")
				if $of ne 'many';
			next if $of eq 'empty' && $by eq 'file';	# has no row of a file
			my ($rows, $texts) = $draw->($of, "--by $by");
			cmp_ok(scalar @$rows, '>', 0, 'has rows');
			is(scalar(grep { /MiB idle$/ } @$texts), $by eq 'total' ? 0 : $rows->[-1]{rank}, 'a title for each panel');
		}
	}
	for my $by (qw(process mapping file)) {
		for ([ "ages $dir/classes.dat --by $by", 1,
		       qr/^memref: the recording has no memref_vma_age events: record with memref record --mapping-ages$/ ],
		     [ "ages $dir/many.dat --by $by --pid 12", 1, qr/^memref: the recording has no idle ages (?:of files )?of process 12$/ ],
		     [ "ages $dir/many.dat --by $by --addr 1M-2M", 2, qr/^memref: --addr: the view ages does not distinguish addresses; see memref plot --help$/ ],
		     [ "wss $dir/many.dat --by $by", 2, qr/^memref: --by $by: the view wss has no idle ages; see memref plot --help$/ ]) {
			my ($plot, $expected, $message) = @$_;
			my ($status, $out, $err) = run("$memref plot $plot -o $dir/no.svg");
			is("$status$out", $expected, "plot $plot: status $expected");
			like($err, $message, 'says why');
			ok(!-e "$dir/no.svg" && !-e "$dir/no.csv", 'writes nothing');
		}
	}
	like((run("$memref plot ages $dir/lost.dat --by process -o $dir/lost.svg"))[2],
		qr/^memref: 5 events were lost: ages of some intervals may be missing$/, 'plot ages says that events were lost');
	# What could be reclaimed, a line for each of what ages are summed by.
	for my $by (qw(total class cgroup node)) {
		my ($status, $out, $err) = run("cd $dir && $memref plot curve many.dat --by $by -o curve.svg");
		is("$status$out$err", '0', "plot curve --by $by");
		my ($names, @lines) = split /\n/, slurp("$dir/curve.csv") // '';
		is($names, 'of,age,age_s,reclaimable_mib,again_pages_per_s,again_pct_per_interval,rank', 'its data');
		my %is = map { (split /,/)[0] => 1 } @lines;
		my @texts = grep { defined } slurp("$dir/curve.svg") =~ m{<text><tspan[^>]*>(.*?)</tspan></text>|<text>(.*?)</text>}g;
		my %text = map { $_ => 1 } @texts;
		cmp_ok(scalar(keys %is), '>=', $by eq 'cgroup' ? 2 : 1, 'has lines');
		is_deeply([ grep { !$text{$_} } keys %is ], [], 'which are named') or diag explain \@texts;
		cmp_ok(scalar(grep { $_ eq '32' } @texts), '>=', 1, 'and ages at their points');
	}
	# The data can be drawn without memref.
	is_deeply([ run("gnuplot -e \"csv='$dir/panels.csv'; out='$dir/own.svg'\" $tools/../plots/ages.gp") ], [ 0, '', '' ], 'by hand');
	is_deeply([ run("gnuplot -e \"csv='$dir/curve.csv'; out='$dir/own.svg'\" $tools/../plots/curve.gp") ], [ 0, '', '' ], 'the curve, too');
}

# A file has the mode that the umask gives, and one that is replaced keeps its own.
for my $verb ('report wss', 'plot wss', 'plot heatmap', 'export --to csv', 'export --to pcp', 'cut') {
	my ($picture, $pcp) = map { scalar $verb =~ $_ } qr/plot/, qr/pcp/;
	my $out = "$dir/mode" . ($picture ? '.svg' : $verb =~ /cut/ ? '.dat' : '');
	my @made = $pcp ? map({ "$out.$_" } qw(0 index meta)) : $picture ? ($out, $out =~ s/svg$/csv/r) : $out;
	for my $case ([ 0077, undef, 0600 ], [ 0022, undef, 0644 ], [ 0022, 0600, 0600 ], [ 0077, 0640, 0640 ]) {
		my ($umask, $before, $want) = @$case;
		unlink @made;
		if (defined $before) {
			spew($_, '') for @made;
			chmod $before, @made;
		}
		my $old = umask $umask;
		my ($status, undef, $err) = run("$memref $verb $file -o $out");
		umask $old;
		is_deeply([ $status, map { (stat)[2] & 0777 } @made ], [ 0, ($want) x @made ],
			sprintf '%s: umask %03o, %s', $verb, $umask, defined $before ? sprintf 'over %03o', $before : 'new') or diag $err;
	}
}

# A class without a page there is drawn, and gnuplot does not warn of it.
for my $view (qw(temporal wss spatial)) {
	my ($status, undef, $err) = run("$memref plot $view $file --class kernel --addr 17M-18M -o $dir/none.svg");
	is("$status $err", '0 ', "plot $view of nothing");
}

# Exports.
sub export {
	my ($format) = @_;
	my ($status, $text, $err) = run("$memref export $file --to $format");
	is("$status $err", '0 ', "export --to $format");
	return $text;
}

my ($damo) = @{decode_json(export('damo-json'))};
is_deeply($damo->{intervals}, { sample_us => 990000 / 256, aggr_us => 990000, ops_update_us => 990000 }, 'damo: a sample is a page');
is_deeply([ map { [ @$_{qw(start_time end_time)} ] } @{$damo->{snapshots}} ],
	[ map { [ (10 + $_) * 1e9, (10 + $_) * 1e9 + 99e7 ] } 0 .. 2 ], 'damo: snapshots');
is_deeply([ map { [ $_->{start} >> 20, $_->{end} >> 20, @{$_->{nr_accesses}}{qw(samples percent)} ] } @{$damo->{snapshots}[1]{regions}} ],
	[ [ 16, 17, 64, 25 ], [ 17, 18, 80, 31.25 ], [ 18, 19, 0, 0 ], [ 19, 20, 256, 100 ] ], 'damo: regions');
my $json = decode_json(export('json'))->{rows};
is_deeply([ map { [ @$_{qw(seq phys_addr pages_kernel pages_user pages_page_cache written)} ] } @$json[3 .. 5] ],
	[ [ 2, 16 << 20, 64, 0, 0, 0 ], [ 2, 17 << 20, 0, 64, 16, 1 ], [ 2, 19 << 20, 0, 256, 0, 0 ] ], 'json');
my @csv = split /\n/, export('csv');
is(scalar @csv, 1 + 9, 'csv: a line for each group and interval');
my @raw = split /\n/, export('raw');
is(scalar @raw, 15, 'raw: a line for each event');
like($raw[1], qr/^memref_log_data ts=10999000200 seq=1 phys_addr=17825792 kernel=0 user=32 page_cache=16 written=1$/, 'raw');
my @folded = sort split /\n/, export('folded');
like("@folded", qr/user\S* 331\b|user\S* \d+/, 'folded: classes');
my $sum = 0;
$sum += (split ' ')[-1] for @folded;
cmp_ok($sum, '>', 0, 'folded: pages');

# A cut has the intervals of the span, as trace-cmd and memref read them.
is(system("$memref cut $file --from 1.5 -o $dir/cut.dat 2>$dir/err"), 0, 'cut') or diag slurp("$dir/err");
is_deeply([ map { $_->{seq} } rows("$dir/cut.dat", 'wss') ], [ 2, 3 ], 'the last two intervals');
my %cut = map { $_->{item} => $_->{value} } rows("$dir/cut.dat", 'summary');
is($cut{lost_events}, 5, 'with what was lost before them');
like(`trace-cmd report $dir/cut.dat 2>&1`, qr/memref_scan/, 'trace-cmd reads it');

# To a link, the file behind it is replaced when the new one is complete: also the recording that is read.
for my $damaged (0, 1) {
	my $bytes = slurp($file);
	$bytes = substr $bytes, 0, 100 if $damaged;
	spew("$dir/behind.dat", $bytes);
	unlink "$dir/link.dat";
	symlink 'behind.dat', "$dir/link.dat" or die;
	my ($status, undef, $err) = run("$memref cut $dir/link.dat --from 1.5 -o $dir/link.dat");
	is($status, $damaged, 'cut of a link to itself' . ($damaged ? ', damaged' : '')) or diag $err;
	ok(-l "$dir/link.dat", 'stays a link');
	is(-s "$dir/behind.dat", $damaged ? 100 : -s "$dir/cut.dat", $damaged ? 'and the file as it was' : 'to the file that is replaced');
}
is_deeply([ glob "$dir/behind.dat.*" ], [], 'nothing else is left');
my ($appended, undef, $says) = run("cat $file >$dir/two.dat; $memref cut $file --from 1.5 -o - >>$dir/two.dat");
is($appended, 1, 'cut to standard output that appends');
like($says, qr/a file of its own/, 'is refused');
is(-s "$dir/two.dat", -s $file, 'with nothing written');

# What was not recorded is no empty table.
for ([ $file, 'ages', 'ages' ], [ "$dir/ages.dat", 'services', 'tasks' ]) {
	my ($of, $rows, $option) = @$_;
	my ($status, $text, $err) = run("$memref export $of --to columns --rows $rows --begin 1");
	is("$status $text", '1 ', "--rows $rows of a recording without them");
	like($err, qr/record with memref record --$option/, 'is refused');
}

# Not all of it: what there is, and where it ends.
my $bytes = slurp($file);
my ($checked, $refused) = (0, 0);
for (my $size = 0; $size < length $bytes; $size += 977) {
	spew("$dir/part.dat", substr $bytes, 0, $size);
	my ($status, $text, $err) = run("$memref report temporal $dir/part.dat --format csv");
	my @rows = split /\n/, $text;
	$refused++ if !@rows;
	my $ok = $status == 1 && $err =~ /^memref: \S+part\.dat: .+\n\z/ && @rows <= 4 &&
		!grep { !/^(?:seq|[123]),/ } @rows;
	ok($ok, "$size bytes of it") or diag "$status: $err$text";
	$checked++;
}
cmp_ok($refused, '<', $checked, 'of some, intervals were read');

done_testing;
