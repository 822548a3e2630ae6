# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# Debian packages that building, testing and the demonstration need.

# the kernel
PACKAGES := linux-source-6.12 build-essential bc bison flex libelf-dev libssl-dev \
	kmod cpio rsync xz-utils lz4 ccache git perl sparse python3-minimal pahole
# its Debian package
PACKAGES += debhelper fakeroot
# the guest
PACKAGES += qemu-system-x86 seabios ipxe-qemu busybox-static trace-cmd e2fsprogs
# a QEMU that emulates AMD IBS, from Debian's source
PACKAGES += dpkg-dev debian-archive-keyring meson ninja-build libglib2.0-dev libpixman-1-dev \
	libfdt-dev libcap-ng-dev libattr1-dev
# what the tests run in it
PACKAGES += linux-perf sqlite3 numactl luajit zstd
# the tools
PACKAGES += libtracecmd-dev libtraceevent-dev libtracefs-dev libjansson-dev libgsl-dev \
	zlib1g-dev libinih-dev uthash-dev pkg-config gnuplot-nox fonts-dejavu-core \
	libbpf-dev libdw-dev libcapstone-dev libxxhash-dev libunistring-dev libzstd-dev graphviz \
	libprotobuf-c-dev protobuf-c-compiler libpcp-import1-dev libpcp-mmv1-dev \
	libjs-dygraphs libncurses-dev libcurl4-openssl-dev
# libdw.pc names it for static linking; libdw-dev does not depend on it
PACKAGES += libbz2-dev
# their tests
PACKAGES += chromium libcmocka-dev libkshark-dev libjson-c-dev man-db tmux
# Performance Co-Pilot, which reads what memref publishes.  Its package starts services that
# record the machine, and needs systemd: tests take its programs from the unpacked package.
PACKAGES += libpcp-pmda3 libpcp-gui2 libpcp-archive1 python3-pcp
UNPACKED := pcp
# Prometheus and its collector, which read what is exported for them; their packages start
# services, too.
UNPACKED += prometheus prometheus-node-exporter
# ClickHouse, a server that memscope-fleet asks.  Its package starts a service; Debian 13 has
# neither it nor these versions of its libraries, so they are unpacked as well.
UNPACKED += clickhouse-server clickhouse-common libcapnp-0.9.2 libcctz2 libcpuinfo0 libfarmhash0 \
	libmariadb3 libmetrohash1 libodbc2 libpococrypto80 libpocodata80 libpocodataodbc80 \
	libpocofoundation80 libpocojson80 libpocomongodb80 libpoconet80 libpoconetssl80 libpocoutil80 \
	libpocoxml80 librdkafka1
# Servers whose memory limits memref size estimates; their packages start services.
UNPACKED += memcached redis-tools libatomic1 liblzf1
# Programs that make bench-memprof records as they are: in C++, Java and Go, a server that forks, one
# with pools of its own.  Debian 13 has the other Java.
PACKAGES += libpq5 libxml2
RECORDED := stockfish z3 7zip fzf openjdk-17-jre-headless openjdk-21-jre-headless libeclipse-jdt-core-java \
	postgresql-15 postgresql-client-15 postgresql-17 postgresql-client-17 memcached
# pprof, which reads the profiles that dprof and memprof export
PACKAGES += golang-go golang-github-google-pprof-dev
# whose objects memprof follows
PACKAGES += libjemalloc2 libtcmalloc-minimal4 libmimalloc-dev
# what the decoder of swmem is compared with
PACKAGES += libzydis-dev binutils
# the kernel's own tests of memory management
PACKAGES += libcap-dev libnuma-dev
# what counts a reader's instructions
PACKAGES += valgrind
# what statistics are compared with
PACKAGES += r-base-core r-cran-boot
# what makes the pages of docs/results
PACKAGES += libtext-xslate-perl
# what reads the sources for mistakes
PACKAGES += shellcheck mandoc codespell reuse lintian debootstrap
