# SPDX-License-Identifier: Apache-2.0
"""Faults with what they are by the documents of the kernel and the ABI, written before the code."""
