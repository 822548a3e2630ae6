#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# bench.sh BUILD [HOSTS [SEED]]: columns of HOSTS (10,000) for a day, made by replaying 20 recordings
# with noise; the questions of memscope-fleet over them, their answers compared with those of a plain
# computation, and their times.  Writes BUILD/bench/fleet.json.
set -eu
build=$1 hosts=${2:-10000} seed=${3:-26} minutes=1440
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
bin=$build/bin gen=$build/tools/tests
work=$(mktemp -d "${TMPDIR:-/var/tmp}/memscope-fleet.XXXXXX")
trap 'rm -rf "$work"' EXIT
echo "bench-fleet: $hosts hosts, $minutes minutes, seed $seed"
"$here/engine.sh" "$build/fleet"

recordings=()
for i in {0..19}; do
	recording=$work/recording$i
	"$gen/trace_gen" memref 7 "$recording.dat" $((40 + 3 * i))
	for table in intervals services; do
		"$bin/memref" export "$recording.dat" --to columns --rows $table --begin 1 -o "$recording.$table.csv"
	done
	recordings+=("$recording")
done

# questions STORE: asks each question three times; sets $max and $cpu, the longest time and the
# largest CPU time, and $right.
questions() {
	local question i real user system times TIMEFORMAT='%R %U %S'
	max=0 cpu=0 right=0 asked=0
	for question in wss coldest cache drift drain; do
		for i in 1 2 3; do
			times=$({ time "$bin/memscope-fleet" report $question "$1" -n 0 -f csv \
				-o "$work/$question.csv" >&2; } 2>&1)
			read -r real user system <<<"${times##*$'\n'}"
			max=$(awk "BEGIN { print ($real > $max ? $real : $max) }")
			cpu=$(awk "BEGIN { t = $user + $system; print (t > $cpu ? t : $cpu) }")
			echo "bench-fleet: $question over ${1##*/}, time $i: $real s, CPU $user + $system s"
		done
		asked=$((asked + 1))
		if cmp -s "$work/$question.csv" "$work/answers/$question.csv"; then
			right=$((right + 1))
		else
			echo "bench-fleet: $question: not the answer of the plain computation"
		fi
	done
}

mkdir "$work/rows" "$work/answers"
csv=0 import=0
for ((first = 0; first < hosts; first += 1000)); do
	last=$((first + 1000 < hosts ? first + 1000 : hosts))
	"$gen/fleet_gen" rows "$work/rows" $first $last $minutes "$seed" "${recordings[@]}"
	csv=$((csv + $(du -sb "$work/rows" | cut -f 1)))
	begin=$EPOCHREALTIME
	"$bin/memscope-fleet" import "$work/rows" -o "$work/store" >/dev/null
	import=$(awk "BEGIN { print $import + $EPOCHREALTIME - $begin }")
	rm -rf "$work/rows"/host*
	[ $first -ne 0 ] || cp -r "$work/store" "$work/store1000"
done
few=$((hosts < 1000 ? hosts : 1000))
"$gen/fleet_gen" answers "$work/answers" $few $minutes "$seed" "${recordings[@]}"
questions "$work/store1000"
max1000=$max cpu1000=$cpu right1000=$right
"$gen/fleet_gen" answers "$work/answers" "$hosts" $minutes "$seed" "${recordings[@]}"
questions "$work/store"

planted=$(MEMSCOPE_BUILD=$build "$here/../dprof/tests/dprof_profile.t" 2>/dev/null |
	sed -n 's/^# planted regressions in the first row: \([0-9]*\) of 10$/\1/p')
bytes() { cat "$work/store/$1"-*.parquet | wc -c; }
mkdir -p "$build/bench"
# Measured in a guest, by memref-watch.t.
publisher=$(perl -MJSON::PP -0777 -ne 'print decode_json($_)->{publisher_cpu_pct} // ""' \
	"$build/bench/fleet.json" 2>/dev/null)
cat >"$build/bench/fleet.json" <<end
{
  "questions_asked": $asked,
  "questions_right": $((right < right1000 ? right : right1000)),
  "question_max_s_duckdb": $max,
  "question_max_cpu_s_duckdb": $cpu,
  "question_max_s_duckdb_1000_hosts": $max1000,
  "question_max_cpu_s_duckdb_1000_hosts": $cpu1000,
  "pprof_planted_first": ${planted:-null},
  "publisher_cpu_pct": ${publisher:-null},
  "hosts": $hosts,
  "rows_intervals": $((hosts * minutes)),
  "bytes_per_host_day_csv": $((csv / hosts)),
  "bytes_per_host_day_intervals_parquet": $(($(bytes intervals) / hosts)),
  "bytes_per_host_day_services_parquet": $(($(bytes services) / hosts)),
  "import_s": $import,
  "_how": "make bench-fleet HOSTS=$hosts SEED=$seed: 20 made recordings replayed with noise, a row a minute, services every 5 minutes; each question three times, the longest; $(nproc) CPUs, load $(cut -d ' ' -f 1 /proc/loadavg)${publisher:+ | publisher_cpu_pct: prove test-vms/tests/memref-watch.t: an idle guest, 10 s, -icount}"
}
end
cat "$build/bench/fleet.json"
