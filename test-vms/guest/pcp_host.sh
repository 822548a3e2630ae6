#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# pcp_host.sh NAME PCP INTERVALS COMMAND...: a host with Performance Co-Pilot.  memref watch --mmv
# publishes, pmcd serves, and pmlogger writes the archive /share/NAME, ten times in an interval, until
# COMMAND has seen INTERVALS of them; beside it, trace-cmd records the same intervals as
# /share/NAME.dat.  PCP is where the unpacked package is; runs in a guest, with the host's files.
set -eu
name=$1 pcp=$2 intervals=$3
shift 3
at=/tmp/fleet
mkdir -p $at/run $at/log $at/tmp/mmv
PATH=$PATH:$pcp/usr/bin:$pcp/usr/lib/pcp/bin
ip link set lo up
sed -E "s|^PCP_(RUN\|LOG\|TMP)_DIR=.*|PCP_\1_DIR=$at/\L\1|; s|=(/usr/lib/pcp)|=$pcp\1|
	s|^(PCP_USER\|PCP_GROUP)=.*|\1=root|; s|^PCP_VAR_DIR=.*|PCP_VAR_DIR=$pcp/var/lib/pcp|
	s|^PCP_TMPFILE_DIR=.*|PCP_TMPFILE_DIR=$at/tmp|" /etc/pcp.conf >$at/pcp.conf
export PCP_CONF=$at/pcp.conf
pmnsmerge -f $pcp/usr/lib/pcp/pmns/root_pmcd $pcp/usr/lib/pcp/pmns/root_mmv $at/pmns
cat >$at/pmcd.conf <<END
pmcd 2 dso pmcd_init $pcp/usr/lib/pcp/pmdas/pmcd/pmda_pmcd.so
mmv 70 dso mmv_init $pcp/usr/lib/pcp/pmdas/mmv/pmda_mmv.so
END
pmcd -f -A -H "$name" -U root -c $at/pmcd.conf -n $at/pmns -l $at/log/pmcd -x $at/log/fatal &
memref watch -i 2s --group-size 1M --mmv 2>$at/log/watch &
watch=$!
until pminfo -h localhost -f mmv.memref.working_set_bytes 2>/dev/null | grep -q value; do sleep 0.2; done
echo 'log mandatory on 200 msec { mmv.memref }' >$at/pmlogger.conf
pmlogger -h localhost -U root -c $at/pmlogger.conf -l $at/log/pmlogger "/share/$name" &
logger=$!
until [ -s "/share/$name.0" ]; do sleep 0.2; done
seq() { cat /sys/kernel/tracing/memref/seq; }
trace-cmd record -q -e memref -o "/share/$name.dat" sh -c '
	seq() { cat /sys/kernel/tracing/memref/seq; }
	intervals=$1
	shift
	"$@" &
	first=$(seq)
	until [ $(($(seq) - first)) -ge "$intervals" ]; do sleep 0.2; done
	kill $! 2>/dev/null || :' sh "$intervals" "$@" >&2
# The last value is in the archive.
sleep 1
kill $logger
wait $logger || :
kill $watch
wait $watch || :
cat $at/log/watch
