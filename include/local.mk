# SPDX-License-Identifier: MIT
#
# Public headers. A new one: add a line here; tests/checks/headers.sh and
# exports.sh find it by themselves.

hotlineincludedir = $(includedir)/hotline

hotlineinclude_HEADERS = \
	%D%/hotline/admin.h \
	%D%/hotline/consume.h \
	%D%/hotline/hotline.h \
	%D%/hotline/inspect.h \
	%D%/hotline/message.h \
	%D%/hotline/produce.h \
	%D%/hotline/ring.h \
	%D%/hotline/router.h \
	%D%/hotline/schema.h

nodist_hotlineinclude_HEADERS = \
	%D%/hotline/version.h
