#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# Page hints: how many pages land where they should, and what it costs.  What
# was measured in build/bench/pagealloc-*.txt, numbers in build/bench/pagealloc.json.
# PARTS="full swapin" measures these only; the numbers of others stay as they were.
set -eu -o pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=${MEMSCOPE_BUILD:-$here/../../build}
out=$build/bench
seed=${MEMSCOPE_SEED:-1}
parts=${PARTS:-}
mkdir -p "$out"

# part NAME OPTIONS... -- COMMAND...
part() {
	local name=$1 options=()
	shift
	[[ -z $parts || " $parts " == *" $name "* ]] || return 0
	echo "== $name"
	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	shift
	"$here/../run" --mem 1G --timeout 3000 "${options[@]}" -- \
		sh -c 'for m in /lib/modules/*/kernel/mm/page_hint/strategies/*.ko; do
			[ ! -e $m ] || insmod $m || exit 1; done; exec "$@"' sh "$@" | tee "$out/pagealloc-$name.txt"
}

for what in fresh aged partition; do
	part $what --smp 2 -- page_hint_alloc $what "$seed"
done
# With the page cache full, and with swap on a disk.
disk=$out/pagealloc-disk
for what in full swapin; do
	rm -f "$disk"
	truncate -s 1280M "$disk"
	part $what --smp 2 --qemu-arg -drive \
		--qemu-arg "file=$disk,if=virtio,format=raw,cache=unsafe" -- page_hint_alloc $what "$seed"
	rm -f "$disk"
done
# In icount mode a nanosecond of the guest is an instruction.
icount=(--smp 1 --qemu-arg -icount --qemu-arg 'shift=0,sleep=off')
part cost "${icount[@]}" -- page_hint_alloc cost "$seed"
part cost-all "${icount[@]}" --smp 2 -- page_hint_alloc cost "$seed"
# How long QEMU takes depends on where its translations happen to lie, in each boot
# anew: medians of seven boots, of a second run each, when all is translated.
for cpus in 1 2; do
	for boot in 1 2 3 4 5 6 7; do
		part time-$cpus-$boot --smp $cpus -- sh -c '
			page_hint_alloc cost "$0" >/dev/null
			page_hint_alloc cost "$0" || true' $((seed + boot - 1))
	done
done
part locks "${icount[@]}" -- page_hint_alloc locks "$seed"
part plain "${icount[@]}" -- page_hint_alloc plain
part vanilla "${icount[@]}" --kernel "$build/kernel-vanilla/arch/x86/boot/bzImage" -- \
	page_hint_alloc plain
part remap "${icount[@]}" --numa 2 -- page_hint_remap 1000 "$seed"
# A layout of one boot in the next, at other addresses.
share=$(mktemp -d)
trap 'rm -rf "$share"' EXIT
part record --share "$share" -- pagealloc record -o program.layout -- \
	pagetest --size 16M --how anon
# Other memory is free in the next.
part replay --share "$share" -- sh -c 'pagealloc run --replay program.layout --report report \
	-- pagetest --size 16M --how anon >/dev/null && cat report'
"$here/pagealloc.pl" "$build" "$seed"
echo "The numbers are in $out/pagealloc.json."
