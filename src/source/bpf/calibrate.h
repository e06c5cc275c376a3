/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef KMP_SOURCE_BPF_CALIBRATE_H
#define KMP_SOURCE_BPF_CALIBRATE_H

#include <linux/types.h>

enum { CALIBRATE_PAGES = 256, CALIBRATE_DEPTH = 32, CALIBRATE_WORDS = 64 };

enum { CALIBRATE_PEEK = 32768 };

struct calibration {
	__u32 count;
	__u64 pages[CALIBRATE_PAGES]; /* struct page pointers, in the order of the allocations */
	__u64 stack[CALIBRATE_DEPTH]; /* of the first */
	__u64 words[CALIBRATE_WORDS]; /* what lies there from the program's context on */
};

#endif
