#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# memref beside DAMON, page_idle, clear_refs, the multi-gen LRU and NUMA balancing: the numbers in
# build/bench/judge.json, of which make results makes a page.  What was measured of this tree is not again.
set -eu -o pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
LEFT='cost reclaim accuracy hinting' "$here/memref.sh"
"$here/judge.pl" "${MEMSCOPE_BUILD:-$here/../../build}"
