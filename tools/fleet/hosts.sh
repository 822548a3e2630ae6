#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# hosts.sh BUILD FOLDER COMMAND...: runs COMMAND beside three made hosts, alpha, beta and gamma, with
# Performance Co-Pilot, each in a network namespace of its own.  On a host, pmcd serves what the
# recording FOLDER/HOST.dat has, published as memref watch --mmv does: an interval for each line that
# is written to FOLDER/HOST/next; its number is in FOLDER/HOST/published.  Beside COMMAND, a pmlogger for
# each host writes the archive FOLDER/HOST/archive, ten times a second.  All ends with COMMAND.
# FOLDER/HOST/pmcd starts the host's pmcd again, whose process is ALPHA_PMCD, BETA_PMCD, GAMMA_PMCD.
# Exits with 77 and a reason where that cannot be; hosts.sh BUILD tests that only.
set -eu
build=$(realpath "$1")
for pcp in "$build/unpacked" "$build/../unpacked" ''; do
	[ ! -x "$pcp/usr/lib/pcp/bin/pmcd" ] || break
done
[ -x "$pcp/usr/lib/pcp/bin/pmcd" ] || { echo 'no pmcd (make unpacked)'; exit 77; }
[ -r /etc/pcp.conf ] || { echo 'no /etc/pcp.conf (pcp-conf)'; exit 77; }
[[ "$(/sbin/ldconfig -p)" = *libpcp_mmv.so.1* ]] || { echo 'no libpcp_mmv.so.1 (libpcp-mmv1)'; exit 77; }
spaces=(unshare --net --pid --fork --kill-child --mount-proc)
[ "$(id -u)" -eq 0 ] || spaces=(unshare --user --map-root-user "${spaces[@]:1}")
[ -n "${HOSTS_NET:-}" ] || "${spaces[@]}" sh -c 'ip link add type veth && ip link set lo up' 2>/dev/null ||
	{ echo 'no network namespaces'; exit 77; }
[ $# -gt 1 ] || exit 0
folder=$(realpath "$2")
shift 2
# Once more, in a namespace.
[ -n "${HOSTS_NET:-}" ] || HOSTS_NET=1 exec "${spaces[@]}" "$(realpath "$0")" "$build" "$folder" "$@"
ip link set lo up
export PATH=$PATH:$pcp/usr/bin:$pcp/usr/lib/pcp/bin
publish=$(find "$build/tools/tests/memref_publish" "$build/../tools/tests/memref_publish" -maxdepth 0 2>/dev/null | head -n 1)

# The configuration of a host, or of the one that asks: its own folders, and programs of the unpacked package.
configure() {
	mkdir -p "$folder/$1"/{run,log,tmp/mmv}
	sed -E "s|^PCP_(RUN\|LOG\|TMP)_DIR=.*|PCP_\1_DIR=$folder/$1/\L\1|; s|=(/usr/lib/pcp)|=$pcp\1|
		s|^(PCP_USER\|PCP_GROUP)=.*|\1=root|; s|^PCP_VAR_DIR=.*|PCP_VAR_DIR=$pcp/var/lib/pcp|
		s|^PCP_TMPFILE_DIR=.*|PCP_TMPFILE_DIR=$folder/$1/tmp|" /etc/pcp.conf >"$folder/$1/pcp.conf"
}

# until_there WHAT FILE COMMAND...: until COMMAND succeeds, for at most a minute
until_there() {
	local what=$1 log=$2 i
	shift 2
	for ((i = 0; i < 600; i++)); do
		! "$@" >/dev/null 2>&1 || return 0
		sleep 0.1
	done
	echo "hosts.sh: $what does not start:" >&2
	tail -n 5 "$log" >&2
	exit 1
}

start_host() {
	local name=$1 at=$folder/$1 us=192.0.2.$((4 * $2 + 1)) host=192.0.2.$((4 * $2 + 2)) space
	configure "$name"
	unshare --net sleep infinity &
	space=$!
	until [ "$(readlink "/proc/$space/ns/net")" != "$(readlink /proc/self/ns/net)" ]; do sleep 0.01; done
	ip link add "$name" type veth peer name "to$name"
	ip link set "to$name" netns "$space"
	ip addr add "$us/30" dev "$name"
	ip link set "$name" up
	nsenter "--net=/proc/$space/ns/net" sh -c "ip link set lo up; ip addr add $host/30 dev to$name; ip link set to$name up"

	pmnsmerge -f "$pcp/usr/lib/pcp/pmns/root_pmcd" "$pcp/usr/lib/pcp/pmns/root_mmv" "$at/pmns"
	cat >"$at/pmcd.conf" <<-end
		pmcd 2 dso pmcd_init $pcp/usr/lib/pcp/pmdas/pmcd/pmda_pmcd.so
		mmv 70 dso mmv_init $pcp/usr/lib/pcp/pmdas/mmv/pmda_mmv.so
	end
	mkfifo "$at/next"
	# Opened for writing as well: its end is that of all.
	PCP_CONF=$at/pcp.conf "$publish" "$folder/$name.dat" 0<>"$at/next" >"$at/published" 2>"$at/log/publish" &
	cat >"$at/pmcd" <<-end
		#!/bin/sh
		rm -f $at/run/pmcd.socket
		PCP_CONF=$at/pcp.conf exec nsenter --net=/proc/$space/ns/net pmcd -f -A -H $name -U root \\
			-c $at/pmcd.conf -n $at/pmns -l $at/log/pmcd -x $at/log/pmcd.fatal
	end
	chmod +x "$at/pmcd"
	"$at/pmcd" &
	export "${name^^}_PMCD=$!"
	# No word of bash when it is killed.
	disown $!
	echo first >"$at/next"
	until_there "the first value of $name" "$at/log/pmcd" pminfo -h "$host" -f mmv.memref.working_set_bytes
	echo 'log mandatory on 100 msec { mmv.memref }' >"$at/pmlogger.conf"
	# Not 10 s until a connection is given up, and 5 s or more until the next is tried.
	PMCD_REQUEST_TIMEOUT=2 PMCD_RECONNECT_TIMEOUT=1 \
		pmlogger -h "$host" -U root -c "$at/pmlogger.conf" -l "$at/log/pmlogger" "$at/archive" 2>"$at/log/pmlogger.err" &
	until_there "pmlogger of $name" "$at/log/pmlogger" test -s "$at/archive.0"
}

configure asks
export PCP_CONF=$folder/asks/pcp.conf
n=0
for name in alpha beta gamma; do
	start_host $name $n
	n=$((n + 1))
done
status=0
"$@" || status=$?
exit $status
