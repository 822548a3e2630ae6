// SPDX-License-Identifier: GPL-2.0
/*
 * swmem_check: events and their rings.
 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "swmem_check.h"

static int pmu_type(void)
{
	FILE *f = fopen(SYSFS "type", "r");
	int type;

	if (!f || fscanf(f, "%d", &type) != 1) {
		fprintf(stderr, "swmem_check: " SYSFS "type: no such PMU\n");
		exit(1);
	}
	fclose(f);
	return type;
}

unsigned long stat_of(const char *name)
{
	char path[256];
	unsigned long n = 0;
	FILE *f;

	snprintf(path, sizeof(path), SYSFS "stats/%s", name);
	f = fopen(path, "r");
	if (!f || fscanf(f, "%lu", &n) != 1)
		fprintf(stderr, "swmem_check: %s: cannot read\n", path);
	if (f)
		fclose(f);
	return n;
}

static const uint64_t sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
	PERF_SAMPLE_ADDR | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_RAW |
	PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_PHYS_ADDR;

struct perf_event_attr attr_of(uint64_t config, uint64_t period)
{
	return (struct perf_event_attr){
		.type = pmu_type(), .size = sizeof(struct perf_event_attr), .config = config,
		.sample_period = period, .sample_type = sample_type, .disabled = 1,
	};
}

int open_event(struct perf_event_attr *attr, pid_t pid, int cpu)
{
	return syscall(SYS_perf_event_open, attr, pid, cpu, -1, 0);
}

int ring_open(struct ring *r, struct perf_event_attr *attr, pid_t pid, int cpu)
{
	r->at = r->lost = 0;
	r->fd = open_event(attr, pid, cpu);
	if (r->fd < 0)
		return -1;
	r->page = mmap(NULL, (RING_PAGES + 1) * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, r->fd, 0);
	if (r->page == MAP_FAILED) {
		perror("swmem_check: mmap of the ring buffer");
		exit(1);
	}
	return 0;
}

void ring_close(struct ring *r)
{
	munmap(r->page, (RING_PAGES + 1) * PAGE);
	close(r->fd);
}

int samples_in(struct ring *r)
{
	return __atomic_load_n(&r->page->data_head, __ATOMIC_ACQUIRE) /
		(sizeof(struct perf_event_header) + sizeof(struct body));
}

static void copy_out(struct ring *r, void *to, uint64_t at, size_t n)
{
	char *data = (char *)r->page + PAGE;

	for (size_t i = 0; i < n; i++)
		((char *)to)[i] = data[(at + i) % (RING_PAGES * PAGE)];
}

int ring_next(struct ring *r, struct sample *s)
{
	uint64_t head = __atomic_load_n(&r->page->data_head, __ATOMIC_ACQUIRE);
	struct perf_event_header h;
	struct body body;
	uint64_t lost[2];

	while (r->at < head) {
		copy_out(r, &h, r->at, sizeof(h));
		if (h.type == PERF_RECORD_LOST) {
			copy_out(r, lost, r->at + sizeof(h), sizeof(lost));
			r->lost += lost[1];
		}
		r->at += h.size;
		if (h.type != PERF_RECORD_SAMPLE)
			continue;
		if (h.size != sizeof(h) + sizeof(body)) {
			fprintf(stderr, "swmem_check: a sample of %u bytes, not %zu\n", h.size,
				sizeof(h) + sizeof(body));
			exit(1);
		}
		copy_out(r, &body, r->at - h.size + sizeof(h), sizeof(body));
		if (body.version != RAW_VERSION || body.size > body.raw_size ||
		    body.size < sizeof(body.version) * 3 + 2 + sizeof(body.cycles)) {
			fprintf(stderr, "swmem_check: raw data of version %u, %u of %u bytes: this program reads version %d\n",
				body.version, body.size, body.raw_size, RAW_VERSION);
			exit(1);
		}
		*s = (struct sample){
			.ip = body.ip, .addr = body.addr, .time = body.time, .period = body.period,
			.data_src = body.data_src, .phys = body.phys, .pid = body.pid,
			.tid = body.tid, .cpu = body.cpu, .width = body.width, .op = body.op,
			.probe = body.probe, .cycles = body.cycles,
			.kernel = (h.misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL,
			.exact = !!(h.misc & PERF_RECORD_MISC_EXACT_IP),
		};
		return 1;
	}
	return 0;
}

void enable(struct ring *r) { ioctl(r->fd, PERF_EVENT_IOC_ENABLE, 0); }
void disable(struct ring *r) { ioctl(r->fd, PERF_EVENT_IOC_DISABLE, 0); }

void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set)) {
		perror("swmem_check: sched_setaffinity");
		exit(1);
	}
}

void set_sysctl(const char *name, int value)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/sys/kernel/%s", name);
	f = fopen(path, "w");
	if (!f || fprintf(f, "%d\n", value) < 0 || fclose(f)) {
		perror(path);
		exit(1);
	}
}

void wait_for_timers(void)
{
	char line[256];

	for (int i = 0; i < 600; i++) {
		FILE *f = fopen("/proc/timer_list", "r");
		int fine = 0;

		while (f && fgets(line, sizeof(line), f))
			fine |= strstr(line, ".hres_active    : 1") != NULL;
		if (f)
			fclose(f);
		if (fine)
			return;
		usleep(100000);
	}
	fprintf(stderr, "swmem_check: no high-resolution timers\n");
	exit(1);
}
