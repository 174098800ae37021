# SPDX-License-Identifier: Apache-2.0
"""Stacks that somebody printed: GDB backtraces and faulthandler dumps, read and signed."""
