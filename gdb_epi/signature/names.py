# SPDX-License-Identifier: Apache-2.0
"""Normalise names of modules and Python frames. SPEC.md section 4 is normative."""

from __future__ import annotations

import re
import unicodedata

from gdb_epi.cpython.types import PyFrame

MAX_TOKEN = 200  # characters of one frame in a signature line
CUT = "..."  # at the end of a name that was longer
CELL = "{cell}"  # a cell of a notebook, whose file name holds a pid and a hash

_CONTROL = re.compile(r"[\x00-\x20\x7f-\x9f\u2028\u2029]")
_MINOR = re.compile(r"(\.so\.\d+)[.\d]*\Z")
_SITE = re.compile(r"/(?:site-packages|dist-packages|lib-dynload)/")
_ARCHIVE = re.compile(r"\.(?:pyz|pyzw|zip|egg|whl|par|pex)/")
_NOTEBOOK = re.compile(r"/ipykernel_\d+/\d+\.py\Z|\A<ipython-input-|\A<ipykernel|/xpython_\d+/")
_STDLIB = re.compile(r"/lib/python3(?:\.\d+)?t?/")


def signature_safe_text(text: str) -> str:
    """Return text that is safe inside a signature line: NFC, no blanks, no controls, capped.

    Blanks become "_" so that " <- " stays the only separator; controls and lone surrogates are
    escaped; what is longer than MAX_TOKEN ends in "...". (N24)
    """
    if len(text) <= MAX_TOKEN and text.isascii() and text.isprintable() and " " not in text:
        return text  # nearly every name
    text = text[: 4 * MAX_TOKEN + 1].encode("utf-8", "backslashreplace").decode("utf-8")
    text = unicodedata.normalize("NFC", text)
    text = _CONTROL.sub(lambda m: "_" if m.group() == " " else f"\\x{ord(m.group()):02x}", text)
    return text if len(text) <= MAX_TOKEN else text[: MAX_TOKEN - len(CUT)] + CUT


def native_module_name(path: str) -> str:
    """Return the file name of a mapped object up to its major version: libffi.so.8."""
    name = path.removesuffix(" (deleted)").rsplit("/", 1)[-1]
    return signature_safe_text(_MINOR.sub(r"\1", name)) or "unnamed"


def python_name(frame: PyFrame) -> str:
    """Return `module.qualname`; below CPython 3.11 the plain name, for want of a qualname."""
    module = frame.module or python_module_of_file(frame.filename)
    return signature_safe_text(f"{module}.{frame.qualname or frame.name}")


def plain_python_name(frame: PyFrame) -> str:
    """Return `module.name`, which CPython before 3.11 makes too: for `coarse` (N42)."""
    module = frame.module or python_module_of_file(frame.filename)
    name = frame.name or (frame.qualname or "").rpartition(".")[2]
    return signature_safe_text(f"{module}.{name}")


def python_module_of_file(filename: str) -> str:
    """Return a module name for a file (N43, N44).

    It is dotted below a library folder or in an archive, else the stem.
    """
    if _NOTEBOOK.search(filename):
        return CELL
    if filename.startswith("<"):
        return filename.removeprefix("<frozen ").strip("<>") or "unnamed"
    for pattern in (_SITE, _STDLIB, _ARCHIVE):
        parts = pattern.split(filename)
        if len(parts) > 1:
            return _module_from_path(parts[-1]) or "unnamed"
    return _without_extension(filename.rsplit("/", 1)[-1]) or "unnamed"


def _module_from_path(path: str) -> str:
    names = [part for part in path.split("/") if part]
    names[-1:] = [_without_extension(names[-1])] if names else []
    return ".".join(names[:-1] if names[-1:] == ["__init__"] and names[1:] else names)


def _without_extension(name: str) -> str:
    head, dot, _ = name.rpartition(".")
    return head if dot and head else name
