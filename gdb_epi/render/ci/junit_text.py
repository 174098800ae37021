# SPDX-License-Identifier: Apache-2.0
"""Texts that JUnit XML can hold: XML 1.0 section 2.2 has no place for most control characters."""

from __future__ import annotations

import re

from gdb_epi.render.escape import escape

MAX_TEXT = 16 << 10  # characters of one text
_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_BETWEEN_WHITESPACE = re.compile("[^\t\n\r]+")


def xml_safe_text(text: str) -> str:
    """Return text that XML can hold and that cannot reorder what a viewer shows."""
    allowed = _NO_XML.sub("\ufffd", text[:MAX_TEXT])
    return _BETWEEN_WHITESPACE.sub(lambda match: escape(match[0]), allowed)
