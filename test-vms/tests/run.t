#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# test-vms/run: a command in a guest behaves as one on the host would, and a
# kernel that fails is never a success.
use strict;
use warnings;
use Cwd 'abs_path';
use File::Copy 'copy';
use File::Temp 'tempdir';
use FindBin;
use lib $FindBin::RealBin;
use Test::More;
use Time::HiRes 'time', 'sleep';
use VM;

# The exit status, whatever ended the command.
my @status = (
	[ 0, 'true' ], [ 1, 'false' ], [ 77, 'sh', '-c', 'exit 77' ], [ 255, 'sh', '-c', 'exit 255' ],
	[ 137, 'sh', '-c', 'kill -9 $$' ], [ 139, 'sh', '-c', 'kill -SEGV $$' ],
	[ 127, 'no-such-program' ], [ 126, '/etc/passwd' ],
);
while (my ($one, $two) = splice @status, 0, 2) {
	my @vms = map { my ($want, @command) = @$_; [ $want, vm_start('--', @command), "@command" ] }
		$one, $two;
	for (@vms) {
		my ($want, $vm, $command) = @$_;
		is(vm_finish($vm)->{status}, $want, "status $want of $command") or diag $vm->{err};
	}
}

# One boot with everything turned on.
my @odd = ('', ' ', "new\nline", q('"`$HOME\\), '*', '--', '-n', "\x{c3}\x{a9}", 'a=b,c');
open my $f, '>', "$share/from-host";
print $f "host\n";
close $f;
my $vm = vm('--smp', 3, '--mem', '768M', '--numa', 2, '--share', $share, '--env', 'ODD=a b',
	    '--append', 'memscope.test=1', '--console', "$share/console",
	    '--', 'sh', '-c', <<'EOF', @odd);
for a; do printf '%s\0' "$a"; done >/share/args
echo to-stderr >&2
echo "cpus $(grep -c ^processor /proc/cpuinfo)"
echo "nodes $(ls -d /sys/devices/system/node/node[0-9] | wc -l)"
for n in 0 1; do
	echo "node$n cpus $(cat /sys/devices/system/node/node$n/cpulist)" \
	     "distance $(cat /sys/devices/system/node/node$n/distance)" \
	     "mb $(awk '/MemTotal/ { print int($4 / 1024) }' /sys/devices/system/node/node$n/meminfo)"
done
echo "mb $(awk '/MemTotal/ { print int($2 / 1024) }' /proc/meminfo)"
echo "cwd $PWD home $HOME odd $ODD host $(hostname) share $(cat from-host)"
echo "append $(grep -c memscope.test=1 /proc/cmdline)"
echo from-guest >/share/from-guest
echo "events $(ls -d /sys/kernel/tracing/events/*/ | wc -l) debug $(ls /sys/kernel/debug | wc -l)"
echo "stdin $(wc -c)"
echo "lo $(ping -c 1 -w 5 127.0.0.1 | grep -c '1 packets received')"
echo also-stderr >/dev/stderr
trace-cmd list -e sched_switch
dd if=/dev/zero bs=64k count=64 2>/dev/null | tr '\0' x
(sleep 1000 &)
exit 3
EOF
is($vm->{status}, 3, 'a longer script runs') or diag $vm->{err};
my $args = slurp("$share/args") // '';
shift @odd;	# sh's own $0
is($args, join('', map { "$_\0" } @odd), 'odd arguments arrive as they are');
is($vm->{err}, "to-stderr\nalso-stderr\n", 'stderr is apart, and holds nothing else');
my ($text, $x) = $vm->{out} =~ /\A(.*?\n)(x*)\z/s;
is(length($x // ''), 64 * 65536, 'the last of a lot of output arrives');
$vm->{out} = $text // '';
like($vm->{out}, qr/^cpus 3$/m, '--smp');
my ($mb) = $vm->{out} =~ /^mb (\d+)$/m;
ok($mb > 600 && $mb <= 768, '--mem') or diag $mb // 'none';
like($vm->{out}, qr/^nodes 2$/m, '--numa: nodes');
like($vm->{out}, qr/^node0 cpus 0 distance 10 20 mb 3\d\d$/m, '--numa: the first node');
like($vm->{out}, qr/^node1 cpus 1-2 distance 20 10 mb 3\d\d$/m, '--numa: the second node');
like($vm->{out}, qr{^cwd /share home /root odd a b host guest share host$}m,
     'directory, environment, host name, a file of the host');
like($vm->{out}, qr/^append 1$/m, '--append');
is(slurp("$share/from-guest"), "from-guest\n", 'a file of the guest reaches the host');
like($vm->{out}, qr/^events \d\d+ debug [1-9]/m, 'tracefs and debugfs are mounted');
like($vm->{out}, qr/^stdin 0$/m, 'stdin is empty');
like($vm->{out}, qr/^lo 1$/m, 'the loopback interface is up');
like($vm->{out}, qr/^sched:sched_switch$/m, 'trace-cmd runs in the guest');
like(slurp("$share/console") // '', qr/Linux version/, '--console keeps the log');

# Output is seen while the command runs, and a signal ends the VM.
$vm = vm_start('--', 'sh', '-c', 'echo early; sleep 100');
my $until = time + 60;
sleep 0.1 while !-s $vm->{out} && time < $until;
is(slurp($vm->{out}), "early\n", 'output arrives while the command runs');
kill 'INT', $vm->{pid};
my $at = time;
is(vm_finish($vm)->{status}, 130, 'an interrupt gives 130');
# Not when its command ends by itself.
ok(time - $at < 60, '... at once');

# --stdin, and the host's root.
open my $in, '-|', "echo 'in and out' | $VM::run --stdin -- cat" or die;
is(join('', <$in>), "in and out\n", '--stdin');
close $in;
# The clone may be below /tmp, which is the guest's own: its programs are there all the same.
my $clone = tempdir('memscope-clone.XXXXXX', DIR => '/tmp', CLEANUP => 1);
mkdir "$clone/$_" for qw(build build/bin test-vms plots tools tools/tests);
copy($VM::run, "$clone/test-vms/run") or die "$clone: $!";
symlink abs_path("$build/$_"), "$clone/build/$_" or die "$_: $!" for qw(guest kernel-vm kernel-rt);
open my $of, '>', "$clone/build/bin/of-this-clone" or die;
print $of "#!/bin/sh\nls \"\${0%/*}/../../plots\"\n";
close $of;
open $of, '>', "$clone/tools/tests/read_recordings" or die;
print $of "#!/bin/sh\necho \"\$@\" >$clone/read\n";
close $of;
chmod 0755, "$clone/test-vms/run", "$clone/build/bin/of-this-clone", "$clone/tools/tests/read_recordings";
open $of, '>', "$clone/plots/a-script.gp" or die;
close $of;
my $marker = "/etc/memscope-run-test.$$";
# Writes to a file of which another process asks the size all the time, and to one of which nobody does.
open my $beside, '>', "$share/beside.pl" or die;
print $beside <<'EOF';
my $pid = fork // die;
if (!$pid) { while (1) { -s '/share/beside' } }
open my $asked, '>', '/share/beside' or die;
open my $alone, '>', '/tmp/alone' or die;
for my $i (1 .. 300) {
	syswrite $_, sprintf('%08d', $i) x (1 + $i % 150) for $asked, $alone;
	select undef, undef, undef, 0.01 if $i % 3 == 0;
}
kill KILL => $pid;
EOF
close $beside;
my $host_run = $VM::run;
$VM::run = "$clone/test-vms/run";
{
delete local $ENV{MEMSCOPE_BUILD};
$vm = vm('--root', 'host', '--share', $share, '--', 'sh', '-c', <<EOF);
printf '#include <stdio.h>\\nint main(void) { return puts("compiled") < 0; }\\n' >/tmp/t.c
gcc -o /tmp/t /tmp/t.c && /tmp/t
perl -e 'print "perl ", 6 * 7, "\\n"'
touch $marker && test -e $marker && echo written
rm -f /etc/hostname; test -e /etc/hostname || echo removed
mount -o remount,rw /overlay/lower 2>/dev/null
echo "program \$(of-this-clone) first \${PATH%%:*}"
test -e $share || echo "own /tmp"
perl /share/beside.pl && cp /tmp/alone /share
for dir in /tmp /root; do printf 'MEMPROF\\n' >\$dir/left.data; echo no recording >\$dir/left.text; done
EOF
}
$VM::run = $host_run;
is($vm->{status}, 0, '--root host runs') or diag $vm->{err};
like($vm->{out}, qr/^compiled$/m, "... the host's compiler");
like($vm->{out}, qr/^perl 42$/m, "... the host's perl");
like($vm->{out}, qr/^written\nremoved$/m, '... can write, there');
like($vm->{out}, qr{^program a-script\.gp first $clone/build/bin$}m, '... finds our programs first, below /tmp, too')
	or diag $vm->{out}, $vm->{err};
like($vm->{out}, qr{^own /tmp$}m, "... and nothing else of the host's /tmp") if $share =~ m{^/tmp/};
is(-s "$share/alone", 8 * (300 + 2 * 149 * 150 / 2), '... what it writes to the share');
ok(slurp("$share/alone") eq slurp("$share/beside"), '... arrives whole while another process asks for the size');
is_deeply([ map { slurp($_) } glob "$share/.recordings/*" ], [ ("MEMPROF\n") x 2 ], '... and its recordings are kept');
is(slurp("$clone/read"), "run $share\n", '... and read under sanitizers');
ok(!-e $marker && -e '/etc/hostname', '... and leaves the host as it was');

# Plugins are of API 1: where the system's QEMU does not load them, that of IBS is taken.
sub qemu_taken {
	my ($version, @args) = @_;
	my %stub = ("$clone/qemu/qemu-system-x86_64" => 'stock', "$clone/build/qemu-ibs/qemu-system-x86_64" => 'ibs');
	for (sort keys %stub) {
		mkdir s{/[^/]*$}{}r;
		open my $f, '>', $_ or die "$_: $!";
		print $f "#!/bin/sh\n[ \"\$1\" != --version ] || exec echo 'QEMU emulator version $version'\n",
			"echo $stub{$_} >>$clone/taken\n";
		close $f;
		chmod 0755, $_;
	}
	unlink "$clone/taken";
	local $ENV{PATH} = "$clone/qemu:$ENV{PATH}";
	local $VM::run = "$clone/test-vms/run";
	delete local $ENV{MEMSCOPE_BUILD};
	my $vm = vm('--accel', 'tcg', @args, '--', 'true');
	return ((slurp("$clone/taken") // 'none') =~ s/\n//r, $vm->{err});
}
for (['7.2.19 (Debian 1:7.2+dfsg-7)', 'stock', '--oracle', 'out=/dev/null'],
     ['10.0.13 (Debian 1:10.0.13+ds)', 'ibs', '--oracle', 'out=/dev/null'],
     ['8.2.0', 'ibs', '--qemu-arg', '-plugin', '--qemu-arg', '/none.so'], ['8.1.5', 'stock', '--oracle', 'out=/dev/null'],
     ['10.0.13', 'stock']) {
	my ($version, $want, @args) = @$_;
	my ($taken, $err) = qemu_taken($version, @args);
	is($taken, $want, "QEMU $version, @args: $want");
	is($err =~ /^test-vms\/run: QEMU [\d.]+ does not load plugins of API 1: using \S+qemu-ibs/m ? 'ibs' : 'stock', $want,
	   '... and says so') or diag $err;
}

# The kernel's own failures.  A real panic and a real oops; the others as the
# messages they print.
my @bad = (
	[ 'a panic', qr/Kernel panic/, 'echo c >/proc/sysrq-trigger; sleep 60' ],
	[ 'an oops', qr/general protection fault/, <<'EOF' ],
table=$(awk '$3 == "sysrq_key_table" { print $1 }' /proc/kallsyms)
printf '\0\0\0\0\0\0\255\336' |
	dd of=/dev/mem bs=8 seek=$(((0x${table#ffffffff} - 0x80000000) / 8 + 34)) conv=notrunc
echo y >/proc/sysrq-trigger
sleep 60
EOF
	map { my $line = $_; $line =~ s/:.*//; [ "'$_'", qr/\Q$line/, "echo '$_' >/dev/kmsg" ] }
		'WARNING: CPU: 0 PID: 1 at mm/x.c:1 f+0x1/0x2',
		'BUG: KASAN: use-after-free in f+0x1/0x2',
		'UBSAN: array-index-out-of-bounds in mm/x.c:1:2',
		'BUG: sleeping function called from invalid context at mm/x.c:1',
		'rcu: INFO: rcu_sched detected stalls on CPUs/tasks:',
		'INFO: task x:1 blocked for more than 120 seconds.',
);
while (@bad) {
	my @vms = map { [ vm_start('--', 'sh', '-c', $_->[2]), @$_ ] } splice @bad, 0, 2;
	for (@vms) {
		my ($vm, $name, $message) = @$_;
		vm_finish($vm);
		is($vm->{status}, 125, "$name fails the run");
		like($vm->{err}, qr/the kernel reported a failure: .*$message/, '... and is named');
		my ($log) = $vm->{err} =~ /^test-vms\/run: end of the console log, (\S+):$/m;
		ok(-s ($log // '/none'), '... with the log kept');
		unlink $log if $log;
	}
}

$at = time;
$vm = vm('--timeout', 3, '--', 'sleep', 100);
is($vm->{status}, 124, 'the timeout gives 124');
ok(time - $at < 60, '... in time');
like($vm->{err}, qr/timeout after 3 s/, '... and says so');
unlink $1 if $vm->{err} =~ /end of the console log, (\S+):/;

is(vm('--no-such')->{status}, 2, 'an unknown option is wrong usage');
is(vm('--smp', 'x', '--', 'true')->{status}, 2, 'a bad number is wrong usage');
is(vm()->{status}, 2, 'no command is wrong usage');
is(vm('--kernel', '/no/kernel', '--', 'true')->{status}, 125, 'no kernel is a failure of the VM');
is(vm('--help')->{status}, 0, '--help');

done_testing();
