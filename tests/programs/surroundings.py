# SPDX-License-Identifier: Apache-2.0
"""Write down what surrounds this process (CPU, kernel, environment, libraries), then die.

The third argument is the CPU to run on. Secrets are planted wherever a process has them, so that a
test can look for them in what leaves the machine.
"""

import hashlib
import os
import sys
import threading
import time

import deathbed

ALLOWED = {
    "SLURM_JOB_ID": "4711",
    "RANK": "3",
    "WORLD_SIZE": "16",
    "LOCAL_RANK": "1",
    "NCCL_DEBUG": "WARN",
    "OMP_NUM_THREADS": "4",
    "POD_NAME": "trainer-0",
    "POD_NAMESPACE": "ml",
    "NODE_NAME": "node-17.example",
}


def secret(place):
    """Return a secret that is made here: the source has it nowhere."""
    return "hush" + hashlib.sha256(b"planted " + place.encode()).hexdigest()[:12]


def cpuinfo():
    """Return the first processor of /proc/cpuinfo; None where there is no /proc."""
    found = {}
    if not os.path.exists("/proc/cpuinfo"):
        return None
    with open("/proc/cpuinfo") as handle:
        for line in handle:
            name, colon, value = line.partition(":")
            if not colon:
                break
            found[name.strip()] = value.strip()
    return {name: found.get(name) for name in ("vendor_id", "cpu family", "model", "stepping")}


def random_bytes():
    """Return the hash that stands for the 16 bytes at AT_RANDOM."""
    import ctypes

    getauxval = ctypes.CDLL(None).getauxval
    getauxval.restype = ctypes.c_ulong
    raw = ctypes.string_at(getauxval(25), 16)
    return hashlib.sha256(b"gdb-epi exec/1" + raw).hexdigest()[:16]


def numa_node(cpu):
    """Return the node of a CPU, None where the kernel does not tell."""
    try:
        names = os.listdir("/sys/devices/system/cpu/cpu{}".format(cpu))
    except OSError:
        return None
    return next((int(name[4:]) for name in names if name.startswith("node")), None)


def facts(cpu):
    """Return what is true of this process and its machine."""
    times = os.times()
    return {
        "cpu": cpu,
        "node": numa_node(cpu),
        "uname": list(os.uname()),
        "cpuinfo": cpuinfo(),
        "exec_id": random_bytes(),
        "seconds": [times.user, times.system],
        "build": sys.version,
        "abiflags": sys.abiflags,
        "flags": {name: getattr(sys.flags, name) for name in dir(sys.flags) if name[0] != "_"
                  and isinstance(getattr(sys.flags, name), int)},
        "environment": dict(os.environ),
        "hidden": sorted(PLANTED),
    }  # fmt: skip


PLANTED = {}


def plant(place):
    """Return a secret and remember where it was put."""
    PLANTED[place] = secret(place)
    return PLANTED[place]


def burn():
    """Use a noticeable amount of processor time, in user mode and in the kernel."""
    until = time.process_time() + 0.2
    while time.process_time() < until:
        os.stat("/")
        sum(range(1000))


def fail(way, token, cpu):
    """Die while an exception with a secret is being handled, and locals hold others."""
    password = plant("local")
    try:
        said = "login of {!r} with {} failed after 12 tries"
        raise RuntimeError(said.format(token, plant("message")))
    except RuntimeError:
        deathbed.die(way, facts={**facts(cpu), "secrets": {**PLANTED, "argument": token}})
    return password


def work(way, cpu):
    """Plant the rest and go on, in the folder of a user."""
    os.environ.update(ALLOWED)
    os.environ["AWS_SECRET_ACCESS_KEY"] = plant("environment")
    os.environ["DATABASE_URL"] = "postgresql://app:{}@db/prod".format(plant("url"))
    os.environ["NCCL_SOCKET_TOKEN"] = plant("allowed prefix")
    os.environ["LD_PRELOAD"] = "https://robot:{}@host/lib.so".format(plant("login"))
    os.environ["USER"] = PLANTED["user"]
    os.environ["HOME"] = "/home/" + PLANTED["user"]
    os.environ["PWD"] = "/srv/" + plant("working directory")
    threading.current_thread().secret = plant("attribute")
    burn()
    fail(way, plant("argument"), cpu)


if __name__ == "__main__":
    chosen = int(sys.argv[3])
    os.sched_setaffinity(0, {chosen})
    # The code that dies lies in a user's folder, below names that only he has.
    place = os.path.join(os.getcwd(), "home", plant("folder"), plant("user"))
    os.makedirs(place, exist_ok=True)
    source = "def call(inner, way, cpu):\n    inner(way, cpu)\n"
    with open(os.path.join(place, "users_code.py"), "w") as handle:
        handle.write(source)
    sys.path.insert(0, place)
    import users_code

    users_code.call(work, deathbed.prepare(sys.argv[2]), chosen)
