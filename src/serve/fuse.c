// SPDX-License-Identifier: GPL-2.0-only
#define FUSE_USE_VERSION 312
#include "serve/fuse.h"

#include <errno.h>
#include <fuse3/fuse_lowlevel.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "serve/fuse_loop.h"
#include "serve/opened.h"
#include "serve/tree.h"

/* The largest read that one request carries; larger ones come in several. */
enum { READ_MAX = 1 << 20, ENTRY_MAX = 512 };

/* What is known of a file does not change. */
static const double forever = 1e9;

struct kmp_fuse {
	struct kmp_served *served;
	struct fuse_session *session;
	struct kmp_opened_list opened;
	char *dir;
	bool mounted;
	bool signals;
};

static void op_init(void *userdata, struct fuse_conn_info *conn)
{
	(void)userdata;
	conn->max_write = READ_MAX;
	conn->max_read = READ_MAX;
	/* A page cache of ours would not know what a filter changes. */
	conn->want &= ~(unsigned)FUSE_CAP_AUTO_INVAL_DATA;
}

static void op_lookup(fuse_req_t req, fuse_ino_t parent, const char *name)
{
	struct fuse_entry_param entry = { .attr_timeout = forever, .entry_timeout = forever };

	entry.ino = kmp_tree_lookup(parent, name);
	if (entry.ino && kmp_tree_stat(entry.ino, &entry.attr))
		fuse_reply_entry(req, &entry);
	else
		fuse_reply_err(req, ENOENT);
}

static void op_getattr(fuse_req_t req, fuse_ino_t inode, struct fuse_file_info *info)
{
	struct stat st;

	(void)info;
	if (kmp_tree_stat(inode, &st))
		fuse_reply_attr(req, &st, forever);
	else
		fuse_reply_err(req, ENOENT);
}

/* `> file` truncates before it writes; debugfs takes that and does nothing. */
static void op_setattr(fuse_req_t req, fuse_ino_t inode, struct stat *attr, int to_set,
		       struct fuse_file_info *info)
{
	(void)attr;
	if (to_set & ~(FUSE_SET_ATTR_SIZE | FUSE_SET_ATTR_MTIME | FUSE_SET_ATTR_CTIME |
		       FUSE_SET_ATTR_MTIME_NOW))
		fuse_reply_err(req, EPERM);
	else
		op_getattr(req, inode, info);
}

static void op_readdir(fuse_req_t req, fuse_ino_t inode, size_t size, off_t offset,
		       struct fuse_file_info *info)
{
	auto_free char *buf = malloc(size);
	const char *name;
	struct stat st;
	size_t used = 0;

	(void)info;
	if (!buf) {
		fuse_reply_err(req, ENOMEM);
		return;
	}
	for (; kmp_tree_entry(inode, (size_t)offset, &name, &st); offset++) {
		size_t need =
			fuse_add_direntry(req, buf + used, size - used, name, &st, offset + 1);

		if (need > size - used)
			break;
		used += need;
	}
	fuse_reply_buf(req, buf, used);
}

/*
 * The kernel can let go of a descriptor as soon as a reply has reached it, while whoever replied is
 * not back yet: all that use an open file enter it first.
 */
static struct kmp_opened *opened_of(const struct fuse_file_info *info)
{
	return (struct kmp_opened *)(uintptr_t)info->fh;
}

static void op_open(fuse_req_t req, fuse_ino_t inode, struct fuse_file_info *info)
{
	struct kmp_fuse *fuse = fuse_req_userdata(req);
	const struct kmp_file *file = kmp_tree_file(inode);
	struct kmp_opened *opened;
	int ret = -EISDIR;

	if (file)
		ret = kmp_opened_create(&fuse->opened, fuse->served, file->ops, &opened);
	if (ret) {
		fuse_reply_err(req, -ret);
		return;
	}
	info->fh = (uintptr_t)opened;
	info->direct_io = 1;
	if (fuse_reply_open(req, info))
		kmp_opened_put(opened);
	kmp_served_look(fuse->served);
}

static void op_release(fuse_req_t req, fuse_ino_t inode, struct fuse_file_info *info)
{
	(void)inode;
	kmp_opened_put(opened_of(info));
	fuse_reply_err(req, 0);
}

/* A request that is replied to is gone, whatever came of the reply. */
struct reply {
	fuse_req_t req;
	bool done;
};

static int reply_bytes(void *arg, const char *bytes, size_t len)
{
	struct reply *reply = arg;

	reply->done = true;
	return fuse_reply_buf(reply->req, bytes, len);
}

static void op_read(fuse_req_t req, fuse_ino_t inode, size_t size, off_t offset,
		    struct fuse_file_info *info)
{
	struct kmp_opened *opened = opened_of(info);
	struct reply reply = { .req = req };

	kmp_opened_enter(opened);
	int ret = opened->ops->read(opened->file, (uint64_t)offset, size, reply_bytes, &reply);

	(void)inode;
	if (!reply.done)
		fuse_reply_err(req, -ret);
	kmp_opened_leave(opened);
}

static void op_write(fuse_req_t req, fuse_ino_t inode, const char *buf, size_t size, off_t offset,
		     struct fuse_file_info *info)
{
	struct kmp_opened *opened = opened_of(info);
	int64_t ret = -EACCES;

	(void)inode;
	if (opened->ops->write) {
		kmp_opened_enter(opened);
		ret = opened->ops->write(opened->file, buf, size, (uint64_t)offset);
		kmp_opened_leave(opened);
	}
	if (ret < 0)
		fuse_reply_err(req, (int)-ret);
	else
		fuse_reply_write(req, (size_t)ret);
}

static void op_ioctl(fuse_req_t req, fuse_ino_t inode, unsigned cmd, void *arg,
		     struct fuse_file_info *info, unsigned flags, const void *in, size_t in_len,
		     size_t out_len)
{
	struct kmp_opened *opened = kmp_tree_file(inode) ? opened_of(info) : NULL;
	uint64_t out[ENTRY_MAX / sizeof(uint64_t)] = { 0 };
	int ret = -ENOTTY;

	(void)arg;
	if (opened && opened->ops->ioctl && !(flags & FUSE_IOCTL_COMPAT) &&
	    out_len <= sizeof(out)) {
		kmp_opened_enter(opened);
		ret = opened->ops->ioctl(opened->file, cmd, in, in_len, out, out_len);
		kmp_opened_leave(opened);
	}
	if (ret < 0)
		fuse_reply_err(req, -ret);
	else
		fuse_reply_ioctl(req, ret, out, out_len);
}

static const struct fuse_lowlevel_ops ops = {
	.init = op_init,
	.lookup = op_lookup,
	.getattr = op_getattr,
	.setattr = op_setattr,
	.readdir = op_readdir,
	.open = op_open,
	.release = op_release,
	.read = op_read,
	.write = op_write,
	.ioctl = op_ioctl,
};

static struct kmp_error *mount_session(struct kmp_fuse *fuse, const char *name)
{
	auto_free char *options = NULL;

	if (asprintf(&options, "fsname=%s,subtype=kmemprof,max_read=%d,default_permissions", name,
		     READ_MAX) < 0) {
		options = NULL;
		return &kmp_error_no_memory;
	}
	char *argv[] = { (char *)"kmemprof", (char *)"-o", options, NULL };
	struct fuse_args args = FUSE_ARGS_INIT(3, argv);

	errno = 0;
	fuse->session = fuse_session_new(&args, &ops, sizeof(ops), fuse);
	fuse_opt_free_args(&args);
	if (!fuse->session)
		return kmp_error_system(errno, fuse->dir, "cannot start a FUSE session");
	/* What comes once it is mounted, before it is served, ends it as well. */
	if (fuse_set_signal_handlers(fuse->session))
		return kmp_error_system(errno, NULL, "cannot set signal handlers");
	fuse->signals = true;
	if (fuse_session_mount(fuse->session, fuse->dir))
		return kmp_error_system(errno, fuse->dir, "cannot mount");
	fuse->mounted = true;
	return NULL;
}

struct kmp_error *kmp_fuse_create(struct kmp_served *served, const char *dir, const char *name,
				  struct kmp_fuse **out)
{
	struct kmp_fuse *fuse = calloc(1, sizeof(*fuse));

	if (!fuse)
		return &kmp_error_no_memory;
	fuse->served = served;
	kmp_opened_list_init(&fuse->opened);
	fuse->dir = realpath(dir, NULL);
	struct kmp_error *err = fuse->dir ? mount_session(fuse, name)
					  : kmp_error_system(errno, dir, "cannot mount here");

	if (err) {
		kmp_fuse_destroy(fuse);
		return err;
	}
	*out = fuse;
	return NULL;
}

struct kmp_error *kmp_fuse_serve(struct kmp_fuse *fuse)
{
	return kmp_fuse_loop(fuse->session);
}

void kmp_fuse_destroy(struct kmp_fuse *fuse)
{
	if (!fuse)
		return;
	if (fuse->signals)
		fuse_remove_signal_handlers(fuse->session);
	if (fuse->mounted)
		fuse_session_unmount(fuse->session);
	if (fuse->session)
		fuse_session_destroy(fuse->session);
	kmp_opened_list_deinit(&fuse->opened);
	free(fuse->dir);
	free(fuse);
}
