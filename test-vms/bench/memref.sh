#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# memref and its peers: what they find and what they cost.  Numbers in build/bench/memref.json
# and judge.json; make results makes the tables of docs/results of them.
# PARTS="cost accuracy" measures these parts only, and leaves their output for a later run; LEFT="cost
# accuracy" as well, but not those that were measured of this tree.  Without these, it measures all that
# were not.  PARTS=size is memref_size.sh, which writes its numbers itself, and runs only by name.
set -eu -o pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=${MEMSCOPE_BUILD:-$here/../../build}
out=$build/bench
mkdir -p "$out"
# shellcheck source-path=SCRIPTDIR
. "$here/parts.sh"
# What a figure may depend on: kernel, QEMU, and what runs in guests.
parts_of "$out" memref '' kernel-config patches test-vms/Makefile test-vms/run test-vms/guest test-vms/qemu-ibs \
	test-vms/bench/Figures.pm 'test-vms/bench/memref*'

for name in ${PARTS:-${LEFT:-cost cold bytes slowdown reclaim zap locks accuracy hinting workers stop parts}}; do
	[ "$name" != size ] || { "$here/memref_size.sh"; continue; }
	if [ -z "${PARTS:-}" ] && is_measured "$name"; then
		echo "$name was measured of this tree" >&2
		continue
	fi
	# In icount mode a nanosecond of the guest is an instruction.
	case $name in
	accuracy | hinting) options=(--smp 2) ;;
	# The page tables of a terabyte are 2 GiB.
	cold) options=(--smp 1 --mem 4G --qemu-arg -icount --qemu-arg "shift=0,sleep=off") ;;
	workers) options=(--smp 2 --accel mttcg --mem 2G) ;;
	locks) options=(--smp 2 --qemu-arg -icount --qemu-arg "shift=0,sleep=off") ;;
	*) options=(--smp 1 --qemu-arg -icount --qemu-arg "shift=0,sleep=off") ;;
	esac
	echo "== memref_bench $name"
	"$here/../run" --mem 1G --timeout 3600 "${options[@]}" -- memref_bench "$name" | tee "$out/memref-$name.part"
	measured "$name" "$out/memref-$name.part"
	case $name in
	workers | stop | parts) "$here/memref_large.pl" "$build" "$name" ;;
	esac
done
[ -z "${PARTS:-}${LEFT:-}" ] || exit 0
echo "== memref against the oracle"
prove "$here/../tests/memref-oracle.t" "$here/../tests/selftests.t" :: memref
"$here/memref.pl" "$build"
"$here/judge.pl" "$build"
echo "The numbers are in $out/memref.json and judge.json; make results makes the tables of them."
