#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# modules.sh LINUX OUTPUT ORACLE: builds the oracle's modules, which are not part of the
# series, and packs them with the installed modules of the kernel into OUTPUT/modules.cpio,
# which is appended to the guest's image.
set -eu -o pipefail
linux=$1 output=$2 oracle=$3
root=$(mktemp -d "${TMPDIR:-/tmp}/memscope-modules.XXXXXX")
trap 'rm -rf "$root"' EXIT
# The archive's . becomes the guest's /, so it must be searchable by all users.
chmod 755 "$root"

PATH=$PATH:/usr/sbin:/sbin
# Build in a copy: Kbuild writes its output beside the source.
mkdir -p "$output/oracle-module/lib"
cp "$oracle"/module/* "$output/oracle-module/"
cp "$oracle"/../../tools/lib/mark.h "$output/oracle-module/lib/"
kbuild() {
	make -s -C "$linux" O="$output" LOCALVERSION= INSTALL_MOD_PATH="$root" INSTALL_MOD_STRIP=1 "$@"
}
kbuild M="$output/oracle-module" modules
kbuild modules_install
kbuild M="$output/oracle-module" modules_install
# Remove the links to the source and build trees.
find "$root" -type l -delete
cd "$root"
find . -print0 | LC_ALL=C sort -z |
	cpio --quiet -o -0 -H newc -R 0:0 --reproducible >"$output/modules.cpio.tmp"
mv "$output/modules.cpio.tmp" "$output/modules.cpio"
