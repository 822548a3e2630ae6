// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * Contention for one structure of the kernel each, by ordinary system calls:
 *
 *	contention list
 *	contention ROUNDS CASE...
 *
 * Two threads, or two processes, on CPU 0 and CPU 1, call the kernel ROUNDS times each, or more
 * until the other has done so, on one object; in cases whose set is "none", each on an object of its own.  Prints a line each case: its
 * name and the ids of the two tasks, by which its samples are found.  list prints a line each
 * case: name, set (tune, judge or none), structs, fields, class, and why, from the source of
 * Linux 6.12.  Several structs or fields are separated by "|": of false sharing, either side
 * of the line may be named.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#define NR_CPUS 2

static int fd, own[NR_CPUS], ends[NR_CPUS][2];
static char path[NR_CPUS][32];
/* How many tasks, their ids, and in a line of its own how many are done: shared by processes, a page. */
static atomic_int *arrived;
#define DONE		64

static void die(const char *what)
{
	fprintf(stderr, "contention: %s: %s\n", what, strerror(errno));
	exit(1);
}

static int check(int ret, const char *what)
{
	if (ret < 0)
		die(what);
	return ret;
}

static void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	check(sched_setaffinity(0, sizeof(set), &set), "sched_setaffinity");
}

static int file_in_tmp(const char *name)
{
	int file = check(open(name, O_CREAT | O_RDWR, 0600), name);

	check(ftruncate(file, NR_CPUS * 4096), name);
	return file;
}

/* Each its file in its directory: nobody else walks there. */
static void own_paths(void)
{
	for (int cpu = 0; cpu < NR_CPUS; cpu++) {
		snprintf(path[cpu], sizeof(path[cpu]), "/tmp/own.%d", cpu);
		if (mkdir(path[cpu], 0700) && errno != EEXIST)
			die(path[cpu]);
		strcat(path[cpu], "/x");
		own[cpu] = file_in_tmp(path[cpu]);
	}
}

static void one_file(void)
{
	fd = file_in_tmp("/tmp/x");
	check(pwrite(fd, "x", 1, 0), "pwrite");
	own_paths();
}

static void fcntl_one(int cpu, int round)
{
	check(fcntl(fd, F_GETFL), "fcntl");
}

static void lseek_one(int cpu, int round)
{
	check(lseek(fd, 0, SEEK_CUR), "lseek");
}

static void pwrite_one(int cpu, int round)
{
	check(pwrite(fd, "x", 1, cpu * 4096), "pwrite");
}

static void pread_one(int cpu, int round)
{
	char c;

	check(pread(fd, &c, 1, 0), "pread");
}

static void stat_one(int cpu, int round)
{
	struct stat st;

	check(stat("/tmp/x", &st), "stat");
}

static void umask_beside_stat(int cpu, int round)
{
	struct stat st;

	if (cpu)
		check(stat("x", &st), "stat");
	else
		umask(round & 1 ? 022 : 077);
}

static void one_directory(void)
{
	one_file();
	check(chdir("/tmp"), "/tmp");
}

static void getuid_beside_open(int cpu, int round)
{
	if (cpu)
		close(check(open(path[cpu], O_RDONLY), path[cpu]));
	else
		syscall(SYS_getuid);
}

static void dup_own(int cpu, int round)
{
	close(check(dup(own[cpu]), "dup"));
}

static void one_pipe(void)
{
	check(pipe2(ends[0], O_NONBLOCK), "pipe");
}

static void use_pipe(int read_end, int write_end)
{
	char c = 0;

	if ((read_end >= 0 && read(read_end, &c, 1) < 0 && errno != EAGAIN) ||
	    (write_end >= 0 && write(write_end, &c, 1) < 0 && errno != EAGAIN))
		die("pipe");
}

static void pipe_one(int cpu, int round)
{
	use_pipe(cpu ? ends[0][0] : -1, cpu ? -1 : ends[0][1]);
}

static void own_pipes(void)
{
	for (int cpu = 0; cpu < NR_CPUS; cpu++)
		check(pipe2(ends[cpu], O_NONBLOCK), "pipe");
}

static void pipe_own(int cpu, int round)
{
	use_pipe(ends[cpu][0], ends[cpu][1]);
}

static void eventfds(void)
{
	fd = check(eventfd(0, EFD_NONBLOCK), "eventfd");
	for (int cpu = 0; cpu < NR_CPUS; cpu++)
		own[cpu] = check(eventfd(0, EFD_NONBLOCK), "eventfd");
}

static void write_event(int file)
{
	uint64_t one = 1;

	check(write(file, &one, sizeof(one)), "eventfd");
}

static void eventfd_one(int cpu, int round)
{
	write_event(fd);
}

static void eventfd_own(int cpu, int round)
{
	write_event(own[cpu]);
}

static void mask_signals(int cpu, int round)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	check(sigprocmask(round & 1 ? SIG_UNBLOCK : SIG_BLOCK, &set, NULL), "sigprocmask");
}

static void call_msync(int cpu, int round)
{
	check(msync((char *)arrived, 4096, MS_ASYNC), "msync");
}

static void call_uname(int cpu, int round)
{
	struct utsname name;

	check(uname(&name), "uname");
}

static void sockets(void)
{
	fd = check(socket(AF_INET, SOCK_DGRAM, 0), "socket");
	for (int cpu = 0; cpu < NR_CPUS; cpu++)
		own[cpu] = check(socket(AF_INET, SOCK_DGRAM, 0), "socket");
}

static void recv_from(int file)
{
	char c;

	if (recv(file, &c, 1, MSG_DONTWAIT) >= 0 || errno != EAGAIN)
		die("recv");
}

static void recv_one(int cpu, int round)
{
	recv_from(fd);
}

static void recv_own(int cpu, int round)
{
	recv_from(own[cpu]);
}

static void make_socket(int cpu, int round)
{
	close(check(socket(AF_INET, SOCK_DGRAM, 0), "socket"));
}

static void one_semaphore(void)
{
	fd = check(semget(IPC_PRIVATE, 1, 0600), "semget");
	/* Each task takes one and gives it back: none waits. */
	check(semctl(fd, 0, SETVAL, NR_CPUS), "semctl");
}

static void semop_one(int cpu, int round)
{
	struct sembuf down_and_up = { 0, round % 2 ? -1 : 1, 0 };

	if (semop(fd, &down_and_up, 1))
		die("semop");
}

static void one_timer(void)
{
	fd = check(timerfd_create(CLOCK_MONOTONIC, 0), "timerfd_create");
}

static void timer_one(int cpu, int round)
{
	struct itimerspec t;

	check(timerfd_gettime(fd, &t), "timerfd_gettime");
}

static void modify(int cpu, int op)
{
	struct epoll_event event = { EPOLLIN, { .fd = cpu } };

	check(epoll_ctl(fd, op, own[cpu], &event), "epoll_ctl");
}

static void one_epoll(void)
{
	eventfds();
	close(fd);
	fd = check(epoll_create1(0), "epoll_create");
	for (int cpu = 0; cpu < NR_CPUS; cpu++)
		modify(cpu, EPOLL_CTL_ADD);
}

static void epoll_one(int cpu, int round)
{
	modify(cpu, EPOLL_CTL_MOD);
}

static void one_inotify(void)
{
	fd = check(inotify_init1(IN_NONBLOCK), "inotify_init");
}

static void inotify_one(int cpu, int round)
{
	int n;

	check(ioctl(fd, FIONREAD, &n), "FIONREAD");
}

static void get_limit(int cpu, int round)
{
	struct rlimit limit;

	check(getrlimit(RLIMIT_NOFILE, &limit), "getrlimit");
}

static void affinity_of_parent(int cpu, int round)
{
	cpu_set_t set;

	check(sched_getaffinity(getppid(), sizeof(set), &set), "sched_getaffinity");
}

static void one_queue(void)
{
	fd = check(mq_open("/contention", O_CREAT | O_RDWR, 0600, NULL), "mq_open");
}

static void queue_one(int cpu, int round)
{
	struct mq_attr attr;

	check(mq_getattr(fd, &attr), "mq_getattr");
}

static void lseek_own(int cpu, int round)
{
	check(lseek(own[cpu], 0, SEEK_CUR), "lseek");
	check(fcntl(own[cpu], F_GETFL), "fcntl");
}

static void stat_own(int cpu, int round)
{
	struct stat st;

	check(stat(path[cpu], &st), path[cpu]);
}

static const struct load {
	const char *name, *set, *structs, *fields, *class, *why;
	void (*setup)(void);
	void (*call)(int cpu, int round);
	enum { PROCESSES, THREADS } of;
} loads[] = {
	{ "file", "tune", "file", "f_count", "true",
	  "fdget() counts a reference if threads share the table of files; fput() drops it",
	  one_file, fcntl_one, THREADS },
	{ "pipe", "tune", "pipe_inode_info", "mutex", "true",
	  "pipe_write() and pipe_read() lock the pipe's mutex first",
	  one_pipe, pipe_one, PROCESSES },
	{ "eventfd", "tune", "eventfd_ctx", "wqh|count", "true",
	  "eventfd_write() takes wqh.lock, which is on one line with count, and adds to count",
	  eventfds, eventfd_one, PROCESSES },
	{ "siglock", "tune", "sighand_struct", "siglock", "true",
	  "__set_current_blocked() takes siglock, of all threads",
	  NULL, mask_signals, THREADS },
	{ "mm", "tune", "mm_struct", "mmap_lock", "true",
	  "msync() takes mmap_lock for reading, which adds to its count, and with MS_ASYNC does no more",
	  NULL, call_msync, THREADS },
	{ "uname", "tune", "uts_sem|rw_semaphore", "count", "true",
	  "newuname() takes uts_sem for reading, which adds to its count",
	  NULL, call_uname, PROCESSES },
	{ "udp", "tune", "udp_sock", "reader_queue", "true",
	  "__skb_recv_udp() takes reader_queue.lock before it finds the queue empty",
	  sockets, recv_one, PROCESSES },
	{ "umask", "tune", "fs_struct", "umask|seq|pwd", "false",
	  "umask() writes umask, path_init() reads seq and pwd of the same line",
	  one_directory, umask_beside_stat, THREADS },
	{ "dentry", "tune", "dentry", "d_lockref", "true",
	  "legitimize_path() and dput() count references of the path's last component",
	  one_file, stat_one, PROCESSES },
	{ "sem", "tune", "sem_array|sem", "lock|semval", "true",
	  "semop() takes the semaphore's lock, which is on one line with semval, and writes semval",
	  one_semaphore, semop_one, THREADS },
	{ "lseek", "judge", "file", "f_pos_lock", "true",
	  "fdget_pos() locks the position if several processes have the file",
	  one_file, lseek_one, PROCESSES },
	{ "inode", "judge", "inode|shmem_inode_info", "i_rwsem", "true",
	  "writers of a file, also of other pages, take i_rwsem",
	  one_file, pwrite_one, PROCESSES },
	{ "page", "judge", "page|folio", "_refcount", "true",
	  "readers of a page take a reference while they copy",
	  one_file, pread_one, PROCESSES },
	{ "timerfd", "judge", "timerfd_ctx", "wqh", "true",
	  "timerfd_gettime() takes wqh.lock",
	  one_timer, timer_one, PROCESSES },
	{ "epoll", "judge", "eventpoll", "mtx", "true",
	  "epoll_ctl() locks mtx, whichever file it is about",
	  one_epoll, epoll_one, PROCESSES },
	{ "inotify", "judge", "fsnotify_group", "notification_lock", "true",
	  "FIONREAD takes notification_lock to add up what waits",
	  one_inotify, inotify_one, PROCESSES },
	{ "rlimit", "judge", "task_struct", "alloc_lock", "true",
	  "do_prlimit() takes task_lock() of the thread group's leader, which sleeps",
	  NULL, get_limit, THREADS },
	{ "affinity", "judge", "task_struct", "pi_lock", "true",
	  "sched_getaffinity() takes pi_lock of the task it is about, which sleeps",
	  NULL, affinity_of_parent, PROCESSES },
	{ "mqueue", "judge", "mqueue_inode_info", "lock", "true",
	  "mq_getattr() takes the queue's lock",
	  one_queue, queue_one, PROCESSES },
	{ "cred", "judge", "cred", "usage|uid", "false",
	  "open() and close() of one thread count references in usage, getuid() of the other reads "
	  "uid, of the same line",
	  own_paths, getuid_beside_open, THREADS },
	{ "files", "more", "files_struct", "file_lock", "true",
	  "dup() and close() take file_lock of the table that threads share",
	  own_paths, dup_own, THREADS },
	{ "net", "more", "init_net|net", "count", "true",
	  "sk_alloc() takes a reference of the network namespace, ns.count",
	  NULL, make_socket, PROCESSES },
	{ "own_files", "none", "-", "-", "-", "each process has its file and its position",
	  own_paths, lseek_own, PROCESSES },
	{ "own_pipes", "none", "-", "-", "-", "each process has its pipe",
	  own_pipes, pipe_own, PROCESSES },
	{ "own_mm", "none", "-", "-", "-", "each process has its mm_struct",
	  NULL, call_msync, PROCESSES },
	{ "own_eventfds", "none", "-", "-", "-", "each process has its eventfd",
	  eventfds, eventfd_own, PROCESSES },
	{ "own_sockets", "none", "-", "-", "-", "each process has its socket",
	  sockets, recv_own, PROCESSES },
	{ "own_paths", "none", "-", "-", "-", "what both walk is only read",
	  own_paths, stat_own, PROCESSES },
};

#define NR_LOADS (sizeof(loads) / sizeof(loads[0]))

static const struct load *load;
static int rounds;

static void *run(void *arg)
{
	const int cpu = (long)arg;

	pin(cpu);
	arrived[1 + cpu] = gettid();
	atomic_fetch_add(arrived, 1);
	while (atomic_load(arrived) < NR_CPUS)
		sched_yield();
	/* One whose calls are shorter goes on: without it the other's are no contention. */
	for (int i = 1; atomic_load(&arrived[DONE]) < NR_CPUS; i++) {
		load->call(cpu, i);
		if (i == rounds)
			atomic_fetch_add(&arrived[DONE], 1);
	}
	return NULL;
}

static void run_threads(void)
{
	pthread_t thread[NR_CPUS];

	for (long cpu = 0; cpu < NR_CPUS; cpu++)
		if (pthread_create(&thread[cpu], NULL, run, (void *)cpu))
			die("pthread_create");
	for (int cpu = 0; cpu < NR_CPUS; cpu++)
		pthread_join(thread[cpu], NULL);
}

static int run_processes(void)
{
	int status, bad = 0;

	for (long cpu = 0; cpu < NR_CPUS; cpu++) {
		if (check(fork(), "fork"))
			continue;
		run((void *)cpu);
		_exit(0);
	}
	for (int cpu = 0; cpu < NR_CPUS; cpu++) {
		if (wait(&status) < 0)
			die("wait");
		bad |= status;
	}
	return bad != 0;
}

static int list(void)
{
	for (size_t i = 0; i < NR_LOADS; i++)
		printf("%s\t%s\t%s\t%s\t%s\t%s\n", loads[i].name, loads[i].set, loads[i].structs,
		       loads[i].fields, loads[i].class, loads[i].why);
	return 0;
}

/* In a process of its own, whose objects go when it ends. */
static int run_case(void)
{
	int ret = 0;

	arrived = mmap(NULL, (1 + DONE) * sizeof(*arrived), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (arrived == MAP_FAILED)
		die("mmap");
	if (load->setup)
		load->setup();
	if (load->of == PROCESSES)
		ret = run_processes();
	else
		run_threads();
	printf("%s %d %d\n", load->name, arrived[1], arrived[2]);
	fflush(stdout);
	return ret;
}

static const struct load *find(const char *name)
{
	for (size_t i = 0; i < NR_LOADS; i++)
		if (!strcmp(loads[i].name, name))
			return &loads[i];
	fprintf(stderr, "contention: no case %s\n", name);
	exit(2);
}

int main(int argc, char **argv)
{
	int status = 0;

	if (argc == 2 && !strcmp(argv[1], "list"))
		return list();
	rounds = argc > 2 ? atoi(argv[1]) : 0;
	if (rounds <= 0) {
		fprintf(stderr, "usage: contention list | ROUNDS CASE...\n");
		return 2;
	}
	for (int i = 2; i < argc && !status; i++) {
		load = find(argv[i]);
		if (!check(fork(), "fork"))
			return run_case();
		if (wait(&status) < 0)
			die("wait");
	}
	return status != 0;
}
