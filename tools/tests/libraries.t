#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# The libraries export what their version scripts name, which is what the headers declare
# and the man pages describe; the programs in the man pages are compiled and run.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use Examples;
use Test::More;
use Tool;

my $man = "$tools/../docs/man";
is(system("make -s -C $tools O=$build DESTDIR=$dir/i install >$dir/log 2>&1"), 0, 'make install') or diag slurp("$dir/log");
my $usr = "$dir/i/usr";
chomp(my $system = `pkg-config --variable pc_path pkg-config`);
my $pc = "PKG_CONFIG_ALLOW_SYSTEM_LIBS=1 PKG_CONFIG_SYSROOT_DIR=$dir/i PKG_CONFIG_LIBDIR=$usr/lib/pkgconfig:$system pkg-config";
is(system("$build/tools/tests/memprof_gen", "$dir/memprof.data", 500, 100, 4, 20, 1), 0, 'a recording');

# The functions that a header declares, its comments and inline functions left out.
sub declared {
	my ($header, $prefix) = @_;
	my $text = slurp($header) =~ s/\/\*.*?\*\///gsr =~ s/^#define (?:.*\\\n)*.*//mgr =~ s/^typedef.*//mgr;
	return sort $text =~ /\b(${prefix}_\w+)\(/g;
}

my %argument = (memprof => "$dir/memprof.data", pagealloc => '');
for my $lib (qw(memprof pagealloc)) {
	my @exported = sort map { /^\S+ T (\S+?)@/ ? $1 : () } `nm -D --defined-only $usr/lib/lib$lib.so`;
	my $named = join '', slurp("$tools/$lib/lib$lib.map") =~ /global:(.*?)(?:local:|\})/sg;
	unlike($named, qr/\*/, "lib$lib.map has no wildcard");
	cmp_ok(scalar @exported, '>', 20, "lib$lib exports functions");
	is_deeply([ sort $named =~ /(\w+);/g ], \@exported, 'the version script names them');
	is_deeply([ declared("$usr/include/$lib/$lib.h", $lib) ], \@exported, 'the header declares them');
	is_deeply([ grep { !-e "$usr/share/man/man3/$_.3" } @exported ], [], 'each has a man page');

	my @pages = sort grep { slurp($_) =~ /#include <$lib(?:_hook)?\.h>/ } glob "$man/*.3";
	# memprof_allocated() is inline: declared, described, not exported.
	my %described = map { $_ => 1 } map { slurp($_) =~ /\b(${lib}_\w+)\(/g } @pages;
	is_deeply([ grep { !$described{$_} } @exported ], [], 'with its declaration');
	my @unknown = grep { !-e "$usr/share/man/man3/$_.3" } sort keys %described;
	is("@unknown", '', 'no page describes a function that has none');
	chomp(my $flags = `$pc --cflags --libs lib$lib`);
	my $run = 0;
	for my $page (@pages) {
		my ($name) = $page =~ /([^\/]+)\.3$/;
		for my $program (programs($page)) {
			spew("$dir/$name.c", $program);
			is((run("gcc -Wall -Wextra -Werror -o $dir/$name $dir/$name.c $flags"))[2], '', "$name(3): the example is compiled");
			my ($status, $out, $err) = run("LD_LIBRARY_PATH=$usr/lib $dir/$name $argument{$lib}");
			if ($lib eq 'pagealloc') {
				like("$status $err", qr/^0 $|^1 page hints: not in this kernel$/, 'and runs, or reports that the kernel has no hints');
			} else {
				is("$status $err", '0 ', 'and runs');
			}
			$run++;
		}
	}
	cmp_ok($run, '>=', 5, "$run examples were run");
	is_deeply([ grep { $_ !~ /libmemprof\.3$/ && !programs($_) } @pages ], [], 'each page has one');
}

# A static library defines what the shared one exports, and nothing else: a program may use any other name.
my %internal = (memprof => [qw(insert build file_open counts_add)], pagealloc => [qw(space_free handle_ioctl)]);
spew("$dir/names.c", join '', "#include <memprof.h>\n#include <pagealloc.h>\n#include <stdio.h>\n",
     (map { "int $_(void); int $_(void) { return 1; }\n" } map { @$_ } values %internal),
     "int main(void)\n{\n\tchar error[64];\n\tstruct pagealloc *self;\n\n",
     "\tif (memprof_open(\"$dir/none\", NULL, error, sizeof(error)) || pagealloc_open(-1, 0, &self) >= 0)\n\t\treturn 1;\n",
     "\treturn ", join(' + ', map { "$_()" } map { @$_ } values %internal), " != 6;\n}\n");
for my $lib (sort keys %internal) {
	my @defined = sort map { /^\S+ [A-Z] (\S+)/ ? $1 : () } `nm --extern-only --defined-only $usr/lib/lib$lib.a`;
	my @exported = sort map { /^\S+ T (\S+?)@/ ? $1 : () } `nm -D --defined-only $usr/lib/lib$lib.so`;
	is_deeply(\@defined, \@exported, "lib$lib.a defines the exported names only");
	is(`objdump -h $usr/lib/lib$lib.a | grep -c gnu.lto`, "0\n", 'and is not for one compiler only');
}
chomp(my $cflags = `$pc --cflags libmemprof libpagealloc`);
chomp(my $private = `$pc --libs-only-l --static libmemprof`);
is((run("gcc -Wall -o $dir/names $dir/names.c $cflags $usr/lib/libmemprof.a $usr/lib/libpagealloc.a " . ($private =~ s/-lmemprof\b//r)))[2], '',
   'a program with functions of the same names is linked with both');
is((run("$dir/names"))[0], 0, 'and calls its own');

# What the examples print follows from the recording.
my ($all) = (run("LD_LIBRARY_PATH=$usr/lib $dir/memprof_open $dir/memprof.data"))[1] =~ /^(\d+) accesses in /;
my ($reported) = (run("$build/bin/memprof report summary $dir/memprof.data -f csv"))[1] =~ /^samples of memory accesses,(\d+)/m;
is($all, $reported, 'as many accesses as memprof reports');
like((run("LD_LIBRARY_PATH=$usr/lib $dir/memprof_object_flow $dir/memprof.data"))[1], qr/^\d+ of [1-9]\d* accesses/, 'flows');
my @accesses = (run("LD_LIBRARY_PATH=$usr/lib $dir/memprof_thread $dir/memprof.data"))[1] =~ /^thread .*: (\d+) accesses/mg;
my $sum = 0;
$sum += $_ for @accesses;
is($sum, $all, 'the accesses of all threads are all accesses');
my ($site, $joint) = (run("LD_LIBRARY_PATH=$usr/lib $dir/memprof_diagnose $dir/memprof.data"))[1] =~ /^(.*)^with all fixes: ([\d.]+) %/ms;
my @findings = map { /^([\w-]+,[\w-]+),/ } split /\n/, (run("$build/bin/memprof diagnose --local $dir/memprof.data -f csv"))[1];
shift @findings;
cmp_ok(scalar @findings, '>=', 2, 'a recording with findings');
is_deeply([ grep { !/^too-few-samples,none$/ } map { "$_->[0],$_->[1]" } map { [ /: ([\w-]+), ([\w-]+): \d+ of/ ] } split /\n/, $site ],
	  [ grep { !/^too-few-samples,none$/ } @findings ], 'memprof_diagnose() finds what memprof diagnose finds');

# Each view of the library is what memprof prints.
sub csv_fields { return map { /^"(.*)"$/s ? $1 =~ s/""/"/gr : $_ } $_[0] =~ /\G(?:^|,)("(?:[^"]|"")*"|[^,]*)/g }
my %verb = (findings => 'diagnose --table', levels => 'diagnose --levels', latency => 'diagnose --latency');
for my $view (qw(summary objects threads flow nodes lines findings levels latency)) {
	my @want = map { join "\t", csv_fields($_) } split /\n/,
		(run("$build/bin/memprof " . ($verb{$view} // "report $view") . " -f csv $dir/memprof.data"))[1];
	cmp_ok(scalar @want, '>', 1, "memprof prints $view") or next;
	my ($status, $out) = run("LD_LIBRARY_PATH=$usr/lib $dir/memprof_view $dir/memprof.data $view");
	is_deeply([ split /\n/, $out ], \@want, "memprof_view() has the same columns and rows");
}
like((run("LD_LIBRARY_PATH=$usr/lib $dir/memprof_view $dir/memprof.data heap"))[2],
     qr/^memprof_view: No such file or directory$/, 'and no other');

# The examples that are installed.
my @examples = glob "$usr/share/doc/libmemprof/examples/*.c";
cmp_ok(scalar @examples, '>=', 5, 'examples');
chomp(my $flags = `$pc --cflags --libs libmemprof`);
for my $example (@examples) {
	my ($name) = $example =~ /([^\/]+)\.c$/;
	is((run("gcc -Wall -Wextra -Werror -o $dir/$name $example $flags"))[2], '', "$name.c is compiled");
	my ($status, $out, $err) = run("LD_LIBRARY_PATH=$usr/lib $dir/$name $dir/memprof.data 0");
	# Of first_fix, 3: there is nothing to change.
	like("$status $err", $name eq 'first_fix' ? qr/^[03] $/ : qr/^0 $/, 'and runs');
}
spew("$dir/objects", "table 1 0 400 0x10000000 101\nqueue 0 0 400 0x10010000 100\n");
is((run("$build/tools/tests/memprof_planted $dir/planted.data <$dir/objects"))[0], 0, 'a recording with a pattern');
my @fixes = map { [ /^([\w-]+),([\w-]+),/ ] } split /\n/, (run("$build/bin/memprof diagnose $dir/planted.data -f csv"))[1];
@fixes = grep { $_->[1] !~ /^(?:fix|none)$/ } @fixes;
cmp_ok(scalar @fixes, '>', 0, 'memprof finds it');
my ($status, $out) = run("LD_LIBRARY_PATH=$usr/lib $dir/first_fix $dir/planted.data");
is($status, 0, 'first_fix finds it, too');
is_deeply([ map { [ /: ([\w-]+), ([\w-]+): \d+ remote/ ] } split /\n/, $out ], \@fixes, 'with the same fixes');
like($out, qr/; from nodes \d[\d,]* to memory of \d/, 'and names nodes');

# An installed memprof finds header and library for scripts.
spew("$dir/script.c", (programs("$man/memprof_open.3"))[0]);
is((run("$usr/bin/memprof script $dir/script.c $dir/memprof.data"))[1],
   (run("LD_LIBRARY_PATH=$usr/lib $dir/memprof_open $dir/memprof.data"))[1], 'memprof script, installed, runs the example');

done_testing;
