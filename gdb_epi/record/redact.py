# SPDX-License-Identifier: Apache-2.0
"""What leaves the core only in a reduced form: paths, command lines.

Environment, argv, locals, string values and exception messages are not read into the record at
all; this module reduces what is.
"""

from __future__ import annotations

import re

# /home/alice/app.py -> /home/~/app.py; root is no person, /root stays.
_HOME = re.compile(r"(/(?:home|users|Users)/)[^/\s:'\"]+")
_WITH_VALUE = frozenset(("-W", "-X", "--check-hash-based-pycs"))
MAX_PATH = 1024
PSARGS_FULL = 79  # characters: ELF_PRARGSZ less the NUL

POLICY = (
    {"what": "environment", "how": "only variables of a list of names (job, container, host)"},
    {"what": "argv", "how": "only the script's base name"},
    {"what": "paths", "how": "the folder below /home, /users, /Users becomes ~"},
    {"what": "libraries", "how": "only the file name"},
    {"what": "locals, values, messages", "how": "not recorded"},
    {"what": "stack canary", "how": "only a hash with the pointer guard (fork.lineage)"},
)


def redact_path(path: str) -> str:
    """Return a path without the name of a user."""
    return _HOME.sub(r"\1~", path[:MAX_PATH])


def redact_text(text: str) -> str:
    """Return a message without the names of users in its paths."""
    return _HOME.sub(r"\1~", text[: 4 * MAX_PATH])


# user:password@ in a URL, and long runs that look like keys.
_LOGIN = re.compile(r"(?<=://)[^/\s@]+@")
_KEY_LIKE = re.compile(r"(?=[A-Za-z0-9_+-]*[0-9])(?=[A-Za-z0-9_+-]*[A-Za-z])[A-Za-z0-9_+-]{33,}")
MAX_VALUE = 256


def redact_value(text: str) -> str:
    """Return the value of an allowed variable without users, logins and what looks like a key."""
    cut = text if len(text) <= MAX_VALUE else text[:MAX_VALUE] + "..."
    return redact_text(_KEY_LIKE.sub("~", _LOGIN.sub("~@", cut)))


def base_name(path: str) -> str:
    """Return the file name of a path."""
    return path.removesuffix(" (deleted)").rstrip("/").rsplit("/", 1)[-1][:MAX_PATH]


def script_name(psargs: str) -> str | None:
    """Return the script or module that an interpreter was started with, without its folder.

    `psargs` is the command line as NT_PRPSINFO has it: words joined by blanks, at most 80 bytes.
    None for another program, -c, interactive use, a name that was cut, or when words do not tell.
    """
    words = psargs.split(" ")
    if not words or not base_name(words[0]).startswith(("python", "pypy")):
        return None
    if len(psargs) >= PSARGS_FULL:
        words.pop()  # possibly cut in the middle
    position = 1
    while position < len(words):
        word = words[position]
        if word == "-m":
            follows = words[position + 1] if position + 1 < len(words) else ""
            return f"-m {base_name(follows)}" if follows else None
        if word in ("-c", "-", ""):
            return None
        if word in _WITH_VALUE:
            position += 2
        elif word.startswith("-"):
            position += 1
        else:
            return base_name(word)
    return None
