# SPDX-License-Identifier: Apache-2.0
# corpus: {}
"""Die below what classes run: metaclasses, descriptors, hooks, class bodies, special methods."""

import abc

import deathbed


class Namespace(dict):
    """What a metaclass prepares; the class body's look-ups come here."""

    def __init__(self, way):
        super().__init__()
        self.way = way

    def __setitem__(self, name, value):
        super().__setitem__(name, value)
        if name == "trigger":
            made_by_hook(self.way)


class Meta(type):
    @classmethod
    def __prepare__(cls, name, bases, way=None, **options):
        return Namespace(way)

    def __new__(cls, name, bases, space, **options):
        return super().__new__(cls, name, bases, dict(space))

    def __init__(cls, name, bases, space, **options):
        super().__init__(name, bases, space)


def in_body(way):
    class Made(metaclass=Meta, way=way):
        before = 1

        class Inner:
            value = 2

        trigger = Inner

    return Made


def made_by_hook(way):
    class Hooked:
        def __init_subclass__(cls, way, **options):
            super().__init_subclass__(**options)
            in_set_name(way)

    return type("Sub", (Hooked,), {}, way=way)


class Named:
    def __init__(self, way):
        self.way = way

    def __set_name__(self, owner, name):
        # Up to 3.11 an exception here would be wrapped; nothing is raised.
        Attributes(self.way).missing = 1


def in_set_name(way):
    return type("Holder", (), {"field": Named(way)})


class Attributes:
    def __init__(self, way):
        super().__setattr__("way", way)

    def __setattr__(self, name, value):
        self.dynamic

    def __getattribute__(self, name):
        if name == "dynamic":
            raise AttributeError(name)
        return super().__getattribute__(name)

    def __getattr__(self, name):
        return Descriptor.use(self.way)


class Descriptor:
    def __get__(self, instance, owner):
        return instance.value

    def __set__(self, instance, value):
        del instance.value

    @staticmethod
    def use(way):
        class User:
            field = Descriptor()

            @property
            def value(self):
                return None

            @value.deleter
            def value(self):
                return isinstance(way, Checked)

        User().field = 1


class Checker(abc.ABCMeta):
    def __instancecheck__(cls, instance):
        return issubclass(type(instance), Registered) or Generic[instance]


class Checked(metaclass=Checker):
    pass


class Registered(abc.ABC):
    @classmethod
    def __subclasshook__(cls, other):
        return False


class Generic:
    def __class_getitem__(cls, way):
        return Operators(way) @ 1


class Operators:
    __slots__ = ("way",)

    def __new__(cls, *args):
        return super().__new__(cls)

    def __init__(self, way):
        self.way = way

    def __matmul__(self, other):
        return other @ self if other is self else pow(other, self)

    def __rpow__(self, other, *modulus):
        return self < self

    def __lt__(self, other):
        return -self

    def __neg__(self):
        return self[1:2, ...]

    def __getitem__(self, key):
        return self in self

    def __contains__(self, item):
        return bool(self)

    def __bool__(self):
        return bool(len(self))

    def __len__(self):
        self += 1
        return 0

    def __iadd__(self, other):
        return super().__init__.__self__.last

    @property
    def last(self):
        return f"{self!r:>{10}}"

    def __repr__(self):
        return deathbed.die(self.way)


if __name__ == "__main__":
    in_body(deathbed.prepare("raise"))
