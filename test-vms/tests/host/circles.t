#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# No two files of the oracle, or of a program of the guest, need each other, by way of others or not.
# By their text: most need the kernel's headers to be compiled, and are built where a guest is.
use strict;
use warnings;
use FindBin;
use Test::More;

my $top = "$FindBin::RealBin/../..";

# The text of a file without comments and strings.
sub code {
	open my $f, '<', $_[0] or die "$_[0]: $!\n";
	my $text = do { local $/; <$f> };
	$text =~ s{/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"}{ }gs;
	return $text;
}

# What a file has for others: functions and objects that are not static.
sub defined_by {
	my ($text) = @_;
	my %names;
	my $declared = qr/^(?!(?:static|typedef|extern|return)\b)[a-z][\w \t*]*?\b(\w+)/m;
	$names{$1} = 1 while $text =~ /$declared\((?:[^(){};]|\([^(){};]*\))*\)\s*\n\{/g;
	$names{$1} = 1 while $text =~ /$declared(?:\[[^]]*\])*\s*(?:=[^;]*)?;/g;
	delete $names{main};
	return \%names;
}

# circle USES: a way from a file to itself, by what of which uses which; '' if there is none.
sub circle {
	my ($uses) = @_;
	my (%state, @way, $found);
	my $visit;
	$visit = sub {
		my ($file) = @_;
		$state{$file} = 1;
		push @way, $file;
		for my $next (sort keys %{$uses->{$file} // {}}) {
			last if defined $found;
			if (!$state{$next}) {
				$visit->($next);
			} elsif ($state{$next} == 1) {
				my ($from) = grep { $way[$_] eq $next } 0 .. $#way;
				my @circle = (@way[$from .. $#way], $next);
				$found = join ', ', map { "$circle[$_] -> $circle[$_ + 1] ($uses->{$circle[$_]}{$circle[$_ + 1]})" }
					0 .. $#circle - 1;
			}
		}
		$state{$file} = 2;
		pop @way;
	};
	$visit->($_) for grep { !$state{$_} } sort keys %$uses;
	return $found // '';
}

sub uses {
	my (%text) = @_;
	my %names = map { $_ => defined_by($text{$_}) } keys %text;
	my %uses;
	for my $file (keys %text) {
		my %words = map { $_ => 1 } $text{$file} =~ /\b([A-Za-z_]\w*)\b/g;
		for my $other (grep { $_ ne $file } keys %text) {
			my ($used) = sort grep { $words{$_} && !$names{$file}{$_} } keys %{$names{$other}};
			$uses{$file}{$other} = $used if defined $used;
		}
	}
	return \%uses;
}

is(circle(uses('a.c' => "int a(void)\n{\n\treturn b(c);\n}\n", 'b.c' => "int b(int x)\n{\n\treturn x;\n}\n\nint c = 3;\n")), '',
   'a file that uses another is no circle');
is(circle(uses('a.c' => "int a(void)\n{\n\treturn b(c);\n}\n", 'b.c' => "int b(int x)\n{\n\treturn a();\n}\n")),
   'a.c -> b.c (b), b.c -> a.c (a)', 'two functions that call each other are one');
is(circle(uses('a.c' => "int n;\n\nint a(void)\n{\n\treturn b();\n}\n", 'b.c' => "int b(void)\n{\n\treturn c();\n}\n",
	       'c.c' => "int c(void)\n{\n\treturn n;\n}\n")),
   'a.c -> b.c (b), b.c -> c.c (c), c.c -> a.c (n)', 'so is a way by an object of the first');

for my $room ("$top/oracle", grep { -d && !m{/memprof$} } glob "$top/guest/*") {
	my %text = map { s{.*/}{}r => code($_) } glob "$room/*.c";
	cmp_ok(scalar keys %text, '>=', 3, $room =~ s{.*/}{}r . ': files were found');
	my $uses = uses(%text);
	cmp_ok(scalar keys %$uses, '>=', 1, 'some use others');
	is(circle($uses), '', 'but none in a circle');
}
done_testing;
