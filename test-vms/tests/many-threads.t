#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# memprof record and many threads: 10,000 that come and go and 500 that sleep are recorded
# whole, on 32 CPUs, or as many as the kernel takes, as on two; while nothing happens, the
# recorder does next to nothing.  dprof on as many CPUs: each is sampled, and each one's debug
# registers report its accesses to an object that another one allocated.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use List::Util qw(max min);
use Test::More;
use Plants;
use VM;

stage();
my ($supported) = (slurp("$kernel_dir/.config") // '') =~ /^CONFIG_NR_CPUS=(\d+)$/m;
my $cpus = min(32, $supported // 32);

# By swmem, which needs no QEMU of its own.
sub guest {
	my ($cpus, $script, @options) = @_;
	open my $f, '>', "$share/many.sh" or die;
	print $f "cd /tmp\nexport PATH=/share/bin:\$PATH\n$no_limits\n$script";
	close $f;
	return vm('--smp', $cpus, '--mem', '3G', '--append', 'hpet=disable', '--root', 'host', '--share', $share,
		  '--timeout', 900, @options, '--', 'sh', '/share/many.sh');
}

# So many descriptors are more than the soft limit: two of each thread and CPU.
my $many = <<'END';
memprof record -c 200000 -o many.data --ring 16K -- memprof_many 500 10000 /tmp/go >said & r=$!
until grep -q quiet said; do sleep 0.5; done
sleep 2
tracing=/sys/kernel/tracing
echo $r >$tracing/set_event_pid
echo >$tracing/trace
echo 1 >$tracing/events/raw_syscalls/sys_enter/enable
sleep 5
echo 0 >$tracing/events/raw_syscalls/sys_enter/enable
echo "calls $(grep -c sys_enter $tracing/trace)"
touch /tmp/go
wait $r || exit 1
cat said
memprof report summary many.data -f csv
END
# Time is instructions: on a busy host, what was recorded before would be written in the seconds
# in which system calls are counted.
my $vm = guest(2, $many, '--accel', 'icount');
is($vm->{status}, 0, 'threads that come and go, and that sleep, are recorded') or diag $vm->{err}, $vm->{out};
like($vm->{out}, qr/^objects 10500$/m, 'so many objects');
my ($events) = $vm->{err} =~ /, (\d+) events of objects/;
cmp_ok($events // 0, '>=', 2 * 10500, "each begins and ends: $events events") or diag $vm->{err};
unlike($vm->{err}, qr/events of objects lost/, 'none is lost');
like($vm->{out}, qr/^"?events of objects lost"?,0/m, 'and the recording says so') or diag $vm->{out};
my ($calls) = $vm->{out} =~ /^calls (\d+)$/m;
$calls = ($calls // 0) / 5;
ok($calls > 1 && $calls <= 200, "in a second of sleep, the recorder makes $calls system calls") or diag $vm->{out};

# All CPUs: of the last one, too, and with more descriptors than the soft limit.
$vm = guest($cpus, <<'END');
echo "online $(nproc)"
memprof_many 40 0 /tmp/go >said & many=$!
until grep -q quiet said; do sleep 0.5; done
sh -c "ulimit -S -n 256; exec memprof record -c 200000 -o pid.data -p $many" 2>err & r=$!
# It says when it records.
until grep -q Ctrl-C err || ! kill -0 $r; do sleep 0.1; done
touch /tmp/go
wait $r || echo "status $?"
cat err >&2
taskset -c $(($(nproc) - 1)) memprof record -c 20000 -o last.data -- memprof_truth log 1 1000 || exit 1
memprof report summary last.data -f csv
END
is($vm->{status}, 0, "$cpus CPUs are recorded") or diag $vm->{err}, $vm->{out};
like($vm->{out}, qr/^online $cpus$/m, 'as many are there');
unlike($vm->{out} . $vm->{err}, qr/^status|cannot be opened/m, "41 threads on $cpus CPUs: the limit of descriptors is raised")
	or diag $vm->{err};
like($vm->{out}, qr/^accesses,[1-9]/m, 'what runs on the last CPU only is sampled') or diag $vm->{out};
SKIP: {
	skip 'this kernel has no dprof', 5 if slurp("$kernel_dir/.config") !~ /^CONFIG_DPROF=y/m;
	# By a busy host's time, setting registers takes so long that the share of a CPU is spent by a
	# few histories, and the kernel takes fewer samples: time is instructions, and there is no limit.
	# All write to one pipe, the object with a history, whose lock is its first field.
	$vm = guest($cpus, <<'END', '--accel', 'icount');
cat >each.sh <<'EOS'
{
	for cpu in $(seq 0 $(($(nproc) - 1))); do
		taskset -c $cpu ls -R /sys/block /sys/bus &
	done
	wait
} | cat >/dev/null
EOS
dprof record -s swmem -c 200000 --types kmalloc-cg-192 -H kmalloc-cg-192 --offsets 0 --objects 4 --cpu-share 0 -o each.dat -- sh each.sh || exit 1
dprof script each.dat >each.txt || exit 1
echo "sampled $(awk '$4 == "dprof_sample" { print $2 }' each.txt | sort -u | wc -l)"
for id in $(awk '$4 == "dprof_history" { print $5 }' each.txt); do
	echo "accessed by $(awk -v id=$id '$4 == "dprof_access" && $5 == id { print $2 }' each.txt | sort -u | wc -l)"
done
echo "armed $(sed -n 's/^history_slots //p' /sys/kernel/tracing/dprof/stats)"
END
	is($vm->{status}, 0, "dprof records on $cpus CPUs") or diag $vm->{err}, $vm->{out};
	my %n = $vm->{out} =~ /^(sampled|armed) (\d+)$/mg;
	is($n{sampled}, $cpus, "dprof: each of $cpus CPUs is sampled") or diag $vm->{out}, $vm->{err};
	my @accessed = $vm->{out} =~ /^accessed by (\d+)$/mg;
	cmp_ok(scalar @accessed, '>=', 1, 'an object is watched') or diag $vm->{out}, $vm->{err};
	is(max(0, @accessed), $cpus, "accesses of each of $cpus CPUs are of one history") or diag $vm->{out}, $vm->{err};
	is($n{armed}, 0, 'no debug register is kept');
}

done_testing();
