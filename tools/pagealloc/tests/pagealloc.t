#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# pagealloc and libpagealloc where there is no kernel with page hints: options,
# files, the doctor on systems that are not there, what is installed.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::RealBin/../../tests";
use JSON::PP;
use Test::More;
use Tool;

my $pagealloc;

my $no_kernel = !-e '/proc/self/page_hints';

# Options: what is wrong is named; nothing is run or written.
sub options {
	my @verbs = qw(run set clear get map verify repair record colors stats doctor bench);
	my ($status, $text, $err) = run("$pagealloc --help");
	is($status, 0, '--help');
	is_deeply([ $text =~ /^  (\w+) /mg ], \@verbs, 'names the verbs');
	for my $verb (@verbs) {
		($status, $text, $err) = run("$pagealloc $verb --help");
		is("$status$err", '0', "$verb --help");
		like($text, qr/^usage: pagealloc $verb /, 'says how');
		($status, $text, $err) = run("$pagealloc $verb --nonsense");
		is($status, 2, "$verb --nonsense: status 2");
		is($text, '', 'and nothing else');
	}
	like((run("$pagealloc --version"))[1], qr/^pagealloc \(memscope\) \d/, '--version');
	my @wrong = (
		[ '', qr/^usage:/ ], [ 'fly', qr/fly: no such verb/ ],
		[ 'run', qr/; see .* --help$/ ], [ 'run true', qr/; see .* --help$/ ],
		[ 'run --strategy coloring', qr/; see .* --help$/ ],
		[ 'run --strategy coloring:offset=x true', qr/--strategy coloring:offset=x: offset=x: not a number/ ],
		[ 'run --strategy partition:9-3 true', qr/partition:9-3: 9-3: the first color of a range is above its last/ ],
		[ 'run --strategy modulo:/none true', qr/modulo:\/none: neither colors .* nor a file: No such file/ ],
		[ 'run --strategy coloring --inherit all true', qr/--inherit all: not fork, exec, ranges or none/ ],
		[ 'run --strategy coloring --inherit fork, true', qr/--inherit fork,: not fork/ ],
		[ 'run --no-aslr --order0 true', qr/--order0: only with --strategy/ ],
		[ 'run --no-aslr --locked true', qr/--locked: only with --strategy/ ],
		[ 'run --no-aslr --inherit ranges true', qr/--inherit: only with --strategy or --replay/ ],
		[ 'run --strategy modulo:' . join(',', 0 .. 300) . ',70000 true', qr/--strategy modulo:0,1,.*\.\.\.: 70000: not a color below/ ],
		[ 'run --strategy partition:0-3,9-8,1 true', qr/ 9-8: the first color of a range is above its last/ ],
		[ 'run --strategy modulo:: true', qr/modulo::: neither colors \(0,8,16\) nor a file/ ],
		[ 'doctor --strategy rainbow:1', qr/--strategy rainbow/ ], [ 'doctor --size none', qr/--size none: not a size/ ],
		[ 'repair 1 --watch x', qr/--watch x: not a time/ ],
		[ 'repair 1 --watch 0', qr/--watch 0: not/ ],
		[ 'run --no-aslr --exact true', qr/--exact: only with --replay/ ],
		[ 'run --no-aslr --report - true', qr/--report: only with --replay/ ],
		[ 'run --replay x --list true', qr/--list: only with --report/ ],
		[ 'verify 1 --list', qr/; see .* --help$/ ],
		[ 'set', qr/; see .* --help$/ ], [ "set $$", qr/; see .* --help$/ ], [ 'set x --strategy coloring', qr/x: not a pid/ ],
		[ 'get 0', qr/0: not a pid/ ], [ 'map 1x', qr/1x: not a pid/ ],
		[ 'verify 1 --exact', qr/; see .* --help$/ ], [ 'verify 1 [heap] --against x', qr/; see .* --help$/ ],
		[ 'map 1 -f gif', qr/--format gif: not text, csv or json/ ],
		[ 'record', qr/; see .* --help$/ ], [ 'record -o x', qr/; see .* --help$/ ], [ 'record --', qr/; see .* --help$/ ],
		[ 'record 1 2', qr/; see .* --help$/ ], [ 'record 1 --no-aslr', qr/; see .* --help$/ ],
		[ 'stats -i 0s', qr/--interval 0s: not a time in seconds from 0.001/ ], [ 'stats -i 5', qr/--interval 5: in which unit\? --interval 5s or --interval 5ms/ ], [ 'stats -i x', qr/--interval x: not/ ],
		[ 'stats --intervals 0', qr/--intervals 0: not/ ], [ 'doctor x', qr/; see .* --help$/ ],
	);
	for (@wrong) {
		my ($command, $message) = @$_;
		my ($got, $out, $said) = run("$pagealloc $command");
		is($got, 2, "$command: status 2");
		like($said, qr/$message/m, 'says why');
		is($out, '', 'and nothing else');
	}
	($status, undef, $err) = run("$pagealloc get 4194303");
	is("$status $err", "1 pagealloc: 4194303: no such process\n", 'no such process');
	($status, undef, $err) = run("$pagealloc doctor -o /dev/full");
	like("$status $err", qr/^1 pagealloc: \/dev\/full: No space left/, 'a full disk is noticed');
}

# Commands: their status is ours.
sub commands {
	is((run("$pagealloc run --no-aslr -- sh -c 'exit 7'"))[0], 7, 'the status of the command');
	is((run("$pagealloc run --no-aslr $dir/none"))[0], 127, 'not found: 127');
	is((run("$pagealloc run --no-aslr $dir"))[0], 126, 'not to be executed: 126');
	like((run("$pagealloc run --no-aslr -- cat /proc/self/personality"))[1], qr/^00040000$/, '--no-aslr');
	my @maps = map { (run("$pagealloc run --no-aslr -- sed -n 1p /proc/self/maps"))[1] } 1 .. 2;
	is($maps[0], $maps[1], 'the same addresses again');
	return if !$no_kernel;
	for my $command ("run --strategy coloring $dir/touch.sh", "run --replay $dir/layout $dir/touch.sh",
			 "run --strategy coloring --inherit fork $dir/touch.sh", "record $$ -o $dir/out",
			 "record -o $dir/out -- true", "record -o $dir/out -- $dir/touch.sh", "get $$", "set $$ --strategy coloring", "clear $$",
			 "map $$", "verify $$", "repair $$") {
		my ($status, $text, $err) = run("$pagealloc $command");
		is("$status$text", '1', "$command: no page hints: status 1");
		like($err, qr/^pagealloc: the kernel has no page hints[^\n]*\n$/, 'said once');
		ok(!-e "$dir/touched", 'nothing is run') if $command =~ /touch/;
		ok(!glob("$dir/out*"), 'nothing is left') if $command =~ /out/;
	}
}

my $layout = <<'END';
pagealloc-layout 1
page_size 4096
colors 32
masks 0x1 0x2 0x4 0x8 0x10
frames no
anchor stack 0x7ffffffff000
map stack 0x7ffffffde000 0x7ffffffff000 rw-p 0x0 0 [stack]
a 30 5
end 1 1
END
spew("$dir/layout", $layout);
spew("$dir/damaged", $layout =~ s/a 30 5/a 33 5/r);
spew("$dir/short", substr $layout, 0, -4);
spew("$dir/touch.sh", "#!/bin/sh\n: >$dir/touched\n");
chmod 0755, "$dir/touch.sh";

sub layouts {
	spew("$dir/twice", $layout =~ s/frames no/frames no\ncolors 4096/r);
	spew("$dir/two-anchors", $layout =~ s/(anchor.*\n)/$1$1/r);
	spew("$dir/blank", $layout =~ s/a 30 5/a 30 5 /r);
	spew("$dir/empty", '');
	spew("$dir/long", $layout =~ s/\[stack\]/'x' x (1 << 20)/er);
	for ([ 'damaged', qr/damaged: line 8: not a page of the mapping/ ], [ 'short', qr/short: line 9: incomplete/ ],
	     [ 'touch.sh', qr/touch\.sh: line 1: not a layout/ ], [ 'none', qr/none: No such file/ ],
	     [ 'twice', qr/twice: line 6: colors twice/ ], [ 'two-anchors', qr/two-anchors: line 7: stack twice/ ],
	     [ 'blank', qr/blank: line 8: not a color below 32/ ], [ 'long', qr/long: line 7: too long/ ],
	     [ '.', qr/: Is a directory/ ], [ 'empty', qr/empty: empty file/ ], [ 'zero', qr/zero: line 1: incomplete/ ]) {
		my ($name, $message) = @$_;
		symlink '/dev/zero', "$dir/zero";
		my ($status, $text, $err) = run("$pagealloc run --replay $dir/$name $dir/touch.sh");
		is("$status$text", '1', "--replay $name: status 1");
		like($err, qr/^pagealloc: [^\n]*$message[^\n]*\n$/, 'said why, once');
		ok(!-e "$dir/touched", 'nothing is run');
	}
}

# Files of colors and frames, of any length and contents.
sub colors {
	spew("$dir/nul", "0,1\0,2\n");
	spew("$dir/digits", '1' x 100 . "\n");
	spew("$dir/comments", "# none\n, # and none\n");
	for ([ 'modulo:/dev/zero', qr{modulo:/dev/zero: /dev/zero:1: not a color} ], [ "modulo:$dir/nul", qr/nul:1: not a color/ ],
	     [ "exact:$dir/digits", qr/digits:1: not a frame number/ ], [ "modulo:$dir/comments", qr/comments: empty/ ],
	     [ "modulo:$dir", qr/: Is a directory/ ], [ "other:\@$dir", qr/\Q$dir\E: Is a directory/ ]) {
		my ($strategy, $message) = @$_;
		my ($status, $text, $err) = run("$pagealloc run --strategy $strategy $dir/touch.sh");
		is("$status$text", '2', "--strategy $strategy: status 2");
		like($err, qr/^pagealloc: [^\n]*$message[^\n]*\n$/, 'said why, once');
		ok(!-e "$dir/touched", 'nothing is run');
	}
}

# What cannot be written is known before the command does anything.
sub outputs {
	for ("record -o $dir/none/out -- $dir/touch.sh", "run --replay $dir/layout --report $dir/none/out $dir/touch.sh") {
		my ($status, $text, $err) = run("$pagealloc $_");
		is("$status$text", '1', "$_: status 1");
		like($err, qr{^pagealloc: \Q$dir\E/none/out: No such file or directory\n$}, 'says why');
		ok(!-e "$dir/touched", 'nothing is run');
	}
}

# The doctor, on systems made of files.
my %quiet = (
	'/proc/self/page_hints' => '', '/proc/sys/vm/page_hints_unprivileged' => "0\n",
	'/proc/sys/vm/page_hints_inherit' => "7\n", '/proc/cpuinfo' => "processor : 0\nflags\t: fpu sse2\n",
	'/proc/meminfo' => "MemTotal:  16000000 kB\nMemFree: 8000000 kB\n",
	'/proc/swaps' => "Filename Type Size Used Priority\n",
	'/proc/sys/kernel/numa_balancing' => "0\n", '/proc/sys/kernel/randomize_va_space' => "0\n",
	'/proc/sys/vm/compaction_proactiveness' => "0\n", '/proc/sys/vm/compact_unevictable_allowed' => "0\n",
	'/sys/kernel/mm/ksm/run' => "0\n", '/sys/module/page_alloc/parameters/shuffle' => "N\n",
	'/sys/kernel/mm/transparent_hugepage/enabled' => "always [madvise] never\n",
	'/sys/kernel/mm/transparent_hugepage/hugepages-64kB/enabled' => "always inherit madvise [never]\n",
	'/sys/devices/system/node/online' => "0\n",
	'/sys/kernel/mm/page_hint/color_info' => "colors 32\nbits 5\ncache_level 2\nsize 2097152\nways 16\nfull_rank_order 5\n",
	'/sys/kernel/mm/page_hint/color_function' => "level:2\n",
	map {
		my $c = "/sys/devices/system/cpu/cpu0/cache/index$_->[0]";
		("$c/level" => "$_->[1]\n", "$c/type" => "$_->[2]\n", "$c/number_of_sets" => "$_->[3]\n",
		 "$c/coherency_line_size" => "64\n")
	} ([ 0, 1, 'Data', 64 ], [ 1, 1, 'Instruction', 64 ], [ 2, 2, 'Unified', 2048 ]),
);
my $l3 = '/sys/devices/system/cpu/cpu0/cache/index3';
my %l3 = ("$l3/level" => "3\n", "$l3/type" => "Unified\n", "$l3/number_of_sets" => "98304\n",
	  "$l3/coherency_line_size" => "64\n");
my %with_l3 = (%quiet, %l3);

sub doctor {
	my ($without, %with) = @_;
	my %files = (%quiet, %with);
	system 'rm', '-rf', "$dir/root";
	for (keys %files) {
		my $path = $_;
		spew("$dir/root$path", $files{$path}) if !grep { $path =~ /^\Q$_\E/ } @$without;
	}
	my ($status, $text, $err) = run("MEMSCOPE_ROOT=$dir/root $pagealloc doctor -f json");
	is($err, '', 'the doctor has no complaint');
	return ($status, { map { ($_->{check} => $_) } @{decode_json($text)->{rows}} });
}

sub doctors {
	my ($status, $got) = doctor([]);
	is($status, 0, 'a quiet machine: status 0');
	is_deeply({ map { ($_ => $got->{$_}{state}) } keys %$got }, { map { ($_ => 'ok') } keys %$got },
		  'all is fine');
	my @checks = (
		[ 'virtual_machine', 'warn', [], '/proc/cpuinfo' => "flags\t: fpu hypervisor sse2\n" ],
		[ 'virtual_machine', 'ok', [], '/proc/cpuinfo' => "bugs\t: hypervisor\nflags : nohypervisor\n" ],
		[ 'virtual_machine', 'warn', [], '/sys/hypervisor/type' => "xen\n" ],
		[ 'colors', 'ok', [ '/sys/kernel/mm/page_hint' ] ],
		[ 'colors', 'bad', [ '/sys/kernel/mm/page_hint' ], '/sys/devices/system/cpu/cpu0/cache/index2/number_of_sets' => "64\n" ],
		[ 'colors', 'bad', [], '/sys/kernel/mm/page_hint/color_info' => "colors 1\nbits 0\n" ],
		[ 'colors', 'bad', [], '/sys/kernel/mm/page_hint/color_info' => "colors 0\nbits 0\nreason sets are no power of two\n" ],
		[ 'colors', 'warn', [ '/sys/kernel/mm/page_hint', '/sys/devices/system/cpu' ] ],
		[ 'hashed_cache', 'warn', [], %l3 ],
		[ 'hashed_cache', 'note', [], %l3, '/sys/kernel/mm/page_hint/color_function' => "masks:0x1,0x2\n" ],
		[ 'thp', 'warn', [], '/sys/kernel/mm/transparent_hugepage/enabled' => "[always] madvise never\n" ],
		[ 'thp', 'warn', [], '/sys/kernel/mm/transparent_hugepage/hugepages-64kB/enabled' => "[always] inherit madvise never\n" ],
		[ 'thp', 'ok', [ '/sys/kernel/mm/transparent_hugepage' ] ],
		[ 'shuffle', 'warn', [], '/sys/module/page_alloc/parameters/shuffle' => "Y\n" ],
		[ 'ksm', 'warn', [], '/sys/kernel/mm/ksm/run' => "1\n" ],
		[ 'ksm', 'ok', [], '/sys/kernel/mm/ksm/run' => "2\n" ],
		[ 'numa_balancing', 'warn', [], '/proc/sys/kernel/numa_balancing' => "1\n" ],
		[ 'compaction_proactiveness', 'warn', [], '/proc/sys/vm/compaction_proactiveness' => "20\n" ],
		[ 'compact_unevictable_allowed', 'warn', [], '/proc/sys/vm/compact_unevictable_allowed' => "1\n" ],
		[ 'swap', 'warn', [], '/proc/swaps' => "Filename Type Size Used Priority\n/dev/sda2 partition 1 0 -2\n" ],
		[ 'free_memory', 'warn', [], '/proc/meminfo' => "MemTotal: 16000000 kB\nMemFree: 1500000 kB\n" ],
		[ 'free_memory', 'ok', [ '/proc/meminfo' ] ],
		[ 'aslr', 'note', [], '/proc/sys/kernel/randomize_va_space' => "2\n" ],
		[ 'numa_nodes', 'note', [], '/sys/devices/system/node/online' => "0-1\n" ],
		[ 'inherit', 'note', [], '/proc/sys/vm/page_hints_inherit' => "0\n" ],
		[ 'kernel', 'bad', [ '/proc/self/page_hints' ] ],
	);
	for (@checks) {
		my ($check, $state, $without, %with) = @$_;
		my $what = "$check: $state with " . join ' ', (map { "no $_" } @$without), map { /([^\/]*)$/ } sort keys %with;
		($status, $got) = doctor($without, %with);
		is($got->{$check}{state}, $state, $what);
		is($status, $state eq 'bad' ? 1 : 0, 'and the status');
		ok($got->{$check}{why} && ($state eq 'ok' || $got->{$check}{fix}), 'says why, and what to do');
		is_deeply([ grep { $got->{$_}{state} ne 'ok' && $_ ne $check } keys %$got ], [], 'about nothing else');
	}
	doctor([]);
	my $root = "MEMSCOPE_ROOT=$dir/root";
	like((run("$root $pagealloc doctor --strategy partition:0-3 --size 96M -f csv"))[1],
	     qr/^large_blocks,warn,"?98304 KiB in 4 of 32 colors: of 786432 KiB, 384 blocks of 2 MiB/m,
	     'a set of colors costs large blocks: C/U times its size');
	like((run("$root $pagealloc doctor --strategy modulo:0,16,0 --size 1M -f csv"))[1],
	     qr/^large_blocks,warn,"?1024 KiB in 2 of 32 colors: of 16384 KiB, 8 blocks of 2 MiB/m,
	     'a table of colors, too');
	like((run("$root $pagealloc doctor --strategy coloring -f csv"))[1], qr/^large_blocks,ok,/m, 'all colors: none');
	doctor([ '/proc/self/page_hints' ]);
	my $text = (run("MEMSCOPE_ROOT=$dir/root $pagealloc doctor"))[1];
	like($text, qr/^bad   kernel: no page hints\n      .*\n      do: /m, 'the text says it too');
	like((run("MEMSCOPE_ROOT=$dir/root $pagealloc doctor -f csv"))[1], qr/^check,state,value,why,fix\nkernel,bad,/, 'and CSV');
	system 'rm', '-rf', "$dir/root";
	($status, $text) = run("MEMSCOPE_ROOT=$dir/root $pagealloc doctor");
	is($status, 1, 'a system without files: status 1, no crash');
}

sub numbers {
	my $stats = '/sys/kernel/debug/page_hint/stats';
	my $root = "MEMSCOPE_ROOT=$dir/root";
	spew("$dir/root$stats", "requests 10\nhit_window 9\nprobes_1 3\n");
	spew("$dir/root/sys/kernel/mm/page_hint/color_info", "colors 0\nreason no cache is known\n");
	spew("$dir/root/sys/kernel/debug/page_hint/colors", "0 100\n1 101\n");
	is((run("$root $pagealloc stats -f csv"))[1], "counter,value\nrequests,10\nhit_window,9\nprobes_1,3\n", 'stats');
	like((run("$root $pagealloc stats -i 50ms --intervals 2 -f csv"))[1],
	     qr/^interval,seconds,counter,value,per_second\n1,0\.\d+,requests,0,0\.0\n(.*\n){2}2,/, 'over intervals');
	is((run("$root $pagealloc colors -f csv"))[1], "item,value\ncolors,0\nreason,no cache is known\n", 'colors');
	is((run("$root $pagealloc colors --free-pages -f csv"))[1], "color,free_pages\n0,100\n1,101\n", 'free pages of each');
	spew("$dir/root$stats", "requests ten\n");
	my ($status, undef, $err) = run("$root $pagealloc stats");
	like("$status $err", qr/^1 .*stats: ten: not a number/, 'stats that are none');
	($status, undef, $err) = run("MEMSCOPE_ROOT=$dir/none $pagealloc stats");
	like("$status $err", qr/^1 .*no page hints, or debugfs is not mounted/, 'no stats');
}

for my $bin ('bin', 'tools-sanitize/bin') {
	$pagealloc = "$build/$bin/pagealloc";
	ok(-x $pagealloc, "$bin/pagealloc") or next;
	options();
	commands();
	layouts();
	colors();
	outputs();
	doctors();
	numbers();
}

# The header is the kernel's.
my $linux = "$build/linux/include/uapi/linux/page_hints.h";
SKIP: {
	skip 'no kernel tree', 1 if !-e $linux;
	is(slurp("$tools/pagealloc/uapi/linux/page_hints.h"), slurp($linux), 'page_hints.h is a copy of the kernel\'s');
}

# What is installed is enough to build with; man pages and header agree.
is(system("make -s -C $tools O=$build DESTDIR=$dir/i install >$dir/log 2>&1"), 0, 'make install') or diag slurp("$dir/log");
my $pc = "PKG_CONFIG_ALLOW_SYSTEM_LIBS=1 PKG_CONFIG_SYSROOT_DIR=$dir/i PKG_CONFIG_LIBDIR=$dir/i/usr/lib/pkgconfig pkg-config";
my $flags = `$pc --cflags --libs libpagealloc`;
like($flags, qr/-lpagealloc/, 'pkg-config knows it');
chomp $flags;
my $man = "$tools/../docs/man";
spew("$dir/example.c", slurp("$man/pagealloc.3") =~ /^\.EX\n(.*?)^\.EE/ms && $1 =~ s/\\-/-/gr =~ s/\\e/\\/gr);
spew("$dir/cxx.cc", "#include <pagealloc.h>\nint main() { return pagealloc_open(-1, 0, nullptr) != -22; }\n");
my %built = (self_tune => "gcc -Wall -Wextra -Werror $dir/i/usr/share/doc/libpagealloc/examples/self_tune.c",
	     example => "gcc -Wall -Wextra -Werror $dir/example.c", static => "gcc -static $dir/example.c",
	     cxx => "g++ -Wall -Wextra -Werror $dir/cxx.cc");
for my $name (sort keys %built) {
	is((run("$built{$name} -o $dir/$name $flags"))[2], '', "$name is built with it");
	my ($status, undef, $err) = run("LD_LIBRARY_PATH=$dir/i/usr/lib $dir/$name");
	if ($name eq 'cxx') {
		is($status, 0, 'and runs');
	} elsif ($no_kernel) {
		like("$status $err", qr/^1 .*page hints: not in this kernel$/, 'and says what is missing');
	}
}
like(`readelf -d $dir/self_tune`, qr/libpagealloc\.so\.1\]/, 'by its soname');
my @exported = sort map { /^\S+ T (\S+?)@/ ? $1 : () } split /\n/, `nm -D --defined-only $dir/i/usr/lib/libpagealloc.so`;
my $header = slurp("$tools/pagealloc/pagealloc.h") =~ s/\/\*.*?\*\///gsr =~ s/^typedef.*//mgr;
is_deeply(\@exported, [ sort $header =~ /\b(pagealloc_\w+)\(/g ], 'it exports what the header has');
is_deeply([ grep { !-e "$dir/i/usr/share/man/man3/$_.3" } @exported ], [], 'each has a man page');
for my $page (glob("$man/pagealloc*.[135]")) {
	is((run("man --warnings -l $page >/dev/null"))[2], '', ($page =~ s/.*\///r) . ' is well-formed');
}
my $page = slurp("$man/pagealloc.1");
for my $verb (qw(run set clear get map verify repair record colors stats doctor)) {
	my $help = (run("$build/bin/pagealloc $verb --help"))[1];
	my @missing = grep { my $o = s/-/\\-/gr; index($page, $o) < 0 } $help =~ /(--[a-z0-9-]+)/g;
	is_deeply([ grep { !/--help/ } @missing ], [], "pagealloc(1) has the options of $verb");
}
$page = slurp("$man/pagealloc-bench.1");
for my $command ('pagealloc bench run', 'pagealloc bench model', 'pagealloc-programs') {
	my $help = (run("$build/bin/$command --help"))[1];
	my @missing = grep { my $o = s/-/\\-/gr; index($page, $o) < 0 } $help =~ /(--[a-z0-9-]+)/g;
	is_deeply([ grep { !/--help/ } @missing ], [], "pagealloc-bench(1) has the options of $command");
}
done_testing;
