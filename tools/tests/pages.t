#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# The pages of memref, memprof, memscope and of the demonstration, used in a browser by mouse
# and keyboard: plots show values, zoom, share one window of time, and switch classes; tables
# show all rows, sorted; axe-core finds no barrier in light and dark; names of a recording stay
# text; and without JavaScript the pictures are there.
use strict;
use warnings;
no warnings 'portable';
use FindBin;
use lib $FindBin::RealBin, "$FindBin::RealBin/../memscope/tests";
use JSON::PP;
use Planted;
use Test::More;
use Tool;

my $modules = "$build/page-tests/node_modules";
my $reason = `$FindBin::RealBin/pages/browser.sh $build/page-tests 2>&1`;
chomp $reason;
plan skip_all => $reason if $? >> 8 == 77;
is($?, 0, 'a browser and what drives it') or BAIL_OUT($reason);

# What names may do to a page: end an element, an attribute, a script, a string; and bytes of no character.
my $hostile = q{</script>"'><img src=x onerror=hostile=1>} . "\xff\xc0\n";
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

# The demonstration, of chapters made up.
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
is(system("$tools/../test-vms/demo/page.pl", "$dir/demo"), 0, 'demo: a page is made');

my @pages = (page('memref', "$bin/memref", 'html', "$dir/memref.dat", '--title', $hostile),
	     page('memprof', "$bin/memprof", 'html', "$dir/memprof.data"),
	     page('memscope', "$bin/memscope", 'html', "$dir/memref.dat", "$dir/later.dat", "$dir/memprof.data", $types, '--title', $hostile),
	     "$dir/demo/index.html");
for (@pages) {
	my $text = slurp($_);
	unlike($text, qr/<img src=x|<\/script>"/, "$_: names are escaped");
	unlike($text =~ s/<script>.*?<\/script>|srcdoc="[^"]*"//gsr, qr/\b(?:src|href)=["']?+(?!#|data:|memory\/|objects\/|x[ \/]onerror)|url\((?!#)|\@import|<link/, 'no other file');
}
like(slurp($pages[0]), qr/dygraphs is MIT-licenced:.*THE SOFTWARE IS PROVIDED/s, 'the license of the plotting library is in the page');

my ($ended, %seen);
open my $drive, '-|', 'env', "HOME=$dir", 'node', "$FindBin::RealBin/pages/drive.js", $modules, @pages or die;
while (<$drive>) {
	my $c = decode_json($_);
	$ended = 1 if $c->{end};
	next if $c->{end};
	my ($name) = $c->{page} =~ /([^\/]+\/[^\/]+)\.html$/;
	$seen{$1}++ if $c->{name} =~ /(zooms|all plots|brush|another frame|no values|all rows|sorted|axe-core)/;
	is_deeply($c->{got}, $c->{want}, "$name: $c->{name}") or diag explain $c->{got};
}
close $drive;
ok($ended, 'the browser came to its end');
# A page that has lost its plots or tables would pass by having nothing to check.
cmp_ok($seen{$_} // 0, '>=', 2, "checked: $_") for qw(zooms brush sorted axe-core), 'all plots', 'another frame', 'no values';
done_testing();
