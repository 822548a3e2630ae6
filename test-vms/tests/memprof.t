#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# memprof in NUMA guests: what accesses are charged to, against what the program wrote
# down itself; patterns planted on purpose are found, and the fix has the effect that was
# said; swmem and users without privileges.  make bench-memprof has more of them.
use strict;
use warnings;
use FindBin;
use JSON::PP;
use lib $FindBin::RealBin;
use Test::More;
use Plants;
use VM;

-x "$build/qemu-ibs/qemu-system-x86_64"
	or BAIL_OUT('the QEMU that emulates IBS is not built (make qemu-ibs)');
stage();

# --- attribution ---------------------------------------------------------------
{
	my $script = <<'END';
memprof record -c 1024 -o /share/truth.data -- memprof_truth log 1 6000 || exit 1
memprof_judge /share/truth.data log || echo "judge: status $?" >&2
memprof report summary /share/truth.data -f csv
memprof report nodes /share/truth.data -f csv
memprof report objects /share/truth.data -f json --top 3
END
	my $judged = qr/objects (\d+) right (\d+) wrong (\d+) unknown (\d+) not-in-log (\d+) wrong-op (\d+) wrong-allocator (\d+)/;
	my $vm = in_guest($script);
	is($vm->{status}, 0, 'a program that moves its objects about is recorded') or diag $vm->{err}, $vm->{out};
	my ($objects, $right, $wrong, $unknown, $missing, $op, $thread) = $vm->{out} =~ $judged;
	defined $right or diag $vm->{err}, $vm->{out};
	$_ //= -1 for $objects, $right, $wrong, $unknown, $missing, $op, $thread;
	cmp_ok($right, '>', 1000, "$right accesses charged to the object that was there, of $objects");
	is($wrong, 0, 'none to another');
	is($op, 0, 'reads are reads, writes are writes');
	is($thread, 0, 'the allocating thread is right');
	cmp_ok($unknown + $missing, '<', 0.01 * $right, "$unknown unknown, $missing of nothing in the program's log");
	like($vm->{out}, qr/^"?events of objects lost"?,0/m, 'no event lost');
	like($vm->{out}, qr/^1,0,\d+/m, 'the node matrix has accesses from node 1 to node 0');
	my ($json) = $vm->{out} =~ /^(\{"schema_version".*\})$/ms;
	is(scalar @{decode_json($json // '{}')->{rows} // []}, 3, 'views are JSON, too');
	my ($clock, $error) = slurp("$share/truth.data") =~ /"clock_of_events":"(\w+)","clock_error_ns":(\d+)/;
	is($clock, 'tsc', 'events are dated by the TSC where the kernel trusts it');
	cmp_ok($error // 1e9, '<', 1000, 'exactly enough');
}

# --- objects by uprobes: a statically linked program, an allocator of its own ------------
{
	my $vm = in_guest(<<'END');
static=/share/bin/memprof_static
memprof record -c 1024 -o /share/static.data -A $static -- $static log 2 6000 || exit 1
memprof_judge /share/static.data log || echo "judge: status $?" >&2
memprof report summary /share/static.data -f csv
memprof report objects /share/static.data -f csv | sed 's/^/static: /'
plus=/share/bin/memprof_allocations_static
memprof record -g -c 1024 -o plus.data -A $plus -- $plus touch 600 >/dev/null || exit 1
memprof report objects plus.data -f csv | sed 's/^/c++: /'
memprof record -c 1024 -o own.data --no-preload -A /share/bin/memprof_plant --alloc planted -- \
	memprof_plant after 2 200000 >/dev/null || exit 1
memprof report objects own.data -f csv | sed 's/^/own: /'
# It waits for the recorder, which on a busy host takes long to begin.
sh -c 'until grep -q "recording; Ctrl-C" /tmp/pid.err; do sleep 0.1; done; exec memprof_truth later 3 4000' &
memprof record -c 1024 -o pid.data --pid $! -A /lib/x86_64-linux-gnu/libc.so.6 2>/tmp/pid.err || { cat /tmp/pid.err >&2; exit 1; }
echo "pid: $(memprof_judge pid.data later)"
echo "left: $(cat /sys/kernel/tracing/uprobe_events)"
memprof record -o no.data -A /share/static.data -- true; echo "no program: status $?"
memprof record -o no.data -A $static --alloc no_such_function -- true; echo "no function: status $?"
memprof record -o no.data --alloc malloc -- true; echo "of nothing: status $?"
END
	my $judged = qr/right (\d+) wrong (\d+) unknown (\d+) not-in-log (\d+) wrong-op (\d+) wrong-allocator (\d+)/;
	is($vm->{status}, 0, 'a statically linked program is recorded') or diag $vm->{err}, $vm->{out};
	my ($right, $wrong, $unknown, $missing, $op, $thread) = $vm->{out} =~ $judged;
	$_ //= -1 for $right, $wrong, $unknown, $missing, $op, $thread;
	cmp_ok($right, '>', 700, "$right accesses charged to the object that was there");
	is_deeply([ $wrong, $op, $thread ], [ 0, 0, 0 ], 'none to another, none by another thread, reads are reads');
	# Which memory threads have their stacks in, nothing tells.
	cmp_ok($unknown + $missing, '<', 0.05 * $right, "$unknown unknown, $missing of nothing in the program's log");
	like($vm->{out}, qr/^"?events of objects lost"?,0/m, 'no event lost');
	like($vm->{out}, qr/^static: .*run \(memprof_truth\.c:\d+\).*,dynamic,/m, 'sites are who called')
		or diag $vm->{out};
	# Accessed as often as each other; a container's were written first.
	my %share = $vm->{out} =~ /^c\+\+: (\w+) \(allocations\.cc:\d+\),[\d.]*,([\d.]+),.*,dynamic,/mg;
	for (qw(malloc calloc realloc memalign new_array new nothrow aligned aligned_array)) {
		my $got = delete $share{"from_$_"} // 0;
		ok($got > 5.5 && $got < 9.5, "C and C++, static: from_$_ is an object, with its share: $got %");
	}
	ok(exists $share{shared} && exists $share{by_containers}, 'so are those of containers') or diag $vm->{out};
	like($vm->{out}, qr/^own: .*(?:plant|main) \(memprof_plant\.c:\d+\).*,dynamic,1,\d+,\d{3,},/m,
	     'functions that are named are followed') or diag $vm->{err}, $vm->{out};
	($right, $wrong, $unknown, $missing, $op, $thread) = $vm->{out} =~ qr/^pid: .*$judged/m;
	cmp_ok($right // 0, '>', 400, 'and the C library of a process that runs already') or diag $vm->{err}, $vm->{out};
	is_deeply([ $wrong, $op, $thread ], [ 0, 0, 0 ], 'with no access charged to a wrong object');
	like($vm->{out}, qr/^left: $/m, 'no uprobe is left');
	like($vm->{out}, qr/^no program: status 1$/m, 'a file that is no program: status 1');
	like($vm->{out}, qr/^no function: status 1$/m, 'a function that it has not: status 1');
	like($vm->{out}, qr/^of nothing: status 2$/m, 'a function of no file: status 2');
}

# --- many events, recordings that begin and end under load ----------------------------------
{
	my $vm = in_guest(<<'END', smp => 2, nodes => 1);
memprof record -c 100000 -o whole -- memprof_storm 1 0.3 || exit 1
echo "whole: $(memprof_gaps whole)"
memprof record -c 100000 -o stopped -- memprof_storm 1 1 & r=$!
until pidof memprof_storm >/dev/null; do sleep 0.01; done
sleep 0.1; kill -STOP $r; sleep 0.5; kill -CONT $r
wait $r || exit 1
echo "stopped: $(memprof_gaps stopped)"
memprof_storm 1 100000 & storm=$!
for i in 1 2; do
	memprof record -c 20000 -o attached.$i -p $storm -A /lib/x86_64-linux-gnu/libc.so.6 --alloc malloc --free free 2>err & r=$!
	until grep -q Ctrl-C err; do sleep 0.01; done
	sleep 0.05; rm err; kill -INT $r; wait $r || exit 1
done
echo "attached: $(memprof_gaps --attached attached.*)"
kill $storm
memprof record -c 1024 -o unwound -- perl -e 'sub f { my @l = map { [ $_ ] } 1 .. 3; $_[0] ? f($_[0] - 1) : \@l } push @k, f($_ % 20) for 1 .. 1500' || exit 1
memprof report summary unwound -f csv | sed 's/^/unwound: /'
for thread in 0 1; do memprof report flow --all --thread $thread unwound -f csv; done >flow
echo "unwound: by the program $(grep -c '(perl)' flow)"
echo "unwound: by an unwinder $(grep -c -e libgcc -e Unwind flow)"
END
	is($vm->{status}, 0, 'programs that allocate all the time are recorded') or diag $vm->{err}, $vm->{out};
	my %of = map { my $what = $_; $what => { $vm->{out} =~ /^$what: (.*)/m ? $1 =~ /(\w+) (\d+)/g : () } }
		qw(whole stopped attached);
	for my $what (sort keys %of) {
		is($of{$what}{$_}, 0, "$what: none $_ that is not counted") for qw(missing surplus);
	}
	is($of{whole}{lost}, 0, 'whole: none lost');
	my ($done) = $vm->{out} =~ /^allocations (\d+)/m;
	is($of{whole}{allocations}, $done, 'whole: as many as the program says');
	cmp_ok($of{stopped}{lost} // 0, '>', 1000, 'stopped: while the recorder does not come, events are lost, and counted');
	is($of{attached}{threads}, 2, 'attached to a busy process: each time its thread is seen');
	cmp_ok($of{attached}{allocations} // 0, '>', 100, "attached: $of{attached}{allocations} allocations");
	# Each chain is seen for the first time: finding it is most of the work.
	my ($own) = $vm->{out} =~ /^unwound: "?the profiler's own accesses, left out"?,(\d+)/m;
	my ($program) = $vm->{out} =~ /^unwound: by the program (\d+)/m;
	cmp_ok($own // 0, '>', 300, 'accesses of finding call chains are the profiler\'s own') or diag $vm->{out};
	cmp_ok($program // 0, '>', 300, 'those of the program are there');
	like($vm->{out}, qr/^unwound: by an unwinder 0$/m, 'and no other');
}

# --- patterns --------------------------------------------------------------------
{
	my ($vm, @runs) = run_plants([ [ after => 2 ], [ alternate => 2 ], [ read => 2 ], [ write => 2 ],
				       [ split => 2 ], [ control => 2 ] ],
				     rounds => 1600000);
	is($vm->{status}, 0, 'plants run') or diag $vm->{err}, $vm->{out};
	# Each thread accesses one line, and the others wait: what the interrupt adds to a period is not
	# the same for each, and is to be little of it (docs/results/memprof.md, Short periods).
	my ($vm_false, @false) = run_plants([ [ false => 2 ] ], period => 8192, rounds => 6000000);
	is($vm_false->{status}, 0, 'so does false sharing') or diag $vm_false->{err}, $vm_false->{out};
	push @runs, @false;
	is(scalar @runs, 14, 'all of them');
	my %base;
	for (@runs) {
		my $name = "$_->{pattern} $_->{seed}";
		is($_->{lost}, 0, "$name: nothing lost");
		if ($_->{fixed}) {
			my $predicted = $base{$name} ? $base{$name}{all_predicted_pct} : next;
			# As docs/results/memprof.md has it of 168 programs.
			cmp_ok(abs($_->{remote} - $predicted), '<=', 3,
			       "$name: with the fix $_->{remote} % remote, $predicted % were predicted");
			next;
		}
		my ($found, $fix, $false) = judge_plant($_);
		is($false, 0, "$name: no false alarm") or diag explain $_->{findings};
		next if $_->{pattern} eq 'control';
		ok($found, "$name: found") or diag explain $_->{findings};
		ok($fix, "$name: the fix is named");
		$base{$name} = $found;
	}
}

# --- swmem, a control group, and a user without privileges ---------------------------------------------
{
	open my $f, '>', "$share/script.sh" or die;
	print $f "$no_limits\n", <<'END';
export PATH=/share/bin:$PATH
cd /tmp
echo 2 >/proc/sys/kernel/perf_event_paranoid
memprof record -c 100000 -o d -- memprof_plant after 2 60000000 >/dev/null || exit 1
memprof report objects d -f csv | grep '"planted\|planted (' | head -n 1
cat >as_nobody.sh <<'EOS'
cd /tmp; mkdir nobody; cd nobody
memprof record -c 100000 -- memprof_plant after 2 60000000 >/dev/null && memprof report summary -f csv
EOS
# The implicit controllers, perf's among them, come with the first one that is named.
echo +memory >/sys/fs/cgroup/cgroup.subtree_control
mkdir -p /sys/fs/cgroup/group/below
memprof_plant after 2 600000000 >/dev/null & outside=$!
sh -c 'echo $$ >/sys/fs/cgroup/group/below/cgroup.procs; exec memprof_plant after 2 600000000' >/dev/null & inside=$!
memprof record -c 100000 --cgroup group -o group.data 2>group.err & recorder=$!
until grep -q 'recording; Ctrl-C' group.err || ! kill -0 $recorder; do sleep 0.1; done
sh -c 'echo $$ >/sys/fs/cgroup/group/cgroup.procs; exec memprof_plant after 2 600000000' >/dev/null & later=$!
# Each of the two runs for a second of its CPU time, in ticks of 10 ms, while it is recorded.
cpu_ticks() { awk '{ sub(/.*\) /, ""); print $12 + $13 }' /proc/$1/stat; }
until [ $(cpu_ticks $later) -ge 100 ]; do sleep 0.1; done
end=$(($(cpu_ticks $inside) + 100))
until [ $(cpu_ticks $inside) -ge $end ]; do sleep 0.1; done
kill -INT $recorder
wait $recorder || echo "cgroup: status $?"
cat group.err >&2
kill $inside $outside $later
echo "inside $inside"
memprof report threads group.data -f csv | sed 's/^/cgroup: /'
memprof record --cgroup no-such-group -o no.data || echo "no group: status $?"
umask 077
memprof record -c 100000 -o dropped -- sh -c 'ls -ld /dev/shm/memprof.*/ /dev/shm/memprof.*/*/; exec setpriv --reuid=65534 --regid=65534 --clear-groups memprof_plant after 2 60000000' >ls || exit 1
memprof report objects dropped -f csv | grep -e '"planted' -e '^planted (' | head -n 1 | sed 's/^/dropped: /'
sed 's/^/dropped: /' ls; echo "dropped: left $(ls /dev/shm | grep -c memprof)"
umask 022
chmod 777 /tmp /dev/shm
setpriv --reuid=65534 --regid=65534 --clear-groups sh as_nobody.sh
END
	close $f;
	my $vm = vm('--smp', 4, '--numa', 2, '--append', 'hpet=disable', '--root', 'host', '--share', $share, '--timeout', 600,
		    '--', 'sh', '/share/script.sh');
	like($vm->{out}, qr/^\W*planted.*,dynamic,/m, 'swmem: the planted object is seen') or diag $vm->{err}, $vm->{out};
	my ($inside) = $vm->{out} =~ /^inside (\d+)/m;
	my @rows = map { [ split /,/ ] } $vm->{out} =~ /^cgroup: (\d.*)/mg;
	my %pids = map { $_->[1] => 1 } @rows;
	ok($pids{$inside // 0}, 'a control group: a process in one below it is sampled');
	is(scalar keys %pids, 2, 'and one that was put into it later, and none outside');
	like($vm->{err}, qr{--cgroup /sys/fs/cgroup/no-such-group: No such file}, 'one that is not there');
	like($vm->{out}, qr/^no group: status 1/m, 'is an error');
	like($vm->{out}, qr/^dropped: .*planted.*,dynamic,/m, 'a program that gives up root has objects') or diag $vm->{err}, $vm->{out};
	like($vm->{out}, qr{^dropped: drwx--x--x .* /dev/shm/memprof\.\w+/$}m, 'where it writes, nobody else finds');
	like($vm->{out}, qr{^dropped: drwx-wx-wt .* /dev/shm/memprof\.\w+/[0-9a-f]{32}/$}m, 'but who knows the name');
	like($vm->{out}, qr/^dropped: left 0$/m, 'and nothing is left of it');
	like($vm->{err}, qr/no physical addresses without CAP_PERFMON: nodes of pages are asked for/,
	     'a user is told how nodes are found');
	like($vm->{out}, qr/^"?remote, of these"?,[\d.]+/m, 'and gets a remote share') or diag $vm->{err}, $vm->{out};
}

# --- damage, wrong usage ------------------------------------------------------------
{
	my $data = slurp("$share/truth.data");
	open my $f, '>:raw', "$share/cut.data" or die;
	print $f substr($data, 0, length($data) * 0.6);
	close $f;
	my $out = `$build/bin/memprof report summary $share/cut.data 2>&1`;
	isnt($?, 0, 'a truncated recording: the exit status says so');
	like($out, qr/truncated at 0x[0-9a-f]+ .*; \d+ samples and \d+ events read/, 'the message says where');
	like($out, qr/^accesses +[1-9]/m, 'what could be read is shown');
	for (['report', 'summary', '/nonexistent', 1], ['report', 'nothing', 2], ['record', 2], ['record', '-c', 'x', '--', 'true', 2],
	     ['plot', 'flow', "$share/truth.data", 2], ['report', 'flow', "$share/truth.data", '--object', 99999999, 1]) {
		my @args = @$_;
		my $status = pop @args;
		my $err = `$build/bin/memprof @args 2>&1 >/dev/null`;
		is($? >> 8, $status, "memprof @args: status $status") or diag $err;
	}
}

done_testing();
