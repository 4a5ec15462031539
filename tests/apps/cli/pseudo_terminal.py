"""Runs a program in a pseudo-terminal, follows a script, and prints the screen's bytes as JSON.

Arguments: columns, a JSON array of steps, the program and its arguments. A step is {"until": text} or {"send": text}: it waits
for output after the last match, without escape sequences, or writes to the terminal.
"""

import fcntl
import json
import os
import pty
import re
import signal
import struct
import sys
import termios

ESCAPES = re.compile(rb"\x1b\[[0-9;?]*[A-Za-z]|\x1b[78]")

# A program that never ends is hung up, so that no process is left behind.
signal.alarm(100)

columns, steps, command = int(sys.argv[1]), json.loads(sys.argv[2]), sys.argv[3:]
pid, terminal = pty.fork()
if pid == 0:
    os.execvp(command[0], command)
fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 30, columns, 0, 0))

output = b""
seen = 0


def read_more():
    """Reads what is there; False at the end."""
    global output
    try:
        chunk = os.read(terminal, 65536)
    except OSError:
        return False
    output += chunk
    return len(chunk) > 0


def plain():
    return ESCAPES.sub(b"", output)


for step in steps:
    if "send" in step:
        os.write(terminal, step["send"].encode())
        continue
    wanted = step["until"].encode()
    while wanted not in plain()[seen:]:
        if not read_more():
            break
    seen = max(plain().find(wanted, seen), 0) + len(wanted)

while read_more():
    pass
_, status = os.waitpid(pid, 0)
text = output.decode(errors="replace")
print(json.dumps({"code": os.waitstatus_to_exitcode(status), "output": text, "plain": plain().decode(errors="replace")}))
