#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# Whatever ends dprof record or memprof record: no event is enabled, no debug register is
# taken, settings are as they were, nothing is left (guest/recorders.sh has the ways).
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
dir=$(mktemp -d "${TMPDIR:-/tmp}/memscope-recorders.XXXXXX")
trap 'rm -rf "$dir"' EXIT
cp "$here/../guest/recorders.sh" "$dir"
build=${MEMSCOPE_BUILD:-$here/../../build}
kernel=${MEMSCOPE_KERNEL:-vm}
if ! grep -q '^CONFIG_DPROF=y' "$build/kernel-$kernel/.config" 2>/dev/null; then
	echo '1..0 # SKIP this kernel has no dprof'
	exit 0
fi

"$here/../run" --kernel "$kernel" --smp 2 --mem 1G --accel tcg --share "$dir" --timeout 1500 \
	--append 'hpet=disable sysctl.vm.mem_profiling=0' -- sh /share/recorders.sh >"$dir/tap"
status=$?
grep -v '^1\.\.' "$dir/tap"
n=$(grep -cE '^(not )?ok' "$dir/tap")
n=$((n + 1))
if grep -q "^1\.\.$((n - 1))$" "$dir/tap" && [ $status = 0 ]; then
	echo "ok $n - the guest came to its end"
else
	echo "not ok $n - the guest came to its end (status $status)"
fi
echo "1..$n"
! grep -q '^not ok' "$dir/tap" && [ $status = 0 ]
