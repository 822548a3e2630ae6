#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# dprof: options have an effect in the views that they are for and are refused in others, and
# those that match nothing fail.
use strict;
use warnings;
no warnings 'portable';
use FindBin;
use lib "$FindBin::RealBin/../../tests";
use JSON::PP;
use Test::More;
use Tool;

my $dprof = "$build/bin/dprof";

# Two types that two CPUs share and miss, with histories, allocations and call chains, and one with
# samples alone; of two tasks and nodes.
my ($text, $time, $id) = ("# dprof events 1\nhost testbox, Linux 6.12\n", 1_000_000_000, 0);
my @names = qw(alloc_foo alloc_bar alloc_baz fill scan drop);
my %function = map { ($names[$_] => 0xffffffff81000000 + 0x1000 * $_) } 0 .. $#names;
my %level = (l1 => 1 << 33, l2 => 2 << 33, l3 => 3 << 33, dram => 13 << 33, peer => 3 << 33 | 0x10 << 19);

sub event {
	my ($cpu, $name, $fields) = @_;
	my $pid = $cpu + 1;

	$text .= "$time $cpu $pid $name $fields\n";
	$time += 100;
}

sub sample {
	my ($cpu, $function, $type, $base, $offset, $op, $level, $latency) = @_;
	my ($ip, $addr) = ($function{$function} + 8 + $offset, $base + $offset);

	event($cpu, 'dprof_sample', "ip=$ip addr=$addr base=$base type=$type offset=$offset width=8 source=1 op=$op " .
	      "data_src=" . ($level{$level} | $op << 1) . " latency=$latency home=" . (1 + int($offset / 64)) . ' cpu_home=' . ($cpu + 1));
	event($cpu, 'dprof_chain', 'frames=' . join ',', 0xffffffff81009010, $ip, $function{drop} + $cpu);
}

$text .= sprintf "symbol %x t %s\n", $function{$_}, $_ for @names;
$text .= "symbol ffffffff81009000 t asm_exc_nmi\n";
for ([ 20, 'foo' ], [ 21, 'bar' ], [ 22, 'baz' ]) {
	my ($type, $name) = @$_;
	event(0, 'dprof_type', "id=$type class=1 size=128 cache=$name func=alloc_$name file=$name.c line=1");
}
for my $i (0 .. 199) {
	my $type = 20 + ($i % 3 == 0);
	my $base = 0xffff888000100000 + 4096 * ($i % 50) + 128 * ($type - 20);
	my ($alloc, $free) = ($function{$type == 20 ? 'alloc_foo' : 'alloc_bar'} + 9, $function{drop} + 4);

	$id++;
	event(0, 'dprof_alloc', "base=$base ip=$alloc type=$type size=128");
	event(0, 'dprof_history', "id=$id base=$base type=$type size=128 ip=$alloc offset=0,8,64,0 len=8,8,8,0 slots=3");
	my @accesses = ([ 0, 'fill', 0, 2 ], [ 1, 'scan', 8, 1 ], [ 0, 'scan', 64, 3 ]);
	# Some take a shorter path.
	pop @accesses if $i % 5 == 0;
	my $since = 0;
	for (@accesses) {
		my ($cpu, $function, $offset, $op) = @$_;
		$since += 100;
		event($cpu, 'dprof_access', "id=$id ip=" . ($function{$function} + 8 + $offset) .
		      " since=$since type=$type offset=$offset len=8 op=$op");
	}
	sample(0, 'fill', $type, $base, 0, 2, $i % 2 ? 'l1' : 'l2', 10);
	sample(1, 'scan', $type, $base, 8, 1, (qw(peer l2 dram peer))[$i % 4], 50 + 50 * ($i % 4));
	sample(1, 'scan', $type, $base, 0, 1, (qw(peer l3 peer))[$i % 3], 90);
	sample(0, 'scan', $type, $base, 64, 3, $i % 5 ? 'l3' : 'dram', 200);
	event(1, 'dprof_history_end', "id=$id ip=$free lifetime=3000 accesses=" . @accesses);
	event(1, 'dprof_free', "base=$base ip=$free type=$type");
	sample(int($i / 7) % 2, 'fill', 22, 0xffff888000800000 + 4224 * ($i * 7 % 90), 8, 1 + $i % 2, (qw(l1 dram l2 l3 peer))[$i % 5], 30);
}
my $file = spew("$dir/all.txt", $text);

# --- options that only some views have ---------------------------------------------

my @views = qw(profile classify workingset assoc-sets dataflow paths sharing lines c2c latency code structs callers levels cpus nodes);
my @simulated = qw(classify workingset assoc-sets sharing);
my @typed = grep { !/^(levels|cpus|nodes)$/ } @views;
my %example = (level => 'l3', cache => '4K:1', 'per-sample' => 7, seed => 2, type => 'bar', top => 1, by => 'ip');
my %for = (
	report => { level => [ 'profile', @simulated, 'code', 'structs', 'callers' ], (map { $_ => \@simulated } qw(cache per-sample seed)),
		    type => \@typed, top => \@typed, by => [ qw(classify paths code) ] },
	plot => { (map { $_ => [ qw(assoc-sets sharing) ] } qw(level cache per-sample seed top)),
		  type => [ qw(assoc-sets dataflow sharing) ] },
);
my %views = (report => \@views, plot => [ qw(assoc-sets dataflow sharing) ]);

sub listed { return join(', ', @_) =~ s/(.*), /$1 and /r }

for my $verb (sort keys %for) {
	my $help = (run("$dprof $verb --help"))[1] =~ s/\s+/ /gr;
	for my $option (sort keys %{$for{$verb}}) {
		my %has = map { $_ => 1 } @{$for{$verb}{$option}};
		my ($in, $out) = ([ grep { $has{$_} } @{$views{$verb}} ], [ grep { !$has{$_} } @{$views{$verb}} ]);
		my $but = 2 * @$out < @$in;
		my $said = !@$out ? 'show' : join(', ', $but ? "all but $out->[0]" : $in->[0], @{$but ? $out : $in}[1 .. ($but ? $#$out : $#$in)]) . ':';
		like($help, qr/--$option [A-Z:|\w]+ \Q$said\E/, "$verb --help says which views --$option is for");
		for my $view (@$out) {
			my ($status, $printed, $err) = run("$dprof $verb $view $file -o $dir/refused.svg --$option $example{$option}");
			my $why = $but ? 'views ' . listed(@$out) : "view $view, only for " . listed(@$in);
			is("$status$printed$err", "2dprof: --$option: not for the $why; see dprof $verb --help\n", "$verb $view --$option is refused");
			ok(!-e "$dir/refused.svg", '... and nothing is written');
		}
	}
}
# What has DWARF: no function of the recording is in it.
is(system("echo 'int any;' >$dir/any.c && gcc -g -c -o $dir/any.o $dir/any.c"), 0, 'an object file');
for my $view (@views) {
	my $file = $view eq 'structs' ? "$file --vmlinux $dir/any.o" : $file;
	my ($status, $plain) = run("$dprof report $view $file -f csv");
	is($status, 0, "report $view");
	cmp_ok(scalar(() = $plain =~ /\n/g), '>', 1, '... has rows');
	for my $option (sort keys %{$for{report}}) {
		next if !grep { $_ eq $view } @{$for{report}{$option}};
		($status, my $out) = run("$dprof report $view $file -f csv --$option $example{$option}");
		is($status, 0, "report $view --$option");
		isnt($out, $plain, '... has an effect');
	}
	for my $option ('--tid 1', '--cpu 1') {
		($status, my $out) = run("$dprof report $view $file -f csv $option");
		is($status, 0, "report $view $option");
		isnt($out, $plain, '... has an effect');
	}
}
# Values of --by: paths and code have none but ip.
for my $view (@views) {
	for my $by (qw(type field ip)) {
		next if $view eq 'classify' || ($by eq 'ip' && $view =~ /^(paths|code)$/);
		my $option = $view =~ /^(paths|code)$/ ? "--by $by" : '--by';
		my $only = $option eq '--by' ? 'classify, paths and code' : 'classify';
		for my $more ('', ' --explain') {
			next if $more && $option eq '--by';
			my ($status, $out, $err) = run("$dprof report $view $file --by $by$more");
			is("$status$out$err", "2dprof: $option: not for the view $view, only for $only; see dprof report --help\n",
			   "report $view --by $by$more is refused");
		}
	}
}
for my $view (qw(classify paths code)) {
	my $plain = (run("$dprof report $view $file -f csv"))[1];
	for my $by ($view eq 'classify' ? qw(field ip) : 'ip') {
		my ($status, $out) = run("$dprof report $view $file -f csv --by $by");
		is($status, 0, "report $view --by $by");
		isnt($out, $plain, '... has an effect');
	}
}
is((run("$dprof report classify $file -f csv --by type"))[1], (run("$dprof report classify $file -f csv"))[1],
   'report classify --by type is the default');
for ([ 'plot sharing', "--by: no such option (did you mean --btf?); see dprof plot --help" ], [ "diff $file", "--by: no such option (did you mean --btf?); see dprof diff --help" ],
     [ 'layout foo', "--by: no such option (did you mean --btf?); see dprof layout --help" ]) {
	my ($command, $says) = @$_;
	my ($status, $out, $err) = run("$dprof $command $file --by field");
	is("$status$out", '2', "$command --by field is refused");
	is($err, "dprof: $says\n", '... says why');
}
for ([ diff => qw(cache per-sample seed) ], [ layout => qw(top type) ]) {
	my ($verb, @options) = @$_;
	for my $option (@options) {
		my ($status, $out, $err) = run("$dprof $verb foo $file --$option $example{$option}");
		is("$status$out", '2', "$verb --$option is refused");
		like($err, qr/^dprof: --$option: no such option/, '... says why');
	}
}

# --- options that match nothing -----------------------------------------------------

my %nothing = ('--tid 7' => [ sample => \@views ], '--cpu 9,5-7' => [ sample => [ 'levels', 'sharing' ] ],
	       '--tid 7 --type bar' => [ sample => [ 'profile' ] ], '--type none' => [ type => \@typed ]);
for my $options (sort keys %nothing) {
	my ($what, $of) = @{$nothing{$options}};
	my $says = "dprof: no $what matches " . ($options =~ s/9,5-7/5-7,9/r) . "\n";
	for my $view (@$of) {
		my ($status, $out, $err) = run("$dprof report $view $file $options -f json");
		is("$status$err", "1$says", "report $view $options: status 1, and what matches nothing, in a line");
		my $rows = decode_json($out)->{rows};
		is_deeply($rows, [], '... no rows') if $what eq 'type' || $view =~ /^(profile|sharing|lines|c2c|latency|code|levels|cpus|nodes)$/;
		next if $view !~ /^(assoc-sets|dataflow|sharing)$/;
		($status, $out, $err) = run("$dprof plot $view $file $options -o $dir/nothing.svg");
		is("$status$out$err", "1$says", "plot $view $options: status 1");
		is(join(' ', glob("$dir/nothing*")), '', '... and no picture');
	}
}
my ($header) = (run("$dprof report profile $file -f csv"))[1] =~ /^(.*\n)/;
is((run("$dprof report profile $file --type none -f csv"))[1], $header, 'CSV has its header');
spew("$dir/nothing.csv", "old\n");
for my $command ("report profile $file --tid 99", "report profile $file --cpu 99", "report profile $file --type none",
		 "diff $file $file --tid 99") {
	is((run("$dprof $command -f csv -o $dir/nothing.csv"))[0], 1, ($command =~ s/\Q$dir\E\///gr) . ' -o: status 1');
	is(slurp("$dir/nothing.csv"), "old\n", '... and an older file stays');
}
unlink "$dir/nothing.csv";
my $without = spew("$dir/without.txt", join '', grep { !/type=22|id=22|dprof_chain/ } split /^/, $text);
for ([ "$file $without --type baz", '0', 2 ], [ "$file $file --type none", "1dprof: no type matches --type none\n", 1 ],
     [ "$file $file --tid 7 --type baz", "1dprof: no sample matches --tid 7 --type baz\n", 1 ]) {
	my ($what, $says, $lines) = @$_;
	my ($status, $out, $err) = run("$dprof diff $what -f csv");
	is("$status$err", $says, "diff $what" =~ s/\Q$dir\E\///gr);
	is(scalar(() = $out =~ /\n/g), $lines, '... and its table');
}
for ([ 'layout none', 'no type none in the recording' ], [ 'layout none --tid 1', 'no sample of none matches --tid 1' ],
     [ 'layout baz --tid 7', 'no sample of baz matches --tid 7' ], [ 'layout foo --tid 7,8 --cpu 9', 'no sample of foo matches --tid 7,8 --cpu 9' ]) {
	my ($layout, $says) = @$_;
	my ($status, $out, $err) = run("$dprof $layout $file");
	is("$status$out$err", "1dprof: $file: $says\n", "$layout: status 1, and what matches nothing");
}

# Whether the recording lacks hits does not depend on the samples that are chosen: CPU 1 misses always.
my $dram = 13 << 33;
my $missed = spew("$dir/missed.txt", join '', map { /^\d+ 1 \d+ dprof_sample/ ? s/data_src=\K\d+/$dram | 2/er : $_ }
		  grep { !/dprof_(?:history|access|chain)/ } split /^/, $text);
my $all = spew("$dir/missed_all.txt", slurp($missed) =~ s/data_src=\K\d+/$dram | 2/egr);
for my $options ('', ' --cpu 1', ' --tid 2', ' --cpu 1 --type bar') {
	my ($status, $out, $err) = run("$dprof report classify $missed -f csv$options");
	is("$status$err", '0', "classify$options, of a recording that has hits");
	($status, $out, $err) = run("$dprof report classify $all -f csv$options");
	is($status, 1, '... and of one that has none: status 1');
	like($err, qr/missed_all\.txt: all samples are misses of the L3 \(dprof record --l3-miss-only or --ldlat\)/, '... says why');
}

ok(read_under_sanitizers(), 'no report of the sanitizers');
done_testing();
