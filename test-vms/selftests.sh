#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# selftests.sh BUILD: the kernel's own tests of memory management
# (tools/testing/selftests/mm), on the kernel without the series, with it but
# unused, and with every process of the tests hinted.  TAP: a test is one of
# theirs, and is ok if its result is the same in all three.
# JOBS=N: so many kernels at a time (default 1; 3 GiB and a CPU each).
# RUNS="vanilla hinted": these alone, of others the results that are there.
# Hinted is with 4 colors: of more, folios smaller than all of them together are refused
# (Documentation/admin-guide/mm/page_hints.rst), and tests of those have nothing to test.
set -u
build=$(realpath -m "${1:?selftests.sh BUILD}")
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
linux=$build/linux
out=$build/selftests
log=$build/log/selftests
mkdir -p "$out" "$log"

# khugepaged.c lacks an include for KSFT_SKIP; memory-failure tests have none here.
{
	make -s -C "$linux" O="$build/kernel-vm" headers &&
	make -k -s -C "$linux/tools/testing/selftests" O="$out" TARGETS=mm \
		USERCFLAGS=-DKSFT_SKIP=4 KHDR_INCLUDES="-isystem $build/kernel-vm/usr/include"
} >"$log/build.log" 2>&1
tests=$out/kselftest/mm
if [ ! -x "$tests/cow" ]; then
	tail -n 20 "$log/build.log" >&2
	exit 1
fi
cp "$linux"/tools/testing/selftests/mm/*.sh "$tests/"

# Emulation is slow: less to merge, and more time.  Unmerging is checked after one scan of
# ksmd, which may have begun before: on any kernel it fails now and then.
cat >"$tests/again.sh" <<'EOF'
#!/bin/sh
for try in 1 2 3 4 5 6 7 8 9; do
	"$@" >again.out 2>&1
	status=$?
	[ $status -ne 0 ] || break
done
cat again.out
exit $status
EOF
chmod +x "$tests/again.sh"
sed -i -e 's,\./ksm_tests -U,./again.sh &,' -e 's/\(ksm_tests.*\) -s 100/\1 -s 10 -l 1000/' "$tests/run_vmtests.sh"

# What takes hours under emulation, or needs what the guest does not have.
export ITEMS="mmap gup_test userfaultfd compaction mlock mremap madv_populate ksm ksm_numa
soft_dirty pagemap cow thp mkdirty mdwe hugetlb process_mrelease migration droppable"

# run NAME KERNEL COMMAND...
run() {
	local name=$1 kernel=$2
	shift 2
	"$here/run" --kernel "$kernel" --root host --smp 2 --mem 3G --timeout 6000 \
		--share "$tests" --append 'panic_on_warn=0 rcupdate.rcu_cpu_stall_suppress=1' -- \
		env ITEMS="$ITEMS" bash -c '
		echo 1G >/sys/block/zram0/disksize && mkswap /dev/zram0 >/dev/null &&
			swapon /dev/zram0 || exit 1
		cp -r /share /tmp/mm && cd /tmp/mm || exit 1
		"$@" ./run_vmtests.sh -n -t "$(echo $ITEMS)"; exit 0' bash "$@" \
		>"$log/$name.tap" 2>"$log/$name.err" || {
		echo "not ok - $name: the guest failed"
		tail -n 5 "$log/$name.err" | sed 's/^/# /'
		return 1
	}
	# A line a test: its name without what differs from run to run, the how manieth of that
	# name it is, and its result.
	sed -nE -e 's/^((not )?ok .* with )[0-9]+MB/\1some MB/' \
		-e 's/^(not )?ok [0-9]+ ([^#]*[^# ]|)( *# *(SKIP|exit=[0-9]+).*)?$/\2\t\1ok \4/p' \
		"$log/$name.tap" | awk -F'\t' -v OFS='\t' '{ $1 = $1 " (" ++n[$1] ")"; print }' \
		>"$log/$name.results"
	[ -s "$log/$name.results" ]
}

# begin NAME KERNEL COMMAND...: JOBS of them at a time
running=0 failed=0
begin() {
	case " ${RUNS:-vanilla unused hinted} " in *" $1 "*) ;; *) return ;; esac
	if [ $running -ge "${JOBS:-1}" ]; then
		wait -n || failed=1
		running=$((running - 1))
	fi
	run "$@" &
	running=$((running + 1))
}
begin vanilla "$build/kernel-vanilla/arch/x86/boot/bzImage" env
begin unused vm env
begin hinted vm sh -c 'echo colors:4 >/sys/kernel/mm/page_hint/color_function && exec "$@"' sh \
	"$build/bin/pagealloc" run --strategy coloring --
while [ $running -gt 0 ]; do
	wait -n || failed=1
	running=$((running - 1))
done
[ $failed -eq 0 ] || exit 1

n=0
while IFS=$'\t' read -r name result; do
	n=$((n + 1))
	unused=$(awk -F'\t' -v n="$name" '$1 == n { print $2; exit }' "$log/unused.results")
	hinted=$(awk -F'\t' -v n="$name" '$1 == n { print $2; exit }' "$log/hinted.results")
	if [ "$unused" = "$result" ] && [ "$hinted" = "$result" ]; then
		echo "ok $n - $name: $result"
	else
		echo "not ok $n - $name: without the series $result, unused ${unused:-none}, hinted ${hinted:-none}"
		failed=1
	fi
done <"$log/vanilla.results"
echo "1..$n"
exit $failed
