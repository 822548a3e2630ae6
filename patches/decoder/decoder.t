#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# decoder.t BUILD: swmem's decoder against Zydis and objdump, on all forms of
# instructions that opcode, prefixes and operands select, and on the text of the
# kernel and of the guest's programs and libraries.
set -u
build=$(realpath "${1:-build}")
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

make -s -C "$here" O="$build" >&2 || {
	echo "not ok 1 - the decoder compiles outside of the kernel"
	echo 1..1
	exit 1
}

# Programs that tests run in the guest, with their libraries, each once.  memscope-fleet runs
# elsewhere; its libcrypto holds code for processors without successor (XOP).
programs=()
for program in "$build"/bin/*; do
	[ "${program##*/}" = memscope-fleet ] || programs+=("$program")
done
for name in sqlite3 numactl luajit zstd trace-cmd busybox; do
	programs+=("$(command -v "$name")")
done
mapfile -t files < <(
	for program in "${programs[@]}"; do
		[ "$(head -c 4 "$program" 2>/dev/null)" = $'\x7fELF' ] || continue
		realpath "$program"
		ldd "$program" 2>/dev/null | grep -o '/[^ ]*'
	done | xargs -r realpath | sort -u
)
exec "$build/decoder/decoder" "$build/kernel-vm/vmlinux" "${files[@]}"
