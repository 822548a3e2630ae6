#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# memref and its peers: what they find and what they cost.  Tables in
# build/bench/memref.md, numbers in build/bench/memref.json.
set -eu -o pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=${MEMSCOPE_BUILD:-$here/../../build}
out=$build/bench
mkdir -p "$out"

part() {
	local name=$1
	shift
	echo "== memref_bench $name"
	"$here/../run" --mem 1G --timeout 3600 "$@" -- memref_bench "$name" |
		tee "$out/memref-$name.txt"
}

# In icount mode a nanosecond of the guest is an instruction.
for name in cost cold bytes slowdown reclaim zap; do
	part $name --smp 1 --qemu-arg -icount --qemu-arg shift=0,sleep=off
done
part locks --smp 2 --qemu-arg -icount --qemu-arg shift=0,sleep=off
part accuracy --smp 2
echo "== memref against the oracle"
prove "$here/../tests/memref-oracle.t" "$here/../tests/selftests.t" :: memref
"$here/memref.pl" "$build"
echo "The tables are in $out/memref.md, the numbers in $out/memref.json."
