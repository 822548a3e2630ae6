/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/*
 * What test-vms/run's relay (host) and init (guest) say to each other over
 * one virtio-serial port: frames of a type, a length and that many bytes,
 * little-endian.
 */
#ifndef MEMSCOPE_VM_PROTO_H
#define MEMSCOPE_VM_PROTO_H

#include <stdint.h>

#define VM_PORT_DEV "/dev/vport0p1"
/* If it is there, the frames up to VM_GO are in it and not sent. */
#define VM_REQUEST_FILE "/request"
#define VM_FRAME_MAX 32760u	/* with its header one write to the port */

enum vm_frame_type {
	/* host to guest, in this order */
	VM_OPTION = 'O',	/* "key=value": root, share, stdin, cwd, env, keep,
				 * recordings
				 */
	VM_ARG = 'A',		/* one element of the command's argv */
	VM_GO = 'G',		/* start; length 0 */
	VM_STDIN = 'I',		/* the command's stdin; length 0 is its end */
	VM_ACK = 'K',		/* the status has arrived; length 0 */
	/* guest to host */
	VM_STDOUT = '1',
	VM_STDERR = '2',
	VM_STATUS = 'S',	/* uint32_t exit status; the last frame */
	VM_ERROR = 'E',		/* init could not run the command: a message */
};

struct vm_frame {
	uint32_t type;
	uint32_t len;
};

#endif
