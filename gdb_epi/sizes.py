# SPDX-License-Identifier: Apache-2.0
"""Sizes and masks of x86-64 memory, and words as signed numbers.

Imports nothing: a cold start reads this file.
"""

WORD = 8  # bytes of a pointer, of a general register
WORD_MASK = (1 << 64) - 1  # `sum & WORD_MASK` wraps around as the CPU does
HALF_MASK = (1 << 32) - 1  # `word & HALF_MASK` is the low half of a word
PAGE_BITS = 12
PAGE = 1 << PAGE_BITS  # bytes of the smallest page, the only size that core files are aligned to
ADDRESS_BITS = 47  # of a user-space address, with four levels of page tables
USER_TOP = 1 << ADDRESS_BITS  # the end of user space


def split_into_words(raw: bytes) -> list[int]:
    """Return the words in some bytes; an incomplete word at the end is left out."""
    return memoryview(raw)[: len(raw) & -WORD].cast("Q").tolist()


def signed_word(word: int) -> int:
    """Return the number that a word is in two's complement; a sum wraps around before."""
    word &= WORD_MASK
    return word - (word >> 63 << 64)
