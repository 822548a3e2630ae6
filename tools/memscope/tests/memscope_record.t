#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# memscope record without a kernel: a stand-in for memprof records, so that the order of
# events, the directory, its manifest and its end can be seen.  A guest has the rest.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::RealBin/../../tests";
use JSON::PP;
use POSIX ':sys_wait_h';
use Test::More;
use Time::HiRes 'sleep';
use Tool;

# The tool runs the memprof that is beside it.
system('cp', "$build/bin/memscope", "$dir/memscope") == 0 or die;
spew("$dir/memprof", '#!' . "/bin/sh\n" . <<'END');
# memprof record -o FILE [options] -- COMMAND...
echo "$@" >>"$LOG"
[ -z "$FAIL" ] || { echo "memprof: no samples" >&2; exit 1; }
file=$3
while [ "$1" != -- ]; do shift; done
shift
trap : INT
"$@"
status=$?
printf 'MEMPROF\n' >"$file"
[ -z "$LOSE" ] || rm "$file"
exit $status
END
chmod 0755, "$dir/memprof";
$ENV{LOG} = "$dir/log";

# Of the tools, only memprof works there.
my $dev = '/sys/bus/event_source/devices/swmem';
my %machine = ("$dev/type" => "12\n", "$dev/format/op" => "config:0-1\n", '/proc/sys/kernel/perf_event_paranoid' => "1\n",
	       '/proc/self/status' => "Uid:\t0\t0\t0\t0\nCapEff:\t000001ffffffffff\n",
	       '/proc/self/mounts' => "tracefs /sys/kernel/tracing tracefs rw 0 0\n", '/sys/kernel/tracing/tracing_on' => "1\n", '/sys/devices/system/node/online' => "0\n");
spew("$dir/root$_", $machine{$_}) for keys %machine;
$ENV{MEMSCOPE_ROOT} = "$dir/root";
chdir $dir or die;

sub parts { return join ' ', grep { /part/ } glob "$dir/*" }

my ($status, $out, $err) = run("./memscope record -- sh -c 'echo mine \$\$ \"\$1\"; exit 3' x 'a b'");
is($status, 3, 'the exit status is that of the command');
like($out, qr/^mine (\d+) a b\n\z/, 'whose arguments are whole');
my ($pid) = $out =~ /mine (\d+)/;
like($err, qr/^memscope: refs are not recorded: this kernel has no memref.*\nmemscope: types are not recorded: .*\n\z/,
     'what cannot be recorded is reported');
my $manifest = decode_json(slurp("$dir/memscope.run/manifest.json") // '{}');
is_deeply([ @$manifest{qw(schema_version pid exit_status clock files)} ],
	  [ 1, $pid, 3, 'mono', { objects => 'objects.data' } ], 'the manifest has the pid of the command itself');
is_deeply($manifest->{command}, [ 'sh', '-c', 'echo mine $$ "$1"; exit 3', 'x', 'a b' ], 'and the command');
ok($manifest->{end_ns} > $manifest->{begin_ns}, 'and when it ran');
is(slurp("$dir/memscope.run/objects.data"), "MEMPROF\n", 'the recording is there');
is(parts(), '', 'no temporary directory');

# The shell finds its pipes at 8 and 9, wherever they were: the caller has more open files each time.
my @lost;
for my $n (0 .. 9) {
	my $open = join ' ', map { "$_</dev/null" } 3 .. 2 + $n;
	my ($is) = run("bash -c 'exec $open; exec ./memscope record --what objects -o fds.run -- sh -c \"exit 5\"'");
	push @lost, $n if $is != 5;
	system('rm -rf fds.run');
}
is("@lost", '', 'it records, however many files are open');

($status, undef, $err) = run('./memscope record --what objects -- true');
like("$status $err", qr/^1 memscope: memscope.run: exists, and is not empty$/, 'a directory is not overwritten');
is(decode_json(slurp("$dir/memscope.run/manifest.json"))->{exit_status}, 3, 'nor changed');
mkdir "$dir/empty";
($status, undef, $err) = run('./memscope record --what objects -o empty -s swmem -c 500 -- true');
is("$status$err", '0', 'an empty one may be used');
like(slurp("$dir/log"), qr/-s swmem -c 500 -- sh -c/, 'source and period are handed on');

mkdir "$dir/slash";
for my $name ('slash//', 'new/') {
	($status, undef, $err) = run("./memscope record --what objects -o $name -- true");
	is("$status$err", '0', "$name: a slash at the end");
	ok(-e "$dir/$name/manifest.json" && parts() eq '', 'is the same directory');
}
mkdir "$dir/kept";
($status, undef, $err) = run("FAIL=1 ./memscope record --what objects -o kept -- true");
ok($status == 1 && -d "$dir/kept", 'an empty directory stays until the recording is complete');
($status, undef, $err) = run("cd kept && ../memscope record --what objects -o . -- touch $dir/touched");
is("$status $err", "1 memscope: -o .: name a directory, not ., .. or /\n", 'the working directory cannot be replaced');
($status, undef, $err) = run("./memscope record --what objects -o /proc/ -- touch $dir/touched");
is("$status $err", "1 memscope: /proc: something is mounted there: name a directory in it\n", 'nor what is mounted');
ok(!-e "$dir/touched" && -d "$dir/kept", 'the command is not run');

for ([ 'FAIL=1', qr/^memprof: no samples\n\z/ ], [ 'LOSE=1', qr/^memscope: memprof record left no recording\n\z/ ]) {
	($status, undef, $err) = run("$_->[0] ./memscope record --what objects -o none -- true");
	is($status, 1, "$_->[0]: status 1");
	like($err, $_->[1], 'one line');
	ok(!-e "$dir/none" && parts() eq '', 'and nothing left');
}
($status, undef, $err) = run("./memscope record --what objects -o no/such/place -- true");
like("$status $err", qr{^1 memscope: no/such/place: No such file or directory$}, 'no place for it');
($status, undef, $err) = run("./memscope record --what refs -- touch $dir/touched");
like("$status $err", qr/^1 memscope: --what refs: this kernel has no memref/, 'a requested part must work');
ok(!-e "$dir/touched", 'and the command is not run');
($status, undef, $err) = run('./memscope record --what refs,object -- true');
like("$status $err", qr/^2 memscope: --what refs,object: object is not refs, objects or types; see memscope record --help$/, 'parts have names');
($status, undef, $err) = run('./memscope record -o x -- no-such-command');
is($status, 127, 'a command that is not there, as by a shell');

# start NAME COMMAND: a recorder in the background, once the command runs.
sub start {
	my ($name, $command) = @_;
	unlink "$dir/runs";
	my $child = fork // die;
	if (!$child) {
		POSIX::setpgid(0, 0);
		open STDERR, '>', "$dir/err";
		open STDOUT, '>', "$dir/out";
		exec './memscope', 'record', '--what', 'objects', '-o', $name, '--', 'sh', '-c', "touch $dir/runs; exec $command";
	}
	for (1 .. 300) {
		last if -e "$dir/runs";
		sleep 0.1;
	}
	ok(-e "$dir/runs", "$name: the command runs");
	return $child;
}

# Ctrl-C reaches all of the terminal's processes: the directory is complete.
my $child = start('interrupted', 'sleep 20');
kill 'INT', -$child;
waitpid $child, 0;
is($? >> 8, 130, 'Ctrl-C: the status of a command that it ended');
is(decode_json(slurp("$dir/interrupted/manifest.json") // '{}')->{exit_status}, 130, 'the directory is complete');
is(parts(), '', 'nothing else is there');

# Killed without a chance: its guard removes what is half-written.
$child = start('killed', 'sleep 1');
kill 'KILL', $child;
waitpid $child, 0;
for (1 .. 100) {
	last if parts() eq '';
	sleep 0.1;
}
ok(parts() eq '' && !-e "$dir/killed", 'killed: no directory, and no part of one');
kill 'KILL', -$child;
done_testing;
