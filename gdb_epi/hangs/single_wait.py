# SPDX-License-Identifier: Apache-2.0
"""The answer where one thread's wait decides: what it waits for, and who here could end that."""

from __future__ import annotations

from collections.abc import Sequence

from gdb_epi.cpython.types import PyFrame
from gdb_epi.hangs import types as h
from gdb_epi.hangs.at_rest import (
    IDLE,
    at_breakpoint,
    in_handler,
    serves,
    serves_one_at_a_time,
)
from gdb_epi.hangs.deadlocks import lock_name
from gdb_epi.hangs.descriptor_waits import ALIVE, closed_socket, from_other_end
from gdb_epi.hangs.library_calls import (
    FILE_ON_DISK,
    FUTURES,
    MESSAGE,
    MESSAGES,
    NEW_CHILD,
    NOTIFICATION,
    POOL_RESULTS,
    PROCESS_JOBS,
    PROCESS_QUEUE,
    PROGRAM_END,
    QUEUE_ITEM,
    SERVERS,
    closes,
    in_event_loop,
    serving_function,
)
from gdb_epi.hangs.loops.polls import is_of_an_end, polled_wait, waits_once
from gdb_epi.hangs.loops.retries import retried
from gdb_epi.hangs.loops.sleeping_loops import sleeping_loop
from gdb_epi.hangs.processes.child_processes import new_child
from gdb_epi.hangs.processes.process_pools import awaited_results
from gdb_epi.hangs.processes.queues import jobs_behind, unfinished_jobs, unread_queue
from gdb_epi.hangs.scene import HangContext
from gdb_epi.hangs.setters import (
    called_by_the_same,
    other_wait,
    starts_again,
    threads_that_give,
    timer_of,
)
from gdb_epi.hangs.signal_waits import taken_elsewhere
from gdb_epi.hangs.tasks import event_loop_module
from gdb_epi.hangs.unknown_holders import (
    RWLOCK,
    SEMAPHORE,
    holder_unknown,
    notification,
    owner_ended,
    perhaps_inherited,
)
from gdb_epi.locks import types as t
from gdb_epi.util import counted

SHALLOW = 12  # frames within which a thread that sleeps in its loop has the loop's own
_READING = frozenset(("poll", "ppoll", "select", "pselect6", "read", "epoll_wait", "epoll_pwait"))
MAX_CHAIN = 16  # threads that are followed, each waiting for the next


def answer_for(
    scene: HangContext, activity: h.ThreadActivity, seen: tuple[int, ...] = ()
) -> h.HangAnswer | None:
    """Return the answer that one thread's wait gives."""
    if activity.tid in seen or len(seen) > MAX_CHAIN:
        return None
    frames = scene.view.frames(activity.tid)
    place = in_event_loop(frames)
    reactor = scene.loops.of_reactor(frames[0]) if frames and activity.kind == h.POLL else None
    if reactor is not None:
        return sleeping_loop(scene, activity, reactor, _through)
    in_loop = event_loop_module(frames[:SHALLOW], activity.module)
    if activity.kind in (h.POLL, h.READ, h.OTHER, h.SLEEP) and in_loop:
        loop = (
            scene.loops.of(frames[place], scene.tasks)
            if place is not None and frames[place].module == "asyncio.base_events"
            else scene.loops.of_uvloop(scene.tasks, activity.target)
        )
        made = sleeping_loop(scene, activity, loop, _through)
        if made is not None:
            return made
    return _BY_KIND.get(activity.kind, _other)(scene, activity, seen)


def _file_lock(
    scene: HangContext, activity: h.ThreadActivity, _seen: tuple[int, ...]
) -> h.HangAnswer:
    sentence = (
        f"{activity.who()} waits at {activity.where()} for the lock of a file ({activity.what}) "
        f"that "
        "is held already"
    )
    # flock() locks each open file for itself; the locks of fcntl() are the process's (flock(2)).
    if activity.call == "flock" and activity.target is not None:
        twins = scene.descriptors.of_the_same_file(activity.target)
        if twins:
            named = f"descriptor {twins[0]}"
            sentence += f"; this process has that file open as {named} too, and may hold it itself"
    return h.answer(
        h.HANG, "file lock", sentence, activity, t.CERTAIN,
        evidence=(f"it sleeps in {activity.call}, which waits for nothing but such a lock",),
        doubts=("which process holds it is not in the core",),
    )  # fmt: skip


def _database(
    _scene: HangContext, activity: h.ThreadActivity, _seen: tuple[int, ...]
) -> h.HangAnswer:
    sentence = (
        f"{activity.who()} waits at {activity.where()} for a locked database: {activity.module} "
        f"sleeps and "
        "tries again"
    )
    return h.answer(
        h.HANG, "database lock", sentence, activity,
        evidence=(f"{activity.module} sleeps in {activity.call}, as its busy handler does",),
        doubts=("who holds the database is not known: another process or a connection here",),
    )  # fmt: skip


def _lock(
    scene: HangContext, activity: h.ThreadActivity, seen: tuple[int, ...]
) -> h.HangAnswer | None:
    wait = scene.waits.get(activity.tid)
    name = lock_name(scene, activity)
    if activity.awaits in (NOTIFICATION, PROCESS_JOBS):
        return notification(activity)
    if wait is None or wait.owner.state == "other-process":
        tid = wait.owner.tid if wait is not None else None
        # Without a number it may be another process, one that was killed, or a thread of this one.
        doubt = f"whether {'that thread' if tid else 'who took it'} still lives is not in the core"
        who = (
            f"held by thread {tid} of another process" if tid
            else "which processes share; who took it is not in this core"
        )  # fmt: skip
        sentence = f"{activity.who()} waits at {activity.where()} for {name}, {who}"
        return h.answer(
            h.HANG, "lock of another process", sentence, activity,
            evidence=wait.evidence[-2:] if wait is not None else (), doubts=(doubt,),
        )  # fmt: skip
    if wait.owner.state == "live" and wait.owner.tid is not None:
        return _through(scene, activity, wait.owner.tid, f"{name}, held by", seen)
    if wait.kind in (t.CONDITION, t.NATIVE_NOTIFICATION):
        called = called_by_the_same(scene, activity, seen)
        if called is not None:
            link = f"{activity.module}, likely for the end of what that called in"
            return _through(scene, activity, called.tid, link, seen)
        sentence = (
            f"{activity.who()} waits at {activity.where()} until another thread wakes it "
            f"(a {wait.kind}{f' {wait.name}' if wait.name else ''}); which thread should is not "
            "known"
        )
        return h.answer(h.HANG, "unknown holder", sentence, activity, t.INFO)
    if wait.kind == SEMAPHORE:  # nobody holds it: that a thread vanished explains nothing
        return holder_unknown(scene, activity, wait, name)
    if scene.may_be_inherited:
        return perhaps_inherited(scene, activity, wait, name)
    if wait.kind == RWLOCK and not wait.owner.tid:
        return holder_unknown(scene, activity, wait, name)
    if wait.owner.state == "unknown" and (wait.owner.tid or wait.owner.ident):
        return owner_ended(activity, wait, name)
    others = [d for d in scene.activities if d.tid != activity.tid and d.frames]
    waits = f"{activity.who()} waits at {activity.where()} for {name}"
    if wait.kind == t.FUTEX_WORD:
        text = f"{waits}: whether that is a lock, and who could end the wait, is not known"
        return h.answer(h.HANG, "unknown holder", text, activity, t.INFO)
    sentence = f"{waits}, which is taken, and no Python code that runs now holds it"
    sure = t.PROBABLE if wait.object and not others else t.INFO
    referring = scene.references.threads(wait.object) - {activity.tid} if wait.object else set()
    if others and not referring:
        sure = t.PROBABLE
    return h.answer(
        h.HANG, "lock never released", sentence, activity, sure,
        ruled_out=("a frame inside `with` of it", "code of a living thread that took it by hand"),
        doubts=("who took it is not known: most often code that ended without releasing it",),
    )  # fmt: skip


def _through(
    scene: HangContext, activity: h.ThreadActivity, tid: int, link: str, seen: tuple[int, ...]
) -> h.HangAnswer | None:
    """Follow a wait to the thread that it waits for; that one's own wait decides."""
    other = scene.activity(tid)
    if other is None:
        return None
    further = answer_for(scene, other, (*seen, activity.tid))
    if further is None:
        return None
    sentence = f"{activity.who()} waits at {activity.where()} for {link} {other.who()}; "
    # Of a circle those are members that are in it, not who waits for one of them.
    before = () if further.label == h.DEADLOCK else (activity,)
    further = further._replace(sentence=sentence + further.sentence,
                               members=(*before, *further.members))  # fmt: skip
    if further.label != h.NO_FAULT or further.kind != IDLE:
        return further
    if activity.kind == h.JOIN and (activity.timed or other.place.startswith(SERVERS)):
        return further  # a main thread that waits for the end of its service
    if activity.kind == h.JOIN and other.kind == h.EVENT:
        # The program waits for the end of a thread that waits for another one to give it work.
        return further._replace(label=h.HANG, kind="nobody gives it")
    if activity.kind == h.JOIN and closes(_inner(scene, activity)):
        text = f"{further.sentence}; it ends only when its client goes"
        return further._replace(label=h.HANG, kind="closing", sentence=text)
    if activity.kind == h.LOCK and not (
        _take_turns(activity, other) or at_breakpoint(scene.view.frames(other.tid))
    ):
        text = f"{further.sentence}; it keeps what it holds as long as it waits for work"
        return further._replace(label=h.HANG, kind="idle holder", sentence=text)
    if activity.kind == h.READ and not any(map(scene.runs_in_loop, activity.frames)):
        text = f"{further.sentence}: it has nothing to do, and the answer does not come"
        return further._replace(label=h.HANG, kind="peer", sentence=text)
    if activity.kind == h.EVENT and activity.awaits != QUEUE_ITEM:
        # What it shall give besides its work may come with the next client, or never.
        doubt = "whether what that thread waits for comes, and makes it do so, is not in the core"
        return further._replace(label=h.HANG, kind="nobody gives it", sure=t.INFO,
                                open=(*further.open, doubt))  # fmt: skip
    return further


def _take_turns(activity: h.ThreadActivity, holder: h.ThreadActivity) -> bool:
    """Tell whether workers of one kind wait for work one after the other, under a lock."""
    places = {frame.code for frame in activity.frames[:1]}
    return any(frame.code in places for frame in holder.frames)


def _event(
    scene: HangContext, activity: h.ThreadActivity, seen: tuple[int, ...]
) -> h.HangAnswer | None:
    name = scene.references.name(activity.object, activity.tid) if activity.object else ""
    what = f"{activity.what} ({name})" if name and name not in activity.what else activity.what
    waits = f"{activity.who()} waits at {activity.where()} for {what}"
    if timer_of(scene, activity):
        return h.answer(
            h.NO_FAULT, "timer", f"{activity.who()} waits until its timer is due", activity
        )
    if activity.place and only_waits_for_work(scene, activity):
        # A scheduler waits until a job is due, a main thread until its server ends.
        served = (
            f"{activity.who()} waits in {activity.place}, as servers, workers and schedulers do"
        )
        return h.idle(activity, served)
    others = [d for d in scene.activities if d.tid != activity.tid]
    python = [d for d in others if scene.view.frames(d.tid)]
    if activity.timed:
        again = not python and any(map(scene.runs_in_loop, activity.frames[:1]))
        if again:  # by itself the timeout ends each turn, and nothing the loop
            text = f"{waits}, with a timeout, in a loop; no other thread is left that could give it"
            return h.answer(h.HANG, "timed wait", text, activity, t.INFO)
        return h.answer(h.NO_FAULT, "timed wait", f"{waits}, with a timeout", activity, t.INFO)
    # Where a thread waits for the end of this one, nobody is there to wait for the program's end.
    handled = in_handler(activity.frames, scene.view.frames(activity.tid))
    if not seen and not handled and is_of_an_end(name):
        return h.idle(activity, f"{waits}, which ends the program: nothing is wrong with that")
    able = scene.references.threads(activity.object) - {activity.tid} if activity.object else set()
    able |= threads_that_give(scene, activity, surely=True)
    link = f"{what}, which could come from"
    givers = threads_that_give(scene, activity)
    able |= givers & set(seen)
    for tid in givers - able:
        made = _through(scene, activity, tid, link, seen)
        if made is not None:
            return made
    if not python:
        return h.answer(
            h.HANG, "nobody left", f"{waits}; no other thread is left that could give it", activity,
            evidence=("it is the only thread that runs Python",),
            ruled_out=("a timeout", "another thread"),
            doubts=("a signal handler that gives it",),
        )  # fmt: skip
    servers = [d for d in python if _serves_clients(scene, d)]
    if servers and activity.tid == scene.main_tid and activity.object and not name and not able:
        # threading.Event().wait(): nobody can ever set it, and nobody was meant to.
        parked = f"{activity.who()} is parked at {activity.where()} to keep the program alive"
        return h.idle(activity, f"{parked}, and {servers[0].who()} serves in {servers[0].place}")
    # A thread whose wait for something else has an end goes on by itself, and may give it then.
    same = [
        d for d in python
        if d.kind == h.EVENT and d.tid in able and not (d.timed and d.object != activity.object)
    ]  # fmt: skip
    left = [d for d in python if d.tid in able and d not in same]
    if not left:
        # A thread that sleeps, polls or computes may reach it through a global; not one that waits
        # for the end of this thread.
        free = [d for d in python if d.tid not in seen and (d.kind in ALIVE or d in servers)]
        sure = t.INFO if free else t.PROBABLE
        if activity.awaits == POOL_RESULTS:
            return awaited_results(scene, activity, waits)
        loop = _loop_thread(scene, activity, seen) if activity.awaits in FUTURES else None
        if loop is not None:
            return _through(scene, activity, loop.tid, f"{what}, which could come from", seen)
        rest = other_wait(scene, activity, same, seen)
        other = "a further" if same else "another"  # the clause may stand below others' waits
        rest += f"no frame of {other} thread leads to {name or what}"
        if same:
            rest = f"{_waiters(activity, what, same)}, and {rest}"
        jobs = unfinished_jobs(scene, scene.view.frames(activity.tid)) or jobs_behind(
            scene, activity
        )
        if jobs:
            rest = f"{jobs}; {rest}"
        return h.answer(
            h.HANG, "nobody gives it", f"{waits}; {rest}", activity,
            sure, evidence=tuple(f"{d.who()}: {d.kind} {d.what}".strip() for d in python[:4]),
            ruled_out=("a timeout", "a thread whose frames refer to it"),
            doubts=("code that reaches it through a global, or a signal handler",),
        )  # fmt: skip
    direct = [d for d in left if d.tid == seen[-1]] if seen else []  # the shortest circle
    if all(d.tid in seen for d in left):
        left = direct or left
        giver = left[0]
        members = (activity, *left)
        end = "the end of " if giver.kind == h.JOIN else ""
        has = "could give it" if giver.tid in givers else "has it at hand"
        sentence = f"{waits}; {giver.who()}, which {has}, waits for {end}{activity.who()}"
        by = "calls a method of" if giver.tid in givers else "refers to"
        return h.HangAnswer(
            h.DEADLOCK, "event and lock" if giver.kind == h.LOCK else "event and join", sentence,
            members, t.PROBABLE, (f"{giver.who()} {by} it, and waits at {giver.where()}",),
            ("a timeout",), ("code that reaches it through a global",),
        )  # fmt: skip
    following = next(d for d in left if d.tid not in seen)
    return _through(scene, activity, following.tid, link, seen)


def _loop_thread(
    scene: HangContext, activity: h.ThreadActivity, seen: tuple[int, ...]
) -> h.ThreadActivity | None:
    """Return another thread that runs an asyncio event loop: its coroutines give such futures."""
    return next(
        (d for d in scene.activities if d.tid not in (activity.tid, *seen)
         and in_event_loop(scene.view.frames(d.tid)) is not None), None,
    )  # fmt: skip


def _waiters(activity: h.ThreadActivity, what: str, same: Sequence[h.ThreadActivity]) -> str:
    """Say who waits for the same thing, and who for something else of it: an item, not the end.

    The thing is named: the clause may stand below the wait of another thread.
    """
    too = [d for d in same if d.what == activity.what]
    parts = [(f"{what} too", too)] if too else []
    parts += [(what, [d for d in same if d.what == what])
              for what in dict.fromkeys(d.what for d in same if d not in too)]  # fmt: skip
    return ", ".join(
        f"{counted(len(who), 'more thread')} {'waits' if len(who) == 1 else 'wait'} for {what}"
        for what, who in parts
    )


def _serves_clients(scene: HangContext, activity: h.ThreadActivity) -> bool:
    """Tell whether a thread of a library alone waits for clients."""
    if activity.frames or activity.kind not in (h.READ, h.ACCEPT, h.POLL):
        return False
    return bool(
        serving_function([f for f in scene.view.frames(activity.tid) if f.module != "threading"])
    )


def only_waits_for_work(scene: HangContext, activity: h.ThreadActivity) -> bool:
    """Tell whether a thread waits for work in a function that is made for it."""
    return bool(serving_function(_inner(scene, activity)))


def _inner(scene: HangContext, activity: h.ThreadActivity) -> list[PyFrame]:
    frames = scene.view.frames(activity.tid)
    own = activity.frames[0].address if activity.frames else 0
    inner = []
    for frame in frames:
        if frame.address == own:
            break
        inner.append(frame)
    return inner


def _join(
    scene: HangContext, activity: h.ThreadActivity, seen: tuple[int, ...]
) -> h.HangAnswer | None:
    joined = scene.activity(activity.target)
    if activity.timed and joined is not None and joined.awaits == QUEUE_ITEM:
        sentence = f"{activity.who()} waits at {activity.where()} for the end of {joined.who()} "
        sentence += f"with a timeout, and that one at {joined.where()} for {joined.what}"
        return h.idle(activity, sentence)
    over = activity.awaits == PROGRAM_END
    awaited = activity.target if activity.target != activity.tid else None
    if awaited is None and (over or not activity.frames):
        waiting = [
            d for d in scene.activities
            if d.tid != activity.tid and scene.view.frames(d.tid) and d.tid not in seen
        ]  # fmt: skip
        awaited = next((d.tid for d in [*(d for d in waiting if d.frames), *waiting]), None)
    if awaited is not None:
        made = _through(scene, activity, awaited, "the end of", seen)
        if made is not None:
            return _after_the_end(scene, awaited, made) if over else made
        if activity.target is not None:
            return None  # a circle that no rule knew
    sentence = f"{activity.who()} waits at {activity.where()} for {activity.what}"
    return h.answer(h.HANG, "join", sentence, activity, t.INFO)


def _after_the_end(scene: HangContext, tid: int, made: h.HangAnswer) -> h.HangAnswer:
    """Say that the program is over but for a thread; a Timer that starts another one goes on."""
    text = f"the program is over, but a thread that is no daemon goes on: {made.sentence}"
    thread = scene.activity(tid)
    if thread is None or not starts_again(scene, timer_of(scene, thread)):
        return made._replace(sentence=text)
    return made._replace(
        label=h.HANG, sure=t.INFO,
        sentence=f"{text}; the function of that Timer starts another one, so the process stays",
        open=(*made.open, "whether it is meant to go on by that timer alone"),
    )  # fmt: skip


def _child(scene: HangContext, activity: h.ThreadActivity, _seen: tuple[int, ...]) -> h.HangAnswer:
    waits = f"{activity.who()} waits at {activity.where()} for {activity.what}"
    if activity.awaits == NEW_CHILD:
        return new_child(scene, activity)
    child = scene.descriptors.child(activity.target) if activity.target else None
    if activity.timed and activity.kind != h.CHILD:
        return h.answer(h.NO_FAULT, "timed wait", f"{waits}, with a timeout", activity, t.INFO)
    communicates = any(f.name == "communicate" for f in _inner(scene, activity))
    if communicates and activity.call in _READING and activity.target:
        sentence = (
            f"{activity.who()} waits at {activity.where()} for the output of child "
            f"{activity.target}"
            f"{f' ({child.command})' if child is not None else ''} to end: it, or a process that "
            "it started and that outlives it, has the pipe open; what they do is not in this core"
        )
        return h.answer(h.HANG, "child", sentence, activity, t.INFO,
                       doubts=("whether the child still runs",))  # fmt: skip
    if child is not None and not communicates:
        out = [name for name in ("stdout", "stderr") if name in child.streams]
        if out:
            sentence = (
                f"{waits}; what that child does is not in this core; one possibility: its {out[0]} "
                "is a pipe that nobody reads meanwhile, and a child waits once such a pipe is full"
            )
            return h.answer(h.HANG, "full pipe", sentence, activity,
                           evidence=(f"Popen.{out[0]} is an open pipe of this process",),
                           doubts=("whether the child is stuck or still works",))  # fmt: skip
        if child.streams.get("stdin", -1) >= 0:
            sentence = f"{waits}, whose stdin is a pipe that this process holds open"
            return h.answer(h.HANG, "open stdin", sentence, activity,
                           evidence=("Popen.stdin is an open pipe of this process",),
                           doubts=("whether the child reads its stdin",))  # fmt: skip
    if activity.target is None or only_waits_for_work(scene, activity):
        return h.idle(activity, f"{waits}, as the parent of workers does")
    doubt = ("what the child does is not in this core: look at its own",)
    queue = unread_queue(scene, activity)
    if queue:
        sentence = (
            f"{waits}, and nobody reads the queue `{queue}` meanwhile: a child does not end before "
            "what it put there was read"
        )
        evidence = (f"this process never put anything into {queue}: it has no feeder thread",)
        return h.answer(h.HANG, "unread queue", sentence, activity, evidence=evidence, doubts=doubt)
    # A child that works is waited for in the same way: this is no hang for sure, and no fault.
    sentence = f"{waits}; what that child does is not in this core"
    return h.answer(h.HANG, "child", sentence, activity, t.INFO, doubts=doubt)


def _read(scene: HangContext, activity: h.ThreadActivity, seen: tuple[int, ...]) -> h.HangAnswer:
    waits = f"{activity.who()} waits at {activity.where()} for "
    if not activity.timed and serves_one_at_a_time(_inner(scene, activity)):
        sentence = (
            f"{activity.who()} serves one client at a time, and waits in {activity.place} until "
            "the present one says more; no other client is served before it speaks or goes"
        )
        return h.answer(
            h.HANG, "one client", sentence, activity,
            evidence=("the server's own thread reads from a client, below serve_forever()",),
            doubts=("whether others wait: the backlog of its socket is not in the core",),
        )  # fmt: skip
    if activity.place and only_waits_for_work(scene, activity):
        return h.idle(activity, f"{activity.who()} waits for work in {activity.place}")
    if activity.timed:
        sentence = f"{waits}{activity.what}, with a timeout"
        return h.answer(h.NO_FAULT, "timed wait", sentence, activity, t.INFO)
    if activity.target == 0:
        return h.idle(
            activity, f"{activity.who()} waits at {activity.where()} for input on standard input"
        )
    if activity.call in ("open", "openat"):
        sentence = (
            f"{waits}a file to be opened: a FIFO without a writer, or a file system that does not "
            "answer"
        )
        return h.answer(h.HANG, "open", sentence, activity)
    if activity.awaits == FILE_ON_DISK:
        # No peer has to write: what is there is read, or the end of the file.
        sentence = f"{activity.who()} reads a file at {activity.where()}"
        return h.answer(
            h.NO_FAULT, "file", sentence, activity, t.INFO,
            doubts=("a disk or a file system that does not answer would look the same",),
        )  # fmt: skip
    closed = closed_socket(scene, activity)
    if closed is not None:
        return closed
    from_here = from_other_end(scene, activity, seen, _through)
    if from_here is not None:
        return from_here
    if activity.awaits in MESSAGES and any(map(scene.runs_in_loop, activity.frames)):
        return h.idle(activity, f"{waits}{activity.what}, in a loop: as a consumer does")
    what = activity.what if activity.what == activity.awaits else f"data on {activity.what}"
    again = _others_may_write(scene, activity) and _reads_again(scene, activity.frames)
    if again and scene.descriptors.takes_datagrams(activity.target):
        return h.idle(activity, f"{waits}{what}: whoever sends one")
    if again:
        # What reads again and again may wait for work: inotify, a device, a pipe that others fill.
        return h.answer(
            h.HANG, "peer",
            f"{waits}{what}, which it reads in a loop; nothing more has come", activity,
            t.INFO,
            doubts=("whether it waits for work or for a peer that went away is not in the core",),
        )  # fmt: skip
    is_queue = activity.awaits == PROCESS_QUEUE
    if is_queue and _is_worker(scene, activity):
        return h.idle(activity, f"{waits}{what}, as a worker process does")
    return h.answer(
        h.HANG, "queue of processes" if is_queue else "peer",
        f"{waits}{what}, without a timeout", activity,
        doubts=("what the other side does is not in this core",),
    )  # fmt: skip


def _reads_again(scene: HangContext, frames: Sequence[PyFrame]) -> bool:
    """Tell whether code reads in a loop, and not in a single one until something certain came."""
    looping = [frame for frame in frames if scene.runs_in_loop(frame)]
    return len(looping) > 1 or serves(scene, looping)


def _others_may_write(scene: HangContext, activity: h.ThreadActivity) -> bool:
    """Tell whether what a thread reads may be filled by a process that lives, for all that is seen.

    A socket, the stream of a child that was not seen to end, a connection of multiprocessing, what
    no object of Python has. A pipe that is none of these has no writer that this core knows.
    """
    if activity.awaits == MESSAGE:
        return True
    if activity.target is None or activity.what == activity.awaits:
        return False  # a library asked, and waits for the answer
    descriptor = scene.descriptors.describe(activity.target)
    return descriptor.kind in ("", "socket", "pipe")


def _is_worker(scene: HangContext, activity: h.ThreadActivity) -> bool:
    """Tell whether a thread runs the target of a multiprocessing.Process: work comes from others.

    Whether any will come the parent's core tells, not this one.
    """
    return any(
        frame.module == "multiprocessing.process" and frame.name == "_bootstrap"
        for frame in scene.view.frames(activity.tid)
    )


def _write(_scene: HangContext, activity: h.ThreadActivity, _seen: tuple[int, ...]) -> h.HangAnswer:
    if activity.call == "connect":
        sentence = f"{activity.who()} waits at {activity.where()} for a connection to be accepted"
    else:
        sentence = (
            f"{activity.who()} waits at {activity.where()} to write to {activity.what}: the "
            f"other side does "
            "not read"
        )
    return h.answer(h.HANG, "peer does not read", sentence, activity,
                   evidence=("a write sleeps only when the buffers are full",))  # fmt: skip


def _waits_for_work(
    scene: HangContext, activity: h.ThreadActivity, seen: tuple[int, ...]
) -> h.HangAnswer:
    place = f" in {activity.place}" if activity.place else ""
    where = f" at {activity.where()}" if activity.frames else ""
    if activity.kind == h.SLEEP:
        frames = [*_inner(scene, activity), *activity.frames[:1]]
        if any(map(scene.runs_in_loop, frames)):
            made = retried(scene, activity) or polled_wait(scene, activity, seen, _event)
            if made is not None:
                return made
            sentence = f"{activity.who()} was {h.ASLEEP}{where}"
            return h.answer(h.NO_FAULT, "sleeps", sentence, activity,
                           doubts=("whether what it waits for can still come",))  # fmt: skip
        sentence = f"{activity.who()} sleeps{where}: a timer ends that"
        return h.answer(h.NO_FAULT, "sleeps", sentence, activity,
                       doubts=("how long it sleeps is not looked at",))  # fmt: skip
    closed = closed_socket(scene, activity) if activity.kind == h.ACCEPT else None
    if closed is not None:
        return closed
    if activity.kind == h.POLL and not activity.timed and activity.frames:
        from_here = from_other_end(scene, activity, seen, _through)
        if from_here is not None:
            return from_here
    stopped = at_breakpoint(scene.view.frames(activity.tid))
    if stopped is not None:
        return h.idle(activity, f"{activity.who()} is stopped{where}: {stopped.name}() waits until "
                      "a debugger connects or goes on")  # fmt: skip
    inner = _inner(scene, activity)
    if activity.frames and not activity.timed and not serves(scene, [*inner, *activity.frames]):
        made = waits_once(scene, activity)
        if made is not None:
            return made
    if activity.kind == h.SIGNAL and seen:
        elsewhere = taken_elsewhere(scene, activity)
        if elsewhere is not None:
            return elsewhere
    if activity.kind == h.SIGNAL:
        return h.idle(activity, f"{activity.who()} waits for a signal{where}")
    what = "clients" if activity.kind == h.ACCEPT else "events"
    return h.idle(activity, f"{activity.who()} waits for {what}{place}{where}")


def _other(_scene: HangContext, activity: h.ThreadActivity, _seen: tuple[int, ...]) -> h.HangAnswer:
    what = activity.what or activity.call or "something"
    if activity.kind in h.RUNNING:
        return h.answer(
            h.NO_FAULT, "busy", f"{activity.who()} was computing at {activity.where()}", activity
        )
    sentence = f"{activity.who()} is in {what} at {activity.where()}"
    return h.answer(h.CANNOT_TELL, "unknown", sentence, activity, t.INFO)


def blocked_loop(scene: HangContext) -> h.HangAnswer | None:
    """A call that blocks, made in a coroutine: the event loop and all its tasks stand still."""
    for activity in scene.activities:
        if activity.kind in (*h.RUNNING, h.GIL) or not activity.frames:
            continue
        frames = scene.view.frames(activity.tid)
        place = in_event_loop(frames)
        if place is None:
            continue
        above = frames[:place]
        asleep = above and (above[0].module or "") in ("selectors", "asyncio.base_events")
        own = [f for f in above if f.address in {o.address for o in activity.frames}]
        if asleep or not own:
            continue
        what = activity.what or activity.call or "something"
        call = "sleeps" if activity.kind == h.SLEEP else f"waits for {what}"
        sentence = (
            f"the event loop of {activity.who()} is blocked: {activity.where()} {call}, and no "
            f"task can "
            "run meanwhile"
        )
        return h.answer(
            h.HANG, "blocked event loop", sentence, activity, t.CERTAIN,
            evidence=("the frame is called by the event loop and sleeps outside of its selector",),
            doubts=("a short call, seen at this moment",) if activity.timed else (),
        )  # fmt: skip
    return None


_BY_KIND = {
    h.FILE_LOCK: _file_lock,
    h.DATABASE: _database,
    h.LOCK: _lock,
    h.EVENT: _event,
    h.JOIN: _join,
    h.CHILD: _child,
    h.READ: _read,
    h.WRITE: _write,
    h.ACCEPT: _waits_for_work,
    h.POLL: _waits_for_work,
    h.SLEEP: _waits_for_work,
    h.SIGNAL: _waits_for_work,
}
