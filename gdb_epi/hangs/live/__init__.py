# SPDX-License-Identifier: Apache-2.0
"""What the code of a process that can still run may do: who could end a wait, or change a value.

In come the frames of threads and tasks as the core has them; out comes whether any code that goes
on could call, set or store what somebody waits for. The answer for a wait is made elsewhere; who
beside its members may end it, and caps how sure it is, is asked here (who_may_end_waits.py).
"""
