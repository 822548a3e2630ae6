# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# recorders.sh: ends dprof record and memprof record in each way that comes to mind, and
# looks whether all is as it was.  Prints TAP; recorders.t runs it.
# shellcheck shell=dash
# shellcheck disable=SC2046 # lists of processes are words
tracing=/sys/kernel/tracing
n=0
mkdir /tmp/out && cd /tmp || exit 1

result() {
	n=$((n + 1))
	[ "$1" = 0 ] && echo "ok $n - $2" || echo "not ok $n - $2"
}

# until_true COMMAND...: waits until it succeeds, for as long as a busy host may need.
until_true() {
	for _ in $(seq 600); do
		"$@" && return
		sleep 0.1
	done
	"$@"
}

# All that a recorder may change.  Which files are there is known by their names.
state() {
	cat $tracing/events/enable $tracing/instances/*/events/enable 2>/dev/null | sed 's/^/events /'
	(cd $tracing && grep -s '' tracing_on current_tracer uprobe_events trace_clock set_event_pid \
		$(printf '%s\n' dprof/* | grep -v -e stats -e known_types))
	grep -e '^running ' -e '^sampling ' -e '^history_slots ' $tracing/dprof/stats
	grep -s '' /proc/sys/kernel/perf_* /proc/sys/vm/mem_profiling
	echo "registers $(free_registers)"
	ls -d /dev/shm/memprof.* /tmp/memprof.* /tmp/out/*.* /run/memscope/* 2>/dev/null
	ps -o pid,comm | grep -e dprof -e memprof -e trace-cmd -e memscope-guard
}

# The guard of a killed recorder takes a moment; what must come to this is the same in the end.
is_as_before() {
	state >/tmp/after
	cmp -s /tmp/before /tmp/after
}

as_before() {
	until_true is_as_before
	result $? "$1: all is as it was"
	cmp -s /tmp/before /tmp/after || { diff /tmp/before /tmp/after; cat /tmp/err; } | sed 's/^/# /'
}

# whole NAME FILE [COMPLAINT]: no output, or one that can be read, with no other complaint.
whole() {
	case $1 in
	dprof:*) read='dprof script' ;;
	*) read='memprof report summary' ;;
	esac
	: >/tmp/err
	[ ! -e "$2" ] || $read "$2" >/tmp/read 2>/tmp/err || grep -q "${3:-no complaint}" /tmp/err
	result $? "$1: no file, or one that can be read"
	sed 's/^/# /' /tmp/err
}

# Of a recorder: its options, and what it is told to say that it runs.
dprof='dprof record -s swmem -c 2000000 --types kmalloc-* -H kmalloc-64 --offsets 0,8 --user -o'
memprof='memprof record -c 500000 -o'
uprobes='memprof record -c 500000 -A /lib/x86_64-linux-gnu/libc.so.6 -o'
load='echo $$ >/tmp/began; while :; do ls -R /sys/block >/dev/null; done'

wait_for_load() {
	until_true [ -s /tmp/began ]
	result $? "$1: runs"
	sleep 0.5
}

# begin RECORDER OUTPUT: in the background, in a session of its own; pid is set.
begin() {
	rm -f /tmp/began
	set -f
	setsid $1 "$2" -- sh -c "$load" >/tmp/said 2>/tmp/err &
	set +f
	pid=$!
	wait_for_load "$(echo "$1" | cut -d' ' -f1)"
}

end_load() {
	kill -KILL $(cat /tmp/began) 2>/dev/null
	wait $pid 2>/dev/null
}

# fails NAME STATUS COMMAND...: at once, and says something.
fails() {
	local name=$1 status=$2 is
	shift 2
	set -f
	"$@" >/tmp/said 2>/tmp/err
	is=$?
	set +f
	[ $is = $status ] && { [ $status -gt 1 ] || grep -q "^[a-z-]*: " /tmp/err; }
	result $? "$name: status $is"
	as_before "$name"
}

is_full() { [ "$(df /tmp/small | awk 'NR == 2 { print $4 }')" = 0 ]; }
guards() { ps -o pid,comm | awk '$2 ~ /memscope-guard/ { print $1 }'; }
tracers() { ps -o pid,comm | awk '$2 == "trace-cmd" { print $1 }'; }

# Not what they are by default: what is put back shows.
echo 0 >$tracing/tracing_on
echo 77777 >$tracing/dprof/period
echo 'kmalloc-96' >$tracing/dprof/types
printf 'kmalloc-32\nkmalloc-96\n' >$tracing/dprof/history_types
echo '0,16 8' >$tracing/dprof/history_offsets
echo 7 >$tracing/dprof/history_max
echo 50000 >/proc/sys/kernel/perf_event_max_sample_rate
# The kernel itself would lower the rate else.
echo 100 >/proc/sys/kernel/perf_cpu_time_max_percent
mkdir -p /run/memscope
state >/tmp/before
sed 's/^/# /' /tmp/before

mkdir /tmp/full /tmp/small
mount -t tmpfs -o size=64k tmpfs /tmp/full
cat /dev/zero >/tmp/full/zero 2>/dev/null

for tool in dprof memprof; do
	case $tool in dprof) record=$dprof ;; *) record=$memprof ;; esac
	set -f
	fails "$tool: no folder" 1 $record /tmp/nowhere/r -- true
	fails "$tool: a folder for a file" 1 $record /tmp/out -- true
	fails "$tool: a full disk" 1 $record /tmp/full/r -- true
	fails "$tool: no command" 127 $record /tmp/out/r -- no-such-command
	set +f
	rm -f /tmp/out/r
	as_before "$tool: no command, without its file"
	set -f
	fails "$tool: a command that dies" 139 $record /tmp/out/r -- sh -c 'kill -SEGV $$'
	set +f
	rm -f /tmp/out/r

	# A disk that gets full, a folder that goes, a limit on files.
	mount -t tmpfs -o size=128k tmpfs /tmp/small
	begin "$record" /tmp/small/r
	until_true is_full
	kill -TERM $pid
	end_load
	as_before "$tool: a disk that gets full"
	whole "$tool: a disk that gets full" /tmp/small/r
	umount /tmp/small

	mkdir /tmp/out/folder
	begin "$record" /tmp/out/folder/r
	rm -rf /tmp/out/folder
	kill -TERM $pid
	end_load
	as_before "$tool: a folder that is removed"

	for signal in INT TERM HUP QUIT KILL; do
		begin "$record" /tmp/out/r
		kill -$signal $pid
		# As the terminal does.
		case $signal in INT) kill -INT $(cat /tmp/began) ;; esac
		end_load
		as_before "$tool: SIG$signal"
		case $signal in
		QUIT | KILL) whole "$tool: SIG$signal" /tmp/out/r 'memprof: .*was not ended' ;;
		*) whole "$tool: SIG$signal" /tmp/out/r ;;
		esac
		rm -f /tmp/out/r
	done

	begin "$record" /tmp/out/r
	kill -KILL -$pid
	end_load
	rm -f /tmp/out/r
	as_before "$tool: SIGKILL of its process group"

	begin "$record" /tmp/out/r
	kill -KILL $(guards)
	kill -TERM $pid
	end_load
	rm -f /tmp/out/r
	as_before "$tool: SIGKILL of its guard, then the end"

	begin "$record" /tmp/out/r
	kill -KILL $(guards) $pid
	end_load
	rm -f /tmp/out/r
	memprof record -c 100000 -o /tmp/out/next -- true 2>/tmp/err
	rm -f /tmp/out/next
	as_before "$tool: SIGKILL of it and its guard, then another recorder"
done

# Before the first sample, the recording has not got its name.
busy=$load
load='echo $$ >/tmp/began; exec sleep 1000'
begin 'memprof record -c 4000000000 --no-preload -o' /tmp/out/r
load=$busy
ls /tmp/out/r.* >/dev/null && [ ! -e /tmp/out/r ]
result $? 'memprof: no sample yet'
kill -KILL $pid
end_load
as_before 'memprof: SIGKILL before the first sample'

# What only one of them has.
begin "$dprof" /tmp/out/r
kill -KILL $(tracers)
until_true grep -q '^running 0' $tracing/dprof/stats && until_true grep -q 'trace-cmd ended' /tmp/err
result $? "dprof: without trace-cmd, the kernel stops at once"
end_load
as_before 'dprof: SIGKILL of trace-cmd'
whole 'dprof: SIGKILL of trace-cmd' /tmp/out/r

begin "$dprof" /tmp/out/r
kill -KILL $(guards) $(tracers) $pid
end_load
memprof record -c 100000 -o /tmp/out/next -- true 2>/tmp/err
rm -f /tmp/out/next
as_before 'dprof: SIGKILL of it, its guard and trace-cmd, then another recorder'

begin "$dprof" /tmp/out/r
grep -s '' $tracing/dprof/period $tracing/dprof/types >/tmp/first
dprof record -c 1000000 --types 'kmalloc-8' -o /tmp/out/second -- true 2>/tmp/err
is=$?
[ $is = 1 ] && grep -q "process $pid:" /tmp/err
result $? "dprof: a second one is refused, the first one named"
grep -s '' $tracing/dprof/period $tracing/dprof/types | cmp -s - /tmp/first
result $? "dprof: and changes none of its settings"
kill -TERM $pid
end_load
[ -s /tmp/out/r ]
result $? 'dprof: which ends well'
rm -f /tmp/out/r
as_before 'dprof: a second one'

echo 1 >$tracing/events/dprof/dprof_alloc/enable
dprof record --types 'kmalloc-8' -o /tmp/out/second -- true 2>/tmp/err
[ $? = 1 ] && grep -q 'already enabled' /tmp/err
result $? 'dprof: events that others enabled are not disturbed'
[ "$(cat $tracing/events/dprof/dprof_alloc/enable)" = 1 ]
result $? 'dprof: and stay enabled'
echo 0 >$tracing/events/dprof/dprof_alloc/enable
as_before 'dprof: events of others'

set -f
fails 'dprof: a length that is none' 2 dprof record --types 'kmalloc-*' --length 3 -o /tmp/out/r -- true
fails 'dprof: no trace-cmd' 1 env PATH=/nowhere /usr/bin/dprof record --types 'kmalloc-*' -o /tmp/out/r -- /bin/true
fails 'dprof: nothing left after the first pass' 1 $dprof /tmp/out/r --first 5 --types auto -- true
set +f

begin "$uprobes" /tmp/out/r
grep -q memprof_$pid $tracing/uprobe_events
result $? 'memprof: uprobes are there'
kill -KILL $pid
end_load
rm -f /tmp/out/r
as_before 'memprof: SIGKILL with uprobes'

begin "$uprobes" /tmp/out/r
kill -KILL $(guards) $pid
end_load
rm -f /tmp/out/r
grep -q memprof_$pid $tracing/uprobe_events
result $? 'memprof: SIGKILL of its guard, too, leaves them'
memprof record -c 100000 -o /tmp/out/next -- true 2>/tmp/err
rm -f /tmp/out/next
as_before 'memprof: which the next recorder removes'

# A user's guard has its notes in memory.
chmod 755 /
chmod 777 /tmp /tmp/out /dev/shm
rm -f /tmp/began
echo "exec memprof record -c 100000 -o /tmp/out/r -- sh -c '$load'" >/tmp/nobody.sh
su -s /bin/sh nobody -c 'exec sh /tmp/nobody.sh' >/tmp/said 2>/tmp/err &
pid=$!
wait_for_load 'memprof of a user'
ls -d /dev/shm/memprof.* >/dev/null
result $? 'memprof: a user has a directory of buffers'
kill -KILL $pid
end_load
rm -f /tmp/out/r
as_before "memprof: SIGKILL of a user's"

set -f
fails "memprof: too few descriptors, a user's" 1 \
	su -s /bin/sh nobody -c "ulimit -n 9; exec $memprof /tmp/out/r -- true"
fails "memprof: root's limit of descriptors is raised" 0 sh -c "ulimit -n 9; exec $memprof /tmp/out/r -- true"
fails 'memprof: no such function' 1 memprof record -A /lib/x86_64-linux-gnu/libc.so.6 --alloc no_such -o /tmp/out/r -- true
fails 'memprof: more samples than perf allows' 1 memprof record -F 60000 -o /tmp/out/r -- true
set +f

# Of two recordings that are alike, one says what it has.
for more in '' -q; do
	# shellcheck disable=SC2086 # an option, or none
	memprof record $more -c 100000 -o "/tmp/out/r$more" -- true 2>"/tmp/said$more" || echo "status $?" >>"/tmp/said$more"
done
grep -q '^memprof: /tmp/out/r: [0-9]* samples' /tmp/said && [ ! -s /tmp/said-q ] && [ -s /tmp/out/r-q ]
result $? 'memprof: -q says nothing of a recording without a fault'
sed 's/^/# /' /tmp/said /tmp/said-q
rm -f /tmp/out/r /tmp/out/r-q
has_interval() {
	[ "$(cat $tracing/memref/seq 2>/dev/null || echo 0)" -gt 0 ]
}
for more in '' -q; do
	# shellcheck disable=SC2086 # an option, or none
	memref record $more -i 100 -o "/tmp/out/r$more" 2>"/tmp/said$more" &
	until_true has_interval
	kill -TERM $!
	wait $!
done
[ -s /tmp/out/r-q ] && grep -q '^memref: recording; Ctrl-C ends it$' /tmp/said && ! grep -q recording /tmp/said-q
result $? 'memref: -q does not say that it records'
sed 's/^/# /' /tmp/said-q
rm -f /tmp/out/r /tmp/out/r-q

# perf's limits are the administrator's: what they cost is said.
limits() {
	echo 25 >/proc/sys/kernel/perf_cpu_time_max_percent
	echo "$1" >/proc/sys/kernel/perf_event_max_sample_rate
	echo 100 >/proc/sys/kernel/perf_cpu_time_max_percent
}
limits 200
state >/tmp/limited
memprof record -c 100000 -o /tmp/out/r -- sh -c 'i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done' 2>/tmp/err
grep -q 'throttled by perf [1-9]' /tmp/err
result $? 'memprof: says that samples were throttled'
if grep -q '^samples_throttled ' $tracing/dprof/stats; then
	dprof record -s swmem -c 100000 --types none -H none -o /tmp/out/r -- ls -R /sys/block >/dev/null 2>/tmp/err
	grep -q 'perf throttled [1-9][0-9]* samples' /tmp/err
	result $? 'dprof: says that samples were throttled'
fi
rm -f /tmp/out/r
state | diff /tmp/limited - | sed 's/^/# /'
state | cmp -s /tmp/limited -
result $? 'the limits are as they were'
limits 50000
as_before 'throttled samples'

# tracefs elsewhere.
umount $tracing
mkdir -p /tmp/tracing
mount -t tracefs tracefs /tmp/tracing
set -f
$uprobes /tmp/out/r -- true 2>/tmp/err
result $? 'memprof: uprobes, with tracefs at another place'
set +f
umount /tmp/tracing
mount -t tracefs tracefs $tracing
rm -f /tmp/out/r
as_before 'memprof: tracefs at another place'

echo "1..$n"
