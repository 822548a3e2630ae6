#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# What files with DWARF and BTF say of a recording: lines of functions with equal names;
# and that no damage makes it take long.
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

# --- BTF of a type that is its own name, and of structs in themselves, one of which has no bytes ---

sub btf {
	my ($path, $strings, @types) = @_;
	my $all = join '', @types;
	return spew($path, pack('S C C L5', 0xeb9f, 1, 0, 24, 0, length $all, length $all, length $strings) . $all . $strings);
}

my $strings = "\0foo\0m\0";
my $member = 12;
my %damaged = (
	name => btf("$dir/name.btf", $strings, pack('L3', 5, 8 << 24, 1), pack('L6', 1, 4 << 24 | 1, 128, 5, 1, 0)),
	struct => btf("$dir/struct.btf", $strings, pack('L3', 1, 4 << 24 | $member, 128),
		      map { pack 'L3', 5, 1, 64 * $_ } 0 .. $member - 1),
	empty => btf("$dir/empty.btf", $strings, pack('L3', 1, 4 << 24 | $member, 0), map { pack 'L3', 5, 1, 0 } 1 .. $member),
);
$text = "# dprof events 1\n1000 0 1 dprof_type id=20 class=1 size=128 cache=foo func=f file=a.c line=1\n" .
	"1000 0 1 dprof_sample ip=0x10 addr=0x1008 base=0x1000 offset=8 op=1 type=20 source=1 data_src=0x1a00000002\n";
my $one = spew("$dir/one.txt", $text);
for (sort keys %damaged) {
	my ($status) = run("timeout 20 $dprof report classify --by field --btf $damaged{$_} $one");
	is($status, 0, "damaged BTF, $_: read, in time");
}

# --- objects of any size are freed in time ---

$text = "# dprof events 1\n1 0 1 dprof_type id=20 class=1 size=4294967295 cache=foo func=f file=a.c line=1\n";
for my $id (1 .. 100) {
	my $now = 10000 * $id;
	$text .= "$now 0 1 dprof_alloc base=0x100000000 ip=0x10 type=20 size=4294967295\n" .
		"$now 0 1 dprof_history id=$id base=0x100000000 type=20 size=4294967295 ip=0x10 offset=0,0,0,0 len=8,0,0,0 slots=1\n" .
		($now + 10) . " 0 1 dprof_access id=$id ip=0x20 since=10 type=20 offset=0 len=8 op=1\n" .
		($now + 20) . " 0 1 dprof_history_end id=$id ip=0x30 lifetime=20 accesses=1\n" .
		($now + 20) . " 0 1 dprof_free base=0x100000000 ip=0x30 type=20\n";
}
is((run("timeout 20 $dprof report assoc-sets " . spew("$dir/huge.txt", $text)))[0], 0, 'objects of 4 GiB are freed in time');

done_testing();
