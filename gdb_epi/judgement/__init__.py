# SPDX-License-Identifier: Apache-2.0
"""The verdict on one core: a pure function of category, findings and the score of corruption.

Nothing here reads the process. What speaks for a label: label_evidence.py; who may have done it:
hypothesis_words.py; how often each rule was right: calibration.json. Whether a word was damaged is
the score of corruption/.
"""
