// SPDX-License-Identifier: GPL-2.0-only
#include "source/nodes.h"

#include <string.h>

static struct kmp_error *hand_on(void *arg, struct kmp_ledger *ledger, const struct kmp_page *pages,
				 size_t count)
{
	const struct kmp_node_sink *wanted = arg;
	const struct kmp_sink *next = wanted->next;
	size_t first = 0;

	/* Runs of wanted pages in one call: nodes come in long runs. */
	for (size_t i = 0; i <= count; i++) {
		bool has = i < count &&
			   kmp_nodelist_has(&wanted->nodes,
					    kmp_ledger_place(ledger, pages[i].flags).node);

		if (has)
			continue;
		if (i > first)
			try(next->pages(next->arg, ledger, pages + first, i - first));
		first = i + 1;
	}
	return NULL;
}

struct kmp_error *kmp_node_sink_init(struct kmp_node_sink *wanted, const char *nodes,
				     const struct kmp_sink *next)
{
	*wanted = (struct kmp_node_sink){
		.sink = { hand_on, wanted, next->columns | KMP_COLUMN_FLAGS },
		.next = next,
	};
	int err = kmp_nodelist_parse(nodes, strlen(nodes), KMP_NODES_MAX, &wanted->nodes);

	if (err)
		return kmp_error_new(KMP_ERROR_USAGE, "'%s' is no list of nodes", nodes);
	return NULL;
}
