# SPDX-License-Identifier: Apache-2.0
"""What waits for other processes: children, pools of processes, and queues between them.

In come the context of a process (hangs/hang_context.py) and a thread or task that waits, out comes
an answer or a fact for one. What other processes do is not in this core, and is never said.
"""
