# SPDX-License-Identifier: Apache-2.0
"""The category of a crash, of a closed list: SPEC.md section 3.

In comes a `CategoryInput` (types.py): target, crash, native frames of the signed thread. Out comes
a `Category` with its evidence and the steps of the decision (rules.py). Each other module is a
family of rules, in order: faults of the kernel, aborts, kills from outside and snapshots. A rule
looks only at what two machines with the same core see alike; causes are the verdict's.
"""
