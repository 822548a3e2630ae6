#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# The Debian packages: the kernel made from the guest's configuration boots,
# with its modules, and the tools install and run.
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
top=$here/../..
build=${MEMSCOPE_BUILD:-$top/build}
dir=$(mktemp -d "${TMPDIR:-/tmp}/memscope-deb.XXXXXX")
trap 'rm -rf "$dir"' EXIT
# What is in them matters here, not how small they are: xz takes a minute.
export DPKG_DEB_COMPRESSOR_TYPE=none
n=0
ok() {
	n=$((n + 1))
	[ "$1" = 0 ] && echo "ok $n - $2" || echo "not ok $n - $2"
}

"$top/kernel-config/deb.sh" "$build" vm >"$dir/log" 2>&1 && "$top/kernel-config/deb-tools.sh" "$build" >>"$dir/log" 2>&1
ok $? 'make deb CONFIG=vm'
sed 's/^/# /' "$dir/log"

image=$(ls "$build"/deb/linux-image-*.deb 2>/dev/null | head -n 1)
dpkg-deb -x "$image" "$dir/kernel"
ok $? "unpacked ${image##*/}"
vmlinuz=$(ls "$dir"/kernel/boot/vmlinuz-* | head -n 1)
release=${vmlinuz##*/vmlinuz-}
got=$("$here/../run" --kernel "$vmlinuz" -- sh -c 'uname -r; ls -d /sys/kernel/tracing/events/memref')
[ "$got" = "$release
/sys/kernel/tracing/events/memref" ]
ok $? "its kernel boots: $got"
[ -d "$dir/kernel/lib/modules/$release" ]
ok $? 'its modules are of the same release'

tools=$(ls "$build"/deb/memscope-tools_*.deb 2>/dev/null | head -n 1)
unpacked=0
for package in memscope-tools memscope-doc libpagealloc1 libpagealloc-dev libmemprof1; do
	dpkg-deb -x "$build/deb/$package"_*.deb "$dir/tools" || unpacked=1
done
ok $unpacked 'unpacked the packages of the tools'
"$dir/tools/usr/bin/memref" --version >/dev/null && "$dir/tools/usr/bin/pagetest" --version >/dev/null &&
	"$dir/tools/usr/bin/pagealloc" --version >/dev/null
ok $? 'its programs run'
dpkg-deb -f "$tools" Depends | grep -q libtracecmd1
ok $? 'it depends on the libraries it uses'
[ -e "$dir/tools/usr/share/memscope/plots/common.gp" ] && [ -e "$dir/tools/usr/share/man/man1/memref.1.gz" ]
ok $? 'it has the plots and the manual'
doc=$dir/tools/usr/share/doc/memscope-doc
[ -e "$doc/CONTRIBUTING.md" ] && [ -e "$doc/copyright" ] && [ ! -e "$doc/COPYING" ] && [ ! -e "$doc/LICENSES" ]
ok $? 'its documents name the licenses whose text Debian has'
lib=$dir/tools/usr/lib/$(dpkg-architecture -qDEB_HOST_MULTIARCH)
printf '#include <pagealloc.h>\nint main(void) { return pagealloc_open(-1, 0, 0) != -22; }\n' >"$dir/t.c"
# shellcheck disable=SC2046 # flags are words
gcc -o "$dir/t" "$dir/t.c" $(PKG_CONFIG_ALLOW_SYSTEM_LIBS=1 PKG_CONFIG_SYSROOT_DIR=$dir/tools \
	PKG_CONFIG_LIBDIR=$lib/pkgconfig pkg-config --cflags --libs libpagealloc) && LD_LIBRARY_PATH=$lib "$dir/t"
ok $? 'a program can be built with its libpagealloc'
echo "1..$n"
