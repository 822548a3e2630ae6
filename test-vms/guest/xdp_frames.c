// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * xdp_frames N: N frames go through an XDP program that reads and drops them, as if they had
 * arrived at the loopback device: their pages are of a page pool, which gets them back.  No
 * network card is needed.
 */
#include <linux/bpf.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FRAME_BYTES 64

#define LOAD(size, dst, src, at) \
	{ .code = BPF_LDX | BPF_MEM | (size), .dst_reg = (dst), .src_reg = (src), .off = (at) }
#define SET(dst, value)	{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = (dst), .imm = (value) }

/* Reads the last 8 bytes of a frame, and drops it. */
static const struct bpf_insn program[] = {
	LOAD(BPF_W, 2, 1, offsetof(struct xdp_md, data)),
	LOAD(BPF_W, 3, 1, offsetof(struct xdp_md, data_end)),
	{ .code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = 4, .src_reg = 2 },
	{ .code = BPF_ALU64 | BPF_ADD | BPF_K, .dst_reg = 4, .imm = FRAME_BYTES },
	{ .code = BPF_JMP | BPF_JGT | BPF_X, .dst_reg = 4, .src_reg = 3, .off = 1 },
	LOAD(BPF_DW, 0, 2, FRAME_BYTES - 8),
	SET(0, XDP_DROP),
	{ .code = BPF_JMP | BPF_EXIT },
};

static int bpf(int command, union bpf_attr *attr)
{
	int ret = syscall(SYS_bpf, command, attr, sizeof(*attr));

	if (ret < 0) {
		perror("xdp_frames: bpf");
		exit(1);
	}
	return ret;
}

int main(int argc, char **argv)
{
	unsigned char frame[FRAME_BYTES] = { [12] = 8 };
	union bpf_attr attr;
	int fd;

	memset(&attr, 0, sizeof(attr));
	attr.prog_type = BPF_PROG_TYPE_XDP;
	attr.insns = (unsigned long)program;
	attr.insn_cnt = sizeof(program) / sizeof(*program);
	attr.license = (unsigned long)"GPL";
	fd = bpf(BPF_PROG_LOAD, &attr);

	memset(&attr, 0, sizeof(attr));
	attr.test.prog_fd = fd;
	attr.test.data_in = (unsigned long)frame;
	attr.test.data_size_in = sizeof(frame);
	attr.test.repeat = argc > 1 ? strtoul(argv[1], NULL, 10) : 1;
	attr.test.flags = BPF_F_TEST_XDP_LIVE_FRAMES;
	bpf(BPF_PROG_TEST_RUN, &attr);
	return 0;
}
