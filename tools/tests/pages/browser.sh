#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# browser.sh FOLDER: installs what drives a browser, by package.json, below FOLDER with npm, once.
# Exits with 77, a reason and what to do where node, npm or chromium are not there.
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
for program in chromium node npm; do
	command -v $program >/dev/null ||
		{ echo "no $program: apt-get install chromium nodejs npm"; exit 77; }
done
[ ! -d "$1/node_modules/axe-core" ] || ! cmp -s "$here/package-lock.json" "$1/package-lock.json" || exit 0
mkdir -p "$1" || exit 1
rm -f "$1/package-lock.json"
cp "$here/package.json" "$1" || exit 1
# The copy of the lock is what says that the installation is complete.
cp "$here/package-lock.json" "$1/package-lock.json" || exit 1
log=$(npm ci --prefix "$1" --ignore-scripts --no-audit --no-fund 2>&1) || {
	rm -rf "$1/node_modules" "$1/package-lock.json"
	echo "npm ci in $here cannot install: $(tail -n 1 <<<"$log")"
	exit 77
}
