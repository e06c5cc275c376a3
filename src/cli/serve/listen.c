// SPDX-License-Identifier: GPL-2.0-only
#include "cli/serve/listen.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/error.h"

enum { BACKLOG = 512 };

static struct kmp_error *cannot(const char *at)
{
	return kmp_error_system(errno, at, "cannot listen");
}

/* A file of a server that is no more is in nobody's way. */
static void remove_dead(const struct sockaddr_un *address)
{
	struct stat st;
	auto_fd int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd >= 0 && !lstat(address->sun_path, &st) && S_ISSOCK(st.st_mode) &&
	    connect(fd, (const struct sockaddr *)address, sizeof(*address)) &&
	    errno == ECONNREFUSED)
		unlink(address->sun_path);
}

static struct kmp_error *listen_unix(const char *path, struct serve_listen *to)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };

	if (!*path || strlen(path) >= sizeof(address.sun_path))
		return kmp_error_new(KMP_ERROR_USAGE,
				     "--listen: the socket's path has 1 to %zu bytes",
				     sizeof(address.sun_path) - 1);
	strcpy(address.sun_path, path);
	remove_dead(&address);
	to->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (to->fd < 0)
		return cannot(path);
	mode_t mask = umask(0177);
	int failed = bind(to->fd, (const struct sockaddr *)&address, sizeof(address));

	umask(mask);
	if (failed)
		return cannot(path);
	to->path = strdup(path);
	to->loopback = true;
	snprintf(to->where, sizeof(to->where), "unix:%.110s", path);
	return listen(to->fd, BACKLOG) ? cannot(path) : NULL;
}

union address {
	struct sockaddr any;
	struct sockaddr_in four;
	struct sockaddr_in6 six;
};

static struct kmp_error *bad_address(const char *at)
{
	return kmp_error_new(KMP_ERROR_USAGE,
			     "--listen: '%s' is none of ADDRESS:PORT, [ADDRESS]:PORT, unix:PATH",
			     at);
}

static struct kmp_error *parse_address(const char *at, union address *address)
{
	const char *colon = strrchr(at, ':');
	char host[INET6_ADDRSTRLEN + 2] = "", *end;
	size_t len = colon ? (size_t)(colon - at) : 0;

	if (!colon || !len || len >= sizeof(host) || strspn(colon + 1, "0123456789") > 5)
		return bad_address(at);
	unsigned long port = strtoul(colon + 1, &end, 10);

	if (end == colon + 1 || *end || port > 65535)
		return bad_address(at);
	memcpy(host, at, len);
	*address = (union address){ .six = { 0 } };
	if (!strcmp(host, "localhost"))
		strcpy(host, "127.0.0.1");
	if (host[0] == '[' && host[len - 1] == ']') {
		host[len - 1] = '\0';
		address->six.sin6_family = AF_INET6;
		address->six.sin6_port = htons((uint16_t)port);
		return inet_pton(AF_INET6, host + 1, &address->six.sin6_addr) == 1
			       ? NULL
			       : bad_address(at);
	}
	address->four.sin_family = AF_INET;
	address->four.sin_port = htons((uint16_t)port);
	return inet_pton(AF_INET, host, &address->four.sin_addr) == 1 ? NULL : bad_address(at);
}

static bool is_loopback(const union address *address)
{
	if (address->any.sa_family == AF_INET)
		return ntohl(address->four.sin_addr.s_addr) >> 24 == 127;
	return IN6_IS_ADDR_LOOPBACK(&address->six.sin6_addr);
}

static void name_address(const union address *address, char *where, size_t size)
{
	char host[INET6_ADDRSTRLEN] = "";

	if (address->any.sa_family == AF_INET) {
		inet_ntop(AF_INET, &address->four.sin_addr, host, sizeof(host));
		snprintf(where, size, "http://%s:%u/", host, ntohs(address->four.sin_port));
	} else {
		inet_ntop(AF_INET6, &address->six.sin6_addr, host, sizeof(host));
		snprintf(where, size, "http://[%s]:%u/", host, ntohs(address->six.sin6_port));
	}
}

static struct kmp_error *listen_internet(const char *at, bool may_others, struct serve_listen *to)
{
	union address address;
	int yes = 1;

	try(parse_address(at, &address));
	to->loopback = is_loopback(&address);
	if (!to->loopback && !may_others)
		return kmp_error_new(KMP_ERROR_USAGE,
				     "--listen: %s is open to other machines: that takes "
				     "--token-file, or --no-token to say that anybody may ask",
				     at);
	socklen_t len =
		address.any.sa_family == AF_INET ? sizeof(address.four) : sizeof(address.six);

	to->fd = socket(address.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (to->fd < 0)
		return cannot(at);
	setsockopt(to->fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
	if (bind(to->fd, &address.any, len) || listen(to->fd, BACKLOG) ||
	    getsockname(to->fd, &address.any, &len))
		return cannot(at);
	name_address(&address, to->where, sizeof(to->where));
	return NULL;
}

struct kmp_error *serve_listen(const char *at, bool may_others, struct serve_listen *to)
{
	*to = (struct serve_listen){ .fd = -1 };
	if (!strncmp(at, "unix:", 5))
		return listen_unix(at + 5, to);
	return listen_internet(at, may_others, to);
}

void serve_listen_deinit(struct serve_listen *to)
{
	if (to->fd >= 0)
		close(to->fd);
	if (to->path)
		unlink(to->path);
	free(to->path);
	*to = (struct serve_listen){ .fd = -1 };
}
