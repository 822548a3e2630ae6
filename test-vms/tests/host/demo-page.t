#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# The page of the demonstration, of chapters made up, used in a browser as tools/tests/pages.t
# uses those of the tools: its plots show values and zoom, axe-core finds no barrier, names stay
# text, and without JavaScript the pictures are there.
use strict;
use warnings;
no warnings 'portable';
use FindBin;
use lib "$FindBin::RealBin/../../../tools/tests";
use Browser;
use JSON::PP;
use Test::More;
use Tool;

need_browser();

system('mkdir', '-p', "$dir/demo/memory", "$dir/demo/objects") == 0 or die;
spew("$dir/demo/memory/memory.csv", "time_s,interval_s,virt_addr,size_kib,area,place_mib,pages\n" .
     join '', map { my $t = $_; map { sprintf "%.3f,0.250,%d,1024,1,%d,%d\n", $t / 4, 0x7f0000000000 + ($_ << 20), $_, $_ * $t } 0 .. 9 } 1 .. 20);
spew("$dir/demo/objects/objects.csv", "from_node,to_node,accesses\n0,0,100\n\"$hostile\",1,7\n");
for my $chapter (qw(memory objects)) {
	spew("$dir/demo/$chapter/commands", "memref record -- $hostile\n");
	# The smallest picture there is.
	spew("$dir/demo/$chapter/picture.png", pack 'H*', '89504e470d0a1a0a0000000d4948445200000001000000010806000000' .
	     '1f15c4890000000d49444154789c636060606000000005000157d6c5a00000000049454e44ae426082');
	spew("$dir/demo/$chapter/chapter.json", JSON::PP->new->encode({
		title => "Which? $hostile", found => [ "It has $hostile" ], picture => 'picture.png', alt => "$chapter $hostile",
		caption => 'a caption', source => 'a source', links => [ [ 'data', "$chapter.csv" ] ],
		plot => { csv => "$chapter.csv", spec => $chapter eq 'memory' ?
			{ kind => 'heat', x => 'time_s', width => 'interval_s', time => JSON::PP::true, y => 'virt_addr', size => 'size_kib',
			  place => 'place_mib', series => [ [ 'pages', 'user' ] ], unit => 'pages' } :
			{ kind => 'bars', label => [qw(from_node to_node)], format => '{0} to {1}', series => [ [ 'accesses', 'accesses' ] ], unit => 'samples' } },
	}));
}
is(system("$FindBin::RealBin/../../demo/page.pl", "$dir/demo"), 0, 'a page is made');

my $page = "$dir/demo/index.html";
self_contained($page);
my $seen = use_pages($page);
# A page that has lost its plots would pass by having nothing to check.
cmp_ok($seen->{$_} // 0, '>=', 1, "checked: $_") for qw(zooms axe-core), 'all plots';
done_testing();
