#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# Control groups of samples: of two processes in two groups and one that moves from one to the
# other, as memprof, dprof in both encodings, and perf record --all-cgroups recorded them; each
# sample's label in a profile of pprof is the group that its process was in.  Filters of dprof record.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use Test::More;
use VM;

system('cp', "$build/tools/tests/test_cgroup", $share) and die;
my $vm = vm('--timeout', 900, '--smp', 2, '--root', 'host', '--mem', '1G', '--share', $share, '--', 'sh', '-c', <<'EOS');
cd /tmp
# Handlers that the host stopped must not lower the limit.
echo 10000000 >/proc/sys/kernel/perf_event_max_sample_rate && echo 0 >/proc/sys/kernel/perf_cpu_time_max_percent || exit 1
mountpoint -q /sys/fs/cgroup || mount -t cgroup2 none /sys/fs/cgroup || exit 1
mkdir -p /sys/fs/cgroup/of/this && echo $$ >/sys/fs/cgroup/of/this/cgroup.procs || exit 1
/share/test_cgroup >/share/root.out 2>&1 || exit 1
setpriv --bounding-set -dac_read_search /share/test_cgroup >/share/by-proc.out 2>&1 || exit 1
echo $$ >/sys/fs/cgroup/cgroup.procs && rmdir /sys/fs/cgroup/of/this /sys/fs/cgroup/of || exit 1
# perf knows groups that were made after their parent had a controller for children.
echo +memory >/sys/fs/cgroup/cgroup.subtree_control || exit 1
mkdir /sys/fs/cgroup/web && echo +memory >/sys/fs/cgroup/web/cgroup.subtree_control || exit 1
mkdir /sys/fs/cgroup/web/front /sys/fs/cgroup/batch || exit 1
# Each with a name of its own, in the kernel most of the time.
for name in in-web in-batch moving brief; do cp /bin/dd /tmp/$name; done
work() {	# work NAME GROUP
	sh -c 'echo $$ >/sys/fs/cgroup/$1/cgroup.procs && exec /tmp/$0 if=/dev/zero of=/dev/null bs=16k' $1 $2 2>/dev/null &
}
work in-web web/front
in_web=$!
work in-batch batch
in_batch=$!
work moving web/front
moving=$!
# Each has its CPU: of what may be on another one, the time of a sample is by another clock.
taskset -p 1 $in_web && taskset -p 2 $in_batch && taskset -p 2 $moving || exit 1
# Moves one and back, and between that makes a group, and removes it.
cat >/tmp/during <<END
#!/bin/sh
sleep 1
echo $moving >/sys/fs/cgroup/batch/cgroup.procs
mkdir /sys/fs/cgroup/brief
sh -c 'echo \$\$ >/sys/fs/cgroup/brief/cgroup.procs && exec timeout 1 /tmp/brief if=/dev/zero of=/dev/null bs=16k' 2>/dev/null
sleep 1
rmdir /sys/fs/cgroup/brief
echo $moving >/sys/fs/cgroup/web/front/cgroup.procs
sleep 1
END
chmod +x /tmp/during
echo in_web=$in_web in_batch=$in_batch moving=$moving
stat -c '%n=%i' /sys/fs/cgroup/web/front /sys/fs/cgroup/batch
# memprof_while COMMAND FILE MEMPROF...: records, while the command runs
memprof_while() {
	command=$1 file=$2
	shift 2
	"$@" 2>/tmp/says &
	while ! grep -q 'Ctrl-C ends it' /tmp/says; do
		kill -0 $! || { cat /tmp/says >&2; return 1; }
		sleep 0.1
	done
	$command
	kill -INT $!
	wait $! || cat /tmp/says >&2
	test -s $file
}
memprof_while /tmp/during /share/all.memprof memprof record -a --source swmem -F 1000 --kernel -o /share/all.memprof || exit 1
dprof record -s swmem --encoding sample -o /share/sample.dprof -- /tmp/during || exit 1
dprof record -s swmem --encoding batch -o /share/batch.dprof -- /tmp/during || exit 1
# Filters: by directory and by path, a process and a CPU; what cannot be leaves nothing.
dprof record -s swmem --encoding batch --cgroup /sys/fs/cgroup/web -o /share/web.dprof -- sleep 2 || exit 1
dprof record -s swmem -G batch --cpu 1 -o /share/batch-1.dprof -- sleep 2 || exit 1
dprof record -s swmem --pid $in_web,$moving -o /share/pids.dprof -- sleep 2 || exit 1
for wrong in '--pid 999999' '--cgroup none' '--cpu 1-'; do
	dprof record -s swmem $wrong -o /share/none.dprof -- true 2>&1 && exit 1
done
cat /sys/kernel/tracing/dprof/filter_* | wc -w | sed 's/^/left /'
perf record -q --all-cgroups -e swmem// -c 1000000 -d -a -o /share/all.perf -- /tmp/during || exit 1
# By /proc: the group cannot be opened by its id without this capability.
memprof_while 'sleep 2' /share/two.memprof setpriv --bounding-set -dac_read_search \
	memprof record --source swmem -F 1000 --kernel -p $in_batch -p $in_web -o /share/two.memprof || exit 1
kill $in_web $in_batch $moving
EOS
is($vm->{status}, 0, 'recorded') or diag $vm->{err}, $vm->{out};

like(slurp("$share/$_.out"), qr/PASSED  \] 4 test/, "$_: the paths of ids") for qw(root by-proc);

# labels TOOL FILE: samples by command, where the recording has it, and control group.
sub labels {
	my ($tool, $file) = @_;
	my %n = ();

	is(system("$build/bin/$tool export $share/$file --to pprof -o $share/$file.pb.gz 2>$share/err"), 0, "$file: exported")
		or diag slurp("$share/err");
	for (split /\n/, `$build/tools/tests/pprof_print $share/$file.pb.gz`) {
		my ($count) = /^(\d+) / or next;
		my ($comm) = / comm=(.*?)(?: [a-z_]+=|$)/;
		my ($group) = / cgroup=(.*?)(?: [a-z_]+=|$)/;
		$n{$comm // '?'}{$group // '-'} += $count;
	}
	return \%n;
}

for ([ memprof => 'all.memprof' ], [ dprof => 'sample.dprof' ], [ dprof => 'batch.dprof' ], [ memprof => 'all.perf' ],
     [ dprof => 'all.perf' ]) {
	my ($tool, $file) = @$_;
	my $of = labels($tool, $file);
	my %sum;
	# perf has no thread for a sample of one that has exited, and memprof keeps groups by thread.
	delete $of->{'?'}{'-'} if "$tool, $file" eq 'memprof, all.perf';
	for my $groups (values %$of) {
		$sum{$_} += $groups->{$_} for keys %$groups;
	}
	is(join(' ', sort keys %sum), '/ /batch /brief /web/front', "$tool, $file: each sample has its group")
		or diag explain($of);
	cmp_ok($sum{$_} // 0, '>', 0, "$tool, $file: samples in $_") for qw(/batch /brief /web/front);
	next if $file ne 'all.perf' || $tool ne 'memprof';
	is(join(' ', sort keys %{$of->{$_->[0]}}), $_->[1], "$tool, $file: $_->[0]")
		for [ 'in-web', '/web/front' ], [ 'in-batch', '/batch' ], [ moving => '/batch /web/front' ], [ brief => '/brief' ];
}
my $two = labels(memprof => 'two.memprof');
# A sample may be of before their names were recorded.
is_deeply([ sort keys %{{ map { %$_ } values %$two }} ], [ '/batch', '/web/front' ], 'two processes, by /proc') or diag explain($two);

like($vm->{out}, qr/^dprof: \Q$_\E$/m, $_) for '--pid 999999: No such process', '--cgroup /none: No such file or directory',
	'--cpu 1-: not a list of CPUs, such as 0,4-7; see dprof record --help';
like($vm->{out}, qr/^left 0$/m, 'no filter is left');
ok(!-e "$share/none.dprof", 'and no file');
is_deeply([ map { keys %$_ } values %{labels(dprof => 'web.dprof')} ], [ '/web/front' ], 'a group with those below it');

# The ids, by process and in the order of time.
my %pid = $vm->{out} =~ /(in_web|in_batch|moving)=(\d+)/g;
my %id = $vm->{out} =~ m{^/sys/fs/cgroup(/\S+)=(\d+)}mg;
for my $file ('sample.dprof', 'batch.dprof') {
	my %order;
	for (`$build/bin/dprof script $share/$file`) {
		my ($pid, $group) = /^\d+ \S+ (\d+) dprof_sample .* cgroup=(\w+)/ or next;
		my $of = $order{$pid} //= [];
		push @$of, oct $group if !@$of || $of->[-1] != oct $group;
	}
	is("@{$order{$pid{in_web}} // []}", $id{'/web/front'}, "$file: one stays");
	is("@{$order{$pid{in_batch}} // []}", $id{'/batch'}, "$file: another one, too");
	is("@{$order{$pid{moving}} // []}", "$id{'/web/front'} $id{'/batch'} $id{'/web/front'}", "$file: one moves, and back");
}
for ([ 'batch-1.dprof', 'one', [ $pid{in_batch} ], [ 1 ] ], [ 'pids.dprof', 'two', [ sort @pid{qw(in_web moving)} ], [ 0, 1 ] ]) {
	my ($file, $n, $pids, $cpus) = @$_;
	my (%pid, %cpu);
	/^\d+ (\d+) (\d+) dprof_sample / and $pid{$2} = $cpu{$1} = 1 for `$build/bin/dprof script $share/$file`;
	is_deeply([ sort keys %pid ], $pids, "$file: $n");
	is_deeply([ sort keys %cpu ], $cpus, "$file: on these CPUs");
}
done_testing;
