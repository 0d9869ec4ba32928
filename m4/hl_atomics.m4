# SPDX-License-Identifier: MIT

# HL_REQUIRE_LOCK_FREE_64
# -----------------------
# Stop unless 64-bit atomics are lock-free in every instance. A helper library
# emulates the others with locks in the memory of one process, which exclude
# nobody in another: so there is no fall-back. The second half links, without
# libatomic, each kind of operation the library uses.
AC_DEFUN([HL_REQUIRE_LOCK_FREE_64], [
AC_CACHE_CHECK([whether 64-bit atomics are lock-free], [hl_cv_lock_free_64],
	[AC_LINK_IFELSE([AC_LANG_PROGRAM([[
#include <stdatomic.h>
#include <stdint.h>
#if ATOMIC_LLONG_LOCK_FREE != 2 || ATOMIC_INT_LOCK_FREE != 2
#error "not always lock-free"
#endif
static _Alignas(64) _Atomic uint64_t word;
]], [[
	uint64_t seen = atomic_load(&word);

	atomic_store(&word, seen + 1);
	atomic_fetch_add(&word, 1);
	return !atomic_compare_exchange_strong(&word, &seen, 2);
]])],
		[hl_cv_lock_free_64=yes], [hl_cv_lock_free_64=no])])
AS_VAR_IF([hl_cv_lock_free_64], [yes], [],
	[AC_MSG_ERROR([64-bit atomics are not lock-free for $host_cpu: atomics emulated with locks do not work between processes, so Hotline cannot be built for this target])])
])
