#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# memscope on a machine that has all of it: the doctor finds that and tries it, one run under all
# recorders has a program's planted fault among its findings, why knows the object, and a run
# that is too short for some of the recorders says so.
use strict;
use warnings;
use File::Copy;
use FindBin;
use lib $FindBin::RealBin;
use JSON::PP;
use Test::More;
use VM;

copy("$build/guest/memprof/memprof_plant", "$share/memprof_plant") or die "memprof_plant: $!";
chmod 0755, "$share/memprof_plant";
my $vm = vm('--kernel', $ENV{MEMSCOPE_KERNEL} // 'vm', '--qemu', 'ibs', '--ibs', 'hit-l1=0,hit-l2=0,hit-l3=0',
	'--smp', 4, '--numa', 2, '--mem', '1G', '--append', 'tsc=reliable clocksource=tsc sysctl.vm.mem_profiling=0',
	'--timeout', 900, '--share', $share, '--', 'sh', '-c', <<'EOF');
cd /share || exit 1
sysctl -qw kernel.perf_event_max_sample_rate=10000000 kernel.perf_cpu_time_max_percent=0
settings() { cat /sys/kernel/tracing/memref/interval_ms /sys/kernel/tracing/memref/tasks /sys/kernel/tracing/dprof/types; }
settings >before
memscope doctor -f json -o doctor.json 2>doctor.err
echo "doctor $?"
memscope doctor --test -f json -o test.json 2>test.err
echo "test $?"
memscope record --what refs,objects,types -c 8192 -i 100 -o run -- \
	sh -c 'kernel_load files 100; ./memprof_plant wrong 1' >truth 2>record.err
echo "record $?"
memscope record --what refs -o run -- true 2>again.err
echo "again $?"
memscope record --what refs,objects,types -i 1h -o short -- true 2>>record.err
echo "short $?"
memscope record --what types -s swmem -c 1 -o fast -- true 2>fast.err
settings | cmp - before && echo "settings as before"

# As on the machine that was recorded.
memscope diagnose run -f json -o findings.json 2>findings.err
echo "diagnose $?"
memscope html run -o page.html 2>>findings.err
echo "html $?"
pid=$(sed -n 's/.*"pid": \([0-9]*\),/\1/p' run/manifest.json)
memscope why $pid run >why 2>&1
echo "why $?"
memscope diagnose short -f json -o short.json 2>short.err
echo "nothing $?"
memscope html short -o short.html 2>>short.err
echo "page $?"
EOF
is($vm->{status}, 0, 'the guest came to its end') or diag $vm->{err}, $vm->{out};
my %n = map { /^(\w+) (\d+)$/ ? ($1 => $2) : () } split /\n/, $vm->{out};
sub text { return slurp("$share/$_[0]") // '' }
sub rows { return @{ (eval { decode_json(text($_[0])) } // {})->{rows} // [] } }

# The doctor.
is($n{doctor}, 0, 'doctor: all tools work') or diag text('doctor.err');
my @facts = rows('doctor.json');
cmp_ok(scalar @facts, '>', 10, scalar(@facts) . ' facts');
is($n{test}, 0, 'and so they do when they are tried') or diag text('test.err'), text('test.json');
my %tried = map { ($_->{check} => $_->{state}) } grep { $_->{topic} eq 'self-test' } rows('test.json');
is_deeply([ map { "$_ $tried{$_}" } sort keys %tried ], [ map { "$_ ok" } qw(dprof memprof memref pagealloc) ], 'each of them');

# One run.
is($n{record}, 0, 'record: refs, objects and types at once') or diag text('record.err');
is($n{again}, 1, 'a directory that has a run is not written again');
like(text('again.err'), qr/^memscope: run: exists, and is not empty$/m, 'and named');
like($vm->{out}, qr/^settings as before$/m, 'the settings are as they were');
like(text('fast.err'), qr/^memscope: no samples of types: Invalid argument \(--count\)$/m, 'a period that the source has not is reported');
is($n{diagnose}, 0, 'diagnose') or diag text('findings.err');
my @findings = rows('findings.json');
ok((grep { join(' ', map { $_ // '' } values %$_) =~ /memprof_plant\.c:\d+\).*wrong-node|wrong-node.*memprof_plant\.c:\d+\)/s } @findings),
   'finds the planted fault') or diag text('findings.json');
unlike(text('findings.err'), qr/no samples|no complete/, 'all recorders have something');
is($n{html}, 0, 'html') or diag text('findings.err');
like(text('page.html'), qr/memprof_plant\.c/, 'the page has it');
is($n{why}, 0, 'why') or diag text('why');
like(text('why'), qr/memprof_plant|kernel_load/, 'knows the program');

# A command without an interval and without a sample.
is($n{short}, 0, 'record: a short command');
is($n{nothing}, 0, 'diagnose: nothing is no error') or diag text('short.err');
is_deeply([ map { $_->{finding} } rows('short.json') ], [ 'too-few-samples' ], 'has no findings') or diag text('short.json');
like(text('short.err'), qr/^memscope: memref: .*: no complete memref interval$/m, 'which is said');
is($n{page}, 0, 'html');
like(text('short.html'), qr/no complete memref interval/, 'the page says it, too');
done_testing;
