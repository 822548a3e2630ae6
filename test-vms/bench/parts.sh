# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# Parts of a bench: one that was measured of the same tree need not be measured again.  Sourced.
# A part's tables are in DIR/BENCH-PART.txt; beside it, .tree names the tree that it was measured of.

# parts_of DIR BENCH VARIABLES PATH...: the tree is what is in these paths, from the top of the sources on, and
# those of the VARIABLES that are set, by which a run measures less or other things
parts_of() {
	local names=$3 name

	parts_at=$1/$2
	shift 3
	parts_tree=$({
		cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit
		# shellcheck disable=SC2048,SC2086 # patterns
		find $* -type f -print0 | LC_ALL=C sort -z | xargs -0 sha1sum
		for name in $names; do
			[ -z "${!name-}" ] || echo "$name=${!name}"
		done
	} | sha1sum)
}

# is_measured PART
is_measured() {
	[ -e "$parts_at-$1.txt" ] && [ "$(cat "$parts_at-$1.tree" 2>/dev/null)" = "$parts_tree" ]
}

# measured PART FILE: its tables are in FILE
measured() {
	mv "$2" "$parts_at-$1.txt"
	echo "$parts_tree" >"$parts_at-$1.tree"
}
