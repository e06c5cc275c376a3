/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef KMP_SOURCE_BPF_CALIBRATE_H
#define KMP_SOURCE_BPF_CALIBRATE_H

#include <linux/types.h>

enum { CALIBRATE_PAGES = 256, CALIBRATE_DEPTH = 16 };

struct calibration {
	__u32 count;
	__u64 pages[CALIBRATE_PAGES]; /* struct page pointers, in the order of the allocations */
	__u64 stack[CALIBRATE_DEPTH]; /* of the first */
};

#endif
