# SPDX-License-Identifier: MIT
#
# The real code, step by step.

race_tests =
