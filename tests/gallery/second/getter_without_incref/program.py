# SPDX-License-Identifier: Apache-2.0
"""An extension's getter returns its list without a reference of its own: the first reader frees
the list, a later one uses it. PYTHONMALLOC=debug has overwritten it by then.
"""

import jobs


def count_steps(job):
    return len(job.steps)


def main():
    queue = [jobs.Job(f"step {n}" for n in range(size)) for size in range(200, 300)]
    print(sum(count_steps(job) for job in queue))
    print(sum(count_steps(job) for job in queue))


main()
