/* SPDX-License-Identifier: MIT */
/*
 * tap.c - watch the messages that pass, without being a consumer
 *
 * A tap reads as a lossy consumer does, but from a mapping that it cannot
 * write: it has no cursor in the ring, sets no sleeper's bit, and so polls.
 */
#include "config.h"

#include "inspect.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "clock.h"
#include "take.h"
#include "util.h"

#define FIRST_NAP_NS HLI_NS_PER_MS
#define LONGEST_NAP_NS (20 * HLI_NS_PER_MS)

struct hl_tap {
	const struct hli_view *view;
	uint64_t position; /* next */
	uint64_t lost, voids;
	unsigned char *payload; /* room for a block, or NULL */
	_Alignas(64) unsigned char message[HL_SLOT_BYTES_MAX];
};

static uint64_t head_of(const struct hli_view *view, bool *finished)
{
	const uint64_t head = hli_load_acq(&view->header->head);

	*finished = head & HLI_FINISHED;
	return hli_head_position(head);
}

int hl_tap_open(struct hl_inspect *inspect, enum hl_group_start start,
		uint64_t position, struct hl_tap **out, struct hl_error *err)
{
	const struct hli_view *const view = &inspect->view;
	struct hl_tap *tap;
	bool finished;

	*out = NULL;
	if (start > HL_START_POSITION ||
	    (start == HL_START_POSITION &&
	     (position == 0 || position > HLI_POSITION_END)))
		return hli_fail(err, -EINVAL, "%s: no such place to start at",
				inspect->name);
	tap = aligned_alloc(64, hli_round_up(sizeof(*tap), 64));
	if (!tap)
		return hli_fail(err, -ENOMEM, "%s: no memory for a tap",
				inspect->name);
	/* Before the first one there was nothing to miss. */
	*tap = (struct hl_tap){
		.view = view,
		.position = hli_max(position, view->geo.start_position),
	};
	if (start == HL_START_NEWEST)
		tap->position = head_of(view, &finished);
	else if (start == HL_START_OLDEST)
		tap->position = hli_oldest(view);
	*out = tap;
	return 0;
}

void hl_tap_close(struct hl_tap *tap)
{
	if (!tap)
		return;
	free(tap->payload);
	free(tap);
}

static int read_payload(struct hl_tap *tap, struct hl_payload *payload)
{
	const size_t room = tap->view->geo.block_stride;

	if (tap->view->geo.nblocks && !tap->payload) {
		tap->payload = malloc(room);
		if (!tap->payload)
			return -ENOMEM;
	}
	return hli_payload_lossy(tap->view, tap->message, tap->payload,
				 payload);
}

/* One message that is there now: 1, -EAGAIN, -EPIPE. */
static int read_next(struct hl_tap *tap, struct hl_tap_message *message)
{
	const struct hli_view *const view = tap->view;
	uint64_t budget = 2 * view->geo.capacity; /* ends in any case */
	bool finished;

	while (budget--) {
		const uint64_t head = head_of(view, &finished);
		int got;

		if (head > tap->position + view->geo.capacity) {
			tap->lost += head - view->geo.capacity - tap->position;
			tap->position = head - view->geo.capacity;
		}
		if (tap->position >= head)
			return finished ? -EPIPE : -EAGAIN;
		got = hli_read_lossy(view, tap->position, tap->message);
		if (got == 0 || got == -EBADMSG)
			return got ? got : -EAGAIN;
		tap->lost += got == -ESTALE;
		tap->voids += got == 2;
		tap->position++;
		if (got != 1)
			continue;
		*message = (struct hl_tap_message){
			.message = tap->message,
			.position = tap->position - 1,
			.lost = tap->lost,
			.voids = tap->voids,
		};
		tap->lost = tap->voids = 0;
		message->payload_status = read_payload(tap, &message->payload);
		return 1;
	}
	return -EAGAIN;
}

int hl_tap_next(struct hl_tap *tap, int64_t timeout_ns,
		struct hl_tap_message *message)
{
	struct timespec nap = { .tv_nsec = FIRST_NAP_NS };
	int64_t deadline;
	int ret;

	if (timeout_ns < 0)
		return -EINVAL;
	ret = read_next(tap, message);
	if (ret != -EAGAIN || timeout_ns == 0)
		return ret;
	deadline = hli_deadline_ns(timeout_ns);
	while ((ret = read_next(tap, message)) == -EAGAIN) {
		if (hli_now_ns() >= deadline)
			return -ETIMEDOUT;
		if (nanosleep(&nap, NULL) < 0)
			return -EINTR;
		nap.tv_nsec = (long)hli_min((uint64_t)nap.tv_nsec * 2,
					    LONGEST_NAP_NS);
	}
	return ret;
}
