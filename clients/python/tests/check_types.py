"""What a type checker must find in calls, with the mypy of this interpreter."""

from __future__ import annotations

import pathlib
import subprocess
import sys
import tempfile

SOURCE = '''
from tollbridge import AsyncClient, Client

def good(client: Client) -> float:
    client.agent("data:aggregation", "add them", input=None)
    return client.call("forecast", values=[1, 2.5], horizon=3, method="ets").result["points"][0]["value"]

async def good_too(client: AsyncClient) -> str:
    return (await client.agent("summarization", "a text")).result["summary"]

def wrong(client: Client) -> None:
    client.call("forcast", values=[1])  # 12
    client.call("forecast", value=[1])  # 13
    client.call("forecast", values="1")  # 14
    client.call("forecast", values=[1], method="guess")  # 15
    client.call("forecast", values=[1]).result["pints"]  # 16
    client.agent("data:aggregations", "add them")  # 17
    client.agent("summarization", input={"texts": "a"})  # 18
'''

with tempfile.TemporaryDirectory() as folder:
    (pathlib.Path(folder) / "calls.py").write_text(SOURCE)
    ran = subprocess.run([sys.executable, "-m", "mypy", "--strict", "calls.py"], cwd=folder, capture_output=True, text=True,
                         env={"MYPYPATH": str(pathlib.Path(__file__).resolve().parents[1] / "src"), "PATH": ""})
found = {int(line.split(":")[1]) for line in ran.stdout.splitlines() if ": error:" in line}
assert found == set(range(12, 19)), ran.stdout
print("ok")
