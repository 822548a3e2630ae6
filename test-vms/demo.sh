#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# The demonstration: the paper's pagetest run and a database load, recorded by
# trace-cmd in a guest, and their plots.
#
#	test-vms/demo.sh [OUTPUT-DIRECTORY]
set -eu -o pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=${MEMSCOPE_BUILD:-$(dirname "$here")/build}
out=${1:-$build/demo}
memref=$build/bin/memref
rm -rf "$out"
mkdir -p "$out"

step() { printf '== %s\n' "$*"; }

# Paper, section 4: 3 GiB by malloc, 10 iterations, LMBs of 64 MiB, an interval
# that an iteration fits in.  How long one takes depends on the machine: measure
# it on a part.  The memory is got before the recording begins.
pagetest() {
	step "pagetest: 3 GiB by malloc, 10 iterations, in a guest of 4 GiB (some minutes)"
	"$here/run" --mem 4G --smp 2 --timeout 1800 --share "$out" \
		--append "memref_kernel_4k transparent_hugepage=never" -- sh -eu -c '
		cd /sys/kernel/tracing
		interval=$(pagetest --size 512M --prefault --iterations 3 --format csv |
			awk -F, "NR > 1 && \$5 - \$4 > max { max = \$5 - \$4 }
				 END { ms = int(max / 1e9 * 6 * 3 + 1) * 1000; print ms < 3000 ? 3000 : ms }")
		echo "interval: $interval ms"
		# Under emulation a harvest takes longer than the budget has it.
		echo 0 >memref/cpu_max
		echo $interval >memref/interval_ms
		echo 65536 >memref/group_kb
		pagetest --how malloc --size 3G --prefault --iterations 10 --op write \
			--wait-interval --sleep $((interval + interval / 2)) \
			--format csv >/share/pagetest-truth.csv &
		until [ -s /share/pagetest-truth.csv ]; do sleep 0.2; done
		trace-cmd record -q -e memref -o /share/pagetest.dat \
			sh -c "while kill -0 $! 2>/dev/null; do sleep 0.5; done"
		wait $!
	'
}

# A real program with phases: load a table, index it, query it, vacuum it.
database() {
	step "sqlite3: load, index, query and vacuum a database"
	cat >"$out/database.sql" <<'EOF'
PRAGMA cache_size = -65536;
CREATE TABLE sample(id INTEGER PRIMARY KEY, grp INTEGER, val REAL, txt TEXT);
BEGIN;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400000)
INSERT INTO sample SELECT i, (i * 7919) % 1000, i * 0.5, printf('row %d of the sample', i) FROM n;
COMMIT;
CREATE INDEX sample_grp ON sample(grp);
SELECT grp, count(*), sum(val), max(txt) FROM sample GROUP BY grp ORDER BY 3 DESC LIMIT 3;
DELETE FROM sample WHERE grp % 2;
VACUUM;
SELECT count(*) FROM sample;
EOF
	"$here/run" --mem 1G --smp 2 --timeout 900 --share "$out" --root host \
		--append "memref_kernel_4k" -- sh -eu -c '
		cd /sys/kernel/tracing
		echo 0 >memref/cpu_max
		echo 250 >memref/interval_ms
		echo 1024 >memref/group_kb
		trace-cmd record -q -e memref -o /share/database.dat \
			sh -c "sqlite3 /tmp/sample.db </share/database.sql"
	'
}

# The paper's Figures 15 to 22: a program bound to one node, to the other, to
# both in turns.
nodes() {
	step "pagetest: 128 MiB bound to node 0, to node 1, interleaved, in a guest of two nodes"
	cp "$memref" "$build/bin/pagetest" "$out"
	"$here/run" --numa 2 --mem 1G --timeout 300 --share "$out" --root host \
		--env PATH=/share:/usr/sbin:/usr/bin:/sbin:/bin -- sh -eu -c '
		for binding in membind=0 membind=1 interleave=all; do
			memref record -i 300 --group-size 16M --cpu-max 0 -o /share/numa-${binding%=*}-${binding#*=}.dat -- \
				numactl --$binding pagetest --size 128M --iterations 8 --sleep 200 >/dev/null
		done' 2>/dev/null
	rm -f "$out/memref" "$out/pagetest"
	local file
	for file in "$out"/numa-*.dat; do
		"$memref" plot numa "$file" --class user -o "${file%.dat}.png"
		"$memref" plot spatial "$file" --class user -o "${file%.dat}-spatial.png"
	done
}

plots() {
	local name=$1 class view
	for view in temporal spatial wss; do
		for class in total user kernel page_cache; do
			"$memref" plot "$view" "$out/$name.dat" --class "$class" \
				-o "$out/$name-$view-$class.png"
		done
		"$memref" plot "$view" "$out/$name.dat" --class all -o "$out/$name-$view.svg"
		"$memref" report "$view" "$out/$name.dat" --format csv -o "$out/$name-$view.csv"
	done
	for class in total user kernel page_cache; do
		"$memref" plot heatmap "$out/$name.dat" --class "$class" \
			-o "$out/$name-heatmap-$class.png"
	done
	"$memref" html "$out/$name.dat" --title "memref: $name" -o "$out/$name.html"
	"$memref" report summary "$out/$name.dat" | tee "$out/$name-summary.txt"
}

# The spikes of the paper's Figures 3 to 6, counted.
spikes() {
	step "pagetest: what was touched, and what was seen"
	awk -F, -v rows="$out/pagetest-temporal.csv" '
	BEGIN {
		getline <rows
		for (i = split($0, name, ","); i; i--)
			column[name[i]] = i
		while ((getline <rows) > 0) {
			user = $column["pages_user"]
			n++
			if (user > 100000) {
				spikes++
				printf "spike %2d: %7d user pages in %d LMBs\n", spikes, user, \
					$column["groups_user"]
				if (user < 786432 * 0.995 || user > 786432 * 1.005 ||
				    $column["groups_user"] < 48)
					bad++
			} else if (user > 7864) {
				printf "not flat: %d user pages\n", user
				bad++
			}
		}
		printf "%d spikes in %d intervals, 786432 pages touched in each\n", spikes, n
		exit spikes != 10 || bad > 0
	}' </dev/null | tee "$out/pagetest-spikes.txt"
}

page() {
	{
		cat <<'EOF'
<!DOCTYPE html>
<html lang="en"><meta charset="utf-8"><title>memref: which memory is used</title>
<style>body{font:16px/1.4 sans-serif;max-width:60em;margin:2em auto;padding:0 1em}
img{width:100%}pre{overflow-x:auto;background:#f4f4f4;padding:1em}</style>
<h1>memref: which memory is used</h1>
<h2>pagetest: 3 GiB by malloc, 10 iterations (the paper's Figures 3 to 6)</h2>
EOF
		echo "<pre>$(cat "$out/pagetest-spikes.txt")</pre>"
		local name
		for name in pagetest database; do
			[ $name = database ] &&
				echo "<h2>sqlite3: load, index, query, vacuum</h2>"
			echo "<p><a href=\"$name.html\">All views and tables of this recording</a>"
			local view class
			for view in temporal spatial wss heatmap; do
				for class in total user kernel page_cache; do
					echo "<img src=\"$name-$view-$class.png\" alt=\"$view, $class\">"
				done
			done
			echo "<pre>$(cat "$out/$name-summary.txt")</pre>"
		done
		echo "<h2>pagetest: two nodes (the paper's Figures 15 to 22)</h2>"
		for name in numa-membind-0 numa-membind-1 numa-interleave-all; do
			echo "<h3>$name</h3><img src=\"$name.png\" alt=\"$name, nodes\">"
			echo "<img src=\"$name-spatial.png\" alt=\"$name, addresses\">"
		done
	} >"$out/index.html"
}

pagetest
plots pagetest
spikes
database
plots database
nodes
page
printf '\nThe demonstration is in %s: open index.html there.\n' "$out"
