#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# fleet-demo.sh BUILD: three guests as hosts with Performance Co-Pilot: what the one that asks reads of
# their archives, beside memref report of the same intervals, and what pmie's rules find; then three
# made hosts (tools/fleet/demo.sh), and HOSTS (10,000) of them, as bench/fleet.sh.
set -eu
build=$(cd "$1" && pwd)
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
export MEMSCOPE_BUILD=$build
show() { printf '\n$ %s\n' "$*"; "$@" 2>&1; }

guests() {
	local folder host
	folder=$(mktemp -d "${TMPDIR:-/var/tmp}/memscope-guests.XXXXXX")
	# shellcheck disable=SC2064 # the folder of now
	trap "rm -rf '$folder'" EXIT
	"$here/guests.sh" "$folder"
	cp "$here/../tools/memref/memscope.pmie" "$folder"
	cd "$folder"
	# Debian's Python, for which pmrep's module is.
	PATH=/usr/bin:/bin:$build/bin:$build/unpacked/usr/bin
	for host in alpha beta gamma; do
		show pmrep -z -a $host -t 2sec -b MB mmv.memref.working_set_bytes
		show memref report wss $host.dat
		show pmie -z -a $host -t 2sec -c memscope.pmie | grep -v -e ' Info: ' -e 'timezone set'
	done
}

echo '== Three guests'
if lacking=$("$here/guests.sh"); then
	(guests)
else
	echo "left out: $lacking"
fi
printf '\n'
"$here/../tools/fleet/demo.sh" "$build"
printf '\n== %s hosts, made by replaying 20 recordings with noise\n' "${HOSTS:-10000}"
if lacking=$("$here/../tools/fleet/engine.sh" "$build/fleet"); then
	"$here/bench/fleet.sh" "$build" "${HOSTS:-10000}"
else
	echo "left out: $lacking"
fi
