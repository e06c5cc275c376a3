// SPDX-License-Identifier: GPL-2.0-only
#include "kmemprof/kmemprof.h"

const char *kmp_version(void)
{
	return KMP_VERSION;
}
