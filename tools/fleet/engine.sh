#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# engine.sh FOLDER: installs the DuckDB library of package.json below FOLDER with npm, once.
# Exits with 77 and a reason where npm is not there or cannot install it.
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
library=$1/node_modules/@duckdb/node-bindings-linux-x64/libduckdb.so
[ ! -e "$library" ] || ! cmp -s "$here/package-lock.json" "$1/package-lock.json" || exit 0
command -v npm >/dev/null || { echo 'no npm, which installs DuckDB'; exit 77; }
mkdir -p "$1" || exit 1
cp "$here/package.json" "$here/package-lock.json" "$1" || exit 1
log=$(npm ci --prefix "$1" --ignore-scripts --no-audit --no-fund 2>&1) ||
	{ echo "npm cannot install DuckDB: $(tail -n 1 <<<"$log")"; exit 77; }
