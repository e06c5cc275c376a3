// SPDX-License-Identifier: GPL-2.0-only
#include "cli/fleet/labels.h"

#include <string.h>

enum { NAME_LENGTH = 64, VALUE_LENGTH = 256 };

static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";

static bool is_label(const char *label)
{
	size_t name = strspn(label, letters);

	return name && name <= NAME_LENGTH && label[name] == '=' &&
	       strlen(label + name + 1) <= VALUE_LENGTH;
}

/* Is the name that of an earlier one? */
static bool is_again(const struct cli_args *args, const char *label, int position)
{
	size_t len = strcspn(label, "=") + 1;
	const char *other;
	int before = 0;

	while ((other = cli_next_value(args, "label", &before)) && before < position) {
		if (!strncmp(other, label, len))
			return true;
	}
	return false;
}

struct kmp_error *labels_read(const struct cli_args *args, struct row_writer *labels)
{
	const char *label;
	uint64_t count = 0;
	int position = 0;

	while (cli_next_value(args, "label", &position))
		count++;
	try(row_put_length(labels, count));
	position = 0;
	while ((label = cli_next_value(args, "label", &position))) {
		size_t name = strcspn(label, "=");

		if (!is_label(label))
			return kmp_error_new(KMP_ERROR_USAGE,
					     "--label: '%.80s' is not NAME=VALUE, the name of "
					     "letters, digits and _.-",
					     label);
		if (is_again(args, label, position))
			return kmp_error_new(KMP_ERROR_USAGE, "--label: '%.*s' comes twice",
					     (int)name, label);
		try(row_put_text(labels, label, name));
		try(row_put_string(labels, label + name + 1));
	}
	return NULL;
}
