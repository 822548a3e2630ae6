#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# Files that are written and read where none is named: memref and dprof have a name each, so
# that neither replaces the other's recording, and read trace-cmd's trace.dat if there is
# none of that name.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::RealBin";
use Test::More;
use Tool;

my $bin = "$build/bin";
# The programs with the sanitizers are below the others.
my ($gen) = grep { -x "$_/trace_gen" } map { "$build/$_/tests" } qw(tools ../tools);
my $number = 0;
my %verbs = (
	memref => [ 'report summary', 'plot wss -o out.svg', 'export --to csv', 'html -o out.html', 'cut -o out.cut', 'size' ],
	dprof => [ 'report profile', 'plot dataflow -o out.svg', 'export --to pprof -o out.pb', 'script', 'layout c20' ],
);
my $types = spew("$dir/types.txt", <<'END');
# dprof events 1
host testbox
1000 0 7 dprof_type id=20 class=1 size=128 cache=c20 func=f20 file=a.c line=1
1100 0 7 dprof_sample ip=100 addr=200 base=200 type=20 offset=0 width=8 source=1 op=1 latency=30
1200 1 7 dprof_sample ip=100 addr=208 base=200 type=20 offset=8 width=8 source=1 op=1 latency=30
END
system("$gen/trace_gen memref 7 $dir/memref.made 4") == 0 or die 'trace_gen';
system("$gen/trace_gen dprof 7 $dir/dprof.made $types") == 0 or die 'trace_gen';

# in(NAME => CONTENTS or [ CONTENTS, SECONDS ]...): a directory with these files, which is entered.
sub in {
	my (%files) = @_;
	my $where = "$dir/in" . $number++;

	mkdir $where or die;
	for my $name (keys %files) {
		my ($made, $time) = ref $files{$name} ? @{$files{$name}} : ($files{$name}, 1e9);
		spew("$where/$name", slurp($made));
		utime $time, $time, "$where/$name" or die;
	}
	chdir $where or die;
}

my $not_read = spew("$dir/not_read", "hello\n");
for my $tool (sort keys %verbs) {
	my ($made, $own) = ("$dir/$tool.made", "$tool.dat");
	my $other = $tool eq 'memref' ? 'dprof.dat' : 'memref.dat';
	my ($status, $out, $err) = run("$bin/$tool record --help");
	like($out, qr/\(default \Q$own\E\)/, "$tool record writes $own");
	unlike($out, qr/trace\.dat/, 'and not trace.dat');
	for my $verb (@{$verbs{$tool}}) {
		my ($name) = split / /, $verb;
		# The exit status of some is that of a recording that lacks what they show.
		in('named.dat' => $made);
		my @named = run("$bin/$tool $verb named.dat");
		$_ =~ s/named\.dat/FILE/g for @named;
		my $is = sub {
			my ($what, $file) = @_;
			my @has = run("$bin/$tool $verb");
			$_ =~ s/\Q$file\E/FILE/g for @has;
			is_deeply(\@has, \@named, "$tool $name: $what");
		};
		in($own => $made, 'trace.dat' => $not_read, $other => $not_read);
		$is->("$own comes first", $own);
		in('trace.dat' => $made, $other => $not_read);
		$is->("else trace.dat", 'trace.dat');
		in($other => $made);
		($status, $out, $err) = run("$bin/$tool $verb");
		is("$status $out$err", "1 $tool: neither $own nor trace.dat is in this directory: name a recording, or make one " .
		   "($tool record, or trace-cmd record -e $tool)\n", "$tool $name: neither: an error that names both");
		($status, $out) = run("$bin/$tool $name --help");
		like($out =~ s/\s+/ /gr, qr/default \Q$own\E, else trace\.dat/, "$tool $name --help has both");
		is(join(' ', glob '*'), $other, 'and nothing is written');
	}
	in($own => [ $made, 1e9 ], 'trace.dat' => [ $not_read, 1e9 + 1 ]);
	my $verb = $verbs{$tool}[0];
	($status, $out, $err) = run("$bin/$tool $verb");
	is("$status $err", "0 $tool: reading $own: trace.dat is newer, and is read only if it is named\n",
	   "$tool: a newer trace.dat is not read, which one line says");
	is($out, (run("$bin/$tool $verb $own 2>/dev/null"))[1], 'what is read is as without it');
	is((run("$bin/$tool $verb $own"))[2], '', 'where a file is named, nothing is said');
	in($own => [ $made, 1e9 + 1 ], 'trace.dat' => [ $not_read, 1e9 ]);
	is((run("$bin/$tool $verb"))[2], '', 'nor of an older one');
	# A file that cannot be read is not passed over.
	in('trace.dat' => $made);
	mkdir $own or die;
	($status, $out, $err) = run("$bin/$tool $verb");
	is($status, 1, "$tool: a $own that cannot be read");
	like($err, qr/^$tool: .*\Q$own\E/m, 'is named');
}

# memscope shows what memref and dprof read: a line names each of several.
sub shown {
	my ($status, $out, $err) = run("$bin/memscope report");
	return join ' ', $status, ($out =~ /^(\S+: (?:memref|dprof))$/mg), $err;
}
my ($refs, $samples) = map { "$dir/$_.made" } qw(memref dprof);
in('memref.dat' => $refs, 'dprof.dat' => $samples, 'trace.dat' => $not_read);
is(shown(), '0 memref.dat: memref dprof.dat: dprof ', 'memscope report: of each tool its own file');
in('memref.dat' => $refs, 'trace.dat' => $samples);
is(shown(), '0 memref.dat: memref trace.dat: dprof ', 'of trace.dat, what has no file of its own');
in('memref.dat' => [ $refs, 1e9 ], 'trace.dat' => [ $samples, 1e9 + 1 ]);
is(shown(), '0 memref.dat: memref trace.dat: dprof ', 'a newer one, too, and nothing is said of it');
in('dprof.dat' => $samples, 'trace.dat' => $refs);
is(shown(), '0 dprof.dat: dprof trace.dat: memref ', 'of either tool');
in('memref.dat' => $refs, 'trace.dat' => [ $refs, 1e9 + 1 ]);
my @has = run("$bin/memscope report -f csv");
is($has[2], "memscope: reading memref.dat: trace.dat is newer, and is read only if it is named\n", 'else nothing, which is said of a newer one');
is($has[1], (run("$bin/memref report summary memref.dat -f csv"))[1], 'one recording is shown');
in('trace.dat' => $refs);
is_deeply([ run("$bin/memscope report -f csv") ], [ run("$bin/memref report summary trace.dat -f csv") ], 'trace.dat alone');
chdir '/';
done_testing;
