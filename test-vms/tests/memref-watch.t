#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# memref watch: no interval is missing while processes and control groups come and go and memory
# is added, and what it writes are the events' figures; it costs little, does not grow, and
# restores the settings however it ends.
use strict;
use warnings;
use File::Copy;
use FindBin;
use lib $FindBin::RealBin, "$FindBin::RealBin/../bench";
use Figures;
use Test::More;
use VM;

# Debian's libpcp-mmv1, for the guest.
my ($mmv) = `/sbin/ldconfig -p` =~ /(\S+libpcp_mmv\.so\.1)$/m;
my ($mmvdump) = grep { -x } map { "$_/usr/lib/pcp/pmdas/mmv/mmvdump" } "$build/unpacked", '';
if ($mmv) {
	mkdir "$share/lib";
	copy($_, "$share/lib/") for $mmv, grep { !m{/lib(c|m)\.so|/ld-} } `ldd $mmv` =~ m{(/\S+)}g;
	copy('/etc/pcp.conf', "$share/pcp.conf");
}

my @kernel = ('--kernel', $ENV{MEMSCOPE_KERNEL} // 'vm');
# In icount mode a nanosecond is an instruction, and a guest that sleeps costs nothing.
my $vm = vm(@kernel, '--accel', 'icount', '--smp', 2, '--mem', '1G', '--append', 'mem=768M', '--timeout', 600,
	'--share', $share, '--', 'sh', '-c', <<'EOF');
cd /sys/kernel/tracing || exit 1
settings() { cat memref/interval_ms memref/tasks memref/encoding memref/group_kb | tr '\n' ' '; }
rss() { awk '/^VmRSS/ { print $2 }' /proc/$pid/status; }
settings >/share/before
echo "before $(settings)"
memref watch -i 50 --group-size 1M --cpu-max 0 --ages -o /tmp/log --file-size 16K --keep 4M 2>/tmp/err &
pid=$!
intervals() { cat /tmp/log/*.intervals.csv 2>/dev/null | wc -l; }
wait_for() { until [ "$(intervals)" -ge "$1" ]; do kill -0 $pid || exit 1; sleep 0.1; done; }
wait_for 5
mkdir instances/truth
echo 16384 >instances/truth/buffer_size_kb
echo 1 >instances/truth/events/memref/memref_scan/enable
wait_for 100
echo +memory >/sys/fs/cgroup/cgroup.subtree_control
mkdir /sys/fs/cgroup/kept
sh -c "echo \$\$ >/sys/fs/cgroup/kept/cgroup.procs; exec pagetest --size 4M --iterations 1000000 >/dev/null" &
kept=$!
# come FIRST LAST: processes and control groups that come and go
come() {
	for i in $(seq $1 $2); do
		mkdir /sys/fs/cgroup/c$i
		sh -c "echo \$\$ >/sys/fs/cgroup/c$i/cgroup.procs; exec pagetest --size 4M --iterations 1 >/dev/null"
		rmdir /sys/fs/cgroup/c$i
	done
}
come 1 20
kill -HUP $pid
come 21 30
echo 0x30000000 >/sys/devices/system/memory/probe || exit 1
echo online_movable >/sys/devices/system/memory/memory6/state || exit 1
come 31 40
wait_for 400
# From here on, all has been there before.
echo "rss $(rss)"
come 41 80
wait_for 800
echo "grown $(rss)"
kill $kept
echo 0 >instances/truth/events/memref/memref_scan/enable
kill $pid
wait $pid
echo "status $?"
cat instances/truth/trace >/share/truth
echo "after $(settings)"
cp -r /tmp/log /tmp/err /share

# By default settings, while nothing happens.
mmv=
if [ -e /share/lib ]; then
	mkdir -p /tmp/pcp/mmv
	mmv=--mmv
fi
LD_LIBRARY_PATH=/share/lib PCP_CONF=/share/pcp.conf PCP_TMP_DIR=/tmp/pcp memref watch -i 10s -o /tmp/quiet $mmv 2>/share/err2 &
pid=$!
# The library comes from the host, and while it does, the guest's time goes on as fast as it can.
until [ "$(cat /tmp/quiet/*.intervals.csv 2>/dev/null | wc -l)" -ge 2 ]; do kill -0 $pid || exit 1; sleep 1; done
sleep 4
set -- $(cat /proc/$pid/schedstat /proc/uptime)
from="$1 $4"
sleep 100
set -- $(cat /proc/$pid/schedstat /proc/uptime)
echo "cost $from $1 $4"
kill -STOP $pid
cp -r /tmp/quiet /tmp/pcp /share
kill -9 $pid
for i in $(seq 100); do
	[ "$(settings)" = "$(cat /share/before)" ] && [ -z "$(ls /run/memscope)" ] && break
	sleep 0.1
done
echo "killed $(settings)"
echo "instances $(ls instances | grep -c watch)"
no_caps memref watch -i 100 -o /tmp/again --intervals 3 2>&1 | sed 's/^/last /'

# Intervals that are lost as a whole, as the ring buffer is small; then, none come; then, the instance goes.
memref watch -i 50 --group-size 1M --cpu-max 0 -o /tmp/gaps 2>/share/err5 &
pid=$!
until [ "$(cat /tmp/gaps/*.intervals.csv 2>/dev/null | wc -l)" -ge 20 ]; do sleep 0.1; done
instance=instances/memref-watch-$pid
kill -STOP $pid
echo 4 >$instance/buffer_size_kb
sleep 20
kill -CONT $pid
sleep 5
cp -r /tmp/gaps /share
kill $pid
wait $pid
memref watch -i 50 --cpu-max 0 -o /tmp/silent 2>/share/err6 &
pid=$!
until [ "$(cat /tmp/silent/*.intervals.csv 2>/dev/null | wc -l)" -ge 20 ]; do sleep 0.1; done
instance=instances/memref-watch-$pid
echo 0 >$instance/tracing_on
sleep 100
echo 1 >$instance/tracing_on
sleep 5
until rmdir $instance 2>/dev/null; do sleep 0.01; done
wait $pid
echo "gone $?"

# Started as by nohup, it outlives its terminal.
sh -c "trap '' HUP; exec memref top --batch -i 100" >/tmp/nohup 2>/share/err7 &
pid=$!
until [ "$(cat /tmp/nohup 2>/dev/null | wc -l)" -ge 3 ]; do kill -0 $pid || exit 1; sleep 0.1; done
kill -HUP $pid
sleep 2
lines=$(wc -l </tmp/nohup)
sleep 2
echo "nohup $(($(wc -l </tmp/nohup) - lines))"
kill $pid
wait $pid
if [ "$mmv" ]; then
	# That of the process that was killed.
	rm /tmp/pcp/mmv/memref
	LD_LIBRARY_PATH=/share/lib PCP_CONF=/share/pcp.conf PCP_TMP_DIR=/tmp/pcp memref watch -i 100 --ages --mmv 2>/share/err3 &
	pid=$!
	until [ -e /tmp/pcp/mmv/memref ]; do kill -0 $pid || exit 1; sleep 0.1; done
	sleep 2
	kill -STOP $pid
	cp /tmp/pcp/mmv/memref /share/pcp/mmv/ages
	kill -CONT $pid
	kill $pid
	wait $pid
	LD_LIBRARY_PATH=/share/lib PCP_CONF=/share/pcp.conf PCP_TMP_DIR=/tmp/pcp memref top --batch -i 500 --ages --mmv >/share/top 2>/share/err4 &
	pid=$!
	# The names, and a line for each interval.
	until [ "$(cat /share/top 2>/dev/null | wc -l)" -ge 6 ]; do sleep 0.2; done
	kill -STOP $pid
	cp /tmp/pcp/mmv/memref-top /share/pcp/mmv/top
	kill -CONT $pid
	kill $pid
	wait $pid
	echo "published $(ls /tmp/pcp/mmv | grep -c top)"
fi
echo "left $(ls instances | grep -c watch)"
EOF
is($vm->{status}, 0, 'the guest came to its end') or diag $vm->{err}, $vm->{out};
my %n = map { /^(\w+) (.*?) *$/ ? ($1 => $2) : () } split /\n/, $vm->{out};

my @rows;
my @files = sort glob "$share/log/*.intervals.csv";
for my $file (@files) {
	open my $f, '<', $file or die "$file: $!";
	chomp(my @lines = <$f>);
	my @names = split /,/, shift @lines;
	for (@lines) {
		my %row;
		@row{@names} = split /,/, $_, -1;
		push @rows, \%row;
	}
}
cmp_ok(scalar @files, '>', 2, 'several files');
my @whole = grep { $_->{node} eq '' } @rows;
cmp_ok(scalar @whole, '>=', 120, scalar(@whole) . ' intervals');
is(scalar(grep { $whole[$_]{seq} != $whole[$_ - 1]{seq} + 1 } 1 .. $#whole), 0, 'none is missing');
my %scan;
for (split /\n/, slurp("$share/truth")) {
	next if !/memref_scan: /;
	my %event = /(\w+)=(\w+)/g;
	$scan{$event{seq}} = \%event;
}
my @common = grep { $scan{$_->{seq}} } @whole;
cmp_ok(scalar @common, '>=', 100, 'and of ' . @common . ' another reader has the events');
is_deeply([ map { [ @$_{qw(pages_kernel pages_user pages_page_cache groups pages_resident interval_ns)} ] } @common ],
	  [ map { my $e = $scan{$_->{seq}}; [ @$e{qw(kernel user page_cache groups rss)}, $e->{scan} - $e->{begin} ] } @common ],
	  'whose figures are those that were written');
is_deeply([ map { $_->{memory_bytes} >> 20 } @whole[0, -1] ], [ 768, 896 ], 'memory that is added is counted');
is_deeply([ map { $_->{node} } grep { $_->{seq} == $whole[-1]{seq} } @rows ], [ '', 0 ], 'a row of the machine, and of its node');
# From the end of an interval to that of the next.
my @apart = sort { $a <=> $b } map {
	abs($_->[1]{time_ns} - $_->[0]{time_ns} - ($scan{$_->[1]{seq}}{scan} - $scan{$_->[0]{seq}}{scan}))
} map { [ @common[$_ - 1, $_] ] } 1 .. $#common;
cmp_ok($apart[-1] // 1e9, '<', 1e6, 'times are right to a millisecond');
my $services = join '', map { slurp($_) } glob "$share/log/*.services.csv";
like($services, qr/,pagetest,1,\d+,/, 'processes by name');
unlike($services, qr/^(?!\d+,|schema,)/m, 'whole rows only');
my (%class, %cgroup, %of_ages);
for my $file (sort glob "$share/log/*.ages.csv") {
	my ($head, @lines) = split /\n/, slurp($file);
	my @names = split /,/, $head;
	for (@lines) {
		my %row;
		@row{@names} = split /,/, $_, -1;
		$class{$row{class}} = $cgroup{$row{cgroup}} = 1;
		$of_ages{$row{seq}} += $_ for @row{grep { /^pages_age_/ } @names};
	}
}
is_deeply([ grep { $class{$_} } qw(anon file kernel) ], [ qw(anon file kernel) ], 'ages of each class');
like(join(' ', keys %cgroup), qr{/kept}, 'and of control groups');
is_deeply([ grep { !$of_ages{$_->{seq}} || $of_ages{$_->{seq}} * 4096 > $_->{memory_bytes} } @whole[10 .. $#whole] ], [],
	  'in each interval, of no more memory than there is');
my ($rss, $grown) = @n{qw(rss grown)};
cmp_ok($grown // 1e9, '<=', ($rss // 0) + 64, "it does not grow: $rss and $grown KiB");
is($n{status}, 0, 'it ends when asked to');
is($n{after}, $n{before}, 'and leaves the settings as they were');
is($n{killed}, $n{before}, 'also if it is killed');
is_deeply([ @n{qw(instances left)} ], [ 0, 0 ], 'and no tracing instance is left');
like(slurp("$share/err"), qr/ 0 missing, 0 incomplete, 0 events lost, 0 intervals not written$/m, 'it says what it missed: nothing');
like($vm->{out}, qr/^last memref: 3 intervals, 0 missing/m, '--intervals, and without a capability');

my @seen = map { my @lines = split /\n/, slurp($_); map { (split /,/)[5] } grep { (split /,/)[6] eq '' } @lines[1 .. $#lines] }
	sort glob "$share/gaps/*.intervals.csv";
my $gaps = 0;
$gaps += $seen[$_] - $seen[$_ - 1] - 1 for 1 .. $#seen;
cmp_ok($gaps, '>', 50, "with a small buffer, intervals are lost: $gaps");
my ($kept, $lost) = slurp("$share/err5") =~ /^memref: (\d+) intervals, (\d+) missing/m;
# It went on for a moment after the files were copied.
cmp_ok($lost // -1, '>=', $gaps, 'and said to be missing');
cmp_ok($lost - $gaps, '<=', $kept - @seen, 'no more than these');
like(slurp("$share/err6"), qr/^memref: no interval for \d+ s: are the events of tracing instance memref-watch-\d+ still on\?\nmemref: intervals come again$/m,
     'it says so if no interval comes, and when they do again');
like(slurp("$share/err6"), qr/^memref: tracing instance memref-watch-\d+: somebody has removed it$/m, 'and if none ever will');
is($n{gone}, 1, 'then it ends');
cmp_ok($n{nohup} // 0, '>', 5, 'nohup: memref top goes on after its terminal is gone');

SKIP: {
	skip 'no libpcp_mmv.so.1 (libpcp-mmv1), or no mmvdump (pcp)', 10 if !$mmv || !$mmvdump;
	my $dump = `$mmvdump $share/pcp/mmv/memref`;
	my %value;
	while ($dump =~ /^ +\[\d+\/\d+\] memref\.(\w+)(?:\[\d+ or "(.*)"\])? = (\S+)$/mg) {
		$value{defined $2 ? "$1 $2" : $1} = $3;
	}
	my ($file) = (sort glob "$share/quiet/*.intervals.csv")[-1];
	my ($machine, $node) = map { [ split /,/ ] } (split /\n/, slurp($file))[-2, -1];
	my @classes = qw(kernel user page_cache);
	is_deeply([ map { $value{"working_set_bytes $_"} } @classes ], [ map { $_ * 4096 } @$machine[8 .. 10] ],
		  'values for Performance Co-Pilot are those of the last interval');
	is_deeply([ map { $value{"node_working_set_bytes 0:$_"} } @classes ], [ map { $_ * 4096 } @$node[8 .. 10] ], 'of a node');
	is($value{resident_bytes}, $machine->[13] * 4096, 'and of processes');
	$dump = `$mmvdump $share/pcp/mmv/ages`;
	# In an interval of a moment, a program that sleeps uses no memory: what it has is of another age.
	is_deeply([ grep { $dump !~ /memref\.age_bytes\[\d+ or "$_:[^"]+"\] = [1-9]/ } qw(kernel anon file) ], [], 'ages by class');
	like($dump, qr/memref\.cgroup_age_bytes\[\d+ or "\S+:0"\] = [1-9]/, 'and by control group');
	$dump = `$mmvdump $share/pcp/mmv/top`;
	%value = ();
	while ($dump =~ /^ +\[\d+\/\d+\] memref\.(\w+)(?:\[\d+ or "(.*)"\])? = (\S+)$/mg) {
		$value{defined $2 ? "$1 $2" : $1} = $3;
	}
	# A line for each interval, behind the names.
	my @line = split / /, (split /\n/, slurp("$share/top"))[$value{intervals} // 0] // '';
	cmp_ok($value{intervals} // 0, '>', 3, 'memref top --mmv: intervals');
	is_deeply([ map { sprintf '%.3f', ($value{"working_set_bytes $_"} // 0) / (1 << 20) } @classes ], [ @line[3 .. 5] ],
		  'its values are those of the line that it printed');
	like($dump, qr/memref\.age_bytes\[\d+ or "anon:[^"]+"\] = [1-9]/, 'with ages');
	is($n{published}, 0, 'and are gone when it ends');
	like($dump, qr/memref\.working_set_bytes\n.*sem=instant.*\n *units=byte\n.*\n *shorttext=Memory referenced/, 'with unit and help');
}
my ($ns, $s, $ns2, $s2) = split / /, $n{cost} // '0 0 1e9 1';
my $pct = sprintf '%.4f', ($ns2 - $ns) / ($s2 - $s) / 1e7;
# Of kernels that check themselves, this says nothing.
if (($ENV{MEMSCOPE_KERNEL} // 'vm') ne 'vm') {
	done_testing;
	exit;
}
cmp_ok($pct, '<', 0.1, "it takes $pct % of a CPU");
record_figures("$build/bench/fleet.json", 'prove test-vms/tests/memref-watch.t', 'an idle guest, 10 s, -icount', { publisher_cpu_pct => 0 + $pct });
done_testing;
