#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# The PMU swmem: events as asked for, samples that are true, and perf's tools on
# what they record.  The truth is the second oracle's (oracle/next.c): which
# accesses did the instruction make that the interrupt returned to.
use strict;
use warnings;
no warnings 'portable';
use FindBin;
use IO::Socket::UNIX;
use List::Util qw(max min sum0);
use POSIX 'WNOHANG';
use lib $FindBin::RealBin, "$FindBin::RealBin/../bench";
use Figures;
use Test::More;
use VM;

my %result;
my $bench = "$build/bench";
# With HPET the local APIC's timer may fail its check at boot, and timers are coarse.
my @fine = ('--append', 'hpet=disable');
# By the host's time the kernel finds no clock that it trusts, unless the host is idle, and has no
# fine timers: then ticks are those of the kernel, on each host alike.
my @host_time = ('--append', 'hpet=disable highres=off', '--accel', 'tcg');
# Interrupts anywhere, not only between blocks.
my @icount = (@fine, '--accel', 'tcg', '--qemu-arg', '-icount', '--qemu-arg', 'shift=1,sleep=off');

# The results of one of the kernel's selftests, as ours.
sub ktap {
	my ($out, $prefix) = @_;
	my @lines = $out =~ /^(?:not )?ok \d+ .*/mg;
	for (@lines) {
		my ($not, $name) = /^(not )?ok \d+ (.*?)\r?$/;
		ok(!$not, join ': ', grep { defined } $prefix, $name) or diag $out;
	}
	return @lines;
}

# --- what events can ask for ------------------------------------------------
for my $smp (2, 1) {
	my $vm = vm('--smp', $smp, @icount, '--', 'swmem_events');
	is($vm->{status}, 0, "events, $smp CPUs") or diag $vm->{err};
	my ($planned) = $vm->{out} =~ /^1\.\.(\d+)/m;
	is(scalar ktap($vm->{out}, "$smp CPUs"), $planned, 'and all were tried');
	cmp_ok($planned // 0, '>', 20, 'many');
}

# --- CPUs that come and go ---------------------------------------------------
{
	my $script = <<'END';
swmem_check loops /tmp/a rounds=1000 period=50000 &
cd /sys/devices/system/cpu
for i in 1 2 3 4; do
	for c in 1 2; do echo 0 >cpu$c/online; sleep 0.02; done
	for c in 1 2; do echo 1 >cpu$c/online; sleep 0.02; done
done
wait
grep -c sample /tmp/a
dmesg | grep -i 'unknown.*NMI\|NMI.*unknown'
END
	my $vm = vm('--smp', 3, @icount, '--', 'sh', '-c', $script);
	my ($n, $rest) = split /\n/, $vm->{out}, 2;
	cmp_ok($n, '>', 300, 'sampling goes on while CPUs go offline and online') or diag $vm->{err};
	is($rest, '', 'and no NMI is unclaimed');
}

# --- CPUs that take turns --------------------------------------------------------
# The CPU that is sampled serves the other one, and gives up its turn when it programs its
# timer: that is where the other's NMI would find it.
for my $cpu (0, 1) {
	my $vm = vm('--smp', 2, @fine, '--accel', 'icount', '--', 'swmem_check', 'syscalls', $cpu);
	is($vm->{status}, 0, "short system calls on CPU $cpu") or diag $vm->{err};
	my @map = sort { $a->[0] cmp $b->[0] } map { [ split ] } grep { /^f{8}\S+ [tTwW] / } split /\n/,
		slurp("$kernel_dir/System.map");
	my ($all, $timer) = (0, 0);
	for ($vm->{out} =~ /^ip (\S+ \d+)$/mg) {
		my ($ip, $n) = split;
		my ($low, $high) = (0, scalar @map);
		while ($high - $low > 1) {
			my $mid = $low + $high >> 1;
			$map[$mid][0] le $ip ? ($low = $mid) : ($high = $mid);
		}
		$all += $n;
		$timer += $n if $map[$low][2] =~ /apic/;
	}
	diag "CPU $cpu: $timer of $all samples are of the local APIC";
	cmp_ok($all, '>', 200, "CPU $cpu: samples");
	cmp_ok($timer, '<', $all / 10, "CPU $cpu: and not of its timer");
}

# --- what an ordinary user may not learn --------------------------------------
{
	my $vm = vm('--smp', 2, @fine, '--accel', 'tcg', '--timeout', 500, '--', 'swmem_secrets');
	is($vm->{status}, 0, 'kernel addresses, as an ordinary user') or diag $vm->{err};
	my @results = ktap($vm->{out});
	is(scalar @results, 4, 'all was tried');
	like($vm->{out}, qr/ 0 of 1000 kernel addresses reported$/m, '1000 addresses');
}

# --- perf throttles it ----------------------------------------------------------
for my $smp (2, 1) {
	my $vm = vm('--smp', $smp, @icount, '--', 'swmem_throttle');
	is($vm->{status}, 0, "throttled, $smp CPUs") or diag $vm->{err};
	is(scalar ktap($vm->{out}, "$smp CPUs"), 4, 'all was tried');
}

# --- idle and isolated CPUs -------------------------------------------------------
for (['', '0-1'], ['isolcpus=1-2', '0']) {
	my ($append, $servers) = @$_;
	my $name = $append || 'no CPU isolated';
	my $vm = vm('--smp', 3, @icount, '--append', "hpet=disable $append", '--', 'sh', '-c',
		    'swmem_check all; cd /sys/bus/event_source/devices/swmem/stats;' .
		    'echo servers $(cat servers) senders $(cat senders)');
	is($vm->{status}, 0, "$name: runs") or diag $vm->{err};
	diag "$name: ", join '; ', split /\n/, $vm->{out};
	my ($ticks, $sent, $not_sent) =
		$vm->{out} =~ /^idle ticks (\d+), sent (\d+), not sent (\d+)/m;
	cmp_ok($not_sent // 0, '>', 1000, "$name: ticks of idle CPUs were due");
	cmp_ok($sent // 1e9, '<', ($not_sent // 0) / 20, "$name: and were not sent");
	# One CPU alone may serve: its own timer is all there is for itself.
	cmp_ok($ticks // 1e9, '<', ($not_sent // 0) / 20, "$name: nor came otherwise")
		unless $append;
	for my $cpu (0 .. 2) {
		my ($n) = $vm->{out} =~ /^cpu $cpu samples (\d+)/m;
		cmp_ok($n // 0, '>', 20, "$name: CPU $cpu is sampled when it works again");
	}
	like($vm->{out}, qr/^servers $servers senders $servers$/m, "$name: CPUs $servers serve");
}

# --- NMIs that nobody sent --------------------------------------------------------
# One that arrives while another is pending is lost in the CPU, so how many of those that
# are injected arrive differs.  Each that is taken was sent by swmem, or is unknown.
{
	my $script = <<'END';
swmem_check hold /tmp/holds &
until test -s /tmp/holds; do sleep .1; done
echo before $(dmesg | grep -c 'NMI received for unknown reason')
for i in $(seq 20); do echo $i >/share/inject; sleep .7; done
until test -e /share/injected; do sleep .1; done
sleep .7
kill %1
wait
echo unknown $(dmesg | grep -c 'NMI received for unknown reason')
echo taken $(grep NMI: /proc/interrupts)
grep . /sys/bus/event_source/devices/swmem/stats/*
END
	my $vm = vm_start('--smp', 2, @icount, '--share', $share, '--timeout', 400, '--append',
			  'hpet=disable', '--qemu-arg', '-qmp', '--qemu-arg',
			  "unix:$share/qmp,server=on,wait=off", '--', 'sh', '-c', $script);
	my ($qmp, $injected, $last) = (undef, 0, 0);
	my $command = sub {
		my ($name) = @_;
		print $qmp qq({"execute":"$name"}\n);
		while (defined(my $line = <$qmp>)) {
			return if $line =~ /"(?:return|error)"/;
		}
	};
	until (waitpid $vm->{pid}, WNOHANG) {
		select undef, undef, undef, .02;
		next unless (slurp("$share/inject") // '') =~ /^(\d+)\n/ && $1 > $last;
		$last = $1;
		if (!$qmp) {
			$qmp = IO::Socket::UNIX->new(Peer => "$share/qmp") or die "$share/qmp: $!";
			$qmp->autoflush;
			<$qmp>;
			$command->('qmp_capabilities');
		}
		$command->('inject-nmi');
		$injected++;
		# The guest counts after the last one only.
		if ($last == 20) {
			open my $f, '>', "$share/injected" or die "$share/injected: $!";
		}
	}
	vm_finish($vm);
	my %stat = $vm->{out} =~ m{^/.*/(\w+):(\d+)\r?$}mg;
	my ($before) = $vm->{out} =~ /^before (\d+)/m;
	my ($unknown) = $vm->{out} =~ /^unknown (\d+)/m;
	my $taken = sum0($vm->{out} =~ /^taken NMI: (\d+) (\d+)/m);
	my $all = "$injected injected, $taken taken, " . ($unknown // 'no') . " unknown, " .
		  ($stat{sent} // 'none') . ' sent';
	diag $all;
	cmp_ok($stat{sent} // 0, '>', 1000, 'NMIs are sent');
	is($before, 0, 'and none of them is unknown');
	cmp_ok($unknown // 0, '>', 0, 'injected ones are unknown');
	cmp_ok($unknown // 1e9, '<=', $injected, 'and no others');
	is($taken, ($stat{sent} // 0) + ($unknown // 0), "none is swallowed: $all") or
		diag $vm->{out}, $vm->{err};
}

# --- who chooses among sources finds it ---------------------------------------
{
	my $vm = vm('--', 'memscope-caps', '-f', 'csv');
	is($vm->{status}, 0, 'memscope-caps') or diag $vm->{err};
	like($vm->{out}, qr{^swmem,yes,swmem//,ns,}m, 'finds swmem, and opens it') or diag $vm->{out};
	like($vm->{out}, qr{^ibs,no,}m, 'and no IBS');
}

# --- against the oracle -----------------------------------------------------
my $nmi = (map { (split)[0] } grep { / asm_exc_nmi$/ } split /\n/,
	   slurp("$kernel_dir/System.map"))[0];
ok($nmi, 'where NMIs enter');

# name => [options of QEMU, options of swmem_check]
my @runs = (
	[ 'NMI, user', \@icount, 2, 'user', 'period=50000', 'rounds=600' ],
	[ 'timer, user', \@icount, 2, 'user', 'irq', 'period=50000', 'rounds=600' ],
	[ 'NMI, kernel', \@icount, 2, 'kernel', 'period=20000', 'rounds=150' ],
	[ 'timer, kernel', \@icount, 2, 'kernel', 'irq', 'period=20000', 'rounds=150' ],
	[ 'NMI, user, no -icount', \@host_time, 2, 'user', 'coarse', 'rounds=600',
	  'samples=1000' ],
	[ 'NMI, kernel, no -icount', \@host_time, 2, 'kernel', 'coarse', 'rounds=50',
	  'samples=1000' ],
);

sub region {
	my ($addr) = @_;
	return 'user' if length $addr < 16;
	return 'direct' if $addr ge 'ffff888000000000' && $addr le 'ffffc87fffffffff';
	return 'vmalloc' if $addr ge 'ffffc90000000000' && $addr le 'ffffe8ffffffffff';
	return 'struct_page' if $addr ge 'ffffea0000000000' && $addr le 'ffffeaffffffffff';
	return 'entry' if $addr ge 'fffffe0000000000' && $addr le 'fffffe7fffffffff';
	return 'static' if $addr ge 'ffffffff80000000' && $addr le 'ffffffff9fffffff';
	return 'module' if $addr ge 'ffffffffa0000000' && $addr le 'fffffffffeffffff';
	return $addr ge 'ffffffffff000000' ? 'fixmap' : 'other';
}

# TCG accesses at most 8 bytes at a time, and a load and a store are two accesses.
sub weight {
	my ($s) = @_;
	my $times = $s->{width} > 8 ? $s->{width} / 8 : 1;
	return $times * (($s->{op} & 1) + ($s->{op} >> 1 & 1));
}

sub shares {
	my ($count) = @_;
	my $sum = 0;
	$sum += $_ for values %$count;
	return { map { $_ => $sum ? 100 * $count->{$_} / $sum : 0 } keys %$count };
}

# The line of each sample, or undef: as many as there can be in the order of both,
# the longest common subsequence (J. Hunt, T. Szymanski, CACM 20:5, 1977).  Samples
# may share a line: two accesses of an instruction, or two interrupts before it ran.
sub align {
	my ($samples, $lines) = @_;
	my %lines_of;
	for my $j (reverse 0 .. $#$lines) {
		my ($pc, $insns, $accesses) = @{$lines->[$j]};
		my %did;
		for (@$accesses) {
			my ($addr, $bytes, $rw) = split /,/;
			$did{$addr} |= $rw eq 'r' ? 1 : 2;
		}
		push @{$lines_of{"$pc $_"}}, [ $j, $did{$_} ] for keys %did;
	}
	# The last line of the best sequence of each length, and what came before it.
	my (@tail, @entry);
	for my $i (0 .. $#$samples) {
		my $s = $samples->[$i];
		for (@{$lines_of{"$s->{ip} $s->{addr}"}}) {
			my ($j, $did) = @$_;
			next if $s->{op} & 3 & ~$did;
			my ($low, $high) = (0, scalar @tail);
			while ($low < $high) {
				my $mid = $low + $high >> 1;
				$tail[$mid] > $j ? ($high = $mid) : ($low = $mid + 1);
			}
			$tail[$low] = $j;
			$entry[$low] = [ $i, $j, $low ? $entry[$low - 1] : undef ];
		}
	}
	my @found;
	for (my $e = $entry[-1]; $e; $e = $e->[2]) {
		$found[$e->[0]] = $lines->[$e->[1]];
	}
	return @found;
}

# The line of a sample out of that order, as the one before it has line AT.  Another
# interrupt came before an instruction ran, its handler was sampled as well, and the
# instruction ran when that returned: a line without instructions of an NMI.  So what
# is out of order is this instruction, or those of the handler before it.
sub nested {
	my ($s, $lines, $at) = @_;
	my $has = sub {
		my ($pc, $insns, $accesses) = @{$_[0]};
		return if $pc ne $s->{ip};
		my $did = 0;
		for (@$accesses) {
			my ($addr, $bytes, $rw) = split /,/;
			$did |= $rw eq 'r' ? 1 : 2 if $addr eq $s->{addr};
		}
		return !($s->{op} & 3 & ~$did);
	};
	my @after = grep { !$_->[1] } @$lines[$at .. min($at + 64, $#$lines)];
	my @before = $lines->[$at][1] ? () : @$lines[max($at - 64, 0) .. $at];
	return (grep { $has->($_) } @after, @before)[0];
}

sub compare {
	my ($name, $options, $smp, @args) = @_;
	my $key = $name =~ s/\W+/_/gr;
	my $truth = "$share/truth.$key";
	my $vm = vm(@$options, '--smp', $smp, '--share', $share, '--timeout', 500, '--qemu-arg',
		    '-plugin', '--qemu-arg', "$build/guest/libnext.so,out=$truth,nmi=$nmi", '--',
		    'swmem_check', 'loops', "/share/samples.$key", @args);
	is($vm->{status}, 0, "$name: runs") or return diag $vm->{err}, $vm->{out};

	my (@samples, %object, $lost);
	for (split /\n/, slurp("$share/samples.$key")) {
		my ($what, @f) = split;
		if ($what eq 'sample') {
			push @samples, { cpu => $f[0], ip => $f[1], addr => $f[2], op => hex $f[3],
					 width => $f[4], mode => $f[5] };
		} elsif ($what eq 'object') {
			$object{$f[0]} = [ hex $f[1], hex $f[2] ];
		} elsif ($what eq 'lost') {
			$lost = $f[0];
		}
	}
	my (%next, %page, %region, @nmis);
	my @cost = ([], []);
	for (split /\n/, slurp($truth)) {
		my ($what, @f) = split;
		if ($what eq 'next') {
			my ($cpu, $pc, $insns, @accesses) = @f;
			push @{$next{$cpu}}, [ $pc, $insns, \@accesses ];
		} elsif ($what eq 'page') {
			$page{$f[0]} = $f[1] + $f[2];
		} elsif ($what eq 'region') {
			$region{$f[0]} += $f[1] + $f[2];
			$region{store} += $f[2];
		} elsif ($what eq 'nmi') {
			@nmis = @f;
		}
	}

	my ($right, @wrong) = (0);
	for my $cpu (keys %next) {
		my $list = $next{$cpu};
		my @here = grep { $_->{cpu} == $cpu } @samples;
		my @found = align(\@here, $list);
		my ($at, %index) = (0, map { $list->[$_] => $_ } 0 .. $#$list);
		for my $k (0 .. $#here) {
			$at = $index{$found[$k]} if $found[$k];
			my $line = $found[$k] // nested($here[$k], $list, $at);
			push(@wrong, $here[$k]), next unless $line;
			$right++;
			push @{$cost[1]}, $line->[1] if $line->[1] && !$line->[3];
			$line->[3] = 1;
		}
	}
	for my $list (values %next) {
		push @{$cost[0]}, $_->[1] for grep { $_->[1] && !$_->[3] && !@{$_->[2]} } @$list;
	}
	my $pct = @samples ? 100 * $right / @samples : 0;
	$result{"swmem_addr_right_$key"} = $pct / 100;
	$result{"swmem_samples_$key"} = @samples;
	diag sprintf '%s: %d samples, %d lost, %.2f %% right', $name, scalar @samples, $lost, $pct;
	cmp_ok(scalar @samples, '>', 300, "$name: samples");
	# Without -icount an interrupt may return to where the next comes at once.
	cmp_ok($pct, '>=', $name =~ /no -icount/ ? 97 : 99, "$name: they are true")
		or diag join "\n", map { join ' ', %$_ } @wrong[0 .. ($#wrong < 4 ? $#wrong : 4)];
	for my $k (0, 1) {
		my @c = sort { $a <=> $b } @{$cost[$k]};
		next unless @c;
		my $what = $k ? 'store' : 'discard';
		diag sprintf '%s: NMI to IRET, guest instructions to %s: median %d (%d to %d, %d NMIs)',
			$name, $what, $c[@c / 2], $c[0], $c[-1], scalar @c;
		$result{"insn_per_sample_swmem_${what}_$key"} = $c[@c / 2];
	}
	return if $name !~ /user|kernel/;

	if ($name =~ /user/) {
		my (%true, %seen);
		for my $o (keys %object) {
			my ($first, $last) = @{$object{$o}};
			for (my $p = $first; $p <= $last; $p += 4096) {
				$true{$o} += $page{sprintf '%x', $p} // 0;
			}
			$seen{$o} = 0;
		}
		my ($all_true, $all_seen) = (0, 0);
		$all_true += $_ for values %page;
		$true{rest} = $all_true;
		$true{rest} -= $true{$_} for keys %object;
		for my $s (@samples) {
			my $a = hex $s->{addr};
			my ($o) = grep { $a >= $object{$_}[0] && $a <= $object{$_}[1] } keys %object;
			$seen{$o // 'rest'} += weight($s);
		}
		my ($t, $s) = (shares(\%true), shares(\%seen));
		my $worst = 0;
		for (sort keys %$t) {
			my $d = abs($t->{$_} - ($s->{$_} // 0));
			$worst = $d if $t->{$_} > 5 && $d > $worst;
			diag sprintf '%s: %-8s %5.1f %% of accesses, %5.1f %% of samples', $name, $_,
				$t->{$_}, $s->{$_} // 0;
		}
		$result{"swmem_share_max_err_pp_$key"} = $worst;
		cmp_ok($worst, '<=', 3, "$name: shares of objects") unless $name =~ /no -icount/;
	} else {
		my (%seen, $stores, $n);
		for my $s (@samples) {
			my $w = weight($s);
			$seen{region($s->{addr})} += $w;
			$stores += $w * ($s->{op} & 2 ? ($s->{op} & 1 ? .5 : 1) : 0);
			$n += $w;
		}
		my $true_stores = delete $region{store};
		my $all = 0;
		$all += $_ for values %region;
		my ($t, $s) = (shares(\%region), shares(\%seen));
		my $tvd = 0;
		for (sort keys %$t) {
			$tvd += abs($t->{$_} - ($s->{$_} // 0)) / 2;
			diag sprintf '%s: %-8s %5.1f %% of accesses, %5.1f %% of samples', $name, $_,
				$t->{$_}, $s->{$_} // 0 if $t->{$_} > .5 || ($s->{$_} // 0) > .5;
		}
		diag sprintf '%s: distance %.1f %%; stores %.1f %% of accesses, %.1f %% of samples', $name,
			$tvd, 100 * $true_stores / $all, $n ? 100 * $stores / $n : 0;
		$result{"swmem_kernel_tvd_pct_$key"} = $tvd;
		# On PREEMPT_RT threads of the kernel do on this CPU what is the sampled
		# task's own time elsewhere; the oracle does not tell them apart.
		cmp_ok($tvd, '<=', 8, "$name: regions")
			if $name eq 'NMI, kernel' && $kernel_dir !~ /-rt$/;
	}
}
compare(@$_) for @runs;

record_figures("$bench/swmem.json", 'prove test-vms/tests/swmem.t',
	'kernel-vm, QEMU TCG, 2 CPUs, -icount shift=1,sleep=off unless said', \%result) if $kernel_dir =~ /-vm$/;
done_testing;
