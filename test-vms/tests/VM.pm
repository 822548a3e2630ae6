# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# What the VM tests share: running test-vms/run and keeping what it printed.
package VM;

use strict;
use warnings;
use Exporter 'import';
use File::Temp 'tempdir';
use File::Basename;
use Test::More ();

our @EXPORT = qw($build $kernel_dir $share $sample_ns vm vm_threads vm_start vm_finish intervals_program slurp sanitized done_testing);

our $run = dirname(__FILE__) . "/../run";
our $build = $ENV{MEMSCOPE_BUILD} // dirname(__FILE__) . "/../../build";
# Where the kernel that is tested was built.
our $kernel_dir = "$build/kernel-" . ($ENV{MEMSCOPE_KERNEL} // 'vm');
# Between samples of swmem: on PREEMPT_RT an emulated CPU has no time left for more.
our $sample_ns = ($ENV{MEMSCOPE_KERNEL} // 'vm') eq 'rt' ? 100000 : 20000;
our $share = tempdir('memscope-test.XXXXXX', TMPDIR => 1, CLEANUP => !$ENV{MEMSCOPE_KEEP});
my $count = 0;

sub slurp {
	my ($path) = @_;
	open my $f, '<:raw', $path or return undef;
	local $/;
	return <$f>;
}

# Recordings of guests are also read by the sanitizers' builds: test-vms/run has that done.
(my $program = $0) =~ s{^.*/|\.\w+$}{}g;
$program .= "-$ENV{MEMSCOPE_KERNEL}" if ($ENV{MEMSCOPE_KERNEL} // 'vm') ne 'vm';
$program = "bench-$program" if $0 =~ m{bench/[^/]*$};
our $tally = "$build/log/recordings/$program";
my $owner = $$;
unlink $tally, "$tally.reports";

# Of this program: recordings that were read, reports of the sanitizers, and what these say.
sub sanitized {
	my @lines = split /\n/, slurp($tally) // '';
	my ($recordings, $reports) = (0, 0);
	for (@lines) {
		my ($n, $r) = split;
		$recordings += $n;
		$reports += $r;
	}
	return ($recordings, $reports, slurp("$tally.reports") // '');
}

# Instead of Test::More's.
sub done_testing {
	my ($recordings, $reports, $text) = sanitized();
	Test::More::is($reports, 0, "$recordings recordings read under sanitizers: no report")
		or Test::More::diag(substr $text, 0, 8000) if -e $tally;
	return Test::More::done_testing();
}

END {
	# A program that uses Test::More's would pass with reports.
	if ($$ == $owner && !$?) {
		my (undef, $reports) = sanitized();
		$? = 1 if $reports;
	}
}

# Makes $share/intervals N, for guests that record with memref: it waits until N intervals have
# ended, however long that takes on a busy host.
sub intervals_program {
	open my $f, '>', "$share/intervals" or die "$share/intervals: $!";
	print $f "#!/bin/sh\n", <<'EOF';
seq=/sys/kernel/tracing/memref/seq
# There is no number before the first interval has begun.
until first=$(cat $seq 2>/dev/null); do sleep 0.05; done
until [ $(($(cat $seq) - first)) -ge $1 ]; do sleep 0.05; done
EOF
	close $f or die "$share/intervals: $!";
	chmod 0755, "$share/intervals";
}

# Starts test-vms/run with these arguments.
sub vm_start {
	my @args = @_;
	# A test may fork: each has files of its own.
	my $vm = { out => "$share/.out$$." . ++$count, err => "$share/.err$$.$count" };
	$vm->{pid} = fork() // die "fork: $!";
	if (!$vm->{pid}) {
		# A shell that puts us in the background ignores it for us.
		$SIG{INT} = 'DEFAULT';
		open STDIN, '<', '/dev/null';
		open STDOUT, '>', $vm->{out};
		open STDERR, '>', $vm->{err};
		$ENV{MEMSCOPE_READ} //= $program;
		exec $run, @args;
		exit 126;
	}
	return $vm;
}

# Waits for it: status, out, err.
sub vm_finish {
	my ($vm) = @_;
	waitpid $vm->{pid}, 0;
	$vm->{status} = $? & 127 ? 128 + ($? & 127) : $? >> 8;
	$vm->{$_} = slurp($vm->{$_}) for qw(out err);
	return $vm;
}

sub vm { return vm_finish(vm_start(@_)) }

# The same with a host thread for each CPU.
sub vm_threads { return vm('--accel', 'mttcg', @_) }

1;
