# SPDX-License-Identifier: Apache-2.0
"""Write tests/unit/data/signature_vectors.json: the normative vectors of gsig/2.

    python tests/tools/make_signature_vectors.py

The expected lines are written here and in signature_names.py by hand, from the rules of SPEC.md;
nothing of gdb_epi is imported. Only hashes and the lines that follow from a list of offsets are
computed.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from signature_code import FUNCTIONS
from signature_names import DROPPED, NAMES
from signature_stacks import STACKS

OUT = Path(__file__).parents[1] / "unit" / "data" / "signature_vectors.json"
BUILD_ID = "ab" * 20
DIGITS = {
    "exact": 16, "strict": 16, "stable": 16, "coarse": 12, "native": 16, "python": 16, "code": 16
}  # fmt: skip
NO_PYTHON = {"python": "this thread has no such frame"}
Json = dict[str, Any]


def native(function: str | None, module: str | None, offset: int, **more: Any) -> Json:
    """Return a native frame as the file has it."""
    kind = "inline" if more.get("inlined") else "normal"
    return {"function": function, "module": module, "offset": offset, "kind": kind, **more}


def element(offset: int) -> str:
    return f"{BUILD_ID[:16]}+{offset:#x}"


def key(name: str, content: str) -> Json:
    """Return a key's line and hash."""
    text = f"gsig/2 {name} {content}"
    return {"text": text, "hash": hashlib.sha256(text.encode()).hexdigest()[: DIGITS[name]]}


def vector(identity: str, rules: str, category: str, frames: list[Json], text: Json) -> Json:
    """Return one vector; keys without a line are absent."""
    return {
        "id": identity,
        "rules": rules.split(),
        "category": category,
        "frames": frames,
        "keys": {name: key(name, text[name]) for name in DIGITS if text.get(name)},
        "absent": [name for name in DIGITS if not text.get(name)],
    }


def of_name(number: int, rules: str, raw: str, name: str, dropped: str = "") -> Json:
    """Return the vector of one name: it is the innermost function of a small program."""
    frames = [
        native(raw, "/opt/app/libx.so", 0x10),
        native("caller", "/opt/app/libx.so", 0x20),
        native("main", "/opt/app/prog", 0x30),
        native("_start", "/opt/app/prog", 0x40),
    ]
    first = "" if dropped else f"{name} <- "
    text = {
        "exact": " <- ".join(element(offset) for offset in (0x10, 0x20, 0x30, 0x40)),
        "strict": f"{name} <- caller <- main",
        "stable": f"segv-null {first}caller <- main",
        "coarse": f"segv-null {'caller' if dropped else name}",
        "native": f"segv-null {first}caller <- main",
    }
    more = " N51 N52" if dropped else ""
    made = vector(f"name-{number:03}", rules + more, "segv-null", frames, text)
    return made | {"dropped": dropped} if dropped else made


def of_stack(identity: str, rules: str, given: Json) -> Json:
    """Return the vector of one stack; `exact` follows from the physical frames unless given."""
    frames = [{**frame} for frame in given["frames"]]
    text = dict(given["text"])
    if "exact" not in text:
        offsets = exact_offsets(frames)
        text["exact"] = " <- ".join(element(offset) for offset in offsets[:32])
    made = vector(identity, rules, given["category"], frames, text)
    for name in ("assertion", "reraised", "becomes", "note", "hang"):
        if name in given:
            made[name] = given[name]
    return made


def exact_offsets(frames: list[Json]) -> list[int]:
    offsets: list[int] = []
    for frame in frames:
        if "python" in frame or frame["kind"] in ("inline", "signal"):
            continue
        if frame["module"] is None:
            break
        offsets.append(frame["offset"])
    return offsets


def of_function(given: Json) -> Json:
    """Return the vector of one function: its name follows from what is compared of it."""
    compared = given["compared"]
    digest = None if compared is None else hashlib.sha256(bytes.fromhex(compared)).hexdigest()
    return given | {"name": None if digest is None else f"fn_{digest[:12]}"}


def main() -> None:
    """Write the file."""
    vectors = [of_name(i, *entry) for i, entry in enumerate([*NAMES, *DROPPED], 1)]
    vectors += [of_stack(name, rules, given) for name, rules, given in STACKS]
    assert len({written["id"] for written in vectors}) == len(vectors)
    functions = [of_function(given) for given in FUNCTIONS]
    head = {
        "about": "Normative vectors of gsig/2; gdb_epi/signature/SPEC.md explains the fields.",
        "version": "gsig/2",
        "build_id": BUILD_ID,
    }
    lines = ",\n".join(json.dumps(written, ensure_ascii=True) for written in vectors)
    code = ",\n".join(json.dumps(function) for function in functions)
    text = json.dumps(head, indent=1)[:-2] + ',\n "vectors": [\n' + lines + "\n ],\n"
    text += ' "functions": [\n' + code + "\n ]\n}\n"
    json.loads(text)
    OUT.write_text(text)
    print(f"{len(vectors)} vectors")


if __name__ == "__main__":
    main()
