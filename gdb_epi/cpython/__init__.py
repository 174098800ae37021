# SPDX-License-Identifier: Apache-2.0
"""CPython state: layouts, runtime, threads, frames, objects."""
