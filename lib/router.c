/* SPDX-License-Identifier: MIT */
/*
 * router.c - lead the messages of a batch to handlers and to other rings
 *
 * Guarantees: a message is counted once, when it was handled or when the
 * dead-letter handler took it; on any error the walk stands before the message
 * that was neither. Once a route was removed nobody uses it.
 *
 * Routes are in a lock-free hash table, and a batch runs inside one read-side
 * section of userspace RCU: a reader pays for a section a batch and a look-up a
 * message, and never waits for who changes the routes. Who removes one waits
 * for the sections that may still use it, and so does a fork() meanwhile.
 *
 * The flavour is bp, since a library's threads are not its own: bp registers a
 * thread by itself, takes it out again when it ends, and is the one flavour
 * that survives a fork. A program that uses another flavour does not meet ours.
 *
 * The table never resizes itself: it would start a thread for that. It grows
 * when a route is added.
 *
 * Counters are summed on the stack, and added to the shared ones where the
 * route changes and at the batch's end: threads that run the same route meet
 * in its line once a run.
 */
#include "config.h"

#include <hotline/router.h>

#include <pthread.h>
#include <stdlib.h>

#include <urcu/urcu-bp.h>

#include <urcu/rculfhash.h>

#include "atomic.h"
#include "util.h"

#define RECIPIENT_BYTES sizeof(((struct hl_message *)0)->recipient)
#define FIRST_BUCKETS 64u

/* What leads to a route. Compared as bytes: there is no padding. */
struct key {
	uint32_t type;
	uint32_t any; /* 1: the recipient is zeroes and counts for nothing */
	char recipient[RECIPIENT_BYTES];
};

_Static_assert(sizeof(struct key) == 20, "struct key has padding");

/* What is only read is apart from the counters, which all threads write. */
struct route {
	struct cds_lfht_node node;
	struct key key;
	_Atomic uint32_t whole; /* 1 before the route can be found */
	hl_route_fn fn;		/* NULL: forward to producer */
	void *user;		/* of fn */
	struct hl_producer *producer;
	int64_t timeout_ns;
	_Alignas(HL_LINE_BYTES) _Atomic uint64_t messages;
	_Atomic uint64_t errors;
};

_Static_assert(offsetof(struct route, node) == 0, "route_of() relies on it");

struct hl_router {
	struct cds_lfht *routes;
	hl_dead_letter_fn dead_letter;
	void *dead_letter_user;
	_Atomic uint64_t nroutes;
	_Alignas(HL_LINE_BYTES) _Atomic uint64_t messages;
	_Atomic uint64_t dead[HL_REASON_COUNT];
};

/* What a run has counted, and not yet added to the shared counters. */
struct tally {
	struct route *route;
	uint64_t messages; /* of route, like errors */
	uint64_t errors;
	uint64_t total; /* of all routes */
};

static pthread_once_t fork_once = PTHREAD_ONCE_INIT;
static int fork_error;

/* Forked inside a section: a grace period here might never end. */
static bool stale_child;

/*
 * Where a handler forks, a grace period may be waiting for that very handler:
 * taking liburcu's locks would wait for it in turn. The first call also sees to
 * it that the thread is registered, so that the later ones take no lock.
 */
static void before_fork(void)
{
	if (!urcu_bp_read_ongoing())
		urcu_bp_before_fork();
}

static void after_fork_parent(void)
{
	if (!urcu_bp_read_ongoing())
		urcu_bp_after_fork_parent();
}

static void after_fork_child(void)
{
	if (urcu_bp_read_ongoing())
		stale_child = true;
	else
		urcu_bp_after_fork_child();
}

static void watch_forks(void)
{
	fork_error = -pthread_atfork(before_fork, after_fork_parent,
				     after_fork_child);
}

/* May routes change now? Waiting for our own section would never end. */
static int check_change(void)
{
	if (stale_child)
		return -EBADF;
	return urcu_bp_read_ongoing() ? -EDEADLK : 0;
}

/* Multiplies and folds, so that each bit of the key reaches the low ones. */
static unsigned long hash_key(const struct key *key)
{
	uint64_t head, tail, hash;

	memcpy(&head, key->recipient, sizeof(head));
	memcpy(&tail, key->recipient + RECIPIENT_BYTES - sizeof(tail),
	       sizeof(tail));
	hash = key->type + ((uint64_t)key->any << 32);
	hash = (hash ^ head) * UINT64_C(0x9e3779b97f4a7c15);
	hash ^= hash >> 32;
	hash = (hash ^ tail) * UINT64_C(0xd6e8feb86659fd93);
	return (unsigned long)(hash ^ (hash >> 32));
}

static struct route *route_of(struct cds_lfht_node *node)
{
	return (struct route *)(void *)node;
}

static int match_key(struct cds_lfht_node *node, const void *key)
{
	struct route *route = route_of(node);

	/* Pairs with insert_route(). */
	return hli_load_acq(&route->whole) &&
	       memcmp(&route->key, key, sizeof(route->key)) == 0;
}

static int make_key(struct key *key, uint32_t type, const char *recipient)
{
	memset(key, 0, sizeof(*key));
	key->type = type;
	if (recipient == HL_ANY_RECIPIENT) {
		key->any = 1;
		return 0;
	}
	if (strnlen(recipient, RECIPIENT_BYTES + 1) > RECIPIENT_BYTES)
		return -EINVAL;
	hl_message_text(key->recipient, RECIPIENT_BYTES, recipient);
	return 0;
}

/* Call in a section; what is found is good until its end. */
static struct route *find_route(const struct hl_router *router,
				const struct key *key)
{
	struct cds_lfht_iter iter;
	struct cds_lfht_node *node;

	cds_lfht_lookup(router->routes, hash_key(key), match_key, key, &iter);
	node = cds_lfht_iter_get_node(&iter);
	return node ? route_of(node) : NULL;
}

static struct route *route_message(const struct hl_router *router,
				   const struct hl_message *message)
{
	struct key key = { .type = message->type };
	struct route *route;

	memcpy(key.recipient, message->recipient, sizeof(key.recipient));
	route = find_route(router, &key);
	if (route)
		return route;
	memset(key.recipient, 0, sizeof(key.recipient));
	key.any = 1;
	return find_route(router, &key);
}

/* Counters are relaxed: they order nothing, and each is right by itself. */
static void add_tally(struct tally *tally)
{
	if (tally->messages)
		hli_add_rlx(&tally->route->messages, tally->messages);
	if (tally->errors)
		hli_add_rlx(&tally->route->errors, tally->errors);
	tally->total += tally->messages;
	tally->messages = 0;
	tally->errors = 0;
}

static void switch_tally(struct tally *tally, struct route *route)
{
	if (tally->route == route)
		return;
	add_tally(tally);
	tally->route = route;
}

static int bury(struct hl_router *router, const struct hl_batch *batch,
		const void *message, enum hl_reason reason, int error)
{
	int ret;

	if (!router->dead_letter)
		return -ENOMSG;
	ret = router->dead_letter(batch, message, reason, error,
				  router->dead_letter_user);
	if (ret < 0)
		return ret;
	hli_add_rlx(&router->dead[reason], 1);
	return 0;
}

/* Handle one message, or have it buried: 0. Else it is as if not seen. */
static int handle(struct hl_router *router, const struct hl_batch *batch,
		  const void *message, struct tally *tally)
{
	const enum hl_verdict verdict = hl_batch_validate(batch, message);
	struct route *route;
	int ret;

	if (verdict != HL_VALID)
		return bury(router, batch, message, (enum hl_reason)verdict,
			    -EBADMSG);
	route = route_message(router, message);
	if (!route)
		return bury(router, batch, message, HL_REASON_NO_ROUTE,
			    -ENOENT);
	switch_tally(tally, route);
	if (route->fn)
		ret = route->fn(batch, message, route->user);
	else
		ret = hl_producer_forward(route->producer, batch, message,
					  route->timeout_ns);
	if (ret >= 0) {
		tally->messages++;
		return 0;
	}
	ret = bury(router, batch, message,
		   route->fn ? HL_REASON_HANDLER : HL_REASON_FORWARD, ret);
	if (ret == 0)
		tally->errors++;
	return ret;
}

/* Takes over the route, also when it fails. */
static int insert_route(struct hl_router *router, struct route *route)
{
	struct cds_lfht_node *node;
	uint64_t n;

	/*
	 * Pairs with match_key(). The table's own barriers do as much; this
	 * says so in the language's terms, which ThreadSanitizer follows.
	 */
	hli_store_rel(&route->whole, 1);
	urcu_bp_read_lock();
	node = cds_lfht_add_unique(router->routes, hash_key(&route->key),
				   match_key, &route->key, &route->node);
	urcu_bp_read_unlock();
	if (node != &route->node) {
		free(route);
		return -EEXIST;
	}
	/* Relaxed: a wrong size makes the table slower, and nothing else. */
	n = hli_add_rlx(&router->nroutes, 1) + 1;
	if (n >= FIRST_BUCKETS && hli_power_of_two(n))
		cds_lfht_resize(router->routes, (unsigned long)(2 * n));
	return 0;
}

static int create_route(uint32_t type, const char *recipient,
			struct route **out)
{
	struct route *route;
	struct key key;
	int ret;

	ret = check_change();
	if (ret == 0)
		ret = make_key(&key, type, recipient);
	if (ret < 0)
		return ret;
	route = aligned_alloc(_Alignof(struct route), sizeof(*route));
	if (!route)
		return -ENOMEM;
	memset(route, 0, sizeof(*route));
	route->key = key;
	*out = route;
	return 0;
}

int hl_router_create(struct hl_router **out)
{
	struct hl_router *router;

	*out = NULL;
	pthread_once(&fork_once, watch_forks);
	if (fork_error < 0)
		return fork_error;
	router = aligned_alloc(_Alignof(struct hl_router), sizeof(*router));
	if (!router)
		return -ENOMEM;
	memset(router, 0, sizeof(*router));
	router->routes = cds_lfht_new_flavor(FIRST_BUCKETS, FIRST_BUCKETS, 0, 0,
					     &urcu_bp_flavor, NULL);
	if (!router->routes) {
		free(router);
		return -ENOMEM;
	}
	*out = router;
	return 0;
}

void hl_router_destroy(struct hl_router *router)
{
	struct cds_lfht_iter iter;
	struct cds_lfht_node *node;
	struct route *last = NULL;

	if (!router)
		return;
	urcu_bp_read_lock();
	cds_lfht_for_each(router->routes, &iter, node)
	{
		cds_lfht_del(router->routes, node);
		/* Nobody else is here; the walk itself is past the last one. */
		free(last);
		last = route_of(node);
	}
	urcu_bp_read_unlock();
	free(last);
	cds_lfht_destroy(router->routes, NULL);
	free(router);
}

int hl_router_add(struct hl_router *router, uint32_t type,
		  const char *recipient, hl_route_fn fn, void *user)
{
	struct route *route;
	int ret;

	if (!fn)
		return -EINVAL;
	ret = create_route(type, recipient, &route);
	if (ret < 0)
		return ret;
	route->fn = fn;
	route->user = user;
	return insert_route(router, route);
}

int hl_router_add_ring(struct hl_router *router, uint32_t type,
		       const char *recipient, struct hl_producer *producer,
		       int64_t timeout_ns)
{
	struct route *route;
	int ret;

	if (!producer || (timeout_ns < 0 && timeout_ns != HL_DROP))
		return -EINVAL;
	ret = create_route(type, recipient, &route);
	if (ret < 0)
		return ret;
	route->producer = producer;
	route->timeout_ns = timeout_ns;
	return insert_route(router, route);
}

int hl_router_remove(struct hl_router *router, uint32_t type,
		     const char *recipient)
{
	struct route *route;
	struct key key;
	int ret;

	ret = check_change();
	if (ret == 0)
		ret = make_key(&key, type, recipient);
	if (ret < 0)
		return ret;
	urcu_bp_read_lock();
	route = find_route(router, &key);
	/* Of several who remove the same route, one gets it. */
	if (route && cds_lfht_del(router->routes, &route->node) < 0)
		route = NULL;
	urcu_bp_read_unlock();
	if (!route)
		return -ENOENT;
	hli_add_rlx(&router->nroutes, -UINT64_C(1));
	urcu_bp_synchronize_rcu();
	/* Pairs with hl_router_run(), for ThreadSanitizer as above. */
	(void)hli_load_acq(&router->messages);
	free(route);
	return 0;
}

void hl_router_set_dead_letter(struct hl_router *router, hl_dead_letter_fn fn,
			       void *user)
{
	router->dead_letter = fn;
	router->dead_letter_user = user;
}

ssize_t hl_router_run(struct hl_router *router, struct hl_batch *batch)
{
	struct tally tally = { 0 };
	const void *message;
	ssize_t handled = 0;
	int ret = 0;

	urcu_bp_read_lock();
	while ((message = hl_batch_next(batch))) {
		ret = handle(router, batch, message, &tally);
		if (ret < 0) {
			hl_batch_back(batch);
			break;
		}
		handled++;
	}
	add_tally(&tally);
	/* Pairs with hl_router_remove(): our uses of routes come before. */
	hli_add_ar(&router->messages, tally.total);
	urcu_bp_read_unlock();
	return ret < 0 ? ret : handled;
}

void hl_router_get_stats(const struct hl_router *router,
			 struct hl_router_stats *stats)
{
	stats->messages = hli_load_rlx(&router->messages);
	for (size_t i = 0; i < HL_REASON_COUNT; i++)
		stats->dead[i] = hli_load_rlx(&router->dead[i]);
}

void hl_router_each(const struct hl_router *router,
		    void (*fn)(const struct hl_route_stats *route, void *user),
		    void *user)
{
	struct hl_route_stats stats;
	struct cds_lfht_iter iter;
	struct cds_lfht_node *node;

	urcu_bp_read_lock();
	cds_lfht_for_each(router->routes, &iter, node)
	{
		struct route *route = route_of(node);

		/* Pairs with insert_route(). */
		if (!hli_load_acq(&route->whole))
			continue;
		stats.type = route->key.type;
		stats.any = route->key.any;
		memcpy(stats.recipient, route->key.recipient,
		       sizeof(stats.recipient));
		stats.messages = hli_load_rlx(&route->messages);
		stats.errors = hli_load_rlx(&route->errors);
		fn(&stats, user);
	}
	urcu_bp_read_unlock();
}
