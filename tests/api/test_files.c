/* SPDX-License-Identifier: MIT */
/*
 * test_files.c - the file behind a ring: made whole, with the rights asked
 * for, and never followed elsewhere
 */
#include "config.h"

#include <hotline/inspect.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/rings.h"
#include "tests/support/support.h"

/* The path of a name's file. */
static const char *path_of(const char *name)
{
	static char path[512];

	snprintf(path, sizeof(path), "%s/hotline.%s", support_folder(), name);
	return path;
}

/* A name whose file is something that is not a ring. */
static const char *foreign(const void *bytes, size_t n)
{
	const char *name = support_name();
	FILE *file = fopen(path_of(name), "w");

	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fwrite(bytes, 1, n, file), n);
	ck_assert_int_eq(fclose(file), 0);
	return name;
}

static int try_open(const char *name, struct hl_error *err)
{
	struct hl_ring *ring;
	const int ret = hl_ring_open(name, 0, &ring, err);

	if (ret == 0)
		hl_ring_close(ring);
	else
		ck_assert_ptr_null(ring);
	return ret;
}

static int try_inspect(const char *name)
{
	struct hl_inspect *inspect;
	const int ret = hl_inspect_open(name, 0, &inspect, NULL);

	if (ret == 0)
		hl_inspect_close(inspect);
	return ret;
}

static mode_t mode_of(const char *path)
{
	struct stat st;

	ck_assert_int_eq(stat(path, &st), 0);
	return st.st_mode & 07777;
}

static unsigned files_in_folder(void)
{
	DIR *dir = opendir(support_folder());
	struct dirent *entry;
	unsigned n = 0;

	ck_assert_ptr_nonnull(dir);
	while ((entry = readdir(dir)))
		n += entry->d_name[0] != '.';
	closedir(dir);
	return n;
}

/* known-faults row 52 */
START_TEST(ring_is_its_owners_alone_by_default)
{
	umask(0);
	ck_assert_uint_eq(mode_of(path_of(hl_ring_name(support_create(NULL)))),
			  0600);
}
END_TEST

/* known-faults row 50 */
START_TEST(mode_is_what_was_asked_for_under_any_umask)
{
	const mode_t umasks[] = { 0, 022, 027, 077 };
	const mode_t modes[] = { 0600, 0640, 0660, 0666 };

	for (size_t i = 0; i < COUNT_OF(umasks); i++) {
		for (size_t j = 0; j < COUNT_OF(modes); j++) {
			struct hl_ring_attr attr = HL_RING_ATTR_INIT;
			struct hl_ring *ring;

			umask(umasks[i]);
			attr.capacity = 2;
			attr.mode = modes[j];
			ring = support_create(&attr);
			ck_assert_uint_eq(mode_of(path_of(hl_ring_name(ring))),
					  modes[j]);
			ck_assert_uint_eq(umask(0), umasks[i]);
		}
	}
}
END_TEST

static void create_with_mode(struct helper *self)
{
	struct hl_ring_attr attr = HL_RING_ATTR_INIT;

	attr.capacity = 2;
	attr.mode = 0660;
	for (int i = 0; i < 50; i++) {
		char name[64], path[512];
		struct hl_ring *ring;
		struct stat st;

		snprintf(name, sizeof(name), "t%p-%d", (void *)self, i);
		EXPECT(self, hl_ring_create(name, &attr, &ring, NULL) == 0);
		snprintf(path, sizeof(path), "%s/hotline.%s", support_folder(),
			 name);
		EXPECT(self,
		       stat(path, &st) == 0 && (st.st_mode & 07777) == 0660);
		EXPECT(self, hl_ring_close(ring) == 0);
	}
}

static void create_files(struct helper *self)
{
	for (int i = 0; i < 500; i++) {
		char path[512];
		struct stat st;
		int fd;

		snprintf(path, sizeof(path), "%s/f%p-%d", support_folder(),
			 (void *)self, i);
		fd = open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0666);
		EXPECT(self, fd >= 0 && fstat(fd, &st) == 0 &&
				     (st.st_mode & 07777) == 0600);
		close(fd);
	}
}

/* known-faults row 49 */
START_TEST(umask_of_the_process_is_never_touched)
{
	struct helper *helpers[8];

	umask(077);
	for (size_t i = 0; i < COUNT_OF(helpers); i++)
		helpers[i] = support_thread(
			i % 2 ? create_files : create_with_mode, NULL);
	for (size_t i = 0; i < COUNT_OF(helpers); i++)
		support_join(helpers[i]);
}
END_TEST

START_TEST(name_that_is_taken_is_not_created)
{
	struct hl_error err = { 0 };
	struct hl_ring *ring = support_create(NULL), *second;
	const unsigned files = files_in_folder();

	ck_assert_int_eq(hl_ring_create(hl_ring_name(ring), NULL, &second,
					&err),
			 -EEXIST);
	ck_assert_ptr_null(second);
	ck_assert_ptr_nonnull(strstr(err.text, hl_ring_name(ring)));
	ck_assert_uint_eq(files_in_folder(), files);
}
END_TEST

START_TEST(symbolic_links_are_not_followed)
{
	struct hl_ring *target = support_create(NULL), *ring;
	const char *name = support_name();
	char to[512];

	snprintf(to, sizeof(to), "%s", path_of(hl_ring_name(target)));
	ck_assert_int_eq(symlink(to, path_of(name)), 0);
	ck_assert_int_eq(try_open(name, NULL), -ELOOP);
	ck_assert_int_lt(try_inspect(name), 0);
	ck_assert_int_eq(hl_ring_open_or_create(name, NULL, &ring, NULL),
			 -ELOOP);
	ck_assert_int_eq(hl_ring_create(name, NULL, &ring, NULL), -EEXIST);
	ck_assert_int_eq(try_open(hl_ring_name(target), NULL), 0);
}
END_TEST

START_TEST(dangling_link_creates_nothing_elsewhere)
{
	const char *name = support_name();
	char elsewhere[512];
	struct hl_ring *ring;

	snprintf(elsewhere, sizeof(elsewhere), "%s/elsewhere",
		 support_folder());
	ck_assert_int_eq(symlink(elsewhere, path_of(name)), 0);
	ck_assert_int_eq(hl_ring_create(name, NULL, &ring, NULL), -EEXIST);
	ck_assert_int_lt(hl_ring_open_or_create(name, NULL, &ring, NULL), 0);
	ck_assert_int_eq(access(elsewhere, F_OK), -1);
}
END_TEST

/* known-faults row 53: nothing blocks, nothing crashes. */
START_TEST(fifo_is_refused_without_waiting)
{
	const char *name = support_name();
	struct hl_ring *ring;

	ck_assert_int_eq(mkfifo(path_of(name), 0600), 0);
	ck_assert_int_eq(try_open(name, NULL), -EBADMSG);
	ck_assert_int_eq(try_inspect(name), -EBADMSG);
	ck_assert_int_eq(hl_ring_create(name, NULL, &ring, NULL), -EEXIST);
	ck_assert_int_eq(hl_ring_open_or_create(name, NULL, &ring, NULL),
			 -EBADMSG);
}
END_TEST

START_TEST(directory_is_refused)
{
	const char *name = support_name();
	struct hl_ring *ring;

	ck_assert_int_eq(mkdir(path_of(name), 0700), 0);
	ck_assert_int_lt(try_open(name, NULL), 0);
	ck_assert_int_lt(try_inspect(name), 0);
	ck_assert_int_eq(hl_ring_create(name, NULL, &ring, NULL), -EEXIST);
	ck_assert_int_lt(hl_ring_open_or_create(name, NULL, &ring, NULL), 0);
	ck_assert_int_lt(hl_ring_unlink(name, false, NULL), 0);
}
END_TEST

/* known-faults row 55 */
START_TEST(file_that_is_no_ring_is_told_apart)
{
	const size_t sizes[] = { 0, 1, 63, 64, 1000, 2047, 2048, 4096, 100000 };
	static unsigned char noise[100000];

	for (size_t i = 0; i < sizeof(noise); i++)
		noise[i] = (unsigned char)(i * 37);
	for (size_t i = 0; i < COUNT_OF(sizes); i++) {
		const char *name = foreign(noise, sizes[i]);
		struct hl_error err = { 0 };
		struct hl_ring *ring;

		ck_assert_int_eq(try_open(name, &err), -EBADMSG);
		ck_assert_ptr_nonnull(strstr(err.text, name));
		ck_assert_int_eq(try_inspect(name), -EBADMSG);
		ck_assert_int_eq(hl_ring_create(name, NULL, &ring, NULL),
				 -EEXIST);
		ck_assert_int_eq(hl_ring_unlink(name, false, NULL), -EBADMSG);
		ck_assert_int_eq(access(path_of(name), F_OK), 0);
		ck_assert_int_eq(hl_ring_unlink(name, true, NULL), 0);
		ck_assert_int_eq(access(path_of(name), F_OK), -1);
	}
}
END_TEST

START_TEST(truncated_file_is_refused)
{
	struct hl_ring *ring = support_create(NULL);
	const char *name = hl_ring_name(ring);
	struct hl_ring_info info;
	const off_t cuts[] = { 1, 4095, 4096, 8192 };

	hl_ring_get_info(ring, &info);
	for (size_t i = 0; i < COUNT_OF(cuts); i++) {
		ck_assert_int_eq(truncate(path_of(name),
					  (off_t)info.file_bytes - cuts[i]),
				 0);
		ck_assert_int_eq(try_open(name, NULL), -EBADMSG);
		ck_assert_int_eq(try_inspect(name), -EBADMSG);
	}
	ck_assert_int_eq(truncate(path_of(name), (off_t)info.file_bytes), 0);
}
END_TEST

START_TEST(unreadable_file_is_refused)
{
	const char *name = hl_ring_name(support_create(NULL));

	if (geteuid() == 0) {
		fprintf(stderr, "# skipped: root may read any file\n");
		return;
	}
	ck_assert_int_eq(chmod(path_of(name), 0), 0);
	ck_assert_int_eq(try_open(name, NULL), -EACCES);
}
END_TEST

/* known-faults rows 51 and 53 */
START_TEST(file_of_another_user_is_refused_unless_allowed)
{
	struct hl_error err = { 0 };
	struct hl_ring *ring = support_create(NULL);
	const char *name = hl_ring_name(ring);

	if (geteuid() != 0 || seteuid(12345) != 0 || seteuid(0) != 0) {
		fprintf(stderr, "# skipped: needs root, for a second user\n");
		return;
	}
	ck_assert_int_eq(chmod(path_of(name), 0666), 0);
	ck_assert_int_eq(chown(path_of(name), 12346, 12346), 0);
	ck_assert_int_eq(try_open(name, NULL), 0); /* root may */
	ck_assert_int_eq(chmod(support_folder(), 0777), 0);
	ck_assert_int_eq(seteuid(12345), 0);
	ck_assert_int_eq(try_open(name, &err), -EPERM);
	ck_assert_ptr_nonnull(strstr(err.text, "12346"));
	ck_assert_int_eq(hl_ring_open(name, HL_OPEN_ANY_OWNER, &ring, NULL), 0);
	ck_assert_int_eq(hl_ring_close(ring), 0);
	ck_assert_int_eq(seteuid(0), 0);
}
END_TEST

START_TEST(ring_is_not_removed_while_somebody_is_part_of_it)
{
	struct hl_ring *ring = support_create(NULL);
	const char *name = hl_ring_name(ring);
	struct hl_producer *producer = support_produce(ring);
	struct hl_consumer *consumer =
		support_consume(ring, "g", HL_GROUP_EXCLUSIVE);
	struct hl_error err = { 0 };

	ck_assert_int_eq(hl_ring_unlink(name, false, &err), -EBUSY);
	ck_assert_ptr_nonnull(strstr(err.text, name));
	ck_assert_int_eq(hl_ring_close(ring), -EBUSY);
	ck_assert_int_eq(hl_producer_leave(producer), 0);
	ck_assert_int_eq(hl_ring_unlink(name, false, NULL), -EBUSY);
	ck_assert_int_eq(hl_consumer_leave(consumer), 0);
	ck_assert_int_eq(hl_ring_unlink(name, false, NULL), 0);
	ck_assert_int_eq(hl_ring_unlink(name, false, NULL), -ENOENT);
}
END_TEST

/* known-faults row 21 */
START_TEST(forced_removal_leaves_the_ring_to_who_has_it)
{
	struct hl_ring *ring = support_create(NULL);
	struct hl_consumer *consumer =
		support_consume(ring, "g", HL_GROUP_EXCLUSIVE);
	struct hl_producer *producer = support_produce(ring), *late;
	const char *name = hl_ring_name(ring);
	struct hl_ring *other;

	ck_assert_int_eq(hl_ring_name_state(ring), HL_NAME_CURRENT);
	ck_assert_int_eq(hl_ring_unlink(name, true, NULL), 0);
	ck_assert_int_eq(hl_ring_name_state(ring), HL_NAME_REMOVED);
	support_send(producer, 1, 10);
	support_take(consumer, 1, 10);
	ck_assert_int_eq(try_open(name, NULL), -ENOENT);
	ck_assert_int_eq(hl_producer_join(ring, NULL, &late, NULL), -EIDRM);
	ck_assert_int_eq(hl_ring_create(name, NULL, &other, NULL), 0);
	ck_assert_int_eq(hl_ring_name_state(ring), HL_NAME_REPLACED);
	ck_assert_int_eq(hl_ring_name_state(other), HL_NAME_CURRENT);
	ck_assert_int_eq(hl_ring_close(other), 0);
	support_send(producer, 11, 1);
	support_take(consumer, 11, 1);
}
END_TEST

/* Closing never removes anything, and nobody but unlink does. */
START_TEST(ring_outlives_all_its_handles)
{
	struct hl_ring *ring = support_create(NULL);
	char name[64] = { 0 };

	strncpy(name, hl_ring_name(ring), sizeof(name) - 1);
	ck_assert_int_eq(hl_ring_close(support_open(name)), 0);
	ck_assert_int_eq(hl_ring_close(ring), 0);
	ck_assert_int_eq(hl_ring_close(NULL), 0);
	ck_assert_int_eq(try_open(name, NULL), 0);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		ring_is_its_owners_alone_by_default,
		mode_is_what_was_asked_for_under_any_umask,
		umask_of_the_process_is_never_touched,
		name_that_is_taken_is_not_created,
		symbolic_links_are_not_followed,
		dangling_link_creates_nothing_elsewhere,
		fifo_is_refused_without_waiting,
		directory_is_refused,
		file_that_is_no_ring_is_told_apart,
		truncated_file_is_refused,
		unreadable_file_is_refused,
		file_of_another_user_is_refused_unless_allowed,
		ring_is_not_removed_while_somebody_is_part_of_it,
		forced_removal_leaves_the_ring_to_who_has_it,
		ring_outlives_all_its_handles,
	};
	TCase *tcase = support_begin("files");

	support_add(tcase, tests, COUNT_OF(tests));
	return support_end();
}
