#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# tree.sh BUILD: creates BUILD/linux: Debian's kernel source with the series on top,
# as commits.  Stops if the tree has commits that are not in patches/, unless FORCE=1.
# patches/series names the kernels that the series is tested on; stops on another
# kernel, unless ANY_BASE=1.
set -eu
build=$(realpath -m "$1")
patches=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
linux=$build/linux
stamp=$linux/.memscope-series
source=${LINUX_SOURCE:-/usr/src/linux-source-6.12.tar.xz}
export GIT_AUTHOR_NAME=memscope GIT_AUTHOR_EMAIL=memscope@localhost
export GIT_COMMITTER_NAME=memscope GIT_COMMITTER_EMAIL=memscope@localhost
export GIT_AUTHOR_DATE='2026-01-01T00:00:00Z' GIT_COMMITTER_DATE='2026-01-01T00:00:00Z'

# The kernel versions that the series supports, the primary one first.
read -r -a bases <<<"$(sed -nE 's/^# (base|also)://p' "$patches/series" | tr '\n' ' ')"

# refuse_unknown VERSION: stops with instructions if VERSION is not a supported base.
refuse_unknown() {
	[[ " ${bases[*]} " != *" $1 "* && "${ANY_BASE:-0}" != 1 ]] || return 0
	cat >&2 <<-EOF
		$source: this is Linux $1; the series is for ${bases[*]}.
		Install one of these (apt-cache madison linux-source-6.12 lists the versions
		served; apt-get install --allow-downgrades linux-source-6.12=VERSION), name the
		archive of one with LINUX_SOURCE=FILE, or try this one with ANY_BASE=1.
	EOF
	rm -rf "$build/linux.unpacking"
	exit 1
}

if [ ! -e "$linux/.git/memscope-unpacked" ]; then
	[ -r "$source" ] || { echo "$source: not there (make deps)" >&2; exit 1; }
	rm -rf "$linux" "$build/linux.unpacking"
	mkdir -p "$build/linux.unpacking"
	tar -C "$build/linux.unpacking" --strip-components=1 -xf "$source"
	refuse_unknown "$(make -s -C "$build/linux.unpacking" kernelversion)"
	mv "$build/linux.unpacking" "$linux"
	cd "$linux"
	git init -q
	git config gc.auto 0
	echo '/.memscope-series' >>.git/info/exclude
	git add -Af .
	git commit -q -m base
	git tag memscope-base
	touch .git/memscope-unpacked
fi
cd "$linux"

mapfile -t series < <(grep -vE '^[[:space:]]*(#|$)' "$patches/series")

# The tree may match the series, or have commits that are not exported.
if ! "$patches/export.sh" --same "$build"; then
	applied=$(cat .git/memscope-applied 2>/dev/null || true)
	keep=$("$patches/export.sh" --common "$build")
	if [ "${FORCE:-0}" != 1 ] && [ "$(git rev-parse HEAD)" != "$keep" ] &&
	   [ "$(git rev-parse HEAD)" != "$applied" ]; then
		echo "$linux has commits that are not in patches/:" >&2
		echo "export them with 'make patches', or drop them with FORCE=1." >&2
		exit 1
	fi
	if [ -n "$(git status --porcelain)" ] && [ "${FORCE:-0}" != 1 ]; then
		echo "$linux has changes that are not committed: commit them, or use FORCE=1." >&2
		exit 1
	fi
	rm -rf .git/rebase-apply
	# Keep the commits whose patches did not change, so that little is rebuilt.
	git reset -q --hard "$keep"
	n=$(git rev-list --count memscope-base.."$keep")
	# First apply the fixes of later 6.12.y that the series needs, where they are missing.
	for patch in "$patches"/older/*.patch; do
		[ "$(make -s kernelversion)" != "${bases[0]}" ] &&
			git apply --check "$patch" 2>/dev/null ||
			continue
		echo "applying older/${patch##*/}"
		git am -q --committer-date-is-author-date "$patch"
	done
	git tag -f memscope-series "$([ "$n" -eq 0 ] && echo HEAD || echo memscope-base)" >/dev/null
	# Forbid export.sh until the last patch is applied.
	printf '%s\n' "${series[@]:n}" >.git/memscope-incomplete
	for patch in "${series[@]:n}"; do
		echo "applying $patch"
		# No fuzz: git am takes none without -3.  Only documentation may stand
		# beside other lines than it was written beside.
		am=(git am -q --committer-date-is-author-date)
		grep '^diff --git' "$patches/$patch" | grep -qv '^diff --git a/Documentation/' ||
			am+=(-C1)
		if ! "${am[@]}" "$patches/$patch"; then
			git am --abort || true
			echo "patches/$patch does not apply to $(make -s kernelversion)" >&2
			exit 1
		fi
	done
fi
rm -f .git/memscope-incomplete
git rev-parse HEAD >.git/memscope-applied
"$patches/export.sh" --sum "$build" >.git/memscope-applied-sum
touch "$stamp"
