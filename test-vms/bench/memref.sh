#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# The accuracy of memref, as a table and in build/bench/memref.json.
set -eu
cd "$(dirname "$0")/../.."
prove --verbose test-vms/tests/memref-oracle.t
cat "${MEMSCOPE_BUILD:-build}/bench/memref.json"
