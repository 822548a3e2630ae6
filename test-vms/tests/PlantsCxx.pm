# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# Programs in C++ with up to three patterns each, of objects that are allocated in different ways
# (test-vms/guest/memprof/memprof_plant_cxx.cc): recorded as they are, with all fixes, and with
# one of several.
package PlantsCxx;

use strict;
use warnings;
use Exporter 'import';
use Plants;
use VM;

our @EXPORT = qw(cxx_groups run_cxx judge_cxx);

my %want = (
	after => [qw(remote-after-allocation allocate-on-node)], wrong => [qw(wrong-node allocate-on-node)],
	tables => [qw(remote-after-allocation allocate-on-node)], alternate => [qw(alternate migrate)],
	read => [qw(concurrent-read replicate)], write => [qw(concurrent-write pin-threads)],
	partition => [qw(partitioned first-touch)], pooled => [qw(partitioned first-touch)],
	false => [qw(false-sharing pad)], saturate => [qw(saturated-node interleave)],
);
# They take a guest, or a period, of their own.
my %alone = map { $_ => 1 } qw(false saturate);

sub shuffled {
	my %rank = map { $_ => rand } @_;
	return sort { $rank{$a} <=> $rank{$b} || $a cmp $b } @_;
}

# Of 25 seeds, 15 have two or three patterns, 7 have one, 3 none.  Return: [pattern, way]...
sub cxx_program {
	my ($seed) = @_;
	my $class = $seed % 25;
	# drand48's first numbers of neighbors are alike.
	srand 7919 * $seed + 1;
	my @kinds = shuffled(qw(after wrong tables alternate read write partition pooled));
	my @ways = shuffled(qw(new wrapper safe class vector buffer pool));
	@kinds = $class < 15 ? @kinds[0 .. 1 + $class % 2] : $class < 17 ? $kinds[0] :
		 $class < 20 ? 'false' : $class < 22 ? 'saturate' : $class < 24 ? 'control' : 'shared-control';
	# The pool that is divided has its site to itself.
	@ways = grep { $_ ne 'pool' } @ways if grep { $_ eq 'pooled' } @kinds;
	return map { [ $_, $_ eq 'pooled' ? 'pool' : shift @ways ] } @kinds;
}

# Each program as it is, with all fixes, and with one: { seed, fix (a number, 'all' or ''), plants, name }.
sub runs_of {
	my ($seed) = @_;
	my @plants = cxx_program($seed);
	my @fixes = $plants[0][0] =~ /control/ ? '' : ('', 'all', @plants > 1 ? $seed % @plants : ());
	return map { { seed => $seed, fix => $_, plants => \@plants, name => "cxx.$seed" . ($_ ne '' && ".fix-$_") . '.data' } } @fixes;
}

# Seeds whose programs may be in one guest.  Recordings are kept in keep => DIR, and only made
# if they are not there.
sub run_cxx {
	my ($seeds, %o) = @_;
	my @runs = map { runs_of($_) } @$seeds;
	my @missing = grep { !-e "$o{keep}/$_->{name}" } @runs;
	my $script = '';
	my $vm = { status => 0, out => '', err => '' };

	for my $run (@missing) {
		my @arguments = map {
			my ($kind, $way) = @{$run->{plants}[$_]};
			"$kind:$way" . ($run->{fix} eq 'all' || $run->{fix} eq "$_" ? ':fix' : '')
		} 0 .. $#{$run->{plants}};
		my $false = $run->{plants}[0][0] eq 'false';
		# An interrupt's way out counts for the period that follows, and is not as long on each CPU: of
		# 2,048 ops it moved shares of threads by points.
		my ($period, $rounds) = $false ? (8192, 6000000) : (4096, 1600000 + 1600000 * @arguments);
		# The names of a program's own wrappers are its user's to give.
		$script .= "taskset -c 0 memprof record -c $period --wrapper 'memory::*' -o d -- " .
			"memprof_plant_cxx $run->{seed} $rounds @arguments >t 2>e || cat t e >&2\n" .
			"cp d /share/$run->{name} && rm d\n";
	}
	$vm = in_guest($script, %o) if @missing && !$o{only};
	-e "$share/$_->{name}" and system('mv', "$share/$_->{name}", "$o{keep}/$_->{name}") for @missing;
	return ($vm, map { -e "$o{keep}/$_->{name}" ? Plants::read_run($_, "$o{keep}/$_->{name}") : () } @runs);
}

# The options of a guest for programs: those that are saturated take a model of load.
sub cxx_groups {
	my ($size, @seeds) = @_;
	my (%of, @groups);

	for (@seeds) {
		my ($kind) = map { $_->[0] } cxx_program($_);
		push @{$of{$alone{$kind} ? $kind : ''}}, $_;
	}
	for my $kind (sort keys %of) {
		my %o = $kind eq 'saturate' ?
			(ibs => 'slice=20000,model=load,hit-l1=0,hit-l2=0,hit-l3=0,window=200000,node-capacity=30000') : ();
		push @groups, [ [ splice @{$of{$kind}}, 0, $size ], %o ] while @{$of{$kind}};
	}
	return @groups;
}

# A run as it is: (findings of each plant, undef for one that is missed or has no such fix; false alarms).
sub judge_cxx {
	my ($run) = @_;
	my (@found, @false);

	for my $f (@{$run->{findings}}) {
		next if $f->{fix} eq 'none' || $f->{type} !~ /dynamic|process|static/;
		my ($hit) = grep {
			my ($kind, $way) = @{$run->{plants}[$_]};
			my $want = $want{$kind};
			$want && !$found[$_] && $f->{site} =~ /\b(?:from|by)_$way\b/ && $f->{pattern} eq $want->[0] &&
				$f->{fix} eq $want->[1]
		} 0 .. $#{$run->{plants}};
		defined $hit ? ($found[$hit] = $f) : push @false, $f;
	}
	$#found = $#{$run->{plants}};
	return (\@found, \@false);
}

1;
