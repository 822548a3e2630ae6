#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# long.sh BUILD [PART...]: what takes hours, in pieces of minutes, a boot each.  TAP.
# A piece that passed with this kernel and these programs is not done again, so it may
# be interrupted; MINUTES=N begins no piece after that time, JOBS=N does so many at once.
# Parts:
#	stress		1,000 runs while CPUs, memory blocks, CMA areas, large pages and
#			processes over their limit come and go, pages hinted all the time
#	fuzz		10,000,000 calls of page hints without sense
#	write		two hours of dirty bits taken every 50 ms under swap and writeback
#	dirty		two hours of them taken every 10 ms, with CPUs that run at once, NUMA
#			balancing, userfaultfd and mprotect
#	remap		10,000,000 pages moved under writers
#	dprof		ten minutes of samples, address set and histories at full rate while CPUs come
#			and go and a debugger has watchpoints
#	modules		10,000 times a strategy unloaded and loaded under traffic
#	decode		10,000,000 random instructions and registers through swmem's decoder
#	watch		100,000 intervals of memref watch while processes, control groups and memory
#			come and go
#	mutated		1,000,000 damaged inputs of each reader of the tools, on the host
# Stress, write, dirty and dprof on the kernel that checks itself, fuzz and decode on one with
# KASAN and little else, the others on that of the tests.
set -u
build=$(realpath -m "${1:?long.sh BUILD [PART...]}")
shift
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
log=$build/log/long
end=$((SECONDS + ${MINUTES:-100000} * 60))
jobs=${JOBS:-1}
n=0 failed=0 left=0 running=0
mkdir -p "$log"
# Ctrl-C does not reach what runs in the background.
trap 'trap - TERM; kill 0; exit 130' INT TERM

# What a result is of: the kernel, but for what only samples, and the programs.
state=$({ git -C "$build/linux" diff memscope-base -- mm include kernel arch/x86/mm arch/x86/kernel \
		':!*dprof*' && cat "$here"/../kernel-config/{base,vm,debug,kasan}.config &&
	cat "$build"/guest/bin/{page_hint_alloc,stress} \
		"$build"/guest/selftests/page_hint/{page_hint_remap,page_hints_stress}; } |
	sha256sum | cut -c 1-12)

# try NAME OUTPUT COMMAND...
try() {
	local name=$1 out=$2 begin=$SECONDS status
	shift 2
	"$@" >"$out.part" 2>"${out%.tap}.err"
	status=$?
	if [ $status -ne 0 ] || grep -q '^not ok' "$out.part"; then
		echo "not ok - $name (status $status, $((SECONDS - begin)) s): $out.part"
		grep -A3 '^not ok' "$out.part" | sed 's/^/# /'
		return 1
	fi
	mv "$out.part" "$out"
	echo "ok - $name"
}

await() {
	wait -n || failed=$((failed + 1))
	running=$((running - 1))
}

# piece NAME COMMAND...: unless it passed, or the time is over.
piece() {
	local name=$1 out=$log/$state-${1// /-}.tap
	shift
	if [ -e "$out" ]; then
		n=$((n + 1))
		echo "ok - $name"
		return
	fi
	[ $running -lt "$jobs" ] || await
	if [ "$SECONDS" -ge "$end" ]; then
		left=$((left + 1))
		return
	fi
	n=$((n + 1)) running=$((running + 1))
	try "$name" "$out" "$@" &
}

# guest KERNEL OPTIONS... -- COMMAND...: with all strategies loaded
guest() {
	local options=(--kernel "$1" --smp 2 --mem 1G --timeout 3000 --append panic_on_warn=0)
	shift
	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	shift
	"$here/run" "${options[@]}" -- sh -c 'cd /lib/modules/*/kernel/mm/page_hint/strategies &&
		for m in *.ko; do insmod $m || exit 1; done; exec "$@"' sh "$@"
}

# decode ROUNDS SEED: KUnit tests run when the kernel boots, and say what they did.
decode() {
	local console status
	console=$(mktemp "${TMPDIR:-/tmp}/memscope-decode.XXXXXX")
	"$here/run" --kernel kasan --console "$console" --timeout 3000 --append "kunit.enable=1 \
		kunit.filter_glob=swmem* decode_test.fuzz_rounds=$1 decode_test.fuzz_seed=$2" -- true
	status=$?
	grep -o '[0-9]* of [0-9]* random instructions.*' "$console"
	grep -q "of $1 random instructions access memory" "$console" || status=1
	rm -f "$console"
	return $status
}

[ $# -gt 0 ] || set -- dprof modules decode watch remap stress fuzz mutated write dirty
for part in "$@"; do
	case $part in
	stress)
		for i in {1..50}; do
			piece "stress $i of 50: 20 runs" guest debug --append cma=64M -- \
				env STRESS_RUNS=20 STRESS_SECONDS="${STRESS_SECONDS:-3}" page_hint_alloc stress "$i"
		done
		;;
	fuzz)
		for i in {1..50}; do
			piece "fuzz $i of 50: 200,000 calls" guest kasan -- page_hints_stress fuzz 200000 "$i" .
		done
		;;
	watch)
		state=$(cat "$build"/bin/memref <(git -C "$build/linux" diff memscope-base -- mm/memref) |
			sha256sum | cut -c 1-12) piece "watch: 100,000 intervals" "$here/tests/long/watch.t"
		;;
	mutated)
		for i in {0..9}; do
			for test in "$build"/tools/tests/test_mutated_*; do
				# Of the test alone, which has the readers in it.
				state=$(sha256sum <"$test" | cut -c 1-12) \
					piece "mutated $i of 10: ${test##*/}" env MEMSCOPE_MUTATIONS=100000 \
						MEMSCOPE_SEED=$((i * 100000 + 1)) "$test"
			done
		done
		;;
	write)
		for i in {1..12}; do
			piece "write $i of 12: 10 minutes" env MEMSCOPE_STRESS_MODE=write \
				MEMSCOPE_STRESS_SEED="$i" "$here/tests/debug/stress.t"
		done
		;;
	dirty)
		for i in {1..12}; do
			piece "dirty $i of 12: 10 minutes" env MEMSCOPE_STRESS_SECONDS=600 \
				MEMSCOPE_STRESS_SEED="$i" "$here/tests/debug/dirty.t"
		done
		;;
	remap)
		for i in {1..5}; do
			piece "remap $i of 5: 2,000,000 pages" guest vm --numa 2 -- page_hint_remap 2000000 "$i"
		done
		;;
	decode)
		decoder=$(git -C "$build/linux" rev-parse --short HEAD:arch/x86/events/swmem)
		for i in {1..5}; do
			piece "decode $i of 5: 2,000,000 instructions, swmem $decoder" decode 2000000 "$i"
		done
		;;
	dprof)
		# What samples is no part of the state of the others.
		state=$({ echo "$state" && git -C "$build/linux" diff memscope-base -- '*dprof*' arch/x86/events &&
				cat "$build"/guest/bin/kernel_load "$build"/guest/selftests/dprof/dprof_registers; } | sha256sum | cut -c 1-12) \
			piece "dprof: 10 minutes" env MEMSCOPE_DPROF_SECONDS=600 "$here/tests/debug/dprof.t"
		;;
	modules)
		for i in {1..5}; do
			piece "modules $i of 5: 2,000 loads" guest vm -- page_hints_stress modules 2000 .
		done
		;;
	*)
		echo "long.sh: no part $part" >&2
		exit 2
		;;
	esac
done
while [ $running -gt 0 ]; do
	await
done
echo "1..$n"
echo "# $((n - failed)) passed, $failed failed, $left not begun; logs in $log"
[ $failed -eq 0 ] && [ $left -eq 0 ]
