#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# memprof html in a browser without a window: it reports no error, and what it has made of
# the page are the pictures, and in each table what the same view says in JSON.
use strict;
use warnings;
use File::Temp 'tempdir';
use FindBin;
use JSON::PP;
use Test::More;

my $build = $ENV{MEMSCOPE_BUILD} // "$FindBin::RealBin/../../../build";
my $dir = tempdir('memprof-html.XXXXXX', TMPDIR => 1, CLEANUP => 1);
my ($memprof, $data) = ("$build/bin/memprof", "$dir/made-up.data");

grep { -x "$_/chromium" } split /:/, $ENV{PATH} or BAIL_OUT('there is no chromium (make deps)');
system("$build/tools/tests/memprof_gen", $data, 20000, 50000, 4, 500, 1) == 0 or BAIL_OUT('memprof_gen');
is(system("$memprof html $data -o $dir/page.html"), 0, 'a page is made');

sub slurp {
	open my $f, '<:utf8', $_[0] or return '';
	local $/;
	return <$f>;
}

# --no-sandbox: root's.  No network: what it would fetch would be missing.
sub browse {
	my ($page) = @_;
	my $dom = `cd $dir && HOME=$dir timeout 120 chromium --headless --no-sandbox --disable-gpu --host-resolver-rules='MAP * ~NOTFOUND' --enable-logging=stderr --log-level=0 --virtual-time-budget=5000 --dump-dom file://$page 2>$dir/browser.err`;
	return ($?, $dom);
}

sub text {
	my ($html) = @_;
	my %entity = (lt => '<', gt => '>', amp => '&', quot => '"', nbsp => "\xa0");
	$html =~ s/<[^>]*>//g;
	$html =~ s/&(\w+);/$entity{$1} \/\/ "&$1;"/ge;
	return $html =~ s/^\s+|\s+$//gr;
}

my ($status, $dom) = browse("$dir/page.html");
my $console = join '', grep { /:CONSOLE/ } split /^/, slurp("$dir/browser.err");
is($status, 0, 'the browser shows it');
is($console, '', 'and has no error of the page to report');
my $page = slurp("$dir/page.html");
my $svgs = () = $page =~ /<svg\b/g;
cmp_ok($svgs, '>=', 2, "the page has pictures: $svgs");
is(scalar(() = $dom =~ /<svg\b/g), $svgs, 'the browser has all of them');
unlike($page, qr/(?:src|href)=["']?(?!#)[^"'>]*:\/\/|url\(http|\@import/, 'nothing comes from elsewhere');
like($dom, qr/<h2 id="diagnosis">/, 'the diagnosis is there');

for my $view (qw(summary objects threads nodes)) {
	my $json = `$memprof report $view $data -f json`;
	my $rows = decode_json($json)->{rows};
	my ($part) = $dom =~ /<h3 id="$view">(.*?)(?:<h3 |<\/body>)/s;
	my ($table) = ($part // '') =~ /<table>(.*?)<\/table>/s;
	my @names = map { text($_) } ($table // '') =~ /<th\b[^>]*>(.*?)<\/th>/sg;
	my @shown = map { [ map { text($_) } /<td[^>]*>(.*?)<\/td>/sg ] } ($table // '') =~ /<tr>(.*?)<\/tr>/sg;
	shift @shown;
	my @wrong;
	# A page has the first hundred.
	my $n = @$rows < 100 ? @$rows : 100;
	for my $i (0 .. $n - 1) {
		for my $k (0 .. $#names) {
			my ($want, $got) = ($rows->[$i]{$names[$k]}, $shown[$i][$k] // 'nothing');
			my $same = !defined $want ? $got eq '-' :
				   $got =~ /^-?[\d.]+$/ && $want =~ /^-?[\d.e+-]+$/ ? $got == $want : $got eq $want;
			push @wrong, "row $i, $names[$k]: $got, not " . ($want // 'null') unless $same;
		}
	}
	is_deeply([ sort @names ], [ sort keys %{$rows->[0] // {}} ], "$view: the columns are JSON's");
	is(scalar @shown, $n, "$view: so many rows are there");
	is("@wrong[0 .. ($#wrong < 4 ? $#wrong : 4)]", '', "$view: and each cell is what JSON says");
}

# That an error would be seen: the same page with a script that fails.
open my $f, '>:utf8', "$dir/bad.html" or die;
print $f $page =~ s/<\/body>/<script>no_such_function()<\/script><\/body>/r;
close $f;
browse("$dir/bad.html");
like(slurp("$dir/browser.err"), qr/:CONSOLE.*no_such_function/, 'an error of a page would have been reported');

is(system("$FindBin::RealBin/../../tests/read_recordings", 'tools-memprof_html', $dir), 0, 'no report of the sanitizers');
done_testing();
