#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# memref's files, in the guest; and events enabled on the kernel command line.
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
run=$here/../run
dir=$(mktemp -d "${TMPDIR:-/tmp}/memscope-files.XXXXXX")
trap 'rm -rf "$dir"' EXIT
cp "$here/../guest/memref_files.sh" "$dir"

kernel=()
[ -z "${MEMSCOPE_KERNEL:-}" ] || kernel=(--kernel "$MEMSCOPE_KERNEL")
# The plan comes last, behind the tests of the second boot.  Time is instructions: some tests
# are of intervals and shares of CPU time, which the host's other load must not change.
"$run" "${kernel[@]}" --accel icount --share "$dir" --timeout 900 -- sh /share/memref_files.sh >"$dir/tap"
status=$?
grep -v '^1\.\.' "$dir/tap"
n=$(grep -cE '^(not )?ok' "$dir/tap")

next() {
	n=$((n + 1))
	[ "$1" = 0 ] && echo "ok $n - $2" || echo "not ok $n - $2"
}
grep -q "^1\.\.$n$" "$dir/tap" && [ $status = 0 ]
next $? "the guest came to its end (status $status)"

"$run" "${kernel[@]}" --append trace_event=memref -- sh -c '
	cd /sys/kernel/tracing
	for i in $(seq 600); do
		[ "$(cat memref/seq)" -lt 2 ] || break
		sleep 0.1
	done
	cat memref/seq
	grep -c memref_scan: trace
	ps -o comm | grep -cx memref' >"$dir/boot"
mapfile -t boot <"$dir/boot"
[ "${boot[0]:-0}" -ge 1 ] && [ "${boot[1]:-0}" -ge 1 ] && [ "${boot[2]:-0}" = 1 ]
next $? "trace_event=memref samples from the boot on: ${boot[*]}"
echo "1..$n"
