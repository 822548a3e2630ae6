/* SPDX-License-Identifier: GPL-2.0 */
#ifndef PAGE_HINTS_API_H
#define PAGE_HINTS_API_H

#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "hints.h"

#define UNPRIVILEGED	"/proc/sys/vm/page_hints_unprivileged"
#define INHERIT		"/proc/sys/vm/page_hints_inherit"
#define NOBODY		65534

extern char *self_path;	/* of this program, to be executed anew */

int try_put(const char *path, const char *text);

/* A file each: what is tested. */
void test_structures(int fd);
void test_set(int fd);
void test_splits(int fd);
void test_rights(void);
void test_colors(void);
void test_strangers(void);
void test_inheritance(int fd);
int report(void);	/* for test_inheritance(): the program, executed anew */
void test_locked(int fd);
void test_maps(void);
void test_places(int fd);
void test_compat(int fd);

#endif
