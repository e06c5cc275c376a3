// SPDX-License-Identifier: GPL-2.0-only
/* A node list: the answer is one of the kernel's, and a list that was accepted is not empty. */
#include <assert.h>
#include <errno.h>
#include <string.h>

#include "base/nodelist.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kmp_nodelist list = { 0 }, all;
	unsigned limit = size ? (unsigned)data[0] * 4 + 1 : 1;
	int err = kmp_nodelist_parse((const char *)data + !!size, size - !!size, limit, &list);
	bool any = false;

	assert(!err || err == EINVAL || err == ERANGE || err == EOVERFLOW);
	assert(!kmp_nodelist_parse("all", 3, limit, &all));
	assert(kmp_nodelist_within(&list, &all));
	for (int32_t node = 0; node < KMP_NODES_MAX; node++)
		any |= kmp_nodelist_has(&list, node);
	assert(any == !err);
	return 0;
}
