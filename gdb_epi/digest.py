# SPDX-License-Identifier: Apache-2.0
"""SHA-256 without OpenSSL: `import hashlib` loads libcrypto (6 ms of a cold start)."""

from __future__ import annotations

from gdb_epi.lean import TYPE_CHECKING

if TYPE_CHECKING:
    from hashlib import sha256
else:
    try:
        from _sha2 import sha256  # CPython 3.12 and later
    except ImportError:
        try:
            from _sha256 import sha256  # up to 3.11
        except ImportError:
            from hashlib import sha256


def sha256_hex(data: bytes) -> str:
    """Return the SHA-256 of `data`, 64 hex digits."""
    return sha256(data).hexdigest()
