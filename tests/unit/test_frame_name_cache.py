# SPDX-License-Identifier: Apache-2.0
"""What GDB said is kept on disk; what is damaged there, or not ours, is not believed."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from gdb_epi.cli.native import frame_name_cache
from gdb_epi.cli.native.frame_name_cache import FrameName, FrameNameCache, TailCallFrame
from gdb_epi.util import sha256_hex

INNER = FrameName("inner", "a.h", 7, "inline")
OUTER = FrameName("outer", "a.c", 70, "normal")
UNKNOWN = FrameName(None, None, None, "normal")


@pytest.fixture
def cache(tmp_path: Path) -> FrameNameCache:
    cache = FrameNameCache(tmp_path / "names")
    names = cache.load("k")
    names.add_names(0x10, [INNER, OUTER], is_exact=False)
    names.add_names(0x10, [UNKNOWN], is_exact=True)
    names.add_tail_calls("other:20", 0x10, [TailCallFrame(True, 0x30, OUTER)])
    names.add_tail_calls("other:30", 0x10, [])
    cache.save(names)
    return cache


def test_names_are_read_as_they_were_written(cache: FrameNameCache) -> None:
    names = cache.load("k")
    assert names.names_at(0x10, is_exact=False) == [INNER, OUTER]
    assert names.names_at(0x10, is_exact=True) == [UNKNOWN]
    assert names.names_at(0x11, is_exact=False) is None
    assert names.tail_calls_between("other:20", 0x10) == [TailCallFrame(True, 0x30, OUTER)]
    assert names.tail_calls_between("other:30", 0x10) == []
    assert names.tail_calls_between("other:40", 0x10) is None


def test_two_writers_lose_nothing(cache: FrameNameCache) -> None:
    first, second = cache.load("k"), cache.load("k")
    first.add_names(1, [OUTER], is_exact=False)
    second.add_names(2, [INNER], is_exact=False)
    cache.save(first)
    cache.save(second)
    names = cache.load("k")
    assert names.names_at(1, is_exact=False) and names.names_at(2, is_exact=False)
    assert names.names_at(0x10, is_exact=False)


def test_only_the_owner_may_read(cache: FrameNameCache, tmp_path: Path) -> None:
    assert (tmp_path / "names").stat().st_mode & 0o777 == 0o700
    assert [p.stat().st_mode & 0o777 for p in (tmp_path / "names").iterdir()] == [0o600]


def test_a_changed_byte_leaves_no_names(cache: FrameNameCache, tmp_path: Path) -> None:
    path = tmp_path / "names" / "k.json"
    whole = path.read_bytes()
    for at in range(0, len(whole), 7):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        assert cache.load("k").names_at(0x10, is_exact=False) is None
    path.write_bytes(whole[: len(whole) // 2])
    assert cache.load("k").names_at(0x10, is_exact=False) is None


@pytest.mark.parametrize(
    "rows",
    [
        None, 7, [], {"10": 7}, {"10": []}, {"10": [7]}, {"10": [["a", "b", 1]]},
        {"10": [["a", "b", "1", "normal"]]}, {"10": [["a", 1, 1, "normal"]]},
        {"10": [[["a"], None, 1, "normal"]]}, {"10": [["a", None, True, "normal"]]},
    ],
)  # fmt: skip
def test_a_book_of_another_shape_is_empty(tmp_path: Path, rows: object) -> None:
    cache = FrameNameCache(tmp_path)
    text = json.dumps({"places": rows, "jumps": rows}).encode()
    (tmp_path / "k.json").write_bytes(sha256_hex(text).encode() + b"\n" + text)
    names = cache.load("k")
    assert names.names_at(0x10, is_exact=False) is None
    assert names.tail_calls_between("10", 0x10) is None


def test_links_pipes_and_folders_are_not_read(cache: FrameNameCache, tmp_path: Path) -> None:
    folder = tmp_path / "names"
    (folder / "k.json").rename(tmp_path / "moved")
    (folder / "k.json").symlink_to(tmp_path / "moved")
    assert cache.read("k") is None
    (folder / "k.json").unlink()
    os.mkfifo(folder / "k.json")
    assert cache.read("k") is None
    (folder / "k.json").unlink()
    (tmp_path / "moved").rename(folder / "k.json")
    assert cache.read("k") is not None
    folder.chmod(0o770)
    assert cache.read("k") is None


def test_the_oldest_books_go(
    cache: FrameNameCache, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "names" / "k.json"
    os.utime(path, (1, 1))
    monkeypatch.setattr(frame_name_cache, "MAX_CACHE", path.stat().st_size + 10)
    names = cache.load("new")
    names.add_names(1, [OUTER], is_exact=False)
    cache.save(names)
    assert cache.read("new") is not None and cache.read("k") is None


def test_a_folder_that_cannot_be_made_is_no_trouble(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    cache = FrameNameCache(tmp_path / "file" / "names")
    names = cache.load("k")
    names.add_names(1, [OUTER], is_exact=False)
    cache.save(names)
    assert cache.read("k") is None
