#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# memref and its peers: what they find and what they cost.  Tables in
# build/bench/memref.md, numbers in build/bench/memref.json.
set -eu -o pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=${MEMSCOPE_BUILD:-$here/../../build}
out=$build/bench
mkdir -p "$out"

# In icount mode a nanosecond of the guest is an instruction.
part() {
	local smp=$1 name=$2
	echo "== memref_bench $name"
	"$here/../run" --smp "$smp" --mem 1G --timeout 3600 \
		--qemu-arg -icount --qemu-arg shift=0,sleep=off -- memref_bench "$name" |
		tee "$out/memref-$name.txt"
}

part 1 cost
part 1 cold
part 1 bytes
part 1 slowdown
part 1 reclaim
part 2 accuracy
echo "== memref against the oracle"
prove "$here/../tests/memref-oracle.t"
"$here/memref.pl" "$build"
echo "The tables are in $out/memref.md, the numbers in $out/memref.json."
