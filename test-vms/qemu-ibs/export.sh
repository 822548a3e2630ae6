#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# export.sh BUILD: writes the commits of BUILD/qemu-src/qemu to this directory.
# export.sh --same BUILD: succeeds if they are here as they are there.
set -eu
mode='export'
if [ "$1" = --same ]; then
	mode=same
	shift
fi
tree=$(realpath "$1")/qemu-src/qemu
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
tmp=$(mktemp -d "${TMPDIR:-/tmp}/memscope-patches.XXXXXX")
trap 'rm -rf "$tmp"' EXIT

git -C "$tree" -c core.abbrev=12 -c diff.algorithm=myers -c diff.noprefix=false \
	-c diff.mnemonicPrefix=false -c format.useAutoBase=false \
	format-patch -q --zero-commit --no-signature --no-numbered -N --no-stat -p \
	--no-renames --abbrev=12 -U3 --no-base --no-thread --no-attach --no-cover-letter \
	--no-to --no-cc -o "$tmp" memscope-base..HEAD
(cd "$tmp" && find . -name '*.patch' -printf '%f\n' | sort >series)
if [ $mode = same ]; then
	diff -r -q -x '*.sh' "$tmp" "$here" >/dev/null
	exit
fi
if [ -n "$(git -C "$tree" status --porcelain)" ] || [ ! -s "$tmp/series" ]; then
	echo "$tree has changes that are not committed, or no commits" >&2
	exit 1
fi
rm -f "$here"/*.patch
cp "$tmp"/* "$here/"
git -C "$tree" tag -f memscope-applied >/dev/null
cat "$here/series" "$here"/*.patch | sha1sum >"$tree/.git/memscope-series"
