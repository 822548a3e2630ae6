#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# pagealloc bench run and model without page hints: what is run and in which
# order, what is kept over interruptions, what is refused.
use strict;
use warnings;
use FindBin;
use IPC::Open2;
use lib "$FindBin::RealBin/../../tests";
use Test::More;
use Time::HiRes 'sleep';
use Tool;

my $bench = "$build/bin/pagealloc bench";
$ENV{TMPDIR} = "$dir/tmp";
mkdir "$dir/tmp";

my $header = "suite,benchmark,config,strategy,boot,block,execution,measurement,warmup,phase,metric,unit,value";

# Rows as hashes, without the canary's.
sub rows {
	my ($path, $canary) = @_;
	my @names = split /,/, $header;
	my @rows;
	for (split /\n/, slurp($path) // '') {
		next if /^#/ || $_ eq $header;
		my %row;
		@row{@names} = split /,/, $_, -1;
		push @rows, \%row if $canary || $row{benchmark} ne 'canary';
	}
	return @rows;
}

sub suite {
	my ($programs, %keys) = @_;
	my %all = (name => 's', executions => 4, measurements => 3, warmup => 1, aging => '4M', %keys);
	spew("$dir/s.ini", "[suite]\n" . join('', map { "$_ = $all{$_}\n" } sort keys %all) .
	     "[strategies]\ndefault =\nfixed = --no-aslr\n$programs");
}

my $fft = <<'END';
[program fft]
command = pagealloc-programs fft --lines
protocol = lines
marks = program
config.small = --size 4K
config.large = --size 16K
END

sub interleaving {
	suite($fft . "[program touch]\ncommand = sh -c 'echo \$A \$0 >>$dir/order' word\n" .
	      "config.x =\nenv.x = A=1\nexecutions = 3\n", boots => 2);
	my @plan = map { (run("$bench run $dir/s.ini --dry-run --boot $_"))[1] } 0, 1;
	is((run("$bench run $dir/s.ini --dry-run --boot 1"))[1], $plan[1], 'the plan is the same again');
	for (['>/dev/full', 'No space left on device'], ['>&-', 'Bad file descriptor']) {
		my ($status, undef, $err) = run("{ $bench run $dir/s.ini --dry-run $_->[0]; }");
		is("$status$err", "1pagealloc: standard output: $_->[1]\n", "a plan that cannot be written, $_->[0]");
	}
	my ($status, $text, $err) = run("$bench run $dir/s.ini -o $dir/r");
	is("$status$text", '0', 'boot 0 is run') or diag $err;
	like($err, qr/boot 0 of 2 is complete; next: --boot 1/, 'what is next is said');
	is((run("$bench run $dir/s.ini -o $dir/r --boot 1"))[0], 0, 'boot 1');
	my $raw = slurp("$dir/r/raw.csv");
	like($raw, qr/^# memscope-bench 1\n(# [^\n]+: ?[^\n]*\n)+\Q$header\E\n/, 'the header');
	is(slurp("$dir/r/suite.ini"), slurp("$dir/s.ini"), 'the suite is kept');
	my @rows = rows("$dir/r/raw.csv");
	my @ends = grep { $_->{metric} eq 'end' } @rows;
	is(scalar(@ends), 2 * 2 * 4 + 2 * 3, 'each execution ends');
	for my $boot (0, 1) {
		my @order = map { "$_->{boot},$_->{block},$_->{execution},$_->{benchmark},$_->{config},$_->{strategy}\n" }
			grep { $_->{boot} == $boot } @ends;
		is(join('', "boot,block,execution,benchmark,config,strategy\n", @order), $plan[$boot], "boot $boot: as planned");
		my @canary = grep { $_->{boot} == $boot && $_->{benchmark} eq 'canary' && $_->{metric} eq 'wall_time' } rows("$dir/r/raw.csv", 1);
		is(scalar(@canary), 2, 'a canary in each block');
		my @phases = map { $_->{phase} } grep { $_->{boot} == $boot && $_->{metric} eq 'wall_time' } rows("$dir/r/raw.csv", 1);
		is_deeply(\@phases, [ 0 .. $#phases ], 'phases count measurements');
	}
	for my $end (@ends) {
		my @times = grep { $_->{benchmark} eq $end->{benchmark} && $_->{config} eq $end->{config} &&
				$_->{strategy} eq $end->{strategy} && $_->{execution} == $end->{execution} &&
				$_->{metric} eq 'wall_time' } @rows;
		my $m = $end->{benchmark} eq 'fft' ? 3 : 1;
		is(scalar(@times), $m, 'measurements of an execution') if @times != $m;
		is(join(' ', map { $_->{warmup} } @times), $m == 3 ? '1 0 0' : '0', 'warm-up is flagged, not dropped')
			if join('', map { $_->{warmup} } @times) ne ($m == 3 ? '100' : '0');
		is($end->{value}, $m, 'end says how many') if $end->{value} != $m;
	}
	is(scalar(grep { $_->{value} <= 0 } grep { $_->{metric} eq 'wall_time' } @rows), 0, 'time passes');
	is(slurp("$dir/order"), "1 word\n" x 6, 'arguments and environment arrive');
	is(join(',', glob("$dir/tmp/*")), '', 'no scratch directory is left');

	# A machine without color functions; results of before say nothing in the place of "none".
	SKIP: {
		skip 'a kernel with color functions', 4 if -e '/sys/kernel/mm/page_hint/color_function';
		like($raw, qr/^# color_function: none$/m, 'a machine without color functions');
		my ($rows) = $raw =~ /\n\Q$header\E\n(.*?,end,1,\d+\n)/s;
		my ($head) = $raw =~ /\A(.*\n\Q$header\E\n)/s;
		my $old = ($head =~ s/^(# color_function: )none$/$1/mr) . $rows;
		spew("$dir/before/$_", $_ eq 'raw.csv' ? $old : slurp("$dir/r/$_")) for 'raw.csv', 'suite.ini';
		($status, undef, $err) = run("$bench run $dir/s.ini -o $dir/before");
		is($status, 0, 'results of before: the same command goes on') or diag $err;
		is(substr(slurp("$dir/before/raw.csv"), 0, length $old), $old, 'what was there is kept');
		is(scalar(grep { $_->{metric} eq 'end' } rows("$dir/before/raw.csv")), scalar(grep { $_->{boot} == 0 } @ends), 'to the end');
	}

	# Never measured again, never overwritten.
	($status, undef, $err) = run("$bench run $dir/s.ini -o $dir/r");
	is("$status $err", "0 pagealloc: $dir/r: all of boot 0 is there already\n", 'nothing is left to do');
	($status, undef, $err) = run("$bench run $dir/s.ini -o $dir/r --quiet");
	is("$status $err", '0 ', 'nothing is said of that with --quiet');
	is(slurp("$dir/r/raw.csv"), $raw, 'nothing is changed');
	for ([ qr/^(s,fft.*),/m, qr/raw\.csv: byte \d+: not a row of results/ ],
	     [ qr/^(# kernel: ).*/m, qr/raw\.csv: measured on another system/ ], [ qr/^(# memscope)-bench/, qr/measured on another system/ ]) {
		my ($what, $message) = @$_;
		spew("$dir/r/raw.csv", $raw =~ s/$what/$1;/r);
		my $damaged = slurp("$dir/r/raw.csv");
		($status, undef, $err) = run("$bench run $dir/s.ini -o $dir/r");
		like("$status $err", qr/^1 pagealloc: [^\n]*$message/, 'damaged results: refused');
		is(slurp("$dir/r/raw.csv"), $damaged, 'and left alone');
	}
	spew("$dir/r/raw.csv", $raw);
	# A descriptor that cannot be copied: an error, not a crash.
	SKIP: {
		skip 'the sanitizers come first', 2 if $build =~ /sanitize/;
		spew("$dir/dup.c", "#include <errno.h>\nint dup(int fd)\n{\n\t(void)fd;\n\terrno = EMFILE;\n\treturn -1;\n}\n");
		is(system('gcc', '-shared', '-fPIC', '-o', "$dir/dup.so", "$dir/dup.c"), 0, 'a dup() that fails');
		($status, undef, $err) = run("LD_PRELOAD=$dir/dup.so $bench run $dir/s.ini -o $dir/r");
		like("$status $err", qr/^1 pagealloc: \S+raw\.csv: Too many open files\n\z/, 'is said');
	}
	suite($fft);
	($status, undef, $err) = run("$bench run $dir/s.ini -o $dir/r");
	like("$status $err", qr/^1 pagealloc: \S+: results of another suite/, 'another suite: refused');
	is(slurp("$dir/r/raw.csv"), $raw, 'nothing is changed');
}

# start COMMAND: its pid, in a group of its own.
sub start {
	my ($command) = @_;
	my $pid = fork() // die;
	if (!$pid) {
		$SIG{INT} = 'DEFAULT';
		open STDERR, '>', "$dir/err";
		exec split / /, $command;
		exit 127;
	}
	return $pid;
}

sub until_true {
	my ($what) = @_;
	for (1 .. 2400) {
		return 1 if $what->();
		sleep 0.05;
	}
	return 0;
}

# A process that ended is gone, or a zombie until init waits for it.
sub runs {
	my ($pid) = @_;
	return (slurp("/proc/$pid/stat") // '') =~ /^\d+ \(.*\) [^ZX] /s;
}

sub interruptions {
	# From the third execution on, each waits until it is allowed to end.
	spew("$dir/slow.sh", "cd $dir\necho \$\$ >pid\necho >>begun\n" .
	     "until [ -e go ] || [ \$(wc -l <begun) -lt 3 ]; do sleep 0.05; done\n");
	my $slow = "[program slow]\ncommand = sh $dir/slow.sh\nexecutions = 3\n";
	for my $signal ('INT', 'TERM', 'KILL') {
		suite($slow);
		system 'rm', '-rf', "$dir/i", "$dir/begun", "$dir/go", "$dir/pid";
		my $ends = sub { scalar grep { $_->{metric} eq 'end' } rows("$dir/i/raw.csv") };
		my $pid = start("$bench run $dir/s.ini -o $dir/i");
		ok(until_true(sub { $ends->() >= 2 }), 'two executions are there');
		ok(until_true(sub { (slurp("$dir/begun") // '') eq "\n" x 3 }), 'and one is under way');
		# A run that goes on does not find them locked, although its memory may take a while to be freed.
		my ($ager) = split ' ', slurp("/proc/$pid/task/$pid/children");
		like($ager // '', qr/^\d+$/, 'a process fragments memory');
		is(join(',', grep { index($_, "$dir/i") == 0 } map { readlink // '' } glob "/proc/$ager/fd/*"), '',
			'and has no file of the results open');
		kill $signal, $pid;
		waitpid $pid, 0;
		my $status = $? & 127 ? 128 + ($? & 127) : $? >> 8;
		is($status, { INT => 130, TERM => 143, KILL => 137 }->{$signal}, "SIG$signal: status $status");
		my $left = slurp("$dir/pid") + 0;
		ok(until_true(sub { !runs($left) }), 'the program is ended');
		spew("$dir/go", '');
		my $raw = slurp("$dir/i/raw.csv");
		my $n = $ends->();
		like($raw, qr/end,1,1\n\z/, 'the file ends with a whole execution');
		like(slurp("$dir/err"), qr/\d of 6 executions of boot 0 are there; the same command goes on/, 'what is there is said')
			if $signal ne 'KILL';
		is(join(',', glob("$dir/tmp/*")), '', 'nothing is left') if $signal ne 'KILL';
		# A machine that dies while rows are written.
		if ($signal eq 'KILL') {
			open my $f, '>>', "$dir/i/raw.csv";
			print $f "s,slow,-,default,0,9,9,0,0,9,wall_time,s,1\ns,slow,-,def";
			close $f;
		}
		my ($again, undef, $err) = run("$bench run $dir/s.ini -o $dir/i");
		is($again, 0, 'the same command goes on');
		like($err, qr/of an execution that is not whole: removed/, 'what is not whole is removed') if $signal eq 'KILL';
		is($ends->(), 6, 'to the end');
		is(substr(slurp("$dir/i/raw.csv"), 0, length $raw), $raw, 'what was there is kept');
		my %seen;
		$seen{"$_->{strategy} $_->{execution}"}++ for grep { $_->{metric} eq 'end' } rows("$dir/i/raw.csv");
		is_deeply([ grep { $_ != 1 } values %seen ], [], 'nothing twice');
	}
	# Two at once.
	system 'rm', '-rf', "$dir/i", "$dir/begun", "$dir/go";
	suite($slow);
	my $pid = start("$bench run $dir/s.ini -o $dir/i");
	ok(until_true(sub { (slurp("$dir/begun") // '') eq "\n" x 3 }), 'one is under way');
	my ($status, undef, $err) = run("$bench run $dir/s.ini -o $dir/i");
	like("$status $err", qr/^1 pagealloc: .*another run writes there/, 'two runs at once: refused');
	kill 'INT', $pid;
	waitpid $pid, 0;
	system 'rm', '-rf', glob "$dir/tmp/*";
}

# A program that fails: all ends, with its name, its status and its last words.
sub failures {
	my @cases = (
		[ "command = sh -c 'echo one; echo two >&2; exit 3'", qr/p, config -, strategy \w+: ended with status 3; the last it said:\n    one\n    two\n/ ],
		[ "command = sh -c 'kill -9 \$\$'", qr/was ended by signal 9 \(Killed\)/ ],
		[ 'command = /none/at/all', qr/ended with status 127; the last it said:\n    pagealloc: \/none\/at\/all: No such file/ ],
		[ "command = sleep 60\ntimeout = 1", qr/did not end in time \(timeout\)/ ],
		[ "command = sh -c 'sleep 60 & sleep 60'\ntimeout = 1", qr/did not end in time/ ],
		# So long that it has answered, however busy the machine.
		[ "command = cat\nprotocol = lines\ntimeout = 10", qr/did not end in time.*\n    measure 0\n/ ],
		[ "command = sh -c 'read a; echo done 1'\nprotocol = lines", qr/did not answer 'done K.*\n    done 1\n/ ],
		[ "command = sh -c 'read a; echo done 0 x=y'\nprotocol = lines", qr/did not answer 'done K/ ],
		[ "command = sh -c 'read a; echo done 0 end=1'\nprotocol = lines", qr/did not answer 'done K/ ],
		[ "command = sh -c 'read a; echo done 0 a=1 a=2'\nprotocol = lines", qr/did not answer 'done K/ ],
		[ "command = sh -c 'read a; echo done 0 gain=-1'\nprotocol = lines", qr/did not answer 'done K/ ],
		[ "command = sh -c 'read a; echo done 0 wall_time=inf'\nprotocol = lines", qr/did not answer 'done K/ ],
		[ "command = sh -c 'read a; echo done 0'\nprotocol = lines", qr/ended with status 0; the last it said:\n    done 0\n/ ],
		[ "command = sh -c 'while read a k; do echo done \$k; done; exit 5'\nprotocol = lines", qr/ended with status 5/ ],
		[ "prepare = echo no; false\ncommand = true", qr/p: prepare: ended with status 1; the last it said:\n    no\n/ ],
		[ "command = seq 1 5000; false\n", qr/extra operand|invalid/ ],
		[ "command = sh -c 'seq 1 5000; false'\n", qr/the last it said:\n    4991\n(    \d+\n){8}    5000\n/ ],
	);
	for (@cases) {
		my ($program, $message) = @$_;
		suite("[program p]\n$program\n");
		system 'rm', '-rf', "$dir/f";
		my ($status, $text, $err) = run("$bench run $dir/s.ini -o $dir/f");
		is("$status$text", '1', "$program: status 1");
		like($err, $message, 'said why');
		is(scalar(rows("$dir/f/raw.csv")), 0, 'no row of it');
		is(join(',', glob("$dir/tmp/*")), '', 'nothing is left');
	}
	# What was measured before stays.
	suite("[program p]\ncommand = sh -c 'echo >>$dir/count; [ \$(wc -l <$dir/count) -lt 4 ]'\n");
	system 'rm', '-rf', "$dir/f", "$dir/count";
	my ($status, undef, $err) = run("$bench run $dir/s.ini -o $dir/f");
	is($status, 1, 'the fourth execution fails');
	is(scalar(grep { $_->{metric} eq 'end' } rows("$dir/f/raw.csv")), 3, 'three are there');
	like($err, qr/3 of 8 executions of boot 0 are there/, 'and said');
	suite("[program p]\ncommand = true\n");
	($status, undef, $err) = run("$bench run $dir/s.ini -o /dev/null/x");
	like("$status $err", qr/^1 pagealloc: \/dev\/null\/x: Not a directory/, 'no directory');
	system 'mkdir', '-p', "$dir/full";
	symlink '/dev/full', "$dir/full/raw.csv";
	spew("$dir/full/suite.ini", slurp("$dir/s.ini"));
	($status, undef, $err) = run("$bench run $dir/s.ini -o $dir/full");
	like("$status $err", qr/^1 pagealloc: .*raw\.csv: No space left/m, 'a full disk is noticed');
}

# A file of results has a metric in all measurements of an execution, or in none: its reader refuses others.
sub metrics_in_some {
	for ([ '', ' gc_time=1' ], [ ' gc_time=1', '' ], [ ' a=1', ' b=1' ], [ ' a=1 b=1', ' a=1' ], [ '', ' wall_time=1' ], [ ' wall_time=1', '' ]) {
		my ($first, $last) = @$_;
		suite("[program p]\ncommand = sh -c 'while read a k; do [ \$k = 2 ] && echo done \$k$last || echo done \$k$first; done'\nprotocol = lines\n");
		system 'rm', '-rf', "$dir/some";
		my ($status, undef, $err) = run("$bench run $dir/s.ini -o $dir/some");
		like("$status$err", qr/^1.*pagealloc: p, config -, strategy \w+: did not answer with the metrics of its first measurement; the last/s,
		     "'$first', then '$last': refused");
		is(scalar(rows("$dir/some/raw.csv")), 0, 'no row of it');
	}
	# Their order is of no account.
	suite("[program p]\ncommand = sh -c 'while read a k; do [ \$k = 2 ] && echo done \$k a=1 b=2 || echo done \$k b=1 a=2; done'\nprotocol = lines\n" .
	      "executions = 5\n");
	system 'rm', '-rf', "$dir/some";
	is((run("$bench run $dir/s.ini -o $dir/some"))[0], 0, 'in another order: measured');
	is((run("$bench report --view mean --metric b $dir/some"))[0], 0, 'and read');
}

# An answer is one to a request: what was said before that is not measured.
sub early_answers {
	# The second comes with the first, in answer to the first request; or behind more than what is read at once, in
	# the pipe.
	for ('done 0\ndone 1\ndone 2\n', 'done 0\n%01100d\ndone 1\n') {
		suite("[program p]\ncommand = sh -c 'read a; printf \"$_\"; cat >/dev/null'\nprotocol = lines\n", timeout => 30);
		system 'rm', '-rf', "$dir/early";
		my ($status, undef, $err) = run("$bench run $dir/s.ini -o $dir/early");
		like("$status$err", qr/^1.*pagealloc: p, config -, strategy \w+: answered 'done \.\.\.' before it was asked; the last it said:\n.*done 1\n/s, "$_: refused");
		is(scalar(rows("$dir/early/raw.csv")), 0, 'no row of it');
	}
	suite("[program p]\ncommand = sh -c 'while read a k; do printf \"done \$k\\n%04000d\\nnot done yet\\n\" 1; done'\nprotocol = lines\n");
	system 'rm', '-rf', "$dir/early";
	is((run("$bench run $dir/s.ini -o $dir/early"))[0], 0, 'it may say other things after an answer');
}

# The line protocol: other output, metrics of the program's own.
sub lines {
	suite("[program p]\ncommand = sh -c 'echo hello; while read a k; do echo working; echo done \$k wall_time=\$k.5 hits=7; done'\nprotocol = lines\nexecutions = 1\nwarmup = mser\n");
	my ($status, undef, $err) = run("$bench run $dir/s.ini -o $dir/l --strategy default");
	is($status, 0, 'lines of its own are let through') or diag $err;
	my @rows = rows("$dir/l/raw.csv");
	is(join(' ', map { $_->{value} } grep { $_->{metric} eq 'wall_time' } @rows), '0.5 1.5 2.5', 'it knows its time better');
	is(join(' ', map { "$_->{value} $_->{unit}" } grep { $_->{metric} eq 'hits' } @rows), '7 1 7 1 7 1', 'and has other metrics');
	is(scalar(grep { $_->{strategy} ne 'default' } @rows), 0, 'only the strategy that was wanted');
	is((run("$bench run $dir/s.ini -o $dir/l"))[0], 0, 'the other one later');
	is(scalar(grep { $_->{metric} eq 'end' } rows("$dir/l/raw.csv")), 2, 'both are there');
}

# A strategy's files are beside the suite: for the trial before the run, and for each execution, in a directory of its own.
sub strategy_files {
	return if $build =~ /sanitize/;		# which comes first, not this library
	spew("$dir/hints.c", <<'END');
#define _GNU_SOURCE
#include <dlfcn.h>
#include <string.h>

/* Page hints that take everything. */
static int hints(const char *path)
{
	return strlen(path) > 11 && !strcmp(path + strlen(path) - 11, "/page_hints");
}

int open(const char *path, int flags, int mode)
{
	int (*next)(const char *, int, int) = dlsym(RTLD_NEXT, "open");

	return next(hints(path) ? "/dev/null" : path, flags, mode);
}

int open64(const char *path, int flags, int mode)
{
	return open(path, flags, mode);
}

int ioctl(int fd, unsigned long request, void *arg)
{
	int (*next)(int, unsigned long, void *) = dlsym(RTLD_NEXT, "ioctl");

	return (request >> 8 & 0xff) == 'f' && (request & 0xff) >= 0x40 ? 0 : next(fd, request, arg);
}
END
	is(system('gcc', '-shared', '-fPIC', '-o', "$dir/hints.so", "$dir/hints.c"), 0, 'page hints that take everything');
	spew("$dir/suites/colors.txt", "0 1\n");
	spew("$dir/suites/s.ini", "[suite]\nname = s\nexecutions = 2\naging = off\n[strategies]\nmod = --no-aslr --strategy modulo:colors.txt\n" .
	     "[program p]\ncommand = sh -c 'echo \"\$PWD \$(ls -A)\" >>$dir/where'\n");
	for my $at ("$dir/suites", '/') {
		system 'rm', '-rf', "$dir/sf", "$dir/where";
		my ($status, undef, $err) = run("cd $at && LD_PRELOAD=$dir/hints.so $bench run $dir/suites/s.ini -o $dir/sf");
		is($status, 0, "in $at: measured with the file of the strategy") or diag $err;
		like(slurp("$dir/where") // '', qr{\A(\Q$dir\E/tmp/pagealloc-bench\.\w+ \n){2}\z}, 'the program runs in an empty directory');
	}
	unlink "$dir/suites/colors.txt";
	my ($status, undef, $err) = run("LD_PRELOAD=$dir/hints.so $bench run $dir/suites/s.ini -o $dir/sf2");
	like("$status$err", qr/^1pagealloc: strategy mod cannot be used.*colors\.txt: .*No such file/s, 'without the file: refused before anything is measured');
	ok(!-e "$dir/sf2", 'nothing is made');
}

# trace: each measured process is in that file before its program runs.
sub traced {
	suite("[program look]\ncommand = sh -c 'read pid <$dir/traced; echo \$\$ = \$pid >>$dir/seen'\n",
	      executions => 2, trace => "$dir/traced");
	my ($status, undef, $err) = run("$bench run $dir/s.ini -o $dir/not-traced");
	is($status, 1, 'trace: a file that is not there: status 1');
	like($err, qr{^pagealloc: \Q$dir\E/traced: No such file or directory$}m, 'it is named');
	like($err, qr/^pagealloc: look, config -, strategy \w+: cannot be traced \(trace\)$/m, 'and the run ends');
	ok(!-e "$dir/traced", 'it is not made');
	spew("$dir/traced", "123456789012\n");
	($status, undef, $err) = run("$bench run $dir/s.ini -o $dir/was-traced");
	is($status, 0, 'a file that is there') or diag $err;
	like(slurp("$dir/seen") // '', qr/\A(?:(\d+) = \g{-1}\n){4}\z/, 'has each process before it runs its program');
}

# Read-only data of files, as pages of the page cache or as copies that are the program's own.
sub private_data {
	for my $option ('', '--private-data') {
		my $pid = open2(my $from, my $to, "$build/bin/pagealloc-programs", 'fft', '--size', '4K', '--lines', $option || ());
		print $to "measure 0\n";
		like(scalar <$from>, qr/^done 0 /, "fft $option: measured");
		my ($at, %kb);
		for (split /\n/, slurp("/proc/$pid/smaps")) {
			$at = /^\S+ r--p .* \// ? 1 : 0 if /^[0-9a-f]+-/;
			$kb{$1} += $2 if $at && /^(Size|Anonymous): +(\d+) kB/;
		}
		close $to;
		waitpid $pid, 0;
		is($?, 0, 'and the result is right');
		cmp_ok($kb{Size}, '>', 400, "$kb{Size} KiB of read-only data");
		$option ? is($kb{Anonymous}, $kb{Size}, 'all of them are copies') :
			  cmp_ok($kb{Anonymous}, '<', 0.2 * $kb{Size}, "$kb{Anonymous} KiB of them are copies, of what is relocated");
	}
}

# pagealloc-programs by itself.
sub programs {
	my $fft = "$build/bin/pagealloc-programs fft --size 4K";
	my ($status, $text, $err) = run("$fft >/dev/full");
	is("$status$err", "1pagealloc-programs: standard output: No space left on device\n", 'what cannot be written is a failure');
	like((run($fft))[1], qr/^fft: \d+ bytes, [\d.]+ s, CPU [\d.]+ s\n\z/, 'what can be is none');
	for my $name (qw(fft lu sor sparse montecarlo aes ping)) {
		($status, $text, $err) = run("$build/bin/pagealloc-programs $name --size 4K --lines </dev/null");
		is("$status$text$err", '0', "$name: no request, no result that could be wrong");
	}
}

sub options {
	suite($fft);
	for ([ '', qr/^usage: pagealloc bench VERB/ ], [ 'fly', qr/bench fly: no such verb/ ],
	     [ 'run', qr/; see .* --help$/ ], [ "run $dir/s.ini", qr/; see .* --help$/ ], [ "run -o $dir/x", qr/; see .* --help$/ ],
	     [ "run $dir/s.ini x -o $dir/x", qr/; see .* --help$/ ], [ "run $dir/s.ini -o $dir/x --boot x", qr/--boot x: not a number/ ],
	     [ 'model', qr/; see .* --help$/ ], [ 'model a', qr/; see .* --help$/ ], [ 'model a b --boot x', qr/--boot x: not/ ]) {
		my ($command, $message) = @$_;
		my ($status, $text, $err) = run("$bench $command");
		is("$status$text", '2', "bench $command: status 2");
		like($err, $message, 'says why');
	}
	for ([ "run $dir/none -o $dir/x", qr/none: No such file/ ], [ "run $dir -o $dir/x", qr/Is a directory/ ],
	     [ "run $dir/s.ini -o $dir/x --boot 1", qr/--boot 1: the suite has boots 0 to 0/ ],
	     [ "run $dir/s.ini -o $dir/x --strategy binhop", qr/--strategy binhop: the suite has no such/ ]) {
		my ($command, $message) = @$_;
		my ($status, $text, $err) = run("$bench $command");
		is("$status$text", '1', "bench $command: status 1");
		like($err, qr/^pagealloc: [^\n]*$message[^\n]*\n$/, 'says why, once');
		ok(!-e "$dir/x", 'nothing is made');
	}
	for my $miss (qw(L2 =5 L2=x L2=-1 L2=1000001)) {
		my ($status, $text, $err) = run("$bench model --miss $miss a b");
		is("$status$text", '2', "--miss $miss is wrong usage");
		like($err, qr/^pagealloc: --miss \Q$miss\E: not CACHE=CYCLES/, 'and named');
	}
	for my $verb ('run', 'model') {
		my ($status, $text, $err) = run("$bench $verb --help");
		like("$status$err$text", qr/^0usage: pagealloc bench $verb /, "$verb --help");
	}
	return if -e '/proc/self/page_hints';
	spew("$dir/s.ini", slurp("$dir/s.ini") =~ s/fixed = --no-aslr/coloring = --strategy coloring/r);
	my ($status, undef, $err) = run("$bench run $dir/s.ini -o $dir/x");
	is($status, 1, 'no page hints');
	like($err, qr/strategy coloring cannot be used.*\n.*the kernel has no page hints.*\n.*--strategy NAME/, 'said, with what can be done');
	ok(!-e "$dir/x", 'nothing is made');
	is((run("$bench run $dir/s.ini -o $dir/x --strategy default"))[0], 0, 'the default can be measured');
}

sub model {
	my $head = "phase,cache,level,cpu,accesses,misses\n";
	suite($fft, executions => 2, boots => 2);
	is((run("$bench run $dir/s.ini -o $dir/m --boot $_"))[0], 0, "boot $_") for 0, 1;
	my $n = 1 + grep { $_->{metric} eq 'wall_time' && $_->{boot} == 0 } rows("$dir/m/raw.csv");
	my $counts = join '', "# a comment\n# cache: L1d:32K\n# cache: L2:256K\n# cpus: 2\n# who: traced\n# what: data\n# begin: keep\n# seed: 7\n$head", map { my $p = $_; map { "$p,L1d,1,$_," . (100 + $p) . ",$_\n$p,instructions,-,$_,500,0\n$p,L2,2,$_,$p,$p\n" } 0, 1 } 0 .. $n - 1;
	spew("$dir/counts", $counts);
	my ($status, $text, $err) = run("$bench model $dir/m/raw.csv $dir/counts --boot 0 -o $dir/joined");
	is("$status$text$err", '0', 'join');
	my @rows = rows("$dir/joined", 1);
	my @insns = grep { $_->{metric} eq 'instructions' } @rows;
	is(join(' ', map { $_->{value} } @insns), join(' ', (1000) x $n), 'instructions have no misses');
	my @old = grep { $_->{metric} !~ /^L|^instructions/ } @rows;
	is_deeply(\@old, [ rows("$dir/m/raw.csv", 1) ], 'what was measured is still there');
	my @new = grep { $_->{metric} =~ /^L/ } @rows;
	is(scalar(@new), 4 * $n, 'each measurement of the boot has misses and accesses of both caches');
	is(scalar(grep { $_->{boot} != 0 || $_->{unit} ne '1' } @new), 0, 'no other boot');
	is(scalar(grep { $_->{value} != ($_->{metric} eq 'L1d_misses' ? 1 : 2 * $_->{phase} + ($_->{metric} eq 'L1d_accesses' ? 200 : 0)) } @new), 0, 'of all CPUs');
	like(slurp("$dir/joined"), qr/^# cache: L1d:32K,L2:256K\n# cpus: 2\n# who: traced\n# what: data\n# begin: keep\n# model_seed: 7\nsuite,/m,
	     'the header has the settings of the model');
	my %last;
	$last{"$_->{boot} $_->{benchmark} $_->{config} $_->{strategy} $_->{execution}"} = $_->{metric} for @rows;
	is_deeply([ grep { $_ ne 'end' } values %last ], [], 'end is still the end');
	is((run("$bench model $dir/joined $dir/counts --boot 1 -o $dir/both"))[0], 0, 'then the other boot');
	is(scalar(() = slurp("$dir/both") =~ /^# (?:cache|cpus|who|what|begin|model_seed): /mg), 6, 'each setting is in the header once');
	is((run("$bench model $dir/m/raw.csv $dir/counts --boot 0 --miss L1d=10 --miss L2=200 -o $dir/cycles"))[0], 0, 'with penalties');
	like(slurp("$dir/cycles"), qr/^# miss: L1d=10,L2=200$/m, 'and these are in the header');
	my @cycles = grep { $_->{metric} eq 'model_cycles' } rows("$dir/cycles", 1);
	# Two CPUs: 500 instructions and no miss, or one of L1d, and as many of L2 as the phase's number.
	is(join(' ', map { $_->{value} } @cycles), join(' ', map { 1000 + 10 * 1 + 200 * 2 * $_ } 0 .. $n - 1), 'cycles are instructions and misses');
	my $damaged = $counts =~ s/^3,.*\n//mgr;
	my @bad = (
		[ "$dir/m/raw.csv $dir/counts", qr/raw\.csv: line \d+: results of several boots.*--boot/ ],
		[ "$dir/m/raw.csv $dir/counts --boot 7", qr/raw\.csv: no measurements of this boot/ ],
		[ "$dir/m/raw.csv $dir/counts --boot 0 --miss L3=7", qr/counts: no counts of L3, which --miss needs/ ],
		[ "$dir/joined $dir/counts --boot 0", qr/joined: line \d+: has L1d_accesses already/ ],
		[ "$dir/none $dir/counts", qr/none: No such file/ ], [ "$dir/m/raw.csv $dir/none", qr/none: No such file/ ],
		[ "$dir/counts $dir/counts --boot 0", qr/counts: no results of pagealloc bench/ ],
		[ "$dir/m/raw.csv $dir/m/raw.csv --boot 0", qr/raw\.csv: line \d+: not 'phase,/ ],
	);
	my $i = 0;
	my $more = join '', map { "$n,$_\n" } 'L1d,1,0,5,5', 'L2,2,0,5,5';
	for ([ $damaged, qr/its phase 3 is not in/ ],
	     [ $counts . $more, qr/the run was interrupted, and does not fit its counts/ ], [ $counts =~ s/\n\z//r, qr/line \d+: not whole/ ],
	     [ $head, qr/no counts/ ], [ '', qr/no counts/ ], [ "${head}0,L2,2,0,5,6\n", qr/line 2: no counts of a phase/ ],
	     [ "${head}0,L2,2,0,5\n", qr/line 2: no counts/ ], [ "${head}-1,L2,2,0,5,5\n", qr/line 2: no counts/ ],
	     [ "${head}0,L 2,2,0,5,5\n", qr/line 2: cache 'L 2': no metric can be named so/ ],
	     # Names that the oracle takes.
	     (map { [ "${head}0,L1,1,0,5,5\n0,$_,2,0,5,5\n", qr/line 3: cache '\Q$_\E': no metric can be named so \(letters, digits and _, at most 22\)/ ] }
	      'L2-data', 'L2.data', 'L' x 23),
	     [ $head . join('', map { "0,L$_,2,0,5,5\n" } 1 .. 17), qr/line 18: more than 16 caches/ ]) {
		spew("$dir/bad" . ++$i, $_->[0]);
		push @bad, [ "$dir/m/raw.csv $dir/bad$i --boot 0", $_->[1] ];
	}
	spew("$dir/short.csv", substr slurp("$dir/m/raw.csv"), 0, -5);
	spew("$dir/odd.csv", slurp("$dir/m/raw.csv") =~ s/^(s,fft.*),/$1;/mr);
	push @bad, [ "$dir/short.csv $dir/counts --boot 0", qr/short\.csv: line \d+: not whole/ ];
	push @bad, [ "$dir/odd.csv $dir/counts --boot 0", qr/odd\.csv: line \d+: not a row of results/ ];
	# Counts of two boots that were made with different settings, in one file of results.
	my %other = (cache => 'L2:1M', cpus => 4, who => 'all', what => 'all', begin => 'empty', seed => 8);
	for my $key (sort keys %other) {
		my $name = $key eq 'seed' ? 'model_seed' : $key;
		spew("$dir/other.$key", $counts =~ s/^(# $key: ).*/$1$other{$key}/mr);
		push @bad, [ "$dir/joined $dir/other.$key --boot 1", qr/joined: line \d+: $name is \S+, of \S+other\.$key it is $other{$key}/ ];
	}
	spew("$dir/other.none", $counts =~ s/^# begin: .*\n//mr);
	push @bad, [ "$dir/joined $dir/other.none --boot 1", qr/joined: line \d+: begin is keep, of \S+other\.none it is not known/ ];
	spew("$dir/old", slurp("$dir/joined") =~ s/^# begin: .*\n//mr);
	push @bad, [ "$dir/old $dir/counts --boot 1", qr/old: line \d+: has counts without begin, of \S+counts it is keep/ ];
	push @bad, [ "$dir/cycles $dir/counts --boot 1 --miss L2=9", qr/cycles: line \d+: miss is L1d=10,L2=200, of \S+ it is L2=9/ ];
	push @bad, [ "$dir/cycles $dir/counts --boot 1", qr/cycles: line \d+: miss is L1d=10,L2=200, of \S+ it is not known/ ];
	for (@bad) {
		my ($args, $message) = @$_;
		my ($status, undef, $err) = run("$bench model $args -o $dir/out");
		is($status, 1, "model $args: status 1") if $status != 1;
		like($err, qr/^pagealloc: [^\n]*$message[^\n]*\n$/, $message);
		ok(!glob("$dir/out*"), 'nothing is written');
	}
	# What was measured and counted cannot be made again.
	symlink 'm/raw.csv', "$dir/link";
	for my $output ("$dir/m/raw.csv", "$dir/counts", "$dir/m/../counts", "$dir/link") {
		my @before = map { slurp($_) } "$dir/m/raw.csv", "$dir/counts";
		($status, $text, $err) = run("$bench model $dir/m/raw.csv $dir/counts --boot 0 -o $output");
		is("$status$text$err", "1pagealloc: $output: is read, is not overwritten\n", "-o $output: refused");
		is_deeply([ map { slurp($_) } "$dir/m/raw.csv", "$dir/counts" ], \@before, 'and both are as they were');
	}
}

# Boots in files of their own: report and plot refuse those with other settings.
sub mixed {
	my ($n, $head) = (undef, "phase,cache,level,cpu,accesses,misses\n");
	my %setting = (cache => 'L2:256K', cpus => 1, who => 'traced', what => 'data', begin => 'keep', seed => 1);
	my $counts = sub {
		my (%s) = (%setting, @_);
		join('', map { defined $s{$_} ? "# $_: $s{$_}\n" : () } sort keys %s) . $head . join '', map { "$_,instructions,-,0,9,0\n$_,L2,2,0,5,1\n" } 0 .. $n - 1;
	};
	suite($fft, executions => 10, boots => 2);
	for my $boot (0, 1) {
		is((run("$bench run $dir/s.ini -o $dir/x$boot --boot $boot"))[0], 0, "boot $boot");
		$n = grep { $_->{metric} eq 'wall_time' } rows("$dir/x$boot/raw.csv", 1);
		spew("$dir/c$boot", $counts->());
		is((run("$bench model $dir/x$boot/raw.csv $dir/c$boot -o $dir/j$boot"))[0], 0, 'joined');
	}
	my ($status, $text, $err) = run("$bench report --metric L2_misses $dir/j0 $dir/j1");
	is("$status$err", '0', 'the same settings: a report') or diag $err;
	like($text, qr/^# who: traced\n# what: data\n# begin: keep\n# model_seed: 1\n/m, 'which says them');
	my %other = (cache => 'L2:1M', cpus => 4, who => 'all', what => 'all', begin => 'empty', seed => 2);
	my @bad = map { [ $_, '', $counts->($_ => $other{$_}), qr/j1:\d+: mixed: (?:model_)?$_ is $other{$_}, in \S+j0:\d+ it is $setting{$_}/ ],
			[ $_, '', $counts->($_ => undef), qr/j1: mixed: no line "# (?:model_)?$_: \.\.\.", in \S+j0:\d+ it is $setting{$_}/ ] } sort keys %other;
	push @bad, [ 'miss', '--miss L2=9', $counts->(), qr/j0: mixed: no line "# miss: \.\.\.", in \S+j1:\d+ it is L2=9/ ];
	for (@bad) {
		my ($key, $options, $with, $message) = @$_;
		spew("$dir/c1", $with);
		is((run("$bench model $dir/x1/raw.csv $dir/c1 $options -o $dir/j1"))[0], 0, "another $key");
		for my $command ('report --metric L2_misses', "plot misses -o $dir/out.png") {
			($status, $text, $err) = run("$bench $command $dir/j0 $dir/j1");
			is("$status$text", '1', "$command: refused, no number");
			like($err, qr/^pagealloc: [^\n]*$message\n\z/, 'names the file and the setting');
		}
	}
	# What begins with empty caches is a setting, too.
	my ($raw) = slurp("$dir/x1/raw.csv");
	like($raw, qr/^# caches fft: keep$/m, 'lines have a warm-up: the caches are kept');
	spew("$dir/x1/raw.csv", $raw =~ s/^# caches fft: keep$/# caches fft: empty/mr);
	($status, undef, $err) = run("$bench report $dir/x0 $dir/x1");
	like("$status$err", qr/^1pagealloc: \S+x1\/raw\.csv:\d+: mixed: caches fft is empty, in \S+ it is keep\n/, 'and is not mixed');
}

interleaving();
interruptions();
failures();
metrics_in_some();
early_answers();
lines();
strategy_files();
traced();
private_data();
programs();
options();
model();
mixed();
done_testing;
