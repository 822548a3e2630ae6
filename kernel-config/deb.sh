#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# deb.sh BUILD [CONFIG] [KERNEL]: Debian packages of the patched kernel, in BUILD/deb.
# CONFIG is a kernel configuration, to which base.config is added; vm: that of the guest.
# Without it, Debian's own: of the KERNEL given (6.1, 6.12.107-1, 6.12-cloud-amd64,
# 6.12-rt-amd64, ...), else of the running one.  CONFIGURE_ONLY=1 stops before the kernel
# is built.
set -eu -o pipefail
build=$1 config=${2:-} kernel=${3:-}
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
linux=$build/linux
deb=$build/deb
mkdir -p "$deb"
cc=gcc
command -v "${CCACHE:-}" >/dev/null && cc="$CCACHE gcc"

# debian_config RELEASE: fetches Debian's configuration of kernels 6.1, 6.12, ..., of the
# flavour that the release ends with; prints its path.
debian_config() {
	local at=$build/debian-config flavour=none_amd64
	case $1 in
	*-cloud-amd64) flavour=none_cloud-amd64 ;;
	*-rt-amd64) flavour=rt_amd64 ;;
	esac
	set -- "$(grep -oE '^[0-9]+\.[0-9]+' <<<"$1")"
	rm -rf "$at"
	mkdir -p "$at"
	(cd "$at" && apt-get download "linux-config-$1" && dpkg-deb -x linux-config-*.deb .) >"$at/log" 2>&1 || {
		echo "deb: linux-config-$1 cannot be downloaded (KERNEL=6.12?): see $at/log" >&2
		return 1
	}
	xzcat "$at/usr/src/linux-config-$1/config.amd64_$flavour.xz" >"$at/config"
	echo "$at/config"
}

if [ -z "$config" ]; then
	release=${kernel:-$(uname -r)}
	grep -qE '^[0-9]+\.[0-9]+' <<<"$release" ||
		{ echo "deb: $release: not a version of a kernel" >&2; exit 1; }
	# A running kernel that is not Debian's: use its own configuration.
	if [ -r "/boot/config-$release" ]; then
		config=/boot/config-$release
	elif [ -z "$kernel" ] && [ -r /proc/config.gz ]; then
		config=$build/running.config
		zcat /proc/config.gz >"$config"
	else
		config=$(debian_config "$release")
	fi
	echo "deb: the configuration is $config"
fi

if [ "$config" = vm ]; then
	# Package the kernel that is already built.
	out=$build/kernel-vm
	[ -e "$out/.built" ] || make -C "$top" --no-print-directory B="$build" kernel
else
	[ -r "$config" ] || { echo "deb: $config: cannot be read" >&2; exit 1; }
	out=$build/kernel-deb
	mkdir -p "$out"
	# A private kernel cannot use Debian's certificates; base.config sets the debug symbols.
	sed -e 's/^CONFIG_SYSTEM_TRUSTED_KEYS=.*/CONFIG_SYSTEM_TRUSTED_KEYS=""/' \
	    -e 's/^CONFIG_MODULE_SIG_KEY=.*/CONFIG_MODULE_SIG_KEY="certs\/signing_key.pem"/' \
	    -e '/^CONFIG_DEBUG_INFO/d' "$config" >"$out/.config.given"
	{
		cat "$out/.config.given" "$top/kernel-config/base.config"
		# Any tracer enables trace events; without one, this option does.
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

[ "${CONFIGURE_ONLY:-0}" != 1 ] || exit 0
rm -f "$deb"/linux-*.deb "$out"/../linux-*.deb
step=("$top/.ci/step" "$build/log" deb-kernel)
# -d: skip the check of build dependencies: the kernel is already built, or make deps has
# installed them.  No package of debug symbols.
export DEB_BUILD_PROFILES=pkg.linux-upstream.nokerneldbg INSTALL_MOD_STRIP=1
COUNT=$out "${step[@]}" make -C "$linux" O="$out" CC="$cc" HOSTCC="$cc" \
	LOCALVERSION= KDEB_PKGVERSION="$(make -s -C "$linux" kernelversion)-1" DPKG_FLAGS=-d \
	-j"$(nproc)" bindeb-pkg
mv "$out"/../linux-*.deb "$deb"
rm -f "$out"/../linux-*.{buildinfo,changes} "$deb"/linux-libc-dev_*.deb

echo "the packages are in $deb:"
(cd "$deb" && ls -- linux-*.deb)
