#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# Each verb and each option of the tools is in a man page, and each page has its verb.
use strict;
use warnings;
use FindBin;
use Test::More;

my $tools = "$FindBin::RealBin/..";
my $bin = ($ENV{MEMSCOPE_BUILD} // "$tools/../build") . '/bin';
my $man = "$tools/../docs/man";

my %page_of;	# text by each name that a page has
for my $path (glob "$man/*.1") {
	open my $f, '<', $path or die "$path: $!\n";
	local $/;
	my $text = <$f> =~ s/\\-/-/gr =~ s/\\f[BIRP]//gr;
	my ($names) = $text =~ /^\.SH NAME\n(.*?) - /m or die "$path: no name\n";
	$page_of{$_} = $text for split /, /, $names;
	# A program in the page of the verb that runs it.
	$page_of{$_} //= $text for $text =~ /^\.\\" options: (\S+)$/mg;
}

# page NAME: with the pages that it refers to for more options
sub page {
	my $text = $page_of{$_[0]} // return;
	return $text . join '', map { $page_of{$_} // die "$_: no such page\n" }
		$text =~ /^(?:And )?[Tt]hose of\n\.BR (\S+) \(1\)/mg;
}

my %known;	# pages of a verb that there is

# verbs COMMAND...: of a tool, or of a verb that has verbs itself.
sub verbs {
	my ($help, $name) = (scalar `$bin/@_ --help`, join '-', @_);
	is($?, 0, "@_ --help");
	$known{$name} = 1;
	if ($help =~ /^usage: @_ VERB/) {
		my @verbs = $help =~ /^  (\w+) /mg;
		cmp_ok(scalar @verbs, '>', 1, "@_ has verbs");
		my $all = page($name);
		ok($all =~ /\b$_\b/, "$name.1 names $_") for @verbs;
		verbs(@_, $_) for @verbs;
		return;
	}
	my @way = @_;
	pop @way until !@way || $page_of{join '-', @way};
	ok(scalar @way, "@_ has a man page") or return;
	my $text = page(join '-', @way);
	my %options = map { $_ => 1 } $help =~ /^ +(?:-\w, +)?(--[\w-]+)/mg;
	delete $options{'--help'};
	my @lacking = grep { $text !~ /(?<![\w-])\Q$_\E(?![\w-])/ } sort keys %options;
	is("@lacking", '', join('-', @way) . ".1 has the options of @_");
}

verbs($_) for qw(memscope memref dprof memprof pagealloc memscope-fleet memscope-caps memscope-collect pagetest pagealloc-programs);
for my $name (sort keys %page_of) {
	ok($known{$name} || -x "$bin/$name", "the page $name is of a verb or a program");
}
done_testing;
