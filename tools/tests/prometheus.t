#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# What the tools export as OpenMetrics, on its way to a query: node_exporter's textfile collector
# reads the files, Prometheus scrapes it and answers with the same values, names and labels.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::RealBin";
use HTTP::Tiny;
use IO::Socket::INET;
use JSON::PP;
use Test::More;
use Time::HiRes qw(sleep time);
use Tool;

plan skip_all => "no $_" for grep { system("command -v $_ >/dev/null") } qw(prometheus prometheus-node-exporter);

sub helper { return (grep { -x } map { "$build/$_/tests/$_[0]" } qw(tools ../tools))[0] }
my %file = (memref => "$dir/memref.dat", memprof => "$dir/memprof.data", dprof => "$dir/dprof.txt");
system(helper('memref_gen'), $file{memref}) == 0 or die;
system(helper('memprof_gen') . " $file{memprof} 20000 5000 8 100 1 >/dev/null") == 0 or die;
spew($file{dprof}, join '', "# dprof events 1\nhost testbox, Linux 6.12\n",
     "1000000000 0 1 dprof_type id=20 class=1 size=256 cache=cache_0 func=alloc_0 file=x.c line=1\n",
     map { "@{[1_000_000_000 + 1_000_000 * $_]} 0 100 dprof_sample ip=18446744071578845200 addr=18446612682071146496 "
	     . "base=18446612682071146496 type=20 offset=0 width=8 source=1 op=1 data_src=8589934914 latency=4 phys=0\n" } 0 .. 500);

# Each value that the tools write, by name and labels as Prometheus spells them.
my %want;
mkdir "$dir/textfile" or die;
for my $tool (sort keys %file) {
	my ($status, undef, $err) = run("$build/bin/$tool export $file{$tool} --to openmetrics -o $dir/textfile/$tool.prom");
	is("$status $err", '0 ', "$tool: exported");
	my $out = slurp("$dir/textfile/$tool.prom");
	while ($out =~ /^([a-z]\w*)(?:\{(.*)\})? (\S+)$/mg) {
		my ($name, $labels, $value) = ($1, $2 // '', $3);
		my %label = (__name__ => $name, $labels =~ /(\w+)="((?:[^"\\]|\\.)*)"/g);
		s/\\(.)/$1 eq 'n' ? "\n" : $1/ge for values %label;
		$want{join ' ', map { "$_=$label{$_}" } sort keys %label} = 0 + $value;
	}
}
cmp_ok(scalar(keys %want), '>', 30, scalar(keys %want) . ' values');

# Ports that were free.
my ($exporter, $server) = map { $_->sockport } my @held = map {
	IO::Socket::INET->new(Listen => 1, LocalAddr => '127.0.0.1', LocalPort => 0) // die "no port: $!" } 1, 2;
close $_ for @held;
spew("$dir/prometheus.yml", <<"END");
global: { scrape_interval: 1s }
scrape_configs: [ { job_name: hosts, static_configs: [ { targets: [ '127.0.0.1:$exporter' ] } ] } ]
END

my @children;
sub start {
	my ($log, @command) = @_;
	my $pid = fork // die "fork: $!";
	if (!$pid) {
		open STDOUT, '>', $log or die;
		open STDERR, '>&', \*STDOUT or die;
		exec @command or die "@command: $!";
	}
	push @children, $pid;
}
END {
	kill TERM => @children;
	waitpid $_, 0 for @children;
}
start("$dir/exporter.log", 'prometheus-node-exporter', '--collector.disable-defaults', '--collector.textfile',
      "--collector.textfile.directory=$dir/textfile", "--web.listen-address=127.0.0.1:$exporter");
start("$dir/prometheus.log", 'prometheus', "--config.file=$dir/prometheus.yml", "--storage.tsdb.path=$dir/tsdb",
      "--web.listen-address=127.0.0.1:$server");

# All that came of the job, once there is anything: at most a minute.
my $query = "http://127.0.0.1:$server/api/v1/query?query=" . '%7Bjob%3D%22hosts%22%2C__name__%3D~%22%28memref%7Cdprof%7Cmemprof%29_.*%22%7D';
my ($rows, $end) = ([], time + 60);
while (!@$rows && time < $end) {
	my $answer = HTTP::Tiny->new(timeout => 5)->get($query);
	$rows = decode_json($answer->{content})->{data}{result} if $answer->{success};
	sleep 0.2;
}
ok(@$rows, 'Prometheus answers') or diag slurp("$dir/prometheus.log"), slurp("$dir/exporter.log");
my %got;
for my $row (@$rows) {
	my %label = %{$row->{metric}};
	delete @label{qw(job instance)};
	$got{join ' ', map { "$_=$label{$_}" } sort keys %label} = 0 + $row->{value}[1];
}
is_deeply(\%got, \%want, 'the same values, names and labels');
unlike(slurp("$dir/exporter.log"), qr/level=(?:error|warn).*textfile/, 'the collector has nothing to say');
done_testing;
