#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# memref size: programs whose memory is known run in a control group with the limit that it
# estimates, and refault as often as was allowed; with 90 % of the limit, more often.  Time is
# instructions, so that rates do not depend on the host.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use Test::More;
use VM;

my $refaults = 100;	# per second, that are allowed
# HOT LOOP COLD in MiB (hot_cold.c), and how much must stay.
my %works = (hot => [ '8 0 16', 8 ], loop => [ '8 8 12', 16 ]);

open my $script, '>', "$share/size" or die "$share/size: $!";
print $script <<'EOF';
# size REFAULTS {NAME HOT LOOP COLD}...: with a swap device of compressed memory.
set -e
refaults=$1
shift
echo 128M >/sys/block/zram0/disksize
mkswap /dev/zram0 >/dev/null
swapon /dev/zram0
mkdir -p /tmp/cg
mount -t cgroup2 none /tmp/cg
echo +memory >/tmp/cg/cgroup.subtree_control
cat >/tmp/run <<'END'
# run NAME LIMIT HOT LOOP COLD: in a control group of its own.
mkdir /tmp/cg/$1
echo $2 >/tmp/cg/$1/memory.max
echo 0 >/tmp/cg/$1/cgroup.procs
exec hot_cold $3 $4 $5 96 50 /tmp/cg/$1/memory.stat
END
while [ $# -gt 0 ]; do
	memref record --ages --cpu-max 0 -i 100 -o /tmp/$1.dat -- sh /tmp/run $1 max $2 $3 $4 >/tmp/free
	grep ^refaults /tmp/free | sed "s/^/$1 free /"
	# What has no ages: kernel memory, and what a CPU charges in advance (MEMCG_CHARGE_BATCH).
	kernel=$(sed -n 's/^refaults.*kernel //p' /tmp/free)
	memref size /tmp/$1.dat -G $1 --refaults $refaults --extra $((kernel + 64 * 4096)) -f csv >/tmp/limit
	sed -n "2s/^/$1 size /p" /tmp/limit
	for percent in 100 90; do
		limit=$(awk -F, -v p=$percent 'NR == 2 { printf "%d", $13 * p / 100 }' /tmp/limit)
		sh /tmp/run $1.$percent $limit $2 $3 $4 | sed "s/^/$1 $percent /"
		sed -n "s/^oom_kill /$1 $percent killed /p" /tmp/cg/$1.$percent/memory.events
	done
	# The smallest limit with which it does not take longer.
	cat >/tmp/try <<END
sh /tmp/run $1.try.\$MEMREF_LIMIT \$MEMREF_LIMIT $2 $3 $4 | sed -n 's/.* seconds \([0-9.]*\) .*/\1/p'
END
	memref size /tmp/$1.dat -G $1 --extra $((kernel + 64 * 4096)) --try 'sh /tmp/try' --tries 8 -f csv >/tmp/found
	sed -n "2s/^/$1 found /p" /tmp/found
	shift 4
done
# A service that goes on, by the script of docs/start/working-set.md.
mkdir /tmp/cg/service
(echo 0 >/tmp/cg/service/cgroup.procs && exec hot_cold 8 0 16 100000 50) &
sleep 1
echo 400M >/tmp/cg/service/memory.high
memref size /tmp/hot.dat -G hot --extra $((kernel + 64 * 4096)) --refault-us 80 --try 'sh /share/limited.sh' -f csv 2>/tmp/says >/tmp/found ||
	cat /tmp/says
sed -n "2s/^/service found /p" /tmp/found
echo service high $(cat /tmp/cg/service/memory.high)
# The first two of these are without a limit.
timeout -s INT 12 memref size /tmp/hot.dat -G hot --try 'sh /share/limited.sh' 2>/tmp/says | sed 's/^/service interrupted /'
sed 's/^/# /' /tmp/says
echo service then $(cat /tmp/cg/service/memory.high) $(grep interrupted /tmp/says)
kill %1
EOF
close $script or die "$share/size: $!";

my $page = slurp("$FindBin::RealBin/../../docs/start/working-set.md");
my ($limited) = $page =~ /^(    set -e\n    group=.*?)\n\n/ms;
# Of three seconds instead of sixty.
for ([ '/sys/fs/cgroup/\S+', '/tmp/cg/service' ], [ 'sleep 10\n', "sleep 1\n" ], [ 'seq 60', 'seq 3' ], [ '15000', '750' ], [ 'print 60 ', 'print 3 ' ]) {
	my ($from, $to) = @$_;
	$limited =~ s/$from/$to/ or die "docs/start/working-set.md: limited.sh without $from";
}
open my $f, '>', "$share/limited.sh" or die "$share/limited.sh: $!";
print $f $limited =~ s/^    //mgr, "\n";
close $f or die;

my $vm = vm('--accel', 'icount', '--smp', 1, '--mem', '512M', '--timeout', 900, '--share', $share,
	    '--', 'sh', '/share/size', $refaults, map { ($_, split ' ', $works{$_}[0]) } sort keys %works);
is($vm->{status}, 0, 'the guest runs') or diag $vm->{err}, $vm->{out};
diag $vm->{out};
my @service = $vm->{out} =~ /^service found (.*)$/m ? split /,/, $1 : ();
cmp_ok($service[7] // 0, '>=', 7.5, 'a service that goes on: what is used stays');
cmp_ok($service[7] // 1e9, '<=', 10.6, 'what is not used does not');
cmp_ok($service[15] // 0, '>', 0, 'and a smaller limit was too small');
like($vm->{out}, qr/^service high 419430400$/m, 'its limit is as it was');
like($vm->{out}, qr/^service then 419430400 memref: interrupted$/m, 'and so it is when the tries are interrupted');
for my $name (sort keys %works) {
	my $needs = $works{$name}[1];
	my ($free) = $vm->{out} =~ /^$name free refaults (\d+) /m;
	is($free, 0, "$name: without a limit nothing is reclaimed");
	my @found = $vm->{out} =~ /^$name found (.*)$/m ? split /,/, $1 : ();
	cmp_ok($found[7] // 0, '>=', $needs - 0.5, "$name: with --try, what is used stays");
	cmp_ok($found[7] // 1e9, '<=', $needs * 1.2 + 1, "$name: what is not used does not");
	cmp_ok($found[15] // 0, '>', 0, "$name: and a smaller limit was too small");
	my ($high) = ($vm->{out} =~ /^$name size (.*)$/m ? split /,/, $1 : ())[6];
	cmp_ok($high // 0, '>=', $needs - 0.5, "$name: what is used stays");
	cmp_ok($high // 1e9, '<=', $needs * 1.1, "$name: what is not used does not");
	for my $percent (100, 90) {
		my ($killed) = $vm->{out} =~ /^$name $percent killed (\d+)$/m;
		# Less than it needs: where reclaim does not keep up, the kernel kills it.
		if ($percent == 90 && $killed) {
			pass("$name: killed with 90 % of the limit");
			next;
		}
		my ($count, $seconds) = $vm->{out} =~ /^$name $percent refaults (\d+) seconds ([\d.]+) /m;
		ok(defined $count, "$name: runs with $percent % of the limit") or next;
		cmp_ok($count / $seconds, $percent == 100 ? '<=' : '>', $refaults, "$name: refaults a second");
	}
}
done_testing();
