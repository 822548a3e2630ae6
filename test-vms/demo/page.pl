#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# page.pl DIRECTORY: writes DIRECTORY/index.html, one self-contained page of the chapters that
# DIRECTORY has: of each, what was found, one picture, the commands, and where samples come from.
use strict;
use warnings;
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
	my %as = ('&' => '&amp;', '<' => '&lt;', '>' => '&gt;', '"' => '&quot;');
	return $text =~ s/([&<>"])/$as{$1}/gr;
}

sub section {
	my ($name) = @_;
	my $c = decode_json(slurp("$out/$name/chapter.json"));
	my $image = encode_base64(slurp("$out/$name/$c->{picture}"), '');
	my $html = "<section id=\"$name\" aria-labelledby=\"h-$name\">\n<h2 id=\"h-$name\">" . escaped($c->{title}) . "</h2>\n";
	$html .= '<p class="found">' . escaped($_) . "</p>\n" for @{ $c->{found} };
	$html .= "<figure><img src=\"data:image/png;base64,$image\" alt=\"" . escaped($c->{alt}) . "\">\n";
	$html .= '<figcaption>' . escaped($c->{caption}) . "</figcaption></figure>\n";
	$html .= "<h3>Commands</h3>\n<pre tabindex=\"0\">" . escaped(slurp("$out/$name/commands")) . "</pre>\n";
	$html .= '<p class="source"><b>Source of the data:</b> ' . escaped($c->{source}) . "</p>\n";
	my @links = map { '<a href="' . escaped("$name/$_->[1]") . '">' . escaped($_->[0]) . '</a>' } @{ $c->{links} };
	$html .= '<p>More: ' . join(', ', @links) . "</p>\n" if @links;
	return "$html</section>\n";
}

my @chapters = grep { -e "$out/$_/chapter.json" } qw(memory times types objects);
die "page.pl: $out: no chapter\n" if !@chapters;
my $page = <<'END';
<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>memscope: a demonstration</title>
<style>
:root { color-scheme: light dark; --text: #1a1a1a; --page: #ffffff; --block: #f2f2f2; --link: #0b5394; --line: #0072b2; }
@media (prefers-color-scheme: dark) {
	:root { --text: #e6e6e6; --page: #161616; --block: #262626; --link: #8ab8ff; --line: #56b4e9; }
}
body { font: 16px/1.5 sans-serif; color: var(--text); background: var(--page); max-width: 60em; margin: 2em auto; padding: 0 1em; }
a { color: var(--link); }
img { width: 100%; height: auto; }
figure { margin: 1em 0; }
figcaption { font-size: 0.9em; }
pre { overflow-x: auto; background: var(--block); padding: 1em; }
.found { font-size: 1.15em; border-left: 4px solid var(--line); padding-left: 0.8em; }
</style></head><body>
<main>
<h1>memscope: a demonstration</h1>
<p>Recorded in virtual machines, whose CPUs QEMU emulates: shares and counts mean something, times do not.</p>
END
$page .= section($_) for @chapters;
$page .= "</main>\n</body></html>\n";
open my $f, '>:raw', "$out/index.html.tmp" or die "page.pl: $out/index.html.tmp: $!\n";
print $f $page;
close $f or die "page.pl: $out/index.html.tmp: $!\n";
rename "$out/index.html.tmp", "$out/index.html" or die "page.pl: $out/index.html: $!\n";
