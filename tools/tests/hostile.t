#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# Where a user, a script or a service runs the readers: with limits of descriptors, memory,
# file sizes and processes, in any language, without a home or a place for temporary files, with
# standard output closed, full, or gone before the end, two at once, into folders that
# cannot be written, and with files that end anywhere.  A reader does what it does
# elsewhere, or says why not: status 1, a message, and no file left.
# HOSTILE=PATTERN: only conditions that match.
use strict;
use warnings;
use File::Path qw(make_path remove_tree);
use FindBin;
use lib $FindBin::RealBin;
use Readers;
use Test::More;
use Tool;

my $bin = "$build/bin";
my $only = $ENV{HOSTILE} // '.';
make_recordings();
# Of a tool's views, one: all are printed alike.
my %seen;
my @commands = grep { !/^(\S+ report \S+)/ || / -(?:f|o) / || !$seen{(split ' ', $1)[0]}++ } readers();
push @commands, "memprof import $dir/samples.csv -o OUT/import.data",
		"memprof diff $dir/memprof.data $dir/memprof.data";
spew("$dir/samples.csv", "time,pid,tid,cpu,address,latency\n" . join '', map { "$_,1,1,0,0x100$_,20\n" } 100 .. 999);
delete $ENV{DISPLAY};
$ENV{TMPDIR} = "$dir/tmp";
make_path("$dir/tmp");
chmod 0777, "$dir/tmp", $dir;

# Runs it as TEMPLATE says, in which CMD is the command.  Status, output, messages, files.
sub attempt {
	my ($command, $template, $out) = @_;
	$out //= "$dir/out";
	remove_tree($out);
	make_path($out);
	chmod 0777, $out;
	$command =~ s/OUT/$out/g;
	my $line = $template =~ s/CMD/$bin\/$command/r;
	spew("$dir/line", $line);
	my $status = system("timeout -s KILL 60 bash $dir/line >$dir/stdout 2>$dir/stderr </dev/null");
	$status = $? & 127 ? 128 + ($? & 127) : $? >> 8;
	my @files = map { s/^\Q$out\E\///r } grep { -f } glob "$out/*";
	my $text = join '', slurp("$dir/stdout") // '', map { "\n$_:\n" . slurp("$out/$_") } @files;
	$text =~ s/\Q$out\E/OUT/g;
	return { status => $status, text => $text, err => slurp("$dir/stderr") // '', files => "@files",
		 left => join ' ', glob "$dir/tmp/*" };
}

# Some outputs have the time that they were made at in them, a recording in binary.
sub same {
	my ($x, $y) = map { /^\n?\S*:?\n?MEMPROF/ ? length : s/\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d)?//gr } @_;
	return $x eq $y;
}

my %undisturbed;
for my $command (@commands) {
	my $r = $undisturbed{$command} = attempt($command, 'CMD');
	is($r->{status}, 0, $command =~ s/\Q$dir\E\///gr) or diag $r->{err};
}

# What is wrong with how a command ended; '' if nothing is.
sub verdict {
	my ($r, $command, %may) = @_;
	my ($program) = $command =~ /^(\S+)/;
	return "status $r->{status}" if $r->{status} > 1 && !$may{status}{$r->{status}};
	return "left $r->{left}" if length $r->{left};
	if (!$r->{status}) {
		return 'status 0' if $may{fails};
		return '' if $may{any_output} || same($r->{text}, $undisturbed{$command}{text});
		return 'status 0, and another output';
	}
	return '' if $may{status}{$r->{status}};
	return 'no message' if !$may{silent} && $r->{err} !~ /^\Q$program\E: \S/m && $r->{err} !~ /error while loading|cannot allocate memory/;
	return "left $r->{files}" if length $r->{files};
	return 'status 1' if $may{must};
	return '';
}

# condition NAME, TEMPLATE, what it may do: all commands.
sub condition {
	my ($name, $template, %may) = @_;
	return if $name !~ /$only/;
	my @wrong;
	for my $command (@commands) {
		next if $may{of} && $command !~ $may{of};
		my $r = attempt($may{to_stdout} ? $command =~ s/ OUT\S*/ -/r : $command, $template);
		my $is = verdict($r, $command, %may);
		push @wrong, ($command =~ s/\Q$dir\E\///gr) . ": $is\n    " . join("\n    ", (split /\n/, $r->{err})[0 .. 1] // ()) . "\n" if $is;
		remove_tree("$dir/tmp", { keep_root => 1 });
	}
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	is(join('', @wrong), '', $name);
}

no warnings 'uninitialized';
# With three, no library can be loaded.
condition("$_ descriptors", "ulimit -n $_; exec CMD") for 4, 5, 6, 8, 10;
condition("$_ KiB of memory", "ulimit -v $_; exec CMD") for 40000, 80000, 160000;
# Here messages go to a file, too.
condition("files of $_ KiB", "ulimit -f $_; exec CMD", silent => !$_) for 0, 4;
condition('one process', "exec setpriv --reuid 65534 --clear-groups bash -c 'ulimit -u 1; exec CMD'");
condition("LC_ALL=$_", "LC_ALL=$_ LANG=$_ exec CMD", must => 1) for qw(C de_DE.UTF-8 tr_TR no_SUCH);
condition('no home', 'unset HOME; exec CMD', must => 1);
condition('a home that is not there', 'HOME=/nowhere exec CMD', must => 1);
condition('no folder for temporary files', 'TMPDIR=/nowhere exec CMD');
condition('standard output closed', 'exec CMD >&-', must => 1, of => qr/ OUT/);
condition('standard output closed, of what is written there', 'exec CMD >&-', fails => 1, of => qr/^(?!.* OUT)/);
condition('standard error closed', 'exec CMD 2>&-', must => 1, silent => 1);
condition('a full disk for standard output', 'exec CMD >/dev/full', fails => 1, of => qr/^(?!.* OUT)/);
# A picture needs a name, by which it is PNG or SVG.
# So do files that are written at two of their places.
my $file = qr/ plot |^memprof (?:import|export .*--to perf)|--to (?:pcp|perfdata)/;
my $named = qr/^(?!.*$file).* OUT/;
condition('a full disk for standard output that is named -', 'exec CMD >/dev/full', fails => 1, to_stdout => 1, of => $named);
condition('standard output named -, of what needs a file', 'exec CMD', fails => 1, to_stdout => 1, of => qr/^(?=.*$file).* OUT/,
	  status => { 2 => 1 });
# The shell's own status is that of the command.
condition('a pipe that is closed early, named -', 'set -o pipefail; CMD | head -c 1 >/dev/null', any_output => 1,
	  to_stdout => 1, of => $named, status => { 141 => 1 });
condition('a pipe that is closed early', 'set -o pipefail; CMD | head -c 1 >/dev/null', any_output => 1, status => { 141 => 1 });

# Two at once: the output is that of one of them.
if ('two at once' =~ /$only/) {
	my @wrong;
	for my $command (grep { / OUT/ } @commands) {
		my $r = attempt($command, "CMD & " . "$bin/" . ($command =~ s/OUT/$dir\/out/gr) . "; s=\$?; wait \$! && exit \$s");
		my $is = verdict($r, $command, must => 1);
		push @wrong, ($command =~ s/\Q$dir\E\///gr) . ": $is: $r->{err}\n" if $is;
	}
	is(join('', @wrong), '', 'two at once into one file');
}

# Folders that cannot be written, and names that are folders.
for my $folder ('/proc', "$dir/nowhere", "$dir/memref.dat") {
	next if "into $folder" !~ /$only/;
	my @wrong;
	for my $command (grep { / OUT/ } @commands) {
		my $r = attempt($command =~ s/OUT/$folder/r, 'exec CMD');
		my ($program) = $command =~ /^(\S+)/;
		push @wrong, ($command =~ s/\Q$dir\E\///gr) . ": status $r->{status}: $r->{err}\n"
			if $r->{status} != 1 || $r->{err} !~ /^$program: .*\Q$folder\E/m || length $r->{left};
	}
	is(join('', @wrong), '', 'into ' . ($folder =~ s/\Q$dir\E/DIR/r));
}

done_testing();
