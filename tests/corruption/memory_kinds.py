# SPDX-License-Identifier: Apache-2.0
"""Hardware-like damage to memory: words of live objects, frames, stacks, allocators and code."""

from __future__ import annotations

from corruption.kinds import FIRST_CHECKED_CANARY_BIT, changed, flipped, flipped_byte, kind
from corruption.labels import LATENT, Change
from corruption.process import WORD
from corruption.scene import DICT_SPAN, FRAME_SPAN, NoTarget, Scene

LINE = 64
CODE_SPAN = 96
TYPE_SLOTS = (
    "tp_dealloc", "tp_repr", "tp_hash", "tp_call", "tp_getattro", "tp_traverse", "tp_richcompare",
    "tp_as_sequence", "tp_as_number", "tp_free", "tp_dict", "tp_mro", "tp_base", "tp_alloc",
)  # fmt: skip

# --- containers -----------------------------------------------------------------------------------


@kind("list_item")
def list_item(scene: Scene) -> Change:
    """Damage an item of a list."""
    items = scene.pointer(scene.python["list"], "PyListObject", "ob_item")
    at = items + WORD * scene.dice.randrange(len(scene.python["items"]))
    return flipped(scene, at, "a list item")


@kind("list_storage")
def list_storage(scene: Scene) -> Change:
    """Damage a list's pointer to its items."""
    choice = scene.dice.choice([scene.python["list"], *scene.python["histories"]])
    return flipped(scene, scene.member(choice, "PyListObject", "ob_item"), "ob_item of a list")


def _dict_word(scene: Scene, table: str, value: int, what: str) -> Change:
    keys = scene.pointer(scene.python[table], "PyDictObject", "ma_keys")
    size = min(DICT_SPAN, 24 * 1200)
    return flipped(scene, scene.word_of(keys, size, value), what)


@kind("dict_key")
def dict_key(scene: Scene) -> Change:
    """Damage a key's pointer in a dict."""
    return _dict_word(scene, "dict", scene.pick("keys"), "a key's pointer in a dict")


@kind("dict_value")
def dict_value(scene: Scene) -> Change:
    """Damage a value's pointer in a dict."""
    return _dict_word(scene, "dict", scene.pick("values"), "a value's pointer in a dict")


@kind("item_count")
def item_count(scene: Scene) -> Change:
    """Damage how many items a list or a tuple says that it has."""
    choice = scene.dice.choice([scene.python["list"], scene.python["tuple"]])
    return flipped(scene, scene.member(choice, "PyVarObject", "ob_size"), "ob_size of a container")


@kind("dict_keys_pointer")
def dict_keys_pointer(scene: Scene) -> Change:
    """Damage a dict's pointer to its table."""
    choice = scene.dice.choice([scene.python["dict"], scene.python["numbers"]])
    return flipped(scene, scene.member(choice, "PyDictObject", "ma_keys"), "ma_keys of a dict")


@kind("tuple_item")
def tuple_item(scene: Scene) -> Change:
    """Damage an item of a tuple."""
    value = scene.pick("places")
    return flipped(scene, scene.word_of(scene.python["tuple"], 1024, value), "a tuple item")


@kind("set_entry")
def set_entry(scene: Scene) -> Change:
    """Damage an entry of a set."""
    table = scene.pointer(scene.python["set"], "PySetObject", "table")
    at = scene.word_of(table, 16 << 10, scene.pick("members"))
    return flipped(scene, at, "an entry of a set")


@kind("slot_value")
def slot_value(scene: Scene) -> Change:
    """Damage an attribute in a __slots__ object."""
    number = scene.dice.randrange(len(scene.python["items"]))
    value = scene.python[scene.dice.choice(["names", "tuples"])][number]
    at = scene.word_of(scene.python["items"][number], 64, value)
    return flipped(scene, at, "an attribute in __slots__")


@kind("cell")
def cell(scene: Scene) -> Change:
    """Damage a closure's cell."""
    at = scene.member(scene.pick("cells"), "PyCellObject", "ob_ref")
    return flipped(scene, at, "ob_ref of a cell")


# --- object headers -------------------------------------------------------------------------------


@kind("ob_type")
def ob_type(scene: Scene) -> Change:
    """Damage an object's type pointer."""
    pick = scene.pick(scene.dice.choice(["items", "values", "names", "histories", "tuples"]))
    return flipped(scene, scene.member(pick, "PyObject", "ob_type"), "ob_type of an object")


def _gc_head(scene: Scene, member: str) -> int:
    if scene.free_threaded:
        raise NoTarget("no GC list in a free-threaded build")
    size = scene.layout.size("PyGC_Head")
    if size is None:
        raise NoTarget("PyGC_Head is not known")
    pick = scene.pick(scene.dice.choice(["items", "histories", "values"]))
    return scene.member(pick - size, "PyGC_Head", member)


@kind("gc_next")
def gc_next(scene: Scene) -> Change:
    """Damage a link of the GC list."""
    return flipped(scene, _gc_head(scene, "_gc_next"), "_gc_next of an object")


@kind("gc_prev", group=LATENT)
def gc_prev(scene: Scene) -> Change:
    """Damage a back link of the GC list, which the collector writes anew."""
    return flipped(scene, _gc_head(scene, "_gc_prev"), "_gc_prev of an object", lowest=2)


@kind("refcount", group=LATENT)
def refcount(scene: Scene) -> Change:
    """Damage an object's reference count."""
    if scene.free_threaded:
        raise NoTarget("other counts in a free-threaded build")
    member = scene.member(scene.pick("items"), "PyObject", "ob_refcnt")
    return flipped(scene, member, "ob_refcnt of an object", lowest=1, highest=29)


@kind("str_hash", group=LATENT)
def str_hash(scene: Scene) -> Change:
    """Damage the hash that a str keeps."""
    at = scene.member(scene.pick("keys"), "PyASCIIObject", "hash")
    return flipped(scene, at, "the hash of a str")


@kind("str_data", group=LATENT)
def str_data(scene: Scene) -> Change:
    """Damage the text of a str whose hash is known."""
    size = scene.layout.size("PyASCIIObject")
    if size is None:
        raise NoTarget("PyASCIIObject is not known")
    at = scene.pick("keys") + size + scene.dice.randrange(5)
    return flipped_byte(scene, at, "the text of a str")


# --- types and functions --------------------------------------------------------------------------


@kind("type_slot")
def type_slot(scene: Scene) -> Change:
    """Damage a slot of a class."""
    at = scene.member(scene.pick("types"), "PyTypeObject", scene.dice.choice(TYPE_SLOTS))
    if not scene.memory.word(at):
        raise NoTarget("an empty slot")
    return flipped(scene, at, "a slot of a class")


@kind("static_type_slot")
def static_type_slot(scene: Scene) -> Change:
    """Damage a slot of a built-in type."""
    at = scene.member(scene.pick("static_types"), "PyTypeObject", scene.dice.choice(TYPE_SLOTS))
    if not scene.memory.word(at):
        raise NoTarget("an empty slot")
    return flipped(scene, at, "a slot of a built-in type")


@kind("descriptor")
def descriptor(scene: Scene) -> Change:
    """Damage a descriptor's pointer to what it describes."""
    name, struct, member = scene.dice.choice(
        [
            ("methods", "PyMethodDescrObject", "d_method"),
            ("members_of", "PyMemberDescrObject", "d_member"),
        ]
    )
    return flipped(scene, scene.member(scene.pick(name), struct, member), f"{member} of a {struct}")


@kind("builtin_function")
def builtin_function(scene: Scene) -> Change:
    """Damage a built-in function's method definition or vectorcall."""
    member = scene.dice.choice(["m_ml", "vectorcall"])
    at = scene.member(scene.pick("builtins"), "PyCFunctionObject", member)
    return flipped(scene, at, f"{member} of a built-in function")


@kind("function_code")
def function_code(scene: Scene) -> Change:
    """Damage a Python function's code pointer."""
    at = scene.member(scene.pick("adders"), "PyFunctionObject", "func_code")
    return flipped(scene, at, "func_code of a function")


@kind("code_const")
def code_const(scene: Scene) -> Change:
    """Damage an item of co_consts."""
    number = scene.dice.randrange(len(scene.python["consts"]))
    value = scene.dice.choice(scene.python["const_items"][number])
    at = scene.word_of(scene.python["consts"][number], 512, value)
    return flipped(scene, at, "an item of co_consts")


@kind("code_member")
def code_member(scene: Scene) -> Change:
    """Damage a pointer of a code object."""
    names = ("co_consts", "co_names", "co_linetable", "co_exceptiontable", "co_localsplusnames")
    member = scene.dice.choice(names)
    at = scene.member(scene.pick("codes"), "PyCodeObject", member)
    return flipped(scene, at, f"{member} of a code object")


@kind("bytecode")
def bytecode(scene: Scene) -> Change:
    """Damage an instruction of a function that will run."""
    code = scene.pick(scene.dice.choice(["codes", "library_codes"]))
    if scene.layout.offset("PyCodeObject", "co_code_adaptive") is not None:
        start = scene.member(code, "PyCodeObject", "co_code_adaptive")
    else:
        held = scene.pointer(code, "PyCodeObject", "co_code")
        start = scene.member(held, "PyBytesObject", "ob_sval")
    return flipped_byte(scene, start + scene.dice.randrange(CODE_SPAN), "bytecode")


# --- frames and thread states ---------------------------------------------------------------------


def _frame_word(scene: Scene, what: str, *names: str) -> Change:
    struct = "_PyInterpreterFrame" if scene.has_data_stack else "PyFrameObject"
    at = scene.member(scene.frame(), struct, *names)
    if not scene.memory.word(at):
        raise NoTarget("an empty word")
    return flipped(scene, at, what)


@kind("frame_previous")
def frame_previous(scene: Scene) -> Change:
    """Damage a frame's link to its caller."""
    return _frame_word(scene, "the link of a frame to its caller", "previous", "f_back")


@kind("frame_code")
def frame_code(scene: Scene) -> Change:
    """Damage a frame's code pointer."""
    return _frame_word(scene, "the code of a frame", "f_executable", "f_code")


@kind("frame_globals")
def frame_globals(scene: Scene) -> Change:
    """Damage a frame's pointer to its globals or builtins."""
    name = scene.dice.choice(["f_globals", "f_builtins"])
    return _frame_word(scene, f"{name} of a frame", name)


@kind("frame_instruction")
def frame_instruction(scene: Scene) -> Change:
    """Damage a frame's instruction pointer."""
    return _frame_word(scene, "the instruction pointer of a frame", "instr_ptr", "prev_instr")


@kind("frame_local")
def frame_local(scene: Scene) -> Change:
    """Damage a local variable of a running frame."""
    frame = scene.frame()
    known_addresses = set(scene.python["locals"]) | set(scene.python["items"])
    data = scene.memory.read(frame, FRAME_SPAN)
    places = [
        frame + at
        for at in range(0, FRAME_SPAN - 7, WORD)
        if int.from_bytes(data[at : at + 8], "little") & ~1 in known_addresses
    ]
    if not places:
        raise NoTarget("no local found")
    return flipped(scene, scene.dice.choice(places), "a local of a frame")


@kind("thread_state")
def thread_state(scene: Scene) -> Change:
    """Damage the thread state's pointer to the running frame or its interpreter."""
    names = ["interp", "current_frame", "cframe", "frame", "datastack_chunk", "datastack_top"]
    scene.dice.shuffle(names)
    name = next(n for n in names if scene.layout.offset("PyThreadState", n) is not None)
    at = scene.member(scene.thread_state(), "PyThreadState", name)
    if not scene.memory.word(at):
        raise NoTarget("an empty word")
    return flipped(scene, at, f"{name} of the thread state")


# --- the C stack ----------------------------------------------------------------------------------


@kind("return_address", native=True)
def return_address(scene: Scene) -> Change:
    """Damage a return address."""
    slots = scene.return_slots()
    if not slots:
        raise NoTarget("no return address found")
    where = scene.dice.choice(slots[:24])[0]
    return flipped(scene, where, "a return address")


@kind("scene_return", native=True)
def scene_return(scene: Scene) -> Change:
    """Damage the return address of a C function that will return."""
    where = scene.native_pick("frames") + WORD
    return flipped(scene, where, "a return address")


@kind("saved_register", native=True)
def saved_register(scene: Scene) -> Change:
    """Damage a saved register just below a return address."""
    maps = scene.memory.maps()
    words = dict(scene.stack_words())
    places = []
    for slot, _ in scene.return_slots()[:24]:
        for at in range(slot - 6 * WORD, slot, WORD):
            word = words.get(at, 0)
            if any(region.start <= word < region.end and "w" in region.perms for region in maps):
                places.append(at)
    if not places:
        raise NoTarget("no saved register found")
    return flipped(scene, scene.dice.choice(places), "a saved register")


@kind("saved_frame_pointer", native=True)
def saved_frame_pointer(scene: Scene) -> Change:
    """Damage a saved rbp of a C function that uses it."""
    return flipped(scene, scene.native_pick("frames"), "a saved frame pointer")


@kind("canary", native=True)
def canary(scene: Scene) -> Change:
    """Damage a stack canary."""
    start = scene.memory.stack_pointer()
    frames = sorted(frame for frame in scene.native.get("frames", ()) if frame > start)
    if not frames:
        raise NoTarget("no C frames with a canary")
    top = scene.memory.word(frames[0] - WORD)
    places = [f - WORD * n for f in frames for n in range(1, 9)]
    same = [at for at in places if scene.memory.word(at) & 0xFF == 0 != scene.memory.word(at) >> 48]
    counted = [
        at for at in same if sum(scene.memory.word(x) == scene.memory.word(at) for x in same) > 2
    ]
    if not counted:
        raise NoTarget(f"no canary found ({top:#x})")
    return flipped(
        scene, scene.dice.choice(counted), "a canary", lowest=FIRST_CHECKED_CANARY_BIT,
        symptoms=("abort-stack-smashing",),
    )  # fmt: skip


# --- allocators -----------------------------------------------------------------------------------


@kind("malloc_size", native=True)
def malloc_size(scene: Scene) -> Change:
    """Damage the size of a glibc chunk that will be freed."""
    where = scene.native_pick(scene.dice.choice(["chunks", "holes"]))
    return flipped(scene, where, "the size of a malloc chunk", lowest=4)


@kind("malloc_link", native=True)
def malloc_link(scene: Scene) -> Change:
    """Damage a link of a free glibc chunk in a bin."""
    holes = scene.native.get("holes", [])
    usable = [hole for hole in holes if hole > 4096]
    if not usable:
        raise NoTarget("the program told no holes")
    # Between two kept blocks lies a freed one, whose first words are links of its bin.
    at = scene.dice.choice(usable)
    size = scene.memory.word(at) & ~7
    where = at + size + WORD
    if scene.memory.word(where) < 1 << 32:
        raise NoTarget("no free chunk behind this one")
    return flipped(scene, where, "a link of a free malloc chunk")


@kind("pymalloc_link")
def pymalloc_link(scene: Scene) -> Change:
    """Damage a free block's link of pymalloc."""
    maps = scene.memory.maps()
    for _ in range(50):
        where = scene.pick("freed")
        word = scene.memory.word(where)
        if any(region.start <= word < region.end for region in maps):
            return flipped(scene, where, "the link of a free pymalloc block")
    raise NoTarget("no free block with a link")


# --- C data and code ------------------------------------------------------------------------------


@kind("c_list_next", native=True)
def c_list_next(scene: Scene) -> Change:
    """Damage a link of a C list."""
    at = scene.dice.choice(scene.native["items"][:-1])
    return flipped(scene, at, "next of a C list")


@kind("c_text_pointer", native=True)
def c_text_pointer(scene: Scene) -> Change:
    """Damage a char pointer of a C struct."""
    return flipped(scene, scene.native_pick("items") + 2 * WORD, "a char pointer of a C struct")


@kind("c_tree", native=True)
def c_tree(scene: Scene) -> Change:
    """Damage a link of a C tree."""
    at = int(scene.native["root"])
    for _ in range(scene.dice.randrange(6)):
        at = scene.memory.word(at + WORD * scene.dice.choice((1, 2))) or at
    where = at + WORD * scene.dice.choice((1, 2, 3))
    if not scene.memory.word(where):
        raise NoTarget("a leaf")
    return flipped(scene, where, "a link of a C tree")


@kind("function_pointer", native=True)
def function_pointer(scene: Scene) -> Change:
    """Damage a function pointer on the heap."""
    return flipped(scene, scene.native_pick("hooks"), "a function pointer")


@kind("vtable_pointer", native=True)
def vtable_pointer(scene: Scene) -> Change:
    """Damage an object's pointer to its table of methods."""
    return flipped(scene, scene.native_pick("shapes"), "an object's table of methods")


@kind("vtable_entry", native=True)
def vtable_entry(scene: Scene) -> Change:
    """Damage an entry of a table of methods, which nobody may write (RELRO)."""
    where = scene.native_pick("tables") + WORD * scene.dice.randrange(4)
    return flipped(scene, where, "an entry of a table of methods")


@kind("text", native=True)
def text(scene: Scene) -> Change:
    """Damage the code of a function that will run."""
    start = scene.native_pick("code")
    return flipped_byte(scene, start + scene.dice.randrange(56), "code")


@kind("text_near_return", native=True)
def text_near_return(scene: Scene) -> Change:
    """Damage code to which a call will return."""
    slots = scene.return_slots()
    if not slots:
        raise NoTarget("no return address found")
    at = scene.dice.choice(slots[:16])[1] + scene.dice.randrange(24)
    return flipped_byte(scene, at, "code behind a call")


# --- more than one bit ----------------------------------------------------------------------------


def _zero_line(scene: Scene, at: int, what: str) -> Change:
    start = at & ~(LINE - 1)
    words = [(start + n, scene.memory.word(start + n)) for n in range(0, LINE, WORD)]
    scene.memory.write(start, bytes(LINE))
    rest = tuple((place, word, 0) for place, word in words)
    place, original = next((w for w in words if w[1] > 1 << 32), words[0])
    return Change(what, place, original, 0, more=rest)


@kind("cacheline_zero", native=True)
def cacheline_zero(scene: Scene) -> Change:
    """Zero one cache line of live data."""
    if scene.python and scene.dice.random() < 0.8:
        items = scene.pointer(scene.python["list"], "PyListObject", "ob_item")
        count = len(scene.python["items"])
        places = [
            items + WORD * scene.dice.randrange(8, count - 8),
            scene.pick("items"),
            scene.pick("values"),
        ]
        return _zero_line(scene, scene.dice.choice(places), "a cache line of Python data zeroed")
    return _zero_line(scene, scene.native_pick("items"), "a cache line of C data zeroed")


@kind("stuck_lane")
def stuck_lane(scene: Scene) -> Change:
    """Force one bit of one word in each of several neighbouring cache lines (a stuck lane)."""
    items = scene.pointer(scene.python["list"], "PyListObject", "ob_item")
    bit, value = scene.dice.randint(3, 46), scene.dice.randrange(2)
    first = items + 2 * LINE + WORD * scene.dice.randrange(8)
    done = []
    for at in range(first, first + 16 * LINE, LINE):
        word = scene.memory.word(at)
        forced = word | 1 << bit if value else word & ~(1 << bit)
        if forced != word:
            scene.memory.put(at, forced)
            done.append((at, word, forced))
    if len(done) < 2:
        raise NoTarget("the lane had this value already")
    where, original, wrong = done[0]
    return Change(f"bit {bit} stuck at {value} in a lane", where, original, wrong, more=tuple(done))


@kind("byte_lane", native=True)
def byte_lane(scene: Scene) -> Change:
    """Zero one byte of a pointer (a byte lane that did not arrive)."""
    if scene.python:
        items = scene.pointer(scene.python["list"], "PyListObject", "ob_item")
        where = items + WORD * scene.dice.randrange(len(scene.python["items"]))
    else:
        where = scene.dice.choice(scene.native["items"][:-1])
    word = scene.memory.word(where)
    lane = scene.dice.randrange(1, 6)
    wrong = word & ~(0xFF << 8 * lane)
    if wrong == word:
        raise NoTarget("the byte is zero already")
    return changed(scene, where, wrong, f"byte {lane} of a pointer zeroed")


@kind("two_bits")
def two_bits(scene: Scene) -> Change:
    """Flip two neighbouring bits of a list item (what ECC detects and does not correct)."""
    items = scene.pointer(scene.python["list"], "PyListObject", "ob_item")
    where = items + WORD * scene.dice.randrange(len(scene.python["items"]))
    bit = scene.dice.randrange(62)
    word = scene.memory.word(where)
    return changed(scene, where, word ^ 3 << bit, f"bits {bit} and {bit + 1} of a list item")
