"""Draws the terminal pictures docs/images/terminal-*.svg.

Each picture is the output of the real program on a terminal of 100 columns: a sandbox
server in a separate folder, a new plugin, calls that fail and calls that are answered.
Needs rich (PyPI), which draws them; the pictures load nothing from other sites.

usage: terminal_pictures.py TOLLBRIDGE REGISTRY FOLDER
"""

import fcntl
import os
import pty
import re
import select
import shlex
import signal
import struct
import sys
import tempfile
import termios
import time
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text

COLUMNS, ROWS = 100, 40
# Rich's own template loads fonts from a server.
FORMAT = """<svg class="rich-terminal" viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">
<style>
.{unique_id}-matrix {{ font-family: ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace;
font-size: {char_height}px; line-height: {line_height}px; }}
{styles}
</style>
<defs><clipPath id="{unique_id}-clip-terminal"><rect x="0" y="0" width="{terminal_width}" height="{terminal_height}"/>
</clipPath>{lines}</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g></g></svg>
"""


class Terminal:
    """Runs commands in a folder and records their output."""

    def __init__(self, program, folder, environment):
        self.program, self.folder, self.environment = program, folder, environment
        self.written = ""

    def run(self, line, patience=120, until=None):
        """A command line as its user types it; `tollbridge` is the program.

        until: waits for this text, lets the command run on and returns its process.
        """
        self.written += f"\x1b[1m$ {line}\x1b[0m\n"
        words = [self.program if word == "tollbridge" else word for word in shlex.split(line)]
        process, terminal = pty.fork()
        if process == 0:
            os.chdir(self.folder)
            os.execvpe(words[0], words, self.environment)
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        said, end = b"", time.monotonic() + patience
        while time.monotonic() < end:
            if select.select([terminal], [], [], 0.1)[0]:
                try:
                    said += os.read(terminal, 65536)
                except OSError:
                    break
            if until and until in said.decode(errors="replace"):
                break
        else:
            os.kill(process, signal.SIGKILL)
            raise SystemExit(f"{line}: not done after {patience} s\n{said.decode(errors='replace')}")
        self.written += screen(said.decode(errors="replace")).replace(str(self.folder), "~")
        if until:
            return process
        os.waitpid(process, 0)
        return None

    def silent(self, line, **how):
        written = self.written
        self.run(line, **how)
        self.written = written

    def save(self, title, file):
        console = Console(record=True, width=COLUMNS, file=open(os.devnull, "w"), force_terminal=True)
        for line in self.written.rstrip("\n").split("\n"):
            console.print(Text.from_ansi(line), soft_wrap=False)
        svg = console.export_svg(title=title, theme=MONOKAI, code_format=FORMAT, unique_id=file.stem)
        file.write_text(svg + "\n")
        self.written = ""


def screen(text):
    """Returns the final content of a terminal, without lines that were overwritten."""
    text = re.sub(r"\x1b\[\?[0-9]+[hl]|\x1b\].*?(\x07|\x1b\\)", "", text).replace("\r\n", "\n")
    shown = [""]
    for part in re.split(r"(\n|\r|\x1b\[[0-9]*A|\x1b\[[0-9]*[JKGH])", text):
        if part == "\n":
            shown.append("")
        elif part == "\r" or part.endswith(("G", "K")) and part.startswith("\x1b["):
            shown[-1] = ""
        elif part.startswith("\x1b[") and part.endswith("A"):
            for _ in range(int(part[2:-1] or 1)):
                if len(shown) > 1:
                    shown.pop()
            shown[-1] = ""
        elif part.startswith("\x1b[") and part.endswith(("J", "H")):
            if part.endswith("H"):
                shown = [""]
        else:
            shown[-1] += part
    return "\n".join(shown)


def main():
    program, registry, pictures = (Path(argument).resolve() for argument in sys.argv[1:4])
    pictures.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        environment = {
            "PATH": os.environ["PATH"], "HOME": str(folder), "TERM": "xterm-256color", "LANG": "C.UTF-8",
            "CARGO_HOME": os.environ.get("CARGO_HOME", os.path.expanduser("~/.cargo")),
            "RUSTUP_HOME": os.environ.get("RUSTUP_HOME", os.path.expanduser("~/.rustup")),
            "TOLLBRIDGE__REGISTRY__DIR": str(registry),
        }
        # With precompiled code (`tollbridge precompile`) the server starts within a second.
        compiled = os.environ.get("TOLLBRIDGE__PLUGINS__PRECOMPILED")
        environment |= {"TOLLBRIDGE__PLUGINS__PRECOMPILED": compiled} if compiled else {}
        terminal = Terminal(str(program), folder, environment)
        draw(terminal, pictures)


def draw(terminal, pictures):
    server = terminal.run("tollbridge serve", until="ready ")
    terminal.written = ""
    try:
        terminal.run("tollbridge call token_count '{\"txt\": \"hello world\"}'")
        terminal.run("tollbridge call token_count '{\"text\": \"hello world\"}'")
        terminal.save("a call: refused for nothing, then paid", pictures / "terminal-call.svg")
        terminal.run("tollbridge status")
        terminal.run("tollbridge payment list")
        terminal.run("tollbridge report revenue --by plugin")
        terminal.save("what an operator sees", pictures / "terminal-operator.svg")
        terminal.run("tollbridge top --once")
        terminal.save("tollbridge top", pictures / "terminal-top.svg")
        terminal.run("tollbridge plugin new greeting --template lookup")
        # Hides cargo's output of the first build.
        terminal.silent("tollbridge plugin test greeting", patience=600)
        terminal.run("tollbridge plugin test greeting", patience=600)
        terminal.save("a new bridge and its cases", pictures / "terminal-plugin.svg")
    finally:
        os.kill(server, signal.SIGTERM)
        os.waitpid(server, 0)


if __name__ == "__main__":
    main()
