# SPDX-License-Identifier: Apache-2.0
"""What compiled code did before the fault, by running it again on what is still there.

In: a `Context` and addresses of code. Out: maps of functions, the instructions that ran before an
address, and what they must have left in registers and stack slots. Decoding is x86/, unwinding
target/; whether a difference is evidence is for the checks to say.
"""
