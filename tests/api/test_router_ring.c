/* SPDX-License-Identifier: MIT */
/*
 * test_router_ring.c - the router over real rings: nothing is lost in silence
 */
#include "config.h"

#include <hotline/router.h>

#include <errno.h>
#include <string.h>

#include "tests/support/line.h"
#include "tests/support/support.h"

#define CAPACITY 64
#define MESSAGES 20000
#define MESSAGES_LONG 1000000
#define TYPES 4

static struct hl_router *router;
static struct line line;

/* What the dead-letter handler has seen. */
struct dead {
	_Atomic uint64_t by_reason[HL_REASON_COUNT];
	int error; /* of the last one */
	int answer;
};

static int bury(const struct hl_batch *batch, const void *message,
		enum hl_reason reason, int error, void *user)
{
	struct dead *dead = (struct dead *)user;

	(void)batch;
	(void)message;
	dead->error = error;
	if (dead->answer == 0)
		atomic_fetch_add(&dead->by_reason[reason], 1);
	return dead->answer;
}

/* For several threads. */
static int bury_and_count(const struct hl_batch *batch, const void *message,
			  enum hl_reason reason, int error, void *user)
{
	struct dead *dead = (struct dead *)user;

	(void)batch;
	(void)message;
	(void)error;
	atomic_fetch_add(&dead->by_reason[reason], 1);
	return 0;
}

struct counter {
	_Atomic uint64_t n;
};

static int count(const struct hl_batch *batch, const void *message, void *user)
{
	(void)batch;
	(void)message;
	atomic_fetch_add(&((struct counter *)user)->n, 1);
	return 0;
}

static int refuse(const struct hl_batch *batch, const void *message, void *user)
{
	(void)batch;
	(void)message;
	return *(const int *)user;
}

static void ring_attr(struct hl_ring_attr *attr)
{
	const struct hl_ring_attr defaults = HL_RING_ATTR_INIT;

	*attr = defaults;
	attr->capacity = CAPACITY;
	attr->arena_bytes = 128 * 1024;
	attr->max_producers = 2;
	attr->checksum = HL_CHECKSUM_HEADER;
	attr->message_magic = HL_MESSAGE_MAGIC;
}

static void set_up(void)
{
	struct hl_ring_attr attr;

	ring_attr(&attr);
	line_init(&line, &attr);
	ck_assert_int_eq(hl_router_create(&router), 0);
}

static void tear_down(void)
{
	hl_router_destroy(router);
}

static void add_route(uint32_t type, hl_route_fn fn, void *user)
{
	ck_assert_int_eq(
		hl_router_add(router, type, HL_ANY_RECIPIENT, fn, user), 0);
}

/* Take n messages in one batch. */
static void take(size_t n)
{
	ck_assert_int_eq(hl_consumer_take(line.consumer, n, DEADLINE_NS,
					  &line.batch),
			 (ssize_t)n);
}

static uint64_t dead_now(enum hl_reason reason)
{
	struct hl_router_stats stats;

	hl_router_get_stats(router, &stats);
	return stats.dead[reason];
}

static uint64_t handled_now(void)
{
	struct hl_router_stats stats;

	hl_router_get_stats(router, &stats);
	return stats.messages;
}

START_TEST(messages_reach_their_handlers)
{
	struct counter odd = { 0 }, even = { 0 };

	add_route(1, count, &odd);
	add_route(2, count, &even);
	line_send(&line, 1, NULL, 0);
	line_send(&line, 2, NULL, 0);
	line_send(&line, 1, NULL, 0);
	take(3);
	ck_assert_int_eq(hl_router_run(router, &line.batch), 3);
	line_done(&line);
	ck_assert_uint_eq(odd.n, 2);
	ck_assert_uint_eq(even.n, 1);
	ck_assert_uint_eq(handled_now(), 3);
}
END_TEST

START_TEST(unknown_message_goes_to_the_dead_letter_handler)
{
	struct dead dead = { 0 };

	hl_router_set_dead_letter(router, bury, &dead);
	line_send(&line, 1, NULL, 0);
	take(1);
	ck_assert_int_eq(hl_router_run(router, &line.batch), 1);
	ck_assert_uint_eq(dead.by_reason[HL_REASON_NO_ROUTE], 1);
	ck_assert_uint_eq(dead_now(HL_REASON_NO_ROUTE), 1);
}
END_TEST

START_TEST(damaged_message_is_not_handled)
{
	struct counter handled = { 0 };
	struct dead dead = { 0 };

	hl_router_set_dead_letter(router, bury, &dead);
	add_route(1, count, &handled);
	line_send(&line, 1, NULL, 0);
	line_send(&line, 1, NULL, 0);
	take(2);
	line_damage(hl_batch_slot(&line.batch, 0), 16, 4711);
	ck_assert_int_eq(hl_router_run(router, &line.batch), 2);
	ck_assert_uint_eq(handled.n, 1);
	ck_assert_uint_eq(dead.by_reason[HL_REASON_CHECKSUM], 1);
	ck_assert_int_eq(dead.error, -EBADMSG);
	ck_assert_uint_eq(dead_now(HL_REASON_CHECKSUM), 1);
}
END_TEST

START_TEST(message_without_magic_is_not_handled)
{
	struct dead dead = { 0 };

	hl_router_set_dead_letter(router, bury, &dead);
	line_send(&line, 1, NULL, 0);
	take(1);
	line_damage(hl_batch_slot(&line.batch, 0), 0, 0);
	ck_assert_int_eq(hl_router_run(router, &line.batch), 1);
	ck_assert_uint_eq(dead.by_reason[HL_REASON_MAGIC], 1);
}
END_TEST

START_TEST(message_whose_handler_fails_is_dead)
{
	struct dead dead = { 0 };
	int answer = -EDOM;

	hl_router_set_dead_letter(router, bury, &dead);
	add_route(1, refuse, &answer);
	line_send(&line, 1, NULL, 0);
	take(1);
	ck_assert_int_eq(hl_router_run(router, &line.batch), 1);
	ck_assert_uint_eq(dead.by_reason[HL_REASON_HANDLER], 1);
	ck_assert_int_eq(dead.error, -EDOM);
}
END_TEST

START_TEST(message_is_forwarded_with_its_payload)
{
	struct hl_ring_attr attr;
	const struct hl_message *m;
	struct line other;
	size_t size;

	ring_attr(&attr);
	line_init(&other, &attr);
	ck_assert_int_eq(hl_router_add_ring(router, 1, HL_ANY_RECIPIENT,
					    other.producer, HL_NOWAIT),
			 0);
	line_send(&line, 1, "hello", 5);
	line_send(&line, 1, NULL, 0);
	take(2);
	ck_assert_int_eq(hl_router_run(router, &line.batch), 2);
	line_done(&line);
	m = line_take(&other);
	ck_assert(support_whole(m, sizeof(*m)));
	ck_assert_int_eq(hl_batch_validate(&other.batch, m), HL_VALID);
	ck_assert_mem_eq(line_field(&other, m, 0, &size), "hello", 5);
	ck_assert_uint_eq(size, 5);
	line_done(&other);
	ck_assert_uint_eq(line_take(&other)->payload_offset, 0);
	ck_assert_uint_eq(handled_now(), 2);
}
END_TEST

START_TEST(message_that_a_full_ring_does_not_take_is_dead)
{
	struct dead dead = { 0 };
	struct hl_ring_attr attr;
	struct line other;

	ring_attr(&attr);
	line_init(&other, &attr);
	support_fill_ring(other.producer);
	hl_router_set_dead_letter(router, bury, &dead);
	ck_assert_int_eq(hl_router_add_ring(router, 1, HL_ANY_RECIPIENT,
					    other.producer, MS_NS),
			 0);
	line_send(&line, 1, "hello", 5);
	take(1);
	ck_assert_int_eq(hl_router_run(router, &line.batch), 1);
	ck_assert_uint_eq(dead.by_reason[HL_REASON_FORWARD], 1);
	ck_assert_int_eq(dead.error, -ETIMEDOUT);
}
END_TEST

START_TEST(dead_message_that_nobody_takes_is_redelivered)
{
	struct counter handled = { 0 };
	struct hl_consumer *next;
	const void *m;

	add_route(1, count, &handled);
	line_send(&line, 1, NULL, 0);
	line_send(&line, 2, NULL, 0);
	line_send(&line, 1, NULL, 0);
	ck_assert_int_eq(hl_consumer_leave(line.consumer), 0);
	line.consumer = support_consume(line.ring, "s", HL_GROUP_SHARED);
	next = support_consume(line.ring, "s", HL_GROUP_SHARED);
	take(3);
	ck_assert_int_eq(hl_router_run(router, &line.batch), -ENOMSG);
	ck_assert_uint_gt(line.batch.next, 0);
	ck_assert_int_eq(hl_consumer_done_through(
				 line.consumer, hl_batch_position(&line.batch)),
			 0);
	ck_assert_int_eq(hl_consumer_leave(line.consumer), 0);
	line.consumer = next;
	take(2);
	m = hl_batch_next(&line.batch);
	ck_assert_uint_eq(support_number(m), 2);
	ck_assert(hl_batch_redelivered(&line.batch));
	ck_assert_int_eq(hl_router_run(router, &line.batch), 1);
	ck_assert_uint_eq(handled.n, 2);
}
END_TEST

START_TEST(run_goes_on_when_the_route_has_been_added)
{
	struct counter handled = { 0 };

	line_send(&line, 1, NULL, 0);
	line_send(&line, 1, NULL, 0);
	take(2);
	ck_assert_int_eq(hl_router_run(router, &line.batch), -ENOMSG);
	add_route(1, count, &handled);
	ck_assert_int_eq(hl_router_run(router, &line.batch), 2);
	ck_assert_uint_eq(handled.n, 2);
	line_done(&line);
}
END_TEST

/* What the threads of the next test share. */
struct work {
	uint64_t messages;
	struct dead dead;
	struct counter handled[TYPES];
};

static void send_all(struct helper *self)
{
	const struct work *work = (const struct work *)self->arg;

	for (uint64_t i = 0; i < work->messages; i++) {
		struct hl_message m;

		support_fill(&m, sizeof(m), i);
		m.type = (uint32_t)(i % TYPES);
		EXPECT(self, hl_producer_send(line.producer, &m, sizeof(m),
					      DEADLINE_NS) == 1);
	}
}

static void route_all(struct helper *self)
{
	struct hl_consumer *consumer =
		helper_consume(self, line.ring, "s", HL_GROUP_SHARED);
	struct hl_batch batch;
	ssize_t n;

	helper_step(self, 1);
	while ((n = hl_consumer_take(consumer, 16, DEADLINE_NS, &batch)) > 0) {
		EXPECT(self, hl_router_run(router, &batch) == n);
		EXPECT(self, hl_consumer_done(consumer) == 0);
		atomic_fetch_add(&self->counts[0], (uint64_t)n);
	}
	EXPECT(self, n == -EPIPE);
	EXPECT(self, hl_consumer_leave(consumer) == 0);
}

static void change_routes(struct helper *self)
{
	struct work *work = (struct work *)self->arg;

	for (uint32_t i = 0; atomic_load(&self->go) == 0; i++) {
		const uint32_t type = i % TYPES;

		EXPECT(self, hl_router_add(router, type, HL_ANY_RECIPIENT,
					   count, &work->handled[type]) == 0);
		support_poll(0);
		EXPECT(self,
		       hl_router_remove(router, type, HL_ANY_RECIPIENT) == 0);
	}
}

START_TEST(routes_change_while_threads_route_and_every_message_is_counted)
{
	static struct work work;
	struct helper *routers[2], *sender, *changer;
	uint64_t handled = 0, routed = 0;

	work.messages = support_long() ? MESSAGES_LONG : MESSAGES;
	hl_router_set_dead_letter(router, bury_and_count, &work.dead);
	ck_assert_int_eq(hl_consumer_leave(line.consumer), 0);
	for (size_t i = 0; i < COUNT_OF(routers); i++) {
		routers[i] = support_thread(route_all, &work);
		support_await(routers[i], 1);
	}
	changer = support_thread(change_routes, &work);
	sender = support_thread(send_all, &work);
	support_join(sender);
	ck_assert_int_eq(hl_ring_finish(line.ring, NULL), 0);
	for (size_t i = 0; i < COUNT_OF(routers); i++) {
		support_join(routers[i]);
		routed += routers[i]->counts[0];
	}
	support_go(changer, 1);
	support_join(changer);
	for (size_t i = 0; i < TYPES; i++)
		handled += work.handled[i].n;
	ck_assert_uint_eq(routed, work.messages);
	ck_assert_uint_eq(handled + work.dead.by_reason[HL_REASON_NO_ROUTE],
			  work.messages);
	ck_assert_uint_eq(handled_now(), handled);
	ck_assert_uint_eq(dead_now(HL_REASON_NO_ROUTE),
			  work.dead.by_reason[HL_REASON_NO_ROUTE]);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		messages_reach_their_handlers,
		unknown_message_goes_to_the_dead_letter_handler,
		damaged_message_is_not_handled,
		message_without_magic_is_not_handled,
		message_whose_handler_fails_is_dead,
		message_is_forwarded_with_its_payload,
		message_that_a_full_ring_does_not_take_is_dead,
		dead_message_that_nobody_takes_is_redelivered,
		run_goes_on_when_the_route_has_been_added,
		routes_change_while_threads_route_and_every_message_is_counted,
	};
	TCase *tcase = support_begin("router ring");

	tcase_add_checked_fixture(tcase, set_up, tear_down);
	support_add(tcase, tests, COUNT_OF(tests));
	return support_end();
}
