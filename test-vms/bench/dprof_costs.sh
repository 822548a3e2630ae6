#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# dprof_costs.sh PART...: what dprof costs, in instructions of a guest of two CPUs:
#	costs	of a sample, an access logged, arming another CPU; bytes of their events; and loops
#	cpus	of a sample of swmem on eight CPUs, and of what serves them; ENCODING=sample|batch;
#		BLOCKS=FILE: of which blocks of code these instructions are
#	loops	of an allocation and a free: off, and by what dprof does of them
#	rates	overhead against how often samples are taken (the paper's Figure 3)
#	sets	of histories: overhead and rates (the paper's Tables 10, 11 and 14); MODES=pairs: of pairs alone
#	limits	overhead of histories that may take a share of a CPU
#	paths	unique paths against sets of histories (the paper's Figure 4)
# Prints tables; rates and paths write build/bench/dprof-rates.csv and dprof-paths.csv, too.
set -eu -o pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=${MEMSCOPE_BUILD:-$here/../../build}
build=$(cd "$build" && pwd)
out=$build/bench
mkdir -p "$out"
share=$(mktemp -d "${TMPDIR:-/tmp}/memscope-dprof.XXXXXX")
trap 'rm -rf "$share"' EXIT
# Each recording is read under sanitizers, too.
export MEMSCOPE_READ=bench-dprof_costs
rm -f "$build/log/recordings/$MEMSCOPE_READ"{,.lock,.read,.reports}

at() {
	awk -v name="$1" '$3 == name { print $1 }' "$build/kernel-vm/System.map"
}

# guest ARGUMENT... -- SCRIPT WORD...: SCRIPT in tracefs, once timers are fine
guest() {
	local args=()

	while [ "$1" != -- ]; do
		args+=("$1")
		shift
	done
	"$here/../run" --qemu ibs --accel icount --smp 2 --mem 2G --share "$share" --timeout 3600 \
		--append 'slab_nomerge hpet=disable sysctl.vm.mem_profiling=1' "${args[@]}" -- sh -ec '
		samples_ready
		cd /sys/kernel/tracing
		on() {
			for event; do echo 1 >events/dprof/dprof_$event/enable; done
			cat dprof/stats >/dev/null
		}
		off() { echo 0 >events/dprof/enable; }
		stat() { sed -n "s/^$1 //p" dprof/stats; }
		'"$2" sh "${@:3}"
}

# What handlers took, by the second oracle; with an argument, of those alone that were in front
# of an instruction that accesses memory.
median() {
	awk -v accesses="${1-}" '$1 == "next" && $4 && (!accesses || NF > 4) { print $4 }' "$share/next" |
		sort -n | awk '{ n[NR] = $1; sum += $1 } END {
			printf "%d instructions, median of %d, mean %d", n[int((NR + 1) / 2)], NR, sum / NR }'
}

next_of() {
	echo "$build/guest/libnext.so,out=$share/next,nmi=$(at "$1")"
}

# The same of dprof's handler alone, which perf calls.
part_of() {
	local caller=__perf_event_overflow

	echo "part=$(at dprof_overflow):$(at $caller)-$(sort "$build/kernel-vm/System.map" |
		awk -v name=$caller 'start && $1 != start { print $1; exit } $3 == name { start = $1 }')"
}

median_part() {
	awk '$1 == "part" { print $3 }' "$share/next" | sort -n |
		awk '{ n[NR] = $1 } END { printf "%d instructions, least %d", n[int((NR + 1) / 2)], n[1] }'
}

costs() {
	local n bytes

	bytes='bytes() { awk "/^entries/ { n += \$2 } /^bytes/ { b += \$2 }
		END { printf \"%.1f\\n\", b / n }" per_cpu/cpu*/stats; }'
	n=$(guest --qemu-arg -plugin --qemu-arg "$(next_of asm_exc_nmi),$(part_of)" -- "$bytes"'
		echo swmem >dprof/source
		echo 20000 >dprof/period
		on sample
		oracle-phase kernel_load files 200
		off
		bytes')
	echo "sample: $(median 1), $n bytes"
	echo "sample, of these dprof and the trace: $(median_part)"
	# Samples of the emulated IBS without an address, of which there are some, are discarded.
	guest --ibs slice=1000 \
		--qemu-arg -plugin --qemu-arg "$(next_of asm_exc_nmi),$(part_of)" -- '
		echo ibs >dprof/source
		echo 16384 >dprof/period
		on sample
		oracle-phase kernel_load files 200
		off'
	echo "sample of IBS: $(median), of these dprof and the trace: $(median_part)"
	n=$(guest --qemu-arg -plugin --qemu-arg "$(next_of asm_exc_debug)" -- "$bytes"'
		echo 0 >dprof/history_cpu_share
		echo 0,24,112 >dprof/history_offsets
		echo skbuff_head_cache >dprof/history_types
		on access history history_end
		oracle-phase kernel_load udp 300
		echo 0 >tracing_on
		off
		echo >trace
		echo 1 >tracing_on
		on access history
		echo 0 >events/dprof/dprof_history/enable
		kernel_load udp 300
		off
		bytes')
	echo "access: $(median), $n bytes"
	guest --qemu-arg -plugin --qemu-arg "$(next_of asm_sysvec_call_function_single)" -- '
		modprobe dprof_probe
		echo 0 >dprof/history_cpu_share
		echo 0,8,64,128 >dprof/history_offsets
		echo dprof_probe >dprof/history_types
		on history history_end
		oracle-phase sh -c "for i in \$(seq 100); do
				echo pair 1 2>/dev/null >/sys/kernel/debug/dprof_probe/run
			done"
		off' >"$share/said"
	echo "arming: $(median) interrupts of another CPU"
	loops
}

# A CPU without IBS, whose handler would see each NMI, too.  Turns are short: in a longer one a
# timer finds that most CPUs have not taken the NMI that it sent before.  Of eight CPUs that take
# turns each runs an eighth of the time: a period of 160 us is one of 20 us of its own.
cpus() {
	local spec name of addr

	spec="out=$share/costs,nmi=$(at asm_exc_nmi),sample=$(at dprof_resolve)"
	for name in irq=asm_sysvec_apic_timer_interrupt irq=asm_sysvec_irq_work irq=asm_sysvec_call_function \
		irq=asm_sysvec_call_function_single serve=swmem_tick serve=swmem_start_timer \
		serve=dprof_batch_flush leave=handle_softirqs leave=__schedule; do
		of=${name%%=*} addr=$(at "${name#*=}")
		spec+=",$of=$addr"
	done
	guest --qemu stock --ibs slice=1000 --smp 8 --qemu-arg -plugin --qemu-arg "$build/guest/libcosts.so,$spec" -- '
		echo swmem >dprof/source
		echo 160000 >dprof/period
		echo "$1" >dprof/encoding
		echo 1 >events/dprof/dprof_samples/enable
		on sample
		oracle-phase kernel_load files 600
		echo sample >dprof/encoding
		off
		awk "/^entries/ { n += \$2 } /^bytes/ { b += \$2 } END { print \"bytes\", b }" per_cpu/cpu*/stats
		echo "samples $(stat samples)"' "${ENCODING:-batch}" >"$share/said"
	awk -v encoding="${ENCODING:-batch}" 'FILENAME ~ /said$/ { n[$1] = $2; next }
		$1 == "stored" { nmis = $2; samples = $3; insns = $4 }
		$1 == "empty" || $1 == "serve" { serving += $3; times[$1] = $2; each[$1] = $2 ? $3 / $2 : 0 }
		END {
			printf "cpus: encoding %s, %d samples of %d NMIs, insn_per_sample %.0f, insn_per_sample_serving %.0f, bytes_per_sample %.1f, %d NMIs without a sample of %.0f, %d interrupts of %.0f\n",
				encoding, samples, nmis, insns / samples, serving / samples,
				n["bytes"] / n["samples"], times["empty"], each["empty"], times["serve"], each["serve"]
		}' "$share/said" "$share/costs"
	[ -z "${BLOCKS-}" ] || cp "$share/costs" "$BLOCKS"
}

# An allocation and a free of 200 bytes, on one CPU; an instruction is 2 ns.
loops() {
	guest --smp 1 -- '
		modprobe dprof_probe
		loop() {
			echo loop 1000 >/sys/kernel/debug/dprof_probe/run
			echo loop 20000 >/sys/kernel/debug/dprof_probe/run
			awk -v what="$1" "/^ns/ { print what, \$2 / 2 / 20000 }" \
				/sys/kernel/debug/dprof_probe/run
			off
		}
		sites() { echo $1 >/proc/sys/vm/mem_profiling; }
		sites 0
		loop off
		sites 1
		loop sites
		echo dentry >dprof/types
		on alloc free
		loop others
		echo dprof_probe >dprof/types
		on alloc free
		loop told
		echo 0 >dprof/history_cpu_share
		echo 0 >dprof/history_offsets
		echo dprof_probe >dprof/history_types
		on history history_end
		loop armed' >"$share/loops"
	awk '{ n[$1] = $2 }
		END {
			if (!n["armed"]) exit 1
			printf "loop: allocation and free, off: %.1f instructions\n", n["off"]
			printf "loop: sites of allocations known: %.1f, %+.1f %%\n", n["sites"],
				100 * (n["sites"] / n["off"] - 1)
			printf "loop: and others watched: %.1f, %+.1f %% of that\n", n["others"],
				100 * (n["others"] / n["sites"] - 1)
			printf "loop: and told of: %.1f, %.1f an allocation or free\n", n["told"],
				(n["told"] - n["sites"]) / 2
			printf "loop: and watched, not told of: %.1f, %.1f of armed and disarmed, with two events\n",
				n["armed"], n["armed"] - n["sites"]
		}' "$share/loops"
}

rates() {
	local load

	echo period,load,samples_per_million,overhead_pct >"$out/dprof-rates.csv"
	for load in "kernel_load udp 1000" "net_cases short 4"; do
		guest --ibs slice=1000 -- '
			now() { sed -n "s/^now at \([0-9]*\) nsecs/\1/p" /proc/timer_list; }
			echo ibs >dprof/source
			$1
			for p in 0 262144 131072 65536 32768 16384 8192 4096 2048; do
				if [ $p != 0 ]; then
					echo $p >dprof/period
					on sample
				fi
				s=$(stat samples) a=$(now)
				$1
				b=$(now) e=$(stat samples)
				off
				echo >trace
				echo "rate $p $((b - a)) $((e - s))"
			done' "$load" | awk -v load="$load" '
			# An instruction is 2 ns.
			$1 == "rate" && !$2 { plain = $3 }
			$1 == "rate" && $2 { printf "%d,%s,%.3f,%.2f\n", $2, load, $4 / ($3 / 2e6), 100 * ($3 / plain - 1) }' \
			>>"$out/dprof-rates.csv"
	done
	cat "$out/dprof-rates.csv"
}

# pairs BYTES: pairs of places, as many as the kernel takes, from all over the object
pairs() {
	awk -v n="$(($1 / 8))" 'BEGIN {
		all = n * (n - 1) / 2
		for (i = 0; i < n; i++)
			for (j = i + 1; j < n; j++)
				if (all <= 256 || int(++k * 256 / all) > int((k - 1) * 256 / all))
					printf "%d,%d ", 8 * i, 8 * j
	}'
}

# set_of BYTES MODE CACHE LOAD: histories of all places of a type, or of all pairs of them
set_of() {
	local bytes=$1 mode=$2 cache=$3 load=$4 groups='' n

	n=$(((bytes + 7) / 8))
	if [ "$mode" = pairs ]; then
		# Of more than the kernel takes at once, some; the others cost the same.
		n=$((n * (n - 1) / 2))
		groups=$(pairs "$bytes")
	fi
	guest --oracle "out=$share/oracle,insns=exact" -- '
		echo 100000 >buffer_size_kb
		$1
		oracle-phase --no-phase $1
		echo "$4" >dprof/history_cpu_share
		echo 20 >dprof/history_max_ms
		echo "$2" >dprof/history_offsets
		echo 4 >dprof/history_objects
		echo "$3" >dprof/history_types
		on access history history_end
		# Instructions that are met for the first time are read once.
		$1
		h=$(stat histories) a=$(stat accesses)
		oracle-phase --no-phase $1
		off
		echo "histories $(($(stat histories) - h)) $(($(stat accesses) - a))"' \
		"$load" "$groups" "$cache" "${SHARE:-0}" >"$share/said"
	"$build/bin/oracle-report" list "$share/oracle" | awk -v cache="$cache" -v bytes="$bytes" \
		-v mode="$mode" -v load="$load" -v groups="$n" \
		-v said="$(grep ^histories "$share/said")" '
		$2 == "0x0001" { insns[n++] = ($5 + $6) / 1e6 }
		END {
			split(said, s)
			printf "%-26s %-18s %5d %6s %6d %6d %8.2f %10.1f %10.1f %8.1f\n", cache, load, bytes,
				mode, groups, s[2], s[3] / s[2], insns[0], insns[1],
				100 * (insns[1] / insns[0] - 1)
			printf "%-26s a set: %.1f M instructions; at 1,000 histories in 10^9 instructions: +%.1f %%\n",
				"", groups * insns[1] / s[2],
				(insns[1] - insns[0]) / s[2] * 100
		}'
}

sets() {
	local mode

	echo "type                       load               bytes   mode groups histories elements/h plain,M  with,M  overhead,%"
	for mode in ${MODES:-single pairs}; do
		set_of 208 "$mode" skbuff_head_cache "kernel_load udp 300"
		set_of 2048 "$mode" kmalloc-2k:kmalloc_reserve "kernel_load udp 300"
		set_of 208 "$mode" skbuff_head_cache "net_cases short 2"
		set_of 424 "$mode" skbuff_fclone_cache "net_cases short 2"
		set_of 2240 "$mode" TCP "net_cases short 2"
	done
}

# What histories take if they may take a share of a CPU.
limits() {
	local permille

	for permille in 1 10 100; do
		echo "history_cpu_share $permille:"
		SHARE=$permille set_of 208 single skbuff_head_cache "kernel_load udp 20000"
	done
}

# Many things at once, of files and processes, and of the network
mixed='
	mkdir -p /tmp/served /tmp/copy
	for n in 1 3 20 200; do
		head -c ${n}000 /dev/zero >/tmp/served/$n
	done
	kernel_load udp 1
	httpd -p 8081 -h /tmp/served
	syslogd -O /tmp/log
	# Some of it fails, as it does elsewhere.
	mixed() (
		set +e
		kernel_load files 20 &
		kernel_load pipes 20 &
		kernel_load exec 2 &
		kernel_load maps 5 &
		kernel_load udp 40 &
		net_cases hash 3 &
		net_cases short 1 &
		wget -q -O /dev/null http://127.0.0.1:8081/20 &
		for n in 1 3 200 none; do
			wget -q -O - http://127.0.0.1:8081/$n 2>/dev/null | md5sum | cat
		done >/dev/null
		for n in 1 2 3; do logger $n; done
		ping -c 2 -i 0.1 -s $((100 * $1)) 127.0.0.1 >/dev/null &
		traceroute -n 127.0.0.1 >/dev/null 2>&1 &
		ip address | grep -c inet >/dev/null
		echo $1 | nc -w 1 127.0.0.1 8082 2>/dev/null &
		tar -C / -cf - etc tmp/served | tar -C /tmp/copy -xf -
		find /proc/$$ /sys/kernel/slab | shuf -n 20 | xargs cat >/dev/null 2>&1
		cp -r /tmp/copy /tmp/copied.$1; mv /tmp/copied.$1 /tmp/moved.$1; rm -rf /tmp/moved.$1
		wait
	)'

# paths_of NAME BYTES CACHE SETUP LOAD: LOAD, again and again, until there are SETS sets
paths_of() {
	local places=$((($2 + 7) / 8))

	guest -- '
		'"$4"'
		echo 60000 >buffer_size_kb
		echo 0 >dprof/history_cpu_share
		echo 20 >dprof/history_max_ms
		echo 4 >dprof/history_objects
		echo "$1" >dprof/history_types
		on access history history_end
		h=$(stat histories)
		for i in $(seq 1000); do
			'"$5"'
			[ $(($(stat histories) - h)) -lt "$2" ] || break
		done
		off
		cat trace >/share/trace
		grep -h "overrun: [1-9]" per_cpu/cpu*/stats && exit 1
		exit 0' "$3" $((places * ${SETS:-720}))
	"$here/dprof_unique.pl" "$1" "$places" "$share/trace" >>"$out/dprof-paths.csv"
}

paths() {
	echo type,sets,paths,paths_pct,histories_pct >"$out/dprof-paths.csv"
	paths_of skbuff/udp 208 skbuff_head_cache : "kernel_load udp 200"
	paths_of skbuff/accept 208 skbuff_head_cache : "net_cases short 1"
	paths_of skbuff/mixed 208 skbuff_head_cache "$mixed" 'mixed $i'
	paths_of skbuff_fclone/mixed 424 skbuff_fclone_cache "$mixed" 'mixed $i'
	paths_of file/mixed 176 filp "$mixed" 'mixed $i'
	cat "$out/dprof-paths.csv"
}

for part in "$@"; do
	"$part"
done
