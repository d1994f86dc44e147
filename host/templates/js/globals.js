// Written by `tollbridge plugin build`: what scripts expect to be there. What
// is printed becomes lines of the plugin's log.
import stdout from "wasi:cli/stdout@0.2.12";
import stderr from "wasi:cli/stderr@0.2.12";
import { decodeText, encodeText } from "../../.tollbridge/tollbridge.js";

function shown(value) {
  if (typeof value === "string") return value;
  return value instanceof Error ? `${value}\n${value.stack}` : (JSON.stringify(value) ?? String(value));
}

const printer = (open) => (...values) => {
  // One write takes 4096 bytes; the host cuts long lines anyway.
  const stream = open();
  stream.blockingWriteAndFlush(encodeText(`${values.map(shown).join(" ")}\n`).subarray(0, 4096));
  stream[Symbol.dispose]?.();
};
const [print, warn] = [printer(() => stdout.getStdout()), printer(() => stderr.getStderr())];
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
