#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# dprof from record to report, on planted faults (oracle/module/dprof_faults.c): a
# queue that hands objects to another CPU, by its histories; true and false sharing, and
# false sharing of two objects, by samples of swmem alone; AMD's L3 hits before Zen 4.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use JSON::PP;
use Test::More;
use VM;

plan skip_all => 'this kernel has no dprof'
	if slurp("$kernel_dir/.config") !~ /^CONFIG_DPROF=y/m;

# The default of dprof record.
my $file = 'dprof.dat';

# With -icount a period of samples is so many instructions: by the host's time, an emulated machine
# whose kernel has lockdep does little but take samples.
# The kernel trusts the TSC from the start: with a clock of ticks, frees and allocations of
# two CPUs have equal times, and their order is not known.
my @instructions = ('--accel', 'tcg', '--qemu-arg', '-icount', '--qemu-arg', 'shift=1,sleep=off');
my $vm = vm('--smp', 2, '--mem', '1G', @instructions, '--share', $share, '--timeout', 900,
	    '--append', 'hpet=disable tsc=reliable clocksource=tsc sysctl.vm.mem_profiling=0', '--', 'sh', '-c',
	    'cat /sys/kernel/tracing/dprof/types >before; ' .
	    'dprof record --types "faults_* no_such_cache" -H faults_queue --offsets "0,8 8,64 0,64" -- ' .
	    'modprobe dprof_faults rounds=20000 || exit 1; ' .
	    'cmp before /sys/kernel/tracing/dprof/types && ' .
	    'grep -qx "history_slots 0" /sys/kernel/tracing/dprof/stats || exit 1; rmmod dprof_faults; ' .
	    # trace-cmd alone.
	    'echo "faults_*" >/sys/kernel/tracing/dprof/types; ' .
	    'trace-cmd record -q -e dprof -o plain.dat modprobe dprof_faults rounds=2000 >plain.out 2>&1; ' .
	    'echo "plain $?"; echo >/sys/kernel/tracing/dprof/types; ' .
	    # Ctrl-C goes to the process group.
	    'cd /sys/kernel/tracing/dprof; files=$(ls | grep -v -e stats -e known_types); grep -s "" $files >/share/files; ' .
	    'cd /share; setsid ' .
	    'dprof record --types "kmalloc-*" -H none -c 500000 -o ended.dat -- sh -c "touch /tmp/begun; while :; do ls -R /sys/block >/dev/null; done" & ' .
	    'until grep -qx "running 1" /sys/kernel/tracing/dprof/stats && [ -e /tmp/begun ]; do sleep 0.1; done; ' .
	    'sleep 2; kill -INT -$!; wait $!; echo "ended $?"; ' .
	    'cd /sys/kernel/tracing/dprof; grep -s "" $files | cmp - /share/files && echo "files as before"; ' .
	    'cat /sys/kernel/tracing/events/dprof/enable stats >/share/after; ps -o comm >/share/ps');
is($vm->{status}, 0, 'recorded, and all is as it was') or diag($vm->{out}, $vm->{err});

my $of_first = $vm->{out};

sub rows {
	my $text = `$build/bin/dprof report @_ $share/$file -f json 2>$share/warned`;
	is($?, 0, "report @_");
	diag(slurp("$share/warned")) if -s "$share/warned";
	return $? ? () : @{ decode_json($text)->{rows} };
}

like($vm->{out} . $vm->{err}, qr/^dprof: --types: no object was allocated of a type that matches: no_such_cache \(/m,
     'a rule without a match is named, and no other');

# The system's QEMU.
like($vm->{out} . $vm->{err}, qr/^dprof: histories will be wrong: .*, accesses that were not made are reported, /m,
     'watchpoints that are wrong are found');

my @paths = rows('paths', '--type', 'faults_queue', '--top', 1);
# The compiler may have made .isra.0 of a function.
my @functions = map { $_->{function} =~ s/\..*//r } @paths;
is($functions[1], 'faults_queue_send', 'filled by who sends');
is_deeply([ map { $_->{function} =~ s/\..*//r } grep { $_->{cpu_change} eq 'yes' } @paths ],
	  [ 'faults_queue_receive' ], 'changes CPU where it is received, and only there');
# How many were watched from their first access depends on clocks.
ok($paths[0]{frequency_pct} > 50, 'most take this path') or
	diag(`$build/bin/dprof report paths --type faults_queue --top 0 $share/$file 2>&1`);

my @edges = grep { $_->{cpu_change} eq 'yes' } rows('dataflow', '--type', 'faults_queue');
is($edges[0]{from}, 'faults_queue_send', 'the pair of functions: from');
like($edges[0]{to}, qr/^faults_queue_receive\b/, 'to');

my ($row) = rows('classify', '--type', 'faults_queue');
is($row->{class}, 'true_sharing', 'its misses are true sharing');
like($row->{writer}, qr/ by faults_queue_send\+/, 'by what the sender writes');

($row) = rows('workingset', '--type', 'faults_queue');
ok($row->{remote_frees_pct} > 95, 'freed by the other CPU') or diag($row->{remote_frees_pct});

# By trace-cmd alone: types that were told before it began are told again.
like($of_first, qr/^plain 0/m, 'trace-cmd record -e dprof') or diag(slurp("$share/plain.out"));
my (%told, %used, %caches);
for (split /\n/, `$build/bin/dprof script $share/plain.dat`) {
	$told{$1} = $caches{$2} = 1 if / dprof_type id=(\d+) .*cache=(\S*)/;
	$used{$1} = 1 if / dprof_(?:alloc|sample) .*\btype=(\d+)/;
}
is_deeply([ grep { !$told{$_} } keys %used ], [], 'knows all types');
ok($caches{faults_queue}, 'among them those of the module');

# Ctrl-C.
like($of_first, qr/^ended (0|130)\b/m, 'Ctrl-C ends dprof record') or diag($of_first, $vm->{err});
like($of_first, qr/^files as before/m, 'and the files in tracefs are as they were');
like(slurp("$share/after"), qr/^0\nrunning 0$/m, 'events are off, nothing runs');
unlike(slurp("$share/ps"), qr/^(trace-cmd|dprof|ls)$/m, 'no process is left');
like(`$build/bin/dprof script $share/ended.dat 2>&1`, qr/ dprof_alloc .*\n.* dprof_alloc /s,
     'what was recorded can be read');
is($?, 0, 'as a whole');

# Types and offsets chosen by a first pass: the load goes on until there are histories.
$vm = vm('--smp', 2, '--mem', '1G', @instructions, '--share', $share, '--timeout', 900,
	 '--append', 'hpet=disable sysctl.vm.mem_profiling=1', '--', 'sh', '-c',
	 'stats=/sys/kernel/tracing/dprof/stats; samples_ready; ' .
	 'dprof record -s swmem -c 300000 --types auto -H auto --first 3 -o auto.dat -- sh -c "' .
	 'until [ \\$(sed -n \"s/^histories //p\" $stats) -ge 50 ]; do kernel_load pipes 20; done" 2>&1; ' .
	 'echo "status $?"; ' .
	 'dprof record -s swmem -c 300000 --types none -H auto --first 280 -o short.dat -- kernel_load pipes 2000 2>&1; echo "short $?"; ls; ' .
	 # Packed: by dprof record, and by the events alone, which end while tracing goes on.
	 'dprof record -s swmem -c 50000 --types none -H none --encoding batch -o batch.dat -- kernel_load pipes 1000 2>&1; ' .
	 'echo "batch $?"; cd /sys/kernel/tracing; cat dprof/encoding; echo swmem >dprof/source; echo 50000 >dprof/period; ' .
	 'echo batch >dprof/encoding; cat $stats >/share/stats.before; ' .
	 'trace-cmd start -e dprof:dprof_samples >/dev/null; kernel_load pipes 1000; echo 0 >events/enable; ' .
	 'cat $stats >/share/stats.after; trace-cmd stop; trace-cmd extract -o /share/packed.dat >/dev/null 2>&1; ' .
	 'cat dprof/encoding; echo sample >dprof/encoding');
like($vm->{out}, qr/^status 0/m, 'recorded what was chosen') or diag($vm->{out}, $vm->{err});
my ($chosen) = $vm->{out} =~ /^dprof: chosen: (.*)/m;
diag "chosen: ", $chosen // 'nothing';
$file = 'auto.dat';
my %of = map { $_->{type} => 1 } rows('paths', '--top', 0);
cmp_ok(scalar(keys %of), '>=', 1, 'there are paths');
is_deeply([ grep { my $t = $_; !grep { s/:.*//r eq $t =~ s/:.*//r } split / /, $chosen // '' } keys %of ],
	  [], 'of the chosen types alone');
like($vm->{out}, qr/^dprof: kernel_load: ended in the first pass.*\nshort 1$/m, 'a command that ends too soon')
	or diag(substr($vm->{out}, -1000));
unlike($vm->{out}, qr/^short\.dat/m, 'leaves no file');

# Many samples in one event.
like($vm->{out}, qr/^batch 0\nsample\nbatch$/m, 'recorded with --encoding batch, which is not left behind') or
	diag(substr($vm->{out}, -1000));
sub count { my ($what) = @_; return scalar grep { / $what / } `$build/bin/dprof script $share/$file 2>/dev/null` }
sub stat_of { my ($stat, $when) = @_; return slurp("$share/stats.$when") =~ /^$stat (\d+)/m ? $1 : 0 }
$file = 'batch.dat';
cmp_ok(count('dprof_sample'), '>', 100, 'there are samples: ' . count('dprof_sample'));
cmp_ok(scalar(rows('profile', '--top', 0)), '>', 5, 'of types');
like(`trace-cmd report -i $share/batch.dat 2>&1`, qr/ dprof_samples: .* words=/, 'packed');
$file = 'packed.dat';
my $sampled = stat_of('samples', 'after') - stat_of('samples', 'before');
cmp_ok($sampled, '>', 100, "the kernel counts $sampled");
is(count('dprof_sample'), $sampled, 'all are in the trace');
is(stat_of('samples_lost', 'after'), 0, 'none is lost');

# Samples, which without -icount come only where CPUs take turns; timers are coarse
# until the TSC is the clock.  With lockdep, as on this PREEMPT_RT, the timers of two
# emulated CPUs fall into step, and most samples are of one interrupting the other.
# So do they now and then without, and a CPU's part in a line is not sampled then: all
# is recorded with three periods.
my $rounds = (($ENV{MEMSCOPE_KERNEL} // 'vm') eq 'rt' ? 100 : 25) * $sample_ns;
my @periods = ($sample_ns, int 1.13 * $sample_ns, int 1.29 * $sample_ns);
my %shared;
$vm = vm('--smp', 2, '--mem', '1G', @instructions, '--share', $share, '--timeout', 3 * 900,
	 '--append', 'hpet=disable sysctl.vm.mem_profiling=0', '--', 'sh', '-c',
	 "samples_ready; for period in @periods; do dprof record -s swmem -c \$period --types none -H none " .
	 "-o samples-\$period.dat -- modprobe dprof_faults rounds=$rounds && rmmod dprof_faults || exit 1; done");
is($vm->{status}, 0, 'samples recorded') or diag($vm->{out}, $vm->{err});
for my $period (@periods) {
	$file = "samples-$period.dat";
	push @{ $shared{$_->{type} =~ s/:.*//r} }, $_ for rows('sharing', '--top', 0);
}
is($shared{faults_true}[0]{sharing}, 'true', 'true sharing');
like($shared{faults_true}[0]{writer}, qr/^faults_true_write/, 'its writer');
is($shared{faults_false}[0]{sharing}, 'false', 'false sharing');
like($shared{faults_false}[0]{writer}, qr/^faults_false_write/, 'its writer');
is($shared{faults_pair}[0]{other_object_pct}, 100, 'two objects on a line');
like($shared{faults_pair}[0]{writer}, qr/^faults_pair_write/, 'its writer');
for my $control (qw(faults_private faults_conflict faults_capacity)) {
	is($shared{$control}, undef, "$control: nothing");
}
# Before Zen 4, IBS has one source for the L3 and for the neighbors' caches.  One CPU shares
# nothing.
{
	ok(-x "$build/qemu-ibs/qemu-system-x86_64", 'the QEMU that emulates IBS is built (make qemu-ibs)');
	$file = 'epyc.dat';
	$vm = vm('--qemu', 'ibs', '--cpu', 'EPYC', '--smp', 1, '--mem', '1G', '--accel', 'icount', '--ibs',
		 'hit-l1=50,hit-l2=0,hit-l3=50', '--share', $share, '--timeout', 600, '--', 'sh', '-c',
		 'samples_ready; dprof record -s ibs -c 8192 --types none -H none -o epyc.dat -- kernel_load files 30 && ' .
		 'dprof record -s swmem --types none -H filp -o watched.dat -- true && ' .
		 'dprof record -s ibs --l3-miss-only --types none -H none -o none.dat -- kernel_load files 1; ' .
		 'dprof record -s ibs --ldlat 256 --types none -H none -o none.dat -- kernel_load files 1; ' .
		 'cd /sys/kernel/tracing/dprof && cat l3_miss_only ldlat; ls /sys/bus/event_source/devices/ibs_op/format /sys/bus/event_source/devices/ibs_op/caps');
	is($vm->{status}, 0, 'recorded on a Zen 1 with one CPU') or diag($vm->{out}, $vm->{err});
	unlike($vm->{out} . $vm->{err}, qr/histories will be wrong/, 'the watchpoints of this QEMU are right');
	like($vm->{err}, qr/^dprof: no samples: --l3-miss-only needs IBS of Zen 4 or later$/m, 'it has no filter of the L3');
	like($vm->{err}, qr/^dprof: no samples: --ldlat needs IBS of Zen 5 or later$/m, 'nor one of latencies');
	like($vm->{out}, qr/^0\n0$/m, 'and the settings are as before');
	unlike($vm->{out}, qr/^ldlat$/m, 'perf is offered none');
	my %sum = (l3_or_peer => 0, peer => 0, misses_l3 => 0);
	for my $type (rows('profile', '--top', 0)) {
		$sum{$_} += $type->{$_} // 0 for keys %sum;
	}
	cmp_ok(delete $sum{l3_or_peer}, '>=', 20, 'L3 hits are counted apart');
	is_deeply(\%sum, { peer => 0, misses_l3 => 0 }, 'none was in a neighbor, none past the L3');
	is_deeply([ grep { $_->{class} =~ /sharing/ } rows('classify', '--top', 0) ], [], 'nothing is shared');
}

# Zen 5 discards what took no longer than was said: 150 cycles are a node's own memory, and 300 the other node's.
# perf discards what lies between two thresholds of the processor.
{
	my @record = qw(dprof record -s ibs -c 1024 --types none -H none);
	# The root of the host, which has perf, has neither of these.
	system('cp', "$build/guest/bin/kernel_load", "$FindBin::RealBin/../guest/samples_ready", $share) == 0 or die 'cp';
	my $load = '-- ./kernel_load files 200';
	my $pmu = '/sys/bus/event_source/devices/ibs_op';
	$vm = vm('--qemu', 'ibs', '--cpu', 'max,-la57,-pdpe1gb,family=26,model=2,stepping=1', '--smp', 2, '--numa', 2, '--mem', '1G',
		 '--append', 'hpet=disable tsc=reliable clocksource=tsc', '--accel', 'icount', '--ibs',
		 'hit-l1=60,hit-l2=20,hit-l3=10,lat-dram=150', '--root', 'host', '--share', $share, '--timeout', 600, '--', 'sh', '-c',
		 "cd /share; cat $pmu/format/ldlat $pmu/caps/ldlat; ./samples_ready; " .
		 join(' && ', "@record --l3-miss-only -o l3.dat $load",
		      map({ "@record --ldlat $_ -o over$_.dat $load" } qw(128 256 384)),
		      map({ "perf record -q -c 1024 -e ibs_op/cnt_ctl=1,ldlat=$_/ -d -W -a -o perf$_.data $load" } qw(128 200 299 300)),
		      'for n in 128 200 299 300; do perf script -i perf$n.data -F weight 2>/dev/null | sort -n | uniq -c | sed "s/^/perf $n /"; done') .
		 " || exit 1; perf record -q -e ibs_op/ldlat=127/ -a -o bad.data true; echo bad \$?; dprof record --ldlat 200 -- true; echo odd \$?");
	is($vm->{status}, 0, 'recorded on a Zen 5') or diag($vm->{out}, $vm->{err});
	like($vm->{out}, qr/^config1:0-11\n1$/m, 'perf is offered the filter');
	my %n;
	for my $of (qw(l3 over128 over256 over384)) {
		open my $samples, '-|', "$build/bin/dprof", 'script', "$share/$of.dat" or die;
		while (<$samples>) {
			$n{$of}{$1}++ if / dprof_sample .* latency=(\d+)/;
		}
	}
	is_deeply([ sort keys %{ $n{l3} } ], [150, 300], 'of misses of the L3, latencies are those of two nodes') or diag(explain(\%n));
	is_deeply([ sort keys %{ $n{over128} } ], [150, 300], 'more than 128 cycles: both');
	is_deeply([ sort keys %{ $n{over256} } ], [300], "more than 256 cycles: the other node's");
	is_deeply($n{over384}, undef, 'more than 384 cycles: none');
	my ($all, $over) = ($n{l3}{300} // 0, $n{over256}{300} // 0);
	cmp_ok(abs($all - $over), '<=', 5 * sqrt($all + $over), "as many as without the filter: $over, $all");
	my %perf;
	$perf{$1}{$2} = 1 while $vm->{out} =~ /^perf (\d+)\s+\d+\s+(\d+)$/mg;
	is_deeply({ map { $_ => [ sort keys %{ $perf{$_} // {} } ] } qw(128 200 299 300) },
		  { 128 => [150, 300], 200 => [300], 299 => [300], 300 => [] }, 'perf: to the cycle') or diag($vm->{out});
	like($vm->{out}, qr/^bad [1-9]/m, 'perf: not below 128');
	like($vm->{err}, qr/^dprof: --ldlat 200: not a multiple of 128, as the processor has them/m, 'dprof: thresholds of the processor');
	like($vm->{out}, qr/^odd 2$/m, 'and others are refused');
}

# Zen 4 discards what did not miss the L3.
{
	my @record = qw(dprof record -s ibs -c 1024 --types none -H none);
	my $load = '-- kernel_load files 50';
	$vm = vm('--qemu', 'ibs', '--smp', 1, '--mem', '1G', '--accel', 'icount', '--ibs', 'hit-l1=60,hit-l2=20,hit-l3=10',
		 '--share', $share, '--timeout', 600, '--', 'sh', '-c',
		 "samples_ready; @record -o all.dat $load && @record --l3-miss-only -o missed.dat $load && " .
		 "@record -o pool.dat -- xdp_frames 30000 && @record -o veth.dat -- xdp_frames 20000 veth");
	is($vm->{status}, 0, 'recorded on a Zen 4') or diag($vm->{out}, $vm->{err});
	my %n;
	for my $of (qw(all missed)) {
		$file = "$of.dat";
		$n{$of}{$_->{level}} = $_->{samples} for rows('levels');
	}
	cmp_ok($n{all}{l1} // 0, '>', $n{all}{dram} // 0, 'most accesses hit the L1') or diag(explain(\%n));
	is_deeply([ keys %{$n{missed}} ], ['dram'], 'with --l3-miss-only none that is sampled hit a cache') or diag(explain(\%n));
	cmp_ok($n{missed}{dram}, '>=', 100, 'but many are');
	like(`$build/bin/dprof report classify $share/missed.dat 2>&1`, qr/missed.dat: all samples are misses of the L3/,
	     'they do not tell classes of misses');
	isnt($?, 0, 'which is an error');
	rows('profile', '--top', 3);

	# Pages that a pool recycles are its own, whoever allocated them, and of its device.
	for (['pool.dat', 'page_pool'], ['veth.dat', 'page_pool/pooled']) {
		($file, my $type) = @$_;
		my %of = map { $_->{type} => $_->{samples} } rows('profile', '--top', 0);
		cmp_ok($of{$type} // 0, '>=', 200, "$type is a type") or diag(explain(\%of));
		is_deeply([ grep { m{^page_pool(?:$|[/:])} } keys %of ], [$type], 'and the only one of page pools')
			or diag(explain(\%of));
	}
}

Test::More->builder->is_passing or
	diag(map { my $f = $_; map { `$build/bin/dprof report $_ --top 0 $f 2>&1` } qw(profile sharing) } glob "$share/samples-*.dat");

done_testing();
