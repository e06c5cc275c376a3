// SPDX-License-Identifier: GPL-2.0-only
#include "ledger/page_filter.h"

#include <errno.h>
#include <string.h>

/* The kernel takes no longer text than this for its possible nodes. */
static size_t longest(const struct kmp_node_limits *limits)
{
	return 32 + 6 * (size_t)limits->possible;
}

static bool is(const char *word, size_t len, const char *text)
{
	return len == strlen(text) && !memcmp(word, text, len);
}

static int apply_mode(struct kmp_page_filter *filter, const char *name, size_t len)
{
	static const struct {
		const char *name;
		enum kmp_mode mode;
	} modes[] = {
		{ "stack", KMP_MODE_STACK },
		{ "handle", KMP_MODE_HANDLE },
		{ "stack_handle", KMP_MODE_STACK_HANDLE },
	};

	for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++) {
		if (is(name, len, modes[i].name)) {
			filter->mode = modes[i].mode;
			return 0;
		}
	}
	return EINVAL;
}

static int apply_nodes(struct kmp_page_filter *filter, const struct kmp_node_limits *limits,
		       const char *list, size_t len)
{
	struct kmp_nodelist nodes;
	int err = kmp_nodelist_parse(list, len, limits->possible, &nodes);

	if (err)
		return err;
	if (!kmp_nodelist_within(&nodes, &limits->memory))
		return EINVAL;
	filter->nodes = nodes;
	filter->has_nodes = true;
	return 0;
}

static int apply_word(struct kmp_page_filter *filter, const struct kmp_node_limits *limits,
		      const char *word, size_t len)
{
	if (len >= 5 && !memcmp(word, "mode=", 5))
		return apply_mode(filter, word + 5, len - 5);
	if (len >= 4 && !memcmp(word, "nid=", 4))
		return apply_nodes(filter, limits, word + 4, len - 4);
	return EINVAL;
}

int kmp_page_filter_apply(struct kmp_page_filter *filter, const struct kmp_node_limits *limits,
			  const char *text, size_t len)
{
	struct kmp_page_filter changed = *filter;
	const char *p = text;

	if (len > longest(limits))
		return EINVAL;
	const char *end = text + strnlen(text, len);

	while (p < end) {
		const char *word = p;

		while (p < end && *p != ' ' && *p != '\t' && *p != '\n')
			p++;
		int err = p > word ? apply_word(&changed, limits, word, (size_t)(p - word)) : 0;

		if (err)
			return err;
		p++;
	}
	*filter = changed;
	return 0;
}
