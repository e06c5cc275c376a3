// SPDX-License-Identifier: GPL-2.0-only
#include "cli/serve/guard.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "cli/serve/http.h"

enum { TOKEN_MIN = 16, TOKEN_MAX = 1000 };

bool serve_token_fits(const char *token, const char *authorization)
{
	static const char scheme[] = "Bearer ";
	unsigned differ = 0;

	if (!authorization || strncasecmp(authorization, scheme, sizeof(scheme) - 1) != 0)
		return false;
	const char *given = authorization + sizeof(scheme) - 1;
	size_t len = strlen(token), given_len = strlen(given);

	/* As many steps as were given, whatever the token. */
	for (size_t i = 0; i < given_len; i++)
		differ |= (unsigned char)given[i] ^ (unsigned char)token[i % len];
	return !differ & (given_len == len);
}

bool serve_host_is_here(const char *host)
{
	char name[INET6_ADDRSTRLEN + 1];
	struct in6_addr address;

	if (!host)
		return true;
	bool six = host[0] == '[';
	size_t len = six ? strcspn(host, "]") : strcspn(host, ":");

	if (len >= sizeof(name))
		return false;
	memcpy(name, host + six, len - six);
	name[len - six] = '\0';
	if (!strcasecmp(name, "localhost"))
		return true;
	return inet_pton(six ? AF_INET6 : AF_INET, name, &address) == 1;
}

bool serve_takes_gzip(const char *accept)
{
	while (accept && *accept) {
		size_t len;

		accept += strspn(accept, " \t,");
		len = strcspn(accept, " \t,;");
		bool gzip = len == 4 && !strncasecmp(accept, "gzip", 4);

		accept += len;
		len = strcspn(accept, ",");
		const char *weight = memmem(accept, len, "q=", 2);

		if (gzip)
			return !weight || strtod(weight + 2, NULL) > 0;
		accept += len;
	}
	return false;
}

bool serve_wants_open_metrics(const char *accept)
{
	return accept && strstr(accept, "application/openmetrics-text");
}

struct kmp_error *serve_read_token(const char *path, char **token)
{
	auto_file FILE *file = fopen(path, "re");
	char text[TOKEN_MAX + 2];

	if (!file)
		return kmp_error_system(errno, path, "cannot open");
	if (!fgets(text, sizeof(text), file))
		text[0] = '\0';
	text[strcspn(text, "\r\n")] = '\0';
	size_t len = strlen(text);

	if (len < TOKEN_MIN || len > TOKEN_MAX)
		return kmp_error_new(KMP_ERROR_INPUT, "%s: a token has %d to %d characters", path,
				     TOKEN_MIN, TOKEN_MAX);
	for (size_t i = 0; i < len; i++) {
		if (text[i] <= ' ' || text[i] > '~')
			return kmp_error_new(KMP_ERROR_INPUT,
					     "%s: a token has no blanks, and ASCII alone", path);
	}
	*token = strdup(text);
	return *token ? NULL : kmp_error_new(KMP_ERROR_MEMORY, "out of memory");
}
