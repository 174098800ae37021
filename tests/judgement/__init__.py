# SPDX-License-Identifier: Apache-2.0
"""How often the rules of the verdict are right: rows of cores whose cause is known, and counts.

    python tests/judgement/collect.py --seed 501 --attempts 300 --rows ROWS     # tests/corruption
    python tests/judgement/collect.py --gallery first --rows ROWS               # tests/gallery
    python tests/judgement/calibrate.py ROWS... [--write]                       # calibration.json
    python tests/judgement/calibrate.py ROWS... --held-out                      # stated, observed

A row holds what a verdict rests on (a part of the record) and what really happened, so judging is
done again in a second when rules change. No row holds a core.
"""
