/* SPDX-License-Identifier: MIT */
/*
 * users.c - processes that use a ring, whatever stands in it
 */
#include "config.h"

#include "users.h"

#include <errno.h>
#include <fcntl.h>
#include <hotline/admin.h>
#include <hotline/hotline.h>
#include <hotline/router.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/handle.h"

#define CALL_SECONDS 20 /* no call takes that long */
#define SHORT_NS (2 * MS_NS)
#define MEMORY_BYTES (UINT64_C(2) << 30) /* address space of a user */
#define MOST_FINDINGS 200
#define BATCH 8
#define PAYLOAD_BYTES 200
#define GUARD_BYTES 65536

const char *const users_groups[3] = { "e", "s", "l" };

static bool code_ok(int64_t code)
{
	static const int codes[] = {
		EAGAIN, ETIMEDOUT, EINVAL,   EMSGSIZE, EUSERS,		ENOBUFS,
		EBUSY,	ESTALE,	   EPIPE,    EBADMSG,  EPROTONOSUPPORT, ENOENT,
		EEXIST, EIDRM,	   ENOTCONN, ENODATA,  EOVERFLOW,
	};
	size_t i;

	for (i = 0; i < COUNT_OF(codes); i++)
		if (code == -codes[i])
			return true;
	return code >= 0;
}

/* Each call of the library is one: its code is known, and it ends in time. */
static bool called(struct helper *self, int64_t code, int line)
{
	char what[64];

	alarm(CALL_SECONDS);
	atomic_fetch_add(&self->counts[USERS_CALLS], 1);
	atomic_fetch_add(&self->counts[code < 0 ? USERS_REFUSED : USERS_GOOD],
			 1);
	snprintf(what, sizeof(what), "a call returned %jd", (intmax_t)code);
	helper_expect(self, code_ok(code), what, line);
	return code >= 0;
}
#define CALL(self, code) called(self, code, __LINE__)

static bool stopped(struct helper *self)
{
	return atomic_load(&self->go) || atomic_load(&self->failed);
}

/* The sanitizers need all the addresses there are. */
static void limit_memory(void)
{
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
	const struct rlimit limit = { MEMORY_BYTES, MEMORY_BYTES };

	(void)setrlimit(RLIMIT_AS, &limit);
#endif
}

/* Memory that nobody may touch; what stood there goes. */
static void guard(void **slot, void *at, int flags)
{
	if (*slot)
		munmap(*slot, GUARD_BYTES);
	*slot = mmap(at, GUARD_BYTES, PROT_NONE,
		     MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
	if (*slot == MAP_FAILED)
		*slot = NULL;
}

/* What is mapped next comes to lie right below. */
static void guard_above(struct helper *self)
{
	static void *above;

	guard(&above, NULL, 0);
	EXPECT(self, above);
}

/* Open the ring with nothing to read around it; NULL when that was refused. */
static struct hl_ring *open_guarded(struct helper *self)
{
	const struct users *const users = self->arg;
	static void *below;
	struct hl_ring *ring = NULL;

	guard_above(self);
	if (CALL(self, hl_ring_open(users->name, 0, &ring, NULL)))
		guard(&below, ring->view.base - GUARD_BYTES,
		      MAP_FIXED_NOREPLACE);
	return ring;
}

static struct hl_producer *produce(struct helper *self, struct hl_ring *ring)
{
	struct hl_producer *producer = NULL;

	CALL(self, hl_producer_join(ring, NULL, &producer, NULL));
	return producer;
}

static int count_poison(const struct hl_batch *batch, const void *message,
			void *user)
{
	struct hl_payload payload;

	(void)user;
	return message ? hl_batch_payload(batch, message, &payload) : -EFAULT;
}

static struct hl_consumer *consume(struct helper *self, struct hl_ring *ring,
				   enum hl_group_kind kind)
{
	struct hl_group_attr group = HL_GROUP_ATTR_INIT;
	struct hl_consumer_attr attr = HL_CONSUMER_ATTR_INIT;
	struct hl_consumer *consumer = NULL;

	group.name = users_groups[kind];
	group.kind = kind;
	group.durable = true;
	attr.max_attempts = 2;
	attr.poison = count_poison;
	attr.prefetch_payload = true;
	CALL(self, hl_consumer_join(ring, &group, &attr, &consumer, NULL));
	return consumer;
}

static uint64_t touch(const void *bytes, size_t n)
{
	const unsigned char *const at = bytes;
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < n; i++)
		sum += *(const volatile unsigned char *)&at[i];
	return sum;
}

static void read_payload(struct helper *self, const struct hl_payload *payload)
{
	const void *data = NULL;
	size_t size = 0;
	uint32_t k;

	touch(payload->section, payload->size_bytes);
	for (k = 0; k < payload->nfields && k < 16; k++) {
		if (CALL(self, hl_payload_field(payload, k, &data, &size)))
			touch(data, size);
	}
}

static void read_message(struct helper *self, const struct hl_batch *batch,
			 const void *message)
{
	struct hl_payload payload;

	touch(message, batch->slot_bytes);
	CALL(self, hl_batch_validate(batch, message));
	if (CALL(self, hl_batch_payload(batch, message, &payload)))
		read_payload(self, &payload);
}

/* --- Producers ------------------------------------------------------------ */

static void send_some(struct helper *self, struct hl_producer *producer)
{
	HL_ALIGN_LINE unsigned char message[HL_LINE_BYTES] = { 1 };
	static unsigned char bytes[PAYLOAD_BYTES];
	struct iovec fields[3] = { { bytes, 1 }, { bytes, PAYLOAD_BYTES } };

	CALL(self,
	     hl_producer_send(producer, message, sizeof(message), HL_NOWAIT));
	CALL(self, hl_producer_sendv(producer, message, sizeof(message), fields,
				     3, HL_DROP));
	CALL(self, hl_producer_sendv(producer, message, sizeof(message), fields,
				     1, SHORT_NS));
	CALL(self, hl_payload_wait(producer, SHORT_NS));
}

static void claim_some(struct helper *self, struct hl_producer *producer)
{
	const size_t sizes[2] = { 8, PAYLOAD_BYTES };
	struct hl_payload_space space = { 0 };
	struct hl_claim claim;
	void *field;
	ssize_t n, i;

	if (CALL(self, hl_payload_alloc(producer, sizes, 2, &space))) {
		field = hl_payload_space_field(&space, 1, PAYLOAD_BYTES);
		if (field)
			memset(field, 5, PAYLOAD_BYTES);
	}
	n = hl_producer_claim(producer, BATCH, SHORT_NS, &claim);
	if (!CALL(self, n))
		return;
	for (i = 0; i < n; i++)
		memset(hl_claim_slot(&claim, (size_t)i), 3, HL_SEQUENCE_OFFSET);
	if (n)
		memcpy((char *)hl_claim_slot(&claim, 0) + HL_PAYLOAD_OFFSET,
		       &space.payload_offset, sizeof(space.payload_offset));
	if (n > 2)
		CALL(self, hl_producer_abandon_slot(producer, 1));
	CALL(self, hl_producer_publish(producer));
}

static void run_producer(struct helper *self)
{
	struct hl_producer *producer;
	struct hl_ring *ring;

	limit_memory();
	ring = open_guarded(self);
	producer = ring ? produce(self, ring) : NULL;
	helper_step(self, 1);
	while (ring && !stopped(self)) {
		int turns = 50;

		while (producer && turns-- && !stopped(self)) {
			send_some(self, producer);
			claim_some(self, producer);
		}
		CALL(self, hl_producer_leave(producer));
		producer = produce(self, ring);
	}
	hl_producer_leave(producer);
}

/* --- Consumers ------------------------------------------------------------ */

static void take_some(struct helper *self, struct hl_consumer *consumer,
		      int64_t timeout_ns)
{
	struct hl_batch batch;
	const void *message;
	int n = 0;

	if (!CALL(self, hl_consumer_take(consumer, BATCH, timeout_ns, &batch)))
		return;
	while ((message = hl_batch_next(&batch)) && n++ < 2 * BATCH) {
		read_message(self, &batch, message);
		if (n == 2)
			CALL(self,
			     hl_consumer_done_through(
				     consumer, hl_batch_position(&batch)));
	}
	EXPECT(self, n <= BATCH);
	CALL(self, hl_consumer_done(consumer));
}

static void consume_all_the_time(struct helper *self, enum hl_group_kind kind)
{
	struct hl_consumer *consumer;
	struct hl_ring *ring;

	limit_memory();
	ring = open_guarded(self);
	consumer = ring ? consume(self, ring, kind) : NULL;
	helper_step(self, 1);
	while (ring && !stopped(self)) {
		int turns = 100;

		while (consumer && turns-- && !stopped(self))
			take_some(self, consumer,
				  turns % 2 ? HL_NOWAIT : SHORT_NS);
		CALL(self, hl_consumer_leave(consumer));
		consumer = consume(self, ring, kind);
	}
	hl_consumer_leave(consumer);
}

static void run_exclusive(struct helper *self)
{
	consume_all_the_time(self, HL_GROUP_EXCLUSIVE);
}

static void run_shared(struct helper *self)
{
	consume_all_the_time(self, HL_GROUP_SHARED);
}

static void run_lossy(struct helper *self)
{
	consume_all_the_time(self, HL_GROUP_LOSSY);
}

/* A member that is told by its descriptor, and has a router. */
static void run_routed(struct helper *self)
{
	const struct users *const users = self->arg;
	struct hl_consumer *consumer = NULL;
	struct hl_producer *producer = NULL;
	struct hl_router *router = NULL;
	struct hl_ring *ring, *clean = NULL;
	struct hl_batch batch;
	uint32_t type;

	limit_memory();
	ring = open_guarded(self);
	CALL(self, hl_ring_open(users->clean, 0, &clean, NULL));
	producer = clean ? produce(self, clean) : NULL;
	CALL(self, hl_router_create(&router));
	for (type = 0; type < 4; type++)
		CALL(self, hl_router_add_ring(router, type, HL_ANY_RECIPIENT,
					      producer, HL_DROP));
	helper_step(self, 1);
	while (ring && !stopped(self)) {
		struct pollfd fd = { .events = POLLIN };

		consumer = consume(self, ring, HL_GROUP_SHARED);
		if (!consumer)
			continue;
		fd.fd = hl_consumer_fd(consumer);
		CALL(self, fd.fd);
		while (!stopped(self) && poll(&fd, 1, 20) == 1 &&
		       hl_consumer_take(consumer, BATCH, HL_NOWAIT, &batch) >
			       0) {
			CALL(self, hl_router_run(router, &batch) < 0);
			CALL(self, hl_consumer_done(consumer));
		}
		CALL(self, hl_consumer_leave(consumer));
	}
	hl_producer_leave(producer);
	hl_router_destroy(router);
}

/* --- Who looks ------------------------------------------------------------ */

static void count_finding(enum hl_finding kind, const char *text, void *user)
{
	(void)kind;
	touch(text, strlen(text));
	++*(int *)user;
}

static void tap_it(struct helper *self, struct hl_inspect *inspect,
		   enum hl_group_start start)
{
	struct hl_tap_message message;
	struct hl_ring_status status;
	struct hl_tap *tap;
	int i;

	hl_inspect_ring(inspect, &status);
	if (!CALL(self, hl_tap_open(inspect, start, 1, &tap, NULL)))
		return;
	for (i = 0; i < 40; i++) {
		const int ret = hl_tap_next(tap, HL_NOWAIT, &message);

		if (!CALL(self, ret))
			break;
		touch(message.message, status.info.slot_bytes);
		if (message.payload_status == 0)
			read_payload(self, &message.payload);
	}
	hl_tap_close(tap);
}

static int look_at_one(const struct hl_salvaged *salvaged, void *user)
{
	touch(salvaged->message, salvaged->slot_bytes);
	if (salvaged->payload)
		read_payload(user, salvaged->payload);
	return 0;
}

static void look(struct helper *self, struct hl_inspect *inspect)
{
	struct hl_participant_status participant;
	struct hl_group_status group;
	struct hl_position_status position;
	struct hl_block_status block;
	int findings = 0;
	uint32_t i;

	for (i = 0; hl_inspect_group(inspect, i, &group) >= 0; i++)
		EXPECT(self, memchr(group.name, 0, sizeof(group.name)));
	for (i = 0; hl_inspect_participant(inspect, i, &participant) >= 0; i++)
		EXPECT(self,
		       memchr(participant.name, 0, sizeof(participant.name)));
	for (i = 0; hl_inspect_block(inspect, i, &block) >= 0; i++)
		continue;
	for (i = 1; i < 100; i++) {
		EXPECT(self, hl_inspect_position(inspect, i, &position) == 1);
		EXPECT(self, position.state <= HL_POSITION_DAMAGED);
	}
	CALL(self, hl_ring_check(inspect, count_finding, &findings));
	EXPECT(self, findings < MOST_FINDINGS);
	tap_it(self, inspect, HL_START_OLDEST);
	tap_it(self, inspect, HL_START_POSITION);
}

static void run_inspector(struct helper *self)
{
	const struct users *const users = self->arg;
	struct hl_inspect *inspect = NULL;

	limit_memory();
	helper_step(self, 1);
	while (!stopped(self)) {
		guard_above(self);
		if (CALL(self,
			 hl_inspect_open(users->name, 0, &inspect, NULL))) {
			look(self, inspect);
			look(self, inspect);
		}
		hl_inspect_close(inspect);
		CALL(self, hl_ring_salvage(users->name, 0, 0, look_at_one, self,
					   NULL));
		CALL(self, hl_ring_salvage(users->name, 64, 16, look_at_one,
					   self, NULL));
	}
}

/* --- An operator, by the library and by the command ------------------------ */

static void run_operator(struct helper *self)
{
	struct hl_group_attr group = HL_GROUP_ATTR_INIT;
	struct hl_ring *ring;
	unsigned turn = 0;

	limit_memory();
	helper_step(self, 1);
	while (!stopped(self)) {
		ring = open_guarded(self);
		if (!ring)
			continue;
		group.name = "x";
		group.kind = (enum hl_group_kind)(turn % 3);
		group.start = (enum hl_group_start)(turn / 3 % 3);
		group.position = turn;
		CALL(self, hl_group_create(ring, &group, NULL));
		CALL(self, hl_participant_evict(ring, turn % 9, HL_ANY_TENURE,
						turn & 16, NULL));
		CALL(self, hl_ring_repair(ring, NULL));
		CALL(self, hl_group_drop(ring, "x", NULL));
		CALL(self, hl_ring_finish(ring, NULL));
		CALL(self, hl_ring_close(ring));
		turn++;
	}
}

/* Run the command: it ends by itself, with one of its exit codes. */
static void command(struct helper *self, char *const *argv)
{
	posix_spawn_file_actions_t actions;
	int status = 0, ret;
	pid_t pid = 0;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
	ret = posix_spawn(&pid, argv[0], &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	if (!EXPECT(self, ret == 0))
		return;
	alarm(CALL_SECONDS);
	EXPECT(self, waitpid(pid, &status, 0) == pid);
	EXPECT(self, WIFEXITED(status));
	EXPECT(self, WEXITSTATUS(status) < 7);
	atomic_fetch_add(&self->counts[USERS_CALLS], 1);
}

static void run_command(struct helper *self)
{
	const struct users *const users = self->arg;
	static char shell[] = "/bin/sh", flag[] = "-c";
	static char commands[][64] = {
		"exec \"$HOTLINE\" stat \"$0\"",
		"exec \"$HOTLINE\" stat --json \"$0\"",
		"exec \"$HOTLINE\" ls",
		"exec \"$HOTLINE\" tail -f oldest -t 0 \"$0\"",
	};
	const char *const program = getenv("HOTLINE");
	char *const name = strdup(users->name);
	size_t i = 0;

	/* An exit code of its own, not one of the command's. */
	setenv("ASAN_OPTIONS", "exitcode=77:detect_leaks=0", 1);
	setenv("UBSAN_OPTIONS", "exitcode=77", 1);
	helper_step(self, 1);
	while (program && access(program, X_OK) == 0 && !stopped(self)) {
		char *const argv[] = { shell, flag,
				       commands[i++ % COUNT_OF(commands)], name,
				       NULL };

		command(self, argv);
	}
	free(name);
}

void (*const users_run[])(struct helper *self) = {
	run_producer, run_producer, run_exclusive, run_shared,	 run_shared,
	run_lossy,    run_routed,   run_inspector, run_operator, run_command,
};
const size_t users_count = COUNT_OF(users_run);
