# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# recorder_faults.sh [PATTERN [PART PARTS]]: each call of the recorders that asks for memory, a file, a mapping,
# a process or a descriptor fails once (tools/made/faults/fail.c), in those built with the sanitizers.
# Either a message and status 1, with no output or one that can be read, or a recording as
# if nothing had been; all settings are as before.  PATTERN: only commands that match; PART of PARTS: only
# each PARTS-th of these calls.
# Prints a line for each command and for each fault that is not answered so;
# recorder-faults.t runs it.
# shellcheck shell=dash
tracing=/sys/kernel/tracing
only=${1:-.} part=${2:-0} parts=${3:-1}
# Beside these is the library that memprof has programs load.
bin=/usr/faults
export ASAN_OPTIONS=exitcode=66:allocator_may_return_null=1 UBSAN_OPTIONS=halt_on_error=1:exitcode=66
# A place is a call, whoever called the function that it is in.
export FAIL_CALLERS=1 TMPDIR=/tmp/temporary
mkdir -p $bin $TMPDIR /tmp/out /run/memscope /tmp/own && cp /share/faults/* $bin && cp /share/s.ini /tmp/own || exit 1

# A recording has an interval, however busy the host is.
cat >/tmp/own/intervals <<'END'
seq=/sys/kernel/tracing/memref/seq
until first=$(cat $seq 2>/dev/null); do sleep 0.01; done
until [ $(($(cat $seq) - first)) -ge 2 ]; do sleep 0.01; done
END

settings="tracing_on current_tracer uprobe_events trace_clock set_event_pid memref_pid
	events/memref/enable events/dprof/enable
	$(cd $tracing && printf '%s\n' memref/* dprof/* | grep -v -e stats -e known_types -e /seq -e /now -e bitmap -e harvest)"

# All that a recorder may change or leave.
state() {
	(cd $tracing && grep -s '' $settings; ls -A instances)
	ls -A /run/memscope /dev/shm $TMPDIR
	ls -d /tmp/memprof.* 2>/dev/null
	ps -o comm | grep -e ^dprof -e ^memprof -e ^memref -e ^memscope -e trace-cmd -e pagealloc
}

# attempt COMMAND...: status is set; /tmp/out has what it left, /tmp/err what it said.
attempt() {
	rm -rf /tmp/out $TMPDIR
	mkdir /tmp/out $TMPDIR
	# shellcheck disable=SC2145 # the program is the first word
	timeout -s KILL 60 $bin/"$@" >/tmp/said 2>/tmp/err </dev/null
	status=$?
}

# readable: what there is of an output, and that there is one.
readable() {
	case $1 in
	# Whole rows of tables.
	memref) if [ -d /tmp/out/r ]; then
			awk -F, 'FNR == 1 { n = NF } NF != n || !/^(1|schema),/ { bad = 1 } END { exit bad || !NR }' /tmp/out/r/*
			return
		fi
		memref report summary /tmp/out/r ;;
	dprof) dprof script /tmp/out/r ;;
	memprof) memprof report summary /tmp/out/r ;;
	memscope) memscope report /tmp/out/r ;;
	# What is there of it is gone on with.
	pagealloc) $bin/pagealloc bench run /tmp/own/s.ini -o /tmp/out/r ;;
	esac >/tmp/read 2>&1
}

# A program that ends in the middle leaves the rest to its guard, which takes a moment.
is_as_before() {
	for _ in $(seq 100); do
		state >/tmp/after
		cmp -s /tmp/before /tmp/after && return
		sleep 0.1
	done
	return 1
}

# wrong PROGRAM: prints what is wrong with how a command ended.
wrong() {
	if grep -q -e Sanitizer -e 'runtime error:' /tmp/err; then
		echo 'a report of the sanitizers'
	elif [ $status -gt 1 ]; then
		echo "status $status"
	elif ! is_as_before; then
		echo "left changed: $(diff /tmp/before /tmp/after | grep '^[-+<>]' | grep -v -e '^---' -e '^+++' | tr '\n' ' ')"
	elif [ $status = 1 ] && ! grep -q "^[a-z]*: ." /tmp/err; then
		echo 'no message'
	elif [ "$(ls -A /tmp/out)" != r ] && { [ $status = 0 ] || [ -n "$(ls -A /tmp/out)" ]; }; then
		echo "status $status, left: $(ls -A /tmp/out)"
	elif [ -e /tmp/out/r ] && ! readable "$1"; then
		echo "status $status, left what cannot be read: $(head -n 3 /tmp/read)"
	fi
}

# Whatever was left does not disturb the next.
clean() {
	for pid in $(ps -o pid,comm | awk '$2 ~ /^(dprof|memprof|memref|memscope|trace-cmd|pagealloc)/ { print $1 }'); do
		kill -KILL $pid 2>/dev/null
	done
	sleep 0.1
	(cd $tracing && echo 0 >events/memref/enable; echo 0 >events/dprof/enable; echo >uprobe_events) 2>/dev/null
	rm -rf /dev/shm/memprof.* /tmp/memprof.*
	attempt memprof record -c 100000 -o /tmp/out/r -- true
	state >/tmp/before
}

faults() {
	local program=$1 places=0 found=0
	echo "$*" | grep -q -e "$only" || return
	rm -f /tmp/list
	begun=$(cut -d. -f1 /proc/uptime)
	FAIL_LIST=/tmp/list attempt "$@"
	is=$(wrong $program)
	[ $status = 0 ] || is="$is status $status"
	if [ -n "$is" ]; then
		echo "not run: $*: $is"
		sed 's/^/# /' /tmp/err
		clean
		return
	fi
	while read -r place function callers; do
		case "$seen" in *$place*) continue ;; esac
		seen="$seen $place"
		# By what it is: each part sees the same ones, but not in the same order.
		[ $((0x${place#????????????} % parts)) -eq $part ] || continue
		places=$((places + 1))
		FAIL_AT=$place attempt "$@"
		is=$(wrong $program)
		[ -n "$is" ] || continue
		found=$((found + 1))
		echo "wrong|$program|$function $place|$callers|$is|$*|$(grep -e ^$program: -e Sanitizer -e runtime -e ' #[0-9]' /tmp/err | head -n 12 | tr '|\n' ' ;')"
		case $is in *left\ changed* | *status\ 137*) clean ;; esac
	done </tmp/list
	echo "places $places, wrong $found, $(($(cut -d. -f1 /proc/uptime) - begun)) s: $*"
}

seen=
# Not what they are by default: what is put back shows.
echo 0 >$tracing/tracing_on
echo 77 >$tracing/memref/interval_ms
echo 77777 >$tracing/dprof/period
echo kmalloc-96 >$tracing/dprof/types
state >/tmp/before

faults memref record -i 10 --group-size 64M --command-only -o /tmp/out/r -- sh /tmp/own/intervals
faults memref watch -i 10 --intervals 3 -o /tmp/out/r
faults dprof record -s swmem -c 500000 --types kmalloc-64 -H kmalloc-64 --offsets 0 -o /tmp/out/r -- true
faults memprof record -c 100000 -o /tmp/out/r -- memscope-caps --version
faults memprof record -c 100000 -A /lib/x86_64-linux-gnu/libc.so.6 --no-preload -o /tmp/out/r -- memscope-caps --version
faults pagealloc bench run /tmp/own/s.ini -o /tmp/out/r
faults memscope record --what refs,objects,types -s swmem -c 500000 -i 10 -o /tmp/out/r -- sh /tmp/own/intervals
echo 'to the end'
