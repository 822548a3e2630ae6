#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# bases.sh BUILD: checks that the series applies to the older kernels that patches/series
# names, and that the files it changes compile there.  Prints TAP.  Checks the oldest
# kernel; with FULL=1, all of them, and links whole kernels.  The sources are Debian packages.
set -u
build=$(realpath "$1")
patches=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
dir=$build/bases
log=$build/log/bases
mkdir -p "$dir" "$log"
cc=gcc
command -v "${CCACHE:-}" >/dev/null && cc="$CCACHE gcc"
n=0 failed=0

# result NAME STATUS [LOG]
result() {
	n=$((n + 1))
	if [ "$2" -eq 0 ]; then
		echo "ok $n - $1"
	else
		failed=$((failed + 1))
		echo "not ok $n - $1"
		[ -z "${3:-}" ] || tail -n 20 "$3" | sed 's/^/# /'
	fi
}

# Use private package lists, which need no root: of the releases whose kernel is 6.12, from
# the mirror of the system's packages.
apt=(-o "Dir::Etc::SourceList=$dir/sources.list" -o Dir::Etc::SourceParts=/dev/null
	-o "Dir::State::Lists=$dir/lists" -o "Dir::Cache=$dir/cache"
	-o Dir::State::status=/dev/null -o APT::Sandbox::User=root)
lists() {
	local mirror suite key=/usr/share/keyrings/debian-archive-keyring.gpg
	mkdir -p "$dir/lists/partial" "$dir/cache/archives/partial"
	# shellcheck disable=SC2016 # the names are apt's
	mirror=$(apt-get indextargets --format '$(REPO_URI) $(ORIGIN) $(COMPONENT)' \
		'Created-By: Packages' 2>/dev/null |
		awk '$2 == "Debian" && $3 == "main" && !/security/ { print $1; exit }')
	mirror=${mirror:-http://deb.debian.org/debian}
	for suite in bookworm trixie; do
		echo "deb [signed-by=$key] $mirror $suite main"
		echo "deb [signed-by=$key] ${mirror%/}-security $suite-security main"
	done >"$dir/sources.list"
	apt-get "${apt[@]}" update
}

# source_of VERSION: downloads Debian's source package and prints the name of its archive.
source_of() {
	local archive=$dir/$1.tar.xz package
	if [ ! -e "$archive" ]; then
		package=$(apt-cache "${apt[@]}" madison linux-source-6.12 |
			awk -v v="$1" '{ split($3, p, "-") } p[1] == v { print $3; exit }')
		[ -n "$package" ] || { echo "$1 is not served any more" >&2; return 1; }
		(cd "$dir" && apt-get "${apt[@]}" download "linux-source-6.12=$package") >&2 || return 1
		dpkg-deb --fsys-tarfile "$dir"/linux-source-6.12_*.deb |
			tar -xO ./usr/src/linux-source-6.12.tar.xz >"$archive.part" || return 1
		rm -f "$dir"/linux-source-6.12_*.deb
		mv "$archive.part" "$archive"
	fi
	echo "$archive"
}

# compile TREE: compiles the C files of the kernel that the series changes; with FULL, a kernel.
compile() {
	local tree=$1 out=$1-out what=(bzImage) file
	mkdir -p "$out"
	cp "$build/kernel-vm/.config" "$out/.config"
	"$tree/scripts/config" --file "$out/.config" -d DEBUG_INFO_BTF \
		-d DEBUG_INFO_DWARF5 -e DEBUG_INFO_NONE
	if [ -z "${FULL:-}" ]; then
		what=()
		while read -r file; do
			what+=("${file%.c}.o")
		done < <(git -C "$tree" diff --name-only --diff-filter=AM memscope-series..HEAD -- '*.c' ':!tools/')
	fi
	make -s -C "$tree" O="$out" CC="$cc" HOSTCC="$cc" olddefconfig prepare &&
		make -s -k -C "$tree" O="$out" CC="$cc" HOSTCC="$cc" -j"${JOBS:-2}" "${what[@]}"
}

read -r -a older <<<"$(sed -n 's/^# also: *//p' "$patches/series")"
[ -n "${FULL:-}" ] || older=("${older[@]:0:1}")
if ! lists >"$log/lists" 2>&1; then
	echo "1..0 # SKIP no package lists: $(tail -n 1 "$log/lists")"
	exit 0
fi
for version in "${older[@]}"; do
	if ! archive=$(source_of "$version" 2>"$log/$version.source"); then
		if grep -q 'not served' "$log/$version.source"; then
			n=$((n + 1))
			echo "ok $n - Linux $version # SKIP $(cat "$log/$version.source")"
		else
			result "Linux $version is downloaded" 1 "$log/$version.source"
		fi
		continue
	fi
	rm -rf "${dir:?}/$version"
	LINUX_SOURCE=$archive "$patches/tree.sh" "$dir/$version" >"$log/$version.tree" 2>&1
	rc=$?
	result "the series applies to Linux $version" $rc "$log/$version.tree"
	if [ $rc -eq 0 ]; then
		compile "$dir/$version/linux" >"$log/$version.build" 2>&1
		result "and builds there" $? "$log/$version.build"
	fi
	rm -rf "${dir:?}/$version"
done

# A source of another version must be refused before the tree is created.
unknown=$dir/unknown
rm -rf "$unknown"
mkdir -p "$unknown/linux-source-6.12"
printf 'VERSION = 6\nPATCHLEVEL = 12\nSUBLEVEL = 1\nkernelversion:\n\t@echo 6.12.1\n' \
	>"$unknown/linux-source-6.12/Makefile"
tar -C "$unknown" -cJf "$unknown/source.tar.xz" linux-source-6.12
LINUX_SOURCE=$unknown/source.tar.xz "$patches/tree.sh" "$unknown/build" >"$log/unknown" 2>&1
[ $? -eq 1 ] && grep -q 'source.tar.xz: this is Linux 6.12.1; the series is for' "$log/unknown" &&
	grep -q 'LINUX_SOURCE=FILE' "$log/unknown" && [ ! -e "$unknown/build/linux" ]
result "another kernel is refused, with what to do" $? "$log/unknown"
rm -rf "$unknown"

echo "1..$n"
echo "# $((n - failed)) passed, $failed failed; logs in $log"
[ $failed -eq 0 ]
