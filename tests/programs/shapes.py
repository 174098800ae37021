# SPDX-License-Identifier: Apache-2.0
# corpus: {}
"""Die below every shape of callable: methods, closures, lambdas, comprehensions, decorators."""

import functools

import deathbed


def logged(function):
    @functools.wraps(function)
    def wrapper(*args, **keywords):
        return function(*args, **keywords)

    return wrapper


class Meta(type):
    def __call__(cls, *args):
        return super().__call__(*args)


class Base(metaclass=Meta):
    def __init__(self, way):
        self.way = way
        self.attribute  # the look-up is the point

    @property
    def attribute(self):
        return self.klass(self.way)

    @classmethod
    def klass(cls, way):
        return cls.static(way)

    @staticmethod
    def static(way):
        return Callable()(way)


class Callable:
    def __call__(self, way):
        return self[way]

    def __getitem__(self, way):
        return self.missing(way)

    def __getattr__(self, name):
        return functools.partial(decorated, flag=name)


@logged
@logged
def decorated(way, flag):
    class Local:
        def method(self):
            return [self.each(item) for item in (way,)]

        def each(self, item):
            return {key: (lambda: deathbed.die(item))() for key in (flag,)}

    return next(iter({Local().method() for _ in range(1)}))


def main(way):
    nested = [[Base(inner) for inner in outer] for outer in ((way,),)]
    return tuple(value for value in nested)


if __name__ == "__main__":
    (lambda way: main(way))(deathbed.prepare("raise"))
