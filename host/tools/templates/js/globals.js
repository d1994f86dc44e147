// Written by `tollbridge plugin build`: globals that scripts expect. Printed
// text becomes lines of the plugin's log.
import stdout from "wasi:cli/stdout@0.2.12";
import stderr from "wasi:cli/stderr@0.2.12";
import { decodeText, encodeText } from "../../.tollbridge/tollbridge.js";

function shown(value) {
  if (typeof value === "string") return value;
  return value instanceof Error ? `${value}\n${value.stack}` : (JSON.stringify(value) ?? String(value));
}

// One stream of each kind per call, because each stream uses a handle. None
// before the call: a snapshot cannot hold one, so text printed while the bridge
// is built is lost.
let streams = null;

export function startPrinting() {
  streams = {};
}

const printer = (name, open) => (...values) => {
  if (streams === null) return;
  streams[name] ??= open();
  // One write takes at most 4096 bytes; the host cuts long lines anyway.
  const line = encodeText(`${values.map(shown).join(" ")}\n`);
  streams[name].blockingWriteAndFlush(line.subarray(0, 4096));
};
const print = printer("out", () => stdout.getStdout());
const warn = printer("err", () => stderr.getStderr());
globalThis.console ??= { log: print, info: print, debug: print, trace: print, warn, error: warn };

globalThis.TextEncoder ??= class {
  encode(text = "") {
    return encodeText(text);
  }
};
globalThis.TextDecoder ??= class {
  decode(bytes = []) {
    return decodeText(Uint8Array.from(bytes));
  }
};
