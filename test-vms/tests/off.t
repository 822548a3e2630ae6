#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# With the events off memref is nothing: no thread, no memory, and where the page
# cache is read and written, entries are zapped and processes forked, no more than a NOP.  Nor are page hints without
# a hint.
use strict;
use warnings;
no warnings 'portable';
use FindBin;
use lib $FindBin::RealBin;
use Test::More;
use VM;

my $vmlinux = slurp("$kernel_dir/vmlinux") // die "$kernel_dir/vmlinux: $!";

# Sections and symbols of the ELF file, as binutils print them.
my (%section, @section, %symbol, @function);
for (`readelf -SW $kernel_dir/vmlinux`) {
	next unless /^\s*\[\s*\d+\]\s+(\S+)\s+\S+\s+([0-9a-f]+)\s+([0-9a-f]+)\s+([0-9a-f]+)/;
	$section{$1} = { addr => hex $2, offset => hex $3, size => hex $4 };
	push @section, $section{$1} if hex $2;
}
for (`nm -n $kernel_dir/vmlinux`) {
	my ($addr, $type, $name) = split;
	$symbol{$name} = hex $addr;
	push @function, [ hex $addr, $name ] if $type =~ /[tT]/;
}

sub bytes {
	my ($addr, $n) = @_;
	for (@section) {
		return substr $vmlinux, $addr - $_->{addr} + $_->{offset}, $n
			if $addr >= $_->{addr} && $addr < $_->{addr} + $_->{size};
	}
	return '';
}

sub function_at {
	my ($addr) = @_;
	my $name = '?';
	for (@function) {
		last if $_->[0] > $addr;
		$name = $_->[1];
	}
	return $name;
}

# struct jump_entry: s32 code, s32 target, s64 key, each relative to itself;
# the key's lowest bits are flags.
my $table = $section{__jump_table} // $section{'.rodata'};
my ($start, $stop) = @symbol{qw(__start___jump_table __stop___jump_table)};
my (%hooks, %key);
$key{$symbol{$_} // 0} = $_ for qw(memref_hooks memref_ages_key page_hint_key page_hint_cache_key);
for (my $entry = $start; $entry < $stop; $entry += 16) {
	my ($code, $target, $key) = unpack 'l<l<q<', bytes($entry, 16);
	$key = $key{$key + $entry + 8 & ~3} // next;
	my $insn = bytes($entry + $code, 5);
	my $nop = $insn =~ /^(\x66\x90|\x0f\x1f\x44\0\0)/s;
	push @{$hooks{$key}{function_at($entry + $code)}}, $nop ? 'nop' : unpack 'H*', $insn;
}

# hooks KEY, FUNCTIONS, PARTS: the functions have hooks, which are NOPs; the parts
# may be functions of their own, or in others.
sub hooks {
	my ($key, $functions, $parts) = @_;
	my %want = map { $_ => 1 } @$functions;
	my %may = map { $_ => 1 } @$parts;
	for my $f (sort keys %{$hooks{$key}}) {
		(my $base = $f) =~ s/\..*//;
		$base = 'iomap_file_buffered_write' if $base =~ /^iomap_write_iter/;
		ok($want{$base} || $may{$base}, "$key: $f is a function that was meant to have a hook");
		delete $want{$base};
		my @insns = @{$hooks{$key}{$f}};
		is("@insns", join(' ', ('nop') x @insns), "$key: the hook in $f is a NOP");
	}
	# What this kernel has not, as large pages on PREEMPT_RT, has no hook.
	my @without = grep { $_ ne 'iomap_file_buffered_write' && $symbol{$_} } keys %want;
	is("@without", '', "$key: every function has its hook");
}
hooks('memref_hooks',
      [ qw(filemap_read shmem_file_read_iter generic_perform_write iomap_file_buffered_write
	   clear_refs_write page_idle_clear_pte_refs_one try_to_inc_max_seq
	   walk_pmd_range_locked walk_pud_range lru_gen_look_around
	   set_pte_range copy_huge_pmd zap_huge_pmd madvise_free_huge_pmd
	   madvise_free_pte_range madvise_cold_or_pageout_pte_range
	   page_vma_mkclean_one) ],
      [ qw(get_pte_pfn get_pmd_pfn walk_pte_range mm_init dup_mm copy_mm copy_process
	   copy_page_range copy_present_ptes copy_pte_range unmap_page_range zap_pte_range
	   zap_present_ptes zap_present_folio_ptes do_wp_page wp_page_copy
	   __unmap_hugepage_range set_tlb_ubc_flush_pending try_to_unmap_one
	   try_to_migrate_one split_huge_pmd_locked __split_huge_pmd_locked) ]);
# Pages are prepared in whichever function the compiler puts it.
ok(scalar(map { @$_ } values %{$hooks{memref_ages_key}}) >= 2, 'memref_ages_key: allocating and freeing pages have hooks');
is_deeply([ grep { $_ ne 'nop' } map { @$_ } values %{$hooks{memref_ages_key}} ], [], 'memref_ages_key: all are NOPs');
hooks('page_hint_key',
      [ qw(vma_alloc_folio_noprof __thp_vma_allowable_orders begin_new_exec swapin_readahead) ],
      [ qw(copy_process copy_mm dup_mm alloc_bprm bprm_mm_init __mmput mmput __mmdrop
	   swap_vma_readahead read_swap_cache_vma read_swap_cache_async __read_swap_cache_async) ]);
hooks('page_hint_cache_key',
      [ qw(drain_pages_zone __drain_all_pages refresh_cpu_vm_stats) ],
      [ qw(zoneinfo_show_print zoneinfo_show show_free_areas __show_mem stats_show) ]);
is(scalar @{$hooks{page_hint_key}{vma_alloc_folio_noprof} // []}, 1,
   'the way of a page fault has one');

my $vm = vm('--', 'sh', '-c', <<'EOF');
show() {
	echo "$1 threads $(ps -o comm | grep -cx memref) areas $(grep -c memref_ /proc/vmallocinfo)"
}
cd /sys/kernel/tracing
show boot
echo 1 >events/memref/enable
# The thread begins on its own.
for i in $(seq 600); do
	grep -q memref_ /proc/vmallocinfo && break
	sleep 0.1
done
show on
echo 0 >events/memref/enable
show off
EOF
is($vm->{status}, 0, 'the guest ran') or diag $vm->{err};
like($vm->{out}, qr/^boot threads 0 areas 0$/m, 'after boot: no thread, no memory');
like($vm->{out}, qr/^on threads 1 areas [1-9]/m, 'on: a thread, and memory');
like($vm->{out}, qr/^off threads 0 areas 0$/m, 'off again: no thread, no memory');
diag $vm->{out};
done_testing;
