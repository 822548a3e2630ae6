# SPDX-License-Identifier: GPL-2.0
# Runs programs whose accesses show a pattern on purpose (tools/tests/memprof_plant.c)
# under memprof record in a guest, and compares what memprof diagnose says.
package Plants;

use strict;
use warnings;
use Exporter 'import';
use File::Copy 'copy';
use FindBin;
use lib "$FindBin::RealBin/../tests";
use VM;

our @EXPORT = qw(stage run_plants judge_plant in_guest);

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
	my @programs = ("$build/bin/memprof", map { "$build/tools/tests/memprof_$_" }
			qw(plant truth judge cost));
	for (@programs, "$build/lib/libmemprof-preload.so") {
		my ($name) = m{([^/]+)$};
		my $to = "$share/" . ($name =~ /\.so/ ? 'lib' : 'bin') . "/$name";
		copy($_, $to) or die "$_: $!";
		chmod 0755, $to;
	}
}

# Instructions are time: CPUs really run at once, and runs are the same on any host.
sub in_guest {
	my ($script, %o) = @_;
	my $name = "script.$$.sh";
	open my $f, '>', "$share/$name" or die;
	print $f "cd /tmp\nexport PATH=/share/bin:\$PATH\n$script";
	close $f;
	return vm('--qemu', 'ibs', '--smp', $o{smp} // 4, '--numa', $o{nodes} // 2, '--timeout', $o{timeout} // 900,
		  '--accel', 'icount', '--ibs', $o{ibs} // 'slice=20000,hit-l1=0,hit-l2=0,hit-l3=0',
		  # Else the clock is a system call.
		  '--append', 'tsc=reliable clocksource=tsc', '--root', 'host', '--share', $share, '--', 'sh', "/share/$name");
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

# [pattern, seed]...: each as it is, and with the fix.
sub run_plants {
	my ($plants, %o) = @_;
	# Shorter ones are not even: the way out of the interrupt is counted, too, and it is
	# not as long on each CPU.
	my $period = $o{period} // 2048;
	my $rounds = $o{rounds} // 1500000;
	my $script = '';
	# The recorder has the first CPU, where no plant has threads: it does not keep them
	# from being at once, and they all begin on one node.
	for (@$plants) {
		my ($pattern, $seed) = @$_;
		for my $f ($o{fixes} // 1 ? ('', 'fix') : '') {
			$script .= "echo '== $pattern $seed $f'\n" .
				"taskset -c 0 memprof record -c $period -o d -- memprof_plant $pattern $seed $f $rounds >t 2>e || cat t e\n" .
				"memprof report summary d -F csv | grep -E 'remote, of these|lost|throttled'\n" .
				"memprof diagnose d -F csv\n";
		}
	}
	my $vm = in_guest($script, %o);
	my (@runs, @names);
	for (split /\n/, $vm->{out}) {
		if (/^== (\S+) (\S+) ?(\S*)/) {
			push @runs, { pattern => $1, seed => $2, fixed => $3 eq 'fix', findings => [] };
		} elsif (/^"?remote, of these"?,([\d.]+)/) {
			$runs[-1]{remote} = $1;
		} elsif (/^pattern,fix,/) {
			@names = split /,/;
		} elsif (/^(samples lost|times throttled|events of objects lost|"?records of tasks lost"?),(\d+)/) {
			$runs[-1]{lost} += $2;
		} elsif (@names && @runs && /^[a-z-]+,[a-z-]+,/) {
			my %f;
			@f{@names} = fields($_);
			push @{$runs[-1]{findings}}, \%f;
		}
	}
	return ($vm, @runs);
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
