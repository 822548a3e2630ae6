#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# silicon.t BUILD: swmem's decoder against the IBS ops of a real AMD machine, whose
# decoded registers and instructions are in a table (MEMSCOPE_REALDATA is the folder,
# which is not part of the project); docs/develop/ibs.md has the numbers that are counted here.
set -u
build=$(realpath "${1:-build}")
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
ops=${MEMSCOPE_REALDATA:-$here/../../../shared/realdata}/memgaze.ibs_annotated_op-1k.csv

if [ ! -e "$ops" ]; then
	echo "1..0 # SKIP no $ops: the recordings of real machines are not here"
	exit 0
fi
make -s -C "$here" O="$build" ${LINUX:+LINUX="$LINUX"} >&2 || {
	echo "not ok 1 - the decoder compiles outside of the kernel"
	echo 1..1
	exit 1
}
out=$("$build/decoder/decoder" silicon "$ops")
status=$?
grep -v '^1\.\.' <<<"$out"
n=$(grep -cE '^(not )?ok' <<<"$out")
missing=$(sed -n 's/^# |/|/p' <<<"$out" | grep -vxFf "$here/../../docs/develop/ibs.md")
if [ "$n" -gt 1 ] && [ -z "$missing" ]; then
	echo "ok $((n + 1)) - docs/develop/ibs.md has these numbers"
else
	echo "not ok $((n + 1)) - docs/develop/ibs.md has these numbers"
	[ -z "$missing" ] || sed 's/^/# not there: /' <<<"$missing"
	status=1
fi
echo "1..$((n + 1))"
exit $status
