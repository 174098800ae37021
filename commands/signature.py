# SPDX-License-Identifier: Apache-2.0
"""`epi signature`: the keys of this crash, the lines they are the hash of, and the steps."""

from __future__ import annotations

from argparse import Namespace

from gdb_epi.registry import argument, command
from gdb_epi.report import Report
from gdb_epi.session import Session

# What two crashes with the same key have in common; the narrowest key comes last (SPEC.md, 1).
KEYS = {
    "coarse": "the kind of death, the innermost function of C and of Python",
    "python": "the kind of death, the two innermost functions of Python",
    "native": "the kind of death, the three innermost functions of C",
    "stable": "the kind of death, the innermost functions of C and of Python",
    "code": "as coarse, a function without a name by its instructions",
    "strict": "every function of the stack",
    "exact": "every address of the stack, in the same builds of all files",
}


@command(
    "signature",
    arguments=(
        argument(
            "--explain",
            action="store_true",
            help="also every step, rule by rule and frame by frame",
        ),
    ),
)
def show_signature_keys(session: Session, args: Namespace) -> Report:
    """Show the keys by which this crash is found again, the best first.

    Each key is the start of the SHA-256 of exactly the line below it, without a newline: check it
    with printf %s 'LINE' | sha256sum. A key that cannot be made is absent with a reason.
    """
    from gdb_epi.analysis import make_record, run_stages
    from gdb_epi.render.escape import wrap_text
    from gdb_epi.render.signature_words import why_keys_are_absent

    parts = run_stages(session)
    signed = make_record(parts)["signature"]
    lines = []
    if key := signed.get("group", {}).get("value"):
        lines += [
            f"The same crash has the same key: {key}",
            f"  when and where it came before: gdb-epi fleet seen {key}",
            f"  whether a command crashes so:  gdb-epi repro --expect {key} --runs 20 -- COMMAND",
            "",
        ]
    lines += [f"Kind of death: {signed['category']}: {signed['evidence']}", ""]
    for name, common in KEYS.items():
        if name in signed["text"]:
            lines.append(f"{name:<7} {signed['keys'][name]:<16}  {common}")
            lines.append(f"  {signed['text'][name]}")
    for line in why_keys_are_absent(signed["absent"]):
        lines += wrap_text(line)
    if args.explain:
        from gdb_epi.signature import explain

        signed["frames"] = explain.explain_frames(parts.signed)
        lines += ["", "Steps (N.. are the rules of gdb_epi/signature/SPEC.md):"]
        lines += [f"  {step}" for step in signed["steps"]]
        lines += ["", "Frames, innermost first:", *explain.explanation_lines(signed["frames"])]
    return Report("signature", lines=lines, data=signed)
