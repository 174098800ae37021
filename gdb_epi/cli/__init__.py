# SPDX-License-Identifier: Apache-2.0
"""Tell why Python processes died, from their core dumps; `epi` commands in GDB show more.

A verb of `gdb-epi` is a module here with HELP, add_arguments(parser) and run(args) -> int, or a
package of such modules with HELP (fleet). `main` finds and runs it, so that a new verb is one new
file; what verbs share is in support/. In go the words of a command line, out come text and an
exit code.
"""
