/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* tools/include has no limits of the kernel's integer types. */
#ifndef _DECODER_LINUX_KERNEL_H
#define _DECODER_LINUX_KERNEL_H

#include_next <linux/kernel.h>
#include <linux/log2.h>

#ifndef U16_MAX
/* Of a hardening that programs are not built with. */
#define __uninitialized

#define U16_MAX	((u16)~0U)
#endif
#ifndef U32_MAX
#define U32_MAX	((u32)~0U)
#endif

#endif
