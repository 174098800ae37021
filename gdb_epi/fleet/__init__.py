# SPDX-License-Identifier: Apache-2.0
"""The fleet database and its questions (outside GDB only)."""
