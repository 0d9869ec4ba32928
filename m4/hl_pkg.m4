# SPDX-License-Identifier: MIT

# HL_REQUIRE_PKG(PREFIX, MODULES, DEBIAN-PACKAGE)
# -----------------------------------------------
# PKG_CHECK_MODULES that stops with the name of the package to install.
AC_DEFUN([HL_REQUIRE_PKG], [
PKG_CHECK_MODULES([$1], [$2], [],
	[AC_MSG_ERROR([$2 not found: install the Debian package $3, or say where it is in PKG_CONFIG_PATH
$$1_PKG_ERRORS])])
])
