/* SPDX-License-Identifier: MIT */
/*
 * test_mapping.c - what stands in the mapping, who may write it, and a name
 * that another ring has taken
 *
 * known-faults rows 23, 45 and 57.
 */
#include "config.h"

#include <hotline/inspect.h>

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib/handle.h"
#include "lib/inspect.h"
#include "tests/support/rings.h"

#define CAPACITY 64
#define REMADE 20
#define LONG_REMADE 200
#define RANGES_MAX 512
#define LARGEST_RANGE (1ul << 36)

static char name[64];

static struct hl_ring *make_ring(void)
{
	struct hl_ring_attr attr = HL_RING_ATTR_INIT;
	struct hl_ring *ring;

	attr.capacity = CAPACITY;
	attr.arena_bytes = 128 * 1024;
	ring = support_create(&attr);
	snprintf(name, sizeof(name), "%s", hl_ring_name(ring));
	return ring;
}

struct range {
	uint64_t from, to;
};

static size_t read_ranges(struct range ranges[RANGES_MAX])
{
	FILE *const maps = fopen("/proc/self/maps", "re");
	char line[512];
	size_t n = 0;

	ck_assert_ptr_nonnull(maps);
	while (n < RANGES_MAX && fgets(line, sizeof(line), maps)) {
		unsigned long from, to;

		/* What a sanitizer reserves is nobody's address. */
		if (sscanf(line, "%lx-%lx", &from, &to) == 2 &&
		    to - from < LARGEST_RANGE)
			ranges[n++] = (struct range){ from, to };
	}
	fclose(maps);
	return n;
}

static void send_payloads(struct hl_producer *producer, int n)
{
	unsigned char bytes[100];
	const struct iovec field = { bytes, sizeof(bytes) };
	struct hl_message m;

	memset(bytes, 0x11, sizeof(bytes));
	while (n--) {
		support_fill(&m, sizeof(m), 1);
		ck_assert_int_eq(hl_producer_sendv(producer, &m, sizeof(m),
						   &field, 1, HL_NOWAIT),
				 1);
	}
}

/* Row 45. The ring is mapped twice, so at two addresses. */
START_TEST(no_word_of_a_ring_in_use_is_an_address)
{
	struct hl_ring *const first = make_ring();
	struct hl_ring *const second = support_open(name);
	struct range ranges[RANGES_MAX];
	struct hl_consumer *consumer;
	const uint64_t *words;
	struct hl_batch batch;
	struct hl_ring_info info;
	size_t n, i, k;

	ck_assert_ptr_ne(first->view.base, second->view.base);
	consumer = support_consume(second, "s", HL_GROUP_SHARED);
	send_payloads(support_produce(first), CAPACITY);
	ck_assert_int_eq(hl_consumer_take(consumer, 3, HL_NOWAIT, &batch), 3);
	ck_assert_int_ge(hl_consumer_fd(consumer), 0);
	hl_ring_get_info(first, &info);
	words = (const uint64_t *)(const void *)first->view.base;
	n = read_ranges(ranges);
	for (i = 0; i < info.file_bytes / sizeof(*words); i++)
		for (k = 0; k < n; k++)
			ck_assert_msg(words[i] < ranges[k].from ||
					      words[i] >= ranges[k].to,
				      "word %zu is %jx, an address", i,
				      (uintmax_t)words[i]);
}
END_TEST

static void write_to_it(struct helper *self)
{
	struct hl_inspect *inspect;

	EXPECT(self, hl_inspect_open(name, 0, &inspect, NULL) == 0);
	helper_step(self, 1);
	*(volatile unsigned char *)inspect->view.slots = 1;
	helper_step(self, 2);
}

/* Row 57 */
START_TEST(stray_write_of_who_only_looks_hits_nobody_else)
{
	struct hl_ring *const ring = make_ring();
	struct helper *guilty;
	int status;

	support_send(support_produce(ring), 1, 1);
	guilty = support_fork(write_to_it, NULL);
	ck_assert_int_eq(waitpid(guilty->pid, &status, 0), guilty->pid);
	ck_assert_int_eq(atomic_load(&guilty->step), 1);
	ck_assert(!WIFEXITED(status) || WEXITSTATUS(status) != 0);
	support_take(support_consume(ring, "g", HL_GROUP_EXCLUSIVE), 1, 1);
}
END_TEST

/* Make the ring anew and send one message; killed afterwards, or not. */
static void remake(struct helper *self)
{
	struct hl_ring_attr attr = HL_RING_ATTR_INIT;
	struct hl_ring *ring;
	struct hl_message m;
	struct hl_producer *producer;

	attr.capacity = CAPACITY;
	EXPECT(self, hl_ring_unlink(name, true, NULL) == 0);
	if (!EXPECT(self, hl_ring_create(name, &attr, &ring, NULL) == 0))
		return;
	producer = helper_produce(self, ring);
	support_fill(&m, sizeof(m), (uint64_t)(uintptr_t)self->arg);
	EXPECT(self, hl_producer_send(producer, &m, sizeof(m), 0) == 1);
	if ((uintptr_t)self->arg % 2)
		raise(SIGKILL);
	hl_producer_leave(producer);
}

/* Row 23 */
START_TEST(consumer_is_told_each_time_that_its_ring_was_made_anew)
{
	const uintptr_t rounds = support_long() ? LONG_REMADE : REMADE;
	struct hl_ring *ring = make_ring();
	struct hl_consumer *consumer =
		support_consume(ring, "g", HL_GROUP_EXCLUSIVE);
	uintptr_t i;

	for (i = 1; i <= rounds; i++) {
		struct helper *const maker = support_fork(remake, (void *)i);
		const int64_t end = support_deadline();

		ck_assert_int_eq(waitpid(maker->pid, NULL, 0), maker->pid);
		ck_assert_msg(!atomic_load(&maker->failed), "%s",
			      maker->failure);
		while (hl_ring_name_state(ring) != HL_NAME_REPLACED)
			ck_assert(support_poll(end));
		ck_assert_int_eq(hl_consumer_leave(consumer), 0);
		ring = support_open(name);
		consumer = support_consume(ring, "g", HL_GROUP_EXCLUSIVE);
		support_take(consumer, i, 1);
	}
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		no_word_of_a_ring_in_use_is_an_address,
		stray_write_of_who_only_looks_hits_nobody_else,
		consumer_is_told_each_time_that_its_ring_was_made_anew,
	};

	support_add(support_begin("mapping"), tests, COUNT_OF(tests));
	return support_end();
}
