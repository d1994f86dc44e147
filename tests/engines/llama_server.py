"""llama.cpp's server, from the package xllamacpp, as a program: MODEL PORT."""

import signal
import sys

import xllamacpp

params = xllamacpp.CommonParams()
params.model.path, params.port = sys.argv[1], int(sys.argv[2])
params.hostnames, params.n_ctx = ["127.0.0.1"], 2048
# The server serves in its own threads while this value exists.
server = xllamacpp.Server(params)
signal.pause()
