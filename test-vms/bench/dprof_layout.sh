#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# dprof_layout.sh: whether an order of members that `dprof layout` advises removes the false sharing
# that it predicts.  For struct fs_struct: one thread writes umask, another resolves paths, which reads
# seq and pwd of the same line (case umask of guest/contention.c); nothing else of it is shared.  The
# case is recorded with emulated IBS, one op in PERIOD, emulator's seed 1; the kernel is built with the
# struct in the advised order; and the oracle of types counts all accesses of ROUNDS calls of each
# thread on both kernels, without dprof.  The oracle's words have 8 bytes, umask and seq are in one:
# misses of both kinds count.
# Prints misses by sharing and accesses now and then, what share of the misses went, and what was
# predicted, and writes these figures into build/bench/dprof.json.
# Needs root: the changed tree and kernel are mounted over the build's for this program alone, so
# that only what includes the header is compiled again.
set -eu -o pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=${MEMSCOPE_BUILD:-$here/../../build}
build=$(cd "$build" && pwd)
header=include/linux/fs_struct.h struct=fs_struct type=fs_cache case=umask
rounds=${ROUNDS:-12000} period=${PERIOD:-1024}

die() {
	echo "dprof_layout.sh: $*" >&2
	exit 1
}

guest() {
	"$here/../run" --accel icount --smp 2 --mem 1G --share "$dir" --timeout 3600 \
		--append 'slab_nomerge hpet=disable sysctl.vm.mem_profiling=1' "$@"
}

record() {
	guest --qemu ibs --ibs model=trace,slice=200,seed=1 -- sh -ec '
		samples_ready
		dprof record -s ibs -c "$1" --types none -H none -o /share/case.dat -- contention "$2" "$3" >/dev/null' \
		sh "$period" "$rounds" "$case"
}

# count NAME: what the oracle saw, NAME.truth, and which type is which, NAME.types
count() {
	guest --ibs slice=200 --qemu-arg -plugin \
		--qemu-arg "$build/guest/libtypes.so,out=$dir/$1.truth,cache=32768:8,misses=loads" -- sh -ec '
		modprobe oracle_objects
		echo all >/sys/kernel/tracing/dprof/types
		echo 1 >/sys/kernel/debug/oracle_objects
		oracle-phase contention "$2" "$3" >/dev/null
		echo 0 >/sys/kernel/debug/oracle_objects
		cat /sys/kernel/debug/oracle_objects >/share/$1.types' sh "$1" "$rounds" "$case"
}

# totals NAME: misses by true and by false sharing, and accesses, of the type
totals() {
	awk -v type="$type" 'FILENAME ~ /types$/ { is[$1] = $2 == type; next }
		$1 == "type" && is[$2] { n += $3 + $4; true_sharing += $6; false_sharing += $7 }
		END { print true_sharing + 0, false_sharing + 0, n + 0 }' "$dir/$1.types" "$dir/$1.truth"
}

# In a name space of its own.
overlay() {
	mkdir -p "$dir/$1.new" "$dir/$1.work"
	mount -t overlay overlay -o "lowerdir=$build/$1,upperdir=$dir/$1.new,workdir=$dir/$1.work" "$build/$1" ||
		die "a changed kernel cannot be mounted over $build/$1"
}

rebuilt() {
	overlay linux
	overlay kernel-vm
	cp "$dir/header" "$build/linux/$header"
	make -s -C "$build/linux" O="$build/kernel-vm" -j"$(nproc)" CC="${CCACHE:+$CCACHE }gcc" \
		HOSTCC="${CCACHE:+$CCACHE }gcc" LOCALVERSION= bzImage modules >"$dir/make" 2>&1 ||
		die "$struct in the advised order does not compile: $(tail -n 5 "$dir/make")"
	"$here/../../kernel-config/modules.sh" "$build/linux" "$build/kernel-vm" "$here/../oracle"
	pahole -C "$struct" "$build/kernel-vm/vmlinux" >"$dir/pahole"
	count advised
}

if [ "${1-}" = rebuilt ]; then
	dir=$2
	rebuilt
	exit
fi
[ "$(id -u)" -eq 0 ] || die "needs root, to mount a changed kernel over $build/kernel-vm"
dir=$(mktemp -d "${TMPDIR:-/tmp}/memscope-layout.XXXXXX")
trap 'rm -rf "$dir"' EXIT
advise=("$build/bin/dprof" layout "$type" "$dir/case.dat" --vmlinux "$build/kernel-vm/vmlinux")
record
"${advise[@]}" >"$dir/advice"
"${advise[@]}" -f json >"$dir/advice.json"
"$here/dprof_layout.pl" header "$build/linux/$header" "$struct" "$dir/advice.json" >"$dir/header"
count present
unshare -m --propagation private "$0" rebuilt "$dir"
"$here/dprof_layout.pl" check "$dir/pahole" "$struct" "$dir/advice.json"
grep '^false sharing: ' "$dir/advice" >&2
read -r -a now <<<"$(totals present)"
read -r -a after <<<"$(totals advised)"
read -r -a predicted <<<"$(sed -n 's/^false sharing: \([0-9.]*\) % .*(\([0-9.]*\) % saved).*/\1 \2/p' "$dir/advice")"
awk -v now="${now[*]}" -v after="${after[*]}" -v predicted="${predicted[*]}" 'BEGIN {
	split(now, a)
	split(after, b)
	split(predicted, p)
	if (a[1] + a[2] == 0 || !b[3] || p[2] == "") exit 1
	printf "{ \"layout_misses\" : %d, \"layout_accesses\" : %d, \"layout_misses_then\" : %d, \"layout_accesses_then\" : %d, \"layout_removed_pct\" : %.1f, \"layout_predicted_pct\" : %s, \"layout_share_pct\" : %.1f, \"layout_share_predicted_pct\" : %s }\n",
		a[1] + a[2], a[3], b[1] + b[2], b[3], 100 * (1 - ((b[1] + b[2]) / b[3]) / ((a[1] + a[2]) / a[3])), p[2],
		100 * (a[1] + a[2]) / a[3], p[1] }' >"$dir/figures"
cat "$dir/figures"
perl "$here/Figures.pm" "$build/bench/dprof.json" 'make bench-dprof PARTS=layout' \
	"two CPUs, slice=200; emulated IBS, model=trace, one op in $period, seed 1; fs_struct, $rounds calls of each thread" <"$dir/figures"
