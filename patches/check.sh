#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# check.sh BUILD: checks the series by the rules for kernel submissions.  Prints TAP.
# FULL=N builds the tree after each patch from the Nth on; FULL=1: after all patches.
set -u
# Lists are compared as bytes.
export LC_ALL=C
build=$(realpath "$1")
linux=$build/linux
patches=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
log=$build/log/patches-check
rm -rf "$log"
mkdir -p "$log"
out=$build/patches-check
cc=gcc
command -v "${CCACHE:-}" >/dev/null && cc="$CCACHE gcc"
n=0 failed=0

# result NAME STATUS [LOG]
result() {
	n=$((n + 1))
	if [ "$2" -eq 0 ]; then
		echo "ok $n - $1"
	else
		failed=$((failed + 1))
		echo "not ok $n - $1"
		[ -z "${3:-}" ] || sed 's/^/# /' "$3" | head -n 30
	fi
}

"$patches/export.sh" --same "$build"
result "patches/ is what the tree has: it applies, without fuzz" $?

# The first patch adds the directories to MAINTAINERS; checkpatch does not see that when it
# checks the later ones.
checkpatch() {
	(cd "$linux" && scripts/checkpatch.pl --strict --show-types --summary-file --no-tree \
		--root=. --ignore FILE_PATH_CHANGES "$@") 2>&1
}

# All at once: half of the time that one patch takes, checkpatch reads its own lists.
mapfile -t series < <(grep -vE '^[[:space:]]*(#|$)' "$patches/series")
checkpatch "${series[@]/#/$patches/}" >"$log/checkpatch"
for patch in "${series[@]}"; do
	grep -qF "$patches/$patch total: 0 errors, 0 warnings, 0 checks" "$log/checkpatch"
	rc=$?
	[ $rc -eq 0 ] || checkpatch "$patches/$patch" >"$log/$patch.checkpatch"
	result "checkpatch --strict $patch" $rc "$log/$patch.checkpatch"
done

# test-vms/tests/selftests.t builds the user space files without warnings.
mapfile -t files < <(git -C "$linux" diff --name-only --diff-filter=AM memscope-base..HEAD \
	-- ":!tools/testing")
mapfile -t new < <(git -C "$linux" diff --name-only --diff-filter=A memscope-base..HEAD)

kmake() { make -s -C "$linux" O="$out" CC="$cc" HOSTCC="$cc" "$@"; }

# Compile the changed C files with sparse and all warnings, and ignore warnings that the files
# gave before the series.  Remove objects first: make would not compile them again.  A compiler
# cache with a base directory prints relative paths: ../linux/mm/slub.c.  The kernel's make drops
# LC_ALL: gcc quotes as the user's LANG has it.
warnings() {
	(cd "$out" && rm -f -- "${objects[@]}")
	kmake W=1 C=2 "${objects[@]}" 2>&1 |
		grep -E '(warning|error):' | sed -E "s#^($linux|(\.\./)+${linux##*/})/##; s|^\./||; s/:[0-9]+(:[0-9]+)?:/:/; s/‘|’/'/g" | sort -u
}

objects=()
for file in "${files[@]}"; do
	case $file in *.c) objects+=("${file%.c}.o") ;; esac
done
mkdir -p "$out"
cp "$build/kernel-vm/.config" "$out/.config"
kmake olddefconfig prepare >"$log/prepare" 2>&1
result "configured for sparse and W=1" $? "$log/prepare"
warnings >"$log/after"
comm -23 "$log/after" <(sort -u "$patches/base-warnings") | grep -vxFf "$patches/sparse-known" >"$log/new-warnings"
# Another compiler may give other warnings: compile the files of the base kernel, in a copy of the tree.
base=$build/patches-check-base
if [ -s "$log/new-warnings" ]; then
	git -C "$linux" worktree prune
	[ -d "$base" ] || git -C "$linux" worktree add -q --detach "$base" memscope-base
	(
		linux=$base out=$out-base
		mapfile -t objects < <(for o in "${objects[@]}"; do
			[ -e "$base/${o%.o}.c" ] && echo "$o"; done)
		mkdir -p "$out"
		cp "$build/kernel-vm/.config" "$out/.config"
		kmake olddefconfig prepare >/dev/null 2>&1
		warnings >"$log/before"
	)
	git -C "$linux" worktree remove --force "$base"
	comm -23 "$log/new-warnings" "$log/before" >"$log/not-before"
	mv "$log/not-before" "$log/new-warnings"
fi
[ ! -s "$log/new-warnings" ]
result "sparse and W=1 find nothing new in ${#objects[@]} files" $? "$log/new-warnings"

# Check that the objects exist: a failed build has no warnings, either.
missing=0
for o in "${objects[@]}"; do [ -e "$out/$o" ] || { echo "$o" >>"$log/missing"; missing=1; }; done
result "they were all compiled" $missing "$log/missing"

documented=()
for file in "${new[@]}"; do
	case $file in *.c | *.h) documented+=("$file") ;; esac
done
(cd "$linux" && scripts/kernel-doc -none -Wall "${documented[@]}") >"$log/kernel-doc" 2>&1
[ ! -s "$log/kernel-doc" ]
result "kernel-doc of ${#documented[@]} new files" $? "$log/kernel-doc"

if [ -n "${FULL:-}" ]; then
	each=$build/patches-each
	git -C "$linux" worktree prune
	[ -d "$each" ] || git -C "$linux" worktree add -q --detach "$each" memscope-base
	mkdir -p "$each-out"
	# Without debug information, which takes half of the time and does not affect the check.
	for commit in $(git -C "$linux" rev-list --reverse memscope-base..HEAD | tail -n "+$FULL"); do
		git -C "$each" checkout -q "$commit"
		cp "$build/kernel-vm/.config" "$each-out/.config"
		"$linux/scripts/config" --file "$each-out/.config" -d DEBUG_INFO_BTF \
			-d DEBUG_INFO_DWARF5 -e DEBUG_INFO_NONE
		make -s -C "$each" O="$each-out" CC="$cc" HOSTCC="$cc" olddefconfig >"$log/each" 2>&1 &&
		make -s -C "$each" O="$each-out" CC="$cc" HOSTCC="$cc" -j"${JOBS:-2}" bzImage \
			>>"$log/each" 2>&1
		result "builds: $(git -C "$linux" log -1 --format=%s "$commit")" $? "$log/each"
	done
	git -C "$linux" worktree remove --force "$each"
fi

echo "1..$n"
echo "# $((n - failed)) passed, $failed failed; logs in $log"
[ $failed -eq 0 ]
