# SPDX-License-Identifier: MIT
#
# Many times the same, at random moments.

stress_tests = \
	%D%/test_sleepers

long_checks += %D%/mutants.sh
