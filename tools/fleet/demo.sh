#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# demo.sh BUILD: three made hosts in network namespaces publish the intervals of recordings for
# Performance Co-Pilot; shows what pmrep reads of the archives that a pmlogger each wrote, and the
# questions of memscope-fleet over the same recordings, by each engine that there is.
set -eu
build=$1
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
hosts=(alpha beta gamma) intervals=10

show() { printf '\n$ %s\n' "$*"; "$@"; }

# Beside the hosts: in $FLEET_DEMO.
archives() {
	local host i
	# Debian's Python, for which its pcp module is.
	PATH=/usr/bin:/bin:$PATH
	for ((i = 2; i <= intervals; i++)); do
		for host in "${hosts[@]}"; do echo >"$FLEET_DEMO/$host/next"; done
		sleep 0.5
	done
	for host in "${hosts[@]}"; do
		until [ "$(wc -l <"$FLEET_DEMO/$host/published")" -ge $intervals ]; do sleep 0.1; done
		printf '\n%s\n' "$host: working set every 0.5 s"
		show pmrep -z -a "$FLEET_DEMO/$host/archive" -t 500msec -s 6 -b MB \
			mmv.memref.working_set_bytes
	done
}

questions() {
	local question
	for question in wss drain; do
		show "$build/bin/memscope-fleet" report $question "$@"
	done
}

case ${2:-} in
archives) archives; exit ;;
shards)
	for shard in "$SHARD1" "$SHARD2"; do
		show "$build/bin/memscope-fleet" create --clickhouse "$shard/fleet" --cluster shards
	done
	show "$build/bin/memscope-fleet" import "$FLEET_DEMO/incoming" --clickhouse "$SHARD1/fleet"
	questions --clickhouse "$SHARD2/fleet"
	exit
	;;
esac

FLEET_DEMO=$(mktemp -d "${TMPDIR:-/var/tmp}/memscope-fleet.XXXXXX")
export FLEET_DEMO
trap 'rm -rf "$FLEET_DEMO"' EXIT
# The same recording, but each host begins elsewhere in it.
"$build/tools/tests/trace_gen" memref 7 "$FLEET_DEMO/whole.dat" $((intervals + 4))
first=0
for host in "${hosts[@]}"; do
	"$build/bin/memref" cut "$FLEET_DEMO/whole.dat" --from 0.$first -o "$FLEET_DEMO/$host.dat"
	mkdir -p "$FLEET_DEMO/incoming/$host"
	for table in intervals services; do
		"$build/bin/memref" export "$FLEET_DEMO/$host.dat" --to columns --rows $table --host "$host" --begin 1 \
			-o "$FLEET_DEMO/incoming/$host/day.$table.csv"
	done
	first=$((first + 1))
done

echo '== Performance Co-Pilot'
if lacking=$("$here/hosts.sh" "$build"); then
	"$here/hosts.sh" "$build" "$FLEET_DEMO" "$0" "$build" archives
else
	echo "left out: $lacking"
fi
printf '\n== DuckDB\n'
if lacking=$("$here/engine.sh" "$build/fleet"); then
	show "$build/bin/memscope-fleet" import "$FLEET_DEMO/incoming" -o "$FLEET_DEMO/store"
	questions "$FLEET_DEMO/store"
else
	echo "left out: $lacking"
fi
printf '\n== ClickHouse, two shards\n'
if lacking=$("$here/shards.sh" "$build"); then
	mkdir "$FLEET_DEMO/shards"
	"$here/shards.sh" "$build" "$FLEET_DEMO/shards" "$0" "$build" shards
else
	echo "left out: $lacking"
fi
