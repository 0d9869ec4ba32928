/* SPDX-License-Identifier: MIT */
/*
 * join.c - come to life as a participant, and leave
 *
 * Guarantees: a record is taken by one participant, which holds its byte from
 * before it is filled until after it is FREE again. Whoever joins has looked
 * for the dead. Nobody joins a ring whose name is gone: the remover holds the
 * control byte while it looks for participants and unlinks, and so does every
 * joiner.
 *
 * A forked child is no participant. Its copies of the lock descriptors are
 * closed at once, in the child only, since the locks belong to the description
 * that parent and child share.
 */
#include "config.h"

#include "join.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clock.h"
#include "group.h"
#include "liveness.h"
#include "mend.h"
#include "reap.h"
#include "record.h"
#include "util.h"

static pthread_mutex_t members_lock = PTHREAD_MUTEX_INITIALIZER;
static struct hli_member *members; /* of this process */
static pthread_once_t fork_once = PTHREAD_ONCE_INIT;

static void before_fork(void)
{
	pthread_mutex_lock(&members_lock);
}

static void after_fork_parent(void)
{
	pthread_mutex_unlock(&members_lock);
}

static void after_fork_child(void)
{
	struct hli_member *m;

	for (m = members; m; m = m->next) {
		if (hli_descriptor_ours(m))
			close(m->lock_fd);
		m->lock_fd = -1;
		hli_store_rlx(&m->busy, HLI_FORKED);	    /* one thread */
		hli_add_rlx(&m->ring->members, UINT32_MAX); /* one thread */
	}
	members = NULL;
	pthread_mutex_init(&members_lock, NULL);
}

static void watch_forks(void)
{
	pthread_atfork(before_fork, after_fork_parent, after_fork_child);
}

/* Open the description and list it, with no fork in between. */
static int open_member(struct hli_member *m)
{
	pthread_mutex_lock(&members_lock);
	m->lock_fd = hli_lock_open(m->ring->segment.fd);
	if (m->lock_fd >= 0) {
		m->next = members;
		m->link = &members;
		if (members)
			members->link = &m->next;
		members = m;
		hli_add_rlx(&m->ring->members, 1);
	}
	pthread_mutex_unlock(&members_lock);
	return m->lock_fd;
}

static void remove_member(struct hli_member *m)
{
	pthread_mutex_lock(&members_lock);
	if (m->link) {
		*m->link = m->next;
		if (m->next)
			m->next->link = m->link;
		m->link = NULL;
	}
	pthread_mutex_unlock(&members_lock);
}

/* Field 22 of stat: when the process started, in clock ticks after boot. */
static uint64_t process_start(void)
{
	char line[1024];
	const char *at;
	uint64_t start = 0;
	ssize_t n;
	int fd, field;

	fd = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	n = read(fd, line, sizeof(line) - 1);
	close(fd);
	if (n <= 0)
		return 0;
	line[n] = '\0';
	at = strrchr(line, ')'); /* the name before it may hold anything */
	for (field = 2; at && field < 22; field++)
		at = strchr(at + 1, ' ');
	if (at)
		start = strtoull(at, NULL, 10);
	return start;
}

static int check_name(struct hli_member *member, struct hl_error *err)
{
	const struct hl_ring *const ring = member->ring;
	struct stat st;

	if (fstat(member->lock_fd, &st) < 0)
		return hli_fail(err, -errno, "%s: stat: %s", ring->name,
				strerror(errno));
	if (ring->segment.named && st.st_nlink == 0)
		return hli_fail(err, -EIDRM,
				"%s: the ring was removed: close it and open "
				"the name again",
				ring->name);
	return 0;
}

int hli_register_barrier(const struct hl_ring *ring, struct hl_error *err)
{
	int ret;

	if (ring->view.geo.features & HLI_FEATURE_WAKERS_FENCE)
		return 0;
	ret = hli_membarrier_register();
	if (ret < 0)
		return hli_fail(err, -ENOTSUP,
				"%s: the kernel refuses membarrier (%s), on "
				"which this ring's sleepers rely",
				ring->name, strerror(-ret));
	return 0;
}

void hli_read_boot_id(char id[40])
{
	const int fd =
		open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
	ssize_t n;

	memset(id, 0, 40);
	if (fd < 0)
		return;
	n = read(fd, id, 36);
	close(fd);
	id[n > 0 ? n : 0] = '\0';
}

bool hli_anybody_lives(const struct hli_member *member)
{
	uint32_t i;

	for (i = 0; i < member->ring->view.nrecords; i++) {
		if (i != member->index &&
		    hli_lock_probe(member->lock_fd, HLI_LOCK_RECORD(i)) != 0)
			return true;
	}
	return false;
}

/*
 * The first to join after a reboot finds pages of different ages. Everybody is
 * dead, and the look has recovered what it could.
 */
static void mend_after_boot(struct hli_member *member)
{
	struct hli_header *const header = member->ring->view.header;
	char id[sizeof(header->boot_id)];

	hli_read_boot_id(id);
	if (id[0] == '\0' || memcmp(id, header->boot_id, sizeof(id)) == 0 ||
	    hli_anybody_lives(member))
		return;
	member->changed += hli_mend(&member->ring->view);
	memcpy(header->boot_id, id, sizeof(id));
}

int hli_join_begin(struct hli_member *member, struct hl_ring *ring,
		   struct hl_error *err)
{
	int ret;

	memset(member, 0, sizeof(*member));
	member->ring = ring;
	member->index = HLI_NO_RECORD;
	member->group = HLI_NO_RECORD;
	member->adopted = HLI_NO_RECORD;
	pthread_once(&fork_once, watch_forks);
	if (open_member(member) < 0)
		return hli_fail(err, member->lock_fd,
				"%s: cannot open it again through /proc: %s",
				ring->name, strerror(-member->lock_fd));
	ret = hli_lock_wait(member->lock_fd, HLI_LOCK_CONTROL, HLI_CONTROL_NS);
	if (ret < 0)
		return hli_fail(err, ret,
				"%s: somebody who joins or leaves does not get "
				"done: %s",
				ring->name, strerror(-ret));
	ret = check_name(member, err);
	if (ret == 0)
		ret = hli_register_barrier(ring, err);
	if (ret == 0)
		ret = hli_look_for_dead(member, true);
	if (ret < 0)
		return ret;
	member->changed = ret;
	mend_after_boot(member);
	return 0;
}

static void clear_counters(struct hli_record *r)
{
	hli_store_rlx(&r->messages, 0);
	hli_store_rlx(&r->batches, 0);
	hli_store_rlx(&r->waits, 0);
	hli_store_rlx(&r->wakeups, 0);
	hli_store_rlx(&r->full, 0);
	hli_store_rlx(&r->dropped, 0);
	hli_store_rlx(&r->voids, 0);
}

static void fill_record(struct hli_member *member, const char *name)
{
	struct hli_record *const r = member->record;

	if (member->adopted == member->index)
		hli_group_fold(&member->ring->view, r);
	clear_counters(r);
	if (member->adopted != member->index) {
		hli_range_empty(r);
		hli_store_rlx(&r->attempts, 0);
		hli_store_rlx(&r->attempt_position, 0);
		hli_store_rlx(&r->group, UINT16_MAX); /* until entered */
	}
	hli_store_rlx(&r->pid, (uint32_t)getpid());
	hli_store_rlx(&r->uid, geteuid());
	hli_store_rlx(&r->pid_start, process_start());
	hli_store_rlx(&r->joined_ns, (uint64_t)hli_clock_ns(CLOCK_REALTIME));
	hli_copy_text(r->name, sizeof(r->name),
		      name ? name : program_invocation_short_name);
}

/* Lock record i's byte, if it is in this state then. */
static bool lock_record(struct hli_member *member, uint32_t i,
			enum hli_state state)
{
	struct hli_record *const r = &member->ring->view.records[i];

	if (hli_record_state(r) != state ||
	    hli_lock_try(member->lock_fd, HLI_LOCK_RECORD(i)) < 0)
		return false;
	HLI_HOOK("join_locked");
	if (hli_record_state(r) != state) {
		hli_lock_drop(member->lock_fd, HLI_LOCK_RECORD(i));
		return false;
	}
	member->index = i;
	member->record = r;
	return true;
}

/* Take a free record among [from, to): true when there was one. */
static bool take_record(struct hli_member *member, uint32_t from, uint32_t to)
{
	uint32_t i;

	for (i = from; i < to; i++) {
		if (lock_record(member, i, HLI_FREE))
			return true;
	}
	return false;
}

/*
 * Every record may be a dead member's who left something to its group. Who
 * joins that group takes one with what is in it: its range is then ours, and
 * comes first, as if we had adopted it.
 */
static bool inherit_record(struct hli_member *member, uint32_t from,
			   uint32_t to, uint32_t group)
{
	const struct hli_view *const view = &member->ring->view;
	uint64_t begin, end, lowest = UINT64_MAX;
	uint32_t i, best = HLI_NO_RECORD;

	for (i = from; i < to && group != HLI_NO_RECORD; i++) {
		if (hli_group_has(view, group, i) &&
		    hli_record_state(&view->records[i]) == HLI_DEAD &&
		    hli_range_get(&view->records[i], &begin, &end) &&
		    begin < lowest) {
			lowest = begin;
			best = i;
		}
	}
	if (best == HLI_NO_RECORD || !lock_record(member, best, HLI_DEAD))
		return false;
	member->adopted = best;
	return true;
}

int hli_join_record(struct hli_member *member, uint32_t from, uint32_t to,
		    uint32_t heir_of, const char *name, struct hl_error *err)
{
	const struct timespec pause = { .tv_nsec = HLI_NS_PER_MS };
	const int64_t deadline = hli_deadline_ns(HLI_DYING_NS);

	/* A record may be about to be free: somebody recovers it, or its
	 * owner was killed a moment ago. */
	while (!take_record(member, from, to) &&
	       !inherit_record(member, from, to, heir_of)) {
		if (hli_now_ns() >= deadline)
			return hli_fail(err, -EUSERS,
					"%s: all %u places for %s are taken",
					member->ring->name, to - from,
					from ? "consumers" : "producers");
		nanosleep(&pause, NULL);
		(void)hli_look_for_dead(member, true);
	}
	member->tenure = hli_record_next_tenure(member->record);
	fill_record(member, name);
	HLI_HOOK("join_filled");
	return 0;
}

void hli_join_end(struct hli_member *member)
{
	hli_store_rel(&member->record->state, member->tenure);
	HLI_HOOK("join_live");
	hli_lock_drop(member->lock_fd, HLI_LOCK_CONTROL);
}

bool hli_descriptor_ours(const struct hli_member *member)
{
	return hli_segment_is(&member->ring->segment, member->lock_fd);
}

/*
 * One by one and by name, before the close: a child that was forked at a bad
 * moment may have a copy of the descriptor.
 */
static void unlock_all(const struct hli_member *member)
{
	const int fd = member->lock_fd;

	if (member->index != HLI_NO_RECORD)
		hli_lock_drop(fd, HLI_LOCK_RECORD(member->index));
	if (member->adopted != HLI_NO_RECORD)
		hli_lock_drop(fd, HLI_LOCK_RECORD(member->adopted));
	if (member->seat)
		hli_lock_drop(fd, member->seat);
	hli_lock_drop(fd, HLI_LOCK_CONTROL);
}

void hli_join_cancel(struct hli_member *member)
{
	if (!member->ring || member->lock_fd < 0)
		return;
	remove_member(member);
	if (hli_descriptor_ours(member)) {
		unlock_all(member);
		close(member->lock_fd);
	}
	hli_add_rlx(&member->ring->members, UINT32_MAX);
	member->ring = NULL;
}

void hli_join_refused(struct hli_member *member)
{
	const struct timespec pause = { .tv_nsec = 2 * HLI_NS_PER_MS };

	hli_join_cancel(member);
	nanosleep(&pause, NULL);
}

void hli_join_leave(struct hli_member *member, enum hli_state state)
{
	bool control;

	/* Declared dead meanwhile: others have done all this. */
	if (!hli_record_ours(member->record, member->tenure)) {
		member->index = HLI_NO_RECORD;
		hli_join_cancel(member);
		return;
	}
	control = member->group != HLI_NO_RECORD &&
		  hli_lock_wait(member->lock_fd, HLI_LOCK_CONTROL,
				HLI_CONTROL_NS) == 0;

	HLI_HOOK("leave_begun");
	if (state == HLI_FREE) {
		hli_record_free(&member->ring->view, member->index);
	} else {
		hli_record_set(member->record, state);
		HLI_HOOK("leave_dead");
	}
	/* Without the control byte the group is left to the next look. */
	if (control)
		hli_group_settle(member, member->group);
	hli_join_cancel(member);
}
