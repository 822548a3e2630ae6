// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* sampler: perf_event_open() of ibs_op, and the records of its ring. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sampler.h"

#define RING_SIZE (2u << 20)
#define CNT_CTL (1ull << 19)	/* ops, not cycles */

void die(const char *fmt, ...)
{
	va_list ap;

	fflush(stdout);
	fputs("ibs_check: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	exit(1);
}

static void write_sysctl(const char *path, const char *value)
{
	int fd = open(path, O_WRONLY);

	if (fd < 0 || write(fd, value, strlen(value)) < 0)
		die("%s: %s", path, strerror(errno));
	close(fd);
}

void sampler_prepare(void)
{
	/* Refused once the other is 0 or 100; do not repeat it then. */
	static const char rate[] = "/proc/sys/kernel/perf_event_max_sample_rate";
	int fd = open(rate, O_WRONLY);

	if (fd < 0)
		die("%s: %s", rate, strerror(errno));
	if (write(fd, "100000000", 9) < 0 && errno != EINVAL)
		die("%s: %s", rate, strerror(errno));
	close(fd);
	write_sysctl("/proc/sys/kernel/perf_cpu_time_max_percent", "0");
	write_sysctl("/proc/sys/kernel/perf_event_paranoid", "-1");
	write_sysctl("/proc/sys/kernel/perf_event_mlock_kb", "65536");
	/* The kernel must not move pages that are being looked up. */
	if (!access("/proc/sys/kernel/numa_balancing", W_OK))
		write_sysctl("/proc/sys/kernel/numa_balancing", "0");
}

static uint32_t pmu_type(void)
{
	FILE *f = fopen("/sys/bus/event_source/devices/ibs_op/type", "r");
	unsigned int type;

	if (!f || fscanf(f, "%u", &type) != 1)
		die("no ibs_op: this processor, or kernel, has no IBS");
	fclose(f);
	return type;
}

void sampler_open(struct sampler *s, uint64_t period)
{
	struct perf_event_attr a = {
		.size = sizeof(a),
		.type = pmu_type(),
		.config = CNT_CTL,
		.sample_period = period,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR |
			       PERF_SAMPLE_CPU | PERF_SAMPLE_RAW | PERF_SAMPLE_WEIGHT |
			       PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_PHYS_ADDR,
		.disabled = 1,
	};

	memset(s, 0, sizeof(*s));
	s->fd = syscall(SYS_perf_event_open, &a, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (s->fd < 0)
		die("perf_event_open of ibs_op, period %llu: %s", (unsigned long long)period,
		    strerror(errno));
	s->ring = mmap(NULL, 4096 + RING_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, s->fd, 0);
	if (s->ring == MAP_FAILED)
		die("mmap of the ring: %s", strerror(errno));
}

void sampler_close(struct sampler *s)
{
	munmap(s->ring, 4096 + RING_SIZE);
	close(s->fd);
}

void sampler_enable(struct sampler *s, int on)
{
	if (ioctl(s->fd, on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0))
		die("ioctl: %s", strerror(errno));
}

/* The fields come in the order of perf_event.h, not of their flags. */
static void parse(const uint64_t *p, struct sample *out)
{
	const uint32_t *raw;
	uint64_t regs[8] = { 0 };
	uint32_t size;

	out->ip = *p++;
	out->time = *p++;
	out->addr = *p++;
	out->cpu = *p++;
	raw = (const uint32_t *)p;
	size = *raw;
	/* After the size: 32 bits of capabilities, then the registers. */
	if (size >= 4 + 7 * 8)
		memcpy(regs, raw + 2, 7 * 8);
	p = (const uint64_t *)((const char *)p + 4 + size);
	out->weight = *p++;
	out->src.val = *p++;
	out->phys = *p++;
	out->op_data = regs[2];
	out->op_data2 = regs[3];
	out->op_data3 = regs[4];
}

void sampler_drain(struct sampler *s, void (*f)(void *arg, const struct sample *), void *arg)
{
	struct perf_event_mmap_page *page = s->ring;
	uint64_t head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
	uint64_t tail = page->data_tail;
	const char *data = (const char *)s->ring + page->data_offset;
	union {
		struct perf_event_header h;
		uint64_t words[8192];
		char bytes[65536];
	} r;

	while (tail < head) {
		struct sample out;
		const struct perf_event_header *h =
			(const void *)(data + (tail & (RING_SIZE - 1)));
		size_t at = tail & (RING_SIZE - 1), size = h->size;
		size_t first = size < RING_SIZE - at ? size : RING_SIZE - at;

		memcpy(r.bytes, data + at, first);
		memcpy(r.bytes + first, data, size - first);
		tail += size;
		switch (r.h.type) {
		case PERF_RECORD_SAMPLE:
			s->seen++;
			parse(r.words + 1, &out);
			f(arg, &out);
			break;
		case PERF_RECORD_LOST:
			s->lost += r.words[2];
			break;
		case PERF_RECORD_THROTTLE:
			s->throttled++;
			break;
		}
	}
	__atomic_store_n(&page->data_tail, tail, __ATOMIC_RELEASE);
}
