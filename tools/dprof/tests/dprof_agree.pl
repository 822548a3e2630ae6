#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# dprof_agree.pl DPROF RECORDING...: do the views sharing and classify agree?  For each line
# of the objects of a type, the misses by true and by false sharing, as classify has them by
# instruction, are those that sharing has.  Prints the lines of which they are not, then
#	agree N of N lines
use strict;
use warnings;
use JSON::PP;

die "usage: dprof_agree.pl DPROF RECORDING...\n" if @ARGV < 2;
my ($dprof, @recordings) = @ARGV;
my ($lines, $agree) = (0, 0);

sub rows {
	my $text = `$dprof report @_ --top 0 -f json`;
	die "dprof report @_ failed\n" if $?;
	return @{ decode_json($text)->{rows} };
}

for my $recording (@recordings) {
	my (%classify, %sharing);
	for (rows('classify', '--by', 'ip', $recording)) {
		my ($offset) = $_->{field} =~ /^\+0x([0-9a-f]+)/ or die "no offset: $_->{field}\n";
		my $line = $classify{$_->{type}}{hex($offset) >> 6} //= [ 0, 0 ];
		$line->[0] += $_->{misses} * ($_->{true_pct} // 0) / 100;
		$line->[1] += $_->{misses} * ($_->{false_pct} // 0) / 100;
	}
	$sharing{$_->{type}}{$_->{line_offset_bytes} / 64} = $_ for rows('sharing', $recording);
	for my $type (sort keys %classify) {
		for my $line (sort { $a <=> $b } keys %{ $classify{$type} }) {
			my ($true, $false) = @{ $classify{$type}{$line} };
			my $row = $sharing{$type}{$line};
			my $misses = $true + $false;
			# Fewer than three may be of a single hand-over, and are not listed.
			next if $misses < 2.51 && !$row;
			my $want = $true >= $false ? 'true' : 'false';
			$lines++;
			if ($row && ($misses < 0.01 || (($row->{sharing} eq $want || $row->{sharing} eq 'handed_over') &&
			     abs($row->{false_pct} - 100 * $false / $misses) < 0.5 &&
			     abs(($row->{misses} // $misses) - $misses) < 0.5))) {
				$agree++;
			} else {
				printf "%s line %d: classify %.2f true %.2f false, sharing %s\n", $type, $line, $true, $false,
					$row ? "$row->{sharing}, $row->{misses} misses, $row->{false_pct} % false" : 'nothing';
			}
		}
	}
}
print "agree $agree of $lines lines\n";
