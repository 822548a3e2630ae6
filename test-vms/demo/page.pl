#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# page.pl DIRECTORY: writes DIRECTORY/index.html, one self-contained page of the chapters that
# DIRECTORY has: of each, what was found, one picture, the commands, and where samples come from.
# A chapter with the data of its picture has a plot that reacts, as the pages of the tools have.
use strict;
use warnings;
use FindBin;
use JSON::PP;
use MIME::Base64;

my ($out) = @ARGV or die "usage: page.pl DIRECTORY\n";

sub slurp {
	my ($path) = @_;
	open my $f, '<:raw', $path or die "page.pl: $path: $!\n";
	local $/;
	return <$f>;
}

sub escaped {
	my ($text) = @_;
	my %as = ('&' => '&amp;', '<' => '&lt;', '>' => '&gt;', '"' => '&quot;', "'" => '&#39;');
	return $text =~ s/[\0-\x08\x0b-\x1f]/?/gr =~ s/([&<>"'])/$as{$1}/gr;
}

sub section {
	my ($name) = @_;
	# Bytes, as findings.pl writes them and the page has them.
	my $c = JSON::PP->new->decode(slurp("$out/$name/chapter.json"));
	my $image = encode_base64(slurp("$out/$name/$c->{picture}"), '');
	my $html = "<section id=\"$name\" aria-labelledby=\"h-$name\">\n<h2 id=\"h-$name\">" . escaped($c->{title}) . "</h2>\n";
	$html .= '<p class="verdict">' . escaped($_) . "</p>\n" for @{ $c->{found} };
	my $plot = $c->{plot};
	$html .= '<figure' . ($plot ? " class=\"plot\" id=\"plot-$name\" data-csv=\"csv-$name\" data-plot=\"" .
		 escaped(JSON::PP->new->canonical->encode($plot->{spec})) . '" aria-label="' . escaped($c->{alt}) . '"' : '') . ">\n";
	$html .= "<div class=\"static\"><img src=\"data:image/png;base64,$image\" alt=\"" . escaped($c->{alt}) . "\"></div>\n";
	$html .= '<figcaption>' . escaped($c->{caption}) . "</figcaption></figure>\n";
	$html .= "<details><summary>data of the picture as CSV</summary><pre id=\"csv-$name\" tabindex=\"0\" role=\"region\" " .
		 "aria-label=\"data of the picture as CSV\">" . escaped(slurp("$out/$name/$plot->{csv}")) . "</pre></details>\n" if $plot;
	$html .= "<h3>Commands</h3>\n<pre tabindex=\"0\" role=\"region\" aria-label=\"commands\">" . escaped(slurp("$out/$name/commands")) . "</pre>\n";
	$html .= '<p class="source"><b>Source of the data:</b> ' . escaped($c->{source}) . "</p>\n";
	my @links = map { '<a href="' . escaped("$name/$_->[1]") . '">' . escaped($_->[0]) . '</a>' } @{ $c->{links} };
	$html .= '<p>More: ' . join(', ', @links) . "</p>\n" if @links;
	return "$html</section>\n";
}

my @chapters = grep { -e "$out/$_/chapter.json" } qw(memory times types objects);
die "page.pl: $out: no chapter\n" if !@chapters;
my $parts = "$FindBin::RealBin/../../tools/lib/page";
my ($style, $script) = map { slurp("$parts/$_") } qw(page.css page.js);
my $page = <<"END";
<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:">
<title>memscope: a demonstration</title>
<style>
$style</style></head><body>
<main>
<h1>memscope: a demonstration</h1>
<p>Recorded in virtual machines, whose CPUs QEMU emulates: shares and counts mean something, times do not.</p>
END
$page .= section($_) for @chapters;
$page .= "</main>\n<script>\n$script</script>\n</body></html>\n";
open my $f, '>:raw', "$out/index.html.tmp" or die "page.pl: $out/index.html.tmp: $!\n";
print $f $page;
close $f or die "page.pl: $out/index.html.tmp: $!\n";
rename "$out/index.html.tmp", "$out/index.html" or die "page.pl: $out/index.html: $!\n";
