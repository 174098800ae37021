# SPDX-License-Identifier: Apache-2.0
"""A parcel counter tells why it takes no parcel; the service renames its errors for the API."""

import gc

import counter


class ApiError(Exception):
    """What the API tells its callers."""

    status = 422


def rename_errors():
    counter.Rejected = type("Rejected", (ApiError,), {"code": "parcel-rejected"})


def ready_to_serve():
    """Leave as little as possible for the collector to visit in the workers."""
    gc.collect()
    gc.freeze()


def accept(weights):
    taken, refused = [], []
    for weight in weights:
        try:
            taken.append(counter.take(weight))
        except Exception as error:
            refused.append((weight, str(error)))
    return taken, refused


def main():
    print(accept([300, 500]))
    rename_errors()
    ready_to_serve()
    labels = ["parcel %05d " % number * (40 + number % 90) for number in range(4000)]
    print(len(labels), accept([1200, 31_500, 800]))


main()
