// SPDX-License-Identifier: GPL-2.0-only
#include "cli/fleet/target.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"

enum { NAME_MAX_LENGTH = 128 };

static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
static const char digits[] = "0123456789";

static const struct {
	const char *name;
	const char *protocol;
	const char *port;
} schemes[] = { { "clickhouse://", "http", "8123" },
		{ "http://", "http", "8123" },
		{ "https://", "https", "8443" } };

void target_deinit(struct target *target)
{
	free(target->base);
	free(target->name);
	free(target->user);
	if (target->password)
		explicit_bzero(target->password, strlen(target->password));
	free(target->password);
	free(target->database);
}

static struct kmp_error *wrong(const char *what)
{
	return kmp_error_new(
		KMP_ERROR_USAGE,
		"the server's URL: %s; it is clickhouse://[USER@]HOST[:PORT]/DATABASE, or https://",
		what);
}

static struct kmp_error *no_memory(void)
{
	return kmp_error_new(KMP_ERROR_MEMORY, "out of memory");
}

static bool consists_of(const char *text, size_t len, const char *more)
{
	for (size_t i = 0; i < len; i++) {
		if (!text[i] || (!strchr(letters, text[i]) && !strchr(digits, text[i]) &&
				 !strchr(more, text[i])))
			return false;
	}
	return len > 0 && len <= NAME_MAX_LENGTH;
}

static struct kmp_error *read_password(const char *path, char **password)
{
	auto_file FILE *file = fopen(path, "re");
	char line[1024] = "";

	if (!file)
		return kmp_error_system(errno, path, "cannot read the password");
	if (!fgets(line, sizeof(line), file) && ferror(file))
		return kmp_error_system(errno, path, "cannot read the password");
	size_t len = strcspn(line, "\n");

	if (!len || len + 1 == sizeof(line))
		return kmp_error_new(KMP_ERROR_USAGE, "%s: holds no password in its first line",
				     path);
	*password = strndup(line, len);
	explicit_bzero(line, sizeof(line));
	return *password ? NULL : no_memory();
}

/* `USER@`, if it is there; *at is moved behind it. */
static struct kmp_error *take_user(const char **at, size_t len, struct target *target)
{
	const char *mark = memchr(*at, '@', len);

	if (!mark)
		return NULL;
	size_t user = (size_t)(mark - *at);

	/* All users of a machine can read a command line. */
	if (memchr(*at, ':', user))
		return wrong("a password is to be in a file, see --password-file");
	if (!consists_of(*at, user, "_.-+$%"))
		return wrong("the user's name has other than letters, digits and _.-+$%");
	target->user = strndup(*at, user);
	*at = mark + 1;
	return target->user ? NULL : no_memory();
}

/* The port begins at the last colon that is not within the brackets of an address. */
static struct kmp_error *take_host(const char *host, size_t len, size_t scheme,
				   struct target *target)
{
	const char *colon = memrchr(host, ':', len), *bracket = memrchr(host, ']', len);
	const char *port = schemes[scheme].port;
	size_t host_len = len, port_len = strlen(port);

	if (colon && (!bracket || colon > bracket)) {
		host_len = (size_t)(colon - host);
		port = colon + 1;
		port_len = len - host_len - 1;
		if (strspn(port, digits) != port_len || !port_len || port_len > 5)
			return wrong("the port is no number");
	}
	if (!consists_of(host, host_len, ".-_:[]%"))
		return wrong("no host");
	if (asprintf(&target->base, "%s://%.*s:%.*s/", schemes[scheme].protocol, (int)host_len,
		     host, (int)port_len, port) < 0) {
		target->base = NULL;
		return no_memory();
	}
	if (asprintf(&target->name, "%.*s:%.*s/%s", (int)host_len, host, (int)port_len, port,
		     target->database) < 0) {
		target->name = NULL;
		return no_memory();
	}
	return NULL;
}

struct kmp_error *target_parse(const char *url, const char *password_file, struct target *target)
{
	size_t scheme = 0, count = sizeof(schemes) / sizeof(*schemes);

	*target = (struct target){ 0 };
	while (scheme < count &&
	       strncmp(url, schemes[scheme].name, strlen(schemes[scheme].name)) != 0)
		scheme++;
	if (scheme == count)
		return wrong("an unknown kind of server");
	const char *at = url + strlen(schemes[scheme].name);
	size_t len = strcspn(at, "/");

	if (!at[len] || !consists_of(at + len + 1, strlen(at + len + 1), "_"))
		return wrong("no database, whose name is of letters, digits and _");
	target->database = strdup(at + len + 1);
	if (!target->database)
		return no_memory();
	const char *host = at;

	try(take_user(&host, len, target));
	try(take_host(host, len - (size_t)(host - at), scheme, target));
	return password_file ? read_password(password_file, &target->password) : NULL;
}
