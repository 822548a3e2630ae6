#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# The oracle's cache model by itself: test_cache.c.
build=${MEMSCOPE_BUILD:-$(dirname "$0")/../../build}
CMOCKA_MESSAGE_OUTPUT=TAP exec "$build/guest/test-cache"
