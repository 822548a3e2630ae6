# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# Runs in the guest: memref's files take what is right, refuse what is not and
# keep the old value then, and the sampler does what they say.  Prints TAP.
# shellcheck shell=dash
cd /sys/kernel/tracing || exit 1
n=0

# ok NAME STATUS
ok() {
	n=$((n + 1))
	if [ "$2" = 0 ]; then echo "ok $n - $1"; else echo "not ok $n - $1"; fi
}

# is NAME GOT WANTED
is() {
	[ "$2" = "$3" ]
	ok "$1" $?
	[ "$2" = "$3" ] || echo "# got '$2', not '$3'"
}

# The error of a write, or nothing.
put() {
	{ echo "$2" >"$1"; } 2>&1 | sed -n 's/.*write error: //p'
}

# refused FILE VALUE: EINVAL, and the old value stays.
refused() {
	old=$(cat "$1")
	is "$1: '$2' is refused" "$(put "$1" "$2")" 'Invalid argument'
	is "$1: and $old stays" "$(cat "$1")" "$old"
}

accepted() {
	is "$1: $2 is accepted" "$(put "$1" "$2")$(cat "$1")" "$2"
}

error() { { cat "$1" >/dev/null; } 2>&1 | sed 's/.*: //'; }
last() { grep memref_scan: trace | tail -n 1; }
field() { last | sed -n "s/.* $1=\([0-9a-fx]*\).*/\1/p"; }
flag() { [ $(($(field flags) & $1)) -ne 0 ]; }
harvest() { echo 1 >memref/scan; }
on() { echo >trace; echo 1 >events/memref/enable; }
off() { echo 0 >events/memref/enable; }

is 'default interval' "$(cat memref/interval_ms)" 1000
is 'default group: the memory block' "$(cat memref/group_kb)" \
	"$(($(printf %d "0x$(cat /sys/devices/system/memory/block_size_bytes)") / 1024))"
is 'default flush' "$(cat memref/flush)" 1
is 'default CPU budget' "$(cat memref/cpu_max)" 2
is 'default encoding' "$(cat memref/encoding)" group
is 'default tasks and virt' "$(cat memref/tasks memref/virt | tr '\n' ' ')" '0 0 '
is 'default fault_around' "$(cat memref/fault_around)" 0
is 'default cgroup' "$(cat memref/cgroup)" ''
is 'default write' "$(cat memref/write)" anon
is 'default kernel' "$(cat memref/kernel)" auto
is 'default children' "$(cat memref/children)" 0
is 'default pids' "$(cat memref_pid)" ''

for v in 0 10 3600000 1000; do accepted memref/interval_ms $v; done
for v in 9 3600001 -1 x '' '5 5' 1e3 99999999999; do refused memref/interval_ms "$v"; done
for v in 64 1048576 65536; do accepted memref/group_kb $v; done
for v in 63 32 2097152 96 0 x '' 65537; do refused memref/group_kb "$v"; done
for f in children tasks virt fault_around; do
	for v in 1 0; do accepted memref/$f $v; done
	for v in 2 -1 x ''; do refused memref/$f "$v"; done
done
for v in 0 2 1; do accepted memref/flush $v; done
for v in 3 -1 x ''; do refused memref/flush "$v"; done
for v in 100 2 0; do accepted memref/cpu_max $v; done
for v in 101 -1 x ''; do refused memref/cpu_max "$v"; done
for v in batch group; do accepted memref/encoding $v; done
for v in 0 groups ''; do refused memref/encoding "$v"; done
for v in anon all off; do accepted memref/write $v; done
for v in on off auto; do accepted memref/kernel $v; done
for v in 1 yes '' offf; do refused memref/write "$v"; refused memref/kernel "$v"; done
long=$(head -c 5000 /dev/zero | tr '\0' 1)
refused memref/interval_ms "$long"
echo 0 >memref/children

for f in seq bitmap_user bitmap_kernel bitmap_page_cache bitmap_write; do
	is "$f while off" "$(error memref/$f)" 'No data available'
done
is 'scan while off' "$(put memref/scan 1)" 'No data available'

# Selections.
sleep 1000 & a=$!
sleep 1000 & b=$!
is 'a pid' "$(put memref_pid $a)$(cat memref_pid)" "$a"
is 'no such process' "$(put memref_pid 999999)" 'No such process'
is 'and the old selection stays' "$(cat memref_pid)" "$a"
refused memref_pid "$b x"
refused memref_pid -5
refused memref_pid 0
echo $b >>memref_pid
is 'one more' "$(cat memref_pid | sort -n | tr '\n' ' ')" "$a $b "
: >memref_pid
is 'truncated: all' "$(cat memref_pid)" ''
echo "$a $b" >memref_pid
echo >memref_pid
is 'an empty line: all' "$(cat memref_pid)" ''

# On demand, and what is in force.
echo 0 >memref/interval_ms
on
harvest
is 'the first interval is 1' "$(cat memref/seq)" 1
is 'group_kb while on' "$(put memref/group_kb 64)" 'Device or resource busy'
is 'a bitmap has a bit for each page frame' \
	"$(($(wc -c <memref/bitmap_user) * 8 >= $(awk '/MemTotal/ { print int($2 / 4) }' /proc/meminfo)))" 1
flag 0x10; ok 'flagged: on demand' $?
[ "$(field kernel)" -gt 0 ]; ok 'kernel pages of all processes' $?
cp /bin/busybox /tmp/runs
su -s /bin/sh nobody -c 'cat /sys/kernel/tracing/memref/bitmap_user' >/dev/null 2>&1
[ $? -ne 0 ]; ok 'no bitmap for others' $?

echo $a >memref_pid
harvest
is 'one process selected' "$(field pids)" 1
flag 0x20; ok 'flagged: selected' $?
is 'no kernel pages of it' "$(field kernel)" 0
is 'it sleeps: no pages' "$(field user)" 0
echo on >memref/kernel
harvest
[ "$(field kernel)" -gt 0 ]; ok 'kernel pages when asked for' $?
echo auto >memref/kernel
kill $a
wait $a 2>/dev/null
sleep 0.2
harvest
flag 0x8; ok 'flagged: a selected process exited' $?
is 'none is left' "$(field pids)" 0
flag 0x20; ok 'which does not select all' $?
echo >trace
harvest
is 'nothing is reported then' "$(grep -c memref_log_data: trace)" 0

# Children, and threads' numbers.
echo 1 >memref/children
sh -c 'sleep 0.3; sleep 1000 & wait' & p=$!
echo $p >memref_pid
sleep 1
is 'a child is selected' "$(wc -l <memref_pid)" 2
echo 0 >memref/children
kill $p
# shellcheck disable=SC2046 # words
kill $(grep -v "^$p\$" memref_pid) 2>/dev/null
echo >memref_pid

# Who reads, who writes.
echo anon >memref/write
pagetest --size 8M --prefault --op read --iterations 3 --sleep 100 --scan --thp no >/tmp/read &
echo $! >memref_pid
wait $!
off
echo >memref_pid

# Times.
on
echo 10 >memref/interval_ms
first=$(cat memref/seq)
sleep 1
[ $(($(cat memref/seq) - first)) -ge 30 ]; ok 'intervals of 10 ms' $?
echo 3600000 >memref/interval_ms
first=$(cat memref/seq)
sleep 0.3
is 'and of an hour' "$(($(cat memref/seq) - first <= 1))" 1
off
echo 1000 >memref/interval_ms

# The budget: a harvest that costs more than 1 % of 10 ms makes longer intervals.
echo 1 >memref/cpu_max
echo 10 >memref/interval_ms
on
sleep 5
flag 0x40; ok 'flagged: stretched' $?
# The median of the intervals: the host may have had something else to do during some.
# Half as much again: a harvest may wait for others, which costs no CPU time.
grep memref_scan: trace | awk '
	{ for (i = 1; i <= NF; i++) { split($i, f, "="); v[f[1]] = f[2] } }
	v["seq"] > 1 { print 100 * (v["end"] - v["scan"]) / (v["end"] - v["begin"]) }' |
	sort -n | awk '
	{ share[NR] = $1 }
	END { share_pct = share[int((NR + 1) / 2)]
	      print "# " NR " intervals, " share_pct " % of each in the sampler"
	      exit !(NR > 3 && share_pct < 1.5) }'
ok 'the sampler keeps to 1 % of a CPU' $?
harvest
flag 0x40; [ $? -ne 0 ]; ok 'an interval on demand is not stretched' $?
off
echo 0 >memref/cpu_max

# Nodes: the memory there is, all of it of node 0.
echo 0 >memref/interval_ms
on
harvest
is 'the memory is of node 0' "$(grep -c 'memref_node: seq=1 node=0 start=0 ' trace)" 1
off

# Processes: one that wrote 4 MiB, 1024 pages, and what else it needs.
echo 1 >memref/tasks
echo anon >memref/write
on
pagetest --size 4M --prefault --iterations 1 --sleep 100000 --thp no >/tmp/out & p=$!
until [ -s /tmp/out ]; do sleep 0.1; done
harvest
harvest
grep "memref_task: seq=1 pid=$p comm=pagetest" trace | awk '
	{ for (i = 1; i <= NF; i++) { split($i, f, "="); v[f[1]] = f[2] } }
	END { exit !(NR == 1 && v["pages"] >= 1024 && v["pages"] < 1600 &&
		     v["written"] >= 1024 && v["written"] <= v["pages"] && v["rss"] >= 1024) }'
ok 'memref_task: pages, written, resident' $?
grep "memref_task: seq=2 pid=$p " trace | grep -q 'pages=0 written=0'
ok 'and nothing while it sleeps' $?
# No process ended in this interval: those have references in it, but no event.
sum=$(grep 'memref_task: seq=2 ' trace | sed 's/.*pages=\([0-9]*\) .*/\1/' | awk '{ s += $1 } END { print s }')
[ "$sum" -ge "$(grep 'memref_scan: seq=2 ' trace | sed 's/.* user=\([0-9]*\).*/\1/')" ]
ok 'the processes sum up to the user pages, or more: pages are shared' $?
echo 0 >memref/tasks

# Ages of both kinds look alike: the interval says which it is.
flag 0x800
[ $? = 1 ]
ok 'memref/fault_around: no flag' $?
echo 1 >memref/fault_around
harvest
harvest
flag 0x800
ok 'memref/fault_around: a flag' $?
echo 0 >memref/fault_around

# Where in the virtual memory: the piece of the heap, nothing of others.
kill $p
echo 1 >memref/virt
pagetest --size 4M --prefault --iterations 3 --sleep 300 --thp no --scan >/tmp/out & p=$!
echo $p >memref_pid
wait $p
is 'memref_virt is of the process selected' \
	"$(grep memref_virt: trace | grep -vc " pid=$p ")" 0
is 'and sums up to its pages' "$(grep memref_virt: trace | awk '
	{ for (i = 1; i <= NF; i++) { split($i, f, "="); v[f[1]] = f[2] } s[v["seq"]] += v["pages"] }
	END { for (i in s) if (s[i] > m) m = s[i]; print (m >= 1024 && m < 1600) }')" 1
# And of what: each mapping has the name that /proc/PID/maps has, and its own pages.  Of a long path the
# end, with newlines as they are there.
mkfifo /tmp/go /tmp/gone
long=/tmp/$(printf '%0130d' 0)
mkdir $long
memref_mappings "$long/map
ped" </tmp/go >/tmp/gone & p=$!
exec 3>/tmp/go 4</tmp/gone
file=$(echo "...$long/map\\012ped" | awk '{ print "..." substr($0, length($0) - 123) }')
# pages NAME: pages and pages written of what has the name.
pages() {
	of=$1 awk '/memref_vma:/ { sub(/.* name=/, ""); is = $0 == ENVIRON["of"] }
		/memref_virt:/ && is { for (i = 1; i <= NF; i++) { split($i, f, "="); v[f[1]] += f[2] } }
		END { print v["pages"] + 0, v["written"] + 0 }' trace
}
# number of memref_virt events that are not within the mapping that the last memref_vma names.
elsewhere() {
	awk 'function of(name) { return substr($0, index($0, " " name "=") + length(name) + 2) }
		function hex(text) { sub(/^0x/, "", text); sub(/ .*/, "", text); return substr("0000000000000000" text, length(text) + 1) }
		/memref_vma:/ { start = hex(of("start")); end = hex(of("end")); pid = of("pid") + 0; n++ }
		/memref_virt:/ { a = hex(of("addr")); if (a < start || a >= end || of("pid") + 0 != pid) bad++ }
		END { print (n ? bad + 0 : "no names") }' trace
}
echo $p >memref_pid
for flush in 1 2; do
	echo $flush >memref/flush
	echo -n x >&3; read -r _ <&4
	harvest
	harvest
	echo >trace
	echo -n x >&3; read -r _ <&4
	harvest
	cat /proc/$p/maps >/tmp/maps
	is "flush $flush: memref_vma is of the process selected" "$(grep memref_vma: trace | grep -vc " pid=$p ")" 0
	is 'its begin, end and name are those of /proc/PID/maps' "$(sed -n 's/.* start=0x\(.*\) end=0x\([^ ]*\) name=/\1-\2 /p' trace | awk '
		NR == FNR {
			n = NF; place = $1; sub(/^0+/, "", place); sub(/-0+/, "-", place); sub(/^([^ ]+ +){5}/, "")
			name[place] = n == 5 ? "[anon]" : length($0) < 128 ? $0 : "..." substr($0, length($0) - 123); next
		}
		FNR == 1 { n = 0 }
		{ place = $1; sub(/^[^ ]+ /, ""); if (name[place] != $0) print place, $0; n++ }
		END { print (n >= 5 ? "all" : n) }' /tmp/maps - | tr '\n' ' ')" 'all '
	is 'a file has its pages' "$(pages "$file")" '300 0'
	is 'and a memfd' "$(pages '/memfd:cache (deleted)')" '200 200'
	is 'memory without a name' "$(pages '[anon]' | cut -d' ' -f1)" 1000
	heap=$(pages '[heap]')
	[ "${heap% *}" -ge 700 ] && [ "${heap% *}" -lt 710 ]
	ok "the heap ($heap)" $?
	[ "$(pages '[stack]' | cut -d' ' -f1)" -ge 1 ]
	ok 'and the stack' $?
	is 'each page is of the mapping that was named last' "$(elsewhere)" 0
done
echo 1 >memref/flush
echo 0 >events/memref/memref_vma/enable
echo >trace
echo -n x >&3; read -r _ <&4
harvest
is 'without memref_vma enabled, there is none' "$(grep -c memref_vma: trace)" 0
[ "$(grep -c memref_virt: trace)" -gt 5 ]
ok 'but memref_virt' $?
exec 3>&- 4<&-
wait $p
rm -r /tmp/go /tmp/gone $long
echo 1 >events/memref/enable
echo >memref_pid
echo >trace
harvest
is 'none if no process is selected' "$(grep -c -e memref_virt: -e memref_vma: trace)" 0
echo 0 >memref/virt
echo off >memref/write
off

# A cgroup: those in it and below, and no others.
cg=/sys/fs/cgroup
mkdir -p $cg/outer/inner
is 'no such cgroup' "$(put memref/cgroup /none)" 'No such file or directory'
is 'a cgroup' "$(put memref/cgroup /outer)$(cat memref/cgroup)" /outer
echo 1 >memref/tasks
on
pagetest --size 4M --prefault --iterations 1 --sleep 100000 --thp no >/tmp/out & p=$!
pagetest --size 4M --prefault --iterations 1 --sleep 100000 --thp no >/tmp/out2 & q=$!
echo $p >$cg/outer/inner/cgroup.procs
until [ -s /tmp/out ] && [ -s /tmp/out2 ]; do sleep 0.1; done
harvest
is 'the process in the cgroup, only' \
	"$(grep 'memref_task: seq=1 ' trace | sed 's/.* pid=\([0-9]*\) .*/\1/' | tr '\n' ' ')" "$p "
flag 0x20; ok 'flagged: selected' $?
is 'no kernel pages of it' "$(field kernel)" 0
kill $p $q
wait $p $q 2>/dev/null
off
echo 0 >memref/tasks
is 'no cgroup again' "$(put memref/cgroup '')$(cat memref/cgroup)" ''
rmdir $cg/outer/inner $cg/outer

# Others that clear accessed bits, and pages that move.
on
harvest
echo 1 >/proc/$$/clear_refs
harvest
flag 0x100; ok 'flagged: clear_refs' $?
harvest
flag 0x100; [ $? -ne 0 ]; ok 'and not in the next interval' $?
if [ -e /sys/kernel/mm/page_idle/bitmap ]; then
	tr '\0' '\377' </dev/zero |
		dd of=/sys/kernel/mm/page_idle/bitmap bs=4k count=4 iflag=fullblock 2>/dev/null
	harvest
	flag 0x100; ok 'flagged: page_idle' $?
fi
if [ -e /proc/sys/vm/compact_memory ]; then
	pagetest --size 64M --prefault --iterations 1 >/dev/null
	echo 1 >/proc/sys/vm/compact_memory
	harvest
	# Compaction may find nothing to move.
	if [ "$(awk '/^pgmigrate_success/ { print $2 }' /proc/vmstat)" -gt 0 ]; then
		flag 0x200; ok 'flagged: pages moved' $?
	fi
fi
if [ -d /sys/kernel/mm/damon/admin ]; then
	cd /sys/kernel/mm/damon/admin/kdamonds || exit 1
	echo 1 >nr_kdamonds
	echo 1 >0/contexts/nr_contexts
	echo vaddr >0/contexts/0/operations
	echo 1 >0/contexts/0/targets/nr_targets
	echo $$ >0/contexts/0/targets/0/pid_target
	echo on >0/state
	cd /sys/kernel/tracing || exit 1
	harvest
	flag 0x80; ok 'flagged: DAMON' $?
	echo off >/sys/kernel/mm/damon/admin/kdamonds/0/state
	harvest
	harvest
	flag 0x80; [ $? -ne 0 ]; ok 'and not when it has stopped' $?
fi
block=$(ls -d /sys/devices/system/memory/memory* | tail -n 1)
if [ "$(cat $block/state)" = online ] && echo offline >$block/state 2>/dev/null; then
	harvest
	flag 0x400; ok 'flagged: memory was removed' $?
	echo online >$block/state
	harvest
	flag 0x400; ok 'flagged: memory was added' $?
fi
off

# Both encodings, one load: the same rows, as memref reads them (see formats.t);
# here, that one replaces the other.
echo 64 >memref/group_kb
echo batch >memref/encoding
on
harvest
is 'batch: no single groups' "$(grep -c memref_log_data: trace)" 0
[ "$(grep -c memref_batch: trace)" -gt 0 ]; ok 'batch: batches' $?
off
echo group >memref/encoding
echo 131072 >memref/group_kb

# Several users.
mkdir instances/a instances/b
echo 1 >instances/a/events/memref/enable
echo 1 >instances/b/events/memref/memref_scan/enable
echo 0 >instances/a/events/memref/enable
harvest
ok 'one of two users left: it goes on' $?
is 'both saw it' "$(grep -c memref_scan: instances/b/trace)" 1
echo 0 >instances/b/events/memref/memref_scan/enable
is 'the last one left: it stopped' "$(error memref/seq)" 'No data available'
rmdir instances/a instances/b

i=0
while [ $i -lt 50 ]; do
	on
	[ $((i % 5)) = 0 ] && harvest
	off
	i=$((i + 1))
done
is '50 starts and stops: no thread is left' "$(ps -o comm | grep -cx memref)" 0
is 'and no memory' "$(grep -c memref_ /proc/vmallocinfo)" 0

# Group sizes: the same pages, in more or fewer groups.
echo 0 >memref/interval_ms
for kb in 64 1048576; do
	echo $kb >memref/group_kb
	on
	harvest
	pagetest --size 16M --thp no --prefault >/dev/null
	harvest
	off
	is "groups of $kb KiB sum up" "$(grep memref_log_data: trace | awk -v seq="$(field seq)" '
		{ sub(/.*memref_log_data: /, "") } $1 == seq { u += $4; k += $3; p += $5 }
		END { print k, u, p }')" "$(field kernel) $(field user) $(field page_cache)"
done

# Writes: a file of one group's size that is read, then written.
echo 64 >memref/group_kb
echo anon >memref/write
cat >/tmp/rw.sh <<'EOF'
written() {
	grep memref_log_data: trace | awk -v seq=$1 '
		{ sub(/.*memref_log_data: /, "") }
		$1 == seq && $4 == 16 { all++; w += $6 == 1 }
		END { print all + 0, w + 0 }'
}
EOF
. /tmp/rw.sh
echo off >memref/kernel
for op in read write; do
	on
	pagetest --size 16M --op $op --thp no --prefault --iterations 2 --scan >/tmp/out
	off
	# shellcheck disable=SC2046 # words
	set -- $(written 4)
	[ "$1" -ge 200 ]; ok "$op: groups of 16 user pages: $1" $?
	if [ $op = read ]; then
		[ "$2" -le 5 ]; ok "read: next to none is written: $2" $?
	else
		[ "$2" -ge $(($1 - 5)) ]; ok "write: all are written: $2" $?
	fi
done
kill $b 2>/dev/null
echo "1..$n"
