# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# memscope: the kernel series, the tools, the test VM.  `make help` explains.

B ?= build
override B := $(abspath $(B))
V ?= 0
TOP := $(CURDIR)
JOBS ?= $(shell nproc)

export V
export MEMSCOPE_BUILD := $(B)
# ccache is a speed-up, never needed: used where it has a cache.  Filling an empty one makes the first
# build a third longer; CCACHE=ccache does that, CCACHE= leaves it out.
export CCACHE_DIR ?= $(HOME)/.ccache
CCACHE ?= $(if $(wildcard $(CCACHE_DIR)/*),ccache)
export CCACHE
# What one clone compiled, another need not.
export CCACHE_BASEDIR := $(TOP)
export CCACHE_NOHASHDIR := 1
# The same source gives the same kernel.
export KBUILD_BUILD_TIMESTAMP := 2024-01-01
export KBUILD_BUILD_USER := memscope
export KBUILD_BUILD_HOST := memscope

include packages.mk

STEP := $(TOP)/.ci/step $(B)/log
# Looked for when a step runs: `make deps` may just have installed it.
GCC = $$(command -v "$$CCACHE" >/dev/null && echo "$$CCACHE") gcc

series := $(wildcard patches/*.patch) patches/series
kernels := vm debug kasan rt

.PHONY: help
help:
	@printf '%s\n' \
	'make demo            all four systems on programs in guests: build/demo/index.html' \
	'make check           all tests but the slow ones' \
	'make check-quick     what a change to one tool needs, in two minutes, without a guest; of lib/, longer' \
	'' \
	'make lint            what can be said of the sources without running them' \
	'make check-selftests the kernel'\''s own tests of memory, with and without the series' \
	'make check-debug     stress on the kernel that checks itself (10 minutes)' \
	'make check-rt        the functional tests on PREEMPT_RT' \
	'make check-mutations that tests on the host notice faults put into the tools' \
	'make check-packages  builds the packages, installs and removes them on Debian 12 and 13' \
	'make check-trixie    on Debian 13: the lints, the tests of tools and oracle, make demo' \
	'make check-full      all of these, and that each patch builds' \
	'make check-long      what takes hours; goes on where it was interrupted' \
	'' \
	'make bench-NAME      measure: memref, pagealloc, evaluation, dprof, memprof, coverage, ...' \
	'make judge           memref beside DAMON and other samplers: build/bench/judge.json' \
	'make fleet-demo      three guests, and made hosts: Performance Co-Pilot, and questions over them' \
	'make results         the pages of docs/results, of what benches measured' \
	'' \
	'make deps            install the Debian packages needed' \
	'make kernel          the kernel for the guest; also kernel-{debug,kasan,rt}' \
	'make tools           the programs, in $(B)/bin' \
	'make guest           the guest image' \
	'make qemu-ibs        a QEMU that emulates AMD IBS, and for CPUs that run at once' \
	'make deb-tools       Debian packages of tools, libraries, documents' \
	'make deb-kernel [KERNEL=version] [CONFIG=f]  of a kernel, configured as Debian'\''s is,' \
	'                     of that version (6.12, 6.12-cloud-amd64); f: a kernel config, or vm;' \
	'                     make deb: both' \
	'make install         the tools, below DESTDIR, PREFIX, LIBDIR; also uninstall' \
	'' \
	'make kernel-tree     the kernel source with the series, in $(B)/linux' \
	'make patches         write the commits of that tree back to patches/' \
	'make patches-check   style, sparse, W=1, kernel-doc; FULL=1: each patch builds' \
	'make clean           remove $(B)' \
	'' \
	'B=dir builds there, V=1 shows commands, JOBS=n sets how many at once.'

.PHONY: deps unpacked
deps:
	@.ci/deps $(PACKAGES)

unpacked: deps
	@.ci/unpack $(B)/unpacked $(UNPACKED)
.PHONY: programs
programs: deps
	@.ci/unpack $(B)/programs $(RECORDED)

# --- the kernel -----------------------------------------------------------

tree := $(B)/linux/.memscope-series

.PHONY: kernel-tree patches patches-check
kernel-tree: deps
	@$(MAKE) -s --no-print-directory $(tree)

$(tree): $(series) patches/tree.sh
	@$(STEP) kernel-tree patches/tree.sh $(B)

# What the tree is now, edits included: the kernels are built from that.
state := $(B)/linux/.git/memscope-state
$(state): $(tree) FORCE
	@s=$$(cd $(B)/linux && git rev-parse HEAD && git diff HEAD | sha1sum); \
	[ "$$s" = "$$(cat $@ 2>/dev/null)" ] || echo "$$s" >$@

.PHONY: FORCE
FORCE:

patches:
	@patches/export.sh $(B)

patches-check: kernel-tree
	@$(MAKE) --no-print-directory $(B)/kernel-vm/.configured
	@FULL=$(FULL) JOBS=$(JOBS) patches/check.sh $(B)

.PHONY: kernel kernel-debug kernel-kasan kernel-rt
kernel: deps
	@$(MAKE) --no-print-directory $(B)/kernel-vm/.built
kernel-debug: deps
	@$(MAKE) --no-print-directory $(B)/kernel-debug/.built
kernel-kasan: deps
	@$(MAKE) --no-print-directory $(B)/kernel-kasan/.built
kernel-rt: deps
	@$(MAKE) --no-print-directory $(B)/kernel-rt/.built

fragments = kernel-config/base.config kernel-config/vm.config \
	$(if $(filter-out vm,$(1)),kernel-config/$(1).config)

# Goes into the guest with the kernel's own modules.
module := $(wildcard test-vms/oracle/module/*) tools/lib/mark.h

define kernel_rules
$(B)/kernel-$(1)/.configured: $(call fragments,$(1)) kernel-config/configure.sh $(state)
	@$$(STEP) configure-$(1) kernel-config/configure.sh $(B)/linux $(B)/kernel-$(1) \
		$(call fragments,$(1))
	@touch $$@

$(B)/kernel-$(1)/.built: $(B)/kernel-$(1)/.configured $(state) kernel-config/modules.sh $(module)
	@COUNT=$(B)/kernel-$(1) $$(STEP) kernel-$(1) \
		$$(MAKE) -C $(B)/linux O=$(B)/kernel-$(1) -j$(JOBS) CC="$$(GCC)" HOSTCC="$$(GCC)" LOCALVERSION= \
		bzImage modules
	@$$(STEP) modules-$(1) kernel-config/modules.sh $(B)/linux $(B)/kernel-$(1) test-vms/oracle
	@touch $$@
endef
$(foreach k,$(kernels),$(eval $(call kernel_rules,$(k))))

# Without the series, to compare with.
vanilla := $(B)/linux-vanilla
.PHONY: kernel-vanilla
kernel-vanilla: kernel-tree
	@$(MAKE) --no-print-directory $(B)/kernel-vanilla/.built

$(vanilla)/Makefile:
	@git -C $(B)/linux worktree prune
	@git -C $(B)/linux worktree add -q -f --detach $(vanilla) memscope-base

$(B)/kernel-vanilla/.built: $(vanilla)/Makefile kernel-config/base.config kernel-config/vm.config
	@mkdir -p $(@D)
	@kernel-config/known.sh $(vanilla) kernel-config/base.config kernel-config/vm.config \
		>$(@D)/fragment
	@$(STEP) configure-vanilla kernel-config/configure.sh $(vanilla) $(@D) $(@D)/fragment
	@COUNT=$(@D) $(STEP) kernel-vanilla \
		$(MAKE) -C $(vanilla) O=$(@D) -j$(JOBS) CC="$(GCC)" HOSTCC="$(GCC)" LOCALVERSION= \
		bzImage
	@touch $@

# --- programs -------------------------------------------------------------

.PHONY: tools guest install uninstall
# These never ask a package manager: `make deps` does.
tools:
	@$(STEP) tools $(MAKE) -C tools O=$(B) -j$(JOBS)

guest: deps kernel-tree
	@$(MAKE) --no-print-directory tools
	@$(STEP) guest $(MAKE) -C test-vms O=$(B) -j$(JOBS)

install uninstall:
	$(MAKE) -C tools O=$(B) $@

# --- the QEMU that emulates AMD IBS ----------------------------------------

.PHONY: qemu-ibs
qemu-ibs: deps
	@$(MAKE) --no-print-directory $(B)/qemu-ibs/.built

$(B)/qemu-ibs/.built: $(wildcard test-vms/qemu-ibs/*)
	@COUNT=$(B)/qemu-ibs JOBS=$(JOBS) $(STEP) qemu-ibs test-vms/qemu-ibs/build.sh $(B)
	@touch $@

# --- results --------------------------------------------------------------

.PHONY: demo lint check check-debug check-rt check-full check-selftests check-long
# The first chapter needs nothing that the others need in addition.
demo: kernel guest
	@test-vms/demo/demo.sh $(B)/demo memory
	@$(MAKE) --no-print-directory $(B)/qemu-ibs/.built
	@test-vms/demo/demo.sh $(B)/demo times types objects

lint: deps
	@.ci/lint

check: kernel guest qemu-ibs unpacked
	@JOBS=$(JOBS) .ci/check $(B) lint patches tools vm

check-debug: kernel-debug guest qemu-ibs
	@JOBS=$(JOBS) .ci/check $(B) debug

check-rt: kernel-rt guest unpacked
	@JOBS=$(JOBS) .ci/check $(B) rt

check-selftests: kernel kernel-vanilla guest
	@test-vms/selftests.sh $(B)

.PHONY: check-quick check-mutations
check-quick:
	@JOBS=$(JOBS) .ci/quick $(B)

check-mutations: deps
	@JOBS=$(JOBS) tools/tests/mutations $(B) $(WORDS)

# Needs root and a mirror of Debian.
.PHONY: check-packages
check-packages: deps
	@tools/tests/packages $(B) $(SUITES)

# Needs root and a mirror, too.
.PHONY: check-trixie
check-trixie: deps
	@JOBS=$(JOBS) .ci/trixie $(B) $(PARTS)

check-full: kernel kernel-debug kernel-rt guest qemu-ibs
	@FULL=1 JOBS=$(JOBS) .ci/check $(B) lint patches tools vm rt debug

check-long: kernel kernel-debug kernel-kasan guest qemu-ibs
	@test-vms/long.sh $(B) $(PARTS)

bench-pagealloc: kernel-vanilla
bench-memref: unpacked
bench-memprof: programs
bench-ibs bench-memprof bench-dprof bench-net_cases: qemu-ibs
bench-%: kernel guest
	@test-vms/bench/$*.sh

# memref beside other samplers of memory.
.PHONY: judge
judge: bench-judge

# How often the intervals of pagealloc bench hold what they say; no guest.
.PHONY: bench-coverage
bench-coverage: tools
	@$(MAKE) -s --no-print-directory -C tools O=$(B) $(B)/tools/tests/stats_sim
	@mkdir -p $(B)/bench
	@STATS_SIM_JSON=$(B)/bench/coverage.part $(B)/tools/tests/stats_sim $(REPETITIONS) $(SEED) \
		>$(B)/bench/coverage.md
	@cat $(B)/bench/coverage.md
	@perl test-vms/bench/Figures.pm $(B)/bench/coverage.json \
		'$(strip make bench-coverage $(addprefix REPETITIONS=,$(REPETITIONS)) $(addprefix SEED=,$(SEED)))' \
		"$$(tail -n 1 $(B)/bench/coverage.md)" <$(B)/bench/coverage.part

# The pages of docs/results, of their templates and of what benches measured.
.PHONY: results
results:
	@test-vms/bench/results.pl $(B) docs

# The questions of memscope-fleet over many made hosts; no guest.
.PHONY: bench-fleet fleet-programs
fleet-programs: tools
	@$(MAKE) -s --no-print-directory -C tools O=$(B) $(addprefix $(B)/tools/tests/,fleet_gen memprof_gen \
		memref_publish pprof_print trace_gen)

bench-fleet: fleet-programs
	@test-vms/bench/fleet.sh $(B) $(HOSTS) $(SEED)

# Three guests, and three made hosts, with Performance Co-Pilot, and the questions of memscope-fleet.
.PHONY: fleet-demo
fleet-demo: kernel guest unpacked fleet-programs
	@test-vms/fleet-demo.sh $(B)

# DuckDB, which memscope-fleet loads, from npm.
.PHONY: fleet-engine
fleet-engine:
	@tools/fleet/engine.sh $(B)/fleet

# The tools' packages need no kernel.  The kernel's configuration: Debian's, of the running
# kernel or of KERNEL=version; or CONFIG=file, or vm, the guest's.
.PHONY: deb deb-tools deb-kernel
deb: deb-kernel deb-tools
deb-tools: deps
	@kernel-config/deb-tools.sh $(B)
deb-kernel: kernel-tree
	@kernel-config/deb.sh $(B) "$(CONFIG)" "$(KERNEL)"

.PHONY: clean
clean:
	rm -rf $(B)
