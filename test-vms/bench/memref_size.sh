#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# memref_size.sh: programs of Debian run with the limit that memref size recommends for a
# slowdown of 2 %, with that which it finds by tries, and with limits by bisection, which find the
# best one: of each, the median of three runs counts.  What DAMON, MGLRU and clear_refs estimate
# beside it.  Results of a workload are left in build/bench/memref-size-SEED and not measured again;
# the numbers are in build/bench/memref.json.
# SEED: of the inputs (default 9, whose figures go there; memref size was tuned on 1, and 2 to 8
# were looked at).  WORKLOADS: only these.  PEERS: only these, of mglru, clear_refs and damon.
# PROBES: of the bisection (default 6).  PHASES: best (bisection and peers) or limit (memref
# size's) only; the table follows when both are done.  JOBS: guests at a time (default 1).
set -eu -o pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=${MEMSCOPE_BUILD:-$here/../../build}
build=$(cd "$build" && pwd)
seed=${SEED:-9}
out=$build/bench/memref-size-$seed
interval_ms=10
probes=${PROBES:-6}
read -r -a peers <<<"${PEERS-mglru clear_refs damon}"
mkdir -p "$out"

# guest NAME VERB...: the output of the workload's guest in NAME.VERB, if it was not made before.
guest() {
	local name=$1 to=$out/$1.$2
	shift
	[ ! -e "$to" ] || return 0
	mkdir -p "$out/share-$name"
	[ -e "$out/$name.img" ] ||
		"$here/memref_size/image.pl" "$build" "$seed" "$out/$name.img" "$name" >"$out/$name.log" 2>&1 ||
		{ cat "$out/$name.log" >&2; return 1; }
	cp "$here/memref_size/guest.sh" "$out/share-$name/"
	"$here/../run" --accel icount --smp 1 --mem 640M --timeout 7200 --share "$out/share-$name" \
		--qemu-arg -drive --qemu-arg "file=$out/$name.img,if=virtio,format=raw,readonly=on" \
		-- sh /share/guest.sh "$@" >"$to.part" 2>>"$out/$name.log" ||
		{ tail -n 20 "$out/$name.log" "$to.part" >&2; return 1; }
	mv "$to.part" "$to"
}

judge() {
	local phase

	for phase in ${PHASES:-best limit}; do
		case $phase in
		best) guest "$1" best "$probes" "${peers[@]}" ;;
		limit) guest "$1" limit $interval_ms "${prices[@]}" ;;
		esac || return 1
	done
	rm -f "$out/$1.img"
}

# longer WORKLOAD: us that its run with a limit takes longer, refaults, evicted pages
longer() {
	guest "$1" price
	rm -f "$out/$1.img"
	awk '$1 == "run" { for (i = 3; i < NF; i += 2) v[$2, $i] = $(i + 1) }
		END {
			us = (v["limited", "ns"] - v["free", "ns"]) / 1000
			if (v["free", "status"] != "ok" || v["limited", "status"] != "ok" || us <= 0)
				exit 1
			print us, v["limited", "refaults"], v["limited", "evicted"]
		}' "$out/$1.price" || { echo "memref_size.sh: no price:" >&2; cat "$out/$1.price" >&2; return 1; }
}

refault_us=$(longer price-refault | awk '{ printf "%.1f\n", $1 / $2 }')
evict_us=$(longer price-evict | awk '{ printf "%.1f\n", $1 / $3 }')
prices=(--refault-us "$refault_us" --evict-us "$evict_us")
failed=0
for name in ${WORKLOADS:-$("$here/memref_size/image.pl")}; do
	while [ "$(jobs -rp | wc -l)" -ge "${JOBS:-1}" ]; do
		wait -n || failed=1
	done
	echo "== memref size: $name"
	judge "$name" &
done
while [ "$(jobs -p | wc -l)" -gt 0 ]; do
	wait -n || failed=1
done
[ $failed -eq 0 ]
[ -z "${PHASES:-}" ] || exit 0
"$here/memref_size/results.pl" "$build" "$seed" "$out" "$refault_us" "$evict_us"
