/* SPDX-License-Identifier: MIT */
/*
 * info_json - what a ring is: the same members and figures wherever printed
 */
#include "info_json.h"

#include "opt.h"
#include "out.h"

static void set_u64(json_t *object, const char *key, uint64_t value)
{
	hlt_json_set(object, key, hlt_json_u64(value));
}

static void set_word(json_t *object, const char *key, const char *const *words,
		     unsigned value)
{
	hlt_json_set(object, key, json_string(hlt_word(words, value)));
}

void hlt_info_to_json(json_t *object, const struct hl_ring_info *info)
{
	set_u64(object, "file_bytes", info->file_bytes);
	set_u64(object, "capacity", info->capacity);
	set_u64(object, "slot_bytes", info->slot_bytes);
	set_u64(object, "arena_bytes", info->arena_bytes);
	set_u64(object, "nblocks", info->nblocks);
	set_u64(object, "block_bytes", info->block_bytes);
	set_u64(object, "overhead_bytes", info->overhead_bytes);
	set_u64(object, "page_bytes", info->page_bytes);
	set_u64(object, "start_position", info->start_position);
	set_u64(object, "max_producers", info->max_producers);
	set_u64(object, "max_consumers", info->max_consumers);
	set_u64(object, "max_groups", info->max_groups);
	set_u64(object, "message_magic", info->message_magic);
	set_word(object, "producers", hlt_producers_words, info->producers);
	set_word(object, "unread", hlt_unread_words, info->unread);
	set_word(object, "checksum", hlt_checksum_words, info->checksum);
	hlt_json_set(object, "wakers_fence", json_boolean(info->wakers_fence));
}

static uint64_t behind(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

uint64_t hlt_claimed(const struct hl_ring_status *status)
{
	return behind(status->head, status->info.start_position);
}

uint64_t hlt_depth(const struct hl_ring_status *status)
{
	return behind(status->head, status->low);
}
