# SPDX-License-Identifier: Apache-2.0
"""Passwords, tokens and keys are masked wherever values are shown, unless they are asked for."""

from __future__ import annotations

import json
import signal
from functools import cache

import pytest
from support.cores import Made
from support.interpreters import Interpreter, by_id, spread
from support.opening import made_or_skip, sysroot_of

from commands.locals import show_locals
from commands.print import print_object
from gdb_epi.cpython.types import PythonState
from gdb_epi.cpython.values.process_values import get_process_values
from gdb_epi.cpython.values.repr_decoder import ReprLimits
from gdb_epi.cpython.values.secrets import is_secret_name, mask_literals, mask_passwords
from gdb_epi.cpython.values.variables import FrameVariables
from gdb_epi.process_state import ProcessState
from gdb_epi.record.stacks import stacks_json
from gdb_epi.target.corefile import CoreFileTarget

INTERPRETERS = [
    pytest.param(interpreter, id=interpreter.id) for interpreter in spread("kept_secrets", every=4)
]
SECRET = "hunter2"
VISIBLE = {  # what the rule must leave alone
    "names": "pin_code max_tokens token_count no_password empty_token keyword tokenizer monkey "
    "secretary".split(),
    "texts": ["plain_url", "port"],
}
MASKED = 25  # variables at least, of the program


@cache
def opened(name: str) -> tuple[Made, ProcessState]:
    interpreter = by_id(name)
    assert interpreter is not None
    made = made_or_skip(interpreter, "kept_secrets")
    return made, ProcessState(CoreFileTarget.open(made.core, sysroot=sysroot_of(made)))


def shown(state: ProcessState, limits: ReprLimits) -> dict[str, dict[str, str]]:
    """Return the text of each variable by function and name, with the attributes behind it."""
    assert isinstance(state.python, PythonState)
    thread = next(thread for thread in state.python.threads() if thread.crashed)
    reader, texts = FrameVariables(get_process_values(state.target, state.python, limits)), {}
    for frame in thread.frames:
        if frame.name in ("names", "containers", "texts"):
            variables = reader.variables_of_frame(frame)
            assert isinstance(variables, list)
            texts[frame.name] = {
                variable.name: variable.text_with_attributes() for variable in variables
            }
    return texts


@pytest.mark.parametrize("interpreter", INTERPRETERS)
def test_no_secret_is_shown(interpreter: Interpreter) -> None:
    _, state = opened(interpreter.id)
    masked = shown(state, ReprLimits())
    with_secrets = shown(state, ReprLimits(secrets=True))
    assert masked.keys() == with_secrets.keys() == {"names", "containers", "texts"}
    hidden = 0
    for function, texts in masked.items():
        for name, text in texts.items():
            assert SECRET not in text, (function, name, text)
            assert "20092" not in text
            hidden += (
                SECRET in with_secrets[function][name] or "20092" in with_secrets[function][name]
            )
            for visible in VISIBLE.get(function, ()):
                assert texts[visible] == with_secrets[function][visible]
    assert hidden >= MASKED
    assert masked["containers"]["table"].count("visible") == 2
    assert masked["texts"]["url"] == "'postgresql://visible:***@host:5432/base'"
    assert masked["names"]["token"] == "<masked str>"


@pytest.mark.parametrize("interpreter", INTERPRETERS)
def test_the_json_of_stacks_has_no_secret(interpreter: Interpreter) -> None:
    _, state = opened(interpreter.id)
    assert SECRET not in json.dumps(stacks_json(state, locals=True))
    assert SECRET in json.dumps(stacks_json(state, locals=True, secrets=True))


def test_names_of_secrets() -> None:
    secret = "password db_password PGPASSWORD api_key apiKey X-Api-Key accessToken authtoken "
    secret += "client_secret credentials private_key SESSION_ID passwd jwt Authorization token2"
    ordinary = "tokenizer keyword monkey secretary passwords_of_nobody_x key keys author compass "
    ordinary += "session broken taken pass_count bypass authority"
    assert [word for word in secret.split() if not is_secret_name(word)] == []
    allowed = ["passwords_of_nobody_x"]  # one of its words says so
    assert [word for word in ordinary.split() if is_secret_name(word)] == allowed


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("a://u:p@h/x", "a://u:***@h/x"),
        ("a://u:p@ss@h/x", "a://u:***@h/x"),
        ("http://h:80/x@y", "http://h:80/x@y"),
        ("see a://:p@h and b://v:q@i", "see a://:***@h and b://v:***@i"),
        ("postgres://u:secretp", "postgres://u:***"),
        ("https://h/?token=abc&x=1", "https://h/?token=***&x=1"),
        ("dbname=x password=p1 user=u", "dbname=x password=*** user=u"),
        ("no secret: at all", "no secret: at all"),
        ('{"password": "p1", "user": "u"}', '{"password": "***", "user": "u"}'),
        ("Authorization: Bearer abcdef.ghi", "Authorization: Bearer ***"),
        ("see eyJhbGciOi.eyJzdWI.sig now", "see *** now"),
        ("ghp_16C7e42F292c6912E7710c83 of bob", "*** of bob"),
        ("hvs.CAESIJVAULTTOKEN12345678901234567890", "***"),
        ("x --password hunter2 --y", "x --password *** --y"),
        (
            "['mysql', '-phunter2', '--password', 'hunter2']",
            "['mysql', '-p***', '--password', '***']",
        ),
        ("curl -u admin:hunter2 https://x", "curl -u admin:*** https://x"),
        (
            "docker run -u 1000:1000 tokenizer --print x",
            "docker run -u 1000:1000 tokenizer --print x",
        ),
        ("-----BEGIN RSA PRIVATE KEY-----\nMIIE", "-----BEGIN RSA PRIVATE KEY-----***"),
        ("Basic arithmetic, a high task-force", "Basic arithmetic, a high task-force"),
        ("Config(password='hunter2 x', user='u')", "Config(password='***', user='u')"),
        ("f(x,token=hunter2 )", "f(x,token=*** )"),
        ("x --password 'hunter 2' --y", "x --password '***' --y"),
        ("['--password', 'hunter 2']", "['--password', '***']"),
        ("invalid-password attempts: 3", "invalid-password attempts: 3"),
        ("pypi-attestations-0.0.12", "pypi-attestations-0.0.12"),
        ("hf_hub_download_cached_v2", "hf_hub_download_cached_v2"),
        ("pypi-AgEIcHlwaS5vcmcCJGE2NzQ", "***"),
        ("hf_abcDEFghi1234567890abcd of bob", "*** of bob"),
    ],
)
def test_passwords_in_texts(text: str, masked: str) -> None:
    assert mask_passwords(text) == masked


def test_a_long_text_takes_no_time_of_its_square() -> None:
    """A ruler of 20,000 dashes took 26 s; five times as many take 25 times as long."""

    def give_up(*_args: object) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGPROF, give_up)
    signal.setitimer(signal.ITIMER_PROF, 60)  # of CPU time
    try:
        for piece in ("-", " --", "token=", "'", "f(", "mysql "):
            assert mask_passwords(f"password {piece * 100_000}")
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def test_commands_declare_the_option() -> None:
    for command in (show_locals, print_object):
        assert "--secrets" in (command.__doc__ or "")


@pytest.mark.parametrize(
    ("line", "shown_as"),
    [
        ('f(auth("admin", "hunter2"))  # hunter2', 'f(auth("***", "***"))'),
        (
            "x = connect(pw=b'hunter2', at=f\"{a} b\", key=d['port'])",
            "x = connect(pw=b'***', at=f\"***\", key=d['port'])",
        ),
        ('sign_in(token, """hunter2', 'sign_in(token, """***'),
        ("auth('it\\'s', '', 'a') + g(7)", "auth('***', '', 'a') + g(7)"),
        ('login(["hunter2"], *x[0]["port"])', 'login(["***"], *x[0]["port"])'),
        ('login(f"{g("hunter2")}", "x")', 'login(f"***'),
        ("login(password=1234567, n=2)", "login(password=***, n=2)"),
        ("db.execute(\"SET PASSWORD = 'hunter2'\")", 'db.execute("***")'),
        ("f('q8Hs7dK2mN4pX9vB', 'plain')", "f('***', 'plain')"),
        ("run(['curl', '-u', 'bob:hunter2', 'x'])", "run(['curl', '-u', 'bob:***', 'x'])"),
    ],
)
def test_literals_of_a_source_line_that_may_be_secrets_are_not_shown(
    line: str, shown_as: str
) -> None:
    assert mask_literals(line) == shown_as


@pytest.mark.parametrize(
    "line",
    [
        "subprocess.run(['sleep', '60'])",
        "d.execute('UPDATE jobs SET state = 1 WHERE id = 5')",
        "q.put({'job': i})",
        "re.match(r'(a+)+b$', text)",
        'log(f"{n} of {len(jobs)} jobs")',
    ],
)
def test_a_command_or_statement_is_shown_as_it_stands(line: str) -> None:
    """It is what the reader looks for, and nothing in it says that it is a secret."""
    assert mask_literals(line) == line


@pytest.mark.parametrize("interpreter", INTERPRETERS)
def test_what_is_masked_once_is_masked_everywhere(interpreter: Interpreter) -> None:
    made = made_or_skip(interpreter, "secrets_elsewhere")
    state = ProcessState(CoreFileTarget.open(made.core, sysroot=sysroot_of(made)))
    texts = json.dumps([t["frames"] for t in stacks_json(state, locals=True)["threads"]])
    assert SECRET not in texts and "swordfish" not in texts
    assert '"seen": "\'visible\'"' in texts  # the name of a literal hides no equal one
    assert SECRET in json.dumps(stacks_json(state, locals=True, secrets=True)["threads"])
