#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# What memprof is worth, and costs: patterns found in planted programs, the remote share
# of the paper's applications before and after what it advises, accesses charged
# to the right object, instructions an event, bytes a record, seconds to read recordings.
use strict;
use warnings;
no warnings 'portable';	# addresses
use File::Copy qw(copy);
use FindBin;
use JSON::PP;
use List::Util qw(max min sum);
use POSIX ();
use lib $FindBin::RealBin, "$FindBin::RealBin/../tests", "$FindBin::RealBin/../../tools/memprof/tests";
use Allocators;
use Figures;
use MemprofPrograms;
use Plants;
use PlantsCxx;
use VM;

my $programs = $ENV{PROGRAMS} // 200;
my $seed = $ENV{SEED} // 100;
my $nodes = $ENV{NODES} // 2;
my $source = $ENV{SOURCE} // 'ibs';
my $jobs = $ENV{JOBS} // (`nproc` =~ /(\d+)/)[0];
my $keep = $ENV{RECORDINGS};
my %kinds = map { $_ => 1 } split /,/, $ENV{KINDS} // '';
my %parts = map { $_ => 1 } split /,/, $ENV{PARTS} // 'read,allocators,cost,overhead,storms,truth,shares,cases,joint,programs,plants,cxx';
my $out = "$build/bench/memprof" . ($nodes == 2 ? '' : "-$nodes-nodes") . ($source eq 'ibs' ? '' : "-$source") . '.json';
mkdir "$build/bench";
mkdir $keep if $keep;
# What a part measured is written after it: a part that fails takes none with it.
my %m;
# What a part takes from the environment: if set, it is part of the command.
my %settings = (
	plants => [qw(PROGRAMS KINDS NODES SEED SOURCE)], joint => [qw(KINDS NODES SEED JOINT)], cxx => [qw(NODES CXX CXX_SEED)],
	programs => ['SHIPPED'], truth => [qw(STEPS PERIOD SEED SEEDS)], shares => ['SHARES'], storms => ['STORMS'],
);
stage() if grep { !/^(?:read|allocators)$/ } keys %parts;

sub save {
	my ($part, $how) = @_;
	$how = 'guests with ' . ($source eq 'ibs' ? 'emulated IBS' : $source) . ", -icount, slice=20000, kernel 6.12; $how"
		if $part !~ /^(?:read|allocators)$/;
	my $settings = join '', map { "$_=$ENV{$_} " } grep { defined $ENV{$_} } @{$settings{$part} // []};
	record_figures($out, "${settings}make bench-memprof PARTS=$part", $how, \%m);
}

# --- patterns -------------------------------------------------------------------

# Runs a function on each item, so many at a time; gives what they gave, without order.
sub each_guest {
	my ($what, $function, @items) = @_;
	my (@results, %pids, $next);
	while (@items || %pids) {
		if (@items && keys %pids < $jobs) {
			my $item = shift @items;
			my $path = "$share/results." . ++$next;
			my $pid = fork() // die "fork: $!";
			if (!$pid) {
				my @r = $function->($item);
				open my $f, '>', $path or POSIX::_exit(1);
				print $f encode_json(\@r);
				close $f;
				POSIX::_exit(0);
			}
			$pids{$pid} = $path;
			next;
		}
		my $path = delete $pids{waitpid -1, 0} // next;
		push @results, @{decode_json(slurp($path) // '[]')};
		printf STDERR "memprof.pl: %d %s\n", scalar @results, $what;
	}
	return @results;
}

# Runs groups of programs in guests; gives all runs.
sub run_groups {
	return each_guest('runs', sub {
		my ($plants, %o) = @{$_[0]};
		my ($vm, @runs) = run_plants($plants, nodes => $nodes, smp => 2 * $nodes, timeout => 3000,
					     source => $source, $keep ? (keep => $keep, only => $ENV{ONLY_READ}) : (), %o);
		print STDERR "memprof.pl: a guest failed: $vm->{err}" if $vm->{status};
		return @runs;
	}, @_);
}

sub patterns {
	# A saturated node takes a model of load; so that others are not, they run without.
	my @kinds = qw(after wrong tables alternate read write false split partition control shared-control);
	my (@plants, @saturate, @false, @groups);
	for my $i (0 .. $programs - 1) {
		my $kind = (@kinds, 'saturate')[$i % (@kinds + 1)];
		next if %kinds && !$kinds{$kind};
		# A saturated node is one that answers slowly: swmem has no latencies.
		next if $kind eq 'saturate' && $source eq 'swmem';
		push @{$kind eq 'saturate' ? \@saturate : $kind eq 'false' ? \@false : \@plants}, [ $kind, $seed + $i ];
	}
	push @groups, [ [ splice @plants, 0, 6 ] ] while @plants;
	# Each thread accesses one line, and the others wait: what the interrupt adds to a
	# period is not the same for each.
	push @groups, [ [ splice @false, 0, 3 ], period => 8192, rounds => 6000000 ] while @false;
	push @groups, [ [ splice @saturate, 0, 6 ], ibs =>
		'slice=20000,model=load,hit-l1=0,hit-l2=0,hit-l3=0,window=200000,node-capacity=30000' ] while @saturate;
	my @runs = run_groups(@groups);
	my ($found, $fixes, $wanted, $false, %missed, @error, %base, %of) = (0, 0, 0, 0);
	for (@runs) {
		my $name = "$_->{pattern} $_->{seed}";
		if ($_->{fixed}) {
			push @error, [ $name, abs($_->{remote} - $base{$name}{all_predicted_pct}) ]
				if $base{$name} && defined $_->{remote};
			next;
		}
		my ($hit, $fix, $alarms) = judge_plant($_);
		$wanted++ unless $_->{pattern} =~ /control/;
		$found += !!$hit;
		$of{$_->{pattern}}{programs}++;
		$of{$_->{pattern}}{found} += !!$hit;
		$of{$_->{pattern}}{false} += $alarms;
		$fixes += !!$fix;
		$false += $alarms;
		$base{$name} = $hit;
		$missed{$name} = [ map { "$_->{pattern} $_->{site} $_->{share_of_remote_pct}" } grep { $_->{fix} ne 'none' }
				   @{$_->{findings}} ] if $alarms || (!$hit && $_->{pattern} !~ /control/);
	}
	$m{programs} = grep { !$_->{fixed} } @runs;
	@m{qw(plants_found plants_planted plants_false_alarms)} = ($found, $wanted, $false);
	$m{diagnosis_recall} = $found / ($wanted || 1);
	$m{diagnosis_precision} = $found / ($found + $false || 1);
	$m{fix_named} = $fixes / ($found || 1);
	if (@error) {
		$m{prediction_mean_err_pp} = sum(map { $_->[1] } @error) / @error;
		$m{prediction_max_err_pp} = max(map { $_->[1] } @error);
		$m{prediction_within_3pp} = grep({ $_->[1] <= 3 } @error) / @error;
		$m{predictions} = @error;
	}
	for my $kind (keys %of) {
		$m{"$kind-$_" =~ s/-/_/gr} = $of{$kind}{$_} for keys %{$of{$kind}};
	}
	print "missed or false: $_: @{$missed{$_}}\n" for sort keys %missed;
	print "prediction off by $_->[1]: $_->[0]\n" for grep { $_->[1] > 3 } @error;
	save('plants', "PROGRAMS=$programs NODES=$nodes, seeds $seed and on, each as it is and with its fix");
}

# --- patterns in C++ ------------------------------------------------------------------
# Several in a program, of objects from wrappers, classes, containers and pools: each found,
# predictions of one fix alone, and of all fixes, beside what these then show.
sub cxx {
	my ($n, $first) = ($ENV{CXX} // 50, $ENV{CXX_SEED} // 700);
	my $dir = ($keep // $share) . '/cxx';
	my ($wanted, $found, $false, @single, @joint, %runs, %of) = (0, 0, 0);

	mkdir $dir;
	for my $run (each_guest('runs', sub {
		my ($seeds, %o) = @{$_[0]};
		my ($vm, @r) = run_cxx($seeds, keep => $dir, only => $ENV{ONLY_READ}, nodes => $nodes, smp => 2 * $nodes,
				       timeout => 3000, %o);
		print STDERR "memprof.pl: a guest failed: $vm->{err}" if $vm->{status};
		return @r;
	}, cxx_groups(4, $first .. $first + $n - 1))) {
		$runs{$run->{seed}}{$run->{fix}} = $run;
	}
	for my $seed (sort { $a <=> $b } keys %runs) {
		my $as_is = $runs{$seed}{''} // next;
		my @plants = @{$as_is->{plants}};
		my ($hits, $alarms) = judge_cxx($as_is);
		my $all = $runs{$seed}{all};
		my $name = "cxx $seed (" . join(' ', map { "$_->[0]:$_->[1]" } @plants) . ')';
		$false += @$alarms;
		print "false: $name: $_->{pattern} $_->{fix} $_->{site} $_->{share_of_remote_pct}\n" for @$alarms;
		for my $i (0 .. $#plants) {
			my $kind = $plants[$i][0];
			$of{$kind}{programs}++;
			next if $kind =~ /control/;
			my $fixed = @plants > 1 ? $runs{$seed}{$i} : $all;
			$wanted++;
			print "missed: $name: $kind\n" and next unless $hits->[$i];
			$found++;
			$of{$kind}{found}++;
			next unless $fixed && defined $fixed->{remote};
			push @single, abs($fixed->{remote} - $hits->[$i]{all_predicted_pct});
			print "off by $single[-1]: $name: $kind: $as_is->{remote}, predicted $hits->[$i]{all_predicted_pct}, then $fixed->{remote}\n"
				if $single[-1] > 3;
		}
		my ($any) = grep { $_ } @$hits;
		next unless $any && $all && defined $all->{remote};
		push @joint, abs($all->{remote} - $any->{all_fixes_pct});
		print "all fixes off by $joint[-1]: $name: $as_is->{remote}, predicted $any->{all_fixes_pct}, then $all->{remote}\n"
			if $joint[-1] > 5;
	}
	return unless $wanted && @single && @joint;
	$m{cxx_programs} = keys %runs;
	$m{cxx_patterns} = $wanted;
	$m{cxx_found} = $found;
	$m{cxx_false_alarms} = $false;
	$m{cxx_recall} = $found / $wanted;
	$m{cxx_precision} = $found / ($found + $false || 1);
	$m{cxx_predictions} = @single;
	$m{cxx_prediction_mean_err_pp} = sum(@single) / @single;
	$m{cxx_prediction_max_err_pp} = max(@single);
	$m{cxx_prediction_within_3pp} = grep({ $_ <= 3 } @single) / @single;
	$m{cxx_joint_predictions} = @joint;
	$m{cxx_joint_mean_err_pp} = sum(@joint) / @joint;
	$m{cxx_joint_max_err_pp} = max(@joint);
	$m{cxx_joint_within_5pp} = grep({ $_ <= 5 } @joint) / @joint;
	for my $kind (keys %of) {
		$m{"cxx_${kind}_$_" =~ s/-/_/gr} = $of{$kind}{$_} for keys %{$of{$kind}};
	}
	save('cxx', "CXX=$n CXX_SEED=$first NODES=$nodes, each program as it is, with all fixes, and with one of several");
}

# --- the paper's applications ---------------------------------------------------------

# Without caches in the model, all that a small program accesses is main memory.
my $no_caches = 'slice=20000,hit-l1=0,hit-l2=0,hit-l3=0';
my $loaded = "$no_caches,model=load,window=400000,node-capacity=30000";
# Rounds, and how far a node and its caches are.
my %cases = (
	facerec => [ 60, 'slice=20000,model=load' ], streamcluster => [ 25, $loaded ],
	psearchy => [ 40, $loaded ], apache => [ 30, $no_caches ],
);

sub cases {
	for my $case (sort keys %cases) {
		my ($rounds, $ibs) = @{$cases{$case}};
		my $vm = in_guest(<<~END, timeout => 3000, nodes => 4, smp => 8, ibs => $ibs);
		for fix in '' fix; do
			taskset -c 0 memprof record -c 4096 -o d -- memprof_cases $case \$fix $rounds || exit 1
			cp d /share/$case\$fix.data && rm d
		done
		END
		print STDERR "memprof.pl: a guest failed: $vm->{err}" if $vm->{status};
		my ($as_is, $fixed) = map { -e $_ ? read_run({}, $_) : {} } "$share/$case.data", "$share/${case}fix.data";
		my ($first) = grep { $_->{fix} ne 'none' } @{$as_is->{findings} // []};
		# Numbers, not text, in JSON.
		$m{"case_${case}_remote_pct"} = $as_is->{remote} + 0 if defined $as_is->{remote};
		$m{"case_${case}_fixed_remote_pct"} = $fixed->{remote} + 0 if defined $fixed->{remote};
		$m{"case_${case}_pattern"} = $first->{pattern};
		$m{"case_${case}_fix"} = $first->{fix};
		$m{"case_${case}_predicted_pct"} = $first->{all_predicted_pct} + 0 if $first;
	}
	save('cases', 'memprof_cases, 4 nodes, 8 CPUs, period 4096; predicted: with the first finding mended alone');
}

# --- caches and memory together -------------------------------------------------------
# Where loads find their data with a fix, as it is said and as it then is, in caches that
# are followed.  They are small, so that memory is asked, and equal runs differ by chance.

# Of the object with most accesses, half of the loads from memory are remote once it is
# interleaved over two nodes: what memprof would say if it saw that a node is saturated,
# which the model that follows caches does not have.
sub interleaved {
	my ($path, $all) = @_;
	my @symbols = ('--all', '-f', 'csv', '--symfs', Plants::guest_files());
	my ($names, $first) = `$build/bin/memprof report objects $path --top 1 @symbols`;
	my (%object, %memory, @names);
	@object{Plants::fields($names // '')} = Plants::fields($first // return);
	for (`$build/bin/memprof report flow --object $object{object} $path @symbols`) {
		chomp;
		my %a;
		@names or @names = split /,/ and next;
		@a{@names} = Plants::fields($_);
		$memory{$a{level}}++ if $a{access} eq 'read';
	}
	my ($local, $remote) = map { 100 * ($memory{$_} // 0) / $all->{loads} } 'memory', 'remote memory';
	my $then = ($local + $remote) * (1 - 1 / $nodes);
	return { %$all, fix => 'interleave', local_memory_pct => $all->{local_memory_pct} + $remote - $then,
		 remote_memory_pct => $all->{remote_memory_pct} - $remote + $then };
}

sub joint {
	my @kinds = grep { !%kinds || $kinds{$_} } qw(after wrong tables alternate read write false split partition saturate);
	my @columns = map { "${_}_pct" } qw(l1 l2 l3 remote_cache local_memory remote_memory);
	my $dir = ($keep // $share) . '/joint';
	my (@error, %of, $loads);
	mkdir $dir;
	for my $kind (@kinds) {
		my ($vm, @runs) = run_plants([ map { [ $kind, $seed + $_ ] } 0 .. ($ENV{JOINT} // 1) - 1 ],
			keep => $dir, only => $ENV{ONLY_READ}, nodes => $nodes, smp => 2 * $nodes, timeout => 3000,
			rounds => 2500000, period => 1024, ibs => 'slice=1000,model=trace,l1-kb=8,l2-kb=16,l3-kb=48');
		print STDERR "memprof.pl: a guest failed: $vm->{err}" if $vm->{status};
		while (my ($as_is, $fixed) = splice @runs, 0, 2) {
			last unless $fixed;
			my $before = read_levels("$dir/$as_is->{name}");
			my $after = read_levels("$dir/$fixed->{name}");
			my ($hit) = judge_plant($as_is);
			my ($predicted) = grep { $hit && $_->{fix} eq $hit->{fix} && $_->{pattern} eq $hit->{pattern} } @$before;
			$predicted = interleaved("$dir/$as_is->{name}", $before->[0]) if $kind eq 'saturate' && @$before;
			if (!$predicted || !@$after) {
				print "joint: $as_is->{name}: not found\n";
				next;
			}
			# The page has the first program of each pattern.
			push @{$m{joint}}, map { my ($when, $of) = @$_; my %share = (planted => $when eq 'before' ? "$kind: $predicted->{fix}" : '', when => $when);
				@share{qw(l1 l2 l3 other_cache local remote)} = map { 0 + $_ } @$of{@columns};
				\%share } [ before => $before->[0] ], [ predicted => $predicted ], [ then => $after->[0] ] if !defined $of{$kind};
			my @off = map { abs($predicted->{$_} - $after->[0]{$_}) } @columns;
			push @error, @off;
			$loads += $after->[0]{loads};
			$of{$kind} = max(@off, $of{$kind} // 0);
			printf "joint: %s: %s: %s\n", $as_is->{name}, $predicted->{fix}, join ', ',
				map { sprintf '%s %.1f to %.1f, predicted %.1f', s/_pct//r, $before->[0]{$_}, $after->[0]{$_}, $predicted->{$_} } @columns;
		}
	}
	return unless @error;
	$m{"joint_${_}_max_err_pp"} = $of{$_} for keys %of;
	$m{joint_max_err_pp} = max(@error);
	$m{joint_mean_err_pp} = sum(@error) / @error;
	$m{joint_within_3pp} = grep({ $_ <= 3 } @error) / @error;
	$m{joint_shares} = @error;
	$m{joint_programs} = @error / @columns;
	$m{joint_loads} = $loads / $m{joint_programs};
	save('joint', 'planted programs, each as it is and with its fix, period 1024, in the trace model: L1 8 KiB, L2 16 KiB, L3 48 KiB; shares of loads');
}

# --- programs that Debian ships --------------------------------------------------------
# As they are: how much of what they access is named, what is advised, and what comes of it.

# Of the accesses of main memory, those of an object with a name, in percent.
sub named_pct {
	my ($header, @lines) = `$build/bin/memprof report objects $_[0] -f csv --symfs @{[Plants::guest_files()]}`;
	chomp($header //= '');
	my @names = split /,/, $header;
	my $named = 100;
	for (@lines) {
		chomp;
		my %row;
		@row{@names} = Plants::fields($_);
		$named -= $row{memory_share_pct} if $row{type} eq 'unknown' || $row{site} eq '?';
	}
	return @lines ? $named : undef;
}

# A recording of a program, which may be there from before, and what memprof says of it.
sub record_program {
	my ($dir, $name, $to, @how) = @_;
	my $path = "$dir/$to.data";
	if (!-e $path) {
		my $vm = in_guest(program_script($name, "$to.data", @how), timeout => 3000);
		print STDERR "memprof.pl: $to: a guest failed: $vm->{out}$vm->{err}" if $vm->{status};
		copy("$share/$to.data", $path) if $dir ne $share && -e "$share/$to.data";
	}
	return -e $path ? read_run({}, $path) : undef;
}

sub programs {
	my @names = $ENV{SHIPPED} ? split /,/, $ENV{SHIPPED} : program_names();
	my $dir = ($keep // $share) . '/programs';
	mkdir $dir;
	prepare_programs("$build/programs", $share, @names);
	my @results = each_guest('programs', sub {
		my ($name) = @_;
		my $run = record_program($dir, $name, $name) // return;
		my (@advice, $n);
		for my $f (grep { $_->{fix} ne 'none' } @{$run->{findings}}) {
			my ($as, $follow, $why) = follow($f);
			my $then = defined $why ? undef : record_program($dir, $name, "$name." . ++$n, $as, $follow);
			push @advice, { program => $name, (map { $_ => $f->{$_} } qw(pattern fix site)),
				(map { $_ => 0 + $f->{$_} } qw(accesses all_remote_pct all_predicted_pct)),
				defined $why ? (why => $why) : (), $then ? (then_pct => 0 + $then->{remote}) : () };
		}
		# What a run differs from another by: threads are where the scheduler puts them.
		my $again = record_program($dir, $name, "$name.again");
		return { program => $name, what => program_what($name), $again ? (again_pct => 0 + $again->{remote}) : (), named_pct => 0 + sprintf('%.2f', named_pct("$dir/$name.data")),
			 remote_pct => 0 + $run->{remote}, accesses => 0 + $run->{accesses}, lost => 0 + ($run->{lost} // 0),
			 advised => scalar @advice, advice => \@advice };
	}, @names);
	@results = sort { $a->{program} cmp $b->{program} } @results;
	my @advice = map { @{delete $_->{advice}} } @results;
	my @off = map { abs($_->{then_pct} - $_->{all_predicted_pct}) } grep { defined $_->{then_pct} } @advice;
	for (@results) {
		printf "programs: %s (%s): %d accesses, %.2f %% named, %.2f %% remote, again %.2f, %d lost\n",
			@$_{qw(program what accesses named_pct remote_pct)}, $_->{again_pct} // -1, $_->{lost};
	}
	for (@advice) {
		printf "programs: %s: %s of %s (%s): %.2f %% remote, predicted %.2f, %s\n",
			@$_{qw(program fix site pattern all_remote_pct all_predicted_pct)}, defined $_->{then_pct} ? "then $_->{then_pct}" : $_->{why} // 'failed';
	}
	return if !@results;
	$m{real_programs} = \@results;
	$m{real_programs_run} = @results;
	$m{real_programs_named_95} = grep { $_->{named_pct} >= 95 } @results;
	$m{real_named_min_pct} = min(map { $_->{named_pct} } @results);
	$m{real_advice} = \@advice;
	$m{real_advice_given} = @advice;
	$m{real_advice_followed} = @off;
	$m{real_prediction_max_err_pp} = max(@off) if @off;
	$m{real_prediction_mean_err_pp} = sum(@off) / @off if @off;
	save('programs', 'programs of Debian as they are, 2 nodes, 4 CPUs, a sample each 1,024 to 8,192 ops, no caches in the model');
}

# Headers of chunks: type, bytes, records.
sub sizes {
	my ($path) = @_;
	my $data = slurp($path);
	my ($at, %bytes, %records) = (32);
	while ($at + 40 <= length $data) {
		my (undef, $type, undef, $bytes, $records) = unpack 'VvvVV', substr $data, $at, 40;
		$bytes{$type} += $bytes + 40;
		$records{$type} += $records;
		$at += 40 + $bytes;
	}
	return (\%bytes, \%records);
}

# --- attribution, sizes --------------------------------------------------------------
sub truth {
	my ($steps, $period, $seeds) = ($ENV{STEPS} // 15000, $ENV{PERIOD} // 1024, $ENV{SEEDS} // 3);
	my $first = $ENV{SEED} // 1;
	my %n;
	for (each_guest('programs', sub {
		my $vm = in_guest(<<~END, timeout => 3000, options => ['--mem', '3G']);
		memprof record -c $period -o /share/truth.$_[0].data -- memprof_truth log $_[0] $steps || exit 1
		memprof_judge /share/truth.$_[0].data log
		END
		my ($line) = $vm->{out} =~ /^objects (\d+ right.*)/m;
		print STDERR "memprof.pl: seed $_[0]:\n$vm->{out}$vm->{err}" if $vm->{status};
		my ($bytes, $records) = sizes("$share/truth.$_[0].data");
		unlink "$share/truth.$_[0].data";
		return { $line ? split(' ', "objects $line") : (),
			 # With what belongs to samples: numbers of threads, call chains.
			 sample_bytes => ($bytes->{2} // 0) + ($bytes->{6} // 0) + ($bytes->{7} // 0),
			 samples => $records->{2} // 0, events => $records->{3} // 0,
			 event_bytes => ($bytes->{3} // 0) + ($bytes->{5} // 0) };
	}, $first .. $first + $seeds - 1)) {
		my %of = %$_;
		$n{$_} += $of{$_} for keys %of;
	}
	if ($n{right}) {
		$m{attribution_right} = $n{right} / ($n{right} + $n{wrong} + $n{'wrong-op'} + $n{'wrong-allocator'});
		$m{attribution_samples} = $n{right} + $n{wrong};
		$m{attribution_unknown_count} = $n{unknown} + $n{'not-in-log'};
		$m{attribution_unknown} = ($n{unknown} + $n{'not-in-log'}) / ($n{right} + $n{unknown} + $n{'not-in-log'});
	}
	$m{bytes_per_sample} = $n{sample_bytes} / ($n{samples} || 1);
	$m{bytes_per_event} = $n{event_bytes} / ($n{events} || 1);
	save('truth', "memprof_truth, $seeds seeds from $first on, $steps steps, period $period");
}

# --- shares -----------------------------------------------------------------------
# An object's share of the samples of main memory, against its share of all accesses, which a
# plugin of QEMU counts by page.  One CPU: the plugin counts one.  Without caches.
sub shares {
	my $nmi = (split ' ', (grep { / asm_exc_nmi$/ } split /\n/, slurp("$build/kernel-vm/System.map"))[0])[0];
	my (@error, @samples);
	for my $seed (1 .. $ENV{SHARES} // 8) {
		my $vm = in_guest(<<~END, timeout => 1500, smp => 1, nodes => 1, options =>
		memprof record -c 2048 -o d -- memprof_share run $seed 140000 >/share/share.objects || exit 1
		memprof_share report d >/share/share.accesses
		END
			[ '--qemu-arg', '-plugin', '--qemu-arg', "$build/guest/libnext.so,out=$share/share.pages,nmi=$nmi" ]);
		if ($vm->{status}) {
			print STDERR "memprof.pl: a guest failed: $vm->{err}";
			next;
		}
		my %counted = map { /^page (\w+) (\d+) (\d+)$/ ? (hex $1, $2 + $3) : () } split /\n/, slurp("$share/share.pages");
		my %sampled = map { /^accesses (\w+) (\d+)$/ ? (hex $1, $2) : () } split /\n/, slurp("$share/share.accesses");
		my @objects = map { /^object (\w+) (\d+)$/ ? [ hex $1, $2 ] : () } split /\n/, slurp("$share/share.objects");
		my @true = map { my $o = $_; sum(map { $counted{$o->[0] + 4096 * $_} // 0 } 0 .. $o->[1] / 4096 - 1) } @objects;
		my @seen = map { $sampled{$_->[0]} // 0 } @objects;
		push @samples, sum(@seen);
		push @error, map { 100 * abs($seen[$_] / sum(@seen) - $true[$_] / sum(@true)) } 0 .. $#objects;
		printf STDERR "memprof.pl: shares, seed %d: %d samples, %d accesses, the largest share %.1f %%, at most %.2f points off\n",
			$seed, sum(@seen), sum(@true), 100 * max(@true) / sum(@true), max(@error[-@objects .. -1]);
	}
	return unless @error;
	@error = sort { $a <=> $b } @error;
	$m{share_max_err_pp} = $error[-1];
	$m{share_95pct_err_pp} = $error[int(0.95 * @error)];
	$m{share_within_1pp} = grep({ $_ <= 1 } @error) / @error;
	$m{share_samples} = sum(@samples) / @samples;
	$m{share_objects} = @error;
	save('shares', 'memprof_share, 32 objects each, seeds 1 and on; a guest of one CPU, libnext.so counts');
}

# --- cost ------------------------------------------------------------------------
# Where the clock counts instructions (2 ns each) of all CPUs: with one CPU and without
# the recorder, whose reading is not the program's cost.  The clock of events is the one
# that the recorder would choose in this guest, and the other one.
sub cost {
	my $vm = in_guest(<<~'END', timeout => 1000, smp => 1, nodes => 1);
	mkdir rings
	echo without $(memprof_cost 20000)
	for clock in tsc monotonic; do
		echo $clock $(MEMPROF_SESSION=/tmp/rings MEMPROF_CLOCK=$clock \
			LD_PRELOAD=/share/lib/libmemprof-preload.so memprof_cost 20000)
	done
	END
	my %ns;
	$ns{$1} = [ $2, $3 ] while $vm->{out} =~ /^(\w+) ns_per_malloc ([\d.]+) ns_per_free ([\d.]+)/mg;
	return print STDERR "memprof.pl: a guest failed: $vm->{err}" unless keys %ns == 3;
	for my $clock (qw(tsc monotonic)) {
		my $key = $clock eq 'tsc' ? '' : "_$clock";
		my @insn = map { ($ns{$clock}[$_] - $ns{without}[$_]) / 2 } 0, 1;
		$m{"insn_per_malloc_event$key"} = $insn[0];
		$m{"insn_per_free_event$key"} = $insn[1];
		$m{"insn_per_alloc_event$key"} = sum(@insn) / 2;
	}
	$m{insn_clock_gettime} = $m{insn_per_alloc_event_monotonic} - $m{insn_per_alloc_event};
	save('cost', 'memprof_cost 20000 in a guest of one CPU, -icount');
}

# --- many events, many beginnings --------------------------------------------------
# memprof_storm's events say which of them are missing: what is lost is to be counted.
sub storms {
	my $n = $ENV{STORMS} // 1000;
	# A thousand million instructions a second, of all CPUs together.
	my @machine = (smp => 2, nodes => 1, timeout => 6000,
		       options => ['--mem', '4G', '--qemu-arg', '-icount', '--qemu-arg', 'shift=0']);
	my $vm = in_guest(<<~'END', @machine);
		memprof record -c 100000 -o d -- memprof_storm 1 4 || exit 1
		memprof_gaps d
		mv d whole
		# A recorder that does not come for a while.
		memprof record -c 100000 -o d -- memprof_storm 1 3 >/dev/null & r=$!
		until pidof memprof_storm; do sleep 0.01; done
		sleep 0.3
		kill -STOP $r
		sleep 1
		kill -CONT $r
		wait $r || exit 1
		echo "stopped: $(memprof_gaps d)"
		END
	my ($allocations, $rate) = $vm->{out} =~ /^allocations (\d+) per_second (\d+)/m;
	my %gaps = map { /(\w+) (\d+)/g } $vm->{out} =~ /^(allocations .* missing .*)/m;
	return print STDERR "memprof.pl: a guest failed: $vm->{out} $vm->{err}" if $vm->{status} || !%gaps;
	$m{storm_allocations_per_s} = $rate + 0;
	$m{storm_allocations} = $allocations + 0;
	$m{storm_events_lost} = $gaps{lost} + 0;
	# A free for each allocation but the last ones.
	$m{storm_events_uncounted} = abs($allocations - $gaps{allocations} + $allocations - $gaps{frees} - 1 - $gaps{lost}) +
				     $gaps{missing} + $gaps{surplus};
	my %stopped = map { /(\w+) (\d+)/g } $vm->{out} =~ /^stopped: (.*)/m;
	$m{storm_stopped_lost} = $stopped{lost} + 0;
	$m{storm_stopped_uncounted} = $stopped{missing} + $stopped{surplus};
	my %of = (start => 'memprof record -c 20000 -o d.$i -- memprof_storm 1 0.01 >/dev/null || exit 1',
		  attach => <<~'END');
		memprof record -c 20000 -o d.$i -p $storm -A /lib/x86_64-linux-gnu/libc.so.6 --alloc malloc --free free 2>err & r=$!
		until grep -q Ctrl-C err; do sleep 0.01; done
		sleep 0.03; rm err
		kill -INT $r
		wait $r || exit 1
		END
	for my $kind (sort keys %of) {
		my $attached = $kind eq 'attach' ? '--attached' : '';
		my $vm = in_guest(<<~END, @machine);
			memprof_storm 1 1000000 & storm=\$!
			[ "$attached" ] || kill \$storm
			for i in \$(seq $n); do
				touch err
				$of{$kind}
				[ \$((i % 50)) != 0 -a \$i != $n ] && continue
				memprof_gaps $attached d.* || exit 1
				# They stay, to be read under sanitizers.
				mkdir kept.\$i && mv d.* kept.\$i
			done
			kill -0 \$storm 2>/dev/null && echo "goes on"
			echo "left: \$(cat /sys/kernel/tracing/uprobe_events | wc -l) \$(ls /dev/shm | wc -l)"
			kill \$storm 2>/dev/null
			exit 0
			END
		my %sum;
		for my $line ($vm->{out} =~ /^(allocations .* missing .*)/mg) {
			my %f = $line =~ /(\w+) (\d+)/g;
			$sum{$_} += $f{$_} for keys %f;
		}
		print STDERR "memprof.pl: a guest failed: $vm->{out} $vm->{err}" if $vm->{status} || $vm->{out} !~ /^left: 0 0/m ||
			($attached && $vm->{out} !~ /^goes on/m);
		$m{"storm_${kind}_recordings"} = $sum{threads};
		$m{"storm_${kind}_events"} = $sum{allocations} + $sum{frees};
		$m{"storm_${kind}_lost"} = $sum{lost} + 0;
		$m{"storm_${kind}_uncounted"} = $sum{missing} + $sum{surplus};
	}
	save('storms', "memprof_storm, a thread, in a guest of 2 CPUs and 10^9 instructions a second; $n recordings of a command (start), $n of a process (attach, uprobes)");
}

# --- overhead ----------------------------------------------------------------------
# At the paper's rates (section 5.6): more instructions of the whole machine, the recorder's
# included, for the same rounds; what starting and ending cost is in both lengths of a run,
# and not in their difference.
sub overhead {
	copy("$build/bin/oracle-phase", "$share/bin/oracle-phase") or die "oracle-phase: $!";
	chmod 0755, "$share/bin/oracle-phase";
	for my $case (qw(facerec psearchy)) {
		my ($few, $many) = $case eq 'facerec' ? (20, 220) : (10, 110);
		my $vm = in_guest(<<~END, timeout => 3000, options => ['--oracle', "out=$share/oracle,insns=exact"]);
			for record in '' 'memprof record -c 20000 -o d --' 'memprof record -c 8000 -o d --'; do
				for rounds in 1 $few $many; do
					oracle-phase --no-phase taskset -c 0 \$record memprof_cases $case \$rounds || exit 1
				done
			done
			END
		my @insns = map { /^\s*\d+ 0x0001 \S+\s+\S+\s+(\d+)\s+(\d+)/ ? $1 + $2 : () }
			split /\n/, `$build/bin/oracle-report list $share/oracle`;
		return print STDERR "memprof.pl: a guest failed: $vm->{out} $vm->{err}" if $vm->{status} || @insns != 9;
		my @part = map { $insns[3 * $_ + 2] - $insns[3 * $_ + 1] } 0 .. 2;
		$m{"overhead_${case}_20000_pct"} = 100 * ($part[1] / $part[0] - 1);
		$m{"overhead_${case}_8000_pct"} = 100 * ($part[2] / $part[0] - 1);
	}
	save('overhead', 'memprof_cases, 2 nodes with 2 CPUs each, instructions of the machine; a sample each 20,000 and 8,000 ops');
}

# --- reading ----------------------------------------------------------------------
# CPU seconds of a command.
sub cpu_seconds {
	my @before = times;
	system("@_ >/dev/null 2>&1");
	my @after = times;
	return $after[2] + $after[3] - $before[2] - $before[3];
}

# Instructions of a command, which a busy host does not change.
sub instructions {
	my ($n) = `valgrind --tool=callgrind --callgrind-out-file=/dev/null @_ 2>&1 >/dev/null` =~ /refs:\s+([\d,]+)/;
	return defined $n ? $n =~ s/,//gr : undef;
}

sub reading {
	my $tests = "$build/tools/tests";
	my %recordings = (minute => [ 1e6, 5e6, 16, 100_000 ], '10m' => [ 1e7, 2e6, 16, 1_000_000 ]);
	for my $name (sort keys %recordings) {
		my @perf = $name eq 'minute' ? "$share/big.perf" : ();
		system("$tests/memprof_gen", "$share/big", @{$recordings{$name}}, 1, @perf) == 0 or die 'memprof_gen';
		my @t = sort { $a <=> $b } map { `$tests/memprof_open $share/big` =~ /cpu_s ([\d.]+) rss_mb ([\d.]+)/;
						 $m{"offline_${name}_rss_mb"} = $2 + 0; $1 } 1 .. 9;
		@m{"offline_${name}_s", "offline_${name}_least_s"} = ($t[4] + 0, $t[0] + 0);
		# In turn with perf report of the samples alone: perf knows nothing of objects.
		my @p;
		@t = ();
		for (1 .. (@perf ? 9 : 3)) {
			push @t, cpu_seconds("$build/bin/memprof report summary $share/big");
			push @p, cpu_seconds("perf report -i $share/big.perf --stdio") if @perf;
		}
		@t = sort { $a <=> $b } @t;
		@p = sort { $a <=> $b } @p;
		$m{"offline_${name}_report_s"} = $t[@t / 2];
		next unless @perf;
		my ($lines) = `perf report -i $share/big.perf --stdio --header 2>&1` =~ /# Samples: (\w+) of event/;
		if (($lines // '') ne '1M') {
			print STDERR "memprof.pl: perf report does not read the samples\n";
			next;
		}
		@m{qw(summary_s summary_least_s perf_report_s perf_report_least_s)} = ($t[@t / 2], $t[0], $p[@p / 2], $p[0]);
		$m{offline_ratio_perf_report} = $m{summary_s} / $m{perf_report_s};
	}
	# A tenth of the minute.
	system("$tests/memprof_gen", "$share/big", 1e5, 5e5, 16, 10_000, 1, "$share/big.perf") == 0 or die 'memprof_gen';
	my $ours = instructions("$build/bin/memprof report summary $share/big");
	my $perf = instructions("perf report -i $share/big.perf --stdio");
	@m{qw(offline_minsn perf_report_minsn offline_insn_ratio_perf_report)} = ($ours / 1e6, $perf / 1e6, $ours / $perf) if $ours && $perf;
	unlink "$share/big", "$share/big.perf";
	save('read', 'memprof_gen and memprof_open: CPU seconds, median of 9, on the building host; summary and perf report, which has the ' .
	     'samples only: in turn; instructions: callgrind, a tenth of the records');
}

# --- allocators -------------------------------------------------------------------
# Each object's share of the accesses, with each allocator as with the C library's.
sub allocators {
	my $sources = "$FindBin::RealBin/../../tools/memprof/tests";
	my ($run, $right, %of_glibc, @names, %right_of) = (0, 0);
	mkdir "$share/allocators";
	for my $case (allocator_cases($sources, "$share/allocators")) {
		my $name = "$case->{language}, $case->{allocator}, $case->{how}, -$case->{level}";
		next if $case->{skip};
		my $got = allocator_objects($build, $share, $case) // {};
		my $all = sum(0, map { $_->[1] } values %$got);
		my %share_of = map { $_ => 100 * $got->{$_}[1] / $all } keys %$got;
		my $glibc = $of_glibc{"$case->{language} $case->{level}"} //= \%share_of;
		my @wrong = grep { !$case->{expected}{$_} } keys %share_of;
		push @wrong, grep { abs(($share_of{$_} // 0) - ($glibc->{$_} // 0)) > 1 || !$share_of{$_} ||
					    $got->{$_}[0] != $case->{expected}{$_} } keys %{$case->{expected}};
		$run++;
		$right += !@wrong;
		push @names, $case->{allocator} if !$right_of{$case->{allocator}};
		my $row = $right_of{$case->{allocator}}{$case->{language}}{$case->{how}} //= [ 0, 0 ];
		$row->[0] += !@wrong;
		$row->[1]++;
		printf "allocators: %s: %d objects, %s\n", $name, scalar keys %{$case->{expected}},
			@wrong ? "wrong: @wrong" : 'right';
	}
	$m{allocator_cases_run} = $run;
	$m{allocator_cases_right} = $right;
	# The table: each with what is right of what was run, linked and preloaded.
	$m{allocators} = [ map {
		my $of = $right_of{$_};
		my ($c, $cxx) = map { my $how = $of->{$_}; join ', ', map { "$_ $how->{$_}[0] of $how->{$_}[1]" } sort keys %$how } 'c', 'c++';
		+{ allocator => $_, c => $c, cxx => $cxx }
	} @names ];
	save('allocators', 'allocations.c and .cc, objects followed on the building host, accesses of each made up; ' .
	     'right: all objects named, with their bytes, shares within 1 point of those with the C library');
}

for my $of (
	[ read => \&reading ], [ allocators => \&allocators ], [ cost => \&cost ], [ overhead => \&overhead ],
	[ storms => \&storms ], [ truth => \&truth ], [ shares => \&shares ], [ cases => \&cases ],
	[ joint => \&joint ], [ programs => \&programs ], [ plants => \&patterns ], [ cxx => \&cxx ],
) {
	my ($part, $measure) = @$of;
	# Of a part that failed before, half of it.
	%m = ();
	$measure->() if $parts{$part};
}
system("$FindBin::RealBin/../../.ci/sanitized", $build) == 0 or print STDERR "memprof.pl: the sanitizers report\n";
print slurp($out);
