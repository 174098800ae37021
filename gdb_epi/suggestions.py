# SPDX-License-Identifier: Apache-2.0
"""What was meant by a misspelt command, verb or option, and how to install what is missing.

Asked only after a mistake.
"""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from gdb_epi.typing_lite import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

CUTOFF = 0.75  # of difflib's ratio: `alias` and `list` have 0.67, `lits` and `list` 0.75
MIN_BEGINNING = 3  # letters of a word that was cut short


def find_nearest_word(word: str, candidates: Iterable[str]) -> str | None:
    """Return the candidate that was probably meant: nearly the word, or the only longer one."""
    from difflib import get_close_matches

    names = list(candidates)
    near = get_close_matches(word, names, 1, CUTOFF)
    near = near or [name for name in names if sorted(name) == sorted(word)]  # `tpo` and `top`
    longer = [name for name in names if len(word) >= MIN_BEGINNING and name.startswith(word)]
    return near[0] if near else longer[0] if len(longer) == 1 else None


def unknown_words_message(parser: ArgumentParser, words: Sequence[str]) -> str:
    """Return the message for the words that a parser has no argument for."""
    message = f"unrecognized arguments: {' '.join(words)}"
    flag = next((word.partition("=")[0] for word in words if word.startswith("-")), None)
    if flag is None:
        return message
    # Without the dashes: they would make any two short options look alike.
    flags = [name for action in parser._actions for name in action.option_strings]
    meant = find_nearest_word(
        flag.lstrip("-"), [name[2:] for name in flags if name.startswith("--")]
    )
    return f"{message} (did you mean --{meant}?)" if meant else message


class SuggestingParser(ArgumentParser):
    """A parser whose error about unknown words says what was probably meant."""

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse the words; `error` is called for those that nothing takes."""
        values, unknown = self.parse_known_args(args, namespace)
        if unknown:
            self.error(unknown_words_message(self, unknown))
        return values


def install_command(extra: str) -> str:
    """Return how to add an extra to the gdb-epi that runs: out of what it was installed from.

    pip notes that (PEP 610): a folder, an archive or a repository. No index has the package.
    """
    import json
    import os
    import shlex
    import sys
    from contextlib import suppress
    from importlib.metadata import PackageNotFoundError, distribution
    from urllib.parse import unquote, urlsplit

    source: Any = None
    with suppress(PackageNotFoundError, ValueError, OSError):
        source = json.loads(distribution("gdb-epi").read_text("direct_url.json") or "null")
    url = str(source.get("url") or "") if isinstance(source, dict) else ""
    place = unquote(urlsplit(url).path) if url.startswith("file:") else ""
    checkout = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    if not os.path.exists(place) and os.path.isfile(os.path.join(checkout, "setup.py")):
        place = checkout
    what = f"{place or 'FOLDER-OF-GDB-EPI'}[{extra}]"
    if url and not url.startswith("file:"):
        kind = (source.get("vcs_info") or {}).get("vcs") if isinstance(source, dict) else ""
        what = f"gdb-epi[{extra}] @ {f'{kind}+' if kind else ''}{url}"
    return f"{shlex.quote(sys.executable or 'python3')} -m pip install {shlex.quote(what)}"
