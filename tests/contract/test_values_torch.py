# SPDX-License-Identifier: Apache-2.0
"""torch's tensors out of a real core, against what torch said of them in the process.

With `--heavy` alone: PyTorch takes 1 GB to install.
"""

from __future__ import annotations

import re
import struct
from functools import cache
from typing import Any

import pytest
from support.cores import Made
from support.judge import EXACT, MARKED, Judged, judge, opened
from support.mutate import MutatedTarget
from support.opening import core_of

from gdb_epi.cpython.types import PythonState
from gdb_epi.cpython.values.libraries import torch as values_torch
from gdb_epi.cpython.values.process_values import get_process_values
from gdb_epi.cpython.values.variables import FrameVariables

pytestmark = pytest.mark.heavy

TEXT = re.compile(
    r"<\S+ shape=(\(.*?\)) dtype=(\S+?) device=(\(.*?\)|[a-z]+(?::\d+)?)"
    r"(?: requires_grad=(\w+|\?))?(?: grad_fn=<([\w?]+)>)?(?:: (.*?)|, (.*?))?>"
)
# Their shape is what code says, so the answer is that it cannot be told.
COMPUTED = {"odd.nested", "odd.jagged", "odd.sized"}
FAKE = "odd.fake"  # its device is what code says
# Their values are elsewhere, or not those in memory, or of a dtype that is not shown.
NO_VALUES = {"odd.conjugate", "odd.negative", "odd.inferred_conjugate", "odd.eights"}
PYTHON_NODE = {"graph.cube": "PyNode"}  # the C++ class of all functions written in Python
PACKED = {
    "torch.float16": "<e", "torch.bfloat16": "<f", "torch.float32": "<f", "torch.float64": "<d",
}  # fmt: skip
HOSTILE = (0, 1, 2, 6, 7, 64, 0x1000, 1 << 40, 1 << 63, (1 << 64) - 1, 0xDDDDDDDDDDDDDDDD)
WORDS = 22  # of a TensorImpl
DIMENSIONS = 7  # the word of how many there are, in 2.13


@cache
def made() -> Made:
    return core_of("values_torch", (3, 11))


@cache
def verdicts() -> tuple[Judged, ...]:
    return tuple(judge(made(), opened(made())))


def tensors(judgements: tuple[Judged, ...]) -> list[tuple[str, str, dict[str, Any]]]:
    """Return where, the text and the truth of every tensor."""
    truths = made().truth["tensors"]
    result = []
    for judgement in judgements:
        where = f"{judgement.function}.{judgement.name}"
        if where in truths:
            assert judgement.verdict == MARKED, judgement
            assert judgement.decoded is not None
            result.append((where, judgement.decoded.text, truths[where]))
    return result


def check_what_is_said(where: str, text: str, truth: dict[str, Any]) -> bool:
    """Check shape, dtype and device where they are told at all; return whether they are."""
    match = TEXT.search(text)
    if match is None:
        assert "cannot tell its shape" in text, (where, text)
        return False
    assert match[1] == repr(tuple(truth["shape"])), (where, text)
    assert match[2] == truth["dtype"], (where, text)
    wanted = values_torch.COMPUTED if where == FAKE else truth["device"]
    assert match[3] == wanted, (where, text)
    return True


def same(shown: str, expected: str, dtype: str) -> bool:
    """Tell whether two texts are the same number of a dtype."""
    if dtype.startswith("torch.complex"):
        return complex(shown) == complex(expected)
    if dtype in PACKED:
        form = PACKED[dtype]
        return struct.pack(form, float(shown)) == struct.pack(form, float(expected))
    return shown == expected


def test_tensors_are_described() -> None:
    described = tensors(verdicts())
    for where, text, truth in described:
        if not check_what_is_said(where, text, truth):
            assert where in COMPUTED, (where, text)
            continue
        match = TEXT.search(text)
        assert match is not None
        assert (match[4] == "True") is truth["requires_grad"], (where, text)
        assert (match[5] or "") == PYTHON_NODE.get(where, truth["grad_fn"]), (where, text)
        shown = match[6].split(", ") if match[6] else []
        if where in NO_VALUES:
            assert not shown, (where, text)
            assert match[7], (where, text)
            continue
        assert len(shown) >= len(truth["first"]), (where, text)
        for number, other in zip(shown, truth["first"], strict=False):
            assert same(number, other, truth["dtype"]), (where, text)
    assert len(described) >= 40
    assert {where for where, _, _ in described} > COMPUTED | NO_VALUES | {FAKE, *PYTHON_NODE}


def test_what_describes_tensors_is_exact() -> None:
    seen = [verdict for verdict in verdicts() if verdict.function == "descriptions"]
    assert {judgement.name for judgement in seen} >= {
        "shape",
        "kinds",
        "devices",
        "layouts",
        "formats",
    }
    assert [
        judgement for judgement in seen if judgement.name != "way" and judgement.verdict != EXACT
    ] == []


def test_a_module_shows_its_parameters() -> None:
    linear = next(verdict for verdict in verdicts() if verdict.name == "linear")
    assert linear.decoded is not None
    assert (
        "<torch.nn.parameter.Parameter shape=(1, 2)"
        in dict(linear.decoded.attributes)["_parameters"]
    )


def test_nothing_is_wrong_without_the_names_of_classes(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a machine that has not the files of libtorch."""
    monkeypatch.setattr(values_torch, "read_cxx_class_name", lambda reader, address: "")
    tensors_shown = tensors(tuple(judge(made(), opened(made()))))
    described = [tensor[0] for tensor in tensors_shown if check_what_is_said(*tensor)]
    assert not COMPUTED & set(described)
    assert len(described) >= 30


def test_a_damaged_tensor_gets_no_other_shape() -> None:
    state = opened(made())
    assert isinstance(state.python, PythonState)
    thread = next(thread for thread in state.python.threads() if thread.crashed)
    reader = FrameVariables(get_process_values(state.target, state.python))
    frame = next(frame for frame in thread.frames if frame.name == "tensors")
    matrix = dict(reader.variable_addresses(frame))["matrix"]
    impl = int.from_bytes(state.target.read(matrix + 16, 8), "little")
    checked = 0
    for index in range(WORDS):
        for word in (*HOSTILE, matrix, impl):
            target = MutatedTarget(state.target)
            target.put_word(impl + 8 * index, word)
            text = get_process_values(target, state.python).value_of(matrix).text
            match = TEXT.search(text)
            checked += match is not None
            # What lies behind the sizes in use was never written: it may be a size of 1.
            assert match is None or index == DIMENSIONS or match[1] == "(2, 3)", (index, word, text)
    assert 0 < checked < WORDS * len(HOSTILE)
