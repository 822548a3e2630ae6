#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# fleet.sh BUILD [HOSTS [SEED]]: columns of HOSTS (10,000) for a day, made by replaying 20 recordings
# with noise; the questions of memscope-fleet over them, by DuckDB and by two ClickHouse servers, their
# answers compared with those of a plain computation, and their times.  Writes BUILD/bench/fleet.json.
set -eu
build=$1 hosts=${2:-10000} seed=${3:-26} minutes=1440
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
fleet=$here/../../tools/fleet
bin=$build/bin gen=$build/tools/tests
if [ -z "${BENCH_WORK:-}" ]; then
	work=$(mktemp -d "${TMPDIR:-/var/tmp}/memscope-fleet.XXXXXX")
	export BENCH_WORK=$work
	trap 'rm -rf "$work"' EXIT
	# Once more, beside the servers where there are any.
	if lacking=$("$fleet/shards.sh" "$build"); then
		"$fleet/shards.sh" "$build" "$work" "$0" "$build" "$hosts" "$seed"
	else
		echo "bench-fleet: without ClickHouse: $lacking"
		LACKING=$lacking "$0" "$build" "$hosts" "$seed"
	fi
	exit
fi
work=$BENCH_WORK
echo "bench-fleet: $hosts hosts, $minutes minutes, seed $seed"
"$fleet/engine.sh" "$build/fleet"

recordings=()
for i in {0..19}; do
	recording=$work/recording$i
	"$gen/trace_gen" memref 7 "$recording.dat" $((40 + 3 * i))
	for table in intervals services; do
		"$bin/memref" export "$recording.dat" --to columns --rows $table --begin 1 -o "$recording.$table.csv"
	done
	recordings+=("$recording")
done

# CPU time of the servers so far, in s.
server_cpu() {
	[ -z "${SHARD1_PID:-}" ] || awk -v hz="$(getconf CLK_TCK)" '{ sub(/.*\) /, ""); s += ($12 + $13) / hz } END { print s }' \
		"/proc/$SHARD1_PID/stat" "/proc/$SHARD2_PID/stat"
}
sum() { awk -v ORS= 'BEGIN { for (i = 1; i < ARGC; i++) s += ARGV[i]; print s }' "$@"; }
max() { awk -v ORS= 'BEGIN { print (ARGV[1] + 0 > ARGV[2] + 0 ? ARGV[1] : ARGV[2]) }' "$@"; }

# questions NAME WHERE...: asks each question of a store or server three times; sets $longest and $cpu, the
# longest time and the largest CPU time, and $right.
questions() {
	local name=$1 question i real user system times before TIMEFORMAT='%R %U %S'
	shift
	longest=0 cpu=0 right=0 asked=0
	for question in wss coldest cache drift drain; do
		for i in 1 2 3; do
			before=$(server_cpu)
			times=$({ time "$bin/memscope-fleet" report $question "$@" -n 0 -f csv \
				-o "$work/$question.csv" >&2; } 2>&1) || { echo "$times" >&2; return 1; }
			read -r real user system <<<"${times##*$'\n'}"
			# That of a store is the program's alone: the servers are idle.
			[ "$1" != --clickhouse ] || system=$(sum "$system" "$(server_cpu)" "-$before")
			longest=$(max "$longest" "$real")
			cpu=$(max "$cpu" "$(sum "$user" "$system")")
			echo "bench-fleet: $question over $name, time $i: $real s, CPU $(sum "$user" "$system") s"
		done
		asked=$((asked + 1))
		if cmp -s "$work/$question.csv" "$work/answers/$question.csv"; then
			right=$((right + 1))
		else
			echo "bench-fleet: $question over $name: not the answer of the plain computation"
		fi
	done
}

# Databases on the servers, of the first 1,000 hosts and of all.
both=${SHARD1:-}
for database in few all; do
	for shard in ${both:+"$SHARD1" "$SHARD2"}; do
		"$bin/memscope-fleet" create --clickhouse "$shard/$database" --cluster shards
	done
done

mkdir "$work/rows" "$work/answers"
csv=0 import=0 import_clickhouse=0
for ((first = 0; first < hosts; first += 1000)); do
	last=$((first + 1000 < hosts ? first + 1000 : hosts))
	"$gen/fleet_gen" rows "$work/rows" $first $last $minutes "$seed" "${recordings[@]}"
	csv=$((csv + $(du -sb "$work/rows" | cut -f 1)))
	begin=$EPOCHREALTIME
	"$bin/memscope-fleet" import "$work/rows" -o "$work/store" >/dev/null
	import=$(sum "$import" "$EPOCHREALTIME" "-$begin")
	if [ -n "$both" ]; then
		begin=$EPOCHREALTIME
		"$bin/memscope-fleet" import "$work/rows" --clickhouse "$both/all" >/dev/null
		import_clickhouse=$(sum "$import_clickhouse" "$EPOCHREALTIME" "-$begin")
		[ $first -ne 0 ] || "$bin/memscope-fleet" import "$work/rows" --clickhouse "$both/few" >/dev/null
	fi
	rm -rf "$work/rows"/host*
	[ $first -ne 0 ] || cp -r "$work/store" "$work/store1000"
done
few=$((hosts < 1000 ? hosts : 1000))
"$gen/fleet_gen" answers "$work/answers" $few $minutes "$seed" "${recordings[@]}"
questions "$few hosts" "$work/store1000"
max1000=$longest cpu1000=$cpu right1000=$right
if [ -n "$both" ]; then
	questions "$few hosts on ClickHouse" --clickhouse "$both/few"
	ch_max1000=$longest ch_cpu1000=$cpu ch_right1000=$right
fi
"$gen/fleet_gen" answers "$work/answers" "$hosts" $minutes "$seed" "${recordings[@]}"
questions "$hosts hosts" "$work/store"
max=$longest duckdb_cpu=$cpu duckdb_right=$right
if [ -n "$both" ]; then
	questions "$hosts hosts on ClickHouse" --clickhouse "$both/all"
	ch_max=$longest ch_cpu=$cpu ch_right=$right
fi

# What else a host keeps of a day.  Figures: a record a minute in an archive of Performance Co-Pilot, by
# what 1,000 more records take.  Maps: 2,048 groups a minute, by what a row takes when its pages are
# random.  Samples: of 10 s an hour, 100 a second and CPU of 64, in profiles of 64,000.
for n in 100 1100; do
	"$gen/trace_gen" memref 7 "$work/figures$n.dat" $n >/dev/null
	"$bin/memref" export "$work/figures$n.dat" --to pcp --host h --begin 1 -o "$work/figures$n" || true
done
figures=
[ ! -s "$work/figures1100.0" ] ||
	figures=$((($(cat "$work"/figures1100.* | wc -c) - $(cat "$work"/figures100.* | wc -c) -
		$(wc -c <"$work/figures1100.dat") + $(wc -c <"$work/figures100.dat")) * 1440 / 1000))
"$bin/memref" export "$work/figures1100.dat" --to columns --rows groups --begin 1 | awk -F, -v OFS=, -v seed="$seed" '
	NR == 1 { srand(seed); for (i = 1; i <= NF; i++) if ($i ~ /^pages_/) pages[i] } NR > 1 { for (i in pages) if ($i > 0) $i = 1 + int(rand() * 2 * $i) } 1' \
	>"$work/groups.csv"
maps=$(($(xz -c "$work/groups.csv" | wc -c) * 2048 * 1440 / $(wc -l <"$work/groups.csv")))
"$gen/memprof_gen" "$work/samples.data" 64000 16000 64 100 1 >/dev/null
"$bin/memprof" export "$work/samples.data" --to pprof -o "$work/samples.pb.gz"
samples=$((24 * $(wc -c <"$work/samples.pb.gz")))

planted=$(MEMSCOPE_BUILD=$build "$fleet/../dprof/tests/dprof_profile.t" 2>/dev/null |
	sed -n 's/^# planted regressions in the first row: \([0-9]*\) of 10$/\1/p')
smaller() { echo $(($1 < $2 ? $1 : $2)); }
# Of both shards, without what was merged into others since.
server_bytes() {
	perl -MHTTP::Tiny -e '$table = shift; for (@ARGV) {
		$answer = HTTP::Tiny->new->post("$_/", { content => "SELECT sum(bytes_on_disk) FROM system.parts " .
			"WHERE active AND database = \x27all\x27 AND table = \x27${table}_local\x27" });
		die "$answer->{content}\n" if !$answer->{success};
		$sum += $answer->{content}
	} print $sum' "$1" "$SHARD1" "$SHARD2"
}
bytes() { cat "$work/store/$1"-*.parquet | wc -c; }
clickhouse='  "question_max_s_clickhouse": null,'
[ -z "$both" ] || clickhouse=$(cat <<end
  "questions_asked_clickhouse": $asked,
  "questions_right_clickhouse": $(smaller "$ch_right" "$ch_right1000"),
  "question_max_s_clickhouse": $ch_max,
  "question_max_cpu_s_clickhouse": $ch_cpu,
  "question_max_s_clickhouse_1000_hosts": $ch_max1000,
  "question_max_cpu_s_clickhouse_1000_hosts": $ch_cpu1000,
  "import_s_clickhouse": $import_clickhouse,
  "bytes_per_host_day_intervals_clickhouse": $(($(server_bytes intervals) / hosts)),
  "bytes_per_host_day_services_clickhouse": $(($(server_bytes services) / hosts)),
end
)
set_up="20 made recordings replayed with noise, a row a minute, services every 5 minutes; each question three times, the longest"
set_up+="${both:+; ClickHouse: two shards}${LACKING:+; no ClickHouse: $LACKING}; $(nproc) CPUs, load $(cut -d ' ' -f 1 /proc/loadavg)"
perl "$here/Figures.pm" "$build/bench/fleet.json" "make bench-fleet HOSTS=$hosts SEED=$seed" "$set_up" <<end
{
  "questions_asked": $asked,
  "questions_right": $(smaller "$duckdb_right" "$right1000"),
  "question_max_s_duckdb": $max,
  "question_max_cpu_s_duckdb": $duckdb_cpu,
  "question_max_s_duckdb_1000_hosts": $max1000,
  "question_max_cpu_s_duckdb_1000_hosts": $cpu1000,
$clickhouse
  "pprof_planted_first": ${planted:-null},
  "hosts": $hosts,
  "rows_intervals": $((hosts * minutes)),
  "bytes_per_host_day_csv": $((csv / hosts)),
  "bytes_per_host_day_intervals_parquet": $(($(bytes intervals) / hosts)),
  "bytes_per_host_day_services_parquet": $(($(bytes services) / hosts)),
  "bytes_per_host_day_figures_pcp": ${figures:-null},
  "bytes_per_host_day_maps_csv_xz": $maps,
  "bytes_per_host_day_samples_pprof": $samples,
  "import_s": $import
}
end
cat "$build/bench/fleet.json"
