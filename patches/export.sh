#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# export.sh BUILD: writes the commits of BUILD/linux to patches/; files of unchanged
# commits stay the same.
# export.sh --same BUILD: succeeds if patches/ has the commits of the tree.
# export.sh --sum BUILD: prints a checksum of patches/.
# export.sh --common BUILD: prints the last commit up to which the tree and patches/ agree.
set -eu
mode='export'
case $1 in --*) mode=${1#--}; shift ;; esac
linux=$(realpath "$1")/linux
patches=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
tmp=$(mktemp -d "${TMPDIR:-/tmp}/memscope-patches.XXXXXX")
trap 'rm -rf "$tmp"' EXIT

base=$(sed -n 's/^# base: *//p' "$patches/series")
sum() { (cd "$patches" && cat series ./*.patch | sha1sum | cut -d' ' -f1); }
[ "$mode" != sum ] || { sum; exit; }

# The bytes of a patch depend on the kernel that it applies to; patches/ has those for the
# primary base.  On another kernel, compare with what was last applied to the tree.
version=$(git -C "$linux" show memscope-base:Makefile |
	awk '$2 == "=" && /^(VERSION|PATCHLEVEL|SUBLEVEL)/ { v = v dot $3; dot = "." } END { print v }')
if [ "$version" != "$base" ]; then
	case $mode in
	same)
		[ "$(git -C "$linux" rev-parse HEAD)" = "$(cat "$linux/.git/memscope-applied" 2>/dev/null)" ] &&
			[ "$(sum)" = "$(cat "$linux/.git/memscope-applied-sum" 2>/dev/null)" ]
		exit
		;;
	common) git -C "$linux" rev-parse memscope-base; exit ;;
	export)
		echo "patches: $linux is Linux $version; patches are exported from $base only" >&2
		exit 1
		;;
	esac
fi

# The files must not depend on the machine, the time or the version of Git.  The header is
# for `reuse lint`: the tags in a patch are those of kernel files.
git -C "$linux" -c core.abbrev=12 -c diff.algorithm=myers -c diff.noprefix=false \
	-c diff.mnemonicPrefix=false -c format.useAutoBase=false \
	format-patch -q --zero-commit --no-signature --no-numbered -N --no-stat -p \
	--no-renames --abbrev=12 -U3 --no-base --no-thread --no-attach --no-cover-letter \
	--no-to --no-cc --add-header='X-REUSE: REUSE-IgnoreStart' \
	-o "$tmp" memscope-base..HEAD
{
	grep '^#' "$patches/series" || true
	cd "$tmp" && find . -name '*.patch' -printf '%f\n' | sort
} >"$tmp/series"

case $mode in
same)
	[ "$(git -C "$linux" rev-parse memscope-base)" != "$(git -C "$linux" rev-parse HEAD)" ] &&
		diff -r -q -x '*.sh' -x sparse-known -x base-warnings -x older -x decoder "$tmp" "$patches" >/dev/null
	;;
common)
	commit=$(git -C "$linux" rev-parse memscope-base)
	mapfile -t commits < <(git -C "$linux" rev-list --reverse memscope-base..HEAD)
	n=0
	while read -r patch; do
		cmp -s "$tmp/$patch" "$patches/$patch" || break
		commit=${commits[n]}
		n=$((n + 1))
	done < <(grep -v '^#' "$tmp/series")
	echo "$commit"
	;;
export)
	if [ -n "$(git -C "$linux" status --porcelain)" ]; then
		echo "patches: $linux has changes that are not committed" >&2
		exit 1
	fi
	if ! grep -qv '^#' "$tmp/series"; then
		echo "patches: $linux has no commits of the series" >&2
		exit 1
	fi
	if [ -e "$linux/.git/memscope-incomplete" ]; then
		echo "patches: the series was applied to $linux only in part." >&2
		echo "Apply the rest of it there with 'git am', and remove .git/memscope-incomplete." >&2
		exit 1
	fi
	changed=0
	for patch in "$patches"/*.patch; do
		[ -e "$tmp/${patch##*/}" ] || { rm -f "$patch"; echo "removed ${patch##*/}"; changed=1; }
	done
	for patch in "$tmp"/*; do
		cmp -s "$patch" "$patches/${patch##*/}" && continue
		cp "$patch" "$patches/"
		echo "wrote ${patch##*/}"
		changed=1
	done
	[ $changed = 1 ] || echo "patches/ is what the tree has"
	git -C "$linux" rev-parse HEAD >"$linux/.git/memscope-applied"
	touch "$linux/.memscope-series"
	;;
esac
