// SPDX-License-Identifier: GPL-2.0
/*
 * swmem_check: events of the PMU swmem and their rings; loops over known buffers.
 */
#ifndef SWMEM_CHECK_H
#define SWMEM_CHECK_H

#include <linux/perf_event.h>
#include <stdint.h>
#include <sys/types.h>

#define SYSFS "/sys/bus/event_source/devices/swmem/"
#define BUFFER (64 << 10)
#define RING_PAGES 1024
#define PAGE 4096

#define OP_LOAD 1
#define OP_STORE 2
#define CONFIG_IRQ 1
#define CONFIG_PROBE 2
#define CONFIG_LOADS 4
#define CONFIG_STORES 8

struct sample {
	uint64_t ip, addr, time, period, data_src, phys;
	uint32_t pid, tid, cpu, cycles;
	uint16_t width;
	uint8_t op, probe;
	int kernel, exact;
};

/* As the events' sample_type has it. */
struct body {
	uint64_t ip;
	uint32_t pid, tid;
	uint64_t time, addr;
	uint32_t cpu, res;
	uint64_t period;
	uint32_t raw_size;
	/* struct perf_swmem_raw of linux/perf_swmem.h */
	uint16_t version, size, width;
	uint8_t op, probe;
	uint32_t cycles;
	uint64_t data_src;
	/* The physical address, or the size of the page. */
	uint64_t phys;
} __attribute__((packed));

#define RAW_VERSION 1

struct ring {
	int fd;
	struct perf_event_mmap_page *page;
	uint64_t at, lost;
};

/* loops.c: what is sampled */
struct range {
	const char *name;
	uint64_t first, last;
	int object, op, width;
};

extern char buf[7][BUFFER];
extern const char *const buf_name[7];
extern __thread uint64_t tls_word;
extern const struct range ranges[];
extern const unsigned int nr_ranges;

void one_round(void);
void some_syscalls(void);
/* Is what the sample says of an instruction of ours true?  0: not ours; -1: no. */
int judge(const struct sample *s);
int run_loops(int argc, char **argv);

/* events.c */
int check_events(void);

/* churn.c */
int run_churn(int argc, char **argv);

/* limits.c */
int check_secrets(void);
int check_throttle(void);
int run_all_cpus(int argc, char **argv);
int run_hold(int argc, char **argv);
int run_syscalls(int argc, char **argv);

/* ring.c: events and their rings */
struct perf_event_attr attr_of(uint64_t config, uint64_t period);
int open_event(struct perf_event_attr *attr, pid_t pid, int cpu);
/* An event and its ring; -1 if the kernel refuses the event. */
int ring_open(struct ring *r, struct perf_event_attr *attr, pid_t pid, int cpu);
void ring_close(struct ring *r);
/* About how many samples were written: some records may be others. */
int samples_in(struct ring *r);
/* The next sample; 0 if there is none. */
int ring_next(struct ring *r, struct sample *s);
void enable(struct ring *r);
void disable(struct ring *r);
unsigned long stat_of(const char *name);
void pin(int cpu);
/* Of /proc/sys/kernel. */
void set_sysctl(const char *name, int value);
/* Soon after boot timers are as coarse as the tick. */
void wait_for_timers(void);

#endif
