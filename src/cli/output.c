// SPDX-License-Identifier: GPL-2.0-only
/* Output files that are complete or absent. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "cli/common.h"

static struct kmp_error *no_memory(void)
{
	return kmp_error_new(KMP_ERROR_MEMORY, "out of memory");
}

/*
 * What mode the new file gets: that of the one it replaces; else it is its owner's alone, since it
 * tells what tasks did.
 */
static mode_t mode_for(const char *path)
{
	struct stat st;

	return stat(path, &st) ? 0600 : st.st_mode & 07777;
}

static struct kmp_error *open_temp(struct cli_output *output)
{
	if (asprintf(&output->temp, "%s.XXXXXX", output->path) < 0) {
		output->temp = NULL;
		return no_memory();
	}
	int fd = mkstemp(output->temp);

	if (fd < 0) {
		int errnum = errno;

		free(output->temp);
		output->temp = NULL;
		return kmp_error_system(errnum, output->path, "cannot create");
	}
	output->file = fdopen(fd, "w");
	if (!output->file) {
		int errnum = errno;

		close(fd);
		return kmp_error_system(errnum, output->path, "cannot open");
	}
	if (fchmod(fd, mode_for(output->path)))
		return kmp_error_system(errno, output->path, "cannot set the mode");
	return NULL;
}

/* A device or a pipe cannot be replaced; it is written itself. */
static struct kmp_error *open_special(struct cli_output *output)
{
	output->file = fopen(output->path, "we");
	return output->file ? NULL : kmp_error_system(errno, output->path, "cannot open");
}

static struct kmp_error *open_path(struct cli_output *output, const char *path)
{
	struct stat st;

	/* What a link points to is replaced, not the link. */
	output->path = realpath(path, NULL);
	if (!output->path)
		output->path = strdup(path);
	if (!output->path)
		return no_memory();
	if (!stat(path, &st) && !S_ISREG(st.st_mode))
		return open_special(output);
	return open_temp(output);
}

/* What no terminal can show. */
static bool is_binary(const char *format)
{
	return format && !strcmp(format, "pprof");
}

struct kmp_error *cli_output_open(const struct cli_args *args, struct cli_output *output)
{
	const char *path = cli_value(args, "output");

	if (!path && is_binary(cli_value(args, "format")) && isatty(STDOUT_FILENO))
		return kmp_error_new(KMP_ERROR_USAGE,
				     "a profile is no text for a terminal: --output FILE");
	return cli_output_open_at(cli_value(args, "output"), output);
}

struct kmp_error *cli_output_open_at(const char *path, struct cli_output *output)
{
	*output = (struct cli_output){ .file = stdout };
	if (!path || !strcmp(path, "-"))
		return NULL;
	output->file = NULL;
	struct kmp_error *err = open_path(output, path);

	if (err)
		cli_output_deinit(output);
	return err;
}

struct kmp_error *cli_output_commit(struct cli_output *output)
{
	FILE *file = output->file;

	if (!output->path)
		return NULL;
	bool failed = ferror(file) || fflush(file);
	int errnum = failed ? errno : 0;

	output->file = NULL;
	if (fclose(file) && !failed) {
		failed = true;
		errnum = errno;
	}
	if (failed)
		return kmp_error_system(errnum, output->path, "cannot write");
	if (output->temp && rename(output->temp, output->path))
		return kmp_error_system(errno, output->path, "cannot put in place");
	free(output->temp);
	output->temp = NULL;
	return NULL;
}

void cli_output_deinit(struct cli_output *output)
{
	if (output->path && output->file)
		fclose(output->file);
	if (output->temp)
		unlink(output->temp);
	free(output->temp);
	free(output->path);
	*output = (struct cli_output){ 0 };
}
