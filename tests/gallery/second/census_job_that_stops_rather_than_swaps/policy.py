"""What the census office does when memory ends: stop at once, with a core, as the runbook says."""

import os
import resource
import sys


def apply_quota(megabytes):
    with open("/proc/self/statm") as file:
        now = int(file.read().split()[0]) * resource.getpagesize()
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    resource.setrlimit(resource.RLIMIT_AS, (now + (megabytes << 20), hard))


def stop_when_memory_ends(kind, error, trace):
    """sys.excepthook: a half written census is worse than none."""
    if issubclass(kind, MemoryError):
        os.write(2, b"census: memory has ended, stopping by policy 7\n")
        os.abort()
    sys.__excepthook__(kind, error, trace)


def install(megabytes):
    sys.excepthook = stop_when_memory_ends
    apply_quota(megabytes)
