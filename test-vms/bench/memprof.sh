#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# memprof's figures, into bench/memprof.json: see memprof.pl.
#   PROGRAMS=200  planted programs, each run as it is and with its fix
#   KINDS=saturate,after  of these programs only (default: of all), in the parts joint and plants
#   NODES=2       of the guest, with two CPUs each
#   SEED=100      of the first program; each has the next one (part truth: 1, SEEDS=3 of them)
#   RECORDINGS=DIR  keeps the recordings there, and uses those that are there;
#                 ONLY_READ=1: no others
#   SOURCE=swmem  of the samples of planted programs (default: ibs)
#   SHARES=8      programs of the part shares
#   STEPS=15000   of the program of the part truth, which is sampled each PERIOD=1024 ops
#   STORMS=1000   recordings of each kind of the part storms
#   JOINT=1       programs of each pattern of the part joint
#   CXX=50        programs in C++ of the part cxx, the first one with seed CXX_SEED=700
#   JOBS=N        guests at a time (default: one a CPU)
#   PARTS=read,allocators,cost,overhead,storms,truth,shares,cases,joint,programs,plants,cxx   what to measure; the rest of the file stays
set -eu
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
export MEMSCOPE_BUILD=${MEMSCOPE_BUILD:-$(realpath "$here/../../build")}
make -s -C "$here/../../tools" O="$MEMSCOPE_BUILD" \
	"$MEMSCOPE_BUILD"/tools/tests/memprof_{gen,open,objects}
exec "$here/memprof.pl"
