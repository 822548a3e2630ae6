#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# pagealloc on a kernel with page hints: pages land where strategies say, the
# maps agree, a layout of one boot is replayed in the next.
use strict;
use warnings;
no warnings 'portable';
use FindBin;
use lib $FindBin::RealBin, "$FindBin::RealBin/../../tools/tests";
use Examples;
use JSON::PP;
use Test::More;
use VM;

my $kernel = $ENV{MEMSCOPE_KERNEL} // 'vm';
my @kernel = ('--kernel', $kernel);
system 'cp', "$build/bin/pagealloc", "$build/bin/pagetest", $share;
is(system("make -s -C $FindBin::RealBin/../../tools O=$build DESTDIR=$share/i install >$share/log 2>&1"), 0, 'make install');
my $flags = `PKG_CONFIG_ALLOW_SYSTEM_LIBS=1 PKG_CONFIG_SYSROOT_DIR=$share/i PKG_CONFIG_LIBDIR=$share/i/usr/lib/pkgconfig pkg-config --cflags --libs libpagealloc` =~ s/\n//r;
is(system("gcc -static $share/i/usr/share/doc/libpagealloc/examples/self_tune.c -o $share/self_tune $flags"), 0, 'the example is built');
# The programs in the man pages of the library: example_PAGE runs that of PAGE(3).
my @examples;
for my $page (glob "$FindBin::RealBin/../../docs/man/pagealloc*.3") {
	my ($name) = $page =~ /([^\/]+)\.3$/;
	my @programs = programs($page);
	is(scalar(@programs), 1, "$name(3) has a program");
	open my $source, '>', "$share/example_$name.c" or die;
	print $source @programs;
	close $source;
	is(system("gcc -static -o $share/example_$name $share/example_$name.c $flags"), 0, 'which is built');
	push @examples, $name;
}
# A static program at fixed addresses, with data, heap and mapped memory.
open my $c, '>', "$share/static.c" or die;
print $c <<'END';
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
static char data[256 * 4096];
int main(void)
{
	char *heap = malloc(100 * 1024), *map;
	map = mmap(0, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	memset(data, 1, sizeof(data));
	memset(heap, 1, 100 * 1024);
	memset(map, 1, 1 << 20);
	return 0;
}
END
close $c;
is(system("gcc -static -no-pie -O0 $share/static.c -o $share/static"), 0, 'so is a static program');

# The sample strategy, outside of the tree, as Documentation/mm/page_strategies.rst says.
is(system("cp -r $build/linux/samples/page_strategy $share/reverse && make -s -C $build/linux O=$kernel_dir " .
	  "M=$share/reverse CONFIG_SAMPLE_PAGE_STRATEGY=m LOCALVERSION= modules >$share/log 2>&1"), 0,
   'the sample strategy is built') or diag slurp("$share/log");

my $common = <<'EOT';
cd /share || exit 1

# start OPTIONS...: pagetest in the background, when all of its pages are there.
start() {
	pagealloc run "$@" pagetest --how anon --size 16M --sleep 100000 >/tmp/started &
	pid=$!
	until grep -q iteration /tmp/started; do
		kill -0 $pid || return 1
		sleep 0.2
	done
}
stop() { kill $pid; wait $pid 2>/dev/null; }
fill() { head -c 300M /dev/zero >/tmp/fill; head -c 200M /dev/zero >/tmp/fill2; rm /tmp/fill; }
EOT

sub boot {
	my ($script, @options) = @_;
	my $vm = vm(@kernel, '--root', 'host', '--share', $share, '--timeout', 600, '--mem', '1G', @options,
		    '--env', 'PATH=/share:/usr/sbin:/usr/bin:/sbin:/bin', '--', 'sh', '-c', "$common$script");
	is($vm->{status}, 0, 'the guest came to its end') or diag $vm->{err}, $vm->{out};
	return $vm;
}

# Rows of a table in JSON by the value of a column.
sub rows {
	my ($file, $key) = @_;
	my $rows = eval { decode_json(slurp("$share/$file"))->{rows} } // [];
	return $key ? { map { ($_->{$key} => $_) } @$rows } : $rows;
}

my $vm = boot(<<'EOT');
pagealloc colors -f json >default
echo colors:64 >/sys/kernel/mm/page_hint/color_function || exit 1
pagealloc colors -f json >colors
pagealloc colors --free-pages -f json >free
pagealloc doctor -f json >doctor
echo "doctor $?"
pagealloc stats -f json >stats0
i=0
for strategy in coloring coloring:offset=5 modulo:3,1,4,1,5 partition:0-7 random:seed=7; do
	i=$((i + 1))
	start --strategy $strategy || exit 1
	pagealloc verify $pid -f json >verify.$i
	pagealloc get $pid -f json >get.$i
	if [ $i = 1 ]; then
		pagealloc map $pid -f csv >map
		cat /proc/$pid/page_map >page_map
		perl -e 'open my $p, "<:raw", "/proc/$ARGV[0]/pagemap" or die;
			while (<STDIN>) {
				my ($a) = /^0x([0-9a-f]+),/ or next;
				seek $p, hex($a) / 4096 * 8, 0; read $p, my $e, 8;
				printf "%s %d\n", $a, unpack("Q", $e) & (1 << 55) - 1;
			}' $pid <map >pagemap
		pagealloc record $pid -o coloring.layout || exit 1
		# The heap gets a hint of its own.
		pagealloc set $pid '[heap]' --strategy binhop --order0 || exit 1
		pagealloc get $pid -f json >get.heap
		pagealloc clear $pid '[heap]' && pagealloc get $pid -f csv | wc -l >get.cleared
		pagealloc clear $pid && pagealloc get $pid -f csv | wc -l >>get.cleared
		pagealloc set $pid --strategy random:seed=3
		pagealloc repair $pid -f json >repair 2>repair.err
		echo "repair $?"
		pagealloc verify $pid -f json >verify.repair
	fi
	stop
done
pagealloc stats -f json >stats1
insmod reverse/page_strategy_reverse.ko || exit 1
start --strategy reverse || exit 1
pagealloc map $pid -f csv >map.reverse
stop
until rmmod page_strategy_reverse; do sleep 0.1; done

# Children and new programs.
for inherit in fork,exec fork exec none; do
	pagealloc run --strategy coloring --inherit $inherit -- bash -c '
		pagealloc get $$ -f csv | grep -c ,coloring,
		(p=$BASHPID; pagealloc get $p -f csv | grep -c ,coloring,; :)
		bash -c "pagealloc get \$\$ -f csv | grep -c ,coloring,; :"
		:' | tr '\n' ' ' >>inherit
	echo >>inherit
done
pagealloc run --strategy coloring --inherit none -- sh -c 'exit 7'
echo "status $?"
pagealloc run --strategy coloring --inherit none -- sh -c 'kill -9 $$'
echo "killed $?"
pagealloc run --strategy coloring --inherit none -- /share/nothing 2>/dev/null
echo "missing $?"

self_tune coloring random:seed=1 >tune
echo "tune $?"
for example in example_*.c; do
	example=${example%.c}
	$example >$example.out 2>$example.err
	echo "example ${example#example_} $?"
done

# Static, with and without randomized addresses; aged memory in between.
pagealloc record --no-aslr -o static.layout -- static || exit 1
fill
pagealloc run --replay static.layout --no-aslr --report static.fixed -- static
echo "static $?"
pagealloc run --replay static.layout --report - -- static 2>static.moved
# The same program twice, dynamic, addresses randomized, other memory free.
fill
pagealloc record -o dynamic.layout -- pagetest --size 16M --how anon >/dev/null || exit 1
fill
pagealloc run --replay dynamic.layout --report dynamic.report -- pagetest --size 16M --how anon >/dev/null
echo "dynamic $?"
pagealloc run --no-aslr -- pagetest --size 16M --how anon >/dev/null
start --replay coloring.layout
# pagealloc stays its parent, and passes signals on.
parent=$pid
pid=$(pgrep -P $parent)
pagealloc verify $pid --against coloring.layout -f json >against
pagealloc verify $pid --against coloring.layout --exact -f json >against.exact
pagealloc verify $pid --against coloring.layout --exact --list -f json >against.list
kill $parent; wait $parent
echo "parent $?"
# The same without the layout: other colors, by other hints.
pagealloc record --no-aslr -o plain.layout -- pagetest --size 16M --how anon >/dev/null || exit 1
start --no-aslr --strategy random:seed=9
pagealloc verify $pid --against plain.layout -f json >unlike
stop
pagealloc record --no-frames -o noframes.layout -- true
pagealloc run --replay noframes.layout --exact -- true 2>noframes.err
echo "noframes $?"

# Nobody learns frames and colors, or places anything.
chmod 755 /share
setpriv --reuid 65534 --clear-groups sh -c '
	pagealloc map $$ -f json >/tmp/nobody.map; pagealloc verify $$ -f json >/tmp/nobody.verify
	pagealloc run --strategy coloring true; echo "nobody run $?"
	pagealloc set $$ --strategy coloring; echo "nobody set $?"
	pagealloc record $$ -o /tmp/nobody.layout; echo "nobody record $?"
	pagealloc get 1; echo "nobody get $?"
	ls /tmp/nobody.layout*' >nobody.out 2>nobody.err
cp /tmp/nobody.map /tmp/nobody.verify .
echo 1 >/proc/sys/vm/page_hints_unprivileged
setpriv --reuid 65534 --clear-groups pagealloc run --strategy coloring true
echo "allowed $?"

# Another color function, once no process has hints.
for try in $(seq 600); do
	echo colors:8 >/sys/kernel/mm/page_hint/color_function 2>/dev/null && break
	sleep 0.1
done
pagealloc run --replay coloring.layout -- true 2>function.err
echo "function $?"
EOT

my %status = $vm->{out} =~ /^(\w+(?: \w+)?) (\d+)$/mg;
my $colors = rows('colors', 'item');
my $nr = $colors->{colors}{value} // 0;
is($nr, 64, 'there are 64 colors, as they were given');
like(rows('default', 'item')->{function}{value}, qr/^level:2$/, 'without that, those of the level 2 cache');
is(scalar(split /,/, $colors->{masks}{value} // ''), $colors->{bits}{value}, 'of as many masks as bits');
my $free = rows('free');
is(scalar(@$free), $nr, 'free pages of each');
is($status{doctor}, 0, 'the doctor finds the kernel, and colors');
my @strategies = ('coloring', 'coloring', 'modulo', 'partition', 'random');
for my $i (1 .. 5) {
	my $all = rows("verify.$i", 'start')->{all};
	my $hits = $all->{hits} // 0;
	cmp_ok($all->{placed} // 0, '>', 4096, "$strategies[$i - 1]: $all->{placed} pages have a place");
	cmp_ok($hits, '>=', 0.999 * ($all->{placed} // 1), "$hits are there");
	is(rows("get.$i")->[0]{strategy}, $strategies[$i - 1], 'and get says which');
	cmp_ok(rows("get.$i")->[0]{requests}, '>', 4096, 'and how often it was asked');
}

# Three maps: address, frame, color.
my (%map, %page_map, %pagemap);
for (split /\n/, slurp("$share/map")) {
	$map{$1} = "$2 $3" if /^0x([0-9a-f]+),(\d+),(\d+),/;
}
for (split /\n/, slurp("$share/page_map")) {
	$page_map{$1} = "$2 $3" if /^([0-9a-f]+) (\d+) (\d+) /;
}
%pagemap = map { split ' ' } split /\n/, slurp("$share/pagemap");
cmp_ok(scalar(keys %map), '>', 4096, 'map: ' . keys(%map) . ' pages');
is_deeply(\%map, \%page_map, '/proc/PID/page_map has the same frames and colors');
is_deeply({ map { ($_ => (split ' ', $map{$_})[0]) } keys %map }, \%pagemap, '/proc/PID/pagemap the same frames');

my $downward = grep { /^0x([0-9a-f]+),\d+,(\d+),/ && $2 == (-(hex($1) >> 12) & 63) }
	split /\n/, slurp("$share/map.reverse");
cmp_ok($downward, '>', 4000, "the sample strategy: $downward pages in colors that run downward");

my $heap = (grep { ($_->{mapping} // '') eq '[heap]' } @{rows('get.heap')})[0];
is(($heap->{strategy} // '') . ($heap->{order0} // ''), 'binhop1', 'a range has a hint of its own');
is(slurp("$share/get.cleared"), "2\n1\n", 'until it is cleared, and all are');
my $repair = rows('repair', 'outcome');
is($status{repair}, 0, 'repair') or diag slurp("$share/repair.err");
cmp_ok($repair->{moved}{pages}, '>', 3900, "moved $repair->{moved}{pages} pages");
my $all = rows('verify.repair', 'start')->{all};
cmp_ok($all->{hits}, '>=', 0.99 * $all->{placed}, "$all->{hits} of $all->{placed} are there then");
my ($before, $after) = map { rows("stats$_", 'counter') } 0, 1;
my $requests = $after->{requests}{value} - $before->{requests}{value};
cmp_ok($requests, '>', 5 * 4096, "stats counted $requests requests");

my @inherit = map { [ split ' ' ] } split /\n/, slurp("$share/inherit");
is_deeply(\@inherit, [ [ 1, 1, 1 ], [ 1, 1, 0 ], [ 1, 0, 0 ], [ 1, 0, 0 ] ],
	  'fork reaches children, with exec their programs') or diag slurp("$share/inherit");
is($status{status}, 7, 'a command that was stopped at its begin: its status');
is($status{killed}, 137, 'that of a signal');
is($status{missing}, 127, 'and 127 if it is not there');
is($status{tune}, 0, 'self_tune') or diag slurp("$share/tune");
like(slurp("$share/tune"), qr/^kept (coloring|random:seed=1)$/m, 'kept one');

is_deeply([ grep { ($status{"example $_"} // 1) != 0 } @examples ], [], 'the programs in the man pages end well')
	or diag map { "$_: " . (slurp("$share/example_$_.err") // '') } @examples;
my %printed = map { $_ => slurp("$share/example_$_.out") // '' } @examples;
is($printed{pagealloc_open}, "$nr colors\n" . join('', map { "frame $_: color " . $_ % $nr . "\n" } 4096 .. 4099),
   'pagealloc_open(3): the color function that was given');
for my $expected ([ pagealloc => 256 ], [ pagealloc_alloc => 256 ], [ pagealloc_set => 64 ], [ pagealloc_layout => 20 ]) {
	my ($name, $pages) = @$expected;
	my ($have, $of) = $printed{$name} =~ /^(?:modulo: )?(\d+) of (\d+) pages (?:have|are) /m;
	cmp_ok($of // 0, '>=', $pages, "$name(3): " . ($of // 0) . ' pages');
	cmp_ok($have // 0, '>=', 0.98 * ($of // 1), ($have // 0) . ' of them as requested or recorded') or diag $printed{$name};
}
my ($moved_pages, $not) = $printed{pagealloc_query} =~ /^(\d+) pages moved, (\d+) not$/m;
# One page in 64 has the requested color by chance.
cmp_ok(($moved_pages // 0) + ($not // 0), '>=', 32, 'pagealloc_query(3): most pages of no hint have another color');
cmp_ok($moved_pages // 0, '>=', 0.9 * (($moved_pages // 0) + ($not // 0)), 'and move');
is(scalar(() = $printed{pagealloc_query} =~ /: color \d+, requested \d+$/mg), $not // 0, 'and those that do not are printed');

sub replayed {
	my ($text, $name, $min) = @_;
	return ok(0, "$name: no report") && {} if !defined $text;
	my %n = $text =~ /^(\w+) +(\d+)/mg;
	my $share = $n{recorded} ? $n{there} / $n{recorded} : 0;
	diag $text if !ok($share >= $min, "$name: $n{there} of $n{recorded} pages as recorded");
	return \%n;
}
replayed(slurp("$share/static.fixed"), 'static, fixed addresses', 0.99);
is($status{static}, 0, 'its status');
my $moved = replayed(slurp("$share/static.moved"), 'static, randomized: all but what mmap() gave', 0.4);
cmp_ok($moved->{unmapped}, '>=', 256, 'and these are counted');
like(slurp("$share/static.moved"), qr/^pagealloc: .*cannot be found again \(try --no-aslr\)/m, 'and said');
replayed(slurp("$share/dynamic.report"), 'dynamic, randomized', 0.99);
is($status{dynamic}, 0, 'its status');
my $against = rows('against', 'item');
my ($exact, $list) = (rows('against.exact', 'item'), rows('against.list'));
is(scalar(@$list), $exact->{recorded}{pages} - $exact->{there}{pages}, '--list names each page that is not there');
is_deeply([ grep { $_->{pfn} && $_->{pfn} == $_->{recorded_pfn} } @$list ], [], 'none of them is');
is($status{parent}, 143, 'a signal is passed on');
cmp_ok($against->{there}{pages}, '>=', 0.99 * $against->{recorded}{pages}, 'verify --against says so of a process');
my $unlike = rows('unlike', 'item');
cmp_ok($unlike->{there}{pages}, '<', 0.05 * $unlike->{recorded}{pages}, 'and of one that is not so');
is($status{noframes}, 1, 'no frames: not exact');
like(slurp("$share/noframes.err"), qr/has no frames: it was recorded with --no-frames/, 'it says why');
is($status{function}, 1, 'another color function: refused');
like(slurp("$share/function.err"), qr/recorded with another color function \($nr colors, masks 0x1,.*\) than .*\(8 colors, masks 0x1,0x2,0x4\)/, 'both are named');

my $nobody = rows('nobody.map');
cmp_ok(scalar(@$nobody), '>', 10, 'nobody sees its pages');
is_deeply([ grep { defined $_->{pfn} || defined $_->{color} } @$nobody ], [], 'but no frame and no color');
is(rows('nobody.verify')->[-1]{hits}, undef, 'and no hits');
is_deeply({ slurp("$share/nobody.out") =~ /^nobody (\w+) (\d+)$/mg }, { run => 1, set => 1, record => 1, get => 1 },
	  'may set no hint, record nothing, look at no other');
like(slurp("$share/nobody.err"), qr/needs CAP_SYS_NICE/, 'and is told why');
unlike(slurp("$share/nobody.out"), qr/layout/, 'and leaves nothing');
is($status{allowed}, 0, 'with vm.page_hints_unprivileged=1 it may');

# The next boot: other memory is free.
if (-s "$share/dynamic.layout") {
	$vm = boot(<<'EOT', '--smp', 1);
echo colors:64 >/sys/kernel/mm/page_hint/color_function || exit 1
fill
pagealloc run --replay dynamic.layout --report next.report -- pagetest --size 16M --how anon >/dev/null
echo "next $?"
pagealloc run --replay dynamic.layout --exact --report next.exact -- pagetest --size 16M --how anon >/dev/null
echo "exact $?"
EOT
	replayed(slurp("$share/next.report"), 'in the next boot', 0.99);
	diag $vm->{err} if $vm->{err};
	my $exact = replayed(slurp("$share/next.exact"), 'exact, as far as frames are free', 0);
	is($exact->{there} + $exact->{elsewhere} + $exact->{absent} + $exact->{swapped} + $exact->{unmapped},
	   $exact->{recorded}, 'and all others are accounted for');
}
done_testing;
