#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# guests.sh DIRECTORY: three guests, alpha, beta and gamma, as hosts with Performance Co-Pilot
# (guest/pcp_host.sh): DIRECTORY/HOST.0, .index and .meta are the archive that the guest's pmlogger
# wrote of what memref watch published, DIRECTORY/HOST.dat is trace-cmd's recording of the same.
# Alpha walks through directories, beta fills 64 MiB again and again, gamma reads a file.
# Exits with 77 and a reason where that cannot be.
set -eu -o pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=$(cd "${MEMSCOPE_BUILD:-$here/../build}" && pwd)
pcp=$build/unpacked
[ -x "$pcp/usr/lib/pcp/bin/pmcd" ] || { echo 'no pmcd (make unpacked)'; exit 77; }
[ -r /etc/pcp.conf ] || { echo 'no /etc/pcp.conf (pcp-conf)'; exit 77; }
[[ "$(/sbin/ldconfig -p)" = *libpcp_mmv.so.1* ]] || { echo 'no libpcp_mmv.so.1 (libpcp-mmv1)'; exit 77; }
[ $# -gt 0 ] || exit 0
mkdir -p "$1"
out=$(cd "$1" && pwd)
cp "$here/guest/pcp_host.sh" "$build/bin/memref" "$build/bin/pagetest" "$out"
loads=('while :; do ls -R /usr/share/doc >/dev/null; done'
	'pagetest --size 64M --iterations 100000 --sleep 50 >/dev/null'
	'dd if=/dev/zero of=/tmp/file bs=1M count=96 2>/dev/null; while :; do cat /tmp/file >/dev/null; sleep 0.1; done')
n=0
for name in alpha beta gamma; do
	# Guest time is that of its instructions: however busy the host is, pmlogger asks in time.
	"$here/run" --root host --mem 1G --share "$out" --timeout 900 --accel icount \
		--env PATH=/share:/usr/sbin:/usr/bin:/sbin:/bin -- \
		sh /share/pcp_host.sh "$name" "$pcp" "${INTERVALS:-5}" sh -c "${loads[n]}" >"$out/$name.log" 2>&1 || {
		echo "guests.sh: $name failed:" >&2
		tail -n 20 "$out/$name.log" >&2
		exit 1
	}
	n=$((n + 1))
done
rm -f "$out/pcp_host.sh" "$out/memref" "$out/pagetest"
