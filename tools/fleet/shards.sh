#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# shards.sh BUILD FOLDER COMMAND...: runs COMMAND beside two ClickHouse servers, the shards of a cluster
# named shards, and ends them with it.  Each has a network namespace of its own, joined by a veth pair,
# of which COMMAND is in the first; where these cannot be made, the servers listen on loopback ports.
# COMMAND finds SHARD1 and SHARD2, http://HOST:PORT, and SHARD1_PID and SHARD2_PID.  The user reader,
# password secret, may only read.  The servers' files are in FOLDER.
# Exits with 77 and a reason where there is no server; shards.sh BUILD does that only.
set -eu
build=$1
for unpacked in "$build/unpacked" "$build/../unpacked" ''; do
	server=$unpacked/usr/sbin/clickhouse-server
	[ ! -x "$server" ] || break
done
[ -x "$server" ] || { echo 'no clickhouse-server (make unpacked; Debian 13 has none)'; exit 77; }
[ $# -gt 1 ] || exit 0
folder=$2
shift 2
# No request leaves the namespace.
unset http_proxy HTTP_PROXY all_proxy ALL_PROXY

# Once more, in a namespace.
if [ -z "${SHARDS_NET:-}" ]; then
	self=$(realpath "$0")
	for space in 'unshare --net' 'unshare --user --map-root-user --net'; do
		$space sh -c 'ip link add type veth && ip link set lo up' 2>/dev/null || continue
		# shellcheck disable=SC2086 # words
		SHARDS_NET=1 exec $space "$self" "$build" "$folder" "$@"
	done
	SHARDS_NET=0
fi

free_ports() {
	perl -MIO::Socket::INET -e '@s = map { IO::Socket::INET->new(Listen => 1, LocalAddr => "127.0.0.1") } 1 .. 4;
		print join " ", map { $_->sockport } @s'
}
end() { kill -KILL "${pids[@]}" 2>/dev/null || true; }
pids=()
trap end EXIT
inside=(env)
if [ "$SHARDS_NET" = 1 ]; then
	setpriv --pdeathsig KILL unshare --net sleep infinity &
	second=$!
	pids+=("$second")
	# The namespace is there when it is another.
	until [ "$(readlink "/proc/$second/ns/net")" != "$(readlink /proc/self/ns/net)" ]; do sleep 0.01; done
	inside=(nsenter "--net=/proc/$second/ns/net")
	ip link set lo up
	ip link add shard1 type veth peer name shard2
	ip link set shard2 netns "$second"
	ip addr add 192.0.2.1/30 dev shard1
	ip link set shard1 up
	"${inside[@]}" ip link set lo up
	"${inside[@]}" ip addr add 192.0.2.2/30 dev shard2
	"${inside[@]}" ip link set shard2 up
	host=(192.0.2.1 192.0.2.2) http=(8123 8123) tcp=(9000 9000)
else
	host=(127.0.0.1 127.0.0.1) http=() tcp=()
	read -r "http[0]" "http[1]" "tcp[0]" "tcp[1]" <<<"$(free_ports)"
fi

replica() { echo "<shard><replica><host>${host[$1]}</host><port>${tcp[$1]}</port></replica></shard>"; }
configure() {
	local at=$folder/shard$(($1 + 1))
	mkdir -p "$at/data" "$at/tmp"
	cat >"$at/config.xml" <<-end
		<yandex>
		<logger><level>warning</level><log>$at/log</log><errorlog>$at/log.errors</errorlog></logger>
		<listen_host>${host[$1]}</listen_host>
		<http_port>${http[$1]}</http_port>
		<tcp_port>${tcp[$1]}</tcp_port>
		<path>$at/data/</path>
		<tmp_path>$at/tmp/</tmp_path>
		<users_config>$at/users.xml</users_config>
		<default_profile>default</default_profile>
		<default_database>default</default_database>
		<mark_cache_size>268435456</mark_cache_size>
		<timezone>UTC</timezone>
		<remote_servers><shards>$(replica 0)$(replica 1)</shards></remote_servers>
		</yandex>
	end
	cat >"$at/users.xml" <<-end
		<yandex>
		<profiles>
		<default><max_memory_usage>4000000000</max_memory_usage></default>
		<reader><readonly>1</readonly></reader>
		</profiles>
		<users>
		<default><password></password><networks><ip>::/0</ip></networks><profile>default</profile><quota>default</quota></default>
		<reader><password>secret</password><networks><ip>::/0</ip></networks><profile>reader</profile><quota>default</quota></reader>
		</users>
		<quotas><default></default></quotas>
		</yandex>
	end
}

start() {
	local at=$folder/shard$(($1 + 1)) into=(env) pid i
	[ "$1" -eq 0 ] || into=("${inside[@]}")
	LD_LIBRARY_PATH=${server%/sbin/*}/lib/x86_64-linux-gnu \
		setpriv --pdeathsig KILL "${into[@]}" "$server" "--config-file=$at/config.xml" >"$at/out" 2>&1 &
	pid=$!
	pids+=("$pid")
	# No word of bash when it is killed.
	disown "$pid"
	export "SHARD$(($1 + 1))=http://${host[$1]}:${http[$1]}" "SHARD$(($1 + 1))_PID=$pid"
	for ((i = 0; i < 600; i++)); do
		! (exec 3<>"/dev/tcp/${host[$1]}/${http[$1]}") 2>/dev/null || return 0
		kill -0 "$pid" 2>/dev/null || break
		sleep 0.1
	done
	echo "shards.sh: a server does not start:" >&2
	tail -n 5 "$at/out" "$at/log.errors" >&2
	return 1
}

folder=$(realpath "$folder")
for i in 0 1; do configure $i; done
for i in 0 1; do start $i; done
status=0
"$@" || status=$?
exit $status
