# SPDX-License-Identifier: Apache-2.0
"""The `epi` subcommands, one file each; they take (session, args) and return a Report.

A file registers its function with `@command`; arguments, help and completion come from there. The
adapter in gdb_epi/gdbhost parses, shows and writes. No command imports gdb, prints or decodes.
"""
