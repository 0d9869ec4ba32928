# SPDX-License-Identifier: MIT

# Design notes, installed beside the README.
dist_doc_DATA += \
	NEWS.md \
	README.md \
	%D%/decisions.md

# Pages of the library. Those of the command are listed below them.
dist_man_MANS += \
	%D%/man/hotline-consume.3 \
	%D%/man/hotline-inspect.3 \
	%D%/man/hotline-message.3 \
	%D%/man/hotline-produce.3 \
	%D%/man/hotline-ring.3 \
	%D%/man/hotline-router.3 \
	%D%/man/hotline-format.5 \
	%D%/man/hotline.7
