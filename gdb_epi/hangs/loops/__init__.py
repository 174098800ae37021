# SPDX-License-Identifier: Apache-2.0
"""Loops that sleep or walk: event loops, loops that ask or try again, rings; and waits in none."""
