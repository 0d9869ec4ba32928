# SPDX-License-Identifier: MIT

# Design notes, installed beside the README.
dist_doc_DATA += \
	NEWS.md \
	README.md \
	%D%/decisions.md \
	%D%/ordering.md \
	%D%/performance.md \
	%D%/protocol.md \
	%D%/testing.md

# Pages of the library. Those of the command are listed below them.
dist_man_MANS += \
	%D%/man/hotline-admin.3 \
	%D%/man/hotline-consume.3 \
	%D%/man/hotline-inspect.3 \
	%D%/man/hotline-message.3 \
	%D%/man/hotline-produce.3 \
	%D%/man/hotline-ring.3 \
	%D%/man/hotline-router.3 \
	%D%/man/hotline-schema.3 \
	%D%/man/hotline-format.5 \
	%D%/man/hotline.7

dist_man_MANS += \
	%D%/man/hotline.1 \
	%D%/man/hotline-bench.1 \
	%D%/man/hotline-create.1 \
	%D%/man/hotline-doctor.1 \
	%D%/man/hotline-evict.1 \
	%D%/man/hotline-layout.1 \
	%D%/man/hotline-ls.1 \
	%D%/man/hotline-recv.1 \
	%D%/man/hotline-rm.1 \
	%D%/man/hotline-send.1 \
	%D%/man/hotline-stat.1 \
	%D%/man/hotline-tail.1 \
	%D%/man/hotline-why.1
