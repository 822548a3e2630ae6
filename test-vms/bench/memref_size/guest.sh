#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# guest.sh VERB ...: in a guest of memref_size.sh, with the image of a workload in /dev/vda:
#   price                    the workload without a limit, and with too small a limit
#   best PROBES PEER...      the smallest limit with at most 2 % of slowdown, and what peers estimate
#   limit INTERVAL_MS OPTION...    the workload without a limit, with the one that memref size recommends with these,
#                            and with that which it finds by tries: three times each, in turns
# Prints lines for results.pl:
#   prices OPTION...         of limit
#   run NAME[.REPEAT] limit BYTES status ok|late|died ns N refaults N evicted N peak N kernel N took N
#   size LINE                memref size's, in CSV
#   tried LINE               the same, with the tries of --try
#   best BYTES               the smallest limit that was enough, and the largest that was not
#   wss PEER BYTES           the largest estimate between begin and end
# guest.sh run NAME LIMIT [PEER]: runs the workload once, in a control group of its own.
# guest.sh try: the same with $MEMREF_LIMIT, for memref size --try: prints the seconds that it took.
#
# A workload is a tree to change root to: work, and if it is a service, start, which alone
# is in the control group then; prepare, which is in none.  It writes "begin" and "end" to
# /marks/out, and waits for an answer from /marks/in.  Times and refaults are of what it does between.
# busybox's; words here are numbers and names
# shellcheck shell=dash disable=SC2013,SC2046,SC2086
set -e
export LC_ALL=C
self=$0
cg=/tmp/cg
damon=/sys/kernel/mm/damon/admin/kdamonds
lru_gen=/sys/kernel/debug/lru_gen

setup() {
	echo 0 >/proc/sys/kernel/randomize_va_space
	echo 192M >/sys/block/zram0/disksize
	mkswap /dev/zram0 >/dev/null
	swapon /dev/zram0
	# File systems on compressed memory, too: a page that is read again has a price that
	# does not depend on the host.
	[ "$(cat /sys/class/zram-control/hot_add)" = 1 ]
	echo $(($(cat /sys/block/vda/size) * 512)) >/sys/block/zram1/disksize
	dd if=/dev/vda of=/dev/zram1 bs=1M 2>/dev/null
	mkdir -p $cg /w
	mount -t ext4 -o noatime /dev/zram1 /w
	mount -t proc none /w/proc
	mount -t tmpfs none /w/tmp
	mount -o bind /dev /w/dev
	mount -t cgroup2 none $cg
	mount -t debugfs none /sys/kernel/debug 2>/dev/null || true
	echo +memory >$cg/cgroup.subtree_control
	mkfifo /w/marks/out /w/marks/in
}

now() { sed -n '/^now at/{s/.*at \([0-9]*\) .*/\1/p;q}' /proc/timer_list; }
evicted() { awk '$1 == "pgsteal" { print $2 }' $cg/$1/memory.stat; }
refaults() { awk '/^workingset_refault_/ { n += $2 } END { print n + 0 }' $cg/$1/memory.stat; }
kernel() { awk '/^kernel / { print $2 }' $cg/$1/memory.stat; }

# in_group NAME: the rest is run in the control group.
in_group() {
	(
		echo 0 >$cg/$1/cgroup.procs
		shift
		exec "$@"
	)
}

# --- peers: peer_begin PEER NAME, peer_look, peer_end ---

referenced() {
	for pid in $(cat $cg/$1/cgroup.procs); do
		cat /proc/$pid/smaps_rollup 2>/dev/null
	done | awk '/^Referenced:/ { n += $2 } END { print n * 1024 }'
}

# An aging walk of MGLRU moves what was accessed to the youngest generation, and then begins another one.
generation() {
	awk -v path=/$1 '$1 == "memcg" { found = $3 == path; next }
		$1 == "node" || !found { next }
		{ before = pages; pages = $3 + $4 }
		END { print (before + pages) * 4096 }' $lru_gen
}

age_generations() {
	awk -v path=/$1 '$1 == "memcg" { found = $3 == path; if (found) id = $2; next }
		found && $1 == "node" { node = $2; next }
		found { max = $1 }
		END { print "+", id, node, max, 1, 1 }' $lru_gen >/tmp/aging
	cat /tmp/aging >$lru_gen || { cat /tmp/aging $lru_gen >&2; }
}

damon_begin() {
	echo 1 >$damon/nr_kdamonds
	echo 1 >$damon/0/contexts/nr_contexts
	echo vaddr >$damon/0/contexts/0/operations
	pids=$(cat $cg/$1/cgroup.procs)
	echo $pids | wc -w >$damon/0/contexts/0/targets/nr_targets
	i=0
	for pid in $pids; do
		echo $pid >$damon/0/contexts/0/targets/$i/pid_target
		i=$((i + 1))
	done
	echo 1 >$damon/0/contexts/0/schemes/nr_schemes
	d=$damon/0/contexts/0/schemes/0
	echo stat >$d/action
	echo 1 >$d/access_pattern/nr_accesses/min
	for what in sz/max nr_accesses/max age/max; do
		echo 4294967295 >$d/access_pattern/$what
	done
	echo on >$damon/0/state
}

peer_begin() {
	case $1 in
	clear_refs) for pid in $(cat $cg/$2/cgroup.procs); do echo 1 >/proc/$pid/clear_refs; done ;;
	mglru) age_generations $2 ;;
	damon) damon_begin $2 ;;
	esac
}

peer_look() {
	case $1 in
	clear_refs) referenced $2 ;;
	damon) echo update_schemes_tried_bytes >$damon/0/state && cat $damon/0/contexts/0/schemes/0/tried_regions/total_bytes ;;
	esac
}

peer_end() {
	case $1 in
	mglru) age_generations $2; generation $2 ;;
	*) peer_look $1 $2 ;;
	esac
}

# --- a run ---

# The marks of a run, until it ends: sets status, ns, again and gone.
follow() {
	local mark from=0 before=0 evicted=0 looker=

	status=died ns=0 again=0 gone=0 kernel=0
	while read -r mark <&3; do
		case $mark in
		begin)
			[ -z "$2" ] || {
				: >/tmp/wss
				peer_begin $2 $1 || echo "# $2 does not begin"
				while sleep 0.1; do peer_look $2 $1; done >>/tmp/wss 2>/dev/null &
				looker=$!
			}
			before=$(refaults $1) evicted=$(evicted $1) kernel=$(kernel $1) from=$(now)
			;;
		end)
			ns=$(($(now) - from)) again=$(($(refaults $1) - before)) gone=$(($(evicted $1) - evicted)) status=ok
			[ $(kernel $1) -le $kernel ] || kernel=$(kernel $1)
			[ -z "$2" ] || {
				kill $looker 2>/dev/null || true
				# DAMON ends with the processes that it watches.
				peer_end $2 $1 >>/tmp/wss || echo "# $2 has no estimate at the end"
			}
			return
			;;
		late) status=late; return ;;
		exit) return ;;
		esac
		echo >&4
	done
}

# be_late SECONDS: says so then, unless it is ended.  What it leaves must not keep the pipes, or words in them stay
# for the next run.
be_late() {
	exec 3>&- 4>&-
	sleep $1 >/dev/null &
	trap 'kill $!; exit' TERM
	wait $! && echo late >/w/marks/out
}

# run NAME LIMIT [PEER]
run() {
	local i

	rm -rf /w/out
	mkdir /w/out $cg/$1
	[ ! -e /w/prepare ] || chroot /w sh /prepare
	sync
	echo 3 >/proc/sys/vm/drop_caches
	echo $2 >$cg/$1/memory.max
	exec 3<>/w/marks/out 4<>/w/marks/in
	started=$(now)
	if [ -e /w/start ]; then
		in_group $1 chroot /w sh /start >/dev/null 2>/tmp/start.err &
		for i in $(seq 100); do [ -e /w/out/socket ] || sleep 0.01; done
		(chroot /w sh /work >/dev/null 2>/tmp/work.err; echo exit >/w/marks/out) &
	else
		(in_group $1 chroot /w sh /work >/dev/null 2>/tmp/work.err; echo exit >/w/marks/out) &
	fi
	worker=$!
	[ ! -e /tmp/patience ] || {
		be_late $(cat /tmp/patience) &
		watch=$!
	}
	follow $1 $3
	took=$(($(now) - started))
	peak=$(cat $cg/$1/memory.peak)
	[ ! -e /tmp/patience ] || kill $watch 2>/dev/null || true
	echo "run $1 limit $2 status $status ns $ns refaults $again evicted $gone peak $peak kernel $kernel took $took"
	cat /tmp/work.err /tmp/start.err 2>/dev/null | head -n 5 | sed 's/^/# /'
	echo 1 >$cg/$1/cgroup.kill
	kill $worker 2>/dev/null || true
	echo >&4
	wait $worker 2>/dev/null || true
	exec 3>&- 4>&-
	until rmdir $cg/$1 2>/dev/null; do sleep 0.01; done
}

# The value after WORD in the line of a run.
of() { sed -n "s/^run $1 .* $2 \([^ ]*\).*/\1/p" /tmp/runs; }

# The first run of a boot takes less or more time than others: it does not count.
first() {
	setup
	run first max | tee /tmp/runs
	[ "$(of first status)" = ok ]
}

# Of a run that is to fail, no more is needed.
be_impatient() { of first took | awk '{ print $1 / 1e9 * 1.4 + 0.3 }' >/tmp/patience; }

# The time of three runs without a limit, the median, and how long others may take.
baseline() {
	local i

	for i in 1 2 3; do
		run free.$i max | tee -a /tmp/runs
		[ "$(of free.$i status)" = ok ]
	done
	allowed=$(($(for i in 1 2 3; do of free.$i ns; done | sort -n | sed -n 2p) * 102 / 100))
	peak=$(of free.1 peak)
}

# tried LIMIT: whether the workload runs with at most 2 % of slowdown, in two runs of three.
tried() {
	local is=0 not=0 i

	while [ $is -lt 2 ] && [ $not -lt 2 ]; do
		i=$((is + not + 1))
		run $1.$i $1 | tee -a /tmp/runs
		if [ "$(of $1.$i status)" = ok ] && [ $(of $1.$i ns) -le $allowed ]; then
			is=$((is + 1))
		else
			not=$((not + 1))
		fi
	done
	[ $is -eq 2 ]
}

best() {
	local low=0 high middle i

	first
	be_impatient
	baseline
	high=$peak
	for i in $(seq $1); do
		middle=$(((low + high) / 2 / 4096 * 4096))
		if tried $middle; then high=$middle; else low=$middle; fi
	done
	echo best $high $low
	rm /tmp/patience
	shift
	for peer; do
		[ $peer != mglru ] || echo y >/sys/kernel/mm/lru_gen/enabled
		run $peer max $peer
		sort -n /tmp/wss | tail -n 1 | sed "s/^/wss $peer /"
		[ $peer != damon ] || echo off >$damon/0/state || true
		echo n >/sys/kernel/mm/lru_gen/enabled
	done
}

limit() {
	local interval=$1 i

	shift
	echo "prices $*"
	first
	memref record --ages --fault-around --cpu-max 0 -i $interval -o /tmp/ages.dat -- sh $self run recorded max >/tmp/recorded
	grep '^run' /tmp/recorded | tee -a /tmp/runs
	cp /tmp/ages.dat /share/
	be_impatient
	# Kernel memory has no ages; and a CPU charges in advance (MEMCG_CHARGE_BATCH).
	set -- /tmp/ages.dat -G recorded --slowdown 2 "$@" --extra $(($(of recorded kernel) + 64 * 4096)) -f csv
	memref size "$@" -o /tmp/size
	sed 's/^/size /' /tmp/size
	memref size "$@" -o /tmp/found --try "sh $self try" --repeats 3 --precision 5 2>/tmp/says || { cat /tmp/says >&2; return 1; }
	sed 's/^/# /' /tmp/says
	sed 's/^/tried /' /tmp/found
	# In turns: what changes with time does so for all.
	for i in 1 2 3; do
		run free.$i max
		run estimate.$i $(limit_of /tmp/size)
		run found.$i $(limit_of /tmp/found)
	done
}

# The limit_bytes of memref size.
limit_of() { awk -F, 'NR == 1 { for (i = 1; i < NF && $i != "limit_bytes"; i++); } NR == 2 { print $i }' $1; }

# A run for memref size --try.
try() {
	run try.$MEMREF_LIMIT $MEMREF_LIMIT >/tmp/try
	awk '/^run/ { for (i = 3; i < NF; i += 2) v[$i] = $(i + 1) }
		END { if (v["status"] != "ok") exit 1; printf "%.6f\n", v["ns"] / 1e9 }' /tmp/try
}

price() {
	setup
	run free max | tee /tmp/runs
	run limited $(($(of free peak) * 45 / 100))
}

verb=$1
shift
$verb "$@"
