#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# dprof_watched.pl TRUTH TRACE: dprof's histories against the oracle of watched objects
# (oracle/watched.c).  TRACE is text, the events of each CPU in order.  Prints a line
# each, "NAME COUNT":
#
#	histories	that both have
#	unmatched	that one of them has
#	outside		accesses to watched bytes once the last CPU was armed
#	logged		of these
#	missed		and not
#	stale		not logged, because another CPU freed the object before the debug
#			exception was taken
#	inside		accesses before, while other CPUs were not armed yet
#	logged_inside	of these
#	invented	logged accesses that were not made, or not while the object was watched
#	disordered	histories whose accesses are in another order on some CPU
#	wrong_op	accesses logged as another one of load, store or both
#	no_op		logged without
#	lives		of objects that were told, and watched
#	wrong_lives	that did not begin and end as the history did
#	cut		histories that were given up, or ended with the recording: what they
#			did not log is not judged
# and what they are about to stderr.
use strict;
use warnings;
no warnings 'portable';

my ($truth, $trace) = @ARGV;
my $direct_map = 0xffff888000000000;
my %n = map { $_ => 0 } qw(histories unmatched outside logged missed stale inside logged_inside invented
			   disordered wrong_op no_op lives wrong_lives cut);
my $complaints = 0;

sub complain {
	print STDERR "dprof_watched: @_\n" if $complaints++ < 20;
}

# --- what dprof says -------------------------------------------------------------
my (%history, %logged, %queue);
open my $f, '<', $trace or die "$trace: $!\n";
while (<$f>) {
	my ($cpu, $what, $rest) = /\[(\d+)\].*?\bdprof_(history|access|history_end): +(.*)/ or next;
	my %f = $rest =~ /(\w+)=(\S*)/g;
	if ($what eq 'history') {
		$history{$f{id}} = { id => $f{id}, base => hex $f{base}, cpu => $cpu + 0,
				     offset => [ map { unpack 'l', pack 'L', $_ } numbers($f{offset}) ], slots => $f{slots},
				     len => [ numbers($f{len}) ] };
	} elsif ($what eq 'access') {
		push @{ $logged{$f{id}}[$cpu] }, [ hex $f{ip}, $f{offset} + 0, $f{op} + 0, $f{seq} + 0 ];
	} else {
		$history{$f{id}}{end} = \%f if $history{$f{id}};
	}
}
# Of an object, the first that is published is the first that is told.
push @{ $queue{($_->{id} & 0xfff) . ' ' . $_->{base}} }, $_
	for sort { $a->{id} <=> $b->{id} } values %history;

# An array of an event, as {0x8,0x10}.
sub numbers { return map { hex } $_[0] =~ /0x([0-9a-f]+)/g }

# --- one history -------------------------------------------------------------------

# Accesses to the watched places, in order: [ pc, offset, op, address, are all CPUs armed ].
# The load and the store of an instruction are one.
sub places {
	my ($h, $accesses) = @_;
	my @places;
	my %last;

	for my $a (@$accesses) {
		my ($pc, $address, $bytes, $op, $armed) = @$a;
		for my $i (0 .. $h->{slots} - 1) {
			my $at = $h->{base} + $h->{offset}[$i];
			next unless $address < $at + $h->{len}[$i] && $at < $address + $bytes;
			my $last = $last{$i};
			if ($last && $op == 2 && $last->[2] == 1 && $last->[0] == $pc &&
			    $last->[3] == $address) {
				$last->[2] = 3;
				next;
			}
			push @places, $last{$i} = [ $pc, $h->{offset}[$i], $op, $address, $armed ];
		}
		# Whatever comes between, it is another instruction's.
		delete $last{$_} for grep { $last{$_}[0] != $pc } keys %last;
	}
	return @places;
}

sub same {
	my ($a, $b) = @_;
	return $a->[0] == $b->[0] && $a->[1] == $b->[1];
}

sub compare_op {
	my ($h, $true, $logged) = @_;
	if (!$logged->[2]) {
		$n{no_op}++;
	} elsif ($logged->[2] != $true->[2]) {
		$n{wrong_op}++;
		complain(sprintf 'history %d: %x at +%d: op %d, not %d', $h->{id}, @$true[0, 1],
			 $logged->[2], $true->[2]);
	}
}

sub is_freed {
	my ($h) = @_;
	return $h->{end} && $h->{end}{how} == 0;
}

sub judge {
	my ($h, $w) = @_;
	my $is_cut = !is_freed($h);
	my $is_disordered;

	$n{histories}++;
	$n{cut}++ if $is_cut;
	for my $cpu (0 .. 7) {
		my @true = places($h, $w->{accesses}[$cpu] // []);
		my @logged = @{ $logged{$h->{id}}[$cpu] // [] };

		for (1 .. $#logged) {
			$is_disordered = 1 if $logged[$_][3] <= $logged[$_ - 1][3];
		}
		# From the end on, as long as all were to be seen; then, as it happened.
		my $is_last = 1;
		while (@true && $true[-1][4]) {
			my $t = pop @true;
			my $is_same = @logged && same($t, $logged[-1]);
			compare_op($h, $t, pop @logged) if $is_same;
			next unless $is_same || !$is_cut;
			$n{outside}++;
			if ($is_same) {
				$n{logged}++;
			} elsif ($is_last && $cpu != $w->{unwatched_by}) {
				$n{stale}++;
				complain(sprintf 'history %d (%x): %x at +%d on CPU %d just before CPU %d ended it',
					 $h->{id}, $h->{base}, @$t[0, 1], $cpu, $w->{unwatched_by});
			} else {
				$n{missed}++;
				complain(sprintf 'history %d (%x, CPU %d): %x at +%d was not logged, but %s',
					 $h->{id}, $h->{base}, $cpu, @$t[0, 1], @logged ?
					 sprintf '%x at +%d', @{ $logged[-1] }[0, 1] : 'none');
			}
			$is_last = 0;
		}
		$n{inside} += @true;
		while (@logged) {
			my $l = pop @logged;
			pop @true while @true && !same($true[-1], $l);
			if (@true) {
				$n{logged_inside}++;
				compare_op($h, pop @true, $l);
				next;
			}
			$n{invented}++;
			complain(sprintf 'history %d (%x, CPU %d): %x at +%d was logged, not made',
				 $h->{id}, $h->{base}, $cpu, @$l[0, 1]);
		}
	}
	$n{disordered}++ if $is_disordered;
}

# --- the oracle, in order --------------------------------------------------------------
my (@watch, %lives);
open $f, '<', $truth or die "$truth: $!\n";
while (<$f>) {
	my ($what, $cpu, @f) = split;
	if ($what eq 'access') {
		my ($pc, $address) = (hex $f[0], hex $f[1]);
		for my $w (@watch) {
			next unless $w;
			push @{ $w->{accesses}[$cpu] },
				[ $pc, $address, $f[2], $f[3] eq 'w' ? 2 : 1, $w->{armed} ]
				if $address >= $w->{base} - 64 && $address < $w->{base} + 4096;
		}
	} elsif ($what eq 'watch') {
		my $target = hex $f[1];
		my $base = $direct_map + ($target & (1 << 52) - 1);
		$watch[$f[0]] = { id => $target >> 52, base => $base };
		$lives{$base} .= 'W';
	} elsif ($what eq 'blind') {
		$watch[$f[0]]{armed} = 1;
	} elsif ($what eq 'unwatch') {
		my $w = $watch[$f[0]];
		my $h = shift @{ $queue{"$w->{id} $w->{base}"} // [] };
		$watch[$f[0]] = undef;
		$w->{unwatched_by} = $cpu;
		# Given up, or freed.
		$lives{$w->{base}} .= $h && is_freed($h) ? 'U' : 'G';
		if ($h) {
			$h->{seen} = 1;
			judge($h, $w);
		} else {
			$n{unmatched}++;
			complain(sprintf 'dprof does not tell that it watched %x', $w->{base});
		}
	} elsif ($what eq 'alive') {
		$lives{hex $f[0]} .= 'A';
	} elsif ($what eq 'dead') {
		$lives{hex $f[0]} .= 'D';
	}
}
for my $h (grep { !$_->{seen} } values %history) {
	$n{unmatched}++;
	complain(sprintf 'history %d of %x is not known to the oracle', $h->{id}, $h->{base});
}
# Watched, alive, dead, unwatched; or given up before; or not watched.  The first and the
# last of an object may be cut off by the recording's ends.
for my $base (keys %lives) {
	my $lives = $lives{$base};
	next unless $lives =~ /[AD]/;
	$lives =~ s/^U?D//;
	$n{lives} += () = $lives =~ /WADU/g;
	$n{lives} += () = $lives =~ /WAGD|WADG/g;
	$lives =~ s/WAD[UG]|WAGD|AD//g;
	$lives =~ s/(?:A|WA?G?D?)$//;
	next if $lives eq '';
	$n{wrong_lives} += length $lives;
	complain(sprintf 'object %x: %s', $base, $lives{$base});
}
printf "%s %d\n", $_, $n{$_} for sort keys %n;
