# SPDX-License-Identifier: Apache-2.0
"""Functions and what is compared of their instructions (N68, N69), worked out by hand.

The encodings are GNU as's; the text is what it reads. `addresses` are those of the object.
"""

from __future__ import annotations

from typing import Any

Json = dict[str, Any]
FUNCTIONS: list[Json] = []
SHARED = (0x7F0000000000, 0x7F0000400000)
FIXED = (0x400000, 0x800000)


def function(
    identity: str,
    text: str,
    code: str,
    compared: str | None,
    addresses: tuple[int, int] = SHARED,
    *,
    whole: bool = True,
) -> None:
    """Add one vector; `compared` is None where no name can be made."""
    FUNCTIONS.append({
        "id": f"code-{identity}", "rules": ["N68", "N69"], "text": text,
        "code": code.replace(" ", ""), "addresses": [f"{a:#x}" for a in addresses],
        "whole": whole, "compared": None if compared is None else compared.replace(" ", ""),
    })  # fmt: skip


function(
    "relative-data", "mov 0x302010(%rip),%rax; ret",
    "48 8b 05 10 20 30 00  c3", "48 8b 05 00 00 00 00  c3",
)  # fmt: skip
function(
    "relative-data-and-constant", "movl $0x1234,0x302010(%rip); ret",
    "c7 05 10 20 30 00 34 12 00 00  c3", "c7 05 00 00 00 00 34 12 00 00  c3",
)  # fmt: skip
function(
    "relative-data-vector", "vmovsd 0x10(%rip),%xmm0; ret",
    "c5 fb 10 05 10 00 00 00  c3", "c5 fb 10 05 00 00 00 00  c3",
)  # fmt: skip
function("call-of-another", "call .+0x302010; ret", "e8 0b 20 30 00  c3", "e8 ffffffff  c3")
function("call-of-itself", "call .; ret", "e8 fb ff ff ff  c3", "e8 00000000  c3")
function("tail-call-near", "notrack jmp .+0x302010", "3e e9 0a 20 30 00", "e9 ffffffff")
function("tail-call-short", "jmp .+0x70", "eb 6e", "e9 ffffffff")
function(
    "branch-short", "test %edi,%edi; je 1f; xor %eax,%eax; 1: ret",
    "85 ff  74 02  31 c0  c3", "85 ff  0f 84 03000000  31 c0  c3",
)  # fmt: skip
function(
    "branch-near", "the same with the long form of je",
    "85 ff  0f 84 02 00 00 00  31 c0  c3", "85 ff  0f 84 03000000  31 c0  c3",
)  # fmt: skip
function(
    "padded-loop", "jmp 1f; nopw (%rax,%rax); xchg %ax,%ax; nop; 1: dec %edi; jne 1b; ret",
    "eb 09  66 0f 1f 44 00 00  66 90  90  ff cf  75 fc  c3",
    "e9 01000000  ff cf  0f 85 01000000  c3",
)  # fmt: skip
function(
    "branch-to-padding", "1: nop; pause; jmp 1b", "90  f3 90  eb fb", "f3 90  e9 00000000",
)  # fmt: skip
function("loop", "1: loop 1b; ret", "e2 fe  c3", "e2 00000000  c3")
function(
    "into-an-instruction", "jmp .+3; mov $0x90909090,%eax: its target is no instruction here",
    "eb 01  b8 90 90 90 90", "e9 ffffffff  b8 90 90 90 90",
)  # fmt: skip
function(
    "address-as-constant", "mov $0x401000,%edi; mov $0x1000,%esi; ret, at fixed addresses",
    "bf 00 10 40 00  be 00 10 00 00  c3", "bf 00 00 00 00  be 00 10 00 00  c3", FIXED,
)  # fmt: skip
function(
    "constant-elsewhere", "the same in a shared object, where it is a number",
    "bf 00 10 40 00  be 00 10 00 00  c3", "bf 00 10 40 00  be 00 10 00 00  c3",
)  # fmt: skip
function(
    "relocated-address", "movabs $0x7f0000001000,%rax; ret",
    "48 b8 00 10 00 00 00 7f 00 00  c3", "48 b8 00 00 00 00 00 00 00 00  c3",
)  # fmt: skip
function(
    "jump-table", "jmp *0x402000(,%rax,8), without a base register",
    "ff 24 c5 00 20 40 00", "ff 24 c5 00 00 00 00",
)  # fmt: skip
function(
    "table-with-base", "mov 0x402000(%rax),%edx; mov 0x100(%rax),%edx; ret, at fixed addresses",
    "8b 90 00 20 40 00  8b 90 00 01 00 00  c3", "8b 90 00 00 00 00  8b 90 00 01 00 00  c3", FIXED,
)  # fmt: skip
function(
    "thread-local", "mov %fs:0xfffffffffffffff8,%rax; ret",
    "64 48 8b 04 25 f8 ff ff ff  c3", "64 48 8b 04 25 00 00 00 00  c3",
)  # fmt: skip
function("unknown-instruction", "push %es is none in 64-bit mode", "55  06  c3", None)
function(
    "cut", "ret; the beginning of mov $...,%eax: the function goes on behind the part looked at",
    "c3  b8 01 02", "c3", whole=False,
)  # fmt: skip
function(
    "ends-in-an-instruction", "the same where the function ends there", "c3  b8 01 02", None,
)  # fmt: skip
