// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * memprof record: what the recording says of itself, whatever the command is called, and rings
 * that are not as the library leaves them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/stat.h>
#define XXH_STATIC_LINKING_ONLY	/* its state on the stack */
#include <xxhash.h>

#include "memprof/record.c"
#include "memprof/lib/file.h"
#include "memprof/record/chunks.h"
#include "memprof_data.h"

/* The command of a recording's description, to be freed. */
static char *command_of(char **command)
{
	static const struct memsource source = { .name = "swmem", .period_unit = "ns" };
	struct recording r = { .source = &source, .cgroup = -1 };
	struct options o = { .command = command };
	static char text[1 << 16];
	const char *json;
	char *kept;
	json_t *meta;
	FILE *f;
	size_t n;

	r.machine.nr_cpus = r.machine.nr_nodes = 1;
	assert_int_equal(writer_open(&r.writer, data_path, 1), OK);
	write_meta(&r, &o);
	assert_int_equal(r.writer.error, 0);
	assert_int_equal(writer_close(&r.writer), OK);
	f = fopen(data_path, "r");
	n = fread(text, 1, sizeof(text) - 1, f);
	fclose(f);
	/* The bytes before it may be any, as times and checks are. */
	json = memmem(text, n, "{\"", 2);
	assert_non_null(json);
	meta = json_loadb(json, text + n - json, 0, NULL);
	assert_non_null(meta);
	kept = strdup(json_string_value(json_object_get(meta, "command")));
	json_decref(meta);
	return kept;
}

static void arguments_that_are_not_utf8_are_recorded(void **unused)
{
	char *kept = command_of((char *[]){ "sh", "caf\351", "\xff\xfe", "gr\xc3\xbc\xc3\x9f", NULL });

	(void)unused;
	assert_non_null(strstr(kept, "sh caf"));
	assert_non_null(strstr(kept, " gr\xc3\xbc\xc3\x9f"));
	free(kept);
}

/* Wherever the cut comes, it is between two characters. */
static void long_commands_are_cut_between_characters(void **unused)
{
	char argument[4096], *kept;
	size_t first, i;

	(void)unused;
	for (first = 0; first < 4; first++) {
		memset(argument, 'x', first);
		for (i = first; i + 3 < sizeof(argument); i += 3)
			memcpy(argument + i, "\xe6\xbc\xa2", 3);
		argument[i] = '\0';
		kept = command_of((char *[]){ argument, NULL });
		assert_in_range(strlen(kept), 1000, 1023);
		assert_int_equal(strncmp(kept, argument, strlen(kept)), 0);
		assert_int_equal((strlen(kept) - first) % 3, 0);
		free(kept);
	}
}

/* What earlier calls may leave on the stack: states of hashes with the seed of the next one. */
static void __attribute__((noinline)) fill_stack(uint64_t seed)
{
	_Alignas(64) char fill[8192] = "";
	size_t at;

	/* Wherever a state begins: it is aligned to 64 bytes. */
	for (at = offsetof(XXH3_state_t, seed) % 64; at < sizeof(fill); at += 64)
		memcpy(fill + at, &seed, sizeof(seed));
	__asm__ volatile("" : : "r"(fill) : "memory");
}

/* Two chunks with the same header; short data are hashed in another way. */
static void checks_do_not_depend_on_the_stack(void **unused)
{
	static struct {
		struct file_header file;
		struct {
			struct chunk_header h;
			char data[1024];
		} chunk[2];
	} read;
	static char data[1024];
	const size_t hashed = offsetof(struct chunk_header, check);
	struct writer w;
	FILE *f;
	int i;

	(void)unused;
	assert_int_equal(writer_open(&w, data_path, 1), OK);
	for (i = 0; i < 2; i++) {
		writer_chunk(&w, CHUNK_META, 0, 5, 5, 1, &(struct iovec){ data, sizeof(data) }, 1);
		f = fopen(w.tmp, "r");
		assert_int_equal(fread(&read, 1, sizeof(read), f),
				 sizeof(read.file) + (i + 1) * sizeof(read.chunk[0]));
		fclose(f);
		fill_stack(XXH3_64bits(&read.chunk[i].h, hashed));
	}
	assert_int_equal(writer_close(&w), OK);
	for (i = 0; i < 2; i++)
		assert_int_equal(read.chunk[i].h.check, (uint32_t)XXH3_64bits_withSeed(read.chunk[i].data,
				 sizeof(data), XXH3_64bits(&read.chunk[i].h, hashed)));
}

/* perf reports some of them as loads. */
static void locked_instructions_read_and_write(void **unused)
{
	struct sample_record r = { };

	(void)unused;
	chunk_data_src(&r, (uint64_t)PERF_MEM_OP_LOAD << PERF_MEM_OP_SHIFT |
		       (uint64_t)PERF_MEM_LOCK_LOCKED << PERF_MEM_LOCK_SHIFT);
	assert_int_equal(r.op, 3);
	chunk_data_src(&r, (uint64_t)PERF_MEM_OP_LOAD << PERF_MEM_OP_SHIFT);
	assert_int_equal(r.op, 1);
}

static off_t size_now(void)
{
	struct stat st;

	assert_int_equal(stat(data_path, &st), 0);
	return st.st_size;
}

/* An earlier recording is replaced by the first samples; after that the new one is kept by its name. */
static void a_recording_replaces_another_once_it_has_samples(void **unused)
{
	const struct sample_record sample = { .op = 1 };
	struct writer w;
	off_t size;

	(void)unused;
	assert_int_equal(truncate(data_path, 12345), 0);
	assert_int_equal(writer_open(&w, data_path, 1), OK);
	writer_chunk(&w, CHUNK_META, 0, 5, 5, 1, &(struct iovec){ "{}", 2 }, 1);
	assert_int_equal(size_now(), 12345);
	writer_drop(&w);
	assert_int_equal(size_now(), 12345);
	assert_int_equal(writer_open(&w, data_path, 1), OK);
	writer_chunk(&w, CHUNK_SAMPLES, 0, 5, 5, 1, &(struct iovec){ (void *)&sample, sizeof(sample) }, 1);
	size = size_now();
	assert_int_equal(size, sizeof(struct file_header) + sizeof(struct chunk_header) + sizeof(sample));
	assert_int_equal(writer_close(&w), OK);
	assert_int_equal(size_now(), size);
}

/* One that is larger is damage to readers: it is an error, and the recording before stays. */
static void a_chunk_has_a_maximum(void **unused)
{
	char *data = calloc(1, MEMPROF_MAX_CHUNK + 1);
	char error[256];
	struct writer w;
	struct file f;

	(void)unused;
	assert_non_null(data);
	assert_int_equal(writer_open(&w, data_path, 1), OK);
	writer_chunk(&w, CHUNK_META, 0, 5, 5, 1, &(struct iovec){ data, MEMPROF_MAX_CHUNK }, 1);
	writer_chunk(&w, CHUNK_END, 0, 5, 5, 1, &(struct iovec){ "{}", 2 }, 1);
	assert_int_equal(writer_close(&w), OK);
	assert_int_equal(file_open(&f, data_path, error, sizeof(error)), 0);
	assert_string_equal(f.damage, "");
	file_close(&f);
	assert_int_equal(writer_open(&w, data_path, 1), OK);
	writer_chunk(&w, CHUNK_META, 0, 5, 5, 1, (struct iovec []){
		{ data, MEMPROF_MAX_CHUNK }, { data + MEMPROF_MAX_CHUNK, 1 } }, 2);
	assert_int_equal(w.error, EFBIG);
	assert_non_null(strstr(writer_error(&w), "a chunk"));
	assert_int_equal(writer_close(&w), FAILED);
	assert_int_equal(file_open(&f, data_path, error, sizeof(error)), 0);
	file_close(&f);
	free(data);
}

/* A session, and a ring of a thread of this process in it, with room for as many records. */
#define ROOM	1000

struct session {
	struct recording r;
	struct rings *rings;
	struct ring *ring;
	char path[256];
};

static size_t ring_bytes(void)
{
	return RING_HEADER + ROOM * sizeof(struct event_record);
}

static void begin_session(struct session *s)
{
	static const char meta[] = "{\"machine\":{\"nodes\":1,\"cpu_node\":[0],\"distance\":[[10]]},"
				   "\"source\":\"swmem\",\"objects\":true,\"levels\":\"none\"}";
	const uint64_t time = now_ns();
	char error[256];

	*s = (struct session){ };
	assert_int_equal(guard_begin("memprof", false), OK);
	s->rings = rings_new(&s->r, error, sizeof(error));
	assert_non_null(s->rings);
	assert_int_equal(writer_open(&s->r.writer, data_path, time), OK);
	writer_chunk(&s->r.writer, CHUNK_META, 0, time, time, 1, &(struct iovec){ (void *)meta, strlen(meta) }, 1);
}

static void end_session(struct session *s)
{
	const uint64_t time = now_ns();

	rings_close(s->rings);
	writer_chunk(&s->r.writer, CHUNK_END, 0, time, time, 1, &(struct iovec){ "{}", 2 }, 1);
	assert_int_equal(writer_close(&s->r.writer), OK);
	assert_int_equal(guard_undo(), OK);
}

static void add_file(struct session *s, const char *name, size_t bytes)
{
	int fd;

	snprintf(s->path, sizeof(s->path), "%s/%s", rings_directory(s->rings), name);
	fd = open(s->path, O_RDWR | O_CREAT | O_EXCL, 0600);
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, bytes), 0);
	if (bytes)
		s->ring = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	assert_ptr_not_equal(s->ring, MAP_FAILED);
	close(fd);
}

static void put_events(struct ring *ring, int n)
{
	struct event_record *e = (void *)((char *)ring + RING_HEADER);

	while (n--) {
		e[ring->head] = (struct event_record){ .type = EVENT_ALLOC, .addr = 0x10000 + ring->head * 64, .size = 64 };
		ring->head++;
	}
}

static void add_ring_of(struct session *s, const char *name, int events)
{
	add_file(s, name, ring_bytes());
	*s->ring = (struct ring){ .magic = RING_MAGIC, .pid = getpid(), .tid = getpid(), .image = 1,
				  .base = now_ns(), .capacity = ROOM, .clock = RING_MONOTONIC };
	put_events(s->ring, events);
}

/* What the recording itself says: a loss is an event, too. */
static void recorded_are(uint64_t events, uint64_t lost)
{
	char error[256];
	struct memprof *m = memprof_open(data_path, NULL, error, sizeof(error));

	if (!m)
		fail_msg("%s", error);
	assert_null(memprof_damage(m));
	assert_int_equal(memprof_totals(m)->events, events);
	assert_int_equal(memprof_totals(m)->lost_events, lost);
	memprof_close(m);
}

/* Where the cut is, of @keep bytes: before the header, or behind it. */
static void cut_at(size_t keep)
{
	struct session s;

	begin_session(&s);
	add_ring_of(&s, "10.11.1", 3);
	rings_drain(s.rings, false);
	put_events(s.ring, 600);
	munmap(s.ring, ring_bytes());
	assert_int_equal(truncate(s.path, keep), 0);
	rings_drain(s.rings, false);
	assert_int_equal(access(s.path, F_OK), -1);
	assert_int_equal(s.r.lost[LOST_EVENTS], 1);
	/* Others are read on. */
	add_ring_of(&s, "10.12.2", 5);
	rings_drain(s.rings, true);
	munmap(s.ring, ring_bytes());
	end_session(&s);
}

static void a_ring_that_another_process_cuts_ends(void **unused)
{
	(void)unused;
	cut_at(0);
	recorded_are(3 + 5 + 1, 1);
	cut_at(RING_HEADER + 4096);
	recorded_are(3 + 5 + 1, 1);
}

static void losses_without_a_record_are_reported(void **unused)
{
	struct session s;

	(void)unused;
	begin_session(&s);
	add_ring_of(&s, "10.11.1", 3);
	s.ring->lost = 7;
	s.ring->no_space = 7;
	s.ring->done = 1;
	rings_drain(s.rings, true);
	munmap(s.ring, ring_bytes());
	add_file(&s, "10.12.2", 0);
	rings_drain(s.rings, true);
	assert_int_equal(s.r.lost[LOST_EVENTS], 8);
	assert_int_equal(s.r.no_space, 7);
	assert_int_equal(s.r.without_ring, 1);
	end_session(&s);
	recorded_are(3 + 2, 8);
}

/* Process numbers of a PID namespace say nothing of the recorder's. */
static void a_process_of_another_namespace_is_not_gone(void **unused)
{
	struct session s;
	struct stat st;
	int other;

	(void)unused;
	assert_int_equal(stat("/proc/self/ns/pid", &st), 0);
	for (other = 0; other < 2; other++) {
		begin_session(&s);
		add_ring_of(&s, "10.11.1", 3);
		s.ring->pid = INT_MAX;
		s.ring->pid_ns = st.st_ino + other;
		rings_drain(s.rings, false);
		/* Quiet threads are looked at five times a second. */
		usleep(250000);
		rings_drain(s.rings, false);
		rings_drain(s.rings, false);
		assert_int_equal(access(s.path, F_OK), other ? 0 : -1);
		put_events(s.ring, 2);
		munmap(s.ring, ring_bytes());
		rings_drain(s.rings, true);
		end_session(&s);
		recorded_are(other ? 5 : 3, 0);
	}
}

static void add_ring_of_image(struct session *s, const char *name, uint32_t pid, uint64_t image, char *path)
{
	struct stat st;

	assert_int_equal(stat("/proc/self/ns/pid", &st), 0);
	add_ring_of(s, name, 3);
	s->ring->pid = pid;
	s->ring->pid_ns = st.st_ino;
	s->ring->image = image;
	strcpy(path, s->path);
}

static void rings_of_an_earlier_image_end(void **unused)
{
	char earlier[256], thread[256], child[256], later[256];
	const uint32_t pid = getpid();
	struct ring *first;
	struct session s;

	(void)unused;
	begin_session(&s);
	add_ring_of_image(&s, "10.10.1", pid, 5, earlier);
	first = s.ring;
	add_ring_of_image(&s, "10.11.2", pid, 5, thread);
	munmap(s.ring, ring_bytes());
	add_ring_of_image(&s, "11.11.1", getppid(), 4, child);
	munmap(s.ring, ring_bytes());
	rings_drain(s.rings, false);
	assert_int_equal(access(earlier, F_OK) | access(thread, F_OK) | access(child, F_OK), 0);
	/* Written last, before execve(). */
	put_events(first, 2);
	munmap(first, ring_bytes());
	add_ring_of_image(&s, "10.10.3", pid, 6, later);
	munmap(s.ring, ring_bytes());
	rings_drain(s.rings, false);
	assert_int_equal(access(earlier, F_OK), -1);
	assert_int_equal(access(thread, F_OK), -1);
	assert_int_equal(access(child, F_OK) | access(later, F_OK), 0);
	rings_drain(s.rings, true);
	end_session(&s);
	recorded_are(4 * 3 + 2, 0);
}

/* Whatever the recorded program has put there, but not what links lead to. */
static void nothing_of_a_session_stays(void **unused)
{
	char directory[256], at[300], outside[] = "/tmp/memprof-outside.XXXXXX";
	static const char * const made[] = { "1.1.1", "1.1.1/.2", "1.1.1/.2/3" };
	const int fd = mkstemp(outside);
	struct session s;
	size_t i;

	(void)unused;
	assert_true(fd >= 0);
	close(fd);
	begin_session(&s);
	snprintf(directory, sizeof(directory), "%s", rings_directory(s.rings));
	for (i = 0; i < 3; i++) {
		snprintf(at, sizeof(at), "%s/%s", directory, made[i]);
		assert_int_equal(mkdir(at, 0700), 0);
	}
	strcat(at, "/link");
	assert_int_equal(symlink(outside, at), 0);
	add_file(&s, ".hidden", 1);
	munmap(s.ring, 1);
	/* Of a recorder that is killed: its guard does it. */
	assert_int_equal(guard_undo(), OK);
	assert_int_equal(access(directory, F_OK), -1);
	assert_int_equal(unlink(outside), 0);
	end_session(&s);
}

static int to_pipe(void *fd)
{
	return dup2(*(int *)fd, STDOUT_FILENO) < 0 ? FAILED : OK;
}

/* As nohup and services have it; Ctrl-C ends the command in any case. */
static void the_command_ignores_what_was_ignored(void **unused)
{
	char *command[] = { "sed", "-n", "s/^SigIgn:.*\\(.\\{8\\}\\)$/\\1/p", "/proc/self/status", NULL };
	char ignored[16] = "";
	int ends[2], go, status;
	pid_t pid;

	(void)unused;
	signal(SIGHUP, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGINT, SIG_IGN);
	assert_int_equal(pipe(ends), 0);
	catch_signals();
	pid = command_start(command, to_pipe, &ends[1], &go);
	assert_true(pid > 0);
	assert_int_equal(write(go, "", 1), 1);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_int_equal(read(ends[0], ignored, sizeof(ignored) - 1), 9);
	assert_int_equal(strtoul(ignored, NULL, 16) & (1 << (SIGHUP - 1) | 1 << (SIGPIPE - 1) | 1 << (SIGINT - 1)),
			 1 << (SIGHUP - 1) | 1 << (SIGPIPE - 1));
	signal(SIGHUP, SIG_DFL);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGINT, SIG_DFL);
}

/* As /proc/PID/stat says. */
static char state_in(const char *stat)
{
	char state = '?';
	FILE *f = fopen(stat, "r");

	assert_non_null(f);
	assert_int_equal(fscanf(f, "%*d (%*[^)]) %c", &state), 1);
	fclose(f);
	return state;
}

/* If something else has taken its status, it has ended, too. */
static void a_command_without_a_status_has_ended(void **unused)
{
	siginfo_t info;
	pid_t pid;
	int i;

	(void)unused;
	for (i = 0; i < 2; i++) {
		pid = fork();
		if (!pid)
			_exit(3);
		assert_true(pid > 0);
		assert_int_equal(waitid(P_PID, pid, &info, WEXITED | (i ? 0 : WNOWAIT)), 0);
		assert_int_equal(reap(pid), i ? FAILED : 3);
	}
}

static void *wait_for_end(void *fd)
{
	char byte;

	return read(*(int *)fd, &byte, 1) ? NULL : fd;
}

/* The first thread ends, another one goes on until @fd does. */
static void __attribute__((noreturn)) end_first_thread(int fd)
{
	static int at;
	pthread_t thread;

	at = fd;
	if (pthread_create(&thread, NULL, wait_for_end, &at))
		_exit(1);
	pthread_exit(NULL);
}

/* A zombie is gone, but not where only its first thread is one. */
static void processes_that_have_ended_are_gone(void **unused)
{
	struct options o = { .pids.nr = 2 };
	siginfo_t info;
	char path[64];
	int ends[2];

	(void)unused;
	assert_int_equal(pipe(ends), 0);
	o.pids.id[0] = fork();
	if (!o.pids.id[0])
		_exit(0);
	o.pids.id[1] = fork();
	if (!o.pids.id[1]) {
		close(ends[1]);
		end_first_thread(ends[0]);
	}
	assert_int_equal(waitid(P_PID, o.pids.id[0], &info, WEXITED | WNOWAIT), 0);
	snprintf(path, sizeof(path), "/proc/%d/stat", o.pids.id[1]);
	while (state_in(path) != 'Z')
		sched_yield();
	assert_false(all_gone(&o));
	close(ends[1]);
	assert_int_equal(waitid(P_PID, o.pids.id[1], &info, WEXITED | WNOWAIT), 0);
	assert_true(all_gone(&o));
	waitpid(o.pids.id[0], NULL, 0);
	waitpid(o.pids.id[1], NULL, 0);
	assert_true(all_gone(&o));
	o.pids.id[0] = getpid();
	assert_false(all_gone(&o));
	close(ends[0]);
}

/* Which has no descriptor. */
static void a_thread_that_runs_is_not_gone(void **unused)
{
	struct options o = { .pids.nr = 1 };
	pthread_t thread;
	int ends[2], i, n;
	pid_t tids[8];

	(void)unused;
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(pthread_create(&thread, NULL, wait_for_end, &ends[0]), 0);
	n = add_tids(getpid(), tids, 0);
	assert_int_equal(n, 2);
	for (i = 0; i < n; i++) {
		o.pids.id[0] = tids[i];
		assert_false(all_gone(&o));
	}
	close(ends[1]);
	assert_int_equal(pthread_join(thread, NULL), 0);
	close(ends[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(arguments_that_are_not_utf8_are_recorded),
		cmocka_unit_test(long_commands_are_cut_between_characters),
		cmocka_unit_test(checks_do_not_depend_on_the_stack),
		cmocka_unit_test(locked_instructions_read_and_write),
		cmocka_unit_test(a_recording_replaces_another_once_it_has_samples),
		cmocka_unit_test(a_chunk_has_a_maximum),
		cmocka_unit_test(a_ring_that_another_process_cuts_ends),
		cmocka_unit_test(losses_without_a_record_are_reported),
		cmocka_unit_test(a_process_of_another_namespace_is_not_gone),
		cmocka_unit_test(rings_of_an_earlier_image_end),
		cmocka_unit_test(nothing_of_a_session_stays),
		cmocka_unit_test(the_command_ignores_what_was_ignored),
		cmocka_unit_test(a_command_without_a_status_has_ended),
		cmocka_unit_test(processes_that_have_ended_are_gone),
		cmocka_unit_test(a_thread_that_runs_is_not_gone),
	};

	return cmocka_run_group_tests_name("memprof record", tests, data_make_path, data_remove_path);
}
