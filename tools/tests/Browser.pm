# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# What the tests of pages share: a browser that uses pages by mouse and keyboard (pages/drive.js).
package Browser;

use strict;
use warnings;
use Exporter 'import';
use File::Basename 'dirname';
use JSON::PP;
use Test::More;
use Tool;

our @EXPORT = qw($hostile need_browser self_contained use_pages);

# What names may do to a page: end an element, an attribute, a script, a string; and bytes of no character.
our $hostile = q{</script>"'><img src=x onerror=hostile=1>} . "\xff\xc0\n";
my $pages = dirname(__FILE__) . '/pages';

# Skips the test program where there is no browser, or nothing to drive it with.
sub need_browser {
	my $reason = `$pages/browser.sh $build/page-tests 2>&1`;
	chomp $reason;
	plan skip_all => $reason if $? >> 8 == 77;
	is($?, 0, 'a browser and what drives it') or BAIL_OUT($reason);
}

# Names are text in these pages, and the pages need no other file.
sub self_contained {
	for (@_) {
		my $text = slurp($_);
		unlike($text, qr/<img src=x|<\/script>"/, "$_: names are escaped");
		unlike($text =~ s/<script>.*?<\/script>|srcdoc="[^"]*"//gsr, qr/\b(?:src|href)=["']?+(?!#|data:|memory\/|objects\/|x[ \/]onerror)|url\((?!#)|\@import|<link/, 'no other file');
	}
}

# Uses the pages, a test for each check; returns how often each kind of check was made.
sub use_pages {
	my ($ended, %seen);
	open my $drive, '-|', 'env', "HOME=$dir", 'node', "$pages/drive.js", "$build/page-tests/node_modules", @_ or die;
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
	return \%seen;
}

1;
