#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# Where hinted pages land: on fresh and aged memory, with the page cache full, after a
# swap to disk.  What the calls promise is in the series' selftests: selftests.t.
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
kernel=(--kernel "${MEMSCOPE_KERNEL:-vm}")
seed=${MEMSCOPE_SEED:-1}
n=0 failed=0

# part NAME OPTIONS... -- COMMAND...: a program that prints TAP, in a guest of its own.
part() {
	local name=$1 options=() out status
	shift
	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	shift
	out=$("$here/../run" "${kernel[@]}" --timeout 900 "${options[@]}" -- \
		sh -c 'cd /lib/modules/*/kernel/mm/page_hint/strategies && "$@"' sh "$@")
	status=$?
	while IFS= read -r line; do
		case $line in
		1..*) continue ;;
		ok\ * | not\ ok\ *)
			n=$((n + 1))
			case $line in not*) failed=$((failed + 1)) ;; esac
			line=$(sed -E "s/^(not )?ok [0-9]+ (- )?/\1ok $n - $name: /" <<<"$line")
			;;
		esac
		echo "$line"
	done <<<"$out"
	n=$((n + 1))
	if [ $status -eq 0 ] && grep -q '^1\.\.' <<<"$out"; then
		echo "ok $n - $name came to its end"
	else
		echo "not ok $n - $name came to its end (status $status)"
		failed=$((failed + 1))
	fi
}

# The strategies are loaded when they are needed.
load='for m in *.ko; do insmod $m || exit 1; done; exec "$@"'
for what in fresh aged partition; do
	part $what --smp 2 --mem 1G -- sh -c "$load" sh page_hint_alloc $what "$seed"
done
# The page cache of a disk fills memory; and a disk to swap to.
disk=$(mktemp)
trap 'rm -f "$disk"' EXIT
for what in full swapin; do
	truncate -s 0 "$disk" && truncate -s 1280M "$disk"
	part $what --smp 2 --mem 1G --qemu-arg -drive \
		--qemu-arg "file=$disk,if=virtio,format=raw,cache=unsafe" \
		-- sh -c "$load" sh page_hint_alloc $what "$seed"
done
echo "1..$n"
[ $failed -eq 0 ]
