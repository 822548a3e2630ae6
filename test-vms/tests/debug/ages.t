#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# Idle ages of memory with holes, as the firmware of real machines leaves them: whose struct pages
# are not those of memory, in the middle and at the begin of a section (128 MiB); and a page of 1 GiB, which
# is of many sections, freed.
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
out=$(mktemp)
trap 'rm -f "$out"' EXIT

"$here/../../run" --kernel "${MEMSCOPE_KERNEL:-debug}" --cpu max,-la57 --mem 4G --timeout 600 \
	--append 'panic_on_warn=0 memmap=16M$0x8000000 memmap=16M$0x19000000 hugepagesz=1G hugepages=1' -- sh -c '
n=0
is() {	# is NAME WHAT EXPECTED
	n=$((n + 1))
	[ "$2" -eq "$3" ] && echo "ok $n - $1" && return
	echo "not ok $n - $1: $2, not $3"
}
# Of 4096 frames from FIRST on, how many have no age.
without() {
	dd if=memref/page_ages bs=4096 skip=$(($1 / 4096)) count=1 2>/dev/null | od -An -v -tu1 -w1 | grep -c 255
}
cd /sys/kernel/tracing || exit 1
echo 0 >memref/interval_ms
echo 1 >events/memref/memref_age/enable
echo 1 >memref/ages
echo 1 >memref/scan
is "a hole at the begin of a section has no ages" $(without $((0x8000))) 4096
is "nor one within a section" $(without $((0x19000))) 4096
is "all sections are covered" $(sed -n "s/.* sections=\([0-9]*\) .*/\1/p" memref/age_histograms) 32
gigantic=/sys/kernel/mm/hugepages/hugepages-1048576kB/nr_hugepages
is "a page of 1 GiB is there" $(cat $gigantic) 1
echo 0 >$gigantic
echo 1 >memref/scan
is "it is freed" $(cat $gigantic) 0
awk "/^[^#]/ { for (i = 5; i <= 22; i++) if (\$i > 1024 * 1024) bad++ } END { exit bad > 0 }" memref/age_histograms
is "no histogram has more pages than there are" $? 0
echo 0 >memref/ages
echo 0 >events/memref/memref_age/enable
echo "1..$n"' | tee "$out"
status=${PIPESTATUS[0]}
# 125: a report of the kernel is a failed test, whatever the guest said.
[ "$status" -eq 0 ] || echo "not ok 100 - status $status"
[ "$status" -eq 0 ] && ! grep -q '^not ok' "$out"
