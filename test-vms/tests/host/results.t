#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# The pages of docs/results: what benches measured gets into them, with command, date and commit; and
# the check of make lint finds a page that was changed by hand, a figure that is missing, and one that
# is typed.
use strict;
use warnings;
use File::Path 'make_path';
use File::Temp 'tempdir';
use FindBin;
use POSIX ();
use lib "$FindBin::RealBin/../../bench";
use Figures;
use Test::More;

my $results = "$FindBin::RealBin/../../bench/results.pl";
my $dir = tempdir(CLEANUP => 1);
my ($docs, $build) = ("$dir/docs", "$dir/build");
make_path("$docs/results/templates", "$docs/results/data", "$docs/guide", "$build/bench");

sub spew {
	my ($path, $text) = @_;
	open my $f, '>', $path or die "$path: $!";
	print $f $text;
	close $f or die "$path: $!";
}

sub slurp {
	my ($path) = @_;
	open my $f, '<', $path or die "$path: $!";
	local $/;
	return <$f>;
}

# What make results or its check prints, and its status.
sub results {
	my ($what) = @_;
	my $text = `'$^X' '$results' '$what' '$docs' 2>&1`;
	return ($? >> 8, $text);
}

my $template = <<'end';
# Results

It takes [% n(speed.insn) %] instructions, [% pct(speed.share) %] of them here, [% n(speed.old, 2) %] s.

| load | samples |
|---|---:|
[% FOREACH r IN speed.loads -%]
| [% r.load %] | [% n(r.samples) %] |
[% END -%]
end
spew("$docs/results/templates/speed.md.tx", $template);
spew("$docs/guide/speed.md", "# Speed\n\nRun `speed 12,345`; 4,096 pages.\n");
write_json("$docs/results/data/speed.json", [ { command => 'make old', how => 'by hand', date => '2026-01-02', recorded_in => 'abcdef',
	figures => { old => 0.5, insn => 1 } } ]);

# Two parts, of which the second measures a figure of the first anew.
record_figures("$build/bench/speed.json", 'make bench-speed PARTS=a', 'seed 1', { insn => 12345, share => 0.5, _note => 'none' });
# As shell scripts do it.
spew("$dir/part", '{ "share": 0.123, "loads": [ { "load": "udp", "samples": 54321 } ] }');
is(system("'$^X' '$FindBin::RealBin/../../bench/Figures.pm' '$build/bench/speed.json' 'make bench-speed PARTS=b' 'seed 2' <'$dir/part'"), 0,
   'figures are recorded');
my $flat = read_json("$build/bench/speed.json");
is($flat->{insn}, 12345, 'a bench\'s file has figures by name');
is($flat->{share}, 0.123, 'of the last run');
like($flat->{_how}, qr/^make bench-speed PARTS=a: seed 1 \| make bench-speed PARTS=b: seed 2$/, 'and how they were measured');
is_deeply([ map { "$_->{command}: @{$_->{figures}}" } @{$flat->{_runs}} ],
	[ 'make bench-speed PARTS=a: insn', 'make bench-speed PARTS=b: loads share' ], 'each figure is of one run');
like($flat->{_runs}[0]{date}, qr/^\d{4}-\d\d-\d\d$/, 'with a date');
is(join(' ', map { $_->{commit} =~ /^\S+\z/ ? 'one' : $_->{commit} } @{$flat->{_runs}}), 'one one', 'and a commit');

# Many at once, as tests do.
my @pids = map {
	my $pid = fork // die "fork: $!";
	if (!$pid) {
		eval { record_figures("$build/bench/many.json", "prove $_.t", 'at once', { "of_$_" => $_ }) };
		POSIX::_exit($@ ? 1 : 0);
	}
	$pid;
} 1 .. 8;
is(scalar(grep { waitpid $_, 0; $? } @pids), 0, 'programs record figures of one file at once');
is(scalar @{read_json("$build/bench/many.json")->{_runs}}, 8, 'and none of them is lost');
isnt(system("echo | '$^X' '$FindBin::RealBin/../../bench/Figures.pm' '$build/bench/many.json' none none 2>/dev/null"), 0,
   'a script that measured nothing fails');

my ($status, $text) = results($build);
is($status, 0, 'make results') or diag $text;
my $page = slurp("$docs/results/speed.md");
like($page, qr/12,345 instructions, 12\.3 % of them here, 0\.50 s\./, 'the page has what was measured, and what was not measured again');
like($page, qr/^\| udp \| 54,321 \|$/m, 'a table');
like($page, qr/^\| `make bench-speed PARTS=b` \| seed 2 \| $flat->{_runs}[1]{date} \| \Q$flat->{_runs}[1]{commit}\E \|$/m, 'command, date and commit');
like($page, qr/^\| `make old` \| by hand \| recorded 2026-01-02 \| in abcdef \|$/m, 'or where a figure was recorded');
is_deeply([ results('--check') ], [ 0, '' ], 'the check finds nothing');

spew("$docs/results/speed.md", $page =~ s/12,345/12,346/r);
like((results('--check'))[1], qr/^speed\.md: is not what its template and data make/, 'a page that was changed by hand');
results($build);

spew("$docs/results/templates/speed.md.tx", "$template\nAbout 12,346 instructions, 4,096 pages, `INSN=12,347`.\n");
results($build);
is((results('--check'))[1], "speed.md.tx: 12,346 is typed: a figure belongs into data/\n", 'a figure that is typed into a template');
spew("$docs/results/templates/speed.md.tx", $template);
results($build);

spew("$docs/guide/speed.md", "# Speed\n\nIt takes 12,345 instructions; 4,096 pages.\n");
like((results('--check'))[1], qr{^\S*guide/speed\.md: 12,345 is a figure of results/data: link to its page\n$}, 'a figure that is typed into another page');
spew("$docs/guide/speed.md", "# Speed\n");

spew("$docs/results/other.md", "# Other\n");
is((results('--check'))[1], "other.md: has no template\n", 'a page without a template');
unlink "$docs/results/other.md";

# The same command again, which measures less now.
record_figures("$build/bench/speed.json", 'make bench-speed PARTS=a', 'seed 3', {});
($status, $text) = results($build);
is($status, 1, 'a figure that the bench does not measure any more') or diag $text;
like($text, qr/^speed\.md\.tx: .*figure is missing/m, 'is missing');
isnt((results('--check'))[0], 0, 'which the check finds, too');

spew("$docs/results/templates/speed.md.tx", "[% n(speed.insn) %] [% speed.sharre %]\n");
record_figures("$build/bench/speed.json", 'make bench-speed PARTS=a', 'seed 3', { insn => 1 });
like((results($build))[1], qr/^speed\.md\.tx: .*nil/m, 'a name that is wrong');

spew("$build/bench/speed.json", '{ "insn": 5 }');
isnt((results($build))[0], 0, 'a bench\'s file that does not say of which run it is');
done_testing;
