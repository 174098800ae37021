# SPDX-License-Identifier: Apache-2.0
"""A rollout gathers what failed on its hosts; faults of the network are tried again, others
told."""


class RolloutFailed(ExceptionGroup):
    """All that failed in one rollout; it keeps the name of the release when it is divided."""

    def __new__(cls, release, faults):
        self = super().__new__(cls, "rollout of %s" % release, faults)
        self.release = release
        return self

    def derive(self, faults):
        return RolloutFailed(self.release, faults)

    def split(self, kind):
        """Divide the faults of a release, and tell how they were divided."""
        matching = [fault for fault in self.exceptions if isinstance(fault, kind)]
        print("%s: %d of %d" % (self.release, len(matching), len(self.exceptions)), flush=True)


def deploy(release, hosts):
    faults = []
    for number, host in enumerate(hosts):
        if number % 3 == 1:
            faults.append(ConnectionError(host))
        elif number % 3 == 2:
            faults.append(PermissionError(host))
    if faults:
        raise RolloutFailed(release, faults)


def roll_out(release, hosts):
    retry = []
    try:
        deploy(release, hosts)
    except* ConnectionError as group:
        retry.extend(group.exceptions)
    return retry


print(roll_out("4.2.0", ["web%d" % number for number in range(9)]))
