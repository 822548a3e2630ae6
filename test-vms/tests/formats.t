#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# One recording, every reader: trace-cmd, KernelShark's library, perf and
# memref see the same rows; and memref says what is wrong with a bad file.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use JSON::PP;
use Test::More;
use VM;

# The guest has a /tmp of its own, and the build may be in the host's.
system 'cp', "$build/bin/memref", "$build/bin/pagetest", "$build/guest/bin/memref_steady", $share;
intervals_program();
my @kernel = $ENV{MEMSCOPE_KERNEL} ? ('--kernel', $ENV{MEMSCOPE_KERNEL}) : ();
my $vm = vm(@kernel, '--root', 'host', '--share', $share, '--timeout', 900,
	    '--env', 'PATH=/share:/usr/sbin:/usr/bin:/sbin:/bin', '--', 'sh', '-c', <<'EOF');
cd /sys/kernel/tracing
# Under emulation the budget would make the intervals longer.
echo 0 >memref/cpu_max
echo 300 >memref/interval_ms
echo 16384 >memref/group_kb
echo anon >memref/write
trace-cmd record -q -e memref -o /share/trace.dat sh -c \
	"intervals 3; perf record -q -a -e 'memref:*' -o /share/perf.data intervals 12 >&2; intervals 3" || exit 1
memref record -i 200 --group-size 64M -o /share/record.dat -- sh -c 'intervals 3; exit 7'
echo "record $? $(cat memref/interval_ms memref/group_kb | tr '\n' ' ')"
(cd /tmp && memref record -i 10 --group-size 64M -- intervals 2 && memref report summary >/dev/null)
echo "default $? $(cd /tmp && ls *.dat)"
# A write to the share takes as long as the host does: so many events might be lost meanwhile.
memref record -i 10 --group-size 64K -o /tmp/long.dat -- intervals 120
cp /tmp/long.dat /share
memref record -i 100 --group-size 1M --encoding batch -o /share/batch.dat -- pagetest --size 32M --iterations 10 --sleep 100
mkfifo /tmp/go /tmp/gone
memref_steady </tmp/go >/tmp/gone &
steady=$!
exec 3>/tmp/go 4</tmp/gone
# The first time, it references more: what it has to find.
for what in first group batch; do
	memref record -i 0 --group-size 64K -p $steady --write anon --encoding $(echo $what | sed s/first/group/) -o /share/steady-$what.dat -- \
		sh -c 'echo -n x >&3; read line <&4' || exit 1
done
knobs() { echo "$1 $(cat memref/encoding memref/tasks memref/virt memref/write memref/fault_around memref/workers | tr '\n' ' ')"; }
memref record --command-only --tasks --virt --write anon --fault-around --workers 3 -i 100 -o /share/tasks.dat -- \
	pagetest --size 16M --iterations 10 --sleep 100 --thp no &
for i in $(seq 1000); do [ "$(cat memref/workers)" = 3 ] && break; sleep 0.01; done
knobs during
wait $!
knobs knobs
memref record -i 0 -p $steady --parts 4 -o /share/parts.dat -- sh -c 'echo -n a >&3; read line <&4' || exit 1
echo "parts $(cat memref/parts)"
echo 4 >memref/parts
memref record --tasks -o /share/bad.dat -- true 2>&1
echo "refused $?"
echo 1 >memref/parts
memref record --command-only -o /share/own.dat -- pagetest --size 16M --iterations 40 --sleep 50
echo "own $? [$(cat memref_pid)] $(cat memref/children)"
# Over a network, here that of the guest alone: to the files of who listens.
ip link set lo up
mkdir /share/got
trace-cmd listen -p 5678 -d /share/got >/share/listen.out 2>&1 &
until grep -q ':162E 0*:0000 0A ' /proc/net/tcp /proc/net/tcp6; do sleep 0.1; done
trace-cmd record -q -N 127.0.0.1:5678 -e memref intervals 5 >&2
echo "sent $?"
# Who listens makes one file of those of the CPUs when the sender has ended.
until [ $(ls /share/got | wc -l) = 1 ]; do sleep 0.1; done
kill $!
# More than the kernel takes at once.
mkfifo /tmp/never
for i in $(seq 1100); do (: </tmp/never) & many=$many,$!; done
memref record -p "${many#,}" -o /share/many.dat -- sh -c 'wc -lc </sys/kernel/tracing/memref_pid' | sed 's/^/many /'
echo "then [$(cat memref_pid)]"
: >/tmp/never
for bad in '-i 5' '--group-size 3M' '-p 999999' '--write maybe' '--flush 3' '--kernel-tables 4' '--cpu-max 101' '--encoding x' '--cgroup /none' '--virt' '--mapping-ages' '--parts 65' '--parts 2 --tasks'; do
	memref record $bad -o /share/bad.dat -- true 2>&1
	echo "bad $? $(ls /share/bad.dat 2>/dev/null)"
done
EOF
is($vm->{status}, 0, 'the guest recorded') or diag $vm->{err}, $vm->{out};
my $memref = "$build/bin/memref";
my $trace = "$share/trace.dat";

# Rows as each reader has them: "seq phys_addr kernel user page_cache rw".
sub rows {
	my ($command) = @_;
	return map { /memref_log_data:\s+(\d+ \d+ \d+ \d+ \d+ \d+)\s*$/ ? $1 : () }
		split /\n/, `$command 2>/dev/null`;
}
my @trace = rows("trace-cmd report $trace");
my @perf = rows("perf script -i $share/perf.data");
ok(@trace > 20, 'trace-cmd report shows rows: ' . @trace);
ok(@perf > 10, 'perf script shows rows: ' . @perf);

chomp(my $kshark = `$build/tests/kshark_open $trace`);
is($kshark, scalar @trace, "KernelShark's library finds as many");

# perf began and ended in the middle: compare the intervals both have whole.
my %perf_seq = map { (split)[0] => 1 } @perf;
my @seqs = sort { $a <=> $b } keys %perf_seq;
my @both = @seqs[1 .. $#seqs - 1];
ok(@both >= 5, 'perf and trace-cmd have intervals in common: ' . @both);
my %both = map { $_ => 1 } @both;
is_deeply([ grep { $both{(split)[0]} } @perf ], [ grep { $both{(split)[0]} } @trace ],
	  'and the same rows of them');

# The three formats of a view say the same as the rows.
my %groups;
$groups{(split)[0]}++ for @trace;
my $json = decode_json(scalar `$memref report temporal $trace --format json`)->{rows};
my @csv = map { [ split /,/ ] } split /\n/, `$memref report temporal $trace --format csv`;
my @text = map { [ split ] } split /\n/, `$memref report temporal $trace`;
is_deeply([ map { "$_->{seq} $_->{groups}" } @$json ],
	  [ map { "$_ $groups{$_}" } sort { $a <=> $b } keys %groups ],
	  'memref counts the groups of each interval');
is_deeply(\@csv, \@text, 'text and CSV have the same cells');
is_deeply([ sort keys %{$json->[0]} ], [ sort @{$csv[0]} ], 'JSON has the same columns');
for my $view (qw(summary temporal spatial wss heatmap)) {
	is(system("$memref report $view $trace -f json -o $share/$view.json"), 0, "report $view");
	ok(eval { decode_json(slurp("$share/$view.json")) }, "$view: valid JSON");
}
for my $view (qw(temporal spatial wss)) {
	for my $file ("$share/$view.png", "$share/$view.svg") {
		is(system("$memref plot $view $trace --class all -o $file"), 0, "plot $view");
		like(slurp($file), qr/^(\x89PNG|<\?xml)/, 'a picture');
	}
}

is(system("$memref plot heatmap $trace --from 0.5 --class user -o $share/heatmap.png"), 0, 'plot heatmap');
is(system("$memref diff $trace $trace --groups -o /dev/null"), 0, 'diff');
is(system("$memref report wss $trace --from 99999 2>$share/from.err") >> 8, 1, 'a window beyond the end: status 1');
like(slurp("$share/from.err"), qr/no interval from 99999 s: the recording lasts/, 'said so');
is(system("$memref report wss $trace --until never 2>$share/to.err") >> 8, 2, 'no time: status 2');
like(slurp("$share/to.err"), qr/--until never: /, 'said so');

# Two programs and their libraries come to some 400 pages.
# memref record: status passed on, knobs put back, one process only.
like($vm->{out}, qr/^record 7 300 16384 $/m, "record: the command's status; the knobs as before");
is(system("$memref report summary $share/record.dat >/dev/null"), 0, 'record: a good file');
like($vm->{out}, qr/^default 0 memref\.dat$/m, 'record without -o: memref.dat, which report reads');
like($vm->{out}, qr/^own 0 \[\] 0$/m, 'record --command-only: the selection is put back');
my ($own) = grep { $_->{item} eq 'pages_user_max' }
	@{decode_json(scalar `$memref report summary $share/own.dat -f json`)->{rows}};
ok($own->{value} >= 4096 && $own->{value} < 4096 + 600,
   'record --command-only: the pages of the command, and no others') or diag $own->{value};
like($vm->{out}, qr/--interval 5: not 0, or a time from 10ms to 1h; .*\nbad 2 \n/, 'record names a bad interval');
like($vm->{out}, qr/--group-size 3M: .*\nbad 2 \n/, 'record names a bad group size');
like($vm->{out}, qr/--pid 999999: no such process\nbad 1 \n/, 'record names a dead pid');
like($vm->{out}, qr/--write maybe: not off, anon or all; .*\nbad 2 \n/, 'record names a bad mode');
like($vm->{out}, qr/--flush 3: .*\nbad 2 \n.*--kernel-tables 4: .*\nbad 2 \n/, 'and others');
like($vm->{out}, qr/--cpu-max 101: .*\nbad 2 \n.*--encoding x: .*\nbad 2 \n.*--cgroup \/none: No such file.*\nbad 1 \n.*--virt needs .*\nbad 2 \n.*--mapping-ages needs .*\nbad 2 \n/,
     'and the newer ones');
like($vm->{out}, qr/--parts 65: .*\nbad 2 \n.*--parts: not with --tasks; .*\nbad 2 \n/, 'and parts');
like($vm->{out}, qr/^parts 1\n.*--tasks 1: not together with memref\/parts\nrefused 1$/m, 'they are put back, and exclude tasks');
# Each of three intervals of four harvests has all pages that are used all the time, once.
my ($parts) = { map { $_->{item} => $_->{value} } @{decode_json(scalar `$memref report summary $share/parts.dat -f json`)->{rows}} };
is($parts->{parts}, 4, 'parts: the summary has them');
my @wss = map { $_->{wss_user_mib} } @{decode_json(scalar `$memref report wss $share/parts.dat -f json`)->{rows}};
is(scalar(@wss), 3, 'parts: three intervals');
is_deeply([ grep { $_ < 32 || $_ > 33 } @wss ], [], 'parts: each has the 32 MiB of the program') or diag "@wss";

my ($pids, $bytes) = $vm->{out} =~ /^many +(\d+) +(\d+)\nthen \[\]$/m;
is($pids, 1100, 'record: many processes') or diag substr($vm->{err}, -2000);
cmp_ok($bytes // 0, '>', 4096, 'are more than one write');

# The compact encoding says the same: what its groups sum up to is what the
# sampler counted.
like($vm->{out}, qr/^during group 1 1 anon 1 3 $/m, 'record: encoding, tasks, virt, write, fault_around, workers are set');
like($vm->{out}, qr/^knobs group 0 0 anon 0 1 $/m, 'and put back');
my ($summary) = { map { $_->{item} => $_->{value} }
		  @{decode_json(scalar `$memref report summary $share/batch.dat -f json`)->{rows}} };
is($summary->{intervals_incomplete}, 0, 'batch: as many groups as the sampler counted');
my @spatial = @{decode_json(scalar `$memref report spatial $share/batch.dat -f json`)->{rows}};
my @temporal = @{decode_json(scalar `$memref report temporal $share/batch.dat -f json`)->{rows}};
for my $class (qw(kernel user page_cache)) {
	my ($groups, $intervals) = (0, 0);
	# Means of one digit.
	$groups += $_->{"mean_pages_$class"} * @temporal for @spatial;
	$intervals += $_->{"pages_$class"} for @temporal;
	cmp_ok(abs($groups - $intervals), '<=', 0.05 * @temporal * @spatial,
	       "batch: $class pages of the groups sum up to those of the intervals");
}
# The packed bytes, taken apart here: the same rows.
my (%packed, %read);
for (split /\n/, `trace-cmd report $share/batch.dat 2>/dev/null`) {
	/memref_batch:\s+seq=(\d+) group_kb=(\d+) first=(\d+) data=([0-9a-f]+)/ or next;
	my ($seq, $kb, $group, @bytes) = ($1, $2, $3, unpack 'C*', pack 'H*', $4);
	my $number = sub {
		my ($n, $shift, $byte) = (0, 0);
		do {
			$byte = shift @bytes // die;
			$n |= ($byte & 127) << $shift;
			$shift += 7;
		} while $byte & 128;
		return $n;
	};
	while (@bytes) {
		my $tag = shift @bytes;
		$group += $tag >> 4;
		$group += $number->() if $tag >> 4 == 15;
		my @pages = map { $tag & 1 << $_ ? $number->() || $kb / 4 : 0 } 0 .. 2;
		$packed{join ' ', $seq, $group++ * $kb * 1024, @pages, $tag >> 3 & 1} = 1;
	}
}
my ($header, @csv_rows) = split /\n/, `$memref export $share/batch.dat --to csv`;
my @columns = split /,/, $header;
for (@csv_rows) {
	my %row;
	@row{@columns} = split /,/;
	$read{join ' ', @row{qw(seq phys_addr pages_kernel pages_user pages_page_cache)}, $row{written}} = 1;
}
ok(keys %packed > 100, 'batch: rows: ' . keys %packed);
is_deeply(\%read, \%packed, 'batch: memref reads the rows that are packed');
# The same references, once in each encoding: the same reports, byte for byte,
# but for when it was.
for my $view (qw(temporal spatial heatmap wss thp numa)) {
	my @reports = map {
		my @lines = map { [ split /,/, $_, -1 ] } split /\n/, `$memref report $view $share/steady-$_.dat -f csv`;
		my @keep = grep { $lines[0][$_] !~ /^(time_s|interval_s|scan_ms)$/ } 0 .. $#{$lines[0] // []};
		join '', map { join(',', @$_[@keep]) . "\n" } @lines;
	} qw(group batch);
	cmp_ok($reports[0] =~ tr/\n//, '>=', 6, "steady: report $view has rows");
	is($reports[1], $reports[0], "report $view is the same from either encoding");
}
my $batch = `trace-cmd report $share/batch.dat`;
is($?, 0, 'batch: trace-cmd reads it');
like($batch, qr/memref_\w+:/, 'batch: it has our events');
unlike($batch, qr/memref_log_data:/, 'batch: no event for each group');

# What a process references, and where.
my @tasks = @{decode_json(scalar `$memref report tasks $share/tasks.dat -f json`)->{rows}};
ok((grep { $_->{comm} eq 'pagetest' && $_->{max_mib} >= 16 && $_->{max_mib} < 20 } @tasks),
   'tasks: the program and its 16 MiB') or diag explain \@tasks;
my @virtual = @{decode_json(scalar `$memref report virtual $share/tasks.dat -f json`)->{rows}};
ok(@virtual > 8, 'virtual: cells: ' . @virtual);
is(system("$memref plot virtual $share/tasks.dat -o $share/virtual.png"), 0, 'plot virtual');
my @mappings = @{decode_json(scalar `$memref report mappings $share/tasks.dat -f json`)->{rows}};
my ($memory) = grep { $_->{mapping} eq '[anon]' && $_->{max_mib} >= 16 && $_->{max_mib} < 17 } @mappings;
ok($memory, 'mappings: the 16 MiB of the program') or diag explain \@mappings;
like($memory->{advice}, qr/^worth it: /, 'and huge pages would pay off for them');
ok((grep { $_->{mapping} =~ m{/libc\.so} && $_->{advice} =~ /^too small/ } @mappings), 'but not for its C library');
is((grep { $_->{mapping} eq '(no name)' } @mappings), 0, 'each page is of a mapping');
is(system("$memref plot mapping-times $share/tasks.dat -o $share/mapping-times.svg"), 0, 'plot mapping-times');
like(slurp("$share/mapping-times.svg") // '', qr/libc\.so/, 'which names them');
is(system("$memref plot heatmap $share/batch.dat -o $share/heatmap.png"), 0, 'plot heatmap');

# Files that are none, or no more.  The sanitizers' build must survive them.
my $san = "$build/tools-sanitize/bin/memref";
# With MEMSCOPE_BUILT=1, it is built: other tests run it meanwhile.
$ENV{MEMSCOPE_BUILT} || system('make', '-s', '-C', "$FindBin::RealBin/../../tools", "O=$build", 'SANITIZE=1', $san) == 0
	or BAIL_OUT('memref cannot be built with sanitizers');
my $whole = slurp($trace);
my $intervals = @$json;
sub bad_file {
	my ($name, $bytes) = @_;
	open my $f, '>:raw', "$share/bad" or die;
	print $f $bytes;
	close $f;
	my $out = `$san report summary $share/bad -f json -o $share/bad.json 2>$share/bad.err`;
	my $status = $? & 127 ? 128 + ($? & 127) : $? >> 8;
	return ($status, slurp("$share/bad.err") // '');
}
for (['nothing', ''], ['text', "hello\n" x 1000], ['zeros', "\0" x 100000]) {
	my ($status, $err) = bad_file(@$_);
	is($status, 1, "$_->[0]: status 1");
	like($err, $_->[1] eq '' ? qr/^memref: \S+: empty file$/ : qr/^memref: \S+: not a trace.dat file$/, "$_->[0]: said so");
}
my $worst = '';
for my $i (1 .. 24) {
	my $length = int(length($whole) * $i / 25);
	my ($status, $err) = bad_file('cut', substr $whole, 0, $length);
	$worst .= "at $length: status $status, $err" if $status != 1 ||
		$err !~ /^memref: \S+: (damaged or truncated|no complete memref interval|no memref events)/;
}
is($worst, '', 'cut anywhere: status 1, and said so');

# A long recording, as trace-cmd writes and converts them: each file gives the
# same rows in little memory, and cut off, the rows that are there.
my $long = "$share/long.dat";
system "trace-cmd convert --compression none -i $long -o $share/long-none.dat >/dev/null 2>&1";
system "trace-cmd convert --file-version 6 -i $long -o $share/long-v6.dat >/dev/null 2>&1";
my $rows = `$memref report temporal $long -f csv`;
# Times count from the first interval, which may be cut off.
sub without_time { return map { s/^(\d+),[^,]*/$1/r } split /\n/, shift }
my %rows = map { $_ => 1 } without_time($rows);
ok(keys %rows > 100, 'a long recording: ' . (keys(%rows) - 1) . ' intervals');
for my $file ($long, "$share/long-none.dat", "$share/long-v6.dat") {
	my $name = $file =~ s/.*\///r;
	my $bytes = slurp($file);
	is(`bash -c 'ulimit -v 100000; $memref report temporal $file -f csv'`, $rows,
	   "$name: the same rows, in 100 MB of address space");
	# How much of the front of a file is no events differs: cut in the events.
	my ($last, $grows) = (0, 1);
	for my $part (0.7, 0.8, 0.9, 0.97) {
		open my $f, '>:raw', "$share/cut.dat" or die;
		print $f substr $bytes, 0, int(length($bytes) * $part);
		close $f;
		my $csv = `$san report temporal $share/cut.dat -f csv 2>$share/cut.err`;
		my $status = $? >> 8;
		my @got = without_time($csv);
		my $same = grep { $rows{$_} } @got;
		# An interval may have rows on a CPU whose data are gone.
		$grows = 0 if $status != 1 || @got < $last || $same < 0.95 * @got ||
			slurp("$share/cut.err") !~ /damaged or truncated at 0x[0-9a-f]+ \(\d+ of \d+/;
		$last = @got;
	}
	ok($grows && $last > 20, "$name: cut off, gives what can be read: up to $last rows");
}

# Bytes changed: any answer is good that is an answer.
# The same files in each run; MEMSCOPE_FUZZ_TRIES and MEMSCOPE_FUZZ_SEED for others.
my $seed = $ENV{MEMSCOPE_FUZZ_SEED} // 1;
my $tries = $ENV{MEMSCOPE_FUZZ_TRIES} // 150;
srand $seed;
$worst = '';
for (1 .. $tries) {
	my $bytes = $whole;
	# The headers are what a parser stumbles over.
	for (1 .. 1 + rand 8) {
		substr($bytes, int rand(rand() < 0.5 ? 4096 : length $bytes), 1) = chr int rand 256;
	}
	my ($status, $err) = bad_file('changed', $bytes);
	$worst .= "status $status: $err" if $status > 1 || $err =~ /Sanitizer|runtime error/ ||
		($status == 1 && $err !~ /^memref: /);
}
is($worst, '', "$tries files with bytes changed, seed $seed: no crash");
is(system("$memref report summary $share/none.dat 2>/dev/null") >> 8, 1, 'no file: status 1');
like($vm->{out}, qr/^sent 0$/m, 'trace-cmd record -N, and trace-cmd listen');
my ($sent) = glob "$share/got/*";
cmp_ok(scalar(() = `$memref report temporal $sent -f csv` =~ /^\d/mg), '>=', 4, 'a recording that came over a network');
is(system("$memref report nonsense $trace 2>/dev/null") >> 8, 2, 'no such view: status 2');
is(system("$memref plot wss $trace -o $share/x.gif 2>/dev/null") >> 8, 2, 'no such picture: status 2');
is(system("$memref report summary $trace -o /dev/null"), 0, '-o /dev/null');
ok(-c '/dev/null', 'which is a device still');
is(system("$memref report summary $trace -o /dev/full 2>$share/full.err") >> 8, 1, '-o /dev/full: status 1');
like(slurp("$share/full.err"), qr/^memref: \/dev\/full: No space left/, 'said so');
ok(-c '/dev/full', 'and a device still');
my $title = "it's \n" . 'x' x 20000;
is(system($san, 'plot', 'wss', $trace, '--title', $title, '-o', "$share/title.png"), 0, 'a long title');
is(system("$memref --help >/dev/null && $memref report --help >/dev/null && $memref plot --help >/dev/null && $memref record --help >/dev/null"),
   0, 'help');
done_testing;
