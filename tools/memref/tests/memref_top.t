#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# The screen of memref top on a terminal: keys, the clock, sizes, stopping, and a terminal
# that is afterwards as before.  The rows are made up (memref_live); a test of guests
# has those of a kernel.
use strict;
use warnings;
use utf8;
use Fcntl qw(F_SETFL O_NONBLOCK O_WRONLY);
use FindBin;
use lib "$FindBin::RealBin/../../tests";
use POSIX qw(mkfifo);
use Test::More;
use Time::HiRes qw(sleep);
use Terminal;
use Tool;

binmode Test::More->builder->$_, ':utf8' for qw(output failure_output todo_output);
mkfifo("$dir/rows", 0600) or die;
my $live = "$build/tools/tests/memref_live $dir/rows";
my $terminal = Terminal->new($dir, 80, 24, 'bash --norc --noprofile -i');

sub expect {
	my ($expected, $name) = @_;
	ok($terminal->wait_for($expected), $name) or diag "$expected:\n$terminal->{last}";
}

# Nobody reads if memref_live does not run: that is a failure, not a wait without end.
sub feed {
	my $f;
	for (1 .. 200) {
		last if sysopen $f, "$dir/rows", O_WRONLY | O_NONBLOCK;
		sleep 0.05;
	}
	die "memref_live does not read\n" if !$f || !fileno $f;
	fcntl $f, F_SETFL, 0;
	binmode $f, ':utf8';
	print $f @_;
	close $f;
}

# A command of the shell, and its status.
sub shell {
	my ($command) = @_;
	unlink "$dir/status";
	$terminal->type("clear; $command; echo \$? >$dir/status.tmp; mv $dir/status.tmp $dir/status");
	$terminal->press('Enter');
}

sub status {
	sleep 0.05 until -e "$dir/status" || !$terminal->wait_for(qr//);
	chomp(my $status = slurp("$dir/status"));
	return $status;
}

sub settings {
	shell("stty -g >$dir/settings");
	status();
	return slurp("$dir/settings");
}

my @tasks = map { "task $_ " . $_ * 1000 . ' ' . $_ * 300 . ' ' . $_ * 2000 . " prog-é$_\n" } 1 .. 30;
$terminal->type("PS1='ready> '; clear");
$terminal->press('Enter');
expect(qr/^ready>$/m, 'a shell on a terminal');
my $before = settings();

# The clock runs without rows.
shell($live);
expect(qr/^memref top: waiting for the first interval: \d+ s of 1 s/, 'it waits for an interval');
is($terminal->ask('alternate_on') . $terminal->ask('cursor_flag'), '10', 'on the other screen, without a cursor');
expect(qr/waiting for the first interval: (\d+) s.*^! late: the interval should have ended (??{ $1 - 1 }) s ago/ms,
       'the clock runs; the interval is late');
feed(@tasks, "scan 50000 1 3600000\n");
expect(qr/interval 1 took 3600\.000 s, ended [1-9]\d* s ago +h: help\n/, 'an interval, and the clock after it');
my $screen = $terminal->screen;
like($screen, qr/^user +195\.3 MiB +4\.8% █/m, 'a class: unit, share of memory, bar');
like($screen, qr/^! reclaim ran, which clears accessed bits, too$/m, 'a doubt');
like($screen, qr/^ +30 prog-é30 +117\.2 MiB +35\.2 MiB +234\.4 MiB +2\.9% █+▒+\n +29 /m, 'processes, the largest first');
like($screen, qr/^18 more$/m, 'those that do not fit');
like($terminal->styled, qr/\e\[[\d;]*31m(?:\e\[[\d;]*m)*! reclaim/, 'a doubt is red');

# Keys.
$terminal->press('<');
expect(qr/command▲.*\n +1 prog-é1 /, '<: by command');
$terminal->press('r');
expect(qr/command▼.*\n +9 prog-é9 /, 'r: the other way round');
$terminal->press('Left', 'r');
expect(qr/pid▲.*\n +1 prog-é1 .*\n +2 /, 'left arrow: by pid');
$terminal->press('Down', 'Down');
expect(qr/pid▲.*\n +3 prog-é3 .*^2 above, 16 below$/ms, 'arrows scroll');
$terminal->press('End');
expect(qr/ +30 prog-é30 .*\n18 above, 0 below$/m, 'End');
$terminal->press('u');
expect(qr/ +30 prog-é30 +120000 KiB /, 'u: KiB');
$terminal->press('u', 'u', 'u');
expect(qr/ +30 prog-é30 +2\.9 % /, 'u: of memory');
$terminal->press('u');
$terminal->type('/é2x');
expect(qr/filter "é2x": 0 of 30.*^filter: é2x/ms, '/: a prompt, and what it leaves');
$terminal->press('BSpace');
expect(qr/filter "é2": 11 of 30 processes.*\n.*pid▲.*\n +2 prog-é2 .*\n +20 /, 'it follows each key');
$terminal->press('Enter');
expect(qr/prog-é29 [^\n]*\n+\z/, 'Enter: without the prompt');
$terminal->type('fnone');
expect(qr/filter "é2none": 0 of 30/, 'f: on with that text');
$terminal->press('Escape');
expect(qr/filter "é2": 11 of 30 processes/, 'Esc: as before');
$terminal->type('/');
$terminal->press('C-u', 'Enter');
expect(qr/^18 more$/m, 'an empty filter: all');
$terminal->type('h');
expect(qr/^q +quit\n.*^Ctrl-L /ms, 'h: the keys');
$terminal->type('x');
expect(qr/^18 more$/m, 'any key: back');

# Paused.
$terminal->type(' ');
expect(qr/^PAUSED: 0 intervals since; p: go on$/m, 'space: paused');
feed("task 77 5 5 5 fresh\nlose 3\nscan 7 0 3600000\n");
expect(qr/interval 1 took.*^PAUSED: 1 interval and 3 lost events since.*^user +195\.3 MiB/ms, 'what comes is counted, and not shown');
$terminal->type('p');
expect(qr/interval 2 took.*^1 interval and 3 lost events passed while paused\n.*^! 3 events were lost.* 77 fresh /ms, 'p: on, with what was missed');
feed(@tasks, "scan 50000 0 3600000\n");
expect(qr/interval 3 took.*while paused.*^19 more/ms, 'the next interval');
expect(qr/interval 3 took.*, ended (?:[5-9]|\d\d+) s ago/, 'some seconds later');
feed(@tasks, "scan 50000 0 3600000\n");
expect(qr/interval 4 took(?!.*while paused).*^18 more/ms, 'what was missed is no longer shown');

# Idle ages, as soon as there are some.
$terminal->type('a');
expect(qr/^no idle ages: memref top --ages/m, 'a: no idle ages');
feed(map({ "age 25600 $_ /group$_\n" } 0 .. 8), @tasks, "scan 50000 0 3600000\n");
expect(qr/^of +all +used +idle 8\+▼ +idle 128\+ +0 \.\. 128\+\nclass anon +900\.0 MiB +100\.0 MiB +500\.0 MiB +100\.0 MiB  █{9}\ncgroup \/group4 /m, 'by class and control group');
$terminal->type('a');
expect(qr/^18 more$/m, 'a: processes');

# Sizes.
for ([ 300, 60, qr/ +30 prog-é30 [^\n]*\n+\z/ ], [ 40, 10, qr/^interval 5 .*^ +pid▲ command +used\n.*^28 more$/ms ],
     [ 20, 3, qr/\Ainterval 5 .*\ntotal +195\.3 MiB\n! 3 events were lost\n\z/ ], [ 1, 1, qr/\A.?\n\z/ ], [ 2, 50, qr/\Ain\n/ ],
     [ 80, 24, qr/ +1 prog-é1 .*^18 more$/ms ]) {
	$terminal->resize(@$_[0, 1]);
	expect($_->[2], "$_->[0] columns, $_->[1] rows");
}

# Many keys at once, and some without a meaning.
$terminal->type('><' x 200 . 'xyzXYZ0-=[]' . 'u' x 500 . '/' . 'é' x 200);
expect(qr/filter: é{31}/, 'many keys at once');
$terminal->press('Escape');
$terminal->press('F5', 'M-x', 'C-a', 'BTab', 'DC', 'IC');
expect(qr/interval 5 took.*pid▲.*\n +1 prog-é1 .*^18 more$/ms, 'keys without a meaning');

# Stopped, by Ctrl-Z and by what cannot be caught; and on.
$terminal->press('C-z');
expect(qr/Stopped.*^ready>$/ms, 'Ctrl-Z stops it');
is($terminal->ask('alternate_on') . $terminal->ask('cursor_flag'), '01', 'the screen and the cursor of the shell');
is(settings(), $before, 'its settings');
shell('bg');
status();
expect(qr/^ready>$/m, 'bg: it does not draw');
shell('fg');
expect(qr/\Amemref top: interval 5 took.*^18 more$/ms, 'fg: all is drawn');
is($terminal->ask('alternate_on') . $terminal->ask('cursor_flag'), '10', 'on the other screen again');
$terminal->type('>');
expect(qr/command▲/, 'and takes keys');
my ($pid) = `pgrep -f '^$build/tools/tests/memref_live $dir'` =~ /(\d+)/;
kill 'STOP', $pid;
expect(qr/Stopped.*^ready>$/ms, 'SIGSTOP');
shell('fg');
expect(qr/\Amemref top: interval 5 took.*^18 more$/ms, 'fg: all is drawn');
$terminal->type('<');
expect(qr/pid▲/, 'and takes keys');
$terminal->type('q');
is(status(), 0, 'q: status 0');
is($terminal->ask('alternate_on') . $terminal->ask('cursor_flag'), '01', 'the screen of the shell');
is(settings(), $before, 'the settings of the terminal are as before');

# Other ends.
shell($live);
expect(qr/waiting/, 'once more');
$terminal->press('C-c');
is(status(), 0, 'Ctrl-C: status 0');
is(settings(), $before, 'the settings of the terminal are as before');
shell("$live </dev/null");
expect(qr/waiting.* Ctrl-C ends\n/, 'without a keyboard it says how it ends');
$terminal->type('q');
feed(@tasks, "scan 50000 0 3600000\n");
expect(qr/interval 1 took.*^17 more/ms, 'it does not read another one');
$terminal->press('C-c');
is(status(), 0, 'Ctrl-C');

# Other terminals.
shell("NO_COLOR=1 $live");
feed("scan 50000 1 3600000\n");
expect(qr/interval 1 took/, 'NO_COLOR');
unlike($terminal->styled, qr/\e\[(?:\d+;)*(?:3|4|9|10)[0-7]\b/, 'no color');
$terminal->type('q');
is(status(), 0, 'q');
shell("LC_ALL=C TERM=vt100 $live");
feed("task 7 1 1 1 prog-é\n", "scan 50000 1 3600000\n");
expect(qr/interval 1 took.* used[v].*\n +7 prog-\? /s, 'a vt100 without UTF-8');
unlike($terminal->screen, qr/[^\x00-\x7f]/, 'only ASCII');
$terminal->type('q');
is(status(), 0, 'q');
for ("TERM=no-such-terminal $live", "TERM= $live", "TERM=dumb $live") {
	shell($_);
	is(status(), 3, 'a terminal that cannot be drawn on is left alone: ' . (split)[0]);
}
shell("$live | cat; echo \${PIPESTATUS[0]} >$dir/piped");
status();
is(slurp("$dir/piped"), "3\n", 'standard output that is no terminal, too');
shell("$live <&-");
expect(qr/waiting.* Ctrl-C ends\n/, 'standard input that is closed');
$terminal->press('C-c');
is(status(), 0, 'Ctrl-C');

# The terminal goes away.
shell($live);
expect(qr/waiting/, 'once more');
($pid) = `pgrep -f '^$build/tools/tests/memref_live $dir'` =~ /(\d+)/;
$terminal->close;
for (1 .. 600) {
	last if !kill 0, $pid;
	sleep 0.1;
}
ok(!kill(0, $pid), 'it ends with its terminal');
done_testing;
