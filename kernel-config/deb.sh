#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# deb.sh BUILD [CONFIG]: Debian packages of the patched kernel and of the
# tools, in BUILD/deb.  CONFIG is a kernel configuration, to which base.config
# is added; vm: that of the guest; nothing: the running machine's.
set -eu -o pipefail
build=$1 config=${2:-}
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
linux=$build/linux
deb=$build/deb
mkdir -p "$deb"
cc=gcc
command -v ccache >/dev/null && cc='ccache gcc'

if [ -z "$config" ]; then
	if [ -r "/boot/config-$(uname -r)" ]; then
		config=/boot/config-$(uname -r)
	elif [ -r /proc/config.gz ]; then
		config=$build/running.config
		zcat /proc/config.gz >"$config"
	else
		echo "deb: no configuration of the running kernel found: give CONFIG=file" >&2
		exit 1
	fi
fi

if [ "$config" = vm ]; then
	# What is built already is packaged.
	out=$build/kernel-vm
	[ -e "$out/.built" ] || make -C "$top" --no-print-directory B="$build" kernel
else
	[ -r "$config" ] || { echo "deb: $config: cannot be read" >&2; exit 1; }
	out=$build/kernel-deb
	mkdir -p "$out"
	# Debian's certificates are not for a private kernel; of debug symbols, what
	# base.config asks for.
	sed -e 's/^CONFIG_SYSTEM_TRUSTED_KEYS=.*/CONFIG_SYSTEM_TRUSTED_KEYS=""/' \
	    -e 's/^CONFIG_MODULE_SIG_KEY=.*/CONFIG_MODULE_SIG_KEY="certs\/signing_key.pem"/' \
	    -e '/^CONFIG_DEBUG_INFO/d' "$config" >"$out/.config.given"
	{
		cat "$out/.config.given" "$top/kernel-config/base.config"
		# Events come with any tracer, and by this if there is none.
		echo 'CONFIG_ENABLE_DEFAULT_TRACERS=y'
		echo 'CONFIG_LOCALVERSION="-memscope"'
	} | awk -F'[= ]' '/^CONFIG_/ { last[$1] = $0 } /^# CONFIG_.* is not set/ { last[$2] = $0 }
			  END { for (s in last) print last[s] }' >"$out/.config"
	make -s -C "$linux" O="$out" CC="$cc" HOSTCC="$cc" olddefconfig
	missing=0
	while read -r line; do
		grep -qxF "$line" "$out/.config" && continue
		echo "deb: with $config, this is not possible: $line" >&2
		missing=1
	done < <(grep '^CONFIG_' "$top/kernel-config/base.config")
	[ $missing = 0 ] || exit 1
fi

rm -f "$deb"/linux-*.deb "$out"/../linux-*.deb
step=("$top/.ci/step" "$build/log" deb-kernel)
# -d: it is built already, or what it needs is there (make deps).  No package of
# debug symbols.
export DEB_BUILD_PROFILES=pkg.linux-upstream.nokerneldbg INSTALL_MOD_STRIP=1
COUNT=$out "${step[@]}" make -C "$linux" O="$out" CC="$cc" HOSTCC="$cc" \
	LOCALVERSION= KDEB_PKGVERSION="$(make -s -C "$linux" kernelversion)-1" DPKG_FLAGS=-d \
	-j"$(nproc)" bindeb-pkg
mv "$out"/../linux-*.deb "$deb"
rm -f "$out"/../linux-*.{buildinfo,changes} "$deb"/linux-libc-dev_*.deb

# The tools.
version=$("$build/bin/memref" --version | sed 's/.* //')
root=$build/deb-tools
rm -rf "$root"
"$top/.ci/step" "$build/log" deb-tools make -C "$top/tools" O="$build" DESTDIR="$root" PREFIX=/usr install
gzip -9nf "$root"/usr/share/man/man?/*
strip --strip-unneeded "$root"/usr/bin/* "$root"/usr/lib/lib*.so.?.? \
	"$root"/usr/lib/memprof/*.so
strip --strip-debug "$root"/usr/lib/lib*.a
mkdir -p "$root/DEBIAN" "$root/usr/share/doc/memscope-tools"
cat >"$root/usr/share/doc/memscope-tools/copyright" <<'EOF'
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: memscope

Files: *
Copyright: the memscope developers
License: GPL-2
 On Debian systems, the text of the license is in
 /usr/share/common-licenses/GPL-2.

Files: usr/include/pagealloc/pagealloc.h usr/lib/libpagealloc* usr/include/memprof*.h
 usr/lib/libmemprof*
Copyright: the memscope developers
License: LGPL-2.1+
 On Debian systems, the text of the license is in
 /usr/share/common-licenses/LGPL-2.1.
EOF
echo 'activate-noawait ldconfig' >"$root/DEBIAN/triggers"
shlibs=$(mktemp -d)
trap 'rm -rf "$shlibs"' EXIT
mkdir "$shlibs/debian"
printf 'Source: memscope\n\nPackage: memscope-tools\nArchitecture: any\n' >"$shlibs/debian/control"
depends=$(cd "$shlibs" && dpkg-shlibdeps -O "$root"/usr/bin/* \
	"$root"/usr/lib/lib*.so.?.? 2>/dev/null | sed -n 's/^shlibs:Depends=//p')
cat >"$root/DEBIAN/control" <<EOF
Package: memscope-tools
Version: $version
Architecture: $(dpkg --print-architecture)
Maintainer: memscope <memscope@localhost>
Section: utils
Priority: optional
Installed-Size: $(du -sk "$root/usr" | cut -f1)
Depends: $depends, trace-cmd, gnuplot-nox
Description: show which physical memory is referenced, and place pages in it
 memref records the memref trace events of a kernel with the memscope series
 through trace-cmd, and reports and plots which memory was used, when, and
 through which mappings. pagetest is a workload whose references are known.
 pagealloc and libpagealloc say where the pages of programs land in physical
 memory.
EOF
dpkg-deb --root-owner-group --build "$root" "$deb" >/dev/null
rm -rf "$root"
echo "the packages are in $deb:"
(cd "$deb" && ls -- *.deb)
