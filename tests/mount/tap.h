/* SPDX-License-Identifier: GPL-2.0-only */
/* What the programs of this directory print, and what of the kernel's answers FUSE changes. */
#ifndef TESTS_MOUNT_TAP_H
#define TESTS_MOUNT_TAP_H

#include <stdbool.h>

/* The files are served by FUSE, which answers some calls itself. */
extern bool on_fuse;

/* MAX_NUMNODES of the kernel (or what is served as such). */
extern long max_nodes;

/* Points nowhere; the compiler does not know. */
extern void *bad_pointer;

/* One test. Returns ok, so that details can follow as comments. */
bool check(bool ok, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A call's result and errno (0 where it did not fail); errno is that of the call just made. */
bool check_call(const char *what, long got, long want, int want_errno);

/* End the program: there is no point in going on. */
void die(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

/* open() that must work. */
int open_or_die(const char *path, int flags);

/* The text with what cannot be printed as \xNN, in a buffer of its own for a few calls. */
const char *shown(const char *text, unsigned long len);

void check_page_owner(const char *path);
void check_allocinfo(const char *path);
void check_threshold(const char *path);

#endif
