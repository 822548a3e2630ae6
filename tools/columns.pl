#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# columns.pl [--check] BIN PAGE: brings PAGE, docs/reference/columns.md, up to date with the
# columns of all tables, as the programs in the folder BIN explain them (--explain).
# columns.pl BIN tables: prints the commands that do so.
# With --check: exit status 1 if the page is not up to date.
use strict;
use warnings;
use FindBin;
use JSON::PP;

my $check = @ARGV && $ARGV[0] eq '--check' && shift;
my ($bin, $page) = @ARGV;
die "usage: columns.pl [--check] BIN PAGE|tables\n" if !defined $page;

# Tables that options choose, beside the one that a verb prints without.
my %more = (
	'memref diff' => ['--groups'], 'memref size' => ['--try COMMAND'], 'memprof diagnose' => ['--levels', '--latency'],
	'pagealloc colors' => ['--free-pages'], 'pagealloc verify' => ['--against FILE', '--against FILE --list'],
	'pagealloc stats' => ['--interval 1s'],
);

# These have the tables of other tools, by the recording.
my %no_table = ('memscope report' => 1);

# The first operands of a verb, and what --help says of each.
sub words {
	my ($command) = @_;
	my @rows = map { [ split /\t/, $_, -1 ] } split /\n/, `$bin/$command --help-table`;
	return () if grep { $_->[0] eq 'words' } @rows;
	return map { [ @$_[1, 2] ] } grep { $_->[0] eq 'word' } @rows;
}

# Commands, and what their tables show.
sub tables {
	my (%has, @tables);
	for (split /\n/, `$FindBin::RealBin/options.pl $bin table`) {
		my ($command, $kind, $letter, $name) = split /\t/;
		$has{$command} = 1 if $name eq 'explain';
	}
	for my $command (sort keys %has) {
		next if $no_table{$command};
		my @words = words($command);
		push @tables, map { [ "$command $_->[0]", $_->[1] ] } @words;
		push @tables, [ $command, '' ] if !@words;
		push @tables, map { [ "$command $_", '' ] } @{$more{$command} // []};
	}
	return @tables;
}

sub md_text { return $_[0] =~ s/([|*<>_])/\\$1/gr }

sub anchor { return lc($_[0]) =~ s/[^\w -]//gr =~ tr/ /-/r }

sub md {
	my @tables = tables();
	my $text = "# The columns of all tables\n\nMade from the tables of the programs by `tools/columns.pl`; do not edit.\n" .
		   "`--explain` behind a command prints the same.\n\n" .
		   "Formats have the same columns. A value that is not known is `-` in text, empty in CSV, null in JSON.\n" .
		   "Words such as interval, group, level and site are in the [glossary](glossary.md).\n\n";
	$text .= "- [$_->[0]](#" . anchor($_->[0]) . ')' . ($_->[1] ne '' ? ": $_->[1]" : '') . "\n" for @tables;
	for (@tables) {
		my ($command, $about) = @$_;
		my $json = `$bin/$command --explain --format json`;
		die "$command --explain: status $?\n" if $?;
		$text .= "\n## $command\n\n| column | unit | meaning | `-` |\n|---|---|---|---|\n";
		$text .= "| `$_->{column}` | $_->{unit} | " . md_text($_->{meaning}) . ' | ' . md_text($_->{unknown} // '') . " |\n"
			for @{decode_json($json)->{rows}};
	}
	return $text;
}

sub slurp {
	open my $f, '<', $_[0] or return '';
	local $/;
	return <$f> // '';
}

if ($page eq 'tables') {
	print "$_->[0]\n" for tables();
	exit 0;
}
my $text = md();
exit 0 if slurp($page) eq $text;
if ($check) {
	warn "$page: not up to date, run make -C tools options\n";
	exit 1;
}
open my $f, '>', $page or die "$page: $!\n";
print $f $text;
close $f or die "$page: $!\n";
