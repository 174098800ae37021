# SPDX-License-Identifier: Apache-2.0
"""Wrong pointers and offsets whose value or company tells that code of the program made them.

In: the account of the fault, memory. Out: findings. What damage looks like belongs to corruption/.
"""
