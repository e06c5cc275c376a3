/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Scope guards: a variable marked so releases what it owns when it leaves its scope. An owner
 * hands its value out with return_ptr(), which forgets it first.
 */
#ifndef KMP_BASE_CLEANUP_H
#define KMP_BASE_CLEANUP_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define cleanup(fn) __attribute__((cleanup(fn)))

/* Define cleanup_NAME(), which calls fn on the pointer held by the variable. */
#define DEFINE_CLEANUP(name, type, fn)                                                             \
	static inline void cleanup_##name(type *p)                                                 \
	{                                                                                          \
		fn(*p);                                                                            \
	}

static inline void cleanup_free(void *p)
{
	free(*(void **)p);
}

static inline void cleanup_fd(const int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

static inline void cleanup_file(FILE **f)
{
	if (*f)
		fclose(*f);
}

#define auto_free cleanup(cleanup_free)
#define auto_fd	  cleanup(cleanup_fd)
#define auto_file cleanup(cleanup_file)

/* The pointer's value; the variable no longer owns it. */
#define no_free(p)                                                                                 \
	({                                                                                         \
		__auto_type no_free_value_ = (p);                                                  \
		(p) = NULL;                                                                        \
		no_free_value_;                                                                    \
	})
#define return_ptr(p) return no_free(p)

#endif
