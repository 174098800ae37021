# SPDX-License-Identifier: Apache-2.0
"""Tell why Python processes died, from their core dumps; `epi` commands in GDB show more."""
