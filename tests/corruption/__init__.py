# SPDX-License-Identifier: Apache-2.0
"""Labelled cores: damage like that of hardware, and software bugs, made on purpose.

    python tests/corruption/generate.py --seed 1 --attempts 40 --kinds hw --out DIR [--jobs 2]
        [--interpreters pyenv-3.12.1,debian-3.11.2] [--no-python]
    python tests/corruption/generate.py --list

Kinds: `hw` (damage that should be found), `sw` (bugs), `ambiguous` (bugs that make the very same
picture as damage), `latent` (damage that mostly crashes nothing; `--keep-alive` asks for a core
anyway), or names of kinds, separated by commas. Each attempt that dies leaves DIR/NNNN-KIND/ with
`core` and `label.json`:

    kind, class (hw, sw, ambiguous, latent), seed, attempt, interpreter ("c-pie", "c-non-pie" for
    programs without Python), executable, sysroot, core, signal, seconds (to death),
    what (a sentence), address or register, original, found, bits, path (memory or register),
    symptoms (acceptable ones), visible (the wrong word is still where it was put),
    more (further words that were changed: address, original, found)

Words are hexadecimal text. From Python: `for made in labels(DIR)` of corruption.labels. The choice
of kind, target, bit and interpreter hangs on seed and attempt alone; addresses do not.
"""
