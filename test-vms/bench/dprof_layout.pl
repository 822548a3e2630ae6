#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# A struct in the order that dprof layout advises.
#	dprof_layout.pl header FILE STRUCT ADVICE	prints the header FILE with STRUCT in that order
#	dprof_layout.pl check PAHOLE STRUCT ADVICE	fails if STRUCT, as pahole shows it, is not so
# ADVICE is what `dprof layout -f json` printed.  Members are declared one or several a line,
# without comments, arrays of their own or bit fields.
use strict;
use warnings;
use JSON::PP;

my ($what, $file, $struct, $advice) = @ARGV;
die "usage: dprof_layout.pl header|check FILE STRUCT ADVICE\n" if @ARGV != 4 || $what !~ /^(header|check)$/;

sub slurp {
	my ($path) = @_;
	open my $f, '<', $path or die "$path: $!\n";
	local $/;
	return scalar <$f>;
}

my @members = sort { $a->{offset_then} <=> $b->{offset_then} } @{decode_json(slurp($advice))->{rows}};
my $text = slurp($file);
if ($what eq 'check') {
	for my $m (@members) {
		my ($offset) = $text =~ /\b\Q$m->{member}\E(?:\s*__attribute__\(\(.*?\)\))?;\s*\/\*\s*(\d+)\s+\d+/;
		die "$struct.$m->{member} is at " . ($offset // 'no place') . ", not at $m->{offset_then}\n"
			if !defined $offset || $offset != $m->{offset_then};
	}
	exit 0;
}
my ($before, $body, $after) = $text =~ /^(.*?\bstruct \Q$struct\E \{\n)(.*?)(\n\}.*)$/s
	or die "$file: no struct $struct\n";
my %declared;
for (split /;/, $body) {
	next if !/\S/;
	my ($type, $names) = /^\s*(.*?[\s*])(\w+(?:\s*,\s*\w+)*)\s*$/s or die "$file: not understood: $_\n";
	$declared{$_} = "$type$_" for split /\s*,\s*/, $names;
}
print $before;
for my $m (@members) {
	my $declared = delete $declared{$m->{member}} // die "$file: no member $m->{member}\n";
	# A gap before it.
	my $aligned = $m->{offset_then} && $m->{offset_then} % 64 == 0 ? ' __aligned(64)' : '';
	print "\t$declared$aligned;\n";
}
die "$file: no place for ", join(', ', sort keys %declared), "\n" if %declared;
print $after =~ s/^\n//r;
