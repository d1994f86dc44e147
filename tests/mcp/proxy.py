"""Forwards to an MCP server and adds an API key: the conformance suite sends
none. Everything else passes as it is, Host and Origin too.

usage: proxy.py PORT HOST:PORT API_KEY
"""

import asyncio
import sys


async def pipe(reader, writer):
    try:
        while chunk := await reader.read(65536):
            writer.write(chunk)
            await writer.drain()
    except ConnectionError:
        pass
    finally:
        writer.close()


async def connection(reader, writer, target, key):
    """One request per connection, so that only one head has to be read."""
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except (asyncio.IncompleteReadError, asyncio.LimitOverrunError):
        return writer.close()
    lines = [line for line in head.split(b"\r\n") if line and not line.lower().startswith(b"connection:")]
    lines += [b"Authorization: Bearer " + key.encode(), b"Connection: close"]
    host, port = target.rsplit(":", 1)
    up_reader, up_writer = await asyncio.open_connection(host, int(port))
    up_writer.write(b"\r\n".join(lines) + b"\r\n\r\n")
    await asyncio.gather(pipe(reader, up_writer), pipe(up_reader, writer))


async def main():
    port, target, key = sys.argv[1:]
    server = await asyncio.start_server(lambda r, w: connection(r, w, target, key), "127.0.0.1", int(port))
    print(f"ready http://127.0.0.1:{server.sockets[0].getsockname()[1]}", flush=True)
    await server.serve_forever()


asyncio.run(main())
