# SPDX-License-Identifier: MIT

# HL_TRY_CFLAG(FLAG, VARIABLE)
# ----------------------------
# Append FLAG to VARIABLE if the compiler takes it. Tried with -Werror, since
# clang only warns about a warning that it does not know.
AC_DEFUN([HL_TRY_CFLAG], [
AS_VAR_PUSHDEF([hl_var], [hl_cv_cflag_$1])
AC_CACHE_CHECK([whether $CC takes $1], [hl_var],
	[hl_saved_cflags=$CFLAGS
	CFLAGS="$CFLAGS -Werror $1"
	AC_COMPILE_IFELSE([AC_LANG_SOURCE([int hl_empty;])],
		[AS_VAR_SET([hl_var], [yes])], [AS_VAR_SET([hl_var], [no])])
	CFLAGS=$hl_saved_cflags])
AS_VAR_IF([hl_var], [yes], [$2="$$2 $1"])
AS_VAR_POPDEF([hl_var])
])

# HL_WARN_CFLAGS
# --------------
# WARN_CFLAGS: the warnings that gcc >= 12 and clang >= 14 give on our code,
# as errors with --enable-werror. CFLAGS stays the user's.
AC_DEFUN([HL_WARN_CFLAGS], [
AC_ARG_ENABLE([werror],
	[AS_HELP_STRING([--enable-werror], [treat compiler warnings as errors])],
	[], [enable_werror=no])
WARN_CFLAGS=
m4_foreach_w([hl_flag], [
	-Wall
	-Wextra
	-Wformat=2
	-Wshadow
	-Wundef
	-Wvla
	-Wwrite-strings
	-Wpointer-arith
	-Wcast-qual
	-Wstrict-prototypes
	-Wmissing-prototypes
	-Wmissing-declarations
	-Wmissing-variable-declarations
	-Wold-style-definition
	-Wnested-externs
	-Wredundant-decls
	-Wimplicit-fallthrough
	-Wlogical-op
	-Wduplicated-cond
	-Wduplicated-branches
	-Wcomma
	-Wshift-overflow=2
	-Wstringop-overflow=3
], [HL_TRY_CFLAG(hl_flag, [WARN_CFLAGS])])
AS_IF([test "$enable_werror" = yes], [WARN_CFLAGS="$WARN_CFLAGS -Werror"])
AC_SUBST([WARN_CFLAGS])
])

# HL_SANITIZER
# ------------
# --enable-sanitizer=address,undefined or =thread: SANITIZER_CFLAGS, for
# compiling and linking. The first report ends the program.
AC_DEFUN([HL_SANITIZER], [
AC_ARG_ENABLE([sanitizer],
	[AS_HELP_STRING([--enable-sanitizer=LIST],
		[build with sanitizers: address, undefined, both with a comma, or thread])],
	[], [enable_sanitizer=no])
SANITIZER_CFLAGS=
AS_CASE([$enable_sanitizer],
	[no], [],
	[address|undefined|address,undefined|undefined,address|thread],
		[SANITIZER_CFLAGS="-fsanitize=$enable_sanitizer -fno-sanitize-recover=all -fno-omit-frame-pointer"],
	[AC_MSG_ERROR([--enable-sanitizer takes address, undefined, address,undefined or thread, not '$enable_sanitizer'])])
AS_VAR_IF([SANITIZER_CFLAGS], [], [],
	[hl_saved_cflags=$CFLAGS
	CFLAGS="$CFLAGS $SANITIZER_CFLAGS"
	AC_MSG_CHECKING([whether $CC links with -fsanitize=$enable_sanitizer])
	AC_LINK_IFELSE([AC_LANG_PROGRAM],
		[AC_MSG_RESULT([yes])],
		[AC_MSG_RESULT([no])
		AC_MSG_ERROR([$CC cannot link with -fsanitize=$enable_sanitizer])])
	CFLAGS=$hl_saved_cflags])
AC_SUBST([SANITIZER_CFLAGS])
AC_SUBST([SANITIZER], [$enable_sanitizer])
])
