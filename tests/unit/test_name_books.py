# SPDX-License-Identifier: Apache-2.0
"""What GDB said is kept on disk; what is damaged there, or not ours, is not believed."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from gdb_epi.cli.native import name_books
from gdb_epi.cli.native.name_books import BookShelf, Jumped, Named
from gdb_epi.util import sha256_hex

INNER = Named("inner", "a.h", 7, "inline")
OUTER = Named("outer", "a.c", 70, "normal")
UNKNOWN = Named(None, None, None, "normal")


@pytest.fixture
def shelf(tmp_path: Path) -> BookShelf:
    shelf = BookShelf(tmp_path / "books")
    book = shelf.book("k")
    book.add_place(0x10, [INNER, OUTER], is_exact=False)
    book.add_place(0x10, [UNKNOWN], is_exact=True)
    book.add_jumps("other:20", 0x10, [Jumped(True, 0x30, OUTER)])
    book.add_jumps("other:30", 0x10, [])
    shelf.keep(book)
    return shelf


def test_a_book_is_read_as_it_was_written(shelf: BookShelf) -> None:
    book = shelf.book("k")
    assert book.place(0x10, is_exact=False) == [INNER, OUTER]
    assert book.place(0x10, is_exact=True) == [UNKNOWN]
    assert book.place(0x11, is_exact=False) is None
    assert book.jumps("other:20", 0x10) == [Jumped(True, 0x30, OUTER)]
    assert book.jumps("other:30", 0x10) == []
    assert book.jumps("other:40", 0x10) is None


def test_two_writers_lose_nothing(shelf: BookShelf) -> None:
    first, second = shelf.book("k"), shelf.book("k")
    first.add_place(1, [OUTER], is_exact=False)
    second.add_place(2, [INNER], is_exact=False)
    shelf.keep(first)
    shelf.keep(second)
    book = shelf.book("k")
    assert book.place(1, is_exact=False) and book.place(2, is_exact=False)
    assert book.place(0x10, is_exact=False)


def test_only_the_owner_may_read(shelf: BookShelf, tmp_path: Path) -> None:
    assert (tmp_path / "books").stat().st_mode & 0o777 == 0o700
    assert [p.stat().st_mode & 0o777 for p in (tmp_path / "books").iterdir()] == [0o600]


def test_a_changed_byte_empties_the_book(shelf: BookShelf, tmp_path: Path) -> None:
    path = tmp_path / "books" / "k.json"
    whole = path.read_bytes()
    for at in range(0, len(whole), 7):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        assert shelf.book("k").place(0x10, is_exact=False) is None
    path.write_bytes(whole[: len(whole) // 2])
    assert shelf.book("k").place(0x10, is_exact=False) is None


@pytest.mark.parametrize(
    "rows",
    [
        None, 7, [], {"10": 7}, {"10": []}, {"10": [7]}, {"10": [["a", "b", 1]]},
        {"10": [["a", "b", "1", "normal"]]}, {"10": [["a", 1, 1, "normal"]]},
        {"10": [[["a"], None, 1, "normal"]]}, {"10": [["a", None, True, "normal"]]},
    ],
)  # fmt: skip
def test_a_book_of_another_shape_is_empty(tmp_path: Path, rows: object) -> None:
    shelf = BookShelf(tmp_path)
    text = json.dumps({"places": rows, "jumps": rows}).encode()
    (tmp_path / "k.json").write_bytes(sha256_hex(text).encode() + b"\n" + text)
    book = shelf.book("k")
    assert book.place(0x10, is_exact=False) is None
    assert book.jumps("10", 0x10) is None


def test_links_pipes_and_folders_of_others_are_not_read(shelf: BookShelf, tmp_path: Path) -> None:
    folder = tmp_path / "books"
    (folder / "k.json").rename(tmp_path / "moved")
    (folder / "k.json").symlink_to(tmp_path / "moved")
    assert shelf.read("k") is None
    (folder / "k.json").unlink()
    os.mkfifo(folder / "k.json")
    assert shelf.read("k") is None
    (folder / "k.json").unlink()
    (tmp_path / "moved").rename(folder / "k.json")
    assert shelf.read("k") is not None
    folder.chmod(0o770)
    assert shelf.read("k") is None


def test_the_oldest_books_go(
    shelf: BookShelf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "books" / "k.json"
    os.utime(path, (1, 1))
    monkeypatch.setattr(name_books, "MAX_BOOKS", path.stat().st_size + 10)
    book = shelf.book("new")
    book.add_place(1, [OUTER], is_exact=False)
    shelf.keep(book)
    assert shelf.read("new") is not None and shelf.read("k") is None


def test_a_folder_that_cannot_be_made_is_no_trouble(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    shelf = BookShelf(tmp_path / "file" / "books")
    book = shelf.book("k")
    book.add_place(1, [OUTER], is_exact=False)
    shelf.keep(book)
    assert shelf.read("k") is None
