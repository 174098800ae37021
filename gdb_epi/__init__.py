# SPDX-License-Identifier: Apache-2.0
"""Tell why Python processes die, across a fleet, from their core dumps."""

__version__ = "0.4.0"
