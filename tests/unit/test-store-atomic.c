// SPDX-License-Identifier: GPL-2.0-only
/* A ledger file is complete or absent, whatever happens to its writer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <errno.h>
#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "store-fill.h"

static void assert_snapshots(const char *path, unsigned expected, const struct filled *content)
{
	struct kmp_store_reader *reader;
	struct filled f;

	assert_no_error(kmp_store_open(path, 0, &reader));
	assert_int_equal(kmp_store_snapshots(reader), expected);
	kmp_store_close(reader);
	assert_no_error(load(&f, path, 0, KMP_COLUMN_ALL));
	assert_same(content, &f);
	filled_deinit(&f);
}

/* What a killed writer left behind must be no ledger file, or a whole one. */
static void assert_leftovers_are_no_harm(const char *path)
{
	char folder[256];

	snprintf(folder, sizeof(folder), "%s", path);
	*strrchr(folder, '/') = '\0';
	DIR *d = opendir(folder);
	struct dirent *e;

	assert_non_null(d);
	while ((e = readdir(d))) {
		size_t len = strlen(e->d_name);
		struct filled f;

		if (len < 4 || strcmp(e->d_name + len - 4, ".tmp") != 0)
			continue;
		assert_int_equal(e->d_name[0], '.');
		if (kmp_store_probe(test_path(e->d_name))) {
			assert_no_error(load(&f, test_path(e->d_name), 0, KMP_COLUMN_ALL));
			filled_deinit(&f);
		}
	}
	closedir(d);
}

/* Kill a process that stores, after this many microseconds. */
static void kill_while_storing(struct filled *f, const char *path, bool append, unsigned delay)
{
	pid_t pid = fork();
	int status;

	assert_true(pid >= 0);
	if (!pid) {
		struct kmp_error *err = save(f, path, append);

		_exit(err ? 1 : 0);
	}
	nanosleep(&(struct timespec){ .tv_nsec = delay * 1000l }, NULL);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status) || WEXITSTATUS(status) == 0);
}

static void a_killed_writer_leaves_what_was_there(void **state)
{
	const char *path = test_path("killed.kmp");
	struct filled old, new;
	unsigned snapshots = 1, unchanged = 0;

	fill(&old, 1, 100);
	fill(&new, 2, 70000);
	assert_no_error(save(&old, path, false));
	for (unsigned delay = 0; delay < 120000; delay += 3000) {
		struct kmp_store_reader *reader;

		kill_while_storing(&new, path, true, delay);
		assert_no_error(kmp_store_open(path, 0, &reader));
		unsigned now = kmp_store_snapshots(reader);

		kmp_store_close(reader);
		assert_true(now == snapshots || now == snapshots + 1);
		unchanged += now == snapshots;
		snapshots = now;
		assert_snapshots(path, now, now == 1 ? &old : &new);
	}
	assert_true(unchanged > 0);
	assert_leftovers_are_no_harm(path);
	filled_deinit(&old);
	filled_deinit(&new);
}

static void a_killed_first_writer_leaves_nothing_or_all(void **state)
{
	const char *path = test_path("first.kmp");
	struct filled f;

	fill(&f, 2, 70000);
	for (unsigned delay = 0; delay < 120000; delay += 6000) {
		unlink(path);
		kill_while_storing(&f, path, false, delay);
		if (!access(path, F_OK))
			assert_snapshots(path, 1, &f);
	}
	assert_leftovers_are_no_harm(path);
	filled_deinit(&f);
}

static void what_a_killed_writer_left_is_removed_later(void **state)
{
	const char *stale = test_path(".a.kmp.abcdef.tmp");
	const char *fresh = test_path(".a.kmp.ghijkl.tmp");
	const char *other = test_path(".b.kmp.abcdef.tmp");
	const struct timespec old[2] = { { .tv_sec = 1000 }, { .tv_sec = 1000 } };
	struct filled f;

	fill(&f, 1, 10);
	close(open(stale, O_CREAT | O_WRONLY, 0600));
	close(open(fresh, O_CREAT | O_WRONLY, 0600));
	close(open(other, O_CREAT | O_WRONLY, 0600));
	assert_int_equal(utimensat(AT_FDCWD, stale, old, 0), 0);
	assert_int_equal(utimensat(AT_FDCWD, other, old, 0), 0);
	assert_no_error(save(&f, test_path("a.kmp"), false));
	assert_int_not_equal(access(stale, F_OK), 0);
	assert_int_equal(access(fresh, F_OK), 0);
	assert_int_equal(access(other, F_OK), 0);
	filled_deinit(&f);
}

static void an_abandoned_store_leaves_nothing(void **state)
{
	struct kmp_store *store;
	struct filled f;

	fill(&f, 1, 70000);
	assert_no_error(kmp_store_create(test_path("a.kmp"), false, &store));
	struct kmp_sink sink = kmp_store_sink(store);

	assert_no_error(sink.pages(sink.arg, f.ledger, f.pages, f.count));
	assert_int_equal(files_in_test_directory(), 1);
	kmp_store_abort(store);
	assert_int_equal(files_in_test_directory(), 0);
	kmp_store_abort(NULL);
	filled_deinit(&f);
}

static void numbers_that_the_ledger_lacks_are_an_error(void **state)
{
	struct filled f;

	fill(&f, 1, 100);
	f.pages[50].task = 100000;
	struct kmp_error *err = save(&f, test_path("a.kmp"), false);

	assert_non_null(err);
	assert_int_equal(err->kind, KMP_ERROR_INPUT);
	kmp_error_destroy(err);
	assert_int_equal(files_in_test_directory(), 0);
	filled_deinit(&f);
}

static void assert_refused(struct filled *f, const char *path, bool append)
{
	struct kmp_error *err = save(f, path, append);

	assert_non_null(err);
	assert_non_null(err->path);
	kmp_error_destroy(err);
}

static void only_files_are_replaced(void **state)
{
	struct filled f;
	struct stat st;

	fill(&f, 1, 10);
	assert_int_equal(mkdir(test_path("dir"), 0700), 0);
	assert_int_equal(mkfifo(test_path("fifo"), 0600), 0);
	assert_int_equal(symlink("nowhere/at/all", test_path("dangling")), 0);
	assert_refused(&f, "/dev/null", false);
	assert_refused(&f, "/dev/null", true);
	assert_refused(&f, test_path("dir"), false);
	assert_refused(&f, test_path("fifo"), false);
	assert_refused(&f, test_path("fifo"), true);
	assert_refused(&f, test_path("dangling"), false);
	assert_refused(&f, test_path("no/such/dir.kmp"), false);
	assert_refused(&f, test_path("dir/"), false);
	assert_int_equal(stat("/dev/null", &st), 0);
	assert_true(S_ISCHR(st.st_mode));
	assert_int_equal(files_in_test_directory(), 3);
	rmdir(test_path("dir"));
	filled_deinit(&f);
}

static void a_link_stays_a_link(void **state)
{
	struct filled f;
	struct stat st;

	fill(&f, 1, 10);
	assert_no_error(save(&f, test_path("target.kmp"), false));
	assert_int_equal(symlink("target.kmp", test_path("link.kmp")), 0);
	assert_no_error(save(&f, test_path("link.kmp"), true));
	assert_int_equal(lstat(test_path("link.kmp"), &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	assert_snapshots(test_path("target.kmp"), 2, &f);
	filled_deinit(&f);
}

static void appending_keeps_the_mode(void **state)
{
	const char *path = test_path("mode.kmp");
	struct filled f;
	struct stat st;

	fill(&f, 1, 10);
	assert_no_error(save(&f, path, false));
	assert_int_equal(chmod(path, 0640), 0);
	assert_no_error(save(&f, path, true));
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0640);
	filled_deinit(&f);
}

static void two_do_not_append_at_once(void **state)
{
	const char *path = test_path("two.kmp");
	struct kmp_store *first;
	struct filled f;

	fill(&f, 1, 10);
	assert_no_error(save(&f, path, false));
	assert_no_error(kmp_store_create(path, true, &first));
	assert_refused(&f, path, true);
	assert_no_error(kmp_store_commit(first, f.ledger));
	assert_no_error(save(&f, path, true));
	assert_snapshots(path, 3, &f);
	filled_deinit(&f);
}

/* In a process of its own, so that limits and mounts end with it; its exit status tells. */
static int in_child(int (*run)(void))
{
	pid_t pid = fork();
	int status;

	assert_true(pid >= 0);
	if (!pid)
		_exit(run());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

enum { CHILD_DONE = 0, CHILD_NO_ERROR = 1, CHILD_OTHER_ERROR = 2, CHILD_SKIP = 77 };

static int fails_with(const char *path, int errnum)
{
	struct filled f;

	fill(&f, 3, 150000);
	struct kmp_error *err = save(&f, path, false);

	if (!err)
		return CHILD_NO_ERROR;
	return err->kind == KMP_ERROR_SYSTEM && err->errnum == errnum && err->path
		       ? CHILD_DONE
		       : CHILD_OTHER_ERROR;
}

static int store_within_limit(void)
{
	const struct rlimit limit = { 100000, 100000 };

	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &limit);
	return fails_with(test_path("limited.kmp"), EFBIG);
}

static void a_file_that_cannot_grow_leaves_nothing(void **state)
{
	assert_int_equal(in_child(store_within_limit), CHILD_DONE);
	assert_int_equal(files_in_test_directory(), 0);
}

static int store_on_full_disk(void)
{
	const char *folder = test_path("disk");
	char path[256];

	snprintf(path, sizeof(path), "%s/full.kmp", folder);
	if (mkdir(folder, 0700) || unshare(CLONE_NEWNS) ||
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("none", folder, "tmpfs", 0, "size=64k"))
		return CHILD_SKIP;
	int status = fails_with(path, ENOSPC);

	/* Nothing is left in the directory, then it can be taken away with its disk. */
	if (!umount(folder) && !rmdir(folder))
		return status;
	return CHILD_OTHER_ERROR;
}

static void a_full_disk_is_an_error(void **state)
{
	int status = in_child(store_on_full_disk);

	if (status == CHILD_SKIP) {
		rmdir(test_path("disk"));
		print_message("SKIP: mounting a small disk takes root\n");
		skip();
	}
	assert_int_equal(status, CHILD_DONE);
	assert_int_equal(files_in_test_directory(), 0);
}

#define case_of(name) cmocka_unit_test_setup_teardown(name, make_directory, remove_directory)

int main(void)
{
	const struct CMUnitTest tests[] = {
		case_of(a_killed_writer_leaves_what_was_there),
		case_of(a_killed_first_writer_leaves_nothing_or_all),
		case_of(what_a_killed_writer_left_is_removed_later),
		case_of(an_abandoned_store_leaves_nothing),
		case_of(numbers_that_the_ledger_lacks_are_an_error),
		case_of(only_files_are_replaced),
		case_of(a_link_stays_a_link),
		case_of(appending_keeps_the_mode),
		case_of(two_do_not_append_at_once),
		case_of(a_file_that_cannot_grow_leaves_nothing),
		case_of(a_full_disk_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
