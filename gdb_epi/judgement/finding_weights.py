# SPDX-License-Identifier: Apache-2.0
"""What a finding counts in the verdict, in words, with where the number comes from."""

from __future__ import annotations

from gdb_epi.corruption.score import load_weights
from gdb_epi.detectors.registry import supported_label
from gdb_epi.judgement.calibration import counts_for_rule, load_calibration
from gdb_epi.judgement.hypothesis_words import HYPOTHESES

OF_DAMAGE = frozenset(("pointer_one_bit_off", "frame_link_disagrees"))
NO_WEIGHT = "it has no weight: it is shown, and does not change the verdict"


def describe_finding_weights(detector: str) -> list[str]:
    """Return what a detector's finding counts in the verdict and where the numbers come from."""
    prefix = "S:abort-" if detector == "deliberate_abort" else f"S:{detector}"
    checks = [check for check in load_weights().items.values() if check.id.startswith(prefix)]
    if checks:
        against = [f"{check.id} ({check.llr:+g}): {check.origin}" for check in checks]
        return [*against, *(_describe_rule(check.id, "software", check.cause) for check in checks)]
    if detector in OF_DAMAGE:
        return ["what `epi corruption` finds of it is weighed: its items have pages of their own"]
    speaks = supported_label(detector)
    if speaks is None:
        return [NO_WEIGHT]
    by = f":{speaks.counted_by}" if speaks.counted_by else ""
    names = [name for name in sorted(load_calibration()) if name.split(":", 1)[0] == detector]
    return [
        _describe_rule(name, speaks.label, speaks.hypothesis) for name in names or [detector + by]
    ]


def _describe_rule(name: str, label: str, hypothesis: str) -> str:
    counts = counts_for_rule(name, load_calibration())
    number = (
        f"{counts.probability:.2f} of 1, right in {counts.right:g} and wrong in {counts.wrong:g} "
        "programs"
    )
    return f"{name}: speaks for {label} ({HYPOTHESES[hypothesis]}), {number}: {counts.origin}"
