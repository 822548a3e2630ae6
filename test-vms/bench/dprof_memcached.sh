#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# dprof_memcached.sh [REQUESTS [MODE...]]: memcached answers requests over UDP from two clients,
# one on each CPU, while dprof records (docs/cases/memcached.md): one with two threads (MODE
# shared), or one on each CPU for the client there (local).  Needs Debian's memcached on the
# host.  Recordings and views are left in build/bench/memcached.
set -eu -o pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=${MEMSCOPE_BUILD:-$here/../../build}
build=$(cd "$build" && pwd)
out=$build/bench/memcached
requests=${1:-6000}
[ $# -eq 0 ] || shift
[ $# -gt 0 ] || set -- shared local
mkdir -p "$out"
command -v memcached >/dev/null || { echo "dprof_memcached.sh: install memcached" >&2; exit 1; }

# Of the host, /tmp is not there.
cp "$here/../guest/samples_ready" "$build/bin/dprof" "$out"
# Each client has 16 flows, and a request under way in each.
cat >"$out/client.pl" <<'END'
use strict;
use warnings;
use IO::Socket::INET;
my ($cpu, $requests, $port) = @ARGV;
my @flow = map { IO::Socket::INET->new(Proto => 'udp', PeerAddr => '127.0.0.1', PeerPort => $port,
				       LocalPort => 20000 + 16 * $cpu + $_) or die "$!\n" } 0 .. 15;
my $lost = 0;
for my $n (1 .. $requests / @flow) {
	# Number of the request, of the datagram, of datagrams, and nothing.
	$_->send(pack('n4', $n & 0xffff, 0, 1, 0) . "get key" . $n % 64 . "\r\n") for @flow;
	for my $s (@flow) {
		my $bits = '';

		vec($bits, fileno($s), 1) = 1;
		$lost++, next if !select($bits, undef, undef, 1);
		$s->recv(my $answer, 2048);
		die "answer: $answer\n" if $answer !~ /^.{8}VALUE key/s;
	}
}
print "client $cpu: $lost of $requests lost\n";
END
cat >"$out/load.sh" <<'END'
taskset -c 0 perl /share/client.pl 0 $1 11211 & taskset -c 1 perl /share/client.pl 1 $1 $2; wait
END

# Each recording is read under sanitizers, too.
export MEMSCOPE_READ=bench-dprof_memcached

# record MODE IBS OPTION... : what is recorded, for as long as the clients run
record() {
	"$here/../run" --qemu ibs --accel icount --ibs "$2" --smp 2 --mem 2G --root host \
		--share "$out" --timeout 3600 --append 'slab_nomerge hpet=disable sysctl.vm.mem_profiling=1' -- \
		sh -ec '
		PATH=/share:$PATH
		samples_ready
		requests=$1 mode=$2
		shift 2
		ip link set lo up 2>/dev/null || busybox ip link set lo up
		# Read what is needed of the host first.
		perl -MIO::Socket::INET -e 1
		second=11211
		if [ "$mode" = local ]; then
			second=11212
			for cpu in 0 1; do
				taskset -c $cpu memcached -u root -l 127.0.0.1 -p $((11211 + cpu)) \
					-U $((11211 + cpu)) -t 1 -m 16 &
			done
		else
			memcached -u root -l 127.0.0.1 -p 11211 -U 11211 -t 2 -m 16 &
		fi
		sleep 1
		for port in 11211 $second; do
			perl -MIO::Socket::INET -e '\''
				my $s = IO::Socket::INET->new("127.0.0.1:$ARGV[0]") or die "memcached: $!\n";
				for (0 .. 63) {
					print $s "set key$_ 0 0 1000\r\n" . "x" x 1000 . "\r\n";
					<$s> eq "STORED\r\n" or die;
				}'\'' $port
		done
		dprof record "$@" -- sh /share/load.sh "$requests" $second' sh "$requests" "$1" "${@:3}"
}

dprof=$build/bin/dprof
vmlinux=(--vmlinux "$build/kernel-vm/vmlinux")
for mode; do
	record "$mode" model=trace,slice=1000 -s ibs -c 4096 --types 'skbuff_head_cache :kmalloc_reserve UDP' \
		-H none -o "/share/$mode.dat"
	for view in profile classify workingset sharing; do
		"$dprof" report "$view" "$out/$mode.dat" "${vmlinux[@]}" >"$out/$mode-$view.txt"
		head -n 14 "$out/$mode-$view.txt" | cut -c 1-160
	done
done
[ "$1" = shared ] || exit 0
if [ -e "$out/local.dat" ]; then
	(cd "$out" && "$here/dprof_functions.pl" "$dprof" "$build/kernel-vm/System.map" shared.dat local.dat) |
		tee "$out/functions.md"
fi
"$dprof" plot assoc-sets "$out/shared.dat" -o "$out/assoc-sets.png" --type kmalloc-2k \
	"${vmlinux[@]}"
record shared slice=1000 -s ibs -c 262144 --types skbuff_head_cache -H skbuff_head_cache \
	--offsets '0,24 0,112 0,200 24,112 24,200 112,200' --max-ms 50 --cpu-share 0 --budget 2000 -o /share/histories.dat
for view in dataflow paths; do
	"$dprof" report "$view" "$out/histories.dat" --type skbuff_head_cache "${vmlinux[@]}" >"$out/$view.txt"
	head -n 14 "$out/$view.txt" | cut -c 1-160
done
"$dprof" plot dataflow "$out/histories.dat" -o "$out/dataflow.png" --type skbuff_head_cache "${vmlinux[@]}"
