/* SPDX-License-Identifier: MIT */
/*
 * test_names.c - one rule for names of rings, and one for names of groups
 *
 * known-faults row 98.
 */
#include "config.h"

#include <hotline/inspect.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/rings.h"
#include "tests/support/support.h"

static int create(const char *name, struct hl_error *err)
{
	struct hl_ring_attr attr = HL_RING_ATTR_INIT;
	struct hl_ring *ring;
	int ret;

	attr.capacity = 2;
	ret = hl_ring_create(name, &attr, &ring, err);
	if (ret == 0)
		ck_assert_int_eq(hl_ring_close(ring), 0);
	else
		ck_assert_ptr_null(ring);
	return ret;
}

/* n times the same one; good until the next call. */
static char *letters(size_t n)
{
	static char name[10001];

	memset(name, 'n', n);
	name[n] = '\0';
	return name;
}

static const char *const good_names[] = {
	"a", "7", "a.b", "a_b-c+d@e:f,g=h", "A..", "0-",
};

START_TEST(name_by_the_rule_is_a_file_in_the_folder)
{
	const char *name = good_names[_i];
	struct stat st;
	char path[512];

	ck_assert_int_eq(create(name, NULL), 0);
	snprintf(path, sizeof(path), "%s/hotline.%s", support_folder(), name);
	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert_int_eq(create(name, NULL), -EEXIST);
	ck_assert_int_eq(hl_ring_close(support_open(name)), 0);
	ck_assert_int_eq(hl_ring_unlink(name, false, NULL), 0);
	ck_assert_int_eq(stat(path, &st), -1);
}
END_TEST

static const char *const bad_names[] = {
	"",   "/",    "/a",  "..",  ".",    ".hidden", "-a",
	"_a", "a b",  " ",   "a\n", "a\tb", "\x1b[m",  "z\xc3\xa4hler",
	"a*", "a\\b", "a%s", "a'b",
};

START_TEST(name_against_the_rule_is_refused_with_a_reason)
{
	const char *name = bad_names[_i];
	struct hl_error err = { 0 };
	struct hl_inspect *inspect;
	struct hl_ring *ring;

	ck_assert_int_eq(create(name, &err), -EINVAL);
	ck_assert_int_eq(err.code, -EINVAL);
	ck_assert_uint_gt(strlen(err.text), 0);
	ck_assert_int_eq(hl_ring_open(name, 0, &ring, NULL), -EINVAL);
	ck_assert_int_eq(hl_ring_open_or_create(name, NULL, &ring, NULL),
			 -EINVAL);
	ck_assert_int_eq(hl_ring_unlink(name, true, NULL), -EINVAL);
	ck_assert_int_eq(hl_inspect_open(name, 0, &inspect, NULL), -EINVAL);
}
END_TEST

START_TEST(longest_name_is_two_hundred_characters)
{
	const size_t too_long[] = { HL_NAME_MAX + 1, 255, 256, 5000 };

	ck_assert_int_eq(create(letters(HL_NAME_MAX), NULL), 0);
	for (size_t i = 0; i < COUNT_OF(too_long); i++)
		ck_assert_int_eq(create(letters(too_long[i]), NULL), -EINVAL);
}
END_TEST

START_TEST(name_with_a_slash_is_a_path)
{
	struct stat st;
	char path[512];

	snprintf(path, sizeof(path), "%s/a file", support_folder());
	ck_assert_int_eq(create(path, NULL), 0);
	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert_int_eq(hl_ring_close(support_open(path)), 0);
	ck_assert_int_eq(hl_ring_unlink(path, false, NULL), 0);
}
END_TEST

START_TEST(path_may_be_relative)
{
	ck_assert_int_eq(chdir(support_folder()), 0);
	ck_assert_int_eq(mkdir("sub", 0700), 0);
	ck_assert_int_eq(create("sub/ring", NULL), 0);
	ck_assert_int_eq(create("./ring", NULL), 0);
	ck_assert_int_eq(access("sub/ring", F_OK), 0);
	ck_assert_int_eq(access("ring", F_OK), 0);
	ck_assert_int_eq(create("missing/ring", NULL), -ENOENT);
}
END_TEST

START_TEST(path_that_is_too_long_is_an_error)
{
	char *path = letters(10000);

	path[0] = '/';
	path[5] = '/';
	ck_assert_int_lt(create(path, NULL), 0);
}
END_TEST

START_TEST(folder_is_the_environments)
{
	char folder[512], path[600];
	struct stat st;

	snprintf(folder, sizeof(folder), "%s/other", support_folder());
	ck_assert_int_eq(mkdir(folder, 0700), 0);
	ck_assert_int_eq(setenv("HOTLINE_DIR", folder, 1), 0);
	ck_assert_int_eq(create("ring", NULL), 0);
	snprintf(path, sizeof(path), "%s/hotline.ring", folder);
	ck_assert_int_eq(stat(path, &st), 0);
}
END_TEST

START_TEST(open_says_where_it_looked)
{
	struct hl_error err = { 0 };
	struct hl_ring *ring;

	ck_assert_int_eq(hl_ring_open("missing", 0, &ring, &err), -ENOENT);
	ck_assert_int_eq(err.code, -ENOENT);
	ck_assert_ptr_nonnull(strstr(err.text, support_folder()));
	ck_assert_ptr_nonnull(strstr(err.text, "missing"));
	ck_assert_ptr_null(ring);
}
END_TEST

static int note_name(const char *name, void *user)
{
	char *all = (char *)user;
	const size_t len = strlen(all);

	snprintf(all + len, 100 - len, "%s ", name);
	return 0;
}

static int stop(const char *name, void *user)
{
	(void)name;
	(void)user;
	return 4711;
}

START_TEST(list_has_the_names_sorted)
{
	char folder[512], path[600], all[100] = "";
	FILE *file;

	snprintf(folder, sizeof(folder), "%s/list", support_folder());
	ck_assert_int_eq(mkdir(folder, 0700), 0);
	ck_assert_int_eq(setenv("HOTLINE_DIR", folder, 1), 0);
	ck_assert_int_eq(hl_ring_list(note_name, all, NULL), 0);
	ck_assert_str_eq(all, "");
	ck_assert_int_eq(create("b", NULL), 0);
	ck_assert_int_eq(create("a", NULL), 0);
	/* Whatever a file of that name holds; others are not mentioned. */
	snprintf(path, sizeof(path), "%s/hotline.c", folder);
	file = fopen(path, "w");
	ck_assert_ptr_nonnull(file);
	fclose(file);
	snprintf(path, sizeof(path), "%s/other", folder);
	file = fopen(path, "w");
	ck_assert_ptr_nonnull(file);
	fclose(file);
	ck_assert_int_eq(hl_ring_list(note_name, all, NULL), 0);
	ck_assert_str_eq(all, "a b c ");
	ck_assert_int_eq(hl_ring_list(stop, NULL, NULL), 4711);
}
END_TEST

START_TEST(group_name_has_up_to_31_characters_by_the_same_rule)
{
	const char *const bad[] = { "", "a/b", "-a", "a b", "\n", ".." };
	struct hl_group_attr attr = HL_GROUP_ATTR_INIT;
	struct hl_ring *ring = support_create(NULL);
	struct hl_consumer *consumer;

	for (size_t i = 0; i < COUNT_OF(bad); i++) {
		attr.name = bad[i];
		ck_assert_int_eq(hl_group_create(ring, &attr, NULL), -EINVAL);
		ck_assert_int_eq(hl_consumer_join(ring, &attr, NULL, &consumer,
						  NULL),
				 -EINVAL);
	}
	attr.name = NULL;
	ck_assert_int_eq(hl_group_create(ring, &attr, NULL), -EINVAL);
	attr.name = letters(32);
	ck_assert_int_eq(hl_group_create(ring, &attr, NULL), -EINVAL);
	attr.name = letters(31);
	ck_assert_int_eq(hl_group_create(ring, &attr, NULL), 0);
	ck_assert_int_eq(hl_group_create(ring, &attr, NULL), -EEXIST);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		longest_name_is_two_hundred_characters,
		name_with_a_slash_is_a_path,
		path_may_be_relative,
		path_that_is_too_long_is_an_error,
		folder_is_the_environments,
		open_says_where_it_looked,
		list_has_the_names_sorted,
		group_name_has_up_to_31_characters_by_the_same_rule,
	};
	TCase *tcase = support_begin("names");

	support_add(tcase, tests, COUNT_OF(tests));
	tcase_add_loop_test(tcase, name_by_the_rule_is_a_file_in_the_folder, 0,
			    COUNT_OF(good_names));
	tcase_add_loop_test(tcase,
			    name_against_the_rule_is_refused_with_a_reason, 0,
			    COUNT_OF(bad_names));
	return support_end();
}
