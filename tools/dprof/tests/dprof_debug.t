#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# What files with DWARF and BTF say of a recording: lines of functions with equal names.
use strict;
use warnings;
no warnings 'portable';
use FindBin;
use lib "$FindBin::RealBin/../../tests";
use JSON::PP;
use Test::More;
use Tool;

my $dprof = "$build/bin/dprof";

sub rows {
	my ($command) = @_;
	my ($status, $text, $err) = run("$dprof $command -f json");
	is("$status$err", '0', $command =~ s/\Q$dir\E\///gr);
	return $status ? () : @{ decode_json($text)->{rows} };
}

# --- lines of functions ---

# In each of two files of the kernel a function twin(); one() in a module, too.
spew("$dir/first.c", "static __attribute__((noinline)) long twin(long *p) { return *p; }\nlong one(long *p) { return twin(p); }\n");
spew("$dir/second.c", "\n\nstatic __attribute__((noinline)) long twin(long *p) { return *p + 1; }\nlong two(long *p) { return twin(p); }\n");
spew("$dir/third.c", "\n\n\n\n\nlong one(long *p) { return *p + 2; }\n");
is(system("cd $dir && for f in first second third; do gcc -g -O1 -c \$f.c || exit; done; " .
	  "ld -r -o vmlinux first.o second.o && mv third.o my-mod.ko"), 0, 'a kernel and a module');
my %at = (one => 0xffffffff81000000, twin => 0xffffffff81000100, two => 0xffffffff81000200, of_module => 0xffffffffc0000000);
my $text = "# dprof events 1\nsymbol ffffffff81000180 t twin\nsymbol ffffffff81000300 T end\n" .
	sprintf("symbol %x T one\nsymbol %x t twin\nsymbol %x T two\nsymbol %x t one\t[my_mod]\nsymbol %x t rest\t[my_mod]\n",
		@at{qw(one twin two of_module)}, $at{of_module} + 0x100);
$text .= sprintf "%d 0 1 dprof_sample ip=%#x addr=%#x op=1 width=8 source=1 type=1\n", 1000 + $_, (values %at)[$_], 0xffff888000001000 + 64 * $_
	for 0 .. 3;
my @places = sort map { $_->{function} } rows("report code --by ip --vmlinux $dir/vmlinux --vmlinux $dir/my-mod.ko " . spew("$dir/lines.txt", $text));
is_deeply(\@places, [ 'one+0x0 (first.c:2)', 'one+0x0 (third.c:6)', 'twin+0x0', 'two+0x0 (second.c:4)' ],
	  'lines, of the file that the code is of; none of a name that is of two functions');

done_testing();
