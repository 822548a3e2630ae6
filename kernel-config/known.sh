#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# known.sh LINUX FRAGMENT...: prints the lines of fragments whose symbols this kernel has, to
# configure a kernel without the series.
set -eu -o pipefail
linux=$1
shift
awk 'NR == FNR { known["CONFIG_" $1]; next }
     match($0, /CONFIG_[A-Za-z0-9_]+/) && substr($0, RSTART, RLENGTH) in known' \
	<(git -C "$linux" grep -hE '^\s*(menu)?config [A-Z0-9_]' -- '*Kconfig*' | awk '{ print $2 }') \
	<(cat "$@")
