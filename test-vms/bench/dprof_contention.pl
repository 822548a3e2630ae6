#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# dprof_contention.pl DPROF VMLINUX DIR SOURCE SEED < LIST: what dprof report sharing says of a
# recording of dprof_contention.sh, against LIST, which `contention list` printed.  The samples
# of a case are those of its two tasks (--pid), as one asks of a program.  Of a control, rows of all
# tasks, the recorder's among them, from the first sample of the two to their last, are counted beside.
# A case is right if the first row has the struct, the field and the class; of false sharing, the
# writer's field, too, is one of the case's, and another one.  A control is right if there is no
# row.  Beside it is the first line of perf c2c report, of that recording (DIR/c2c-SEED-CASE.data).
#	contention SET CASE SOURCE: right|WRONG: STRUCT.FIELD CLASS (MISSES of MISSES; ROWS rows)
#	contention SET: right N of N with SOURCE, seed SEED
use strict;
use warnings;
use File::Temp 'tempdir';
use JSON::PP;

die "usage: dprof_contention.pl DPROF VMLINUX DIR SOURCE SEED < LIST\n" if @ARGV != 5;
my ($dprof, $vmlinux, $dir, $source, $seed) = @ARGV;
my $tmp = tempdir('memscope-contention.XXXXXX', TMPDIR => 1, CLEANUP => 1);

sub slurp {
	my ($file) = @_;
	open my $f, '<', $file or die "$file: $!\n";
	local $/;
	return scalar <$f>;
}

# The tasks of each case.  trace-cmd prints a line, too.
sub tasks {
	my ($file) = @_;
	my %of = map { /^(\w+) (\d+) (\d+)$/ ? ($1 => { $2 => 1, $3 => 1 }) : () } split /\n/, slurp($file);
	return \%of;
}

# "a|b" are names, one of which is in the path of the field: wqh.lock is a wqh and a lock.
sub is_one_of {
	my ($path, $names) = @_;
	return grep { defined $path && $path =~ /(?:^|[.\[\]])\Q$_\E(?:$|[.\[+])/ } split /\|/, $names;
}

sub is_right {
	my ($row, $structs, $fields, $class) = @_;
	my @field = is_one_of($row->{field}, $fields);
	return 0 if !is_one_of($row->{struct} // $row->{type}, $structs) || !@field || $row->{sharing} ne $class;
	return 1 if $class eq 'true';
	my @writer = is_one_of($row->{writer_field}, $fields);
	return @writer && $writer[0] ne $field[0];
}

# Lines of a recording as text: those of all cases, and those of each by its tasks' times.
sub split_recording {
	my ($file, $tasks) = @_;
	my (@head, @events, %from, %to);
	open my $f, '-|', $dprof, 'script', '--symbols', $file or die "$dprof: $!\n";
	while (<$f>) {
		if (/^\d+ \S+ (\d+) dprof_sample /) {
			push @events, $_;
			for my $case (grep { $tasks->{$_}{$1} } keys %$tasks) {
				$from{$case} //= $#events;
				$to{$case} = $#events;
			}
		} else {
			push @head, $_;
		}
	}
	close $f or die "dprof script $file failed\n";
	for my $case (keys %from) {
		open my $out, '>', "$tmp/$case" or die "$tmp/$case: $!\n";
		print $out @head, @events[$from{$case} .. $to{$case}];
		close $out or die "$tmp/$case: $!\n";
	}
}

# Of the first line of perf c2c: how many of the HITM are in it, and the symbol with most of them;
# lines have neither types nor fields there.
sub c2c {
	my ($case) = @_;
	my $data = "$dir/c2c-$seed-$case.data";
	return '' if !-e $data;
	my $text = `perf c2c report -f --stdio --no-source -k $vmlinux -i $data 2>$tmp/c2c-errors`;
	die "perf c2c report of $case failed:\n" . slurp("$tmp/c2c-errors") if $?;
	my ($pareto) = $text =~ /Shared Cache Line Distribution Pareto(.*)/s;
	my ($line, $rest) = ($pareto // '') =~ /^ +0 +\S.*? (0x[0-9a-f]+)\n(.*?)(?:^ +1 |\z)/ms;
	return '; perf c2c: no line' if !$line;
	my ($symbol) = $rest =~ /\[k\] (\S+)/;
	my ($hitm) = $text =~ /^ +0 +0x[0-9a-f]+ +\S+ +\S+ +([\d.]+)%/m;
	return sprintf '; perf c2c: %s, %s %% of HITM, %s', $line, $hitm // '-', $symbol // '-';
}

# Rows of a case.
sub sharing {
	my ($case, @options) = @_;
	my $text = `$dprof report sharing --top 0 -f json --vmlinux $vmlinux @options $tmp/$case`;
	die "dprof report sharing of $case failed\n" if $?;
	return @{ decode_json($text)->{rows} };
}

my $tasks = tasks("$dir/$source-$seed.tasks");
split_recording("$dir/$source-$seed.dat", $tasks);
my (%right, %all);
while (<STDIN>) {
	chomp;
	my ($case, $set, $structs, $fields, $class) = split /\t/;
	next if !$tasks->{$case};
	die "no samples of $case\n" if !-e "$tmp/$case";
	my @rows = sharing($case, '--pid', join ',', sort keys %{$tasks->{$case}});
	my ($row, $sum, $of) = ($rows[0], 0, $source eq 'ibs' ? 'misses' : 'alternations');
	$sum += $_->{$of} // 0 for @rows;
	my $right = $set eq 'none' ? !@rows : $row && is_right($row, $structs, $fields, $class);
	$all{$set}++;
	$right{$set}++ if $right;
	printf "contention %s %s %s: %s: %s%s%s\n", $set, $case, $source, $right ? 'right' : 'WRONG',
		$row ? sprintf('%s.%s %s, writer %s (%.0f of %.0f %s; %d rows)', $row->{struct} // $row->{type},
			       $row->{field}, $row->{sharing}, $row->{writer_field} // '-', $row->{$of}, $sum, $of,
			       scalar @rows) : 'no row',
		$set eq 'none' ? sprintf(', %d of all tasks', scalar sharing($case)) : '', c2c($case);
}
printf "contention %s: right %d of %d with %s, seed %d\n", $_, $right{$_} // 0, $all{$_}, $source, $seed
	for sort keys %all;
