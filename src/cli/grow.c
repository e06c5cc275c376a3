// SPDX-License-Identifier: GPL-2.0-only
#include "cli/grow.h"

struct kmp_error *cli_grow(void **data, size_t *cap, size_t need, size_t elem)
{
	size_t more = *cap * 2 > need ? *cap * 2 : need + 16;
	void *bigger = more > SIZE_MAX / 2 / elem ? NULL : realloc(*data, more * elem);

	if (!bigger)
		return kmp_error_new(KMP_ERROR_MEMORY, "out of memory");
	*data = bigger;
	*cap = more;
	return NULL;
}
