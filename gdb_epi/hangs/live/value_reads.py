# SPDX-License-Identifier: Apache-2.0
"""Where values lie while code is followed: variables, globals, attributes and containers."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from gdb_epi.cpython.objects.containers import ContainerReader
from gdb_epi.cpython.types import PyFrame
from gdb_epi.errors import Absent
from gdb_epi.hangs.live.library_effects import CALLING_ITERATORS, GENERATORS, UNFOLLOWED
from gdb_epi.hangs.live.value_store import CallContext, CodeWalk
from gdb_epi.hangs.live.values import (
    DATA,
    IS_DATA,
    MAX_ITEMS,
    NOTHING,
    UNKNOWN,
    AnyInstance,
    Arguments,
    Atom,
    BoundMethod,
    ConstantText,
    KnownObject,
    MadeAtPlace,
    MadeByCode,
    MethodInC,
    PairsOfContainer,
    PlainData,
    SuperProxy,
    UnknownAttribute,
    Value,
    union_of_all_values,
    union_of_values,
)

MAX_NAMED = 40  # functions of one name
MAX_TEXT = 256


class ValueReads:
    """What code loads and stores, and what it was when the process was stopped."""

    def __init__(self, walk: CodeWalk) -> None:
        self._walk, self._store, self._heap = walk, walk.store, walk.heap
        self._live, self._view, self._reader = walk.code, walk.code.view, walk.code.view.reader
        self._containers = ContainerReader(self._reader)
        self._read_within: set[object] = set()  # containers and generators
        self._reading_within: set[object] = set()  # containers that hold one another

    def variable(self, context: CallContext, name: str) -> Value:
        """Return what a variable may be."""
        owner: CallContext = context
        while owner.parent is not None and name in owner.free:
            owner = owner.parent
        return self._store.read(("variable", owner.number, name))

    def store_variable(
        self, context: CallContext, name: str, value: Value, *, shared: bool
    ) -> None:
        """Take a value for a variable; other functions may call what a shared one has."""
        owner = context
        while owner.parent is not None and name in owner.free:
            owner = owner.parent
        self._store.write(("variable", owner.number, name), value)
        if shared:
            self._walk.share_with_other_threads(value)

    def global_value(self, context: CallContext, name: str) -> Value:
        """Return what a global name may be."""
        if name in UNFOLLOWED:
            self._walk.does_anything = True
        value = self._view.objects.dict_get(context.scope, name)
        stored = self._store.read(("global", context.scope, name))
        if isinstance(value, Absent):
            builtin = self._builtins.get(name, 0)
            return (
                union_of_values(self._heap.value_of_object(builtin), stored)
                if builtin
                else (stored or UNKNOWN)
            )
        return union_of_values(self.object_value_now(value, name), stored)

    def object_value_now(self, address: int, name: str) -> Value:
        """Return an object that is there now; where None is, another one will be."""
        value = self._heap.value_of_object(address)
        if value == DATA and self._heap.type_name(address) == "NoneType":
            return frozenset((IS_DATA, UnknownAttribute(name)))
        return value

    @cached_property
    def _builtins(self) -> dict[str, int]:
        interpreter = self._view.python.interpreters[0].address
        scope = self._view.objects.module_dict(interpreter, "builtins")
        if isinstance(scope, Absent):
            return {}
        names = ((self._reader.string(key, MAX_TEXT), at)
                 for key, at in self._view.objects.dict_items(scope))  # fmt: skip
        return {name: at for name, at in names if isinstance(name, str)}

    def constant(self, context: CallContext, number: int) -> Value:
        """Return a constant."""
        constants = self._containers.tuple_items(
            self._reader.field(context.code, "PyCodeObject", "co_consts")
        )
        address = constants[number]
        if self._heap.type_name(address) == "str":
            return frozenset((ConstantText(address),))
        if self._heap.type_name(address) == "code":
            return frozenset((KnownObject(address),))
        return self._heap.value_of_object(address)

    def constant_texts(self, of: Value) -> list[str] | None:
        """Return the texts of a tuple that is a constant."""
        if of is None or len(of) != 1:
            return None
        (atom,) = of
        if not isinstance(atom, KnownObject) or self._heap.type_name(atom.address) != "tuple":
            return None
        texts = [
            self._reader.string(at, MAX_TEXT) for at in self._containers.tuple_items(atom.address)
        ]
        return None if any(isinstance(text, Absent) for text in texts) else [str(t) for t in texts]

    def imported_module(self, context: CallContext, name: str, whole: Value) -> Value:
        """Return the module that `import` gives: of a dotted name the first one.

        The code of one that is not there yet is not seen, but for the standard library's.
        """
        self._walk.does_anything |= self._live.may_import_run_unseen_code(
            name, self.constant_texts(whole) or ()
        )
        module = self._live.modules_by_name.get(
            name.partition(".")[0] if whole == DATA else name, 0
        )
        return self._heap.value_of_object(module) if module else UNKNOWN

    # -- attributes ---------------------------------------------------------------------------

    def attribute(self, context: CallContext, of: Value, name: str) -> Value:
        """Return what an attribute may be."""
        if name in UNFOLLOWED:
            self._walk.does_anything = True
        if of is None:
            return self._attribute_of_unknown(name)
        return union_of_all_values(self._attribute_of_atom(atom, name) for atom in of)

    def _attribute_of_unknown(self, name: str) -> Value:
        self._walk.called.add((0, name))
        getters = self._live.property_getters.get(name, ())
        self._walk.unbounded |= len(getters) > MAX_NAMED
        for kind, getter in getters[:MAX_NAMED]:
            self._walk.calls.call_method_of_any_instance(kind, getter, Arguments())
        return frozenset((UnknownAttribute(name),))

    def _attribute_of_atom(self, atom: Atom, name: str) -> Value:
        heap = self._heap
        if isinstance(atom, (PlainData, ConstantText)):
            return frozenset((MethodInC(IS_DATA, name, "builtin"),))
        if isinstance(atom, (MadeAtPlace, PairsOfContainer)):
            return frozenset((MethodInC(atom, name, "builtin"),))
        if isinstance(atom, MadeByCode):
            return DATA
        if isinstance(atom, SuperProxy):
            return self._super_attribute_of_atom(atom, name)
        if isinstance(atom, MethodInC) and atom.subject == IS_DATA:
            return DATA
        if isinstance(atom, AnyInstance):
            if not atom.is_new and not self.is_class_of_program_alone(atom.type):
                self._walk.called.add((0, name))
            return self._attribute_of_instance(
                atom, atom.type, name, self._live.instances_of(atom.type)
            )
        if not isinstance(atom, KnownObject):
            return self._attribute_of_unknown(name)
        kind = heap.type_name(atom.address)
        self._walk.called.add((0 if kind == "type" else atom.address, name))
        if kind == "module":
            scope = self._reader.field(atom.address, "PyModuleObject", "md_dict")
            value = self._view.objects.dict_get(scope, name)
            stored = self._store.read(("global", scope, name))
            if isinstance(value, Absent):
                return union_of_values(self._attribute_of_unknown(name), stored)
            return union_of_values(self.object_value_now(value, name), stored)
        if self.is_type(atom.address):
            return self._attribute_of_class(atom, name)
        return self._attribute_of_instance(
            atom, self._reader.type_of(atom.address), name, (atom.address,)
        )

    def is_type(self, address: int) -> bool:
        """Tell whether an object is a class."""
        return self._heap.type_name(address) == "type" or (
            self._heap.type_info(self._reader.type_of(address)).flags & (1 << 31) != 0
        )  # Py_TPFLAGS_TYPE_SUBCLASS

    def _attribute_of_class(self, atom: KnownObject, name: str) -> Value:
        attribute = self._heap.class_attribute(atom.address, name)
        stored = self._store.read(("attribute", name))
        if not attribute:
            meta = self._reader.type_of(atom.address)
            in_meta = self._heap.class_attribute(meta, name)
            if in_meta and self._heap.type_name(in_meta) == "function":
                return union_of_values(
                    frozenset((BoundMethod(KnownObject(in_meta), atom, name),)), stored
                )
            return union_of_values(frozenset((MethodInC(atom, name, "builtin"),)), stored)
        how, inner = self._heap.unwrap_descriptor(attribute)
        if how == "classmethod" and self._heap.type_name(inner) == "function":
            return union_of_values(
                frozenset((BoundMethod(KnownObject(inner), atom, name),)), stored
            )
        return union_of_values(
            self.object_value_now(inner if how == "staticmethod" else attribute, name), stored
        )

    def _attribute_of_instance(
        self, atom: KnownObject | AnyInstance, kind: int, name: str, objects: Sequence[int]
    ) -> Value:
        heap = self._heap
        if self._is_python_method_of(kind, "__getattribute__"):
            return self._attribute_of_unknown(name)
        attribute = heap.class_attribute(kind, name)
        how, inner = heap.unwrap_descriptor(attribute) if attribute else ("", 0)
        if (
            attribute
            and not how
            and self._is_python_method_of(self._reader.type_of(attribute), "__get__")
        ):
            return self._attribute_of_unknown(name)
        if how == "property" and inner:
            if heap.type_name(inner) == "function":
                return self._walk.calls.call_function(inner, atom, Arguments())
            return UNKNOWN
        own = [at for each in objects[:MAX_ITEMS] if (at := heap.own_attribute(each, name))]
        if len(objects) > MAX_ITEMS:
            return self._attribute_of_unknown(name)
        value = self._store.read(("attribute", name))
        if own:
            value = union_of_values(value, heap.value_of_objects(own))
            if any(heap.type_name(at) == "NoneType" for at in own):
                value = union_of_values(value, frozenset((UnknownAttribute(name),)))
        elif attribute and heap.type_name(attribute) != "member_descriptor":
            if how == "classmethod" and heap.type_name(inner) == "function":
                subject = KnownObject(kind)
                value = union_of_values(
                    value, frozenset((BoundMethod(KnownObject(inner), subject, name),))
                )
            elif how == "staticmethod":
                value = union_of_values(value, heap.value_of_object(inner))
            elif heap.type_name(attribute) == "function":
                value = union_of_values(
                    value, frozenset((BoundMethod(KnownObject(attribute), atom, name),))
                )
            elif heap.type_name(attribute) == "getset_descriptor":  # what C code gives is not known
                value = union_of_values(value, self._attribute_of_unknown(name))
            elif heap.type_name(attribute) in ("method_descriptor", "wrapper_descriptor"):
                value = union_of_values(value, frozenset((MethodInC(atom, name, "builtin"),)))
            else:
                value = union_of_values(value, self.object_value_now(attribute, name))
        elif value == NOTHING:
            classes = heap.mro(kind)
            getter = heap.class_attribute(kind, "__getattr__")
            if getter and heap.type_name(getter) == "function":
                return self._walk.calls.call_function(getter, atom, Arguments((DATA,)))
            # Since 3.12 static types keep their dicts elsewhere: it may be a method of theirs.
            if not attribute and any(
                not each.dict and each.full_name != "object" for each in classes
            ):
                return frozenset((MethodInC(atom, name, "builtin"),))
            return self._attribute_of_unknown(name)
        return value

    def _is_python_method_of(self, kind: int, name: str) -> bool:
        """Tell whether a class has a method that is written in Python."""
        attribute = self._heap.class_attribute(kind, name)
        return bool(attribute) and self._heap.type_name(attribute) == "function"

    def is_class_of_program_alone(self, kind: int) -> bool:
        """Tell whether a class and its bases are the program's: no lock or queue is of it."""
        own = self._live.own_modules
        return all(
            each.module in own or each.full_name == "object" for each in self._heap.mro(kind)
        )

    def super_attribute(self, context: CallContext, kind: Value, of: Value, name: str) -> Value:
        """Return what super() has under a name."""
        if kind is None or not kind:
            return self._attribute_of_unknown(name)
        return union_of_all_values(
            self._super_attribute_of_atom(SuperProxy(each.address, of, "super"), name)
            if isinstance(each, KnownObject)
            else self._attribute_of_unknown(name) for each in kind
        )  # fmt: skip

    def _super_attribute_of_atom(self, atom: SuperProxy, name: str) -> Value:
        if atom.subject is None:
            return self._attribute_of_unknown(name)
        value: Value = NOTHING
        for each in atom.subject:
            if isinstance(each, AnyInstance):
                kind = each.type
            elif isinstance(each, KnownObject):
                kind = (
                    each.address
                    if self.is_type(each.address)
                    else self._reader.type_of(each.address)
                )
            else:
                return self._attribute_of_unknown(name)
            attribute = self._heap.class_attribute(kind, name, atom.behind)
            how, inner = self._heap.unwrap_descriptor(attribute) if attribute else ("", 0)
            if how == "property" and self._heap.type_name(inner) == "function":
                value = union_of_values(
                    value, self._walk.calls.call_function(inner, each, Arguments())
                )
            elif attribute and self._heap.type_name(inner) == "function":
                bound = frozenset(
                    (
                        KnownObject(inner)
                        if how == "staticmethod"
                        else BoundMethod(KnownObject(inner), each, name),
                    )
                )
                value = union_of_values(value, bound)
            else:
                value = union_of_values(value, frozenset((MethodInC(each, name, "builtin"),)))
        return value

    def store_attribute(self, context: CallContext, of: Value, name: str, value: Value) -> None:
        """Take a value for an attribute, or (of nothing) for a global."""
        if of == NOTHING:
            self._store.write(("global", context.scope, name), value)
            self._walk.share_with_other_threads(value)
            return
        self._store.write(("attribute", name), value)
        is_new = of is not None and all(
            isinstance(each, AnyInstance) and each.is_new for each in of
        )
        if not is_new:
            self._walk.share_with_other_threads(value)
        setters = self._live.property_setters.get(name, ())
        self._walk.unbounded |= len(setters) > MAX_NAMED
        for kind, setter in setters[:MAX_NAMED]:
            self._walk.calls.call_method_of_any_instance(kind, setter, Arguments((value,)))

    # -- what may change ----------------------------------------------------------------------

    def note_possible_change(self, value: Value, *, within: bool = False) -> None:
        """Something is done with a value that may change it; `within`: or what that holds."""
        if value is None:
            self._walk.touched.add(0)
        for atom in value or ():
            if isinstance(atom, KnownObject):
                self._walk.touched.add(atom.address)
                if self.is_type(atom.address):  # with its attributes those of its objects
                    self._walk.touched.update(self._live.instances_of(atom.address))
                if within and ("within", atom) not in self._read_within:
                    self._read_within.add(("within", atom))
                    held = self._heap.objects_reachable_from(atom.address)
                    self._walk.touched.update([0] if held is None else held)
            elif isinstance(atom, AnyInstance) and not atom.is_new:
                self._walk.touched.update(self._live.instances_of(atom.type))
            elif isinstance(atom, UnknownAttribute):
                self._walk.touched.add(0)
            elif isinstance(atom, PairsOfContainer):
                self.note_possible_change(frozenset((atom.subject,)), within=within)
            elif within and isinstance(atom, BoundMethod):
                self.note_possible_change(frozenset((atom.subject,)), within=True)
            elif (
                within
                and isinstance(atom, MadeAtPlace)
                and ("within", atom) not in self._reading_within
            ):
                self._reading_within.add(("within", atom))
                self.note_possible_change(
                    self.iterated_values_of_atom(atom) or NOTHING, within=True
                )
                self._reading_within.discard(("within", atom))

    # -- containers ---------------------------------------------------------------------------

    def add_to_new_container(self, of: Value, value: Value) -> None:
        """Take a value for a container that is being made."""
        for each in of or ():
            self._store.write(("items", each), value)

    def store_item(self, context: CallContext, of: Value, value: Value) -> None:
        """Take a value that is put into a container."""
        self.add_to_new_container(of, value)
        if of is not None:
            self.note_possible_change(of)
        if of is None or any(not isinstance(each, MadeAtPlace) for each in of):
            self._walk.share_with_other_threads(value)

    def iterated_values(self, context: CallContext | None, of: Value) -> Value:
        """Return what iterating over something gives."""
        if of is None:
            return UNKNOWN
        return union_of_all_values(map(self.iterated_values_of_atom, of))

    def iterated_values_of_atom(self, atom: Atom) -> Value:
        """Return what iterating over one possibility gives."""
        if isinstance(atom, (PlainData, ConstantText)) or (
            isinstance(atom, MethodInC) and atom.subject == IS_DATA
        ):
            return DATA
        if isinstance(atom, MadeAtPlace):
            return self._store.read(("items", atom))
        if isinstance(atom, PairsOfContainer):
            pair = frozenset((PairsOfContainer(atom.subject, "pair"),))
            return pair if atom.kind == "pairs" else self.iterated_values_of_atom(atom.subject)
        if isinstance(atom, KnownObject):
            held = self._heap.iterated_objects(atom.address)
            if held is not None:
                stored = self._store.read(("items", atom))
                there = self._heap.value_of_objects(held) if held else UNKNOWN
                return stored if not held and stored else union_of_values(there, stored)
            frame = self._suspended_frame(atom.address)
            if frame is not None:
                self._walk.add_stack((frame,), in_loop=False)
                return UNKNOWN
            if self._heap.type_name(atom.address).startswith(CALLING_ITERATORS):
                self._walk.calls.call_kept_functions()
            self._walk.hand_held_objects_to_unseen_code(atom.address)
        kind = self.type_of(atom)
        method = self._heap.class_attribute(kind, "__iter__") if kind else 0
        if (
            method
            and self._heap.type_name(method) == "function"
            and isinstance(atom, (KnownObject, AnyInstance))
        ):
            over = self._walk.calls.call_function(method, atom, Arguments())
            if over is not None and all(isinstance(each, MadeAtPlace) for each in over):
                return union_of_all_values(map(self.iterated_values_of_atom, over))
        return UNKNOWN

    def _suspended_frame(self, address: int) -> PyFrame | None:
        generates = self._heap.type_name(address) in GENERATORS
        key = ("generator", address)
        if not generates or key in self._read_within:
            return None
        self._read_within.add(key)
        return self._view.slots.frame_of_suspended_generator(address)

    def type_of(self, atom: Atom) -> int:
        """Return the class (PyTypeObject *) of what a value may be; 0 where it has none."""
        if isinstance(atom, AnyInstance):
            return atom.type
        return self._reader.type_of(atom.address) if isinstance(atom, KnownObject) else 0

    def subscript_value(self, context: CallContext, of: Value, key: Value) -> Value:
        """Return what a subscript gives."""
        if of is None:
            return UNKNOWN
        return union_of_all_values(self._subscript_of_atom(atom, key) for atom in of)

    def _subscript_of_atom(self, atom: Atom, key: Value) -> Value:
        if isinstance(atom, KnownObject) and self.is_type(atom.address):
            return frozenset((atom,))
        if isinstance(atom, KnownObject) and self._heap.type_name(atom.address) == "dict" and key:
            (text, *others) = key
            if isinstance(text, ConstantText) and not others:
                name = self._reader.string(text.address, MAX_TEXT)
                value = (
                    self._view.objects.dict_get(atom.address, name) if isinstance(name, str) else 0
                )
                if value and not isinstance(value, Absent):
                    return union_of_values(
                        self.object_value_now(value, ""), self._store.read(("items", atom))
                    )
        kind = self.type_of(atom)
        if (
            isinstance(atom, KnownObject)
            and self._heap.type_name(atom.address) == "collections.defaultdict"
        ):
            self._walk.calls.call(
                None,
                self._heap.value_of_object(self._heap.default_factory(atom.address)),
                Arguments(),
            )
        method = self._heap.class_attribute(kind, "__getitem__") if kind else 0
        if (
            method
            and self._heap.type_name(method) == "function"
            and isinstance(atom, (KnownObject, AnyInstance))
        ):
            return self._walk.calls.call_function(method, atom, Arguments((key,)))
        return self.iterated_values_of_atom(atom)

    def operator_value(self, *operands: Value) -> Value:
        """Return what an operator makes: of a class in Python it may be anything."""
        for value in operands:
            for atom in value or ():
                kind = self.type_of(atom)
                if isinstance(atom, UnknownAttribute) or (
                    kind and self._heap.type_info(kind).is_python_class
                ):
                    return UNKNOWN
        return union_of_all_values(operands)

    def unpacked_items(self, of: Value, count: int) -> list[Value] | None:
        """Return the items of a tuple that is there, by their places."""
        if of is None or len(of) != 1:
            return None
        (atom,) = of
        if not isinstance(atom, KnownObject) or self._heap.type_name(atom.address) != "tuple":
            return None
        held = self._containers.tuple_items(atom.address)
        return [self._heap.value_of_object(at) for at in held] if len(held) == count else None
