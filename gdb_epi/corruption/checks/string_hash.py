# SPDX-License-Identifier: Apache-2.0
"""R1: a hashed str or bytes object does not have the hash of its contents."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gdb_epi.corruption.context import Context
from gdb_epi.corruption.evidence import (
    Evidence,
    NotChecked,
    Skipped,
    require,
    word_evidence,
)
from gdb_epi.corruption.heap.readers import MemorySweep, shared_object_search
from gdb_epi.corruption.registry import check
from gdb_epi.corruption.strings.bulk_hashing import (
    CUTOFF,
    BulkHasher,
    HashFlip,
    does_key_hash_short_strings,
    find_data_flip,
    find_hash_flip,
    find_hash_key,
    find_header_flip,
)
from gdb_epi.corruption.strings.find_strings import (
    MIN_WANTED,
    SkippedObjects,
    hashed_strings_in,
    is_mostly_pymalloc_pools,
    patterns_one_bit_off_types,
    places_of_types_one_bit_off,
    reachable_strings,
    sample_strings,
    str_and_bytes_layouts,
)
from gdb_epi.cpython.heap.object_search import ObjectSearch
from gdb_epi.cpython.objects.siphash import HashKey, python_hash
from gdb_epi.cpython.objects.str_layout import HashedString, StringLayout, read_hashed_string
from gdb_epi.target.api import Target
from gdb_epi.typing_lite import TYPE_CHECKING
from gdb_epi.util import counted

if TYPE_CHECKING:
    from gdb_epi.corruption.strings.bulk_hashing import WronglyHashedString

MAX_WRONG = 256  # objects that are looked at one by one
MAX_ODD = 4096
CASE = 0x20  # the bit by which small and capital letters of ASCII differ
CHANGED_CASE = "a letter whose case C code changed in place, as tolower() does"


@check("R1", costly=True, needs="python", order=80)
def string_hash(context: Context) -> Iterator[Evidence | Skipped]:
    """Recompute the hashes of str and bytes objects with the core's own secret.

    By default of the names that frames and the fault have to do with, in a sweep of all.

    Innocent causes: contents changed in place by C code after they were hashed, freed and
    overwritten objects (several bits, no single one makes them fit); another algorithm (FNV,
    Py_HASH_CUTOFF), which is seen by what most strings have. A flip that makes a hash -1 is not
    seen.
    """
    python, heap = require(context.state.python), shared_object_search(context)
    forms = str_and_bytes_layouts(heap, python)
    if not forms:
        raise NotChecked("the type str is not found, or the layout lacks its state bits")
    work = _StringHashCheck(context, heap, forms)
    named = list(reachable_strings(context, heap, python, forms[0]))
    key = work.find_hash_key(named)
    if isinstance(key, str):
        raise NotChecked(key)
    yield from work.check_strings_at(named)
    if context.sweep:
        yield from work.check_all_strings()


class _StringHashCheck:
    """One run over one process."""

    def __init__(self, context: Context, heap: ObjectSearch, forms: list[StringLayout]) -> None:
        self._context = context
        self._heap = heap
        self._forms = forms
        self._key: HashKey | None = None
        self._shortest = 0
        self._seen: set[int] = set()
        self._unexplained = 0

    def find_hash_key(self, addresses: list[int]) -> HashKey | str:
        """Find the key by the strings that frames name, else by the first ones in memory."""
        target, form = self._context.target, self._forms[0]
        read = [read_hashed_string(target, form, address) for address in addresses]
        texts = [text for text in read if isinstance(text, HashedString)]
        if sum(len(text.data) >= CUTOFF for text in texts) < MIN_WANTED:
            texts += sample_strings(self._context, form)
        key = find_hash_key(target, self._heap.reader, texts)
        if isinstance(key, HashKey):
            self._key = key
            self._shortest = 0 if does_key_hash_short_strings(key, texts) else CUTOFF
        return key

    def check_strings_at(self, addresses: Iterable[int]) -> Iterator[Evidence]:
        """Check single objects."""
        assert self._key is not None
        bulk = BulkHasher(self._key, shortest=self._shortest)
        texts: list[tuple[int, bytes, int]] = []
        wrong: list[int] = []
        for address in addresses:
            text = read_hashed_string(self._context.target, self._forms[0], address)
            if isinstance(text, HashedString):
                texts.append((address, text.data, text.stored))
            elif text == "odd":
                wrong.append(address)
        wrong += [*bulk.add_texts(texts), *bulk.compare_waiting_strings()]
        for address in wrong:
            yield from self._evidence_of_flipped_bit(self._forms[0], address)

    def check_all_strings(self) -> Iterator[Evidence | Skipped]:
        """Check every object in writable memory."""
        assert self._key is not None
        target = self._context.target
        searches = [_FormSearch(target, form, self._key, self._shortest) for form in self._forms]
        patterns_of_types = patterns_one_bit_off_types(self._forms)
        near_types: list[tuple[StringLayout, int]] = []
        left_out = SkippedObjects()
        chunks = MemorySweep(self._context)
        for start, data in chunks:
            has_others = sum(search.search_piece(start, data, left_out) for search in searches) > 0
            if not is_mostly_pymalloc_pools(start, data):  # R13 sees those
                patterns = (*patterns_of_types.high, *(patterns_of_types.low if has_others else ()))
                near_types += places_of_types_one_bit_off(self._forms, start, data, patterns)
        for search in searches:
            for at in search.mismatching_objects(chunks):
                yield from self._evidence_of_flipped_bit(search.form, at)
        for form, at in near_types[:MAX_ODD]:
            yield from self._evidence_of_flipped_type(form, at)
        self._context.counts["strings"] = sum(search.computed_hash_count for search in searches)
        yield from self._skipped_strings(
            chunks, left_out, sum(search.mismatch_count for search in searches)
        )

    def _skipped_strings(
        self, chunks: MemorySweep, left_out: SkippedObjects, wrong: int
    ) -> Iterator[Skipped]:
        if not chunks.swept.complete:
            done, total = chunks.swept.done >> 20, chunks.swept.total >> 20
            yield Skipped("R1", f"the budget ended after {done} of {total} MiB of memory")
        if left_out.long:
            yield Skipped("R1", f"{left_out.long} strings of more than 64 KiB were left out")
        if self._shortest:
            yield Skipped("R1", "strings of less than 8 bytes have another hash here")
        if wrong > MAX_WRONG:
            yield Skipped("R1", f"{wrong} objects do not fit; {MAX_WRONG} were looked at")
        if self._unexplained:
            texts = counted(self._unexplained, "text")
            why = "by no single flipped bit: overwritten, freed or changed in place"
            yield Skipped("R1", f"of {texts} the hash is another one, {why}")

    def _evidence_of_flipped_bit(self, form: StringLayout, address: int) -> Iterator[Evidence]:
        """Find the one bit; freed objects, and those that no bit repairs, are left out."""
        if address in self._seen or self._key is None:
            return
        self._seen.add(address)
        if not self._heap.may_be_alive(address):
            return
        target = self._context.target
        text = read_hashed_string(target, form, address)
        flip: HashFlip | None = None
        if isinstance(text, HashedString):
            flip = find_hash_flip(self._key, form, text) or find_data_flip(self._key, target, text)
        flip = flip or find_header_flip(self._key, target, form, address)
        if flip is None:
            self._unexplained += isinstance(text, HashedString)
            return
        yield self._evidence_of_hash_flip(form, address, flip)

    def _evidence_of_flipped_type(self, form: StringLayout, address: int) -> Iterator[Evidence]:
        """Tell whether an object lies here whose type word is one bit off: its hash says so."""
        text = read_hashed_string(self._context.target, form, address)
        if not isinstance(text, HashedString) or len(text.data) < max(1, self._shortest):
            return
        if self._key is None or python_hash(self._key, text.data) != text.stored:
            return
        where = address + form.type_at
        held = self._heap.reader.u64(where)
        yield self._evidence_of_hash_flip(form, address, HashFlip(where, held, form.type, "type"))

    def _evidence_of_hash_flip(self, form: StringLayout, address: int, flip: HashFlip) -> Evidence:
        name = self._key.name if self._key is not None else ""
        bit = (flip.found ^ flip.corrected).bit_length() - 1
        summary = (
            f"the {form.name} at {address:#x} and its hash disagree ({name} with the core's own "
            f"secret); bit {bit} of the word at {flip.where:#x}, in its {flip.member}, makes them "
            "agree"
        )
        evidence = word_evidence(
            "R1",
            flip.where,
            flip.found,
            flip.corrected,
            summary,
            object=address,
            member=flip.member,
        )
        letter = flip.found >> (bit & ~7) & 0xFF
        if flip.member == "characters" and 1 << bit % 8 == CASE and bytes((letter,)).isalpha():
            return evidence._replace(ambiguous=CHANGED_CASE)
        return evidence


class _FormSearch:
    """All objects of one form, by their hashes."""

    def __init__(self, target: Target, form: StringLayout, key: HashKey, shortest: int) -> None:
        from gdb_epi.corruption.strings.bulk_hashing import StringRecordHasher

        self.form = form
        self._target = target
        self._ordinary = StringRecordHasher(form, key, shortest)
        self._bulk = BulkHasher(key, shortest=shortest)
        self._records: list[WronglyHashedString] = []
        self._wrong: list[int] = []
        self._odd: list[int] = []

    def search_piece(self, start: int, data: bytes, left_out: SkippedObjects) -> bool:
        """Look at a piece of memory; return False where it holds nothing out of the ordinary."""
        wrong_records, has_others = self._ordinary.check_piece(start, data)
        self._records += wrong_records
        if has_others:
            texts = hashed_strings_in(
                self._target,
                self.form,
                start,
                data,
                left_out,
                self._ordinary.unusual_objects_pattern,
            )
            self._wrong += self._bulk.add_texts(texts)
            self._odd += left_out.odd
            left_out.odd.clear()
        return has_others

    @property
    def computed_hash_count(self) -> int:
        """Return how many hashes were computed."""
        return self._ordinary.checked + self._bulk.checked

    @property
    def mismatch_count(self) -> int:
        """Return how many objects do not fit their hash."""
        return len(self._wrong) + len(self._records)

    def mismatching_objects(self, chunks: MemorySweep) -> Iterator[int]:
        """Yield the objects that do not fit, when all pieces were taken; up to a limit."""
        self._wrong += self._bulk.compare_waiting_strings()
        self._records += self._ordinary.compare_waiting_records()
        yield from self._wrong[:MAX_WRONG]
        for record in self._records[: max(0, MAX_WRONG - len(self._wrong))]:
            yield from self._ordinary.addresses_of_record(record, chunks.reread_piece(record.start))
        yield from self._odd[:MAX_ODD]
