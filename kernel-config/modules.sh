#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# modules.sh LINUX OUTPUT ORACLE: builds the oracle's modules, which are no part of
# the series, and packs them with a kernel's modules, as installed, into
# OUTPUT/modules.cpio, which the guest gets beside its own files.
set -eu -o pipefail
linux=$1 output=$2 oracle=$3
root=$(mktemp -d "${TMPDIR:-/tmp}/memscope-modules.XXXXXX")
trap 'rm -rf "$root"' EXIT
# The archive's . is the guest's /, which users pass, too.
chmod 755 "$root"

PATH=$PATH:/usr/sbin:/sbin
# Kbuild leaves what it makes beside the source.
mkdir -p "$output/oracle-module/lib"
cp "$oracle"/module/* "$oracle"/objects.h "$output/oracle-module/"
cp "$oracle"/../../tools/lib/mark.h "$output/oracle-module/lib/"
kbuild() {
	make -s -C "$linux" O="$output" LOCALVERSION= INSTALL_MOD_PATH="$root" INSTALL_MOD_STRIP=1 "$@"
}
kbuild M="$output/oracle-module" modules
kbuild modules_install
kbuild M="$output/oracle-module" modules_install
# They refer to the trees that they were built from.
find "$root" -type l -delete
cd "$root"
find . -print0 | LC_ALL=C sort -z |
	cpio --quiet -o -0 -H newc -R 0:0 --reproducible >"$output/modules.cpio.tmp"
mv "$output/modules.cpio.tmp" "$output/modules.cpio"
