#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# The demonstration: a chapter for each of the four systems, each recorded in a guest, and one
# page of what they found.
#
#	test-vms/demo/demo.sh DIRECTORY [CHAPTER...]
#
# Chapters: memory (which memory a database uses), times (why run times vary), types (which
# kernel type CPUs contend for), objects (which object is on the wrong node).  The default is
# all of them.  The page, DIRECTORY/index.html, is written anew after each chapter, with the
# chapters that DIRECTORY has.
set -eu -o pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
[ $# -gt 0 ] || { echo "usage: demo.sh DIRECTORY [CHAPTER...]" >&2; exit 2; }
mkdir -p "$1"
out=$(cd "$1" && pwd)
shift
[ $# -gt 0 ] || set -- memory times types objects
for chapter in "$@"; do
	[ -e "$here/$chapter.sh" ] && [ "$chapter" != demo ] ||
		{ echo "demo.sh: $chapter: no such chapter (memory, times, types, objects)" >&2; exit 2; }
done

build=${MEMSCOPE_BUILD:-$here/../../build}
MEMSCOPE_BUILD=$(cd "$build" && pwd)
export MEMSCOPE_BUILD
for chapter in "$@"; do
	printf '== %s\n' "$(sed -n 's/^# Title: //p' "$here/$chapter.sh")"
	start=$SECONDS
	rm -rf "${out:?}/$chapter"
	mkdir "$out/$chapter"
	"$here/$chapter.sh" "$out/$chapter"
	"$here/findings.pl" "$chapter" "$out/$chapter"
	"$here/page.pl" "$out"
	printf '   (%d s; %s/index.html)\n' $((SECONDS - start)) "$out"
done
