# SPDX-License-Identifier: Apache-2.0
"""Signatures that are one bug, or have one cause: what their verdicts share."""

from __future__ import annotations

from collections.abc import Sequence

from gdb_epi.fleet.population.population import Population
from gdb_epi.fleet.questions.population_verdict import SOFTWARE, PopulationVerdict
from gdb_epi.fleet.records.facts import is_process_attribute
from gdb_epi.fleet.screen.events import PLACES
from gdb_epi.fleet.screen.finding import MIN_N
from gdb_epi.fleet.screen.finding_texts import is_hardware_or_place_attribute
from gdb_epi.fleet.screen.programs import program_of_signature
from gdb_epi.fleet.screen.renamings import PYTHON_HALF
from gdb_epi.render.signature_words import signature_phrase_and_key


def same_bug_headlines(
    population: Population, verdicts: Sequence[PopulationVerdict]
) -> list[tuple[str, tuple[str, ...]]]:
    """Say which signatures die in the same native code and go with the same value: one bug.

    A library that two programs use gives each of them a signature of its own. With each sentence
    come the subjects of the verdicts that it stands for. A signature that is too rare to stand out
    belongs to it where all of its crashes have the value. Signatures of one program that share a
    version may be one cause, too: damaged memory kills it in many places. What one of them goes
    with and another does not is no rival of the version then.
    """
    by_code: dict[str, dict[str, set[str]]] = {}
    by_version: dict[tuple[str, str], dict[str, set[str]]] = {}
    for verdict in verdicts:
        native, frames, _ = verdict.subject.partition(PYTHON_HALF)
        findings = [f for cause in verdict.causes for f in cause.findings]
        marks = {f.mark for f in findings if population.attribute(f.attr)}
        marks |= {alias for f in findings for alias in f.aliases}
        if frames and marks:
            by_code.setdefault(native, {}).setdefault(verdict.subject, set()).update(marks)
        if len(findings) == 1 and findings[0].signature == verdict.subject:
            program = program_of_signature(population, verdict.subject)
            for mark in filter(_is_version_mark, marks if program else ()):
                by_version.setdefault((program, mark), {})[verdict.subject] = marks
    sentences = []
    for native, signatures in by_code.items():
        # What fails at a place is no bug of the code that dies there.
        shared = sorted(
            m for m in set.intersection(*signatures.values()) if not _names_hardware_or_place(m)
        )
        rare = (
            _other_signatures_with_marks(population, native, set(signatures), shared)
            if shared
            else []
        )
        if shared and len(signatures) > 1:
            every = [*signatures, *rare]
            sentences.append((
                f"{SOFTWARE}: one bug in {len(every)} signatures, by all signs: they go with "
                f"{' and '.join(shared)} and die in the same native code: "
                f"{', '.join(map(signature_phrase_and_key, every))}",
                tuple(signatures),
            ))  # fmt: skip
    joined = {subject for _, subjects in sentences for subject in subjects}
    for (program, _), group in sorted(by_version.items(), key=lambda item: -len(item[1])):
        signatures = {name: marks for name, marks in group.items() if name not in joined}
        if len(signatures) < 2:
            continue
        joined.update(signatures)
        shared = sorted(filter(_is_version_mark, set.intersection(*signatures.values())))
        sentences.append((
            f"{SOFTWARE}: perhaps one cause in {len(signatures)} signatures of {program}: they go "
            f"with {' or '.join(shared)}: {', '.join(map(signature_phrase_and_key, signatures))}",
            tuple(signatures),
        ))  # fmt: skip
    return sentences


def _is_version_mark(mark: str) -> bool:
    """Whether a mark names a version of what ran, and not what its host is or where it stands."""
    return is_process_attribute(mark.partition("=")[0])


def _names_hardware_or_place(mark: str) -> bool:
    """Whether a mark names hardware or a place, and no version of something."""
    attr = mark.partition("=")[0]
    return is_hardware_or_place_attribute(attr) or attr in PLACES


def _other_signatures_with_marks(
    population: Population, native: str, except_for: set[str], marks: Sequence[str]
) -> list[str]:
    """Return the signatures of the same native code of which all crashes have some values."""
    attributes = [(population.attribute(m.partition("=")[0]), m.partition("=")[2]) for m in marks]
    others = []
    for code, name in enumerate(population.signatures):
        if name in except_for or not name.startswith(native + PYTHON_HALF):
            continue
        mine = population.signature == code
        for attribute, value in attributes:
            if attribute is None or value not in attribute.values:
                continue
            codes = attribute.crash[mine & (attribute.crash >= 0)]
            if codes.size < MIN_N or (codes != attribute.values.index(value)).any():
                break
        else:
            others.append(name)
    return others
