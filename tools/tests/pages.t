#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# The pages of memref, memprof and memscope, used in a browser by mouse and
# keyboard: plots show values, zoom, share one window of time, and switch classes; tables
# show all rows, sorted; axe-core finds no barrier in light and dark; names of a recording stay
# text; and without JavaScript the pictures are there.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin, "$FindBin::RealBin/../memscope/tests";
use Browser;
use Planted;
use Test::More;
use Tool;

need_browser();
my $bin = "$build/bin";

# Without a shell, to which names would mean something.
sub page {
	my ($name, @command) = @_;
	is(system(@command, '-o', "$dir/$name.html"), 0, "$name: a page is made");
	return "$dir/$name.html";
}

system(helper('memref_gen'), "$dir/memref.dat", q{</script>"'&}) == 0 or die 'memref_gen';
# A second, which begins a second later: two seconds are of both, none is memprof's.
system(helper('memref_gen'), "$dir/later.dat", 'later', 11) == 0 or die 'memref_gen';
open my $planted, '|-', helper('memprof_planted'), "$dir/memprof.data", $hostile =~ tr/\n//dr or die;
print $planted "table 1 0 1200 0x11000000 107\nqueue 0 0 800 0x12000000 107\n";
close $planted or die 'memprof_planted';
my $types = plant_types("$dir/types.txt", 0, cache => q{</script>"'><img/src=x/onerror=hostile=1>});

my @pages = (page('memref', "$bin/memref", 'html', "$dir/memref.dat", '--title', $hostile),
	     page('memprof', "$bin/memprof", 'html', "$dir/memprof.data"),
	     page('memscope', "$bin/memscope", 'html', "$dir/memref.dat", "$dir/later.dat", "$dir/memprof.data", $types, '--title', $hostile));
self_contained(@pages);
like(slurp($pages[0]), qr/dygraphs is MIT-licenced:.*THE SOFTWARE IS PROVIDED/s, 'the license of the plotting library is in the page');

my $seen = use_pages(@pages);
# A page that has lost its plots or tables would pass by having nothing to check.
cmp_ok($seen->{$_} // 0, '>=', 2, "checked: $_") for qw(zooms brush sorted axe-core), 'all plots', 'another frame', 'no values';
done_testing();
