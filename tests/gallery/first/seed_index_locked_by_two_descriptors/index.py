# SPDX-License-Identifier: Apache-2.0
"""The index: a JSON file, changed only under the lock of the file beside it."""

import contextlib
import fcntl
import json


@contextlib.contextmanager
def locked(store):
    """Give the entries; write them back unless something was raised."""
    with open(store / "index.lock", "a") as guard:
        fcntl.flock(guard, fcntl.LOCK_EX)
        path = store / "index.json"
        entries = json.loads(path.read_text()) if path.exists() else {}
        yield entries
        path.write_text(json.dumps(entries, indent=1))
