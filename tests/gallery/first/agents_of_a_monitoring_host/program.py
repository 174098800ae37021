# SPDX-License-Identifier: Apache-2.0
"""A deployer starts the agents of a monitoring host through their start scripts."""

import os
import subprocess
import sys
import threading
import time
from dataclasses import dataclass

START_SCRIPT = """
import subprocess, sys
subprocess.Popen(
    [sys.executable, "-c", "import time; time.sleep(150)"],
    stdin=subprocess.DEVNULL, start_new_session=True)
print("agent", sys.argv[1], "started")
"""


@dataclass
class Agent:
    name: str
    state: str = "unknown"
    told: str = ""


def start_agent(agent):
    agent.state = "starting"
    script = subprocess.Popen(
        [sys.executable, "-c", START_SCRIPT, agent.name],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    agent.told, _ = script.communicate()
    agent.state = "running" if script.returncode == 0 else "failed"
    return agent.state


def show_progress(agents):
    while True:
        print(", ".join(f"{each.name}: {each.state}" for each in agents), flush=True)
        time.sleep(10)


def main():
    agents = [Agent("disk"), Agent("net"), Agent("mail")]
    threading.Thread(target=show_progress, args=(agents,), daemon=True).start()
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")
    for agent in agents:
        start_agent(agent)
    print("all agents:", [each.state for each in agents])


main()
