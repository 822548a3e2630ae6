#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# What fails once, fails in a way that can be seen: each place at which the programs ask for
# memory, open, write, map, fork or dup (made/faults/fail.c), in reports, pages, plots,
# exports, comparisons and scripts of all four tools, built with the sanitizers.  Either a
# message and status 1, with no file left, or what is printed undisturbed; no report of the
# sanitizers, no leak.  FAULTS=PATTERN: only commands that match.
use strict;
use warnings;
no warnings 'portable';
use File::Path qw(make_path remove_tree);
use FindBin;
use lib $FindBin::RealBin;
use Test::More;
use Tool;

my $bin = "$build/tools-sanitize/faults";
my $gen = "$build/tools/tests";
-x "$bin/memref" or plan skip_all => 'the programs were not built with the sanitizers (make -C tools check)';

# --- recordings -----------------------------------------------------------------------
system("$gen/trace_gen memref 7z $dir/memref.dat 4") == 0 or die;
system("$gen/trace_gen memref 6 $dir/memref6.dat 3") == 0 or die;
system("$gen/memprof_gen $dir/memprof.data 300 400 3 20 1") == 0 or die;
{
	my $text = "# dprof events 1\n";
	my $time = 1_000_000_000;
	$text .= "$time 0 1 dprof_type id=$_ class=1 size=128 cache=c$_ func=alloc_$_ file=a.c line=$_ module=\n" for 20, 21;
	for my $i (1 .. 12) {
		my $base = sprintf '0x%x', 0xffff888000100000 + 128 * $i;
		my $type = 20 + $i % 2;
		$time += 1000;
		$text .= "$time 0 1 dprof_alloc base=$base ip=0xffffffff81000009 type=$type size=128\n" .
			 "$time 0 1 dprof_history id=$i base=$base type=$type size=128 ip=0xffffffff81000009 offset=0,8,0,0 len=8,8,0,0 slots=2\n";
		for my $k (1 .. 4) {
			$time += 100;
			my $cpu = $k % 2;
			my $offset = $k % 2 * 8;
			my $addr = sprintf '0x%x', hex($base) + $offset;
			$text .= "$time $cpu 1 dprof_access id=$i ip=0xffffffff8100100$k since=@{[100 * $k]} type=$type offset=$offset len=8 op=@{[1 + $k % 2]}\n" .
				 "$time $cpu 1 dprof_sample ip=0xffffffff8100100$k addr=$addr phys=0x0 base=$base type=$type offset=$offset data_src=0x600800002 latency=150 op=1 width=8 source=1 flags=0\n";
		}
		$text .= "$time 1 1 dprof_history_end id=$i ip=0xffffffff81004004 lifetime=3000 blind=0 accesses=4 lost=0 how=0\n" .
			 "$time 1 1 dprof_free base=$base ip=0xffffffff81004004 type=$type\n";
	}
	spew("$dir/dprof.txt", $text);
	system("$gen/trace_gen dprof 7 $dir/dprof.dat $dir/dprof.txt") == 0 or die;
}
system("$gen/memref_ages_gen $dir/ages.dat") == 0 or die;
system("$gen/bench_gen n=6 m=6 >$dir/results.csv") == 0 or die;

# OUT is where an output goes, in a folder of its own.
my @commands = (
	(map { "memref report $_ $dir/memref.dat" } qw(summary temporal spatial wss heatmap virtual numa tasks thp)),
	(map { "memref report $_ $dir/ages.dat" } qw(ages curve)), "memref size $dir/ages.dat -f json -o OUT/size.json",
	"memref report summary $dir/memref6.dat -f json", "memref report wss $dir/memref.dat -f csv -o OUT/wss.csv",
	(map { "memref export $dir/memref.dat --to $_ -o OUT/export" } qw(damo damo-json csv json folded raw openmetrics columns perfetto)),
	"memref diff $dir/memref.dat $dir/memref6.dat", "memref html $dir/memref.dat -o OUT/page.html",
	"memref plot wss $dir/memref.dat -o OUT/wss.svg", "memref cut $dir/memref.dat --from 0.1 -o OUT/cut.dat",
	(map { "dprof report $_ $dir/dprof.txt" } qw(profile classify workingset assoc-sets paths sharing)),
	"dprof report profile $dir/dprof.dat -f json", "dprof script $dir/dprof.dat -o OUT/script.txt",
	"dprof diff $dir/dprof.txt $dir/dprof.dat", "dprof plot dataflow $dir/dprof.txt -o OUT/flow.svg --type c20:alloc_20",
	(map { "dprof export $dir/dprof.txt --to $_ -o OUT/export" } qw(pprof openmetrics)),
	(map { "memprof export $dir/memprof.data --to $_ -o OUT/export" } qw(pprof openmetrics)),
	(map { "memprof report $_ $dir/memprof.data" } qw(summary objects threads flow nodes)),
	"memprof report objects $dir/memprof.data --instances -f json -o OUT/objects.json",
	"memprof diagnose $dir/memprof.data", "memprof diagnose $dir/memprof.data --levels",
	"memprof html $dir/memprof.data -o OUT/page.html", "memprof plot objects $dir/memprof.data -o OUT/objects.svg",
	"pagealloc bench report --replicates 99 --group-pairs 20 $dir/results.csv", "pagealloc bench report --replicates 99 --group-pairs 20 $dir/results.csv -f json -o OUT/report.json",
);
my $only = $ENV{FAULTS} // '.';
@commands = grep { /$only/ } @commands;

$ENV{ASAN_OPTIONS} = 'exitcode=66:allocator_may_return_null=1';
$ENV{UBSAN_OPTIONS} = 'halt_on_error=1:exitcode=66';
delete $ENV{DISPLAY};

# Status, what was printed and written, messages, files.
sub attempt {
	my ($command, $number, %env) = @_;
	my $out = "$dir/run.$number";
	remove_tree($out);
	make_path($out);
	local @ENV{keys %env} = values %env;
	local $ENV{TMPDIR} = "$dir/tmp.$number";
	make_path($ENV{TMPDIR});
	my ($program, $rest) = $command =~ /^(\S+) (.*)/;
	$rest =~ s/OUT/$out/g;
	system("timeout -s KILL 60 $bin/$program $rest >$dir/stdout.$number 2>$dir/stderr.$number </dev/null");
	my $status = $? & 127 ? 128 + ($? & 127) : $? >> 8;
	my @files = map { s/^\Q$out\E\///r } grep { -f } glob "$out/*";
	my $text = join '', slurp("$dir/stdout.$number"), map { "\n$_:\n" . slurp("$out/$_") } @files;
	$text =~ s/\Q$out\E/OUT/g;
	my @left = glob "$ENV{TMPDIR}/*";
	remove_tree($ENV{TMPDIR});
	return { status => $status, text => $text, err => scalar slurp("$dir/stderr.$number"), files => "@files", left => "@left" };
}

# What is wrong with how a command ended; '' if nothing is.
sub verdict {
	my ($r, $undisturbed, $program) = @_;
	return "a report of the sanitizers" if $r->{err} =~ /Sanitizer|runtime error:/;
	return "status $r->{status}" if $r->{status} > 1;
	return "left $r->{left}" if length $r->{left};
	return $r->{text} eq $undisturbed->{text} ? '' : 'status 0, and another output' if !$r->{status};
	return 'no message' if $r->{err} !~ /^\Q$program\E: \S/m;
	return "left $r->{files}" if length $r->{files};
	return '';
}

# --- each place once ----------------------------------------------------------------
my (%seen, @faults);
for my $command (@commands) {
	# Of a verb: what one does with a failure, another one need not do.
	my ($verb) = $command =~ /^(\S+ \S+)/;
	my $list = "$dir/list";
	unlink $list;
	my $undisturbed = attempt($command, 'first', FAIL_LIST => $list);
	is($undisturbed->{status}, 0, $command =~ s/\Q$dir\E\///gr) or diag $undisturbed->{err};
	for (split /\n/, slurp($list) // '') {
		my ($place, $function, @callers) = split ' ';
		push @faults, [ $command, $place, $function, $undisturbed, @callers ] if !$seen{"$verb $place"}++;
	}
}
chomp(my $jobs = `nproc`);
my @pids;
for my $job (1 .. $jobs) {
	my $pid = fork() // die "fork: $!";
	if ($pid) {
		push @pids, $pid;
		next;
	}
	open my $f, '>', "$dir/verdicts.$job" or die;
	for (my $i = $job - 1; $i < @faults; $i += $jobs) {
		my ($command, $place, $function, $undisturbed, @callers) = @{$faults[$i]};
		my ($program) = $command =~ /^(\S+)/;
		my $r = attempt($command, $job, FAIL_AT => $place);
		my $wrong = verdict($r, $undisturbed, $program);
		next if !$wrong;
		my $short = $command =~ s/\Q$dir\E\///gr;
		my @where = grep { $_ } map { hex } @callers;
		# Of a call, not of what follows it.
		my @lines = `addr2line -s -e $bin/$program @{[map { sprintf '%x', $_ - 1 } @where]}`;
		print $f "$short: $function, FAIL_AT=$place: $wrong\n", map { "    in $_" } @lines;
		@lines = grep { /^\s+#\d+ .*\/tools\/|ERROR|runtime error|^\w+: / } split /^/, $r->{err};
		print $f map { "    $_" } @lines[0 .. ($#lines < 7 ? $#lines : 7)];
	}
	close $f or die;
	# Not by exit(): the directory is the parent's.
	require POSIX;
	POSIX::_exit(0);
}
waitpid $_, 0 for @pids;
my $wrong = join '', map { slurp("$dir/verdicts.$_") // "job $_ did not end\n" } 1 .. $jobs;
my $n = () = $wrong =~ /^\S/mg;
cmp_ok(scalar @faults, '>', 10 * @commands, 'places: ' . @faults) if $only eq '.';
is($n, 0, 'what fails is said, and nothing is left of it') or diag $wrong;
done_testing();
