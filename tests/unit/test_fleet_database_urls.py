# SPDX-License-Identifier: Apache-2.0
"""What a --db argument is, and how it is shown: never with a password."""

from __future__ import annotations

import pytest

from gdb_epi.errors import EXIT_USAGE, InputError
from gdb_epi.fleet.paths import hide_password, hide_passwords_in_line, is_url
from gdb_epi.fleet.questions.signature_history import signature_history
from gdb_epi.fleet.records.spool import ingest_later_command, spool_folder
from gdb_epi.fleet.store.database import DatabaseUrlError, database_url, open_database, shown_url


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("postgresql://u:secret@h:9:9/x", "postgresql://u:***@h:9:9/x"),
        ("postgresql:/u:secret@h/x", "postgresql:/u:***@h/x"),
        ("postgresql//u:secret@h/x", "postgresql//u:***@h/x"),
        ("postgresql://u:se/cr@et:1@h/x", "postgresql://u:***@h/x"),
        ("postgresql://h/x?user=u&password=secret", "postgresql://h/x?user=u&password=***"),
        ("postgresql://u@h:5/x", "postgresql://u@h:5/x"),
        ("sqlite:////srv/a:b@c.sqlite3", "sqlite:////srv/a:b@c.sqlite3"),
    ],
)
def test_a_url_is_shown_without_its_password(given: str, shown: str) -> None:
    assert hide_password(given) == shown
    line = f"unrecognized arguments: --bd {given} 1:2@3"
    assert hide_passwords_in_line(line) == f"unrecognized arguments: --bd {shown} 1:2@3"


def test_a_password_among_the_options_is_hidden_too() -> None:
    url = database_url("postgresql://h/x?password=secret")
    assert "secret" not in shown_url(url) and url.query["password"] == "secret"
    command = ingest_later_command(spool_folder() / "1.jsonl", "postgresql://h/x?password=secret")
    assert command == "gdb-epi fleet ingest --db URL"


@pytest.mark.parametrize(
    "given",
    ["postgresql://h:9:9/x", "postgresql://u:p@ss@h/x", "postgresql:/h/x", "sqlite:", "", " "],
)
def test_what_is_no_url_is_a_usage_error(given: str) -> None:
    with pytest.raises(DatabaseUrlError) as caught:
        database_url(given)
    assert caught.value.exit_code == EXIT_USAGE


def test_an_option_with_a_wrong_value_is_a_usage_error(tmp_path) -> None:
    wrong = f"sqlite:///{tmp_path}/f.sqlite3?timeout=soon"
    with pytest.raises(DatabaseUrlError), open_database(wrong, write=True):
        pass


def test_names_of_files_stay_names_of_files(tmp_path) -> None:
    for name in ("fleet.sqlite3", "sqlite/fleet.db", "/srv/a:b@c", "postgres.db", "12:30.db"):
        assert not is_url(name) and database_url(name).database.endswith(name)
    with pytest.raises(InputError):
        signature_history(str(tmp_path / "none"), "stable", "k")
    with pytest.raises(DatabaseUrlError):  # not a file of that name
        signature_history("postgresql:/u:p@h/x", "stable", "k")
