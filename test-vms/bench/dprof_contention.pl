#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# dprof_contention.pl BUILD VMLINUX DIR: what dprof report sharing says of the recordings of
# dprof_contention.sh in DIR, with seed 1 for tuning and seed 2 for judging, against DIR/list, which
# `contention list` printed.  The samples of a case are those of its two tasks (--tid), as one asks of
# a program.  Of a control, rows of all tasks, the recorder's among them, from the first sample of the
# two to their last, are counted beside.  A case is right if the first row has the struct, the field
# and the class; of false sharing, the writer's field, too, is one of the case's, and another one.  A
# control is right if there is no row.  Beside it is the first line of perf c2c report.
#	contention SET CASE SOURCE: right|WRONG: STRUCT.FIELD CLASS (MISSES of MISSES; ROWS rows); perf c2c: ...
#	contention SET: right N of N with SOURCE, seed SEED
# The figures go into BUILD/bench/dprof.json.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use Figures;
use File::Temp 'tempdir';
use JSON::PP;

die "usage: dprof_contention.pl BUILD VMLINUX DIR\n" if @ARGV != 3;
my ($build, $vmlinux, $dir) = @ARGV;
my $dprof = "$build/bin/dprof";
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
# lines have neither types nor fields there.  Both recordings of a source have the same.
my %c2c;
sub c2c {
	my ($seed, $case) = @_;
	return $c2c{"$seed-$case"} //= read_c2c("$dir/c2c-$seed-$case.data");
}

sub read_c2c {
	my ($data) = @_;
	my $text = `perf c2c report -f --stdio --no-source -k $vmlinux -i $data 2>$tmp/c2c-errors`;
	die "perf c2c report of $data failed:\n" . slurp("$tmp/c2c-errors") if $?;
	my ($pareto) = $text =~ /Shared Cache Line Distribution Pareto(.*)/s;
	my ($line, $rest) = ($pareto // '') =~ /^ +0 +\S.*? (0x[0-9a-f]+)\n(.*?)(?:^ +1 |\z)/ms;
	return { text => 'no line' } if !$line;
	my ($symbol) = $rest =~ /\[k\] (\S+)/;
	my ($hitm) = $text =~ /^ +0 +0x[0-9a-f]+ +\S+ +\S+ +([\d.]+)%/m;
	return { text => sprintf('%s, %s %% of HITM, %s', $line, $hitm // '-', $symbol // '-'),
		 defined $hitm ? (hitm_pct => 0 + $hitm) : (), defined $symbol ? (symbol => $symbol) : () };
}

# Rows of a case.
sub sharing {
	my ($case, @options) = @_;
	my $text = `$dprof report sharing --top 0 -f json --vmlinux $vmlinux @options $tmp/$case`;
	die "dprof report sharing of $case failed\n" if $?;
	return @{ decode_json($text)->{rows} };
}

my (%right, %all, %case, @cases, $rows_of_all);
for my $run ([ ibs => 1 ], [ swmem => 1 ], [ ibs => 2 ], [ swmem => 2 ]) {
	my ($source, $seed) = @$run;
	my $tasks = tasks("$dir/$source-$seed.tasks");
	my $of = $source eq 'ibs' ? 'misses' : 'alternations';
	my (%right_here, %all_here);

	split_recording("$dir/$source-$seed.dat", $tasks);
	for (split /\n/, slurp("$dir/list")) {
		my ($name, $set, $structs, $fields, $class) = split /\t/;
		next if !$tasks->{$name};
		die "no samples of $name\n" if !-e "$tmp/$name";
		my @rows = sharing($name, '--tid', join ',', sort keys %{$tasks->{$name}});
		my ($row, $sum, $c2c, $beside) = ($rows[0], 0, c2c($seed, $name), '');
		$sum += $_->{$of} // 0 for @rows;
		my $right = $set eq 'none' ? !@rows : $row && is_right($row, $structs, $fields, $class);
		my $is = $row ? ($row->{struct} // $row->{type}) . ".$row->{field} $row->{sharing}" : 'no row';
		$all_here{$set}++;
		$right_here{$set} += !!$right;
		if ($set eq 'none') {
			my @all = sharing($name);
			$rows_of_all += @all;
			$beside = sprintf ', %d of all tasks', scalar @all;
		} else {
			push @cases, $case{$name} = {
				set => $set, case => $name, struct => $structs =~ s/\|/ or /gr, field => $fields =~ s/\|/ or /gr,
				class => $class, map { ("c2c_$_" => $c2c->{$_}) } grep { $_ ne 'text' } keys %$c2c,
			} if !$case{$name};
			$case{$name}{$source} = $right ? 'right' : $is;
		}
		$is .= sprintf ', writer %s (%.0f of %.0f %s; %d rows)', $row->{writer_field} // '-', $row->{$of}, $sum, $of, scalar @rows
			if $row;
		printf "contention %s %s %s: %s: %s%s; perf c2c: %s\n", $set, $name, $source, $right ? 'right' : 'WRONG', $is, $beside,
			$c2c->{text};
	}
	for (sort keys %all_here) {
		printf "contention %s: right %d of %d with %s, seed %d\n", $_, $right_here{$_}, $all_here{$_}, $source, $seed;
		$right{$_}{$source} += $right_here{$_};
		$all{$_}{$source} += $all_here{$_};
	}
}
record_figures("$build/bench/dprof.json", 'make bench-dprof PARTS=contention',
	'two CPUs, slice=200; emulated IBS, model=trace, one op in 1,024, and swmem, a sample each 20 us; seed 1 for tuning, 2 for judging', {
	known_contention => \@cases, contention_rows_of_all_tasks => 0 + $rows_of_all,
	(map { ("known_contention_$_" => $right{judge}{$_}, "known_contention_${_}_tune" => $right{tune}{$_},
		"contention_controls_$_" => $all{none}{$_}, "contention_controls_quiet_$_" => $right{none}{$_}) } qw(ibs swmem)) });
