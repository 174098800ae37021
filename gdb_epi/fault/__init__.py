# SPDX-License-Identifier: Apache-2.0
"""The one account of what failed: signal, instruction, access and address of a crash.

In come a target and what the core's notes say about the crash. Out go a `Fault` (`find_fault.py`),
the access or transfer that failed (`fault_site.py`), and answers about what surrounds it: mappings
(`mapping_checks.py`), code (`instructions.py`), what a word looks like that is no pointer
(`word_shapes.py`), glibc's abort message. What caused the fault is not judged here: categories,
detectors and checks are tables over these facts.
"""
