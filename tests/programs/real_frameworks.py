# SPDX-License-Identifier: Apache-2.0
# forks: {"name": "real-grpc", "arguments": ["grpc"], "packages": ["grpcio"], "oldest": [3, 11], "newest": [3, 11]}
# forks: {"name": "real-torch", "arguments": ["torch"], "packages": ["torch"], "bench": true}
"""Known bugs of the class, in frameworks: gRPC's channel in a child (grpc 18321), and a worker of
PyTorch's DataLoader that computes with more than one thread (pytorch 17199).
"""

import os
import sys
import threading
import time

import forkbed


def grpc():
    """A channel's events are served by a thread that a child does not have."""
    from concurrent import futures

    os.environ["GRPC_ENABLE_FORK_SUPPORT"] = "0"
    import grpc as library

    asked = threading.Event()

    class Slow(library.GenericRpcHandler):
        def service(self, details):
            def serve(request, context):
                asked.set()
                threading.Event().wait()

            return library.unary_unary_rpc_method_handler(serve)

    server = library.server(futures.ThreadPoolExecutor(2))
    server.add_generic_rpc_handlers((Slow(),))
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    call = library.insecure_channel(f"127.0.0.1:{port}").unary_unary("/service/method")
    first = call.future(b"first")  # one that nobody holds is cancelled
    if not asked.wait(forkbed.PATIENCE):
        sys.exit(f"the server was not asked: {first}")
    time.sleep(0.2)

    def ask():
        call.future(b"second").result()

    forkbed.hang_in_child(ask, before=unsteady, verdict="lost-wakeup")


def unsteady():
    """Return the truth about threads that do not sit still."""
    return [{**one, "frames": None} for one in forkbed.others()]


def torch():
    """A worker is forked from a process whose OpenMP threads have computed."""
    import torch as library
    from torch.utils.data import DataLoader, Dataset

    class Products(Dataset):
        def __len__(self):
            return 64

        def __getitem__(self, index):
            library.set_num_threads(2)  # DataLoader had said 1
            matrix = library.ones(600, 600)
            return (matrix @ matrix).sum()

    library.set_num_threads(2)
    matrix = library.ones(900, 900)
    (matrix @ matrix).sum()
    vanished = forkbed.others()
    loader = DataLoader(Products(), batch_size=4, num_workers=2, multiprocessing_context="fork")
    batches = iter(loader)
    first, second = batches._workers
    forkbed.await_rest(second.pid)
    forkbed.end(first.pid, vanished, verdict="lost-wakeup")
    second.kill()


if __name__ == "__main__":
    {"grpc": grpc, "torch": torch}[sys.argv[2]]()
    os._exit(0)
