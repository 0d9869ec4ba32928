/* SPDX-License-Identifier: MIT */
/*
 * test_fdpass.c - rings without a name, passed on by their descriptor
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/rings.h"
#include "tests/support/support.h"

static struct hl_ring *new_memfd(void)
{
	struct hl_ring_attr attr = HL_RING_ATTR_INIT;

	attr.backing = HL_BACKING_MEMFD;
	attr.capacity = 64;
	return support_create(&attr);
}

static void make_pair(int pair[2])
{
	ck_assert_int_eq(
		socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
}

START_TEST(memfd_ring_has_a_label_and_no_file)
{
	struct hl_ring *ring = new_memfd(), *other;
	struct stat st;

	ck_assert_int_eq(hl_ring_open(hl_ring_name(ring), 0, &other, NULL),
			 -ENOENT);
	ck_assert_int_eq(fstat(hl_ring_fd(ring), &st), 0);
	ck_assert_uint_eq(st.st_nlink, 0);
	ck_assert_int_eq(hl_ring_name_state(ring), HL_NAME_NONE);
}
END_TEST

START_TEST(memfd_ring_is_sealed)
{
	struct hl_ring *ring = new_memfd();
	const int fd = hl_ring_fd(ring);
	const int seals = fcntl(fd, F_GET_SEALS);
	struct hl_ring_info info;

	hl_ring_get_info(ring, &info);
	ck_assert_int_eq(seals & (F_SEAL_SHRINK | F_SEAL_GROW),
			 F_SEAL_SHRINK | F_SEAL_GROW);
	ck_assert_int_eq(ftruncate(fd, 0), -1);
	ck_assert_int_eq(ftruncate(fd, (off_t)info.file_bytes * 2), -1);
}
END_TEST

START_TEST(descriptors_are_close_on_exec)
{
	struct hl_ring *rings[] = { new_memfd(), support_create(NULL) };

	for (size_t i = 0; i < COUNT_OF(rings); i++)
		ck_assert_int_eq(fcntl(hl_ring_fd(rings[i]), F_GETFD) &
					 FD_CLOEXEC,
				 FD_CLOEXEC);
}
END_TEST

START_TEST(ring_is_opened_by_descriptor)
{
	struct hl_ring *ring = new_memfd(), *again;
	struct hl_consumer *consumer;

	ck_assert_int_eq(hl_ring_open_fd(hl_ring_fd(ring), 0, &again, NULL), 0);
	consumer = support_consume(again, "g", HL_GROUP_EXCLUSIVE);
	support_send(support_produce(ring), 1, 10);
	support_take(consumer, 1, 10);
	/* The descriptor stayed the caller's. */
	ck_assert_int_ge(fcntl(hl_ring_fd(ring), F_GETFD), 0);
}
END_TEST

START_TEST(two_handles_by_descriptor_exclude_each_other)
{
	struct hl_ring *ring = new_memfd(), *again;
	const struct hl_group_attr attr =
		support_group("g", HL_GROUP_EXCLUSIVE);
	struct hl_consumer *first =
		support_consume(ring, "g", HL_GROUP_EXCLUSIVE);
	struct hl_consumer *second;

	ck_assert_int_eq(hl_ring_open_fd(hl_ring_fd(ring), 0, &again, NULL), 0);
	ck_assert_int_eq(hl_consumer_join(again, &attr, NULL, &second, NULL),
			 -EBUSY);
	ck_assert_int_eq(hl_consumer_leave(first), 0);
	ck_assert_int_eq(hl_consumer_join(again, &attr, NULL, &second, NULL),
			 0);
}
END_TEST

static void receive_and_produce(struct helper *self)
{
	const int socket_fd = *(int *)self->arg;
	struct hl_producer *producer;
	struct hl_ring *ring;
	struct hl_message m;

	if (!EXPECT(self, hl_ring_recv_fd(socket_fd, 0, &ring, NULL) == 0))
		return;
	EXPECT(self, fcntl(hl_ring_fd(ring), F_GETFD) & FD_CLOEXEC);
	producer = helper_produce(self, ring);
	for (uint64_t i = 1; i <= 100; i++) {
		support_fill(&m, sizeof(m), i);
		EXPECT(self, hl_producer_send(producer, &m, sizeof(m),
					      DEADLINE_NS) == 1);
	}
	EXPECT(self, hl_producer_leave(producer) == 0);
	EXPECT(self, hl_ring_close(ring) == 0);
}

START_TEST(ring_is_passed_over_a_socket)
{
	struct hl_ring *ring = new_memfd();
	struct hl_consumer *consumer =
		support_consume(ring, "g", HL_GROUP_EXCLUSIVE);
	struct helper *receiver;
	int pair[2];

	make_pair(pair);
	receiver = support_fork(receive_and_produce, &pair[1]);
	ck_assert_int_eq(hl_ring_send_fd(ring, pair[0]), 0);
	support_take(consumer, 1, 100);
	support_join(receiver);
	support_take_nothing(consumer);
}
END_TEST

START_TEST(named_ring_is_passed_over_a_socket)
{
	struct hl_ring *ring = support_create(NULL), *received;
	struct hl_consumer *consumer =
		support_consume(ring, "g", HL_GROUP_EXCLUSIVE);
	int pair[2];

	make_pair(pair);
	ck_assert_int_eq(hl_ring_send_fd(ring, pair[0]), 0);
	ck_assert_int_eq(hl_ring_recv_fd(pair[1], 0, &received, NULL), 0);
	support_send(support_produce(received), 1, 3);
	support_take(consumer, 1, 3);
}
END_TEST

START_TEST(byte_without_a_descriptor_is_refused)
{
	struct hl_ring *ring;
	int pair[2];

	make_pair(pair);
	ck_assert_int_eq(write(pair[0], "x", 1), 1);
	ck_assert_int_eq(hl_ring_recv_fd(pair[1], 0, &ring, NULL), -EBADMSG);
	ck_assert_ptr_null(ring);
}
END_TEST

START_TEST(closed_socket_is_an_error)
{
	struct hl_ring *ring;
	int pair[2];

	make_pair(pair);
	close(pair[0]);
	ck_assert_int_lt(hl_ring_recv_fd(pair[1], 0, &ring, NULL), 0);
	/* No SIGPIPE either. */
	ck_assert_int_lt(hl_ring_send_fd(new_memfd(), pair[1]), 0);
}
END_TEST

START_TEST(descriptor_of_something_else_is_refused)
{
	const int fds[] = {
		memfd_create("no ring", MFD_CLOEXEC),
		open("/dev/null", O_RDWR | O_CLOEXEC),
		open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC),
	};
	struct hl_ring *ring;
	int pair[2];

	for (size_t i = 0; i < COUNT_OF(fds); i++) {
		ck_assert_int_ge(fds[i], 0);
		ck_assert_int_lt(hl_ring_open_fd(fds[i], 0, &ring, NULL), 0);
		ck_assert_ptr_null(ring);
	}
	make_pair(pair);
	ck_assert_int_lt(hl_ring_open_fd(pair[0], 0, &ring, NULL), 0);
	ck_assert_int_eq(hl_ring_open_fd(-1, 0, &ring, NULL), -EBADF);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		memfd_ring_has_a_label_and_no_file,
		memfd_ring_is_sealed,
		descriptors_are_close_on_exec,
		ring_is_opened_by_descriptor,
		two_handles_by_descriptor_exclude_each_other,
		ring_is_passed_over_a_socket,
		named_ring_is_passed_over_a_socket,
		byte_without_a_descriptor_is_refused,
		closed_socket_is_an_error,
		descriptor_of_something_else_is_refused,
	};
	TCase *tcase = support_begin("fdpass");

	support_add(tcase, tests, COUNT_OF(tests));
	return support_end();
}
