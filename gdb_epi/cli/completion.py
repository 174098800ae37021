# SPDX-License-Identifier: Apache-2.0
"""`gdb-epi completion`: what TAB needs in bash and zsh, made from the parsers."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator

from gdb_epi.cli.support.verb_tree import Argument, Verb, verb_tree

GROUP = "Set-up"
HELP = "print the completion script of bash or zsh"
EPILOG = (
    'An installed wheel brings them under share/. By hand:\n\neval "$(gdb-epi completion bash)"'
)

BASH = """\
# bash completion of gdb-epi; made by `gdb-epi completion bash`
_gdb_epi() {
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}
    local verb=${COMP_WORDS[1]} words=
    COMPREPLY=()
    case " @GROUPS@ " in
        *" $verb "*) [ "$COMP_CWORD" -gt 2 ] && verb="$verb ${COMP_WORDS[2]}" ;;
    esac
    [ "$COMP_CWORD" -eq 1 ] && verb=
    case "$verb $prev" in
@CHOICES@
    esac
    case "$verb" in
@VERBS@
    esac
    # A word without a dash is a file, but where verbs are.
    case "$verb: $cur" in
        :*|@GROUP_PATTERNS@*': -'*) COMPREPLY=($(compgen -W "$words" -- "$cur")) ;;
    esac
}
complete -o bashdefault -o default -F _gdb_epi gdb-epi
"""

ZSH = """\
#compdef gdb-epi
# zsh completion of gdb-epi; made by `gdb-epi completion zsh`
_gdb_epi() {
    local -a verbs
    if (( CURRENT == 2 )); then
        verbs=(@VERBS@)
        _describe -t verbs 'verb of gdb-epi' verbs
        return
    fi
    case $words[2] in
@CASES@
    esac
}
_gdb_epi "$@"
"""


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the shell."""
    parser.add_argument("shell", choices=("bash", "zsh"), help="the shell")


def run(args: Namespace) -> None:
    """Print the script."""
    verbs = verb_tree()
    print((bash_script if args.shell == "bash" else zsh_script)(verbs), end="")


def bash_script(verbs: list[Verb]) -> str:
    """Return the script of bash."""
    groups = [verb.name for verb in verbs if verb.inner]
    top = " ".join(verb.name for verb in verbs if len(verb.words) == 1)
    choices = []
    lines = [f'        "") words="{top} --help --version" ;;']
    for verb in verbs:
        path = " ".join(verb.words)
        flags = " ".join(flag for o in verb.options for flag in o.flags if flag.startswith("--"))
        lines.append(f'        "{path}") words="{" ".join(verb.inner)} {flags or "--help"}" ;;')
        for option in (o for o in verb.options if o.flags and o.metavar):
            before = "|".join(f'"{path} {flag}"' for flag in option.flags)
            choices.append(f"        {before}) {_bash_choices(option)}return ;;")
        positional = next((o for o in verb.options if not o.flags and o.choices), None)
        if positional is not None:
            choices.append(f'        "{path} {verb.name}") {_bash_choices(positional)}return ;;')
    patterns = "".join(f"{name}:*|" for name in groups)
    script = BASH.replace("@GROUPS@", " ".join(groups)).replace("@GROUP_PATTERNS@", patterns)
    return script.replace("@CHOICES@", "\n".join(choices)).replace("@VERBS@", "\n".join(lines))


def _bash_choices(option: Argument) -> str:
    words = " ".join(option.choices)
    return f'COMPREPLY=($(compgen -W "{words}" -- "$cur")); ' if words else ""


def zsh_script(verbs: list[Verb]) -> str:
    """Return the script of zsh."""
    top = [verb for verb in verbs if len(verb.words) == 1]
    cases = []
    for verb in top:
        inner = [other for other in verbs if other.words[:1] == verb.words and other != verb]
        body = "\n".join(_zsh_group_lines(inner) if verb.inner else _zsh_argument_lines(verb, 1))
        cases.append(f"    {verb.name})\n{body}\n        ;;")
    script = ZSH.replace("@VERBS@", " ".join(map(_zsh_verb_entry, top)))
    return script.replace("@CASES@", "\n".join(cases))


def _zsh_group_lines(inner: list[Verb]) -> Iterator[str]:
    yield "        if (( CURRENT == 3 )); then"
    yield f"            verbs=({' '.join(map(_zsh_verb_entry, inner))})"
    yield "            _describe -t verbs 'verb' verbs"
    yield "            return"
    yield "        fi"
    yield "        case $words[3] in"
    for verb in inner:
        yield f"        {verb.name})"
        yield from _zsh_argument_lines(verb, 2)
        yield "            ;;"
    yield "        esac"


def _zsh_argument_lines(verb: Verb, shifted: int) -> Iterator[str]:
    yield f"            (( CURRENT -= {shifted} )); shift {shifted} words"
    specs = [_zsh_option_spec(option, flag) for option in verb.options for flag in option.flags]
    specs += [
        f"'*:{_without_zsh_syntax(option.metavar)}:({' '.join(option.choices)})'"
        for option in verb.options
        if not option.flags and option.choices
    ] or ["'*:file:_files'"]
    yield f"            _arguments {' '.join(specs)}"


def _zsh_option_spec(option: Argument, flag: str) -> str:
    value = ""
    if option.metavar:
        action = f"({' '.join(option.choices)})" if option.choices else "_files"
        value = f":{_without_zsh_syntax(option.metavar)}:{action}"
    return f"'{flag}[{_without_zsh_syntax(option.help)}]{value}'"


def _zsh_verb_entry(verb: Verb) -> str:
    return f"'{verb.name}:{_without_zsh_syntax(verb.help)}'"


def _without_zsh_syntax(text: str) -> str:
    """Return a text without what zsh reads in a specification."""
    kept = text.replace("'", "").replace(":", " -").replace("\\", "")
    return kept.replace("[", "(").replace("]", ")")
