# SPDX-License-Identifier: Apache-2.0
"""What people decided about signatures and hosts, and what happened since.

In: decisions (`current_state`), and the crashes since then. Out: states (fixed, regressed, drained,
repaired ...), the hosts to take out now, what is new and whom to tell, and what may be deleted.
What stands out, and by which test, belongs to `screen`; pages belong to `report`.
"""
