# SPDX-License-Identifier: Apache-2.0
"""The `epi` subcommands, one file each; they take (session, args) and return a Report."""
