/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef KMP_FORMAT_JSON_H
#define KMP_FORMAT_JSON_H

#include <stddef.h>

#include "kmemprof/kmemprof.h"

/* A member or item that is a text of which each byte from 0x80 is written as \u00XX. */
void kmp_json_bytes(struct kmp_json *json, const char *name, const char *text, size_t len);

/* A member or item that the input did not tell. */
void kmp_json_null(struct kmp_json *json, const char *name);

#endif
