/* SPDX-License-Identifier: MIT */
/*
 * hotline/router.h - validate, route and count over a batch, in place
 *
 * A route leads from (type, recipient) to a handler or to another ring. Routes
 * may be added and removed while consumers run the router: a batch sees each
 * route either whole or not at all, and once hl_router_remove() has returned
 * its handler is not called any more. Messages are struct hl_message in their
 * first line, whatever the slot size.
 *
 * What finds no route, is not valid, or cannot be delivered goes to the
 * dead-letter handler and is counted by its reason; without such a handler the
 * batch stops before it and says so. Nothing is lost in silence.
 */
#ifndef HOTLINE_ROUTER_H
#define HOTLINE_ROUTER_H

#include <hotline/consume.h>

#ifdef __cplusplus
extern "C" {
#endif

struct hl_router;

/* Why a message was not handled; the first ones are enum hl_verdict's. */
enum hl_reason {
	HL_REASON_MAGIC = HL_BAD_MAGIC,
	HL_REASON_CHECKSUM = HL_BAD_CHECKSUM,
	HL_REASON_PAYLOAD = HL_BAD_PAYLOAD,
	HL_REASON_NO_ROUTE = 4,
	HL_REASON_HANDLER = 5, /* the handler returned an error */
	HL_REASON_FORWARD = 6, /* the other ring did not take it */
	HL_REASON_COUNT = 7,
};

/*
 * Handle one message. Returns 0, or a negative errno: then it is dead. It has
 * to return: a longjmp() or an exception out of it, or the end of its thread in
 * it, keeps routes from being removed for good.
 */
typedef int (*hl_route_fn)(const struct hl_batch *batch, const void *message,
			   void *user);

/* Take a dead message. Returns 0, or a negative errno to stop the batch. */
typedef int (*hl_dead_letter_fn)(const struct hl_batch *batch,
				 const void *message, enum hl_reason reason,
				 int error, void *user);

/* NULL for "any recipient": used where no route names the recipient. */
#define HL_ANY_RECIPIENT ((const char *)0)

/*
 * hl_router_create - create a router without routes
 *
 * The first one in a process has pthread_atfork() look after liburcu (its bp
 * flavour: a program that calls urcu_bp_before_fork() itself would do it
 * twice). A forked child may use its copy of the router. Returns: 0, -ENOMEM.
 */
HL_API
HL_MUST_CHECK
int hl_router_create(struct hl_router **out);

/* Free it. No call on it may be under way, so no handler. NULL is allowed. */
HL_API
void hl_router_destroy(struct hl_router *router);

/*
 * hl_router_add - lead (type, recipient) to a handler
 *
 * recipient is text of at most 12 bytes, or HL_ANY_RECIPIENT.
 *
 * Threads:  any, also while others run the router; not from a handler.
 * Returns:  0, or
 *   -EEXIST   there is such a route
 *   -EINVAL   no handler, or a recipient that is too long
 *   -EDEADLK  from a handler
 *   -EBADF    in a child that was forked by a handler
 *   -ENOMEM
 */
HL_API
HL_MUST_CHECK
int hl_router_add(struct hl_router *router, uint32_t type,
		  const char *recipient, hl_route_fn fn, void *user);

/*
 * hl_router_add_ring - lead (type, recipient) into another ring
 *
 * The producer is used by whoever runs the router, so by one thread at a time.
 * timeout_ns is how long a full ring is waited for; with HL_DROP a message that
 * is dropped counts as handled here, and as dropped with the producer.
 * Returns as hl_router_add(); -EINVAL without a producer or for a bad timeout.
 */
HL_API
HL_MUST_CHECK
int hl_router_add_ring(struct hl_router *router, uint32_t type,
		       const char *recipient, struct hl_producer *producer,
		       int64_t timeout_ns);

/*
 * hl_router_remove - remove a route, and wait for batches that may still use it
 *
 * What it counted stays in the router's totals. Returns: 0, -ENOENT, and as
 * hl_router_add(); from a handler, which would wait for itself, -EDEADLK.
 */
HL_API
HL_MUST_CHECK
int hl_router_remove(struct hl_router *router, uint32_t type,
		     const char *recipient);

/* Set before the router runs. */
HL_API
void hl_router_set_dead_letter(struct hl_router *router, hl_dead_letter_fn fn,
			       void *user);

/*
 * hl_router_run - validate, route and count what is left of a batch
 *
 * Does not finish the batch: call hl_consumer_done() when it returned >= 0.
 * After an error the walk stands before the message that was not handled, and
 * counts nothing of it: hl_batch_next() would return it. All before it may be
 * finished:
 *
 *     if (batch.next > 0)
 *             hl_consumer_done_through(consumer, hl_batch_position(&batch));
 *
 * Another run goes on with that message; to pass over it, call hl_batch_next().
 *
 * Threads:  any number, each with its own consumer.
 * Progress: wait-free, but for handlers and full rings. No lock, no memory, no
 *           system call, but in a thread's first run.
 * Returns:  messages handled, dead ones included, or a negative errno: what the
 *   dead-letter handler returned, or
 *   -ENOMSG   the message is dead, and there is no dead-letter handler
 */
HL_API
HL_MUST_CHECK
ssize_t hl_router_run(struct hl_router *router, struct hl_batch *batch);

struct hl_route_stats {
	uint32_t type;
	bool any;	    /* HL_ANY_RECIPIENT */
	char recipient[12]; /* padded with zero bytes */
	uint64_t messages;  /* handled */
	uint64_t errors;    /* that ended as dead letters */
};
struct hl_router_stats {
	uint64_t messages;		/* handled by routes */
	uint64_t dead[HL_REASON_COUNT]; /* by reason */
};
/* What a run counts shows here when it ends, or earlier. */
HL_API
void hl_router_get_stats(const struct hl_router *router,
			 struct hl_router_stats *stats);
/* Call fn for each route, in no order. Inside fn is as inside a handler. */
HL_API
void hl_router_each(const struct hl_router *router,
		    void (*fn)(const struct hl_route_stats *route, void *user),
		    void *user);

#ifdef __cplusplus
}
#endif
#endif /* HOTLINE_ROUTER_H */
