# SPDX-License-Identifier: Apache-2.0
"""Help texts and completion, made from the registry without importing argparse."""

from __future__ import annotations

import os

from gdb_epi.registry import Argument, Command

COMMON_HELP = (
    ("--json", "print JSON instead of text"),
    ("--output FILE", "write into FILE, replacing it in one step"),
)


def help_text(command: Command) -> str:
    """Return the text of `help epi NAME`."""
    shown = []
    for argument in command.arguments:
        word = _value(argument)
        if _is_flag(argument):
            word = f"{', '.join(argument.flags)} {word}".rstrip()
        shown.append((word, str(argument.options.get("help") or "").replace("%%", "%")))
    shown += COMMON_HELP
    usage = " ".join(_in_usage(argument) for argument in command.arguments)
    width = max(len(word) for word, _ in shown)
    # Without indentation; inspect.cleandoc costs 5 ms.
    lines = [*(line.strip() for line in (command.run.__doc__ or "").strip().splitlines()), ""]
    lines += [f"Usage: epi {command.name} {usage}".rstrip() + " [--json] [--output FILE]", ""]
    lines += [f"  {word:<{width}}  {about}".rstrip() for word, about in shown]
    return "\n".join(lines)


def option_words(command: Command) -> list[str]:
    """Return the long options of a command, for completion."""
    own = [flag for a in command.arguments for flag in a.flags if flag.startswith("--")]
    return sorted({*own, "--json", "--output", "--help"})


def files_starting(beginning: str) -> list[str]:
    """Return the files whose path starts so; folders end with a slash."""
    folder, name = os.path.split(beginning)
    try:
        entries = sorted(os.scandir(folder or "."), key=lambda entry: entry.name)
    except OSError:
        return []
    return [
        os.path.join(folder, entry.name) + "/" * entry.is_dir()
        for entry in entries
        if entry.name.startswith(name) and (name or not entry.name.startswith("."))
    ]


def _is_flag(argument: Argument) -> bool:
    return argument.flags[0].startswith("-")


def _value(argument: Argument) -> str:
    options = argument.options
    if options.get("action") in ("store_true", "store_false", "count"):
        return ""
    if options.get("choices"):
        return "{" + ",".join(map(str, options["choices"])) + "}"
    name = argument.flags[-1].lstrip("-")
    return str(options.get("metavar") or name.upper())


def _in_usage(argument: Argument) -> str:
    word = _value(argument)
    many = argument.options.get("nargs")
    if _is_flag(argument):
        word = f"{argument.flags[-1]} {word}".rstrip()
        return word if argument.options.get("required") else f"[{word}]"
    if many in ("?", "*"):
        return f"[{word}]" + ("..." if many == "*" else "")
    return f"{word}..." if many == "+" else word
