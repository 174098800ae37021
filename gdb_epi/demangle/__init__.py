# SPDX-License-Identifier: Apache-2.0
"""Readers of mangled and printed names, down to the path of a function.

In comes a linkage name or what a debugger printed; out comes `a::b<T>::c`, or None for a name
outside the grammar. No full demanglers: types and template arguments are skipped. The order of the
rules is in native_names.py.
"""
