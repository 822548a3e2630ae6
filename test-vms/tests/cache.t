#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# The oracle's cache model in a guest: misses of walks over memory whose frames
# are known are what can be computed with a pencil; an independent computation
# over the trace of accesses says the same; who= takes whose accesses it says.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use List::Util qw(sum0 uniq);
use Test::More;
use VM;

my $l1 = 'L1d:32K:8:64:private';
my $colors = 16;			# of an L2 of 256 KiB in 4 ways

# { comments => [], phases => [ { "L1d 0" => [ accesses, misses ] } ] }
sub read_counts {
	my ($path) = @_;
	my %c = (comments => [], phases => []);

	for (split /\n/, VM::slurp($path) // '') {
		if (/^# (.*)/) {
			push @{ $c{comments} }, $1;
		} elsif (/^(\d+),([^,]+),([^,]+),(\d+),(\d+),(\d+)$/) {
			$c{phases}[$1]{"$2 $4"} = [ $5, $6 ];
			$c{level}{$2} = $3;
		} else {
			$c{head} .= $_;
		}
	}
	return \%c;
}

# Runs cache_walk; returns its walks and the counts.
sub walks {
	my ($name, $spec, @options) = @_;
	my $vm = vm('--share', $share, @options, '--oracle', "$spec,counts=$share/$name",
		    '--', 'oracle-phase', '--traced', '--no-phase', '--', 'cache_walk', $colors);
	my @walks;

	is($vm->{status}, 0, "$name: cache_walk runs") or diag $vm->{err};
	for (split /\n/, $vm->{out}) {
		my ($what, $rest) = /^(.*?) (cpu .*) pages/ or next;
		my %w = (name => $what, split(/ /, $rest));

		$w{pages} = [ /\d+/g ] if s/.* pages //;
		push @walks, \%w;
	}
	return (\@walks, read_counts("$share/$name"));
}

# The lines of 64 bytes a walk goes over in a round, an item an access to a line.
sub lines {
	my ($w) = @_;
	my @lines;

	for (my $at = $w->{offset}; $at + $w->{size} <= 4096 * @{ $w->{pages} }; $at += $w->{step}) {
		# What goes over a border is an access to each side.
		for my $line (uniq(int($at / 64), int(($at + $w->{size} - 1) / 64))) {
			push @lines, $w->{pages}[ $line / 64 ] * 64 + $line % 64;
		}
	}
	return @lines;
}

sub parity { my ($x) = @_; return unpack('%32b*', pack 'Q', $x) & 1 }

# Round after round of the same lines under LRU, in a cache that was empty: in a
# set with more lines than ways each line has left when it is read again, in others
# none ever leaves.  Returns accesses, misses, and the lines that always miss.
sub cyclic {
	my ($lines, $rounds, $once, $ways, $set_of) = @_;
	my (%in, $misses, @thrash);

	$in{ $set_of->($_) }{$_} = 1 for @$lines, @$once;
	my %again = map { $_ => 1 } @$lines;
	my $n = uniq(@$lines);
	for my $set (values %in) {
		my ($all, $often) = (scalar keys %$set, scalar grep { $again{$_} } keys %$set);

		die 'not a case with a closed form' if $all > $ways && $often && $often <= $ways;
		$misses += $all + ($often > $ways ? $often * ($rounds - 1) : 0);
	}
	for my $line (uniq @$lines) {
		my $set = $in{ $set_of->($line) };
		push @thrash, $line if keys %$set > $ways;
	}
	return ($n * $rounds + @$once, $misses, \@thrash);
}

# L1 of 64 sets and 8 ways, and L2 of 1024 sets and 4 ways indexed by $l2_set.
sub expect_walk {
	my ($w, $l2_set) = @_;
	my @lines = lines($w);
	my (undef, $misses, $thrash) = cyclic(\@lines, $w->{rounds}, [], 8, sub { $_[0] % 64 });
	my %always = map { $_ => 1 } @$thrash;
	my @once = grep { !$always{$_} } uniq @lines;
	my ($accesses2, $misses2) = cyclic($thrash, $w->{rounds}, \@once, 4, $l2_set);
	return ([ @lines * $w->{rounds}, $misses ], [ $accesses2, $misses2 ]);
}

sub check_walks {
	my ($name, $walks, $counts, $l2_set) = @_;

	is(scalar @{ $counts->{phases} }, scalar @$walks, "$name: a phase a walk");
	for my $i (0 .. $#$walks) {
		my ($w, $got) = ($walks->[$i], $counts->{phases}[$i]);
		my ($want1, $want2) = expect_walk($w, $l2_set);
		my $cpu = $w->{cpu};

		is_deeply([ $got->{"L1d $cpu"}, $got->{"L2 $cpu"} ], [ $want1, $want2 ],
			  "$name: $w->{name}: accesses and misses, L1d @$want1, L2 @$want2");
		is($got->{"instructions $cpu"}[0], $w->{insns}, "$name: $w->{name}: instructions");
	}
}

# The trace's phases by cache-check, against the counts.
sub check_trace {
	my ($name, $counts, @caches) = @_;
	my (%want, %got);

	open my $f, '-|', "$build/guest/cache-check", "$share/$name.trace", @caches or die $!;
	while (<$f>) {
		/^(\d+),(.*),(\d+),(\d+),(\d+)$/ or die $_;
		$want{"phase $1: $2 CPU $3"} = "$5 of $4";
	}
	close $f;
	for my $i (0 .. $#{ $counts->{phases} }) {
		for (grep { !/^instructions/ } keys %{ $counts->{phases}[$i] }) {
			my ($cache, $cpu) = split;
			my ($n, $m) = @{ $counts->{phases}[$i]{$_} };
			$got{"phase $i: $cache CPU $cpu"} = "$m of $n" if $n;
		}
	}
	ok(scalar keys %want, "$name: there is a trace");
	is_deeply(\%got, \%want, "$name: the same from the trace of accesses");
}

sub trace_pages {
	my ($name) = @_;
	my $data = VM::slurp("$share/$name.trace");
	my @pages;

	for (my $at = 0; $at < length $data; $at += 16) {
		my ($address, $phase) = unpack 'Q V', substr $data, $at, 12;
		$pages[$phase]{ $address >> 12 } = 1;
	}
	return map { [ sort { $a <=> $b } keys %$_ ] } @pages;
}

# The plain index.
my ($walks, $counts) = walks('plain', "cache=$l1,L2:256K:4:64,who=traced,begin=empty,"
			     . "trace=$share/plain.trace");
is($counts->{head}, 'phase,cache,level,cpu,accesses,misses', 'the head of the table');
is_deeply($counts->{level}, { instructions => '-', L1d => 1, L2 => 2 }, 'levels');
is_deeply([ grep { /^(memscope-cache|cache|who)/ } @{ $counts->{comments} } ],
	  [ 'memscope-cache 1', 'cache: L1d:32768:8:64:private:lru',
	    'cache: L2:262144:4:64:shared:lru', 'who: traced' ], 'the counts say what was modeled');
check_walks('plain', $walks, $counts, sub { $_[0] % 1024 });
check_trace('plain', $counts, 'L1d d private 64 8 64 lru', 'L2 d shared 1024 4 64 lru');
my %at = map { $walks->[$_]{name} => $_ } 0 .. $#$walks;
my $one = $counts->{phases}[ $at{'16 pages of one color'} ]{'L2 0'};
my $all = $counts->{phases}[ $at{'16 pages of 16 colors'} ]{'L2 0'};
is($one->[1] / $all->[1], 10, 'pages of one color conflict in each of ten rounds, of all colors never');

# Index bits 6 and 7 of a page's part with higher bits: other pages conflict.  Memory
# above 4 GiB, and two NUMA nodes.
my @masks = map { 1 << (6 + $_) } 0 .. 9;
$masks[$_] |= 1 << (10 + $_) for 6 .. 9;
my ($xwalks, $xcounts) = walks('xor', "cache=$l1,L2:256K:4:64:private:xor="
			       . join('/', map { sprintf '0x%x', $_ } @masks)
			       . ",who=traced,begin=empty,insns=exact,trace=$share/xor.trace",
			       '--mem', '5G', '--numa', 2);
check_walks('xor', $xwalks, $xcounts, sub {
	my ($line) = @_;
	return sum0(map { parity($line << 6 & $masks[$_]) << $_ } 0 .. 9);
});
is_deeply([ trace_pages('xor') ],
	  [ map { my $w = $_; [ uniq(sort { $a <=> $b } map { $_ >> 6 } lines($w)) ] } @$xwalks ],
	  'xor: the trace has the frames the guest sees');
ok((grep { $_ >= 0x100000 } map { @{ $_->{pages} } } @$xwalks) > 0, 'xor: some above 4 GiB');
isnt($xcounts->{phases}[ $at{'16 pages of one color'} ]{'L2 0'}[1], $one->[1],
     'xor: another index, other conflicts');

# Whose accesses.
my $beside = $at{'beside a neighbor'};
my ($n, $insns) = ($counts->{phases}[$beside]{'L1d 0'}[0], $counts->{phases}[$beside]{'instructions 0'}[0]);
my (undef, $user) = walks('user', "cache=$l1,L2:1M:16:64,who=user");
cmp_ok($user->{phases}[$beside]{'L1d 0'}[0], '>', 1.1 * $n, 'user: the neighbor counts too');
is_deeply($user->{phases}[ $at{'CPU 1'} ]{'L2 1'}, [ 2048, 0 ],
	  'a shared L2 has for CPU 1 what CPU 0 brought');
is($user->{phases}[ $at{kept} ]{'L2 1'}[1], 0, 'kept: no line misses in both caches');
# But for a line of each of the 4 pages, which the program looks at before.
is_deeply([ @{ $user->{phases}[ $at{emptied} ] }{'L1d 1', 'L2 1'} ], [ [ 512, 252 ], [ 252, 252 ] ],
	  'a mark empties the caches: of the same lines, each misses once');
my (undef, $kernel) = walks('kernel', "cache=$l1,L2:1M:16:64:private,who=traced+kernel");
cmp_ok($kernel->{phases}[$beside]{'L1d 0'}[0], '>', $n, 'traced+kernel: the kernel counts too');
cmp_ok($kernel->{phases}[$beside]{'L1d 0'}[0], '<', 1.5 * $n, '... and not the neighbor');
cmp_ok($kernel->{phases}[$beside]{'instructions 0'}[0], '>', $insns, '... and its instructions');
# But for a line of each of the 16 pages, which the program looks at before.
cmp_ok($kernel->{phases}[ $at{'CPU 1'} ]{'L2 1'}[1], '>=', 1024 - 16, 'a private L2 has not');

# Everything two busy CPUs do, kernel and fetches too, in three levels.
my $vm = vm('--share', $share, '--oracle', 'cache=L1d:8K:4:64:private:data:plru,'
	    . 'L1i:8K:2:32:private:fetch:fifo,L2:64K:8:64:private,L3:256K:16:128:fifo:'
	    . "xor=0x80080/0x100100/0x200200/0x400400/0x800800/0x1001000/0x2002000,counts=$share/all,"
	    . "what=all,begin=empty,trace=$share/all.trace",
	    '--', 'oracle-phase', '--', 'sh', '-c', 'sort /etc/* | md5sum & ls -lR /usr | md5sum; wait');
is($vm->{status}, 0, 'all: runs') or diag $vm->{err};
my $c = read_counts("$share/all");
check_trace('all', $c, 'L1d d private 32 4 64 plru', 'L1i f private 128 2 32 fifo',
	    'L2 df private 128 8 64 lru',
	    'L3 df shared 128 16 128 fifo 0x80080 0x100100 0x200200 0x400400 0x800800 0x1001000 0x2002000');
ok((grep { $c->{phases}[0]{"$_"}[1] } 'L1i 0', 'L1i 1', 'L3 0', 'L3 1') == 4, 'all: both CPUs, all levels');

# The end comes in a phase; phases that trace no one.
vm('--share', $share, '--oracle', "cache=L1:1K:1:64,counts=$share/end,who=traced", '--',
   'sh', '-c', 'oracle-phase true; oracle-phase --traced poweroff -f');
$c = read_counts("$share/end");
is_deeply([ grep { /phase/ } @{ $c->{comments} } ],
	  [ 'phase 0: no traced process ran', 'phase 1: the guest ended in it' ],
	  'the counts say what is odd');
is($c->{phases}[0]{'L1 0'}[0], 0, 'no one traced, nothing counted');
cmp_ok(sum0(map { $c->{phases}[1]{"L1 $_"}[0] } 0, 1), '>', 100, 'the last phase is there');

# Who is traced, and what is said of the command.
$vm = vm('--', 'sh', '-c', <<'SCRIPT');
t=/sys/kernel/debug/oracle/traced
oracle-phase --traced -- sh -c 'echo $$; sh -c "cat $0; true" $0; true' $t | sed 's/^[0-9]*$/pid/'
sleep 9 & echo $! >$t; cat $t | wc -l; echo -$! >$t; cat $t | wc -l
echo $! >$t; kill $!; wait; cat $t | wc -l
(echo 99999 >$t) 2>&1; (echo x >$t) 2>&1
oracle-phase sh -c 'exit 3'; echo $?; oracle-phase sh -c 'kill -9 $$'; echo $?
oracle-phase /nothere; echo $?; oracle-phase --wrong; echo $?
(trap '' CHLD; exec oracle-phase sh -c 'exit 4'); echo $?
SCRIPT
like($vm->{out}, qr/^pid\n(pid\n){3}1\n0\n0\n.*No such process\n.*Invalid argument\n3\n137\n127\n2\n4\n$/,
     'a process and its children are traced until they end or are taken out; SIGCHLD may be ignored');

# Wrong descriptions end the VM with a reason.
for (
	[ "cache=$l1,L2:9K:8:64,counts=$share/x", qr/^oracle: cache=L2: 9K bytes in 8 ways/m ],
	[ "cache=$l1", qr/cache=SPEC and counts=FILE go together/ ],
	[ "counts=$share/x", qr/cache=SPEC and counts=FILE go together/ ],
	[ "cache=$l1,counts=$share/x,who=me", qr/who=me: all, user, traced/ ],
	[ "cache=$l1,counts=$share/x,what=fetch,begin=full", qr/begin=full: keep or empty/ ],
	[ "cache=$l1:data,counts=$share/x,what=fetch", qr/cache=L1d: takes none of what=fetch/ ],
	[ "cache=$l1,counts=$share/no/x", qr/no\/x: No such file/ ],
) {
	my $vm = vm('--oracle', $_->[0], '--', 'true');
	is($vm->{status}, 125, "$_->[0] is refused") or next;
	like($vm->{err}, $_->[1], '... with the reason');
}
is(vm('--accel', 'mttcg', '--oracle', "cache=$l1,counts=$share/x", '--', 'true')->{status}, 2,
   'not with CPUs at the same time');

done_testing();
