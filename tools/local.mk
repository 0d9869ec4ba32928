# SPDX-License-Identifier: MIT
#
# The command line interface. A command is a file cmd_NAME.c: one line here,
# one in main.c, and a page doc/man/hotline-NAME.1. Sees public headers only.

hotline_cli_sources = \
	%D%/btf.c \
	%D%/btf.h \
	%D%/cmd.h \
	%D%/cmd_bench.c \
	%D%/cmd_create.c \
	%D%/cmd_doctor.c \
	%D%/cmd_evict.c \
	%D%/cmd_layout.c \
	%D%/cmd_ls.c \
	%D%/cmd_recv.c \
	%D%/cmd_rm.c \
	%D%/cmd_send.c \
	%D%/cmd_stat.c \
	%D%/cmd_tail.c \
	%D%/cmd_why.c \
	%D%/decode.c \
	%D%/decode.h \
	%D%/decode_value.c \
	%D%/decode_value.h \
	%D%/doctor.c \
	%D%/doctor.h \
	%D%/dwarf_find.c \
	%D%/dwarf_inner.h \
	%D%/dwarf_shape.c \
	%D%/dwarf_struct.c \
	%D%/dwarf_struct.h \
	%D%/dwarf_type.c \
	%D%/dwarf_words.c \
	%D%/gauge.c \
	%D%/gauge.h \
	%D%/guard.c \
	%D%/guard.h \
	%D%/info_json.c \
	%D%/info_json.h \
	%D%/input.c \
	%D%/input.h \
	%D%/encode.c \
	%D%/encode.h \
	%D%/json_read.c \
	%D%/json_read.h \
	%D%/layout.c \
	%D%/layout.h \
	%D%/layout_json.c \
	%D%/layout_rows.c \
	%D%/layout_rows.h \
	%D%/layout_text.c \
	%D%/lines.c \
	%D%/lines.h \
	%D%/main.c \
	%D%/msg_json.c \
	%D%/msg_json.h \
	%D%/opt.c \
	%D%/opt.h \
	%D%/out.c \
	%D%/out.h \
	%D%/place.c \
	%D%/place.h \
	%D%/salvage.c \
	%D%/salvage.h \
	%D%/ruler.c \
	%D%/ruler.h \
	%D%/schema_file.c \
	%D%/schema_file.h \
	%D%/shape.c \
	%D%/shape.h \
	%D%/snapshot.c \
	%D%/snapshot.h \
	%D%/stat_json.c \
	%D%/stat_text.c \
	%D%/stop.c \
	%D%/stop.h \
	%D%/suggest.c \
	%D%/suggest.h \
	%D%/suggest_text.c \
	%D%/table.c \
	%D%/table.h \
	%D%/text.c \
	%D%/text.h \
	%D%/view.c \
	%D%/view.h \
	%D%/where.c \
	%D%/where.h \
	%D%/where_side.c \
	%D%/where_side.h \
	%D%/why.c \
	%D%/why.h \
	%D%/why_gone.c \
	%D%/why_group.c \
	%D%/why_show.c \
	%D%/words.c \
	%D%/words.h

bin_PROGRAMS += %D%/hotline
%C%_hotline_SOURCES = $(hotline_cli_sources)
%C%_hotline_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS) $(LIBDW_CFLAGS) \
	$(LIBBPF_CFLAGS)
%C%_hotline_LDADD = lib/libhotline.la $(JANSSON_LIBS) $(LIBDW_LIBS) \
	$(LIBBPF_LIBS)

# The completion is installed under the name of the command.
EXTRA_DIST += %D%/hotline.bash

if BASH_COMPLETION
install-data-local: install-completion
uninstall-local: uninstall-completion
endif

.PHONY: install-completion uninstall-completion
install-completion:
	$(MKDIR_P) '$(DESTDIR)$(bashcompdir)'
	$(INSTALL_DATA) $(srcdir)/%D%/hotline.bash \
		'$(DESTDIR)$(bashcompdir)/hotline'
uninstall-completion:
	rm -f '$(DESTDIR)$(bashcompdir)/hotline'
