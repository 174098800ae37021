# SPDX-License-Identifier: Apache-2.0
"""Corruption that points at hardware, told apart from software bugs."""
