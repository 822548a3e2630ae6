#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# memref top, export, html and cut: the same numbers as the events, whatever
# way they are looked at; and nothing left behind.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use Encode qw(decode);
use IO::Uncompress::Inflate qw(inflate);
use JSON::PP;
use Test::More;
use VM;

# The guest has a /tmp of its own, and the build may be in the host's.
system 'cp', "$build/bin/memref", "$build/bin/pagetest", $share;
intervals_program();
my @kernel = $ENV{MEMSCOPE_KERNEL} ? ('--kernel', $ENV{MEMSCOPE_KERNEL}) : ();
my $vm = vm(@kernel, '--root', 'host', '--share', $share, '--timeout', 900,
	    '--numa', 2, '--env', 'PATH=/share:/usr/sbin:/usr/bin:/sbin:/bin', '--', 'sh', '-c', <<'EOT');
cd /sys/kernel/tracing
state() { echo "$(cat memref/interval_ms) [$(cat memref_pid)] [$(ls instances)] $(cat events/memref/enable)"; }
echo 400 >memref/interval_ms
echo 1024 >memref/group_kb
[ ! -e memref/cpu_max ] || echo 0 >memref/cpu_max
echo "events $(ls events/memref | tr '\n' ' ')"
echo "before $(state)"

# Both see the same intervals, however long they take.
trace-cmd record -q -e memref -e sched:sched_process_exec -o /share/trace.dat sh -c '
	pagetest --size 32M --iterations 1000 --sleep 300 >/dev/null &
	sleep 1
	/bin/true
	memref top --intervals 12 >/share/top.txt
	echo "top $?" >/share/top.status
	kill %1' || exit 1
cat /share/top.status
echo "after $(state)"

memref top -i 200 | head -n 2 >/share/head.txt
echo "head $(state)"
for signal in INT TERM HUP; do
	memref top -i 100 -p $$ >/share/signal.txt &
	top=$!
	# Until there is an interval, however busy the host.
	for wait in $(seq 300); do
		[ $(wc -l </share/signal.txt) -lt 2 ] || break
		sleep 0.2
	done
	kill -$signal $top
	wait $top
	echo "$signal $? $(state)"
done
memref top -i 100 >/dev/null &
top=$!
# Until it is at work, however busy the host.
for wait in $(seq 300); do
	[ -z "$(ls instances)" ] || break
	sleep 0.2
done
kill -KILL $top
wait $top 2>/dev/null
# The guard of a killed one takes a moment.
for wait in $(seq 300); do
	[ -n "$(ls instances)$(ls /run/memscope)" ] || break
	sleep 0.2
done
echo "left [$(ls instances)]"
echo 400 >memref/interval_ms
memref top --once >/share/once.txt
echo "once $? $(state)"
# On a terminal: keys, sizes, and a terminal that is as before.
export LC_ALL=C.UTF-8
t() { tmux -S /tmp/tmux -f /dev/null "$@"; }
# Until the screen has it, however busy the host.
see() {
	for wait in $(seq 300); do
		t capture-pane -p >/tmp/screen
		! grep -q -- "$1" /tmp/screen || { echo "seen $1"; return; }
		sleep 0.2
	done
	echo "not seen $1"
	cat /tmp/screen
}
# By a name that no other process has.
cp "$(command -v pagetest)" /tmp/shown
/tmp/shown --size 32M --iterations 100000 --sleep 50 >/dev/null &
load=$!
t new-session -d -x 80 -y 24 sh
t send-keys "stty -g >/tmp/before; memref top -i 200 --ages; echo q \$? >/tmp/q; stty -g >/tmp/after; echo the end" Enter
see '^memref top: interval [0-9]* took .*ended [0-9]* s ago'
see '^user  .* MiB .*% █'
see '^node 1 .* MiB: kernel'
see 'shown  *3[0-9]\.[0-9] MiB'
t send-keys '<'
see ' command▲ '
t send-keys '<' 'r'
see ' pid▼ '
t send-keys -l /shown
see '^filter: shown'
t send-keys Enter
see 'filter "shown": 1 of [0-9]* processes'
t send-keys p
# Else there is nothing to tell.
see '^PAUSED: [1-9][0-9]* intervals since'
t send-keys p
see '[0-9] intervals passed while paused'
t send-keys h
see '^q  *quit'
t send-keys x a
t send-keys / C-u
t send-keys -l 'class anon'
t send-keys Enter
see '^class anon  .* MiB .* MiB '
t resize-window -x 40 -y 10
see '^interval [0-9]* took [0-9.]* s, ended'
cp /tmp/screen /share/small
t send-keys q
see '^the end'
t kill-server
kill $load
echo "$(cat /tmp/q) $(state)"
cmp /tmp/before /tmp/after && echo 'terminal as before'
TERM=no-such script -qec 'memref top -i 200 --intervals 2' /share/unknown >/dev/null
for input in '</dev/null' '<&-'; do
	TERM=linux script -qec "memref top -i 200 --intervals 2 $input" /dev/null >/dev/null
	echo "input $input $? $(state)"
done
TERM=dumb script -qec 'memref top -i 200 --intervals 2' /share/dumb >/dev/null
for bad in '-i 5' '-i x' '-p 999999' '-n 0' 'word'; do
	memref top $bad 2>&1
	echo "bad $? $(state)"
done

# More events than the buffer holds, and a compressed file with many pages.
echo 64 >memref/group_kb
trace-cmd record -q -b 4 -s 1000000 -e memref -o /share/lost.dat \
	memref top -i 10 --intervals 300 >/dev/null
# Not to the share: a write there takes as long as the host does, and events would be lost meanwhile.
memref record -i 20 -o /tmp/long.dat -- sh -c \
	'pagetest --size 128M --iterations 100000 --sleep 50 >/dev/null & intervals 120; kill $!'
cp /tmp/long.dat /share
EOT
is($vm->{status}, 0, 'the guest came to its end') or diag $vm->{err}, $vm->{out};
my $memref = "$build/bin/memref";
my $trace = "$share/trace.dat";

sub run {
	my ($command) = @_;
	my $text = `$command 2>$share/err`;
	return ($? & 127 ? 128 + ($? & 127) : $? >> 8, $text, slurp("$share/err") // '');
}

# top: the columns are those of report, the settings as before.
my ($before) = $vm->{out} =~ /^before (.*)$/m;
like($before, qr/^400 \[\] \[\] 0$/, 'the settings before');
like($vm->{out}, qr/^top 0$/m, 'top -n: status 0');
my %wss = map { my @c = split /,/; ($c[0] => join ' ', @c[3 .. 6]) } split /\n/, `$memref report wss $trace -f csv`;
my @top = map { [ split ] } split /\n/, slurp("$share/top.txt");
is(scalar @top, 13, 'a line for each interval, and one for the names');
is_deeply([ map { "$_->[0] @$_[3 .. 6]" } @top ], [ map { "$_->[0] $wss{$_->[0]}" } @top ],
	  'top: the same working sets as the recording');
is(scalar(grep { @$_ == 12 } @top), 13, 'as many columns in each line');
for my $what ('after', 'head', 'INT 0', 'TERM 0', 'HUP 0', 'once 0', 'q 0') {
	like($vm->{out}, qr/^\Q$what $before\E$/m, "$what: the settings as before, no instance");
}
is(scalar(split /\n/, slurp("$share/head.txt")), 2, 'top | head');
# Processes, and pages by node.
my ($events) = $vm->{out} =~ /^events (.*)$/m;
like($events, qr/\b$_\b/, "the kernel has $_") for qw(memref_task memref_node);
{
	ok(scalar(grep { $_->[11] =~ /\bpagetest\[\d+\]:3[2-4]\.\d/ } @top), 'top: the process and its memory')
		or diag map { "@$_\n" } @top;
}
{
	my @off = grep { my ($a, $b) = $_->[10] =~ /^0:([\d.]+),1:([\d.]+)$/;
			 !defined $a || abs($a + $b - $_->[6]) > 0.002 } @top[1 .. $#top];
	is(scalar @off, 0, 'top: the nodes come to the total') or diag map { "@$_\n" } @off;
}
like($vm->{out}, qr/^left \[\]$/m, 'killed, its guard removes the instance');
like(slurp("$share/signal.txt"), qr/ selected /, 'top -p: flags in words');
unlike($vm->{out}, qr/^not seen/m, 'top on a terminal: what each key shows') or diag $vm->{out};
is((() = $vm->{out} =~ /^seen /mg), 14, 'all of them were tried');
my ($widest) = sort { $b <=> $a } map { length decode('UTF-8', $_) } split /\n/, slurp("$share/small");
ok($widest <= 40, "no wider than the terminal: $widest");
like($vm->{out}, qr/^terminal as before$/m, 'the terminal is as before');
my $unknown = slurp("$share/unknown");
like($unknown, qr/TERM=no-such: unknown terminal: one line per interval/, 'an unknown terminal is named');
is((() = $unknown =~ /^ *\d+ /mg), 2, 'and a line for each interval') or diag $unknown;
like($vm->{out}, qr/^input \Q$_ 0 $before\E$/m, "top $_") for '</dev/null', '<&-';
my $dumb = slurp("$share/dumb");
unlike($dumb, qr/\e/, 'a terminal that can only print gets no escape');
is((() = $dumb =~ /^ *\d+ /mg), 2, 'and a line for each interval') or diag $dumb;
like($vm->{out}, qr/--interval 5: not 0, or a time from 10ms to 1h; .*\nbad 2 \Q$before\E\n/, 'a bad interval');
like($vm->{out}, qr/--interval x: not a number of ms.*\nbad 2 /, 'no interval');
like($vm->{out}, qr/--pid 999999: no such process\nbad 1 \Q$before\E\n/, 'a dead pid');
like($vm->{out}, qr/-n: no longer has this meaning, use --intervals; .*\nbad 2 .*\n.*word: one argument too many; .*\nbad 2 /, 'and others');

# export: csv, json and raw have the rows that trace-cmd shows.
my (%scan, @rows);
for (split /\n/, `trace-cmd report $trace 2>/dev/null`) {
	push @rows, [ $1, $2, $3, $4, $5 ] if /memref_log_data:\s+(\d+) (\d+) (\d+) (\d+) (\d+) \d+\s*$/;
	$scan{$1} = [ $2, $3 ] if /memref_scan:\s+seq=(\d+) begin=(\d+) scan=(\d+)/;
}
@rows = sort { $a->[0] <=> $b->[0] || $a->[1] <=> $b->[1] } grep { $scan{$_->[0]} } @rows;
ok(@rows > 100, 'rows of groups: ' . @rows);
my @csv = map { [ split /,/ ] } split /\n/, (run("$memref export $trace --to csv"))[1];
is(scalar(grep { $_->[3] =~ /^[01]$/ } @csv[1 .. $#csv]), $events =~ /memref_node/ ? scalar @rows : 0,
   'export csv: the node, if it is known');
is_deeply([ map { [ @$_[0, 2, 4 .. 6] ] } @csv[1 .. $#csv] ], \@rows, 'export csv: the same rows');
my $json = decode_json((run("$memref export $trace --to json"))[1])->{rows};
is_deeply([ map { [ @$_{qw(seq phys_addr pages_kernel pages_user pages_page_cache)} ] } @$json ],
	  \@rows, 'export json: the same rows');
is_deeply([ sort keys %{$json->[0]} ], [ sort @{$csv[0]} ], 'with the columns of csv');
my $raw = (run("$memref export $trace --to raw"))[1];
is(scalar(() = $raw =~ /^memref_scan ts=\d+ seq=\d+ begin_ns=/mg), scalar keys %scan,
   'export raw: each memref_scan');
my %sum;
$sum{"$_->[1] kernel"} += $_->[2], $sum{"$_->[1] user"} += $_->[3], $sum{"$_->[1] page_cache"} += $_->[4]
	for @rows;
my %folded = map { /^[a-z]+\d*;(\w+);0x([0-9a-f]+) (\d+)$/ ? (hex($2) . " $1" => $3) : ($_ => 'no row') }
	split /\n/, (run("$memref export $trace --to folded"))[1];
is_deeply(\%folded, { map { ($_ => $sum{$_}) } grep { $sum{$_} } keys %sum }, 'export folded: the sums');

# What damo (src/_damo_records.py) reads: a list of records of snapshots.
is(system("$memref export $trace --to damo -o $share/damon.data"), 0, 'export damo');
my $text;
ok(inflate("$share/damon.data" => \$text), 'compressed by zlib');
is($text, (run("$memref export $trace --to damo-json"))[1], 'damo-json: the same, not compressed');
my ($record, @more) = @{decode_json($text)};
is(@more, 0, 'one record');
is_deeply([ sort keys %$record ], [ sort qw(kdamond_idx context_idx intervals scheme_idx target_id
	scheme_filters snapshots) ], 'with the keys of a record');
is(scalar @{$record->{snapshots}}, scalar keys %scan, 'a snapshot for each interval');
my $pages = $record->{intervals}{aggr_us} / $record->{intervals}{sample_us};
ok(abs($pages - 256) < 0.01, "a group has as many pages as samples: $pages");
my ($wrong, $size, %expected) = ('', 1 << 20);
for (@rows) {
	my $n = $_->[2] + $_->[3] + $_->[4];
	$expected{$scan{$_->[0]}[0]}{$_->[1]} = $n > 256 ? 256 : $n;
}
for my $snapshot (@{$record->{snapshots}}) {
	my ($end, $total, $last) = (undef, 0, -1);
	my $groups = $expected{$snapshot->{start_time}} // {};
	my $seen = 0;
	for my $region (@{$snapshot->{regions}}) {
		my $n = $region->{nr_accesses}{samples};
		$wrong .= "gap at $region->{start}\n" if defined $end && $region->{start} != $end;
		$wrong .= "not merged at $region->{start}\n" if $n == $last;
		$wrong .= "age\n" if $region->{age}{usec} || $region->{age}{aggr_intervals};
		for (my $addr = $region->{start}; $addr < $region->{end}; $addr += $size) {
			my $want = $groups->{$addr} // 0;
			$wrong .= "$n pages, not $want, at $addr\n" if $n != $want;
			$seen += $want > 0;
		}
		($end, $last) = ($region->{end}, $n);
		$total += $end - $region->{start};
	}
	$wrong .= "groups left out\n" if $seen != keys %$groups;
	$wrong .= "total_bytes $snapshot->{total_bytes}\n" if $total != $snapshot->{total_bytes};
}
is($wrong, '', 'its regions cover memory once, and say what the rows say');

# html: everything in one file, and nothing of the outside is markup.
my $title = q(<b>"it's"</b> & so on);
is(system($memref, 'html', $trace, '-o', "$share/page.html", '--title', $title), 0, 'html');
my $page = slurp("$share/page.html");
like($page, qr/^<!DOCTYPE html>.*<\/html>$/s, 'a page');
like($page, qr/<h1>&lt;b&gt;&quot;it&#39;s&quot;&lt;\/b&gt; &amp; so on<\/h1>/, 'the title is text');
# The scripts of a page are those of lib/page: tools/tests/pages.t runs them.
my $markup = $page =~ s/<script>.*?<\/script>//gsr;
unlike($markup, qr/\b(?:src|href)=["']?+(?!#|data:)|url\((?!#)|\@import|<script|<link/, 'no other file');
my (%ids, @twice);
$ids{$_}++ and push @twice, $_ for $markup =~ /<[^>]*\sid=["']([^"']+)/g;
is("@twice", '', 'each id once: ' . keys %ids);
my @missing = grep { !$ids{$_} } $markup =~ /href=["']?#([^"'\s>]+)/g;
is("@missing", '', 'each reference leads somewhere');
my @views = $page =~ /<a href="#(\w+)">/g;
is_deeply([ grep { /^(summary|temporal|spatial|wss)$/ } @views ], [ qw(temporal spatial wss summary) ],
	  "the views: @views");
ok((() = $page =~ /<svg/g) >= 15, 'plots of all classes');
for my $view (qw(temporal wss spatial)) {
	my $csv = `$memref report $view $trace -f csv`;
	ok(index($page, ">$csv</pre>") > 0, "$view: all rows as CSV");
}
# Ctrl-C: no page, and nothing else is left.
mkdir "$share/interrupted";
my $pid = fork() // die;
if (!$pid) {
	$SIG{INT} = 'DEFAULT';
	$ENV{TMPDIR} = "$share/interrupted";
	exec $memref, 'html', $trace, '-o', "$share/interrupted/page.html";
}
my $patience = time + 20;
select undef, undef, undef, 0.05 while !glob("$share/interrupted/memref-html*") && time < $patience;
kill 'INT', $pid;
waitpid $pid, 0;
is($? & 127, 2, 'html: Ctrl-C ends it');
is(join(' ', glob "$share/interrupted/*"), '', 'and leaves nothing');

# In a browser, without a network: every picture and view is there, none cut.
my $dom = `cd $share && timeout 120 chromium --headless --no-sandbox --disable-gpu --host-resolver-rules='MAP * ~NOTFOUND' --virtual-time-budget=5000 --dump-dom file://$share/page.html 2>/dev/null`;
my $svgs = () = $markup =~ /<svg\b/g;
cmp_ok($svgs, '>=', 10, "the page has pictures: $svgs");
is(scalar(() = $dom =~ /<svg\b/g), $svgs, 'the browser has all of them');
is(scalar(() = $dom =~ /<h2 id=/g), scalar(() = $page =~ /<h2 id=/g), 'and all views');
is(scalar(() = $dom =~ /<\/svg>\s*<figcaption>/g), $svgs, 'each with what it shows below');
unlike($page, qr/(?:src|href)=["']?(?!#)[^"'>]*:\/\/|url\(http|\@import/, 'nothing comes from elsewhere');
is(system("$memref report html $trace -o $share/page2.html --title '$title'" =~ s/it's/it'"'"'s/r), 0, 'report html');
is(slurp("$share/page2.html"), $page, 'makes the same page');
is_deeply([ glob "$share/page*.*" ], [ "$share/page.html", "$share/page2.html" ], 'nothing else is left');

# cut: the rows of some intervals, whatever the file is.
sub intervals {
	my ($file) = @_;
	my %rows;
	for (split /\n/, `$memref export $file --to csv`) {
		push @{$rows{$1}}, $2 if /^(\d+),[^,]*(,.*)/;
	}
	return map { ($_ => join ' ', @{$rows{$_}}) } keys %rows;
}
system "trace-cmd convert --compression none -i $share/long.dat -o $share/long-none.dat >/dev/null 2>&1";
system "trace-cmd convert --file-version 6 -i $share/long.dat -o $share/long-v6.dat >/dev/null 2>&1";
my @times = map { [ split /,/ ] } split /\n/, `$memref report temporal $share/long.dat -f csv`;
shift @times;
my ($from, $to) = ($times[@times * 0.3][1], $times[@times * 0.6][1]);
# By the times of the ends, and the lengths.
my @want = map { $_->[0] } grep { $_->[1] > $from && $_->[1] - $_->[2] < $to } @times;
ok(@want > 10, "from $from to $to s: " . @want . ' of ' . @times . ' intervals');
my %all = intervals("$share/long.dat");
for my $file (map { "$share/$_" } qw(long.dat long-none.dat long-v6.dat)) {
	my $name = $file =~ s/.*\///r;
	is(system("$memref cut $file --from $from --until $to -o $share/cut.dat"), 0, "$name: cut");
	my %got = intervals("$share/cut.dat");
	# Times are rounded: those at the edges may be in or out.
	my %edges = map { ($_ => 1) } @want;
	my $off = grep { !$edges{$_} } keys %got;
	$off += grep { !$got{$_} } keys %edges;
	ok($off <= 2, "$name: the intervals of that time");
	is_deeply(\%got, { map { ($_ => $all{$_}) } keys %got }, "$name: with all of their rows");
	my ($lines) = (run("trace-cmd report $share/cut.dat | grep -c memref_"))[1] =~ /(\d+)/;
	my ($seen) = (run("$build/tests/kshark_open $share/cut.dat"))[1] =~ /(\d+)/;
	my $raw = (run("$memref export $share/cut.dat --to raw"))[1];
	is($lines, scalar(() = $raw =~ /^memref_/mg), "$name: trace-cmd reads it: $lines events");
	is($seen, scalar(() = $raw =~ /^memref_log_data/mg), "$name: KernelShark, too");
	ok(-s "$share/cut.dat" < 0.9 * -s $file || $name eq 'long.dat', "$name: is smaller");
}
is(system("$memref cut $trace -o $share/cut.dat"), 0, 'cut nothing off');
is(scalar(() = `trace-cmd report $share/cut.dat 2>/dev/null` =~ /sched_process_exec/g),
   scalar(() = `trace-cmd report $trace 2>/dev/null` =~ /sched_process_exec/g),
   'events of other systems stay') or diag `trace-cmd report $trace | tail -n 3`;
is((run("$memref export $share/cut.dat --to csv"))[1], (run("$memref export $trace --to csv"))[1],
   'and all rows');
sub lost { return (map { $_->{value} } grep { $_->{item} eq 'lost_events' }
	@{decode_json((run("$memref report summary $_[0] -f json"))[1])->{rows}})[0] }
my $lost = lost("$share/lost.dat");
system "$memref cut $share/lost.dat -o $share/cut.dat";
is(lost("$share/cut.dat"), $lost, "lost events stay lost: $lost");
# Those told by a page without events, too: amid others, and the last.
system "trace-cmd convert --compression none -i $share/lost.dat -o $share/empty.dat >/dev/null 2>&1";
{
	my $file = slurp("$share/empty.dat");
	my @pages = grep {
		my ($time, $commit) = unpack 'Q<2', substr $file, $_, 16;
		$time >> 30 && !($time >> 60) && $commit >> 30 == 3 && ($commit & 0xfffff) <= 4080
	} map { 4096 * $_ } 1 .. length($file) / 4096 - 1;
	substr($file, $_ + 8, 4088) = pack 'Q<2x4072', 3 << 30, 100 for @pages[@pages / 2, -1];
	open my $f, '>:raw', "$share/empty.dat" or die;
	print $f $file;
	close $f;
}
$lost = lost("$share/empty.dat");
system "$memref cut $share/empty.dat -o $share/cut.dat";
is(lost("$share/cut.dat"), $lost, "before pages without events, too: $lost");

# Bad input: named, and nothing is written.
my @bad = (
	[ "export $share/none.dat --to csv", 1, qr/none\.dat: No such file/ ],
	[ "export $share/page.html --to damo", 1, qr/page\.html: not a trace\.dat file/ ],
	[ "export $trace --to gif", 2, qr/^memref: --to gif: not damo, damo-json, csv, .*; see memref export --help$/ ],
	[ "export $trace", 2, qr/; see .* --help$/ ],
	[ "html $share/page.html", 1, qr/page\.html: not a trace\.dat file/ ],
	[ "cut $share/page.html", 1, qr/page\.html: not a trace\.dat file/ ],
	[ "cut $trace --from 1000", 1, qr/trace\.dat: no interval between 1000 and/ ],
	[ "cut $trace --from 5 --until 4", 2, qr/--from 5 --until 4: no time is between them/ ],
	[ "cut $trace --until soon", 2, qr/--until soon: not a time/ ],
);
my $whole = slurp("$share/long-none.dat");
open my $f, '>:raw', "$share/short.dat" or die;
print $f substr $whole, 0, int(0.9 * length $whole);
close $f;
push @bad, [ "cut $share/short.dat", 1, qr/short\.dat: damaged or truncated at 0x/ ];
for (@bad) {
	my ($command, $status, $message) = @$_;
	my ($got, undef, $err) = run("$memref $command -o $share/out");
	is($got, $status, "$command: status $status");
	like($err, $message, 'said why');
	is_deeply([ glob "$share/out*" ], [], 'and nothing is written');
}
for my $format (qw(damo csv json folded raw)) {
	my ($status, undef, $err) = run("$memref export $share/short.dat --to $format -o $share/out");
	ok($status == 1 && -s "$share/out" && $err =~ /damaged or truncated at 0x[0-9a-f]+[^\n]*\n$/,
	   "export $format of a damaged file: what can be read, and status 1") or diag $err;
	($status, undef, $err) = run("$memref export $trace --to $format -o /dev/full");
	is($status, 1, "export $format: a full disk is noticed");
	like($err, qr/\/dev\/full: No space left/, 'and said');
	unlink "$share/out";
}
ok(eval { decode_json((run("$memref export $share/short.dat --to json"))[1]) }, 'still JSON');
is(system("$memref html $share/short.dat -o $share/out 2>/dev/null") >> 8, 1, 'html of a damaged file: status 1');
like(slurp("$share/out"), qr/The file is damaged.*<\/html>$/s, 'and a page that says so');
is(system(join ' && ', map { "$memref $_ --help >/dev/null" } qw(top export html cut)), 0, 'help');
for (qw(top export html cut)) {
	is((run("man --warnings -l $FindBin::RealBin/../../docs/man/memref-$_.1 >/dev/null"))[2], '',
	   "memref-$_(1) is well-formed");
}
done_testing;
