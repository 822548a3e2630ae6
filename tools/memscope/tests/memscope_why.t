#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# memscope why over generated programs with planted answers: the object at an address, its
# nodes and advice; the kernel type at an address, its field and both sides of its line.
use strict;
use warnings;
no warnings 'portable';
use FindBin;
use lib $FindBin::RealBin;
use JSON::PP;
use Planted;
use Test::More;
use Tool;

my $memscope = "$build/bin/memscope";
my $seed = $ENV{MEMSCOPE_SEED} // 20261;
# Each takes some 0.4 s: MEMSCOPE_PROGRAMS=100 for a judgement.
my $programs = $ENV{MEMSCOPE_PROGRAMS} // 20;
srand $seed;
diag "seed $seed";

# Values by "topic item"; of several rows with one name, a list joined by newlines.
sub why {
	my ($status, $out, $err) = run("$memscope why @_ -f json");
	my %got = (status => $status, err => $err);
	for (@{decode_json($status ? '{"rows":[]}' : $out)->{rows}}) {
		my $key = "$_->{topic} $_->{item}";
		$got{$key} = defined $got{$key} ? "$got{$key}\n$_->{value}" : $_->{value};
		push @{$got{$_->{topic}}}, "$_->{item}: $_->{value}";
	}
	return \%got;
}

# A program: some objects that are local, and one that is remote; a kernel type.
sub make {
	my ($n) = @_;
	my $run = "$dir/run$n";
	mkdir $run;
	my @names = sort { $a->[0] <=> $b->[0] } map { [ rand, $_ ] } qw(table queue grid index cache pool matrix tree);
	@names = map { $_->[1] } @names;
	my $count = 2 + int rand 6;
	my $bad = int rand $count;
	my $from = int rand 2;
	my %plant = (run => $run, from => $from, home => 1 - $from, tid => 100 + $bad);
	my @objects = map {
		my $address = 0x11000000 + 0x100000 * $_ + 0x1000 * int rand 16;
		my $node = int rand 2;
		$_ == $bad ? [ $names[$_], $from, 1 - $from, 300 + int rand 300, $address, 100 + $_ ] :
			     [ $names[$_], $node, $node, 50 + int rand 250, $address, 100 + $_ ];
	} 0 .. $count - 1;
	$plant{name} = $names[$bad];
	$plant{address} = $objects[$bad][4] + 64 * int rand 60;
	plant_objects("$run/objects.data", @objects);
	$plant{type} = (qw(skbuff file dentry inode sock pipe timer request))[int rand 8] . "_cache_$n";
	plant_types("$run/types.txt", 0, cache => $plant{type}, site => "alloc_$n", writer => "write_$n", reader => "read_$n",
		    samples => 40 + int rand 60);
	return \%plant;
}

my ($right, @wrong) = (0);
for my $n (1 .. $programs) {
	my $p = make($n);
	my $object = why(sprintf('0x%x', $p->{address}), $p->{run});
	my $type = why(sprintf('0x%x', 0xffff888000100000 + 128 * int(rand 10) + 8 * int rand 8), $p->{run});
	my $site = $object->{'object site'} // '';
	my $advice = $object->{"advice $site"} // '';
	my @checks = $site =~ /^make_$p->{name}\b/ ? () : 'object';
	push @checks, 'from' if ($object->{'nodes accessed from'} // '') !~ /^node $p->{from}: \d+$/;
	push @checks, 'home' if ($object->{'nodes memory on'} // '') !~ /^node $p->{home}: \d+$/;
	push @checks, 'thread' if !$object->{"threads $p->{tid}"};
	push @checks, 'advice' if $advice !~ /on node $p->{from}|to node $p->{from}/;
	push @checks, 'type' if ($type->{'type name'} // '') ne "$p->{type}:alloc_$n";
	push @checks, 'field' if ($type->{'type field'} // '') !~ /^\+0x[08]; false sharing/;
	push @checks, 'sides' if ($type->{'threads cpus'} // '') !~ /read_$n\+0x2 uses it, write_$n\+0x2 writes it/;
	push @checks, 'type advice' if ($type->{"advice $p->{type}:alloc_$n"} // '') !~ /different cache lines/;
	@checks ? push(@wrong, "program $n: @checks") : $right++;
	system 'rm', '-rf', $p->{run} if $n > 1 && !@checks;
}
cmp_ok($right, '>=', 0.95 * $programs, "$right of $programs programs: right object, type and advice") or diag join "\n", @wrong;

# --- one of them in detail --------------------------------------------------------

my $run = "$dir/run1";
plant_memref("$run/trace.dat");
my $threads = (run("$build/bin/memprof report threads $run/objects.data -f json"))[1];
my $pid = decode_json($threads)->{rows}[0]{pid};
my $process = why($pid, $run);
is($process->{status}, 0, 'a process');
ok($process->{threads} && $process->{object} && $process->{advice}, 'its threads, its objects, and advice');
is(scalar @{why(77, $run)->{page} // []}, 1, 'a process that memref has seen');
my $unknown = why(4242, $run);
like("$unknown->{status} $unknown->{err}", qr/^1 memscope: 4242: no process of this pid was recorded$/, 'a process that was not recorded');
my $nowhere = why('0x7', $run);
is($nowhere->{'object none'}, 'no sampled object was at this address', 'an address without an object');
like($nowhere->{'page referenced'}, qr/^not known: memref recorded no virtual addresses$/, 'of a recording without virtual addresses');
is(why('0xffffffff80000000', $run)->{'type none'}, 'no sample is of this cache line', 'an address of the kernel without a sample');
spew("$run/manifest.json", '{"cgroup": "/system.slice/db.service"}');
ok(why('system.slice/db.service', $run)->{object}, 'the control group of the command');
my $other = why('other', $run);
like("$other->{status} $other->{err}", qr/^1 memscope: other: the recorded command was in the control group \/system/, 'another one');
my ($status, $out, $err) = run("$memscope why 0x11f00345 $run");
like($out, qr/^page      address: 0x11f00345 in the page at 0x11f00000\n          referenced: /, 'as text');
for ([ '0xzz', qr/0xzz: not an address/, 2 ], [ '0x1ffff888000100080', qr/0x1ffff888000100080: not an address/, 2 ], [ '0', qr/0: not a pid; an address begins with 0x/, 2 ]) {
	($status, $out, $err) = run("$memscope why $_->[0] $run");
	is($status, $_->[2], "why $_->[0]: status 2");
	like($err, $_->[1], 'says why');
}
($status, $out, $err) = run("$memscope why 1 $dir/none");
like("$status $err", qr/^1 memscope: .*none: No such file or directory$/, 'no such run');
done_testing;
