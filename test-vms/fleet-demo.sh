#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# fleet-demo.sh BUILD: three guests as hosts with Performance Co-Pilot: what the one that asks reads of
# their archives, beside memref report of the same intervals, and what pmie's rules find.
set -eu
build=$(cd "$1" && pwd)
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
export MEMSCOPE_BUILD=$build
echo '== Three guests'
if ! lacking=$("$here/guests.sh"); then
	echo "left out: $lacking"
	exit
fi
folder=$(mktemp -d "${TMPDIR:-/var/tmp}/memscope-guests.XXXXXX")
trap 'rm -rf "$folder"' EXIT
"$here/guests.sh" "$folder"
cp "$here/../tools/memref/memscope.pmie" "$folder"
cd "$folder"
# Debian's Python, for which pmrep's module is.
PATH=/usr/bin:/bin:$build/bin:$build/unpacked/usr/bin
show() { printf '\n$ %s\n' "$*"; "$@" 2>&1; }
for host in alpha beta gamma; do
	show pmrep -z -a $host -t 2sec -b MB mmv.memref.working_set_bytes
	show memref report wss $host.dat
	show pmie -z -a $host -t 2sec -c memscope.pmie | grep -v -e ' Info: ' -e 'timezone set'
done
