# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# Files of measured figures.  A bench's file, build/bench/NAME.json, is a flat object: a figure by
# name, and _runs: by which command each was measured, when, and of which commit.  A run replaces the
# figures that it measured, and all of an earlier run by the same command; others stay as they are.
# docs/results/data/NAME.json has the same figures, each beside its run.
package Figures;

use strict;
use warnings;
use Exporter 'import';
use Fcntl ':flock';
use File::Basename 'dirname';
use File::Path 'make_path';
use JSON::PP;
use POSIX 'strftime';

our @EXPORT = qw(read_json write_json record_figures merge_runs);

my $json = JSON::PP->new->canonical->pretty->indent_length(1)->utf8;

# What a file holds, or nothing if there is none.
sub read_json {
	my ($path) = @_;
	open my $f, '<', $path or return undef;
	local $/;
	return eval { $json->decode(<$f>) } // die "$path: $@";
}

sub write_json {
	my ($path, $data) = @_;
	open my $f, '>', "$path.$$" or die "$path.$$: $!\n";
	print $f $json->encode($data);
	close $f or die "$path.$$: $!\n";
	rename "$path.$$", $path or die "$path: $!\n";
}

# The runs of @old, but for what the later ones of @new measured again.  Figures that were recorded
# by hand stay until a bench has them.
sub merge_runs {
	my ($old, @new) = @_;
	my %again = map { $_ => 1 } map { keys %{$_->{figures}} } @new;
	my %command = map { $_->{command} => 1 } @new;
	my @kept;
	for my $run (grep { $_->{recorded_in} || !$command{$_->{command}} } @$old) {
		my %left = map { $_ => $run->{figures}{$_} } grep { !$again{$_} } keys %{$run->{figures}};
		push @kept, { %$run, figures => \%left } if %left;
	}
	return sort { $a->{command} cmp $b->{command} || ($a->{date} // '') cmp ($b->{date} // '') } @kept, @new;
}

# record_figures FILE COMMAND SET-UP FIGURES: adds a run to a bench's file.
sub record_figures {
	my ($path, $command, $how, $figures) = @_;
	my $here = dirname(__FILE__);
	chomp(my $commit = `git -C "$here" describe --always --dirty --abbrev=12 2>/dev/null` || 'not known');
	# Tests that run at once write the same file.
	make_path(dirname($path));
	open my $lock, '<', dirname($path) or die dirname($path) . ": $!\n";
	flock $lock, LOCK_EX or die dirname($path) . ": $!\n";
	my $flat = read_json($path) // {};
	my @old = map { my $run = $_; +{ %$run, figures => { map { $_ => $flat->{$_} } @{$run->{figures}} } } } @{$flat->{_runs} // []};
	my @runs = merge_runs(\@old, {
		command => $command, how => $how, commit => $commit,
		date => strftime('%Y-%m-%d', gmtime), figures => { map { $_ => $figures->{$_} } grep { !/^_/ } keys %$figures },
	});
	write_json($path, {
		_how => join(' | ', map { "$_->{command}: $_->{how}" } @runs),
		_runs => [ map { +{ %$_, figures => [ sort keys %{$_->{figures}} ] } } @runs ],
		map { %{$_->{figures}} } @runs,
	});
}

# For benches that are not in Perl: the figures are read as JSON.
if (!caller) {
	die "usage: perl Figures.pm FILE COMMAND SET-UP <FIGURES\n" if @ARGV != 3;
	my $text = join '', <STDIN>;
	die "$ARGV[0]: nothing was measured\n" if $text !~ /\S/;
	record_figures(@ARGV, $json->decode($text));
}

1;
