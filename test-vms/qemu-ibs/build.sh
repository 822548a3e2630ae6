#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# build.sh BUILD [tree]: makes BUILD/qemu-ibs/qemu-system-x86_64: Debian's QEMU
# with the series beside this file, and only what the test VMs need.  With
# "tree" it stops at the source, BUILD/qemu-src/qemu: a Git tree with the series
# as commits.  Steps done are not redone.
set -eu -o pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=$(realpath -m "$1")
only=${2:-}
src=$build/qemu-src
tree=$src/qemu
out=$build/qemu-ibs
export GIT_AUTHOR_NAME=memscope GIT_AUTHOR_EMAIL=memscope@localhost
export GIT_COMMITTER_NAME=memscope GIT_COMMITTER_EMAIL=memscope@localhost
export GIT_AUTHOR_DATE='2026-01-01T00:00:00Z' GIT_COMMITTER_DATE='2026-01-01T00:00:00Z'
# QEMU wants the Python that Debian's meson was made for, whatever is first.
export PATH=/usr/bin:/bin:/usr/sbin:/sbin

# The source comes from the mirror that the system's packages come from, but
# most systems have no deb-src line: with lists of our own that needs no root.
# The series is for the QEMU of this release, also on a later Debian.
release=bookworm
fetch() {
	local mirror parts
	mkdir -p "$src/apt/lists/partial" "$src/apt/cache"
	# shellcheck disable=SC2016 # the names are apt's
	mirror=$(apt-get indextargets --format '$(REPO_URI) $(ORIGIN) $(COMPONENT)' \
		'Created-By: Packages' 2>/dev/null |
		awk '$2 == "Debian" && $3 == "main" && !/security/ { print $1; exit }')
	echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg]" \
		"${mirror:-http://deb.debian.org/debian} $release main" >"$src/apt/sources.list"
	parts=(-o "Dir::Etc::SourceList=$src/apt/sources.list" -o Dir::Etc::SourceParts=/dev/null
		-o "Dir::State::Lists=$src/apt/lists" -o "Dir::Cache=$src/apt/cache"
		-o APT::Sandbox::User=root)
	apt-get "${parts[@]}" update
	cd "$src"
	rm -f qemu_*
	apt-get "${parts[@]}" source --download-only "qemu/$release"
}

if [ ! -e "$tree/.git/memscope-unpacked" ]; then
	ls "$src"/qemu_*.dsc >/dev/null 2>&1 || fetch
	rm -rf "$tree"
	# apt has checked the signature; dpkg would want a keyring of developers.
	dpkg-source --no-check -x "$src"/qemu_*.dsc "$tree"
	cd "$tree"
	rm -rf .pc
	git init -q
	git config gc.auto 0
	git add -Af .
	git commit -q -m base
	git tag memscope-base
	git tag memscope-applied
	touch .git/memscope-unpacked
fi
cd "$tree"

# Work on the tree that is not in the series yet is never thrown away.
want=$(cat "$here/series" "$here"/*.patch | sha1sum)
if [ "$want" != "$(cat .git/memscope-series 2>/dev/null)" ]; then
	if ! "$here/export.sh" --same "$build"; then
		if [ "${FORCE:-0}" != 1 ] &&
		   { [ -n "$(git status --porcelain)" ] ||
		     [ "$(git rev-parse HEAD)" != "$(git rev-parse memscope-applied)" ]; }; then
			echo "$tree has work that is not in the series: export it with" >&2
			echo "$here/export.sh, or drop it with FORCE=1" >&2
			exit 1
		fi
		rm -rf .git/rebase-apply
		git reset -q --hard memscope-base
		while read -r patch; do
			echo "applying $patch"
			git am -q --committer-date-is-author-date "$here/$patch" || {
				git am --abort
				echo "$patch does not apply to QEMU $(cat VERSION)" >&2
				exit 1
			}
		done <"$here/series"
	fi
	git tag -f memscope-applied >/dev/null
	echo "$want" >.git/memscope-series
fi
[ "$only" != tree ] || exit 0

mkdir -p "$out"
cd "$out"
cc=gcc
command -v "${CCACHE:-}" >/dev/null && cc="$CCACHE gcc"
# The oracles look up functions of QEMU, as they can in Debian's build.
# meson itself sees when it has to configure anew; this is for our options.
configure=("$tree/configure" "--cc=$cc" "--host-cc=$cc" --cxx=false
	--target-list=x86_64-softmmu --without-default-features --enable-system --enable-tcg
	--enable-plugins --enable-fdt=system --enable-attr --enable-cap-ng --enable-virtfs
	--enable-membarrier --disable-werror --extra-ldflags=-rdynamic --meson=/usr/bin/meson
	--with-git-submodules=ignore --with-pkgversion=memscope-ibs)
if [ ! -e build.ninja ] || [ "${configure[*]}" != "$(cat .configured 2>/dev/null)" ]; then
	"${configure[@]}"
	echo "${configure[*]}" >.configured
fi
ninja -j"${JOBS:-$(nproc)}" qemu-system-x86_64
