// Written by `tollbridge plugin new`: the interface of a JavaScript bridge to its host.
// `tollbridge plugin new --update-sdk .` replaces this file and any changes in it.

/**
 * The current call.
 * @typedef {object} Call
 * @property {string} requestId the id that operator and caller see in logs and headers
 * @property {number} deadlineMs time left, in milliseconds
 * @property {number} nowMs wall clock at the start of the call, Unix time in milliseconds
 * @property {string | null} caller a stable pseudonym of the paying account; null without a key
 * @property {{id: string, contentType: string, bytes: Uint8Array} | null} resource the stored
 *   resource that the input's `resource_id` names
 */

/** An answer that is an error. The caller is never charged for one. */
export class PluginError extends Error {
  constructor(kind, value, message) {
    super(message);
    this.name = "PluginError";
    this.kind = kind;
    this.value = value;
  }
}

/** The caller's mistake: 400 E011. `field` is a JSON pointer, for example `/values/3`. */
export const invalid = (field, message) => new PluginError("invalid-input", { field, message }, message);
/** The requested item does not exist: 404 E012. */
export const notFound = (what) => new PluginError("not-found", what, what);
/** Something this bridge needs is missing on this server: 503 E027. */
export const unavailable = (what) => new PluginError("unavailable", what, what);
/** Inference is needed, but no provider is configured: 503 E005. `message` is the error of `inference`. */
export const noProvider = (message) => new PluginError("no-provider", message, message);
/** A service that this bridge called failed: 502 E017. */
export const upstream = (message) => new PluginError("upstream", message, message);

/** Returns the text of the stored resource; throws an invalid-input error if there is none. */
export function storedText(call) {
  if (call.resource === null) throw invalid("/resource_id", "there is no such stored resource");
  try {
    return decodeText(call.resource.bytes);
  } catch {
    throw invalid("/resource_id", "the stored resource is not text in UTF-8");
  }
}

/** Encodes a text as UTF-8. */
export function encodeText(text) {
  const bytes = unescape(encodeURIComponent(text));
  return Uint8Array.from({ length: bytes.length }, (_, at) => bytes.charCodeAt(at));
}

/** Decodes UTF-8; throws if it is invalid. */
export function decodeText(bytes) {
  let text = "";
  for (let at = 0; at < bytes.length; at += 4096) {
    text += String.fromCharCode.apply(null, bytes.subarray(at, at + 4096));
  }
  return decodeURIComponent(escape(text));
}

/** Makes the exports that the host calls from a module with `handle(input, call)`. */
export function bridge(plugin, description) {
  return {
    describe: () => description,
    handle(call, input) {
      seedRandom(call);
      try {
        return encodeText(JSON.stringify(answerOf(plugin.handle(JSON.parse(decodeText(input)), call))));
      } catch (error) {
        if (error instanceof PluginError) throw { tag: error.kind, val: error.value };
        throw { tag: "internal", val: told(error) };
      }
    },
  };
}

function answerOf(answer) {
  if (answer !== null && typeof answer === "object" && typeof answer.then !== "function") return answer;
  throw new TypeError("handle must return an object, and not a promise");
}

// For the operator; never shown to the caller.
function told(error) {
  return error instanceof Error ? `${error.name}: ${error.message}\n${error.stack}`.trimEnd() : `thrown: ${error}`;
}

// An instance starts from a snapshot made when the bridge was built, so its own
// generator would return the same numbers in every call. These differ between
// calls, but they are predictable: do not use them for secrets.
function seedRandom(call) {
  let state = call.nowMs % 4294967296;
  for (const character of call.requestId) state = Math.imul(state ^ character.charCodeAt(0), 16777619);
  Math.random = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
