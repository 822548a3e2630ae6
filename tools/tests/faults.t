#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# What fails once, fails in a way that can be seen: each place at which the programs ask for
# memory, open, write, map, fork or dup (made/faults/fail.c), in reports, pages, plots,
# exports, comparisons and scripts of all four tools, built with the sanitizers.  Either a
# message and status 1, with no file left, or what is printed undisturbed; no report of the
# sanitizers, no leak.  FAULTS=PATTERN: only commands that match.
use strict;
use warnings;
no warnings 'portable';
use File::Path qw(make_path remove_tree);
use FindBin;
use lib $FindBin::RealBin;
use Readers;
use Test::More;
use Tool;

my $bin = "$build/tools-sanitize/faults";
-x "$bin/memref" or plan skip_all => 'the programs were not built with the sanitizers (make -C tools check)';

make_recordings();
my @commands = readers();
my $only = $ENV{FAULTS} // '.';
@commands = grep { /$only/ } @commands;

$ENV{ASAN_OPTIONS} = 'exitcode=66:allocator_may_return_null=1';
$ENV{UBSAN_OPTIONS} = 'halt_on_error=1:exitcode=66';
delete $ENV{DISPLAY};

# Status, what was printed and written, messages, files.
sub attempt {
	my ($command, $number, %env) = @_;
	my $out = "$dir/run.$number";
	remove_tree($out);
	make_path($out);
	local @ENV{keys %env} = values %env;
	local $ENV{TMPDIR} = "$dir/tmp.$number";
	make_path($ENV{TMPDIR});
	my ($program, $rest) = $command =~ /^(\S+) (.*)/;
	$rest =~ s/OUT/$out/g;
	system("timeout -s KILL 60 $bin/$program $rest >$dir/stdout.$number 2>$dir/stderr.$number </dev/null");
	my $status = $? & 127 ? 128 + ($? & 127) : $? >> 8;
	my @files = map { s/^\Q$out\E\///r } grep { -f } glob "$out/*";
	my $text = join '', slurp("$dir/stdout.$number"), map { "\n$_:\n" . slurp("$out/$_") } @files;
	$text =~ s/\Q$out\E/OUT/g;
	my @left = glob "$ENV{TMPDIR}/*";
	remove_tree($ENV{TMPDIR});
	return { status => $status, text => $text, err => scalar slurp("$dir/stderr.$number"), files => "@files", left => "@left" };
}

# What is wrong with how a command ended; '' if nothing is.
sub verdict {
	my ($r, $undisturbed, $program) = @_;
	return "a report of the sanitizers" if $r->{err} =~ /Sanitizer|runtime error:/;
	return "status $r->{status}" if $r->{status} > 1;
	return "left $r->{left}" if length $r->{left};
	return $r->{text} eq $undisturbed->{text} ? '' : 'status 0, and another output' if !$r->{status};
	return 'no message' if $r->{err} !~ /^\Q$program\E: \S/m;
	return "left $r->{files}" if length $r->{files};
	return '';
}

# --- each place once ----------------------------------------------------------------
my (%seen, @faults);
for my $command (@commands) {
	# Of a verb: what one does with a failure, another one need not do.
	my ($verb) = $command =~ /^(\S+ \S+)/;
	my $list = "$dir/list";
	unlink $list;
	my $undisturbed = attempt($command, 'first', FAIL_LIST => $list);
	is($undisturbed->{status}, 0, $command =~ s/\Q$dir\E\///gr) or diag $undisturbed->{err};
	for (split /\n/, slurp($list) // '') {
		my ($place, $function, @callers) = split ' ';
		push @faults, [ $command, $place, $function, $undisturbed, @callers ] if !$seen{"$verb $place"}++;
	}
}
chomp(my $jobs = `nproc`);
my @pids;
for my $job (1 .. $jobs) {
	my $pid = fork() // die "fork: $!";
	if ($pid) {
		push @pids, $pid;
		next;
	}
	open my $f, '>', "$dir/verdicts.$job" or die;
	for (my $i = $job - 1; $i < @faults; $i += $jobs) {
		my ($command, $place, $function, $undisturbed, @callers) = @{$faults[$i]};
		my ($program) = $command =~ /^(\S+)/;
		my $r = attempt($command, $job, FAIL_AT => $place);
		my $wrong = verdict($r, $undisturbed, $program);
		next if !$wrong;
		my $short = $command =~ s/\Q$dir\E\///gr;
		my @where = grep { $_ } map { hex } @callers;
		# Of a call, not of what follows it.
		my @lines = `addr2line -s -e $bin/$program @{[map { sprintf '%x', $_ - 1 } @where]}`;
		print $f "$short: $function, FAIL_AT=$place: $wrong\n", map { "    in $_" } @lines;
		@lines = grep { /^\s+#\d+ .*\/tools\/|ERROR|runtime error|^\w+: / } split /^/, $r->{err};
		print $f map { "    $_" } @lines[0 .. ($#lines < 7 ? $#lines : 7)];
	}
	close $f or die;
	# Not by exit(): the directory is the parent's.
	require POSIX;
	POSIX::_exit(0);
}
waitpid $_, 0 for @pids;
my $wrong = join '', map { slurp("$dir/verdicts.$_") // "job $_ did not end\n" } 1 .. $jobs;
my $n = () = $wrong =~ /^\S/mg;
cmp_ok(scalar @faults, '>', 10 * @commands, 'places: ' . @faults) if $only eq '.';
is($n, 0, 'what fails is said, and nothing is left of it') or diag $wrong;
done_testing();
