#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# dprof in the kernel: allocations and frees that are all told, histories of known
# accesses, samples of known objects, debug registers that others have too, and nothing
# left behind.  What is accessed is known from the module dprof_probe.
use strict;
use warnings;
no warnings 'portable';
use FindBin;
use lib $FindBin::RealBin;
use Test::More;
use VM;

my $append = 'hpet=disable sysctl.vm.mem_profiling=0';
# Clocks are coarse without the rate of the TSC, which cannot be had on a busy host.
my ($mhz) = slurp('/proc/cpuinfo') =~ /^cpu MHz\s*: (\d+)/m;
my @boot = ('--append', "$append tsc_early_khz=" . 1000 * ($mhz // 2000), '--accel', 'tcg');
# For samples: interrupts anywhere, not only between blocks.
my @icount = ('--append', 'hpet=disable sysctl.vm.mem_profiling=1', '--accel', 'tcg', '--qemu-arg', '-icount',
	      '--qemu-arg', 'shift=1,sleep=off');

# --- off: one NOP in an allocation, one in a free -----------------------------
{
	my $vmlinux = "$kernel_dir/vmlinux";
	my %symbol = map { my @f = split; ($f[2] => hex $f[0]) } split /\n/,
		slurp("$kernel_dir/System.map");
	my @sorted = sort { $a->[0] <=> $b->[0] } map { [ $symbol{$_}, $_ ] } keys %symbol;
	my ($line) = grep { /\b__jump_table\b/ } split /\n/, `readelf -SW $vmlinux | sed 's/^ *\\[ *[0-9]*\\] *//'`;
	my (undef, undef, $addr, $offset, $size) = split ' ', $line // '';
	if (!$size) {	# it is a part of .data
		($addr, $offset) = (0, 0);
		for (split /\n/, `readelf -SW $vmlinux | sed 's/^ *\\[ *[0-9]*\\] *//'`) {
			my ($name, $type, $a, $o, $s) = split;
			next unless ($s // '') =~ /^[0-9a-f]+$/ && ($a // '') =~ /^[0-9a-f]{16}$/;
			my $start = $symbol{__start___jump_table};
			($addr, $offset) = ($a, $o) if hex $a <= $start && $start < hex($a) + hex $s;
		}
	}
	my ($start, $stop) = @symbol{qw(__start___jump_table __stop___jump_table)};
	open my $f, '<:raw', $vmlinux or die;
	seek $f, hex($offset) + $start - hex($addr), 0;
	read $f, my $table, $stop - $start;
	my %sites;
	for (my $i = 0; $i < length $table; $i += 16) {
		my ($code, undef, $key) = unpack 'l< l< q<', substr $table, $i, 16;
		next unless (($start + $i + 8 + $key) & ~3) == $symbol{dprof_hooks};
		my $at = $start + $i + $code;
		my ($low, $high) = (0, $#sorted);
		while ($low < $high) {
			my $mid = $low + $high + 1 >> 1;
			$sorted[$mid][0] <= $at ? ($low = $mid) : ($high = $mid - 1);
		}
		$sites{$sorted[$low][1]}++;
	}
	is($sites{$_}, 1, "a NOP in $_") for qw(kmem_cache_alloc_noprof __kmalloc_noprof);
	cmp_ok($sites{kmem_cache_free} // 0, '<=', 1, 'at most one in kmem_cache_free');
	diag "sites of hooks: " . join ' ', map { "$_ $sites{$_}" } sort keys %sites;
}

# --- in the guest ---------------------------------------------------------------
open my $script, '>', "$share/script" or die;
print $script <<'END';
cd /sys/kernel/tracing
probe=/sys/kernel/debug/dprof_probe/run
modprobe dprof_probe || exit 1
echo 65536 >buffer_size_kb
# What follows what is asked here, between CPUs too, whose clocks need not agree.
echo counter >trace_clock
echo 'name=off'; cat dprof/stats
section() { cat trace >/share/$1; cat dprof/known_types >/share/$1.types; cat dprof/stats >/share/$1.stats; echo >trace; }

# the administrator's setting of allocation profiling, and dprof's own use
profiling() { echo "profiling $1: $(cat /proc/sys/vm/mem_profiling) $(grep ^sites dprof/stats)"; }
profiling before
echo 1 >events/dprof/dprof_type/enable; profiling used
echo 1 >/proc/sys/vm/mem_profiling; profiling both
echo 0 >events/dprof/dprof_type/enable; profiling kept
echo 1 >events/dprof/dprof_type/enable; profiling both
echo 0 >/proc/sys/vm/mem_profiling; profiling used
echo 0 >events/dprof/dprof_type/enable; profiling after

# the address set
echo 'dprof_probe :run_rcu' >dprof/types
echo 1 >events/dprof/dprof_alloc/enable
echo 1 >events/dprof/dprof_free/enable
echo 1 >events/dprof/dprof_type/enable
cat dprof/stats >/dev/null
echo single 100 >$probe
echo bulk 10 >$probe
echo rcu 64 >$probe
section set
echo 0 >events/dprof/enable
: >dprof/types

# histories of known accesses
watch() {
	echo "$2" >dprof/history_offsets
	echo $1 >dprof/history_types
	echo 0 >dprof/history_cpu_share
	echo 1 >events/dprof/enable
	echo 0 >events/dprof/dprof_sample/enable
	echo "slots $3 $(cat dprof/history_slots)"
	echo $4 20 >$probe
	cat $probe >/share/$3.did
	echo 0 >events/dprof/enable
	section $3
	: >dprof/history_types
}
watch dprof_probe 0,8,64 three access
watch dprof_probe 0,8,16,64 four access
watch dprof_probe 8 one access
watch dprof_typesafe 0,8,64 typesafe typesafe
watch dprof_probe 192,200 pair pair
echo 4 >dprof/history_objects
watch dprof_probe '0 8 64' many access
echo 1 >dprof/history_objects

# of bursts of 16 objects, one of which can be watched at a time
echo 0 >dprof/history_offsets; echo dprof_probe >dprof/history_types; echo dprof_probe >dprof/types
echo 1000 >dprof/history_cpu_share
for event in alloc history history_end; do echo 1 >events/dprof/dprof_$event/enable; done
cat dprof/stats >/dev/null
taskset 1 sh -c "echo bulk 400 >$probe"
echo 0 >events/dprof/enable
section drawn
: >dprof/types
# the share of a CPU
echo '0,8 16,24 32,40 48,56' >dprof/history_offsets
for share in 0 1; do
	echo $share >dprof/history_cpu_share
	echo 1 >events/dprof/dprof_history/enable
	echo 1 >events/dprof/dprof_access/enable; cat dprof/stats >/dev/null
	had=$(sed -n 's/^histories //p' dprof/stats)
	echo single 20000 >$probe
	echo "share $share $(($(sed -n 's/^histories //p' dprof/stats) - had))"
	echo 0 >events/dprof/enable; cat dprof/stats >/dev/null
done
: >dprof/history_types; echo >trace; echo 10 >dprof/history_cpu_share

# registers of others: selftests.t has perf before, while and after dprof has some
echo '0,8' >dprof/history_offsets; echo filp >dprof/history_types
echo 1 >events/dprof/enable; cat dprof/stats >/dev/null
had=$(sed -n 's/^histories //p' dprof/stats)
dprof_registers ptrace 2 >/tmp/p &
for i in $(seq 600); do
	cat dprof/stats >/share/busy.stats
	[ $(sed -n 's/^histories //p' /share/busy.stats) -gt $had ] && break
	sleep 0.1
done
wait $!; echo "ptrace during2 $(cat /tmp/p)"
echo 0 >events/dprof/enable; cat dprof/stats >/dev/null

# interrupted by kill, over and over
for i in 1 2 3 4 5 6; do
	(trace-cmd record -e dprof -o /tmp/t.dat ls -R /proc/self >/dev/null 2>&1) & p=$!
	sleep 0.$i
	kill -9 $p; killall -9 trace-cmd 2>/dev/null
	echo 0 >events/dprof/enable
done
cat dprof/stats >/share/killed.stats
# What trace-cmd leaves when it is killed.
echo 1 >tracing_on; echo counter >trace_clock; echo 65536 >buffer_size_kb; echo >trace
echo "killed $(dprof_registers count) $(dprof_registers ptrace 0)"

# CPUs come and go
echo 1 >events/dprof/enable; cat dprof/stats >/dev/null
for i in 1 2 3; do
	echo 0 >/sys/devices/system/cpu/cpu1/online; ls -R /proc/self >/dev/null 2>&1
	echo 1 >/sys/devices/system/cpu/cpu1/online; cat dprof/stats >/share/hotplug.stats
	echo "hotplug $(dprof_registers count)"
done
section hotplug
echo 0 >events/dprof/enable; : >dprof/history_types; cat dprof/stats >/dev/null
watch dprof_probe 0,8,64 replugged access
echo "after hotplug $(dprof_registers count)"

grep -E '_at$|run_' /proc/kallsyms >/share/symbols
rmmod dprof_probe && echo removed
cat dprof/stats >/share/end.stats
END
close $script;

my $vm = vm(@boot, '--smp', 2, '--share', $share, '--timeout', 900, '--', 'sh', '/share/script');
is($vm->{status}, 0, 'the guest runs') or diag $vm->{err}, $vm->{out};
my @said = split /\n/, $vm->{out};
my %stats;

sub stats {
	my ($name) = @_;
	return { map { split ' ', $_, 2 } split /\n/, slurp("$share/$name.stats") // '' };
}

# Events of a section: [ cpu, what, { field => value } ].
sub events {
	my ($name) = @_;
	my @events;
	for (split /\n/, slurp("$share/$name") // '') {
		my ($cpu, $what, $rest) = /\[(\d+)\].*?: (dprof_\w+): (.*)/ or next;
		push @events, [ $cpu + 0, $what, { $rest =~ /(\w+)=(\S*)/g } ];
	}
	return @events;
}

sub types {
	my ($name) = @_;
	my %types;
	for (split /\n/, slurp("$share/$name.types") // '') {
		my %f = /(\w+)=(\S*)/g;
		$types{$f{id}} = \%f;
	}
	return \%types;
}

open $script, '>', "$share/samples.sh" or die;
print $script <<'END';
cd /sys/kernel/tracing
probe=/sys/kernel/debug/dprof_probe/run
modprobe dprof_probe || exit 1
echo 65536 >buffer_size_kb
samples_ready
# samples of an object that is accessed all the time
echo $PERIOD >dprof/period
echo 1 >events/dprof/dprof_sample/enable
echo 1 >events/dprof/dprof_type/enable; cat dprof/stats >/dev/null
echo touch 400000 >$probe
ls -R /proc/1 /sys/kernel/slab >/dev/null 2>&1
echo 0 >events/dprof/enable; cat dprof/stats >/share/samples.stats
cat trace >/share/samples; cat dprof/known_types >/share/samples.types
head -n 1 $probe >/share/samples.did
# perf's limit of the rate stops the counters: not unnoticed
echo 25 >/proc/sys/kernel/perf_cpu_time_max_percent
echo 1000 >/proc/sys/kernel/perf_event_max_sample_rate
echo 1 >events/dprof/dprof_sample/enable
echo touch 100000 >$probe
cat dprof/stats >/share/throttled.stats
echo 0 >events/dprof/enable
END
close $script;
$vm = vm(@icount, '--smp', 2, '--share', $share, '--timeout', 900, '--env', "PERIOD=$sample_ns", '--', 'sh', '/share/samples.sh');
is($vm->{status}, 0, 'the guest that samples runs') or diag $vm->{err}, $vm->{out};

# --- allocation profiling ----------------------------------------------------------
is(join(' ', map { /^profiling (.*)/ ? "$1;" : () } @said),
   'before: 0 sites 0; used: 0 sites 1; both: 1 sites 1; kept: 1 sites 1; both: 1 sites 1; ' .
   'used: 0 sites 1; after: 0 sites 0;', "vm.mem_profiling stays the administrator's");

# --- the address set ----------------------------------------------------------------
{
	my $types = types('set');
	my (%alloc, %free, %live, $wrong);
	for (events('set')) {
		my (undef, $what, $f) = @$_;
		next unless $what =~ /alloc|free/;
		my $t = $types->{$f->{type}};
		my $of = "$t->{cache} $t->{func}";
		if ($what eq 'dprof_alloc') {
			$alloc{$of}++;
			$wrong++ if $live{$f->{base}}++;
		} else {
			$free{$of}++;
			$wrong++ if --$live{$f->{base}};
		}
	}
	is($alloc{'dprof_probe run_single'}, 100, '100 single allocations');
	is($alloc{'dprof_probe run_bulk'}, 160, '10 times 16 in bulk');
	my ($rcu) = grep { /run_rcu/ } keys %alloc;
	like($rcu // '', qr/^kmalloc-(96|128)/, 'kmalloc() has its site');
	is($alloc{$rcu // ''}, 64, '64 to be freed by kfree_rcu()');
	is_deeply(\%free, \%alloc, 'as many frees of the same types');
	is($wrong // 0, 0, 'each object is freed once, by its address');
	like(slurp("$share/set"), qr/dprof_type: .*cache=dprof_probe func=run_single file=\S*dprof_probe.c line=\d+ module=dprof_probe/,
	     'the event of a type');
}

# --- histories --------------------------------------------------------------------
sub history {
	my ($name, $slots, @offsets) = @_;
	my (%watched) = map { $_ => 1 } @offsets;
	my @did = map { [ (split)[1 .. 4] ] } grep { /^did/ } split /\n/, slurp("$share/$name.did");
	my ($object) = slurp("$share/$name.did") =~ /^object (\w+)/m;
	my @want = map { "$_->[0] $_->[1] $_->[2] $_->[3]" } grep { $watched{$_->[1]} } @did;
	my ($h, $end, @got, $id);
	for (events($name)) {
		my ($cpu, $what, $f) = @$_;
		if ($what eq 'dprof_history' && $f->{base} eq "0x$object") {
			($h, $id) = ($f, $f->{id});
		} elsif ($what eq 'dprof_access' && defined $id && $f->{id} == $id) {
			fail("$name: an access after the end") if $end;
			push @got, sprintf '%s %d %d %d', substr($f->{ip}, 2), $f->{offset}, $f->{op}, $cpu;
		} elsif ($what eq 'dprof_history_end' && defined $id && $f->{id} == $id) {
			$end = $f;
		}
	}
	ok((grep { $_ eq "slots $name $slots" } @said), "$name: registers");
	ok($h && $end, "$name: a history") or return diag slurp("$share/$name.stats");
	is($end->{how}, 0, "$name: ends by the free");
	# Other code that touches it: the allocator, when it hands it out.
	my %probe = map { $_ => 1 } map { (split)[0] } map { $_->[0] } @did;
	@got = grep { $probe{(split)[0]} } @got;
	cmp_ok(scalar @want, '>', 100, "$name: accesses were made");
	is(scalar @got, scalar @want, "$name: and told, all of them");
	my ($bad) = grep { ($got[$_] // '') ne $want[$_] } 0 .. $#want;
	ok(!defined $bad, "$name: instruction, place, read or write, CPU, in order")
		or diag "at $bad: got @{[$got[$bad] // 'none']}, not $want[$bad]";
	cmp_ok($end->{blind}, '<', 250e6, "$name: blind window $end->{blind} ns");
	cmp_ok($end->{lifetime}, '>', $end->{blind}, "$name: lifetime");
}
history('three', 3, 0, 8, 64);
history('four', 4, 0, 8, 16, 64);
history('one', 1, 8);
history('typesafe', 3, 0, 8, 64);
history('replugged', 3, 0, 8, 64);

# Several objects at once: here one object, of which the first group is watched.
{
	my @h = grep { $_->[1] eq 'dprof_history' } events('many');
	is($h[0][2]{slots}, 1, 'groups of one place');
	ok((grep { $_ eq 'slots many 4' } @said), 'and registers for four objects');
}

# Objects of a burst are as likely as its first one, and most bursts have a history.
{
	my ($n, @of) = (0);
	for (events('drawn')) {
		my (undef, $what, $f) = @$_;
		$n++ if $what eq 'dprof_alloc';
		$of[($n - 1) % 16]++ if $what eq 'dprof_history';
	}
	my ($all, $late) = (0, 0);
	for my $i (0 .. 15) {
		$all += $of[$i] // 0;
		$late += $of[$i] // 0 if $i >= 8;
	}
	is($n, 400 * 16, 'all objects of the bursts are reported');
	cmp_ok($all, '>=', 150, 'bursts with a history');
	cmp_ok($late, '>=', $all / 4, 'of which many are of the second half') or diag join ' ', map { $_ // 0 } @of;
	my %n = map { /^share (\d+) (\d+)/ ? ($1 => $2) : () } @said;
	is($n{0}, 20_000, 'without a limit each object that is alone has one');
	cmp_ok($n{1}, '<', $n{0} / 20, 'with a thousandth of a CPU few');
	cmp_ok($n{1}, '>', 0, 'but some');
}

# --- two objects that share a line ---------------------------------------------------
{
	my ($first, $second) = slurp("$share/pair.did") =~ /^pair (\w+) (\w+)/m;
	my $types = types('pair');
	my ($id, %hits);
	for (events('pair')) {
		my ($cpu, $what, $f) = @$_;
		$id = $f->{id} if $what eq 'dprof_history' && $f->{base} eq "0x$first";
		next unless $what eq 'dprof_access' && defined $id && $f->{id} == $id;
		$hits{"$f->{offset} $f->{op} $types->{$f->{type}}{cache}"}++;
	}
	ok(defined $id, 'an object with a neighbor was watched');
	is($hits{'192 2 dprof_probe'}, 20, 'writes to its end');
	is($hits{'200 1 dprof_probe'}, 20, 'reads of the neighbor, which has its type');
}

# --- registers ------------------------------------------------------------------------
{
	my %said = map { /^(ptrace during2|after hotplug|killed) (.*)/ ?
			 ($1 => $2) : () } @said;
	like($said{'ptrace during2'}, qr/^[1-9]/, 'watchpoints by ptrace stop where they should');
	cmp_ok(stats('busy')->{histories}, '>', 0, 'while histories are recorded');
	is($said{killed}, '4 1', 'perf and ptrace get all after recordings that were killed');
	is(stats('killed')->{running}, 0, 'nothing runs then');
	is((grep { /^hotplug 2$/ } @said), 3, 'two while CPUs come and go');
	is($said{'after hotplug'}, 4, 'four again');
	is(stats('hotplug')->{cpus_failed}, 0, 'CPUs that come back take part');
}

# --- samples ----------------------------------------------------------------------------
{
	my $types = types('samples');
	my ($object) = slurp("$share/samples.did") =~ /^object (\w+)/m;
	my (%count, $wrong, $right, $all, $slab, $named, @bad);
	my %at = map { my @f = split; $f[2] =~ /^dprof_probe_(\w+)_at/ ? ($f[0] => $1) : () }
		split /\n/, slurp("$share/symbols");
	for (events('samples')) {
		my (undef, $what, $f) = @$_;
		next unless $what eq 'dprof_sample';
		$all++;
		my $t = $types->{$f->{type}};
		$count{$t ? $t->{cache} : '?'}++;
		push @bad, "no type $f->{type}" unless $t;
		push @bad, "$f->{addr}" if hex($f->{base}) + $f->{offset} != hex $f->{addr};
		next unless $t;
		if ($t->{class} == 1 || $t->{class} == 2) {
			$slab++;
			$named++ if $t->{class} == 1 || $t->{func};
		}
		if (hex($f->{addr}) >= hex($object) && hex($f->{addr}) < hex($object) + 200) {
			$t->{cache} eq 'dprof_probe' && $t->{func} eq 'run_touch' &&
				hex($f->{base}) == hex $object ? $right++ : $wrong++;
		}
	}
	cmp_ok($all // 0, '>', 500, 'samples');
	cmp_ok($right // 0, '>', 20, 'of the object that was accessed');
	is($wrong // 0, 0, 'have its type, site and address, all of them');
	is_deeply([ @bad[0 .. ($#bad < 4 ? $#bad : 4)] ], [], 'and all have a type, and an object that the address is in');
	cmp_ok($count{unknown} // 0, '<=', 0.01 * $all, 'of an unknown type: at most 1 %');
	is(stats('samples')->{samples_throttled}, 0, 'no counter was throttled');
	cmp_ok(stats('throttled')->{samples_throttled}, '>', 0, "until perf's limit was low: counted");
	is(stats('throttled')->{sampling_cpus}, 2, 'and sampling goes on');
	diag sprintf 'samples %d; %s', $all, join ', ', map { "$_ $count{$_}" }
		(sort { $count{$b} <=> $count{$a} } keys %count)[0 .. 11];
	diag sprintf 'of slabs %d, with a site or a named cache %d', $slab // 0, $named // 0;
	cmp_ok($named // 0, '>=', 0.9 * ($slab // 1), 'slab samples have a site or a named cache');
}

# --- the files, and the end ----------------------------------------------------------------
ok((grep { $_ eq 'removed' } @said), 'the module can be removed');
is(stats('end')->{running}, 0, 'nothing runs at the end');
is(stats('end')->{types_full}, 0, 'and there were numbers for all types');
done_testing;
