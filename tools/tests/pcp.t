#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# Archives of Performance Co-Pilot of all three recorders: what dprof and memprof export --to pcp write
# is what their --to openmetrics has, with the host and the time of the recording; the archives of a
# host can be merged; and pmie's rules (memscope.pmie) hold where the figures say so, and only there.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::RealBin";
use JSON::PP;
use Test::More;
use Tool;

plan skip_all => "no $_ (pcp)" for grep { system("command -v $_ >/dev/null") } qw(pmdumplog pmlogextract pmie);
plan skip_all => 'no libpcp_import.so.1 (libpcp-import1)' if `/sbin/ldconfig -p` !~ /libpcp_import\.so\.1/;

sub helper { return (grep { -x } map { "$build/$_/tests/$_[0]" } qw(tools ../tools))[0] }
my $begin = 1700000000000000000;
my %file = (memref => "$dir/memref.dat", memprof => "$dir/memprof.data", dprof => "$dir/dprof.txt");
system(helper('trace_gen') . " memref 7 $file{memref} 8 >/dev/null") == 0 or die;
system(helper('memprof_gen') . " $file{memprof} 20000 5000 8 100 1 >/dev/null") == 0 or die;
spew($file{dprof}, join '', "# dprof events 1\nhost testbox, Linux 6.12\n",
     "1000000000 0 1 dprof_type id=20 class=1 size=256 cache=cache_0 func=alloc_0 file=x.c line=1\n",
     map { "@{[1_000_000_000 + 1_000_000 * $_]} 0 100 dprof_sample ip=18446744071578845200 addr=18446612682071146496 "
	     . "base=18446612682071146496 type=20 offset=0 width=8 source=1 op=1 data_src=8589934914 latency=4 phys=0\n" } 0 .. 500);

# The values of an archive's only record, as OpenMetrics has them; its time, and its host.
sub archive {
	my ($archive) = @_;
	my ($status, $text, $err) = run("TZ=UTC pmdumplog $archive");
	is($status, 0, "pmdumplog $archive") or diag($err);
	my (%value, $metric, $time);
	for (split /\n/, $text) {
		$time = $1 if /^(\d\d:\d\d:\d\d\.\d+) +\d+ metric/;
		$metric = $1 =~ s/\./_/r if /^ +[\d.]+ \((\S+)\):/;
		$value{$metric} = $1 if /\): value (\S+)$/;
		$value{"$metric\[$1\]"} = $2 if /inst \[\d+ or "(.*)"\] value (\S+)$/;
	}
	my (undef, $label) = run("TZ=UTC pmdumplog -l $archive");
	return (\%value, $time, $label =~ /^Performance metrics from host (\S+)$/m ? $1 : '');
}

for my $tool (qw(dprof memprof)) {
	is_deeply([ run("$build/bin/$tool export $file{$tool} --to pcp --begin $begin -o $dir/$tool") ], [ 0, '', '' ],
		  "$tool export --to pcp");
	is(join(' ', sort map { s{.*/}{}r } glob "$dir/$tool.{0,index,meta}"), "$tool.0 $tool.index $tool.meta", 'three files');
	my ($value, $time, $host) = archive("$dir/$tool");
	my (undef, $text) = run("$build/bin/$tool export $file{$tool} --to openmetrics");
	my %known;
	for (split /\n/, $text) {
		my ($metric, $label, $number) = /^(${tool}_\w+?)(?:\{\w+="(.*)"\})? (\S+)$/ or next;
		$known{defined $label ? "$metric\[" . ($label =~ s/[\0- ]/_/gr) . ']' : $metric} = $number;
	}
	cmp_ok(scalar(keys %known), '>', 6, 'figures');
	is(join(' ', sort keys %$value), join(' ', sort keys %known), 'the same figures');
	is(join(' ', grep { abs($value->{$_} - $known{$_}) > 1e-6 * abs $known{$_} } sort keys %known), '', 'of the same values');
	my ($recorded) = $text =~ /^${tool}_host_info\{host="([^",]*)/m;
	is($host, $recorded || 'unknown', "the host: $host");
	# 1700000000 is 22:13:20.
	my $length = $tool eq 'dprof' ? 0.5 : $known{memprof_recording_seconds};
	my ($minutes, $seconds) = $time =~ /^22:(\d+):([\d.]+)$/;
	cmp_ok(abs(60 * $minutes + $seconds - 800 - $length), '<', 2e-6, 'at the end of the recording');
	is((run("$build/bin/$tool export $file{$tool} --to pcp --host other -o $dir/named"))[0], 0, '--host, and without --begin');
	(undef, $time, $host) = archive("$dir/named");
	is($host, 'other', 'the host is as given');
	my ($s, $m, $h) = gmtime((stat $file{$tool})[9]);
	like($time, qr/^\Q@{[sprintf '%02d:%02d:%02d.', $h, $m, $s]}/, 'and the time that of the file');

	if ($tool eq 'memprof') {
		my $end = (stat $file{$tool})[9];
		for ([ '--from 10 --until 30', 30 ], [ '--from 10', $length ], [ '--until 20', 20 ]) {
			my ($part, $at) = @$_;
			is((run("$build/bin/memprof export $file{memprof} --to pcp --begin $begin $part -o $dir/part"))[0], 0, $part);
			($minutes, $seconds) = (archive("$dir/part"))[1] =~ /^22:(\d+):([\d.]+)$/;
			cmp_ok(abs(60 * $minutes + $seconds - 800 - $at), '<', 2e-6, 'at the end of the part');
			is((run("$build/bin/memprof export $file{memprof} --to pcp $part -o $dir/part"))[0], 0, 'without --begin');
			my ($h, $m, $s) = split /:/, (archive("$dir/part"))[1];
			# Of the day, with the file's fraction of a second.
			cmp_ok(abs((3600 * $h + 60 * $m + $s) - ($end % 86400 + $at - $length)), '<=', 1, '... by the time of the file');
		}
	}

	for ([ "$file{$tool} --to pcp", 2, qr/-o OUTPUT is missing/ ], [ "$file{$tool} --to pcp -o -", 2, qr/-o OUTPUT is missing/ ],
	     [ "$dir/none --to pcp -o $dir/x", 1, qr/none/ ], [ "$file{$tool} --to pcp -o $dir/none/x", 1, qr/none/ ],
	     [ "$file{$tool} --to pcp --begin soon -o $dir/x", 2, qr/soon/ ],
	     # Times behind it would not fit in 63 bits.
	     [ "$file{$tool} --to pcp --begin 9223372036854775807 -o $dir/x", 2, qr/9223372036854775807/ ]) {
		my ($options, $expected, $why) = @$_;
		my ($status, $out, $err) = run("$build/bin/$tool export $options");
		is($status, $expected, "$tool export $options");
		like($err, $why, 'says why');
		is(join(' ', glob "$dir/x* $dir/none/*"), '', 'nothing is left');
	}
}

# One host's.
is((run("$build/bin/memref export $file{memref} --to pcp --host h --begin $begin -o $dir/memref"))[0], 0, 'memref export');
is((run("$build/bin/$_ export $file{$_} --to pcp --host h --begin $begin -o $dir/$_"))[0], 0, "$_ export") for qw(dprof memprof);
my ($status, $text, $err) = run("pmlogextract $dir/memref $dir/dprof $dir/memprof $dir/merged");
is("$status $err", '0 ', 'pmlogextract merges them');
($status, $text) = run("pminfo -a $dir/merged");
like($text, qr/^$_$/m, $_) for qw(memref.working_set_bytes dprof.type_samples_ratio memprof.remote_ratio);

# pmie's rules.
my @wss = @{decode_json((run("$build/bin/memref report wss $file{memref} -f json"))[1])->{rows}};
my ($share) = sort { $a <=> $b } map { $_->{wss_user_mib} / $_->{rss_mib} } @wss;
cmp_ok($share, '<', 0.25, sprintf 'processes reference %.0f %% of their memory', 100 * $share);
my $rules = slurp("$tools/memref/memscope.pmie") =~ s/\bmmv\.//gr;
for ([ 'as they are', $rules, 1 ], [ 'with a lower limit', $rules =~ s/0\.25/0.8 * $share/er, 0 ]) {
	my ($how, $file, $holds) = @$_;
	spew("$dir/rules", $file);
	($status, $text, $err) = run("pmie -z -a $dir/memref -t 100msec -c $dir/rules");
	is($status, 0, "pmie, the rules $how");
	unlike($err, qr/syntax|rror:/, 'can be read');
	my %says = map { $_ => scalar(() = "$text$err" =~ /$_/g) } 'a quarter of their memory', 'more page cache', 'a hundredth of the time';
	is($says{'a quarter of their memory'}, $holds, $holds ? 'hold once' : 'do not hold');
	is($says{'more page cache'}, 0, 'no page cache was referenced');
	is($says{'a hundredth of the time'}, 0, 'the sampler takes 1 ms of 100 ms');
}
done_testing;
