// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * xdp_frames N [veth]: N frames go through an XDP program that reads and drops them; their
 * pages are of a page pool, which gets them back.  No network card is needed: they are as if
 * they had arrived at the loopback device, and the pool is of no device; or they are sent to the
 * device pooled, one of a pair that is made, whose driver copies them into pages of its pool.
 */
#include <arpa/inet.h>
#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/if_link.h>
#include <linux/if_packet.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FRAME_BYTES 64
#define DEVICE "pooled"
/* As the driver names the other one. */
#define PEER "veth0"

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

static int checked(const char *what, long ret)
{
	if (ret >= 0)
		return ret;
	fprintf(stderr, "xdp_frames: ");
	perror(what);
	exit(1);
}

static int bpf(const char *what, int command, union bpf_attr *attr)
{
	return checked(what, syscall(SYS_bpf, command, attr, sizeof(*attr)));
}

static void put_text(struct nlmsghdr *n, unsigned short type, const char *text)
{
	struct rtattr *a = (void *)((char *)n + NLMSG_ALIGN(n->nlmsg_len));

	a->rta_type = type;
	a->rta_len = RTA_LENGTH(strlen(text) + 1);
	strcpy(RTA_DATA(a), text);
	n->nlmsg_len = NLMSG_ALIGN(n->nlmsg_len) + RTA_ALIGN(a->rta_len);
}

static void make_pair(void)
{
	struct {
		struct nlmsghdr n;
		struct ifinfomsg link;
		char attributes[128];
	} m = {
		.n = { .nlmsg_len = NLMSG_LENGTH(sizeof(m.link)), .nlmsg_type = RTM_NEWLINK,
		       .nlmsg_flags = NLM_F_REQUEST | NLM_F_CREATE | NLM_F_EXCL | NLM_F_ACK },
	};
	struct { struct nlmsghdr n; struct nlmsgerr e; char more[256]; } answer;
	int s = checked("netlink", socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE));
	struct rtattr *info;

	put_text(&m.n, IFLA_IFNAME, DEVICE);
	info = (void *)((char *)&m.n + NLMSG_ALIGN(m.n.nlmsg_len));
	info->rta_type = IFLA_LINKINFO;
	m.n.nlmsg_len = NLMSG_ALIGN(m.n.nlmsg_len) + RTA_LENGTH(0);
	put_text(&m.n, IFLA_INFO_KIND, "veth");
	info->rta_len = (char *)&m.n + m.n.nlmsg_len - (char *)info;
	checked("a pair of devices", send(s, &m, m.n.nlmsg_len, 0));
	checked("a pair of devices", recv(s, &answer, sizeof(answer), 0));
	if (answer.e.error) {
		fprintf(stderr, "xdp_frames: a pair of devices: %s\n", strerror(-answer.e.error));
		exit(1);
	}
	close(s);
}

static void turn_on(const char *name)
{
	int s = checked("a socket", socket(AF_INET, SOCK_DGRAM, 0));
	struct ifreq r = { .ifr_flags = IFF_UP };

	strcpy(r.ifr_name, name);
	checked(name, ioctl(s, SIOCSIFFLAGS, &r));
	close(s);
}

static void send_frames(int fd, const void *frame, unsigned long n)
{
	union bpf_attr attr;
	struct sockaddr_ll to = { .sll_family = AF_PACKET };
	int s;

	make_pair();
	turn_on(DEVICE);
	turn_on(PEER);
	memset(&attr, 0, sizeof(attr));
	attr.link_create.prog_fd = fd;
	attr.link_create.target_ifindex = if_nametoindex(DEVICE);
	attr.link_create.attach_type = BPF_XDP;
	attr.link_create.flags = XDP_FLAGS_DRV_MODE;
	bpf("a program of " DEVICE, BPF_LINK_CREATE, &attr);
	to.sll_ifindex = if_nametoindex(PEER);
	s = checked("a socket", socket(AF_PACKET, SOCK_RAW, 0));
	while (n--)
		checked(PEER, sendto(s, frame, FRAME_BYTES, 0, (struct sockaddr *)&to, sizeof(to)));
}

int main(int argc, char **argv)
{
	unsigned char frame[FRAME_BYTES] = { [12] = 0x88, [13] = 0xb5 };
	unsigned long n = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
	union bpf_attr attr;
	int fd;

	if (!n || argc > 3 || (argc == 3 && strcmp(argv[2], "veth"))) {
		fprintf(stderr, "usage: xdp_frames N [veth]\n");
		return 2;
	}
	memset(&attr, 0, sizeof(attr));
	attr.prog_type = BPF_PROG_TYPE_XDP;
	attr.insns = (unsigned long)program;
	attr.insn_cnt = sizeof(program) / sizeof(*program);
	attr.license = (unsigned long)"GPL";
	fd = bpf("a program", BPF_PROG_LOAD, &attr);
	if (argc == 3) {
		send_frames(fd, frame, n);
		return 0;
	}
	memset(&attr, 0, sizeof(attr));
	attr.test.prog_fd = fd;
	attr.test.data_in = (unsigned long)frame;
	attr.test.data_size_in = sizeof(frame);
	attr.test.repeat = n;
	attr.test.flags = BPF_F_TEST_XDP_LIVE_FRAMES;
	bpf("a test run", BPF_PROG_TEST_RUN, &attr);
	return 0;
}
