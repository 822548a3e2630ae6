#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# results.pl BUILD DOCS: the pages of DOCS/results (make results).  Takes over what benches measured
# from BUILD/bench/NAME.json into DOCS/results/data/NAME.json, and makes each page of its template,
# DOCS/results/templates/PAGE.md.tx (Text::Xslate, TTerse), in which NAME.FIGURE is a figure.
# results.pl --check DOCS: prints what is wrong: pages that are not what their templates and data
# make, figures typed into a template, and figures of the data that are typed into another page.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use File::Basename 'basename';
use Figures;
use List::Util qw(max min sum);
use Text::Xslate;

# What is not a page's run: a bench with another number of hosts.  A test writes the file, too, without.
my %only_if = (fleet => sub { ($_[0]{hosts} // 10000) == 10000 });

my ($build, $docs) = @ARGV;
die "usage: results.pl BUILD|--check DOCS\n" if !defined $docs;
my $check = $build eq '--check';
my $wrong = 0;

sub complain {
	print "@_\n";
	$wrong = 1;
}

sub slurp {
	my ($path) = @_;
	open my $f, '<:utf8', $path or return undef;
	local $/;
	return <$f>;
}

# What is printed as a figure, of these digits: neither few, nor round, nor a power of two.
my %printed;
sub digits { return length($_[0] =~ tr/0-9//cdr =~ s/^0+|0+$//gr) }
sub is_figure {
	my ($text) = @_;
	my $number = $text =~ tr/,//dr;
	return digits($text) >= 4 && ($number =~ /\./ || $number & $number - 1);
}

# With thousands separators, and so many digits behind the point.
sub number {
	my ($value, $decimals) = @_;
	die "a figure is missing\n" if !defined $value;
	die "$value: not a number\n" if $value !~ /^-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?$/;
	my $text = sprintf "%.${\($decimals // 0)}f", $value;
	1 while $text =~ s/^(-?\d+)(\d{3})/$1,$2/;
	$printed{$text =~ s/^-//r} = 1;
	return $text;
}

# So many digits that are not zeros, but all of those before the point.
sub significant {
	my ($value, $digits) = @_;
	die "a figure is missing\n" if !defined $value;
	return abs $value >= 10 ** ($digits - 1) ? number($value) : 0 + sprintf "%.${digits}g", $value;
}

my (%figures, %runs);
sub read_data {
	for my $path (glob "$docs/results/data/*.json") {
		my $name = basename($path, '.json');
		$runs{$name} = read_json($path);
		for my $run (@{$runs{$name}}) {
			for (keys %{$run->{figures}}) {
				complain("$path: $_ is there twice") if exists $figures{$name}{$_};
				$figures{$name}{$_} = $run->{figures}{$_};
			}
		}
	}
}

# Takes over what was measured since.
sub update_data {
	for my $path (glob "$docs/results/data/*.json") {
		my $name = basename($path, '.json');
		my $flat = read_json("$build/bench/$name.json") or next;
		if ($only_if{$name} && !$only_if{$name}->($flat)) {
			print "$name.json: is of another set-up than its page, and is not taken over\n";
			next;
		}
		my $runs = $flat->{_runs} or die "$build/bench/$name.json: does not say of which runs it is: make it again\n";
		my @runs = merge_runs(read_json($path), map { my $run = $_;
			+{ %$run, figures => { map { $_ => $flat->{$_} } grep { defined $flat->{$_} } @{$run->{figures}} } } } @$runs);
		write_json($path, \@runs);
	}
}

# By which commands the figures of a template were measured.
sub provenance {
	my ($template) = @_;
	my (%used, @rows, $recorded);
	for my $code ($template =~ /\[%(.*?)%\]/gs) {
		$used{$1}{$2} = 1 while $code =~ /\b([a-z]\w*)\.(\w+)/g;
	}
	for my $name (sort keys %runs) {
		for my $run (@{$runs{$name}}) {
			next if !grep { $used{$name}{$_} } keys %{$run->{figures}};
			$recorded ||= $run->{recorded_in};
			push @rows, sprintf "| %s | %s | %s | %s |\n", "`$run->{command}`", ($run->{how} // '') =~ s/\|/\\|/gr,
				$run->{recorded_in} ? ("recorded $run->{date}", "in $run->{recorded_in}") : @$run{qw(date commit)};
		}
	}
	return '' if !@rows;
	return join '', "\nHow these figures were measured:\n\n| command | set-up | date | commit |\n|---|---|---|---|\n", @rows,
		$recorded ? "\n*Recorded*: of figures that came here before benches noted it, the day and the commit that brought them.\n" : '';
}

sub render {
	my ($engine, $page) = @_;
	my $template = slurp("$docs/results/templates/$page.tx");
	my $head = "<!-- Made by make results, of templates/$page.tx and data/. -->\n";
	my $text = eval { $engine->render("$page.tx", \%figures) };
	if (!defined $text) {
		complain("$page.tx: " . ($@ =~ s/\n-{3}.*//sr));
		return undef;
	}
	return $head . $text . provenance($template);
}

# Figures that are typed into a template; without what is code.
sub typed {
	my ($page) = @_;
	my $text = slurp("$docs/results/templates/$page.tx") =~ s/\[%.*?%\]/x/gsr =~ s/^```.*?^```//gmsr;
	return grep { is_figure($_) } map { numbers($_) } split /\n/, $text;
}

sub numbers {
	my ($line) = @_;
	return () if $line =~ /^(?:    |\t)/;
	$line =~ s/`[^`]*`|\([^()]*\.md[^()]*\)|\bgoals? (?:is|are) [\d.,]+//g;
	return $line =~ /(?<![\w.,-])(\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)(?![\w,]|\.\d)/g;
}

sub check_others {
	my @pages = map { chomp; $_ } `find '$docs' -name '*.md' -not -path '*/results/*' -not -path '*/reference/*'`;
	for my $page (sort @pages) {
		my $fenced;
		for (split /\n/, slurp($page)) {
			$fenced = !$fenced if /^```/;
			next if $fenced;
			complain("$page: $_ is a figure of results/data: link to its page") for grep { is_figure($_) && $printed{$_} } numbers($_);
		}
	}
}

update_data() if !$check;
read_data();
my $engine = Text::Xslate->new(path => "$docs/results/templates", cache => 0, syntax => 'TTerse', type => 'text', verbose => 2,
	function => { n => \&number, sig => \&significant, pct => sub { number(100 * $_[0], $_[1] // 1) . ' %' },
		signed => sub { ($_[0] < 0 ? "" : "+") . number(@_) }, least => sub { min(@_) }, most => sub { max(@_) }, mean => sub { sum(@_) / @_ } },
	warn_handler => sub { die @_ }, die_handler => sub { die @_ });
for my $template (glob "$docs/results/templates/*.tx") {
	my $page = basename($template, '.tx');
	my $new = render($engine, $page) // next;
	my $old = slurp("$docs/results/$page") // '';
	if ($check) {
		complain("$page: is not what its template and data make: make results") if $old ne $new;
		complain("$page.tx: $_ is typed: a figure belongs into data/") for typed($page);
		next;
	}
	print "$page: ", $old eq $new ? "is as it was\n" : "rewritten\n";
	next if $old eq $new;
	open my $f, '>:utf8', "$docs/results/$page" or die "$docs/results/$page: $!\n";
	print $f $new;
	close $f or die "$docs/results/$page: $!\n";
}
if ($check) {
	for (glob "$docs/results/*.md") {
		my $page = basename($_);
		complain("$page: has no template") if !-e "$docs/results/templates/$page.tx";
	}
	check_others();
}
exit $wrong;
