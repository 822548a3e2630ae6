#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# Dirty bits taken every 10 ms, with CPUs that run at once: no store is lost (stress.t).
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
export MEMSCOPE_STRESS_MODE=dirty MEMSCOPE_STRESS_SECONDS="${MEMSCOPE_STRESS_SECONDS:-300}"
exec "$here/stress.t"
