# SPDX-License-Identifier: Apache-2.0
"""An interactive console that waits for its next command; nothing is wrong."""

import cmd
import os


class Console(cmd.Cmd):
    """Commands of an administrator."""

    prompt = "admin> "
    use_rawinput = False

    def preloop(self):
        with open("ready", "w") as file:
            file.write("%d\n" % os.getpid())

    def do_quit(self, _):
        return True


Console().cmdloop()
