/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef KMP_BASE_PATH_H
#define KMP_BASE_PATH_H

#include <stddef.h>

/*
 * The shortest spelling of a path without asking the file system: `./a/b/../c//d` is `a/c/d`.
 * What leads out of a relative path stays (`../a`), nothing is `.`. out has room for len + 2
 * bytes; the NUL behind the result is not counted in the length returned.
 */
size_t kmp_path_normalise(const char *path, size_t len, char *out);

/* The length of the directory's part of a normalised path; 0 where there is none. */
size_t kmp_path_directory(const char *path, size_t len);

#endif
