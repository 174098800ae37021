# SPDX-License-Identifier: Apache-2.0
"""Where the fleet data of this user lives. Standard library only: GDB's Python uses it too."""

from __future__ import annotations

import os
from pathlib import Path

FOLDER = "gdb-epi"
DATABASE = "fleet.sqlite3"
SPOOL = "spool"
SQLITE, LAKE_PREFIX = "sqlite:///", "lake:"  # how a --db argument begins
COLUMNAR = "duckdb"  # SQLAlchemy's name of what reads a lake


def data_folder() -> Path:
    """Return the user's data folder of gdb-epi; it need not exist yet."""
    base = os.environ.get("XDG_DATA_HOME", "")
    # The XDG specification: a relative path is invalid and must be ignored.
    root = Path(base) if Path(base).is_absolute() else Path.home() / ".local" / "share"
    return root / FOLDER


def default_database() -> Path:
    """Return the path of the default SQLite database."""
    return data_folder() / DATABASE


def database_file(given: str | None) -> Path | None:
    """Return the SQLite file that a --db argument names; None for a server or a URL with more."""
    if given is None:
        return default_database()
    plain = given.removeprefix(SQLITE)
    if not plain.strip() or ":" in plain or (plain != given and "?" in plain):
        return None
    return Path(plain).expanduser().absolute() if plain == given else Path(plain).absolute()


def is_url(given: str) -> bool:
    """Whether a --db argument is meant as a URL, also when its slashes are mistyped."""
    import re

    meant = r"(?:sqlite|postgres\w*)(?:\+\w*)?(?::|//)|[A-Za-z][\w+.-]*:/"
    return "://" in given or given.startswith(LAKE_PREFIX) or re.match(meant, given) is not None


def hide_password(url: str) -> str:
    """Return a database URL, also one that cannot be read, without its passwords."""
    import re

    # Up to the last @: a password may hold one.
    without = re.sub(r"([\w+.-]+(?::/*|//+)[^:/@]*):.*@", r"\1:***@", url, count=1, flags=re.DOTALL)
    return re.sub(r"([?&](?:ssl)?password=)[^&]*", r"\1***", without)


def hide_passwords_in_line(line: str) -> str:
    """Return a line for people without the passwords of the URLs in it."""
    if "@" not in line and "password=" not in line:
        return line
    return " ".join(map(hide_password, line.split(" ")))


def spool_folder() -> Path:
    """Return the folder in which records wait for `gdb-epi fleet ingest`."""
    return data_folder() / SPOOL


def cache_folder() -> Path:
    """Return the folder for what can be made again; it need not exist yet."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    # Path.home() raises where the user has no home at all, as in containers.
    root = Path(base) if Path(base).is_absolute() else Path(os.path.expanduser("~"), ".cache")
    return root / FOLDER
