#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# What the oracle's cache model costs.  Numbers in build/bench/cache.json.
set -eu
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
exec "$here/cache.pl" "${MEMSCOPE_BUILD:-$here/../../build}"
