#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# pagealloc bench report and plot, on results that a seeded generator made up.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::RealBin/../../tests";
use JSON::PP;
use Test::More;
use Tool;

my $seed = $ENV{MEMSCOPE_SEED} // 1;
my $bench = "$build/bin/pagealloc bench";
# Less chance than by default, for speed.
my $quick = '--replicates 199 --group-pairs 100';

sub gen {
	my ($name, @options) = @_;
	system("$build/tools/tests/bench_gen @options >$dir/$name") == 0 or die "bench_gen @options";
	return "$dir/$name";
}

# What report says, as JSON.
sub report {
	my ($view, @args) = @_;
	my ($status, $text, $err) = run("$bench report $quick --view $view -f json @args");
	is("$status $err", '0 ', "report --view $view") or return {};
	my $json = decode_json($text);
	is(delete $json->{schema_version}, 1, 'says its version');
	return $json;
}

my $raw = gen('raw.csv', 'n=10', 'm=14');
my @views = qw(mean measurement unclassified execution ranking mindiff summary correlation checks);

# The same table in each format.
my $all = report('all', $raw);
my %names = (checks => [ 'order', 'drift' ], ranking => [ 'ranking', 'pairs' ], summary => [ 'summary', 'cases' ],
	     mindiff => [ 'mindiff', 'mindiff_execution' ]);
is_deeply([ sort keys %$all ], [ sort 'about', map { @{$names{$_} // [ $_ ]} } @views ], 'all views');
for my $view (@views) {
	my $json = report($view, $raw);
	my @sections = @{$names{$view} // [ $view ]};
	is_deeply([ sort grep { $_ ne 'about' } keys %$json ], [ sort @sections ], 'its tables');
	is_deeply($json->{$_}, $all->{$_}, "$_ is that of all") for @sections;
	my $csv = (run("$bench report $quick --view $view -f csv $raw"))[1];
	my %tables;
	for my $part (split /\n\n/, $csv) {
		my ($name, $meaning, $rows) = $part =~ /^# (\w+): .*\n# (.*)\n((?:[^#\n].*\n?)+)/ or next;
		$tables{$name} = [ $meaning, map { [ split /,/, $_, -1 ] } split /\n/, $rows ];
	}
	for my $name (@sections) {
		my ($meaning, $head, @rows) = @{$tables{$name} // []};
		my @differ = grep {
			my ($c, $j) = ($rows[$_], $json->{$name}{rows}[$_]);
			grep { my ($x, $y) = ($c->[$_], $j->{$head->[$_]} // '');
			       $x ne $y && ($y eq '' || $y =~ /[^-+0-9.e]/ || $x != $y) } 0 .. $#$head;
		} 0 .. $#rows;
		is(scalar @differ, 0, "$name: CSV has what JSON has") or diag "@{$rows[$differ[0]]}";
		is(scalar @rows, scalar @{$json->{$name}{rows}}, "$name: as many rows in CSV");
		is_deeply([ sort @$head ], [ sort keys %{$json->{$name}{rows}[0]} ], "$name: the same columns");
		like($json->{$name}{meaning}, qr/95 %.*(interval|overlap)/, "$name says what its intervals mean") if $name !~ /^pairs$/;
		is(index($meaning, $json->{$name}{meaning}), 0, "$name: the same words in CSV");
	}
}
my ($mean) = grep { "$_->{benchmark} $_->{config} $_->{strategy}" eq 'program0 size=512 default' } @{$all->{mean}{rows}};
ok($mean->{low_s} < $mean->{mean_s} && $mean->{mean_s} < $mean->{high_s}, 'a mean lies in its interval');
is($mean->{method}, 't over executions', 'two boots: executions');
is($mean->{measurements}, 14, 'the warm-up is left out');
# By hand, from the file.
my %runs;
for (split /\n/, slurp($raw)) {
	my @f = split /,/;
	push @{$runs{"$f[6]"}}, $f[12] if /^made-up,program0,size=512,default,.*,0,\d+,wall_time,/;
}
my @means = map { my $r = $_; my $sum = 0; $sum += $_ for @$r; $sum / @$r } values %runs;
my $grand = 0;
$grand += $_ / @means for @means;
cmp_ok(abs($mean->{mean_s} - $grand), '<', 1e-7, 'the mean is the mean');

# What the generator put in comes out.
my $close = report('summary', gen('close.csv', 'n=10', 'between=0.5'));
my ($slow) = grep { $_->{strategy} eq 'binhop' } @{$close->{summary}{rows}};
ok($slow->{low_pct} < 4 && 4 < $slow->{high_pct}, "binhop is 4 % slower: $slow->{low_pct} to $slow->{high_pct}");
my %factor;
$factor{$_->{strategy}} += $_->{impact_factor} / 4 for @{$all->{execution}{rows}};
ok($factor{default} > $factor{binhop} && $factor{binhop} > $factor{coloring}, 'impact factors in order');
ok((grep { $_->{strategy} eq 'default' && $_->{p} < 0.02 } @{$all->{execution}{rows}}) == 4, 'and not by chance');
is_deeply([ map { $_->{executions} } grep { $_->{strategy} eq '(all)' } @{$all->{correlation}{rows}} ], [ (30) x 4 ],
	  'correlation of all strategies together');

# Boots as the highest level; single measurements.
my $boots = report('mean', gen('boots.csv', 'n=10', 'boots=5'));
is($boots->{mean}{rows}[0]{method}, 't over boots', 'five boots: boots');
is(report('mean', gen('each.csv', 'n=6', 'boots=6'))->{mean}{rows}[0]{method}, 't over executions',
   'an execution a boot: executions');
my $single = gen('single.csv', 'n=12', 'm=1', 'warm=0');
my $one = report('mean,unclassified,ranking,summary', $single);
is($one->{mean}{rows}[0]{method}, 'percentile', 'one measurement an execution: bootstrap');
is($one->{unclassified}{rows}[0]{resampled}, 'executions', 'of executions');
is_deeply([ sort keys %{{ map { ("$_->{statistic} $_->{measurements}" => 1) } @{$one->{ranking}{rows}} }} ],
	  [ 'mean single', 'unclassified single' ], 'ranked by what there is');
my $plan = report('mean', '--cost-ratio 100', $raw);
ok((grep { ($_->{planned_measurements} // 0) > 0 } @{$plan->{mean}{rows}}) > 6, 'measurements are planned');

# No interval without its estimate in it; of few measurements executions are resampled, of few of both nothing.
sub outside {
	my ($report) = @_;
	my ($all, @outside) = 0;
	for my $name (grep { ref $report->{$_} eq 'HASH' } sort keys %$report) {
		for my $row (@{$report->{$name}{rows}}) {
			for my $low (grep { /^(ratio_)?low/ && defined $row->{$_} } sort keys %$row) {
				my ($of, $unit) = $low =~ /^(ratio_)?low(.*)/;
				my ($key) = $of ? 'ratio' : grep { exists $row->{$_} } "mean$unit", "mean_change$unit", 'cv',
					'impact_factor', 'lag1', grep { /^rho/ } sort keys %$row;
				my ($x, $high) = @$row{$key, $low =~ s/low/high/r};
				$all++;
				push @outside, "$name: $key " . ($x // '-') . " [$row->{$low}, $high]"
					if !defined $x || $x < $row->{$low} || $x > $high;
			}
		}
	}
	return ($all, @outside);
}
my ($intervals, @outside) = outside($all);
cmp_ok($intervals, '>', 100, "$intervals intervals of 10 executions of 14 measurements");
is_deeply(\@outside, [], 'each has its estimate in it');
for my $between (0, 5) {
	my $file = gen('five.csv', 'n=12', 'm=5', "between=$between");
	my $five = report('all', $file);
	($intervals, @outside) = outside($five);
	is_deeply(\@outside, [], "12 executions of 5, apart by $between %: $intervals intervals, each with its estimate in it");
	is_deeply([ grep { defined $_->{low} && $_->{resampled} ne 'executions' } @{$five->{execution}{rows}} ], [], 'executions are resampled');
	cmp_ok(scalar(grep { defined $_->{low} } @{$five->{execution}{rows}}), '>=', 11, 'of 12 impact factors, 11 have an interval');
}
is_deeply([ map { $_->{resampled} // '-' } @{$all->{execution}{rows}} ], [ ('two stages') x 12 ], 'of 14 measurements, they are, too');
my $fewer_of_both = gen('both.csv', 'n=9', 'm=9');
my $both = report('execution,ranking', $fewer_of_both);
is_deeply([ grep { defined $_->{low} || defined $_->{high} || defined $_->{ratio_low} || defined $_->{resampled} || !defined $_->{impact_factor} ||
		   !defined $_->{ratio} || !defined $_->{p} } @{$both->{execution}{rows}} ], [], '9 executions of 9: factors without intervals');
is_deeply([ map { "$_->{cells} $_->{left_out}" } grep { $_->{statistic} eq 'execution' } @{$both->{ranking}{rows}} ], [ ('0 4') x 3 ],
	  'and they are not ranked');
like((run("$bench report $quick --view execution $fewer_of_both"))[1], qr/^program0 +size=512 +default +9 +9 +9 +[\d.]+ +- +- +- +[\d.]+ +[\d.]+ +- +- /m, 'text has - for them');

# Repeatable to the last digit, whatever else is in the file and in what order.
is_deeply(report('all', $raw), $all, 'again: the same');
my $text = slurp($raw);
my ($head) = $text =~ /\A(.*?\nsuite,[^\n]*\n)/s;
my @lines = split /(?<=\n)/, substr $text, length $head;
my (@first, @second);
push @{(split /,/)[4] ? \@second : \@first}, $_ for @lines;
spew("$dir/a.csv", join '', $head, @first);
spew("$dir/b.csv", join '', $head, @second);
is_deeply(report('all', "$dir/b.csv", "$dir/a.csv"), $all, 'in two files: the same');
spew("$dir/fewer.csv", join '', $head, grep { !/,program1,/ } @lines);
# What stands for no color function: none, and before that nothing.
spew("$dir/$_->[0]_color.csv", slurp("$dir/$_->[0].csv") =~ s/\n\K/# color_function: $_->[1]\n/r) for [ 'a', '' ], [ 'b', 'none' ];
is_deeply(report('mean', "$dir/a_color.csv", "$dir/b_color.csv")->{mean}, $all->{mean}, 'no color function in both: the same');
my $fewer = report('unclassified,execution', "$dir/fewer.csv");
for my $view ('unclassified', 'execution') {
	is_deeply($fewer->{$view}{rows}, [ grep { $_->{benchmark} eq 'program0' } @{$all->{$view}{rows}} ],
		  "$view: without a program, the others have the same numbers");
}
isnt((run("$bench report $quick --view unclassified --seed 2 $raw"))[1],
     (run("$bench report $quick --view unclassified $raw"))[1], 'another seed, other numbers');

# Scaled: what has no unit stays.  Names exchanged: the rows are exchanged.
spew("$dir/scaled.csv", join '', $head, map { s/(wall_time,s),(.*)/"$1," . $2 * 1024/er } @lines);
my $scaled = report('all', "$dir/scaled.csv");
for my $name (qw(measurement unclassified execution ranking pairs mindiff mindiff_execution correlation)) {
	is_deeply($scaled->{$name}, $all->{$name}, "$name: 1024 times the values");
}
my %other = (default => 'zzz', coloring => 'default', binhop => 'coloring', zzz => 'binhop');
spew("$dir/renamed.csv", join '', $head, map { s/,(coloring|binhop),/",$other{$1}x,"/er } grep { 1 } @lines);
my $renamed = report('ranking', "$dir/renamed.csv");
my %rank = map { ("$_->{statistic} $_->{strategy}" => join ' ', @$_{qw(rank_1_pct rank_2_pct rank_3_pct)}) } @{$all->{ranking}{rows}};
my %again = map { ("$_->{statistic} $_->{strategy}" => join ' ', @$_{qw(rank_1_pct rank_2_pct rank_3_pct)}) } @{$renamed->{ranking}{rows}};
# Seeds go by names: only what has no chance in it is equal.
is_deeply([ @again{'mean default', 'mean defaultx', 'mean coloringx'} ], [ @rank{'mean default', 'mean coloring', 'mean binhop'} ],
	  'strategies renamed: the same ranks');
# First ranks grow with the minimum difference, to all.
for my $row (@{$all->{mindiff}{rows}}, @{$all->{mindiff_execution}{rows}}) {
	my @p = map { $row->{$_} } sort { ($a =~ /(\d+)$/)[0] <=> ($b =~ /(\d+)$/)[0] } grep { /^first/ } keys %$row;
	ok(!(grep { $p[$_] < $p[$_ - 1] } 1 .. $#p), "$row->{statistic} $row->{strategy}: @p") or last;
}
ok(!(grep { $_->{rank_1_pct} != 100 } @{report('ranking', '--min-diff 1000000000', $raw)->{ranking}{rows}}),
   'no difference is large enough: all are first');

# The misses of the last cache level: those of the model, or else those of the processor's counter.
spew("$dir/llc.csv", $text =~ s/L2_misses/LLC_misses/gr);
is_deeply(report('correlation', "$dir/llc.csv")->{correlation}{rows},
	  [ map { my %row = %$_; $row{rho_LLC_misses} = delete $row{rho_L2_misses}; \%row } @{$all->{correlation}{rows}} ], 'LLC_misses without --misses');
spew("$dir/both_misses.csv", $text =~ s/^(.*,)L2_misses(,.*\n)/$1L2_misses$2$1LLC_misses$2/mgr);
ok(exists report('correlation', "$dir/both_misses.csv")->{correlation}{rows}[0]{rho_L2_misses}, 'L2_misses beside them come first');

# The canary has wall_time only.
my $canary = gen('canary.csv', 'n=10', 'm=14', 'canary=1');
my $drift = report('checks', $canary)->{drift}{rows};
ok(@$drift > 0, 'a canary: drift');
is_deeply(report('checks', '--metric L2_misses', $canary)->{drift}{rows}, $drift, 'the same beside another metric');

# The longer it takes, the surer is the drift: also if there is no exception, and rho has no interval.
for ([ 'rising', 'drifts', 0 .. 4 ], [ 'falling', 'drifts', 4, 3, 2, 1, 0 ], [ 'in no order', 'fine', 2, 4, 0, 3, 1 ],
     [ 'always the same', 'not known', (0) x 5 ]) {
	my ($name, $machine, @order) = @$_;
	my $at = 0;
	spew("$dir/drift.csv", slurp($canary) =~ s/^([^,\n]*,canary,.*),[^,\n]*$/"$1," . (20 + $order[$at++ % 5]) \/ 1000/emgr);
	my $rows = report('checks', "$dir/drift.csv")->{drift}{rows};
	is_deeply([ map { $_->{machine} } @$rows ], [ ($machine) x 2 ], "a canary $name: $machine");
	is_deeply([ map { $_->{low} } @$rows ], [ (undef) x 2 ], 'without an interval') if $machine ne 'fine';
}
my $brief = gen('brief.csv', 'n=8');
my $at = 0;
spew("$dir/drift.csv", slurp($brief) =~ s/^([^,\n]*,canary,.*),[^,\n]*$/"$1," . (20 + $at++) \/ 1000/emgr);
is_deeply([ map { $_->{machine} } @{report('checks', "$dir/drift.csv")->{drift}{rows}} ], [ ('not known') x 2 ], '4 runs that rise: not known');

# A setting that is not UTF-8 is text of JSON all the same.
spew("$dir/bytes.csv", slurp($canary) =~ s/^# kernel: \K/\xff/mr);
like(join("\n", @{report('mean', "$dir/bytes.csv")->{about} // []}), qr/\x{fffd}/, 'a byte that is none becomes U+FFFD');

# Refusals: said once, with the file, and no number.
my $few = gen('few.csv', 'n=4');
my $short = gen('short.csv', 'm=3');
spew("$dir/hole.csv", join '', $head, grep { !/,program1,size=512,binhop,/ } @lines);
spew("$dir/lone.csv", join '', $head, grep { /,default,/ } @lines);
spew("$dir/many.csv", join '', $head, map { my $i = $_; map { s/,default,/,strategy$i,/r } grep { /,default,/ } split /^/, slurp($single) } 1 .. 18);
spew("$dir/mixed.csv", join '', $head, map { s/^(.*,misses,)/$1/r } grep { !/,3,\d+,\d,\d+,L2_misses,/ } @lines);
spew("$dir/cut.csv", substr $text, 0, 3000);
spew("$dir/kernel.csv", slurp(gen('k.csv', 'kernel=6.1')));
spew("$dir/empty.csv", '');
my $plain = gen('plain.csv', 'misses=0', 'n=5');
my @refused = (
	[ 1, "report $few", qr/few\.csv: too few executions that ended, at least 5 are needed: program0 size=1024 binhop: 4; / ],
	[ 1, "plot ranking $few -o $dir/out.png", qr/few\.csv: too few executions/ ],
	[ 1, "report $raw --metric cycles", qr/raw\.csv: no metric cycles, but wall_time, L2_misses/ ],
	(map { [ 1, "$_ $plain", qr/plain\.csv: no metric L1_misses, L2_misses, \.\.\. or LLC_misses, but wall_time \(see pagealloc bench model\)$/ ] }
	 'report --view correlation', "plot misses -o $dir/out.png"),
	(map { [ 1, "$_ --misses L3_misses $raw", qr/raw\.csv: no metric L3_misses, but wall_time, L2_misses \(see/ ] }
	 'report --view correlation', "plot misses -o $dir/out.png"),
	[ 1, "report --view execution $short", qr/short\.csv:\d+: program0 size=1024 binhop: an execution has 3 measurements after the warm-up, an impact factor needs 4/ ],
	[ 1, "report --view execution $single", qr/no experiment has several measurements/ ],
	[ 1, "report --view ranking $dir/hole.csv", qr/hole\.csv: program1 size=512 has no strategy binhop/ ],
	[ 1, "report --view ranking $dir/lone.csv", qr/lone\.csv: one strategy \(default\): nothing to compare/ ],
	(map { [ 1, "$_ $dir/many.csv", qr/many\.csv: 18 strategies, at most 15 can be ranked \(see --strategies\)/ ] }
	 'report --view ranking', "plot ranking -o $dir/out.png"),
	[ 1, "report --metric L2_misses $dir/mixed.csv", qr/mixed\.csv:\d+: program\d .*: no L2_misses in execution \d/ ],
	[ 1, "report $dir/cut.csv", qr/cut\.csv:\d+: / ],
	[ 1, "report $raw $dir/kernel.csv", qr/kernel\.csv:3: mixed: kernel is 6\.1, in .*raw\.csv:3 it is 6\.12\.0-test/ ],
	[ 1, "report $raw $raw", qr/raw\.csv:\d+: execution \d of .* twice/ ],
	[ 1, "report $dir/empty.csv", qr/empty\.csv:1: empty/ ],
	[ 1, "report $dir/none.csv", qr/none\.csv: No such file/ ],
	[ 1, "report $dir", qr/raw\.csv: / ],
	[ 1, "report $raw -o $raw", qr/raw\.csv: holds the results, is not overwritten/ ],
	[ 1, "plot ranking $raw -o $dir/raw.png", qr/raw\.csv: holds the results, is not overwritten/ ],
	[ 1, "plot executions $raw -o $dir/out.png", qr/choose one by --benchmark and --config: program0 size=1024, / ],
	[ 1, "plot executions $raw --benchmark none -o $dir/out.png", qr/no such benchmark/ ],
	[ 1, "report $raw --strategies default,exact", qr/strategy exact: not in it/ ],
	[ 2, 'report', qr/; see .* --help$/ ], [ 2, 'plot', qr/; see .* --help$/ ], [ 2, "plot ranking -o $dir/out.png", qr/; see .* --help$/ ],
	[ 2, "plot fly $raw -o $dir/out.png", qr/fly: no such plot/ ],
	[ 2, "plot ranking $raw", qr/-o PICTURE: name a file/ ],
	[ 2, "plot ranking $raw -o $dir/out.gif", qr/-o PICTURE: name a file/ ],
	[ 2, "plot ranking $raw --statistic mode -o $dir/out.png", qr/--statistic mode: not mean/ ],
	[ 2, "report --view fly $raw", qr/--view fly: fly is no view/ ],
	[ 2, "report --view mean,mean $raw", qr/mean twice/ ],
	[ 2, "report --view mean, $raw", qr/nothing is no view/ ],
	[ 2, "report --seed x $raw", qr/--seed x: not a number/ ],
	[ 2, "report --replicates 10 $raw", qr/--replicates 10: not/ ],
	[ 2, "report --group-pairs 1 $raw", qr/--group-pairs 1: not/ ],
	[ 2, "report --min-diff -1 $raw", qr/--min-diff -1: not/ ],
	[ 2, "report --cost-ratio 0 $raw", qr/--cost-ratio 0: not/ ],
	[ 2, "report -f gif $raw", qr/--format gif: not/ ],
);
# A directory stands for the raw.csv in it, but this one is the made-up one: break it for a moment.
rename $raw, "$raw.kept";
my @gone = grep { $_->[1] eq "report $dir" } @refused;
is((run("$bench report $dir"))[0], 1, 'a directory without raw.csv');
rename "$raw.kept", $raw;
is((run("$bench report $dir"))[0], 0, 'a directory with it');
for (grep { $_->[1] ne "report $dir" } @refused) {
	my ($status, $command, $message) = @$_;
	my ($got, $out, $err) = run("$bench $command");
	is($got, $status, "$command: status $status") or diag $err;
	like($err, $message, 'says why') or diag $err;
	is($out, '', 'and no number');
	unlike($err, qr/\n./, 'once') if $status == 1;
	ok(!glob("$dir/out*"), 'nothing is left');
}
is(slurp($raw), $text, 'the results are as they were');

# Incomplete executions are left out, and counted.
spew("$dir/again.csv", $text =~ s/^(made-up,program0,size=512,default,0,0,0,0,.*?\n)/$1/mr .
	"made-up,program0,size=512,default,1,77,77,0,0,9999,wall_time,s,100\n");
my $again = report('mean', "$dir/again.csv");
is_deeply($again->{mean}, $all->{mean}, 'an execution that did not end changes nothing');
ok((grep { $_ eq '1 executions did not end and are left out' } @{$again->{about}}), 'and is counted');

# Pictures.
for ([ 'ranking', '' ], [ 'ranking', '--statistic execution' ], [ 'ecdf', '' ], [ 'misses', '' ],
     [ 'misses', '--benchmark program0 --config size=512' ],
     [ 'executions', '--benchmark program0 --config size=512 --metric L2_misses' ]) {
	my ($kind, $options) = @$_;
	for my $ext ('png', 'svg') {
		my ($status, $out, $err) = run("$bench plot $kind $quick $options $raw -o $dir/out.$ext");
		is("$status$out$err", '0', "plot $kind $options: $ext");
		like(slurp("$dir/out.$ext"), $ext eq 'png' ? qr/^\x89PNG/ : qr/<svg/, 'a picture');
		like(slurp("$dir/out.csv"), qr/strategy/, 'and its data');
		# By hand.
		($status, $out, $err) = run("gnuplot -e \"csv='$dir/out.csv'; out='$dir/hand.png'; plots='$FindBin::RealBin/../../../plots'\" " .
					    "$FindBin::RealBin/../../../plots/bench-$kind.gp");
		is("$status$err", '0', 'the script draws it by hand, too') if $ext eq 'png';
		is(scalar(my @left = glob("$dir/out*")), 2, 'nothing else is left');
		unlink glob("$dir/out*");
	}
}
my $svg = (run("$bench plot executions $raw --benchmark program0 --config size=512 -o $dir/out.svg && cat $dir/out.svg"))[1];
like($svg, qr/>\s*wall_time \(s\)</, 'axes have units');
unlink glob("$dir/out*");

# Damaged files and the build with sanitizers: a refusal, or numbers, but no crash.
my $sanitized = "$build/tools-sanitize/bin/pagealloc";
{
	# With MEMSCOPE_BUILT=1, it is: other tests run it meanwhile.
	ok($ENV{MEMSCOPE_BUILT} ? -x $sanitized :
	   system('make', '-s', '-C', "$FindBin::RealBin/../..", "O=$build", 'SANITIZE=1', $sanitized) == 0, 'built with sanitizers');
	my ($status, undef, $err) = run("$sanitized bench report $quick --view all $raw");
	is("$status $err", '0 ', 'sanitizers: all views');
	my $small = slurp(gen('small.csv', 'n=5', 'm=4', 'benchmarks=1'));
	srand $seed;
	my $bad = '';
	for (1 .. ($ENV{MEMSCOPE_FUZZ} // 40)) {
		my $copy = $small;
		my $at = int rand length $copy;
		my $how = int rand 4;
		$how == 0 ? substr($copy, $at) = '' :
		$how == 1 ? substr($copy, $at, 1) = chr int rand 256 :
		$how == 2 ? substr($copy, $at, int rand 200) = '' :
			    (substr($copy, $at, 0) = substr $copy, int rand length $copy, int rand 200);
		spew("$dir/fuzz.csv", $copy);
		($status, my $out, $err) = run("$sanitized bench report --replicates 39 --group-pairs 10 --view all $dir/fuzz.csv");
		my $fine = $status == 0 ? $err eq '' : $status == 1 && $out eq '' && $err =~ /\Apagealloc: $dir\/fuzz\.csv:.*\n\z/;
		next if $fine;
		$bad = "seed $seed, file $_: status $status: $err";
		last;
	}
	is($bad, '', "damaged files (seed $seed)");
}

# Manual pages.
for my $verb ('report', 'plot') {
	my $page = "$FindBin::RealBin/../../../docs/man/pagealloc-bench-$verb.1";
	is((run("man --warnings -l $page >/dev/null"))[2], '', "pagealloc-bench-$verb(1) is well-formed");
	my $help = (run("$bench $verb --help"))[1];
	my $man = slurp($page) // '';
	my @missing = grep { my $o = s/-/\\-/gr; index($man, $o) < 0 } $help =~ /(--[a-z0-9-]+)/g;
	is_deeply(\@missing, [], 'it has all options');
}
done_testing;
