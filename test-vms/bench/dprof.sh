#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# dprof.sh [PART...]: dprof against what is known.  A part's tables are kept in
# build/bench/dprof-PART.txt; once all are there, of one tree, tables (but for real) in
# build/bench/dprof.txt and numbers in build/bench/dprof.json.  Without a PART, those that were
# measured of this tree are not measured again.  Parts (or PARTS):
#	cases	planted faults, CASES (default 56) from each of two seeds
#	atomic	the same of read-modify-writes, ATOMIC (default 28) from each of two seeds
#	classes	why accesses miss, against the oracle of types: SEEDS of planted faults with
#		ACCESSES each
#	real	the same of loads of the kernel (REAL: of others, without numbers); recordings and what the
#		oracle saw are kept, and not made again
#	heuristic	the same of short loads with histories, by which the paper's heuristic tells (HEURISTIC: of
#		others, without numbers)
#	histories	against the oracle of watched objects
#	costs	in instructions; dprof_costs.sh has more of it
#	structs	how many sampled accesses have an allocation site and a C struct, on LOADS
#	contention	known structures that two CPUs contend for (guest/contention.c), ROUNDS calls
#		each, by IBS and swmem, with perf c2c beside; recordings are kept
#	cpus	what a sample of swmem costs on eight CPUs, in each encoding (dprof_costs.sh)
#	layout	whether an advised order of members removes what it predicts (dprof_layout.sh); needs
#		root, and compiles a part of a kernel
#	shares	of types on LOADS of the kernel, against the same, with samples of SOURCES
# CPUs take turns of 1,000 instructions (docs/develop/ibs.md).
set -eu -o pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=${MEMSCOPE_BUILD:-$here/../../build}
build=$(cd "$build" && pwd)
out=$build/bench
# shellcheck source-path=SCRIPTDIR
. "$here/parts.sh"
loads=${LOADS:-files:3000 exec:60 pipes:16000 udp:6000 maps:1200}
sources=${SOURCES:-ibs swmem}
declare -A period=([ibs]="${IBS_PERIOD:-4096}" [swmem]="${SWMEM_PERIOD:-100000}")
mkdir -p "$out"
share=$(mktemp -d "${TMPDIR:-/tmp}/memscope-dprof.XXXXXX")
trap 'rm -rf "$share"' EXIT
# Each recording is read under sanitizers, too.
export MEMSCOPE_READ=bench-dprof
rm -f "$build/log/recordings/$MEMSCOPE_READ"{,.lock,.read,.reports}
nmi=$(awk '$3 == "asm_exc_nmi" { print $1 }' "$build/kernel-vm/System.map")

# guest IBS ORACLE SOURCE PERIOD COMMAND [TYPES [FILE=VALUE...]]: records while COMMAND runs,
# which is counted by the oracle between the markers begin and end, with the address set and
# histories of TYPES, and these values in files of dprof.  The recorder writes to memory: its
# requests to the host's share would be a good part of the load.
guest() {
	"$here/../run" --qemu ibs --accel icount --ibs "$1" --smp 2 --mem 1G --share "$share" \
		--timeout 3600 --append 'slab_nomerge hpet=disable sysctl.vm.mem_profiling=1' \
		--qemu-arg -plugin --qemu-arg "$build/guest/libtypes.so,out=$share/truth,nmi=$nmi$2" \
		-- sh -ec '
		samples_ready
		modprobe oracle_objects
		cd /sys/kernel/tracing/dprof
		set_of=
		# The oracle is told of the allocations of these.
		echo "${4:-all}" >types
		for setting in $5; do
			echo "${setting#*=}" >"${setting%%=*}"
		done
		if [ "$4" ]; then
			echo "$4" >history_types
			set_of="-e dprof:dprof_alloc -e dprof:dprof_free -e dprof:dprof_history"
			set_of="$set_of -e dprof:dprof_access -e dprof:dprof_history_end"
		fi
		echo $1 >source
		echo $2 >period
		echo 1 >/sys/kernel/debug/oracle_objects
		trace-cmd record -q -b 40000 -e dprof:dprof_sample -e dprof:dprof_type $set_of \
			-o /tmp/trace.dat sh -c "echo begin >../trace_marker; oracle-phase $3
				echo end >../trace_marker" >/dev/null
		echo 0 >/sys/kernel/debug/oracle_objects
		cp /tmp/trace.dat /share/
		cat known_types >/share/known
		cat /sys/kernel/debug/oracle_objects >/share/types' sh "$3" "$4" "$5" "${6-}" "${*:7}"
}

cases() {
	local seed

	for seed in 1 2; do
		echo "== planted cases, seed $seed"
		"$here/dprof_cases.sh" "$share" "${CASES:-56}" "$seed" >/dev/null
		"$here/dprof_judge.pl" "$build/bin/dprof" "$share/plan" "$share/cases.dat"
		agree "$share/cases.dat"
	done
}

# Do the views sharing and classify agree?
agree() {
	"$here/../../tools/dprof/tests/dprof_agree.pl" "$build/bin/dprof" "$1"
}

atomic() {
	local seed

	for seed in 1 2; do
		echo "== read-modify-writes, seed $seed"
		"$here/dprof_cases.sh" "$share" 0 "$seed" "${ATOMIC:-28}" >/dev/null
		"$here/dprof_judge.pl" "$build/bin/dprof" "$share/atomic-plan" "$share/atomic.dat" |
			sed 's/^planted/atomic planted/'
		agree "$share/atomic.dat"
	done
}

# The oracle's caches are those of the emulated CPU.  The method was tuned on recordings of seeds
# 1 to 4.
classes() {
	local seed kind

	for seed in ${SEEDS:-10 11 12}; do
		for kind in cases atomic; do
			echo "== classes, $kind of seed $seed"
			if [ $kind = cases ]; then
				guest model=trace,slice=1000 ,cache=32768:8,misses=loads ibs 2500 \
					"modprobe dprof_cases cases=14 seed=$seed accesses=${ACCESSES:-40000}" 'case_*'
			else
				guest model=trace,slice=1000 ,cache=32768:8,misses=loads ibs 1024 \
					"modprobe dprof_cases cases=28 seed=$seed accesses=$((${ACCESSES:-40000} / 2)) atomic=1" 'case_*'
			fi
			"$here/dprof_classes.pl" "$build/bin/dprof" "$share/truth" "$share/types" \
				"$share/trace.dat"
			agree "$share/trace.dat"
		done
	done | tee "$share/classes"
	# A row of each type: its line is "TYPE N misses, oracle O, dprof D, paper P: A % (possible B %)".
	tr -d , <"$share/classes" | awk '
		/^== / { recording = "seed " $6 ($3 == "atomic" ? ", read-modify-writes" : "") }
		$3 == "misses" && $4 == "oracle" {
			sub(/:$/, "", $9)
			rows = rows (rows ? ", " : "") "{ \"recording\" : \"" recording "\", \"type\" : \"" $1 "\", \"misses\" : " $2 \
				", \"oracle\" : \"" $5 "\", \"dprof\" : \"" $7 "\", \"heuristic\" : \"" ($9 == "-" ? "" : $9) \
				"\", \"agreement\" : " $10 ", \"possible\" : " $13 " }"
			# Others come with the load.
			if ($1 ~ /^case_/ && (!types++ || $10 < min)) min = $10
		}
		/^agree / {
			agree += $2
			lines += $4
		}
		END {
			if (types)
				printf "{ \"classes\" : [ %s ], \"class_agreement\" : %.3f, \"classes_lines\" : %d, \"classes_lines_agree\" : %d }\n",
					rows, min / 100, lines, agree
		}' >"$share/figures"
	# Those of other seeds are not what the names of the figures say.
	[ -n "${SEEDS:-}${ACCESSES:-}" ] || perl "$here/Figures.pm" "$out/dprof.json" 'make bench-dprof PARTS=classes' \
		'2 CPUs, accel icount, slice=1000; emulated IBS, model=trace; 14 cases, one op in 2500, and 28 of read-modify-writes, one op in 1024, seeds 10 to 12' <"$share/figures"
}

# kept FILE PROGRAM: a recording that is no older than what it was made with
kept() {
	[ "$1" -nt "$build/kernel-vm/vmlinux" ] && [ "$1" -nt "$2" ]
}

# The method was tuned on other recordings of these loads, and on planted faults of seed 2.
real() {
	local load dir command

	for load in ${REAL:-udp:30000 files:13500 pipes:105000 maps:12500 exec:800 net:60}; do
		dir=$out/classes-${load/:/-}
		command="kernel_load ${load/:/ }"
		[ "${load%:*}" != net ] || command="net_cases short ${load#*:}"
		if ! kept "$dir/trace.dat" "$build/guest/libtypes.so"; then
			guest model=trace,slice=1000 ,cache=32768:8,misses=loads ibs 2500 "$command"
			mkdir -p "$dir"
			cp "$share/truth" "$share/types" "$dir"
			cp "$share/trace.dat" "$dir/part"
			mv "$dir/part" "$dir/trace.dat"
		fi
		echo "== real ${load%:*}"
		"$here/dprof_classes.pl" "$build/bin/dprof" "$dir/truth" "$dir/types" "$dir/trace.dat"
		agree "$dir/trace.dat"
	done | tee "$share/real"
	tr -d , <"$share/real" | awk '
		/^==/ { load = $3 }
		/^types / {
			types = $2
			least = $6
		}
		/^misses / {
			if (!loads++ || $5 < min) min = $5
			if (loads == 1 || $8 < possible) possible = $8
			row = "{ \"load\" : \"" load "\", \"types\" : " types ", \"misses\" : " $2 ", \"agreement\" : " $5 \
				", \"least\" : " least ", \"possible\" : " $8 " }"
			rows = rows (loads > 1 ? ", " : "") row
		}
		/^agree / {
			agree += $2
			lines += $4
		}
		END {
			if (loads)
				printf "{ \"real\" : [ %s ], \"class_agreement_real_min\" : %.3f, \"class_agreement_possible_min\" : %.3f, \"real_lines\" : %d, \"real_lines_agree\" : %d }\n",
					rows, min / 100, possible / 100, lines, agree
		}' >"$share/figures"
	# Those of other loads are not what the names of the figures say.
	[ -n "${REAL:-}" ] || perl "$here/Figures.pm" "$out/dprof.json" 'make bench-dprof PARTS=real' \
		'2 CPUs, accel icount, slice=1000; emulated IBS, model=trace, one op in 2500' <"$share/figures"
}

# The paper's heuristic beside it, of types whose objects come and go while histories are recorded.
heuristic() {
	local run load

	for run in ${HEURISTIC:-files:3000=filp,dentry,shmem_inode_cache,radix_tree_node exec:100=vm_area_struct,filp,anon_vma maps:1500=vm_area_struct,filp}; do
		load=${run%=*}
		guest model=trace,slice=1000 ,cache=32768:8,misses=loads ibs 2500 "kernel_load ${load/:/ }" \
			"$(tr , ' ' <<<"${run#*=}")" history_cpu_share=0 history_max=100000 history_max_ms=10
		echo "== heuristic ${load%:*}"
		"$here/dprof_classes.pl" "$build/bin/dprof" "$share/truth" "$share/types" "$share/trace.dat"
	done | tee "$share/heuristic"
	# "TYPE N misses, oracle O, dprof D, paper P: A % (possible B %, by the heuristic C %)"
	tr -d , <"$share/heuristic" | awk '
		/^==/ { load = $3 }
		$3 == "misses" && $9 != "-:" {
			sub(/:$/, "", $9)
			rows = rows (rows ? ", " : "") "{ \"load\" : \"" load "\", \"type\" : \"" $1 "\", \"misses\" : " $2 \
				", \"oracle\" : \"" $5 "\", \"dprof\" : \"" $7 "\", \"heuristic\" : \"" $9 "\", \"agreement\" : " $10 \
				", \"possible\" : " $13 ", \"heuristic_agreement\" : " $18 " }"
			misses += $2
			ours += $2 * $10
			theirs += $2 * $18
		}
		END {
			if (misses)
				printf "{ \"heuristic\" : [ %s ], \"heuristic_misses\" : %d, \"heuristic_agreement\" : %.3f, \"heuristic_agreement_dprof\" : %.3f }\n",
					rows, misses, theirs / misses / 100, ours / misses / 100
		}' >"$share/figures"
	# Those of other loads are not what the names of the figures say.
	[ -n "${HEURISTIC:-}" ] || perl "$here/Figures.pm" "$out/dprof.json" 'make bench-dprof PARTS=heuristic' \
		'2 CPUs, accel icount, slice=1000; emulated IBS, model=trace, one op in 2500; histories without a limit of CPU time, at most 10 ms each' <"$share/figures"
}

# history_of LABEL ARGUMENT...: of dprof_watched.sh
history_of() {
	echo "== histories, $1"
	"$here/dprof_watched.sh" "$share" "${@:2}" >/dev/null
	"$here/dprof_watched.pl" "$share/truth" "$share/trace" | sed 's/^/history /'
}

histories() {
	history_of "known lives, pairs" lives 200 '0,8 64,112' 2
	history_of "known lives, four objects" lives 200 '0 8 64 112' 4
	history_of "kernel_load udp 1000, sk_buffs" skbuff_head_cache udp 1000 '' 4
	history_of "kernel_load files 500, files (TYPESAFE_BY_RCU)" filp files 500 '' 4
	history_of "kernel_load files 2000, dentries" dentry files 2000 '' 4
	history_of "kernel_load maps 1000, vm_area_structs" vm_area_struct maps 1000 '' 4
}

costs() {
	"$here/dprof_costs.sh" costs
}

# Samples this rare: the trace's own accesses, to pages without a site, are few then.
structs() {
	local load

	# shellcheck disable=SC2016 # the guest's shell expands it
	"$here/../run" --qemu ibs --accel icount --ibs slice=1000 --smp 2 --mem 1G --share "$share" \
		--timeout 3600 --append 'slab_nomerge hpet=disable sysctl.vm.mem_profiling=1' -- sh -ec '
		samples_ready
		for load; do
			dprof record -s ibs -c 16384 --types none -H none -o "/share/${load%:*}.dat" -- \
				kernel_load "${load%:*}" "${load#*:}" 2>/dev/null
		done' sh $loads
	for load in $loads; do
		echo "== structs ${load%:*}"
		"$build/bin/dprof" report profile "$share/${load%:*}.dat" --top 0 -f json \
			--vmlinux "$build/kernel-vm/vmlinux" >"$share/profile"
		"$here/dprof_structs.pl" "${load%:*}" "$share/profile"
	done
}

shares() {
	local source load count

	for source in $sources; do
		# An instruction with several accesses is one sample of IBS, and one each of swmem.
		count=
		[ "$source" != ibs ] || count=,count=ops
		for load in $loads; do
			echo "== $source ${load%:*}"
			guest slice=1000 "$count" "$source" "${period[$source]}" \
				"kernel_load ${load%:*} ${load#*:}"
			{
				trace-cmd report -i "$share/trace.dat" 2>/dev/null
				sed 's/^/ dprof_type: /' "$share/known"
			} >"$share/samples"
			"$here/dprof_truth.pl" "$share/truth" "$share/types" "$share/samples"
		done
	done | tee "$share/shares"
	tr -d , <"$share/shares" | awk '
		function put(load, member, value) {
			if (!(load in members)) order[++loads] = load
			members[load] = members[load] ", \"" member "\" : " value
		}
		/^==/ {
			source = $2
			load = $3
		}
		/^samples / {
			if (!n[source]++ || $4 < tau[source]) tau[source] = $4
			if ($6 > distance[source]) distance[source] = $6
			put(load, source, $2)
			put(load, source "_tau", $4)
			put(load, source "_distance", $6)
		}
		/^all accesses / {
			put(load, source "_distance_plain", $6)
			if ($6 > all[source]) all[source] = $6
		}
		END {
			if (n["ibs"] != 5 || n["swmem"] != 5) exit
			printf "{ \"shares\" : ["
			for (i = 1; i <= loads; i++)
				printf "%s { \"load\" : \"%s\"%s }", (i > 1 ? "," : ""), order[i], members[order[i]]
			printf " ], \"kendall_tau_min\" : %s, \"tvd_max_pct\" : %s, \"tvd_max_pct_all_accesses\" : %s, \"kendall_tau_min_swmem\" : %s, \"tvd_max_pct_swmem\" : %s }\n",
				tau["ibs"], distance["ibs"], all["ibs"], tau["swmem"], distance["swmem"]
		}' >"$share/figures"
	# Fewer loads or sources are for a look.
	[ ! -s "$share/figures" ] || perl "$here/Figures.pm" "$out/dprof.json" 'make bench-dprof PARTS=shares' \
		"2 CPUs, accel icount, slice=1000; emulated IBS, one op in ${period[ibs]}, and swmem, a sample each ${period[swmem]} ns" \
		<"$share/figures"
}

# The cases of set "tune" were used to find faults of the report, those of "judge" were not.
contention() {
	local dir=$out/contention list=$out/contention/list source seed sets cases

	mkdir -p "$dir"
	# A guest with the root of the host does not have these.
	cp "$here/../guest/samples_ready" "$build/guest/bin/contention" "$dir"
	"$build/guest/bin/contention" list >"$list"
	for seed in 1 2; do
		sets='tune|none'
		[ "$seed" = 1 ] || sets='judge|more|none'
		cases=$(awk -F '\t' -v sets="^($sets)$" '$2 ~ sets { print $1 }' "$list")
		for source in c2c ibs swmem; do
			# shellcheck disable=SC2086 # a list
			kept "$dir/$source-$seed.tasks" "$build/guest/bin/contention" ||
				"$here/dprof_contention.sh" "$dir" "$source" "$seed" "${ROUNDS:-12000}" $cases >/dev/null
		done
	done
	"$here/dprof_contention.pl" "$build" "$build/kernel-vm/vmlinux" "$dir"
}

cpus() {
	local encoding

	for encoding in sample batch; do
		ENCODING=$encoding "$here/dprof_costs.sh" cpus
	done | tee "$share/cpus"
	tr -d , <"$share/cpus" | awk '
		{
			row = "{ \"encoding\" : \"" $3 "\", \"samples\" : " $4 ", \"insn\" : " $10 ", \"serving\" : " $12 ", \"bytes\" : " $14 " }"
			rows = rows (NR > 1 ? ", " : "") row
		}
		$3 == "batch" {
			numbers = "\"insn_per_sample\" : " $10 ", \"insn_per_sample_serving\" : " $12 ", \"bytes_per_sample\" : " $14 ", " \
				"\"cpus_no_sample\" : " $15 ", \"cpus_no_sample_insn\" : " $21 ", \"cpus_nmis\" : " $7 + $15 ", " \
				"\"cpus_timers\" : " $22 ", \"cpus_timer_insn\" : " $25
		}
		END { if (NR == 2) print "{ \"encodings\" : [ " rows " ], " numbers " }" }' |
		perl "$here/Figures.pm" "$out/dprof.json" 'make bench-dprof PARTS=cpus' \
			'eight CPUs without IBS, slice=1000, swmem, a sample each 160 us, of which each runs an eighth; one run each'
}

layout() {
	"$here/dprof_layout.sh"
}

all=(cases atomic classes real heuristic histories costs cpus structs shares contention layout)
# shellcheck disable=SC2206 # a list
parts=(${PARTS:-"${all[@]}"})
[ $# -eq 0 ] || parts=("$@")
named=${PARTS:-$*}
# What a figure may depend on: kernel, QEMU, dprof, and what runs in guests.
parts_of "$out" dprof 'CASES ATOMIC SEEDS ACCESSES REAL HEURISTIC LOADS SOURCES IBS_PERIOD SWMEM_PERIOD ROUNDS MODES SETS SHARE PERIOD' \
	kernel-config patches tools/Makefile tools/dprof tools/lib test-vms/Makefile test-vms/run test-vms/guest \
	test-vms/oracle test-vms/qemu-ibs test-vms/bench/Figures.pm 'test-vms/bench/dprof*'

for part in "${parts[@]}"; do
	if [ -z "$named" ] && is_measured "$part"; then
		echo "$part was measured of this tree" >&2
		continue
	fi
	begin=$SECONDS
	"$part" | tee "$out/dprof-$part.new"
	measured "$part" "$out/dprof-$part.new"
	echo "$part took $((SECONDS - begin)) s" >&2
done
for part in "${all[@]}"; do
	is_measured "$part" || exit 0
done
# The types of real, which writes its own figures, would be taken for those of classes: only its lines count,
# unless they are of other loads.  The last three have none of these lines.
for part in "${all[@]}"; do
	case $part in
	real) [ -n "${REAL:-}" ] || sed -n '/^agree /p' "$out/dprof-$part.txt" ;;
	heuristic | contention | layout) ;;
	*) cat "$out/dprof-$part.txt" ;;
	esac
done >"$out/dprof.txt"
# The tables of the page, too, but for classes.
awk '
	# A member of a row: the names of rows and members, and its value as JSON has it.
	function put(table, row, member, value) {
		if (!((table, row) in members)) {
			rows[table, ++count[table]] = row
			members[table, row] = ""
		}
		members[table, row] = members[table, row] (members[table, row] ? ", " : "") "\"" member "\" : " value
	}
	function text(s) { return "\"" s "\"" }
	function print_table(name,	i) {
		printf "   \"%s\" : [", name
		for (i = 1; i <= count[name]; i++)
			printf "%s\n      { %s }", (i > 1 ? "," : ""), members[name, rows[name, i]]
		print "\n   ],"
	}
	/^==/ {
		of_atomic = /^== read-modify-writes/
		what = substr($0, 15)
	}
	/^kind / && !of_atomic {
		gsub(/,/, "")
		kind = substr($2, 1, length($2) - 1)
		if (!(kind in kinds)) order[++all_kinds] = kind
		kinds[kind] += $6
		kind_right[kind] += $4
		kind_alarms[kind] += $9
		kind_fixed[kind] += $11
	}
	/^planted / {
		gsub(/,/, "")
		planted += $2
		right += $4
		alarms += $NF
	}
	/^atomic planted / {
		gsub(/,/, "")
		atomic += $3
		atomic_right += $5
		atomic_alarms += $NF
	}
	/^agree / {
		agree += $2
		lines += $4
		if (of_atomic) atomic_lines += $4
	}
	/^types / { classes++ }
	/^structs / {
		gsub(/,/, "")
		if (!structs++ || $6 < named) named = $6
		if (structs == 1 || $9 < has_struct) has_struct = $9
		if (structs == 1 || $(NF - 1) < of_others) of_others = $(NF - 1)
		put("structs", $2, "load", text($2))
		put("structs", $2, "accesses", $4)
		put("structs", $2, "named", $6)
		put("structs", $2, "structs", $9)
		put("structs", $2, "none", $12)
		put("structs", $2, "of_others", $(NF - 1))
	}
	/^history / {
		history[$2] += $3
		if (!(what in known)) histories[++all_histories] = what
		known[what]
		of[what, $2] = $3
	}
	/^(sample|access|arming): / {
		insns[$1] = $2
		bytes[$1] = $(NF - 1)
	}
	/^sample, of these dprof / { of_dprof = $8 }
	/^loop: and others / { others = $6 + 0 }
	/^loop: and told / { told = $6 + 0 }
	END {
		if (!history["outside"]) exit 1
		if (structs != 5 || classes != 6 || !planted || !atomic || !lines) exit 1
		for (i = 1; i <= all_kinds; i++) {
			put("cases", order[i], "kind", text(order[i]))
			put("cases", order[i], "right", kind_right[order[i]])
			put("cases", order[i], "planted", kinds[order[i]])
			put("cases", order[i], "alarms", kind_alarms[order[i]])
			put("cases", order[i], "fixed", kind_fixed[order[i]])
		}
		split("histories outside logged before before_logged invented lives wrong_lives", said)
		split("histories outside logged inside logged_inside invented lives wrong_lives", counted)
		for (i = 1; i <= all_histories; i++) {
			put("histories", histories[i], "what", text(histories[i]))
			for (j = 1; j in said; j++)
				put("histories", histories[i], said[j], of[histories[i], counted[j]] + 0)
		}
		printf "{\n"
		print_table("cases")
		print_table("histories")
		print_table("structs")
		printf "   \"atomic\" : %d,\n   \"atomic_right\" : %d,\n   \"atomic_alarms\" : %d,\n   \"atomic_lines\" : %d,\n", atomic, atomic_right, atomic_alarms, atomic_lines
		printf "   \"planted_recall\" : %.4f,\n   \"false_alarms\" : %d,\n", right / planted, alarms
		printf "   \"atomic_recall\" : %.4f,\n   \"atomic_false_alarms\" : %d,\n", atomic_right / atomic, atomic_alarms
		printf "   \"views_agree\" : %.4f,\n", agree / lines
		printf "   \"history_complete\" : %.6f,\n   \"history_invented\" : %d,\n   \"history_wrong_lives\" : %d,\n", history["logged"] / history["outside"], history["invented"], history["wrong_lives"]
		printf "   \"insn_per_nmi\" : %d,\n   \"insn_per_element\" : %d,\n   \"insn_per_arm_cpu\" : %d,\n", insns["sample:"], insns["access:"], insns["arming:"]
		printf "   \"insn_per_sample_of_dprof\" : %d,\n", of_dprof
		printf "   \"bytes_per_event\" : %s,\n   \"bytes_per_element\" : %s,\n", bytes["sample:"], bytes["access:"]
		printf "   \"insn_per_alloc_told\" : %s,\n   \"loop_others_watched_pct\" : %s,\n", told, others
		printf "   \"named_pct_min\" : %s,\n   \"struct_pct_min\" : %s,\n   \"struct_of_structs_pct_min\" : %s\n}\n", named, has_struct, of_others
	}' "$out/dprof.txt" | perl "$here/Figures.pm" "$out/dprof.json" 'make bench-dprof' \
	"2 CPUs, accel icount, slice=1000; planted cases of seeds 1 and 2 and classes: emulated IBS, model=trace, period 2500; \
structs: one op in 16384"
cat "$out/dprof.json"
echo "The tables are in $out/dprof.txt, the numbers in $out/dprof.json."
"$here/../../.ci/sanitized" "$build" >&2
