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
use IO::Handle;
use lib $FindBin::RealBin;
use POSIX ();
use Readers;
use Test::More;
use Tool;

my $bin = "$build/tools-sanitize/faults";
-x "$bin/memref" or plan skip_all => 'the programs were not built with the sanitizers (make -C tools check)';

# Instead of gnuplot, which is not tested here and takes long: "gnuplot -e COMMANDS SCRIPT".
spew("$dir/bin/gnuplot", <<'END');
#!/bin/sh
out=${2##*out=\'}
echo '<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>' >"${out%%\'*}"
END
chmod 0755, "$dir/bin/gnuplot" or die;
$ENV{PATH} = "$dir/bin:$ENV{PATH}";

make_recordings();
my @commands = readers();
my $only = $ENV{FAULTS} // '.';
@commands = grep { /$only/ } @commands;

$ENV{ASAN_OPTIONS} = 'exitcode=66:allocator_may_return_null=1';
$ENV{UBSAN_OPTIONS} = 'halt_on_error=1:exitcode=66';
delete $ENV{DISPLAY};

# The program of a command, which goes on from before main() as often as it is asked to.
sub start_server {
	my ($command, $number) = @_;
	my ($program, $rest) = $command =~ /^(\S+) (.*)/;
	$rest =~ s/OUT/$dir\/run.$number/g;
	pipe my $lines, my $to or die "pipe: $!";
	pipe my $from, my $answers or die "pipe: $!";
	my $pid = fork // die "fork: $!";
	if (!$pid) {
		POSIX::dup2(fileno $lines, 0) // die;
		# No descriptor that is there.
		POSIX::dup2(fileno $answers, 99) // die;
		$ENV{FAIL_SERVER} = 99;
		$ENV{TMPDIR} = "$dir/tmp.$number";
		exec "exec $bin/$program $rest" or POSIX::_exit(127);
	}
	$to->autoflush;
	return { command => $command, pid => $pid, to => $to, from => $from };
}

sub end_server {
	my ($server) = @_;
	close $server->{to};
	waitpid $server->{pid}, 0;
}

# Status, what was printed and written, messages, files.
sub attempt {
	my ($server, $number, $place) = @_;
	my ($out, $tmp) = ("$dir/run.$number", "$dir/tmp.$number");
	for ($out, $tmp) {
		remove_tree($_);
		make_path($_);
	}
	print { $server->{to} } "$place $dir/stdout.$number $dir/stderr.$number\n";
	my $status = readline $server->{from};
	chomp($status //= 125);
	my @files = map { s/^\Q$out\E\///r } grep { -f } glob "$out/*";
	my $text = join '', slurp("$dir/stdout.$number"), map { "\n$_:\n" . slurp("$out/$_") } @files;
	$text =~ s/\Q$out\E/OUT/g;
	my @left = glob "$tmp/*";
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
	local $ENV{FAIL_LIST} = $list;
	my $server = start_server($command, 'first');
	# No place is 0.
	my $undisturbed = attempt($server, 'first', 0);
	end_server($server);
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
	my $server;
	for (my $i = $job - 1; $i < @faults; $i += $jobs) {
		my ($command, $place, $function, $undisturbed, @callers) = @{$faults[$i]};
		my ($program) = $command =~ /^(\S+)/;
		if (!$server || $server->{command} ne $command) {
			end_server($server) if $server;
			$server = start_server($command, $job);
		}
		my $r = attempt($server, $job, $place);
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
	end_server($server) if $server;
	close $f or die;
	# Not by exit(): the directory is the parent's.
	POSIX::_exit(0);
}
waitpid $_, 0 for @pids;
my $wrong = join '', map { slurp("$dir/verdicts.$_") // "job $_ did not end\n" } 1 .. $jobs;
my $n = () = $wrong =~ /^\S/mg;
cmp_ok(scalar @faults, '>', 10 * @commands, 'places: ' . @faults) if $only eq '.';
is($n, 0, 'what fails is said, and nothing is left of it') or diag $wrong;
done_testing();
