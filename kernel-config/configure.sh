#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# configure.sh LINUX OUTPUT FRAGMENT...: configures a kernel from fragments, of which later
# ones override earlier ones, and checks that the configuration has the requested values.
set -eu
linux=$1 output=$2
shift 2
mkdir -p "$output"
asked=$output/.config.asked
cc=gcc
command -v "${CCACHE:-}" >/dev/null && cc="$CCACHE gcc"

# The last line about each symbol.
cat "$@" | sed -nE 's/^(CONFIG_[A-Z0-9_a-z]+)=.*/\1\t&/p; s/^# (CONFIG_[A-Z0-9_a-z]+) is not set/\1\t&/p' |
	awk -F'\t' '{ last[$1] = $2 } END { for (s in last) print last[s] }' | sort >"$asked"
make -C "$linux" O="$output" CC="$cc" HOSTCC="$cc" KCONFIG_ALLCONFIG="$asked" allnoconfig

missing=0
while read -r line; do
	case $line in
	'# '*)
		symbol=${line#\# }
		symbol=${symbol%% *}
		grep -qE "^$symbol=" "$output/.config" || continue ;;
	*)	grep -qxF "$line" "$output/.config" && continue ;;
	esac
	echo "configure: asked for, but not so: $line" >&2
	missing=1
done <"$asked"
exit $missing
