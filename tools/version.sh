#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# version.sh: prints the version of the source: of the commit, or of the archive.
cd "$(dirname "$0")/.." || exit 1
read -r release <VERSION
# An archive unpacked below another repository is not that one's.
if [ -e .git ]; then
	if tag=$(git describe --match 'v[0-9]*' --dirty 2>/dev/null); then
		echo "${tag#v}"
		exit
	elif commit=$(git describe --always --exclude '*' --dirty 2>/dev/null); then
		echo "$release-$(git rev-list --count HEAD)-g$commit"
		exit
	fi
fi
echo "$release"
