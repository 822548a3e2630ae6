// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* init: the guest's first process.  Receives a command from the relay on the
 * host, runs it, sends its output and its exit status back, and powers off.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <net/if.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "proto.h"

#define MAX_ARGS 4096
/* Reads of the command's pipes after its end: more than a pipe holds. */
#define LATE_READS 64
#define MAX_KEPT 4
#define MAX_RECORDING (256 << 20)

static int port = -1;

static char *args[MAX_ARGS + 1];
static int nr_args;
static int root_is_host, have_share, have_stdin;
static const char *cwd;
/* Directories of the host that stay visible below the guest's own /tmp and the like. */
static struct kept {
	char *path;
	int fd;
} kept[MAX_KEPT];
static int nr_kept;
/* Prefix of recordings that are copied from the guest's own file systems to the share. */
static const char *recordings;
static int upper = -1;
static int nr_recordings;

static int write_all(int fd, const void *data, size_t len)
{
	const char *p = data;

	while (len) {
		ssize_t n = write(fd, p, len);

		if (n < 0) {
			if (errno == EINTR)
				continue;
			return -1;
		}
		p += n;
		len -= n;
	}
	return 0;
}

static int read_all(int fd, void *data, size_t len)
{
	char *p = data;

	while (len) {
		ssize_t n = read(fd, p, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return -1;
		p += n;
		len -= n;
	}
	return 0;
}

/* One write a frame: a port buffer holds a whole frame. */
static void send_frame(uint32_t type, const void *data, uint32_t len)
{
	static char buf[sizeof(struct vm_frame) + VM_FRAME_MAX];
	struct vm_frame f = { type, len };

	memcpy(buf, &f, sizeof(f));
	if (len)
		memcpy(buf + sizeof(f), data, len);
	write_all(port, buf, sizeof(f) + len);
}

static void __attribute__((noreturn)) power_off(void)
{
	sync();
	reboot(RB_POWER_OFF);
	for (;;)
		pause();
}

/* The host acknowledges, so nothing is still queued when the VM goes away. */
static void __attribute__((noreturn)) finish(void)
{
	char buf[VM_FRAME_MAX];
	struct vm_frame f;

	while (!read_all(port, &f, sizeof(f)) && f.type != VM_ACK && f.len <= sizeof(buf)) {
		if (read_all(port, buf, f.len))
			break;
	}
	power_off();
}

static void __attribute__((noreturn, format(printf, 1, 2))) die(const char *fmt, ...)
{
	char msg[512];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(msg, sizeof(msg), fmt, ap);
	va_end(ap);
	if (n >= (int)sizeof(msg))
		n = sizeof(msg) - 1;
	if (port < 0) {
		fprintf(stderr, "init: %s\n", msg);
		power_off();
	}
	send_frame(VM_ERROR, msg, n);
	finish();
}

static void mkdirs(const char *path)
{
	if (mkdir(path, 0755) && errno != EEXIST)
		die("mkdir %s: %s", path, strerror(errno));
}

static void mount_at(const char *src, const char *dir, const char *type, unsigned long flags,
		     const char *data)
{
	mkdirs(dir);
	if (mount(src, dir, type, flags, data))
		die("mount %s on %s: %s", type, dir, strerror(errno));
}

/* Ports come from a message of the device: wait for ours to appear. */
static void open_port(void)
{
	for (int ms = 0; ms < 10000; ms++) {
		port = open(VM_PORT_DEV, O_RDWR | O_CLOEXEC);
		if (port >= 0)
			return;
		usleep(1000);
	}
	die("%s: %s", VM_PORT_DEV, strerror(errno));
}

static void take_option(char *s)
{
	char *value = strchr(s, '=');

	if (!value)
		die("bad option: %s", s);
	*value++ = '\0';
	if (!strcmp(s, "root"))
		root_is_host = !strcmp(value, "host");
	else if (!strcmp(s, "share"))
		have_share = atoi(value);
	else if (!strcmp(s, "stdin"))
		have_stdin = atoi(value);
	else if (!strcmp(s, "cwd"))
		cwd = value;
	else if (!strcmp(s, "env"))
		putenv(value);
	else if (!strcmp(s, "recordings"))
		recordings = value;
	else if (!strcmp(s, "keep") && nr_kept < MAX_KEPT)
		kept[nr_kept++].path = value;
	else
		die("unknown option: %s", s);
}

static void read_request(void)
{
	struct vm_frame f;
	int from;
	char *s;

	/* A command in the guest's image arrives at the same instruction in each run. */
	from = open(VM_REQUEST_FILE, O_RDONLY | O_CLOEXEC);
	if (from < 0)
		from = port;
	for (;;) {
		if (read_all(from, &f, sizeof(f)))
			die("no request from the host");
		if (f.type == VM_GO)
			break;
		s = malloc(f.len + 1);
		if (!s || f.len > (1u << 24) || read_all(from, s, f.len))
			die("bad request from the host");
		s[f.len] = '\0';
		if (f.type == VM_OPTION)
			take_option(s);
		else if (f.type == VM_ARG && nr_args < MAX_ARGS)
			args[nr_args++] = s;
		else
			die("bad request from the host");
	}
	if (!nr_args)
		die("no command");
}

/* The host's root read-only, with a throw-away layer over it. */
static void enter_host_root(void)
{
	mount_at("tmpfs", "/overlay", "tmpfs", 0, "size=75%");
	mkdirs("/overlay/lower");
	mkdirs("/overlay/upper");
	mkdirs("/overlay/work");
	mkdirs("/overlay/root");
	if (mount("hostroot", "/overlay/lower", "9p", MS_RDONLY,
		  "trans=virtio,version=9p2000.L,msize=512000,cache=loose"))
		die("mount the host's root: %s", strerror(errno));
	if (mount("overlay", "/overlay/root", "overlay", 0,
		  "lowerdir=/overlay/lower,upperdir=/overlay/upper,workdir=/overlay/work"))
		die("mount overlay: %s", strerror(errno));
	upper = open("/overlay/upper", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	mkdirs("/overlay/root/dev");
	if (mount("/dev", "/overlay/root/dev", NULL, MS_MOVE, NULL))
		die("move /dev: %s", strerror(errno));
	/* The modules are this kernel's, not the host's. */
	if (!access("/lib/modules", F_OK)) {
		mkdirs("/overlay/root/lib/modules");
		if (mount("/lib/modules", "/overlay/root/lib/modules", NULL, MS_BIND, NULL))
			die("bind /lib/modules: %s", strerror(errno));
	}
	umount2("/proc", MNT_DETACH);
	umount2("/sys", MNT_DETACH);
	if (chdir("/overlay/root") || mount(".", "/", NULL, MS_MOVE, NULL) || chroot(".") ||
	    chdir("/"))
		die("change root: %s", strerror(errno));
	mount_at("proc", "/proc", "proc", 0, NULL);
	mount_at("sysfs", "/sys", "sysfs", 0, NULL);
}

/* A file system mounted above them hides them from then on. */
static void open_kept(void)
{
	for (int i = 0; i < nr_kept; i++)
		kept[i].fd = open(kept[i].path, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

static void show_kept(void)
{
	char from[64], *slash;

	for (int i = 0; i < nr_kept; i++) {
		if (kept[i].fd < 0 || !access(kept[i].path, F_OK))
			continue;
		for (slash = strchr(kept[i].path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
			*slash = '\0';
			mkdirs(kept[i].path);
			*slash = '/';
		}
		snprintf(from, sizeof(from), "/proc/self/fd/%d", kept[i].fd);
		mkdirs(kept[i].path);
		if (mount(from, kept[i].path, NULL, MS_BIND, NULL))
			die("bind %s: %s", kept[i].path, strerror(errno));
	}
}

static void mount_rest(void)
{
	static const char *const links[][2] = {
		{ "/proc/self/fd", "/dev/fd" },		{ "/proc/self/fd/0", "/dev/stdin" },
		{ "/proc/self/fd/1", "/dev/stdout" },	{ "/proc/self/fd/2", "/dev/stderr" },
	};

	for (size_t i = 0; i < sizeof(links) / sizeof(links[0]); i++) {
		if (symlink(links[i][0], links[i][1]) && errno != EEXIST)
			die("%s: %s", links[i][1], strerror(errno));
	}
	mount_at("devpts", "/dev/pts", "devpts", 0, "gid=5,mode=620,ptmxmode=666");
	mount_at("tmpfs", "/dev/shm", "tmpfs", 0, "mode=1777");
	mount_at("tmpfs", "/tmp", "tmpfs", 0, "mode=1777,size=75%");
	mount_at("tmpfs", "/run", "tmpfs", 0, "mode=755");
	/* Continue without these: a kernel may lack them, and most commands do not need them. */
	mount("debugfs", "/sys/kernel/debug", "debugfs", 0, NULL);
	mount("tracefs", "/sys/kernel/tracing", "tracefs", 0, NULL);
	mount("cgroup2", "/sys/fs/cgroup", "cgroup2", 0, NULL);
	/*
	 * Without a cache of what is written: with cache=mmap, Linux takes the size that the host has for
	 * that of a file while another write is still on its way, and loses what is behind that size
	 * (6.12, v9fs_vfs_getattr_dotl()).
	 */
	if (have_share)
		mount_at("share", "/share", "9p", 0,
			 "trans=virtio,version=9p2000.L,msize=512000,cache=none");
}

static void loopback_up(void)
{
	struct ifreq ifr = { .ifr_name = "lo" };
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	if (fd < 0)
		return;
	ifr.ifr_flags = IFF_UP | IFF_RUNNING;
	ioctl(fd, SIOCSIFFLAGS, &ifr);
	close(fd);
}

static pid_t start_command(int in, int out, int err)
{
	pid_t pid = fork();

	if (pid < 0)
		die("fork: %s", strerror(errno));
	if (pid)
		return pid;
	setsid();
	if (dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(err, 2) < 0)
		_exit(125);
	for (int fd = 3; fd < 32; fd++)
		close(fd);
	signal(SIGPIPE, SIG_DFL);
	if (!cwd)
		cwd = have_share ? "/share" : "/";
	if (chdir(cwd)) {
		fprintf(stderr, "init: %s: %s\n", cwd, strerror(errno));
		_exit(127);
	}
	execvp(args[0], args);
	fprintf(stderr, "init: %s: %s\n", args[0], strerror(errno));
	_exit(errno == ENOENT ? 127 : 126);
}

/* Return false at the end of @fd. */
static int relay_output(int fd, uint32_t type)
{
	char buf[VM_FRAME_MAX];
	ssize_t n = read(fd, buf, sizeof(buf));

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return 1;
	if (n <= 0)
		return 0;
	send_frame(type, buf, n);
	return 1;
}

/* Return false at the end of stdin. */
static int relay_input(int fd)
{
	char buf[VM_FRAME_MAX];
	struct vm_frame f;

	if (read_all(port, &f, sizeof(f)) || f.type != VM_STDIN || !f.len || f.len > sizeof(buf) ||
	    read_all(port, buf, f.len))
		return 0;
	return !write_all(fd, buf, f.len);
}

static int child_pipe = -1;

static void on_sigchld(int sig)
{
	int saved = errno;

	(void)sig;
	if (write(child_pipe, "", 1) < 0)
		errno = saved;	/* full: a wake-up is on its way already */
	errno = saved;
}

/* Reap all children, as pid 1 must.  Return true once @pid itself has ended. */
static int reap(pid_t pid, uint32_t *status)
{
	int st, ended = 0;
	pid_t p;

	while ((p = waitpid(-1, &st, WNOHANG)) > 0) {
		if (p != pid)
			continue;
		ended = 1;
		*status = WIFSIGNALED(st) ? 128 + WTERMSIG(st) : WEXITSTATUS(st);
	}
	return ended;
}

static uint32_t run_command(void)
{
	int in[2] = { -1, -1 }, out[2], err[2], chld[2], ended = 0, late = 0;
	struct pollfd p[4];
	uint32_t status = 0;
	pid_t pid;

	if (pipe2(out, O_CLOEXEC) || pipe2(err, O_CLOEXEC) || pipe2(chld, O_CLOEXEC | O_NONBLOCK))
		die("pipe: %s", strerror(errno));
	child_pipe = chld[1];
	signal(SIGCHLD, on_sigchld);
	signal(SIGPIPE, SIG_IGN);
	if (have_stdin ? pipe2(in, O_CLOEXEC) : (in[0] = open("/dev/null", O_RDONLY)) < 0)
		die("stdin: %s", strerror(errno));
	pid = start_command(in[0], out[1], err[1]);
	close(in[0]);
	close(out[1]);
	close(err[1]);

	p[0] = (struct pollfd){ chld[0], POLLIN, 0 };
	p[1] = (struct pollfd){ out[0], POLLIN, 0 };
	p[2] = (struct pollfd){ err[0], POLLIN, 0 };
	p[3] = (struct pollfd){ have_stdin ? port : -1, POLLIN, 0 };
	/* Send the output that is in the pipes when the command ends; do not
	 * wait for later output of its daemons.
	 */
	for (;;) {
		int n = poll(p, 4, ended ? 0 : -1);

		if (n < 0 && errno == EINTR)
			continue;
		if (ended && (n <= 0 || ++late > LATE_READS))
			break;
		if (p[0].revents) {
			char c[64];

			while (read(chld[0], c, sizeof(c)) > 0)
				;
			ended |= reap(pid, &status);
			if (ended)
				p[3].fd = -1;
		}
		if (p[1].revents && !relay_output(out[0], VM_STDOUT))
			p[1].fd = -1;
		if (p[2].revents && !relay_output(err[0], VM_STDERR))
			p[2].fd = -1;
		if (p[3].revents && !relay_input(in[1])) {
			close(in[1]);
			p[3].fd = -1;
		}
	}
	return status;
}

static int copy_recording(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	static const char * const magics[] = { "MEMPROF\n", "\027\010\104tracing", "# dprof events 1\n" };
	static char buf[1 << 16];
	char to[512];
	int in, out;
	ssize_t n;

	if (type != FTW_F || !S_ISREG(st->st_mode) || st->st_size > MAX_RECORDING)
		return 0;
	in = open(path, O_RDONLY | O_CLOEXEC);
	if (in < 0)
		return 0;
	n = read(in, buf, sizeof(buf));
	for (size_t i = 0; n > 0 && i < sizeof(magics) / sizeof(magics[0]); i++) {
		if ((size_t)n < strlen(magics[i]) || memcmp(buf, magics[i], strlen(magics[i])))
			continue;
		mkdir("/share/.recordings", 0777);
		snprintf(to, sizeof(to), "/share/.recordings/%s.%d.%s", recordings, ++nr_recordings,
			 path + ftw->base);
		out = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
		while (out >= 0 && n > 0 && !write_all(out, buf, n))
			n = read(in, buf, sizeof(buf));
		close(out);
		break;
	}
	close(in);
	return 0;
}

/* Save recordings from the guest's own file systems, which are lost at power off. */
static void copy_recordings(void)
{
	static const char * const dirs[] = { "/tmp", "/run", "/dev/shm", "/" };
	const int n = root_is_host ? 3 : 4;

	for (int i = 0; i < n; i++)
		nftw(dirs[i], copy_recording, 16, FTW_PHYS | FTW_MOUNT);
	if (upper >= 0 && !fchdir(upper))
		nftw(".", copy_recording, 16, FTW_PHYS | FTW_MOUNT);
}

int main(void)
{
	uint32_t status;

	mount("devtmpfs", "/dev", "devtmpfs", 0, NULL);
	mount_at("proc", "/proc", "proc", 0, NULL);
	mount_at("sysfs", "/sys", "sysfs", 0, NULL);
	clearenv();
	putenv("HOME=/root");
	putenv("PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
	putenv("TERM=dumb");
	putenv("LANG=C.UTF-8");
	open_port();
	read_request();
	if (root_is_host) {
		enter_host_root();
		open_kept();
	}
	mount_rest();
	if (root_is_host)
		show_kept();
	loopback_up();
	sethostname("guest", 5);
	status = run_command();
	if (recordings && have_share)
		copy_recordings();
	send_frame(VM_STATUS, &status, sizeof(status));
	finish();
}
