# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# Runs programs whose accesses show a pattern on purpose (test-vms/guest/memprof/memprof_plant.c)
# under memprof record in a guest, and compares what memprof diagnose says.
package Plants;

use strict;
use warnings;
use Cwd qw(realpath);
use Exporter 'import';
use File::Copy qw(copy move);
use FindBin;
use lib "$FindBin::RealBin/../tests";
use VM;

# An emulated CPU takes long for a sample: perf would lower the rate.  The recorders leave
# its limits alone.  Once the share of time has no limit, the rate cannot be set.
our $no_limits = join "\n", 'echo 1000000 >/proc/sys/kernel/perf_event_max_sample_rate',
	'echo 0 >/proc/sys/kernel/perf_cpu_time_max_percent';

our @EXPORT = qw($no_limits stage run_plants read_run read_levels judge_plant in_guest);

my %want = (
	after => 'remote-after-allocation', wrong => 'wrong-node', tables => 'remote-after-allocation',
	alternate => 'alternate', read => 'concurrent-read', write => 'concurrent-write',
	saturate => 'saturated-node', false => 'false-sharing', split => 'process-split',
	partition => 'partitioned', control => '', 'shared-control' => '',
);
my %fix = (
	after => 'allocate-on-node', wrong => 'allocate-on-node', tables => 'allocate-on-node',
	alternate => 'migrate', read => 'replicate', write => 'pin-threads', saturate => 'interleave',
	false => 'pad', split => 'pin-process', partition => 'first-touch',
);

# What the guest runs goes where it can be seen: its /tmp is its own.
sub stage {
	mkdir "$share/$_" for qw(bin lib);
	# Also to users without privileges.
	chmod 0755, $share;
	my @programs = ("$build/bin/memprof", map { "$build/guest/memprof/memprof_$_" }
			qw(plant plant_cxx truth static judge cost cases share storm gaps many allocations allocations_static));
	for (@programs, "$build/lib/libmemprof-preload.so", "$build/guest/memprof/libfollow.so") {
		my ($name) = m{([^/]+)$};
		my $to = "$share/" . ($name =~ /\.so/ ? 'lib' : 'bin') . "/$name";
		copy($_, $to) or die "$_: $!";
		chmod 0755, $to;
	}
}

# The kernel has measured the TSC only a second after it began, and takes it for its clock then.
my $wait = 'for i in $(seq 100); do ' .
	'grep -qx tsc /sys/devices/system/clocksource/clocksource0/current_clocksource && break; sleep 0.1; done';

# Instructions are time: CPUs really run at once, and runs are the same on any host.
sub in_guest {
	my ($script, %o) = @_;
	my $name = "script.$$.sh";
	# Of swmem's timers: without an HPET, they need not be a tick's.
	my $timers = ($o{source} // '') eq 'swmem' ? 'hpet=disable ' : '';
	open my $f, '>', "$share/$name" or die;
	print $f "cd /tmp\nexport PATH=/share/bin:\$PATH\n$wait\n$no_limits\n$script";
	close $f;
	return vm('--qemu', 'ibs', '--smp', $o{smp} // 4, '--numa', $o{nodes} // 2, '--timeout', $o{timeout} // 900,
		  @{$o{options} // []}, '--accel', 'icount', '--ibs', $o{ibs} // 'slice=20000,hit-l1=0,hit-l2=0,hit-l3=0',
		  # Else the clock is a system call.
		  '--append', "${timers}tsc=reliable clocksource=tsc", '--root', 'host', '--share', $share, '--', 'sh', "/share/$name");
}

# A line of CSV, as table.c writes it.
sub fields {
	my ($line) = @_;
	my @f;
	while ($line =~ /\G(?:"((?:[^"]|"")*)"|([^,"]*))(,|$)/g) {
		push @f, defined $1 ? $1 =~ s/""/"/gr : $2;
		last if $3 eq '';
	}
	return @f;
}

# The files of the guest, for memprof to find symbols in: its own, and the host's.
sub guest_files {
	my $root = "$share/files";
	return $root if -d $root;
	mkdir $root;
	symlink $share, "$root/share";
	# Where programs are unpacked, too.
	my ($top) = (realpath($build) // '') =~ m{^/([^/]+)};
	symlink "/$_", "$root/$_" for grep { defined } qw(usr lib lib64), $top;
	return $root;
}

# What memprof says of a recording.
sub read_run {
	my ($run, $path) = @_;
	my @symbols = ('--symfs', guest_files());
	my @names;
	$run->{findings} = [];
	for (`$build/bin/memprof report summary $path -f csv @symbols`) {
		$run->{remote} = $1 if /^"?remote, of these"?,([\d.]+)/;
		$run->{accesses} = $1 if /^accesses,(\d+)/;
		$run->{lost} += $2 if /^(samples lost|times throttled|events of objects lost|"?records of tasks lost"?),(\d+)/;
	}
	for (`$build/bin/memprof diagnose $path -f csv @symbols`) {
		chomp;
		if (/^pattern,fix,/) {
			@names = split /,/;
		} elsif (@names && /^[a-z-]+,[a-z-]+,/) {
			my %f;
			@f{@names} = fields($_);
			push @{$run->{findings}}, \%f;
		}
	}
	return $run;
}

# Where loads find their data: as it is first, then with each fix.
sub read_levels {
	my ($path) = @_;
	my ($header, @lines) = `$build/bin/memprof diagnose --levels $path -f csv --symfs @{[guest_files()]}`;
	my @names = split /,/, $header // '';
	chomp @names;
	return [ map { chomp; my %row; @row{@names} = fields($_); \%row } @lines ];
}

# [pattern, seed]...: each as it is, and with the fix.  The guest records, the host reads.
# source => 'swmem': samples of it, instead of IBS.
# keep => DIR: recordings stay there, and those that are there are not made again; only => 1:
# nor are others.
sub run_plants {
	my ($plants, %o) = @_;
	# Shorter ones are not even: the way out of the interrupt is counted, too, and it is
	# not as long on each CPU.
	my $source = $o{source} // 'ibs';
	# Of swmem: ns, of instructions of one each.
	my $period = $source eq 'swmem' ? 20000 : $o{period} // 2048;
	# Its interrupts are rarer than asked for: a CPU that sends one waits for its turn.
	my $rounds = $source eq 'swmem' ? 6000000 : $o{rounds} // 1500000;
	my $script = '';
	my (@runs, @missing);
	my $keep = $o{keep} // $share;
	my $vm = { status => 0, out => '', err => '' };

	for (@$plants) {
		my ($pattern, $seed) = @$_;
		for my $f ($o{fixes} // 1 ? ('', 'fix') : '') {
			my $name = "$pattern.$seed" . ($f && ".$f") . '.data';
			push @runs, { pattern => $pattern, seed => $seed, fixed => !!$f, name => $name };
			next if $o{keep} && -e "$keep/$name";
			push @missing, $name;
			# The recorder has the first CPU, where no plant has threads: it does not keep
			# them from being at once, and they all begin on one node.
			$script .= "taskset -c 0 memprof record -s $source -c $period -o d -- memprof_plant $pattern $seed $f $rounds >t 2>e || cat t e >&2\n" .
				"cp d /share/$name && rm d\n";
		}
	}
	$vm = in_guest($script, %o) if @missing && !$o{only};
	if ($o{keep}) {
		-e "$share/$_" and move("$share/$_", "$keep/$_") for @missing;
	}
	return ($vm, map { -e "$keep/$_->{name}" ? read_run($_, "$keep/$_->{name}") : () } @runs);
}

# A run as it is: (found, fix right, false alarms, the finding).
sub judge_plant {
	my ($run) = @_;
	my $want = $want{$run->{pattern}};
	my ($found, $false) = (undef, 0);
	for (@{$run->{findings}}) {
		next if $_->{fix} eq 'none' || $_->{type} !~ /dynamic|process|static/;
		my $planted = $_->{type} eq 'process' ||
			$_->{site} =~ ($run->{pattern} eq 'false' ? qr/^(?:main|plant|objects)\b|memprof_plant\.c/ : qr/^planted\b/);
		if ($want && $planted && $_->{pattern} eq $want) {
			$found //= $_;
		} elsif (!($run->{pattern} eq 'split' && $_->{site} =~ /^pool_/)) {
			$false++;
		}
	}
	return ($found, $found && $found->{fix} eq $fix{$run->{pattern}}, $false);
}

1;
