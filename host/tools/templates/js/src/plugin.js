// Mean, minimum and maximum of a list of numbers.

import { invalid, storedText } from "../.tollbridge/tollbridge.js";

/**
 * The format in schema/input.json.
 * @typedef {{values?: number[], resource_id?: string}} Input
 * The format in schema/output.json.
 * @typedef {{count: number, mean: number, min: number, max: number}} Output
 */

/**
 * Answers one call. The result is sent to the caller as JSON; an error costs the
 * caller nothing.
 * @param {Input} input
 * @param {import("../.tollbridge/tollbridge.js").Call} call
 * @returns {Output}
 */
export function handle(input, call) {
  const values = input.values ?? lines(input, call);
  if (values.length === 0) throw invalid("/values", "give at least one number");
  let [sum, min, max] = [0, Infinity, -Infinity];
  for (const value of values) {
    sum += value;
    min = Math.min(min, value);
    max = Math.max(max, value);
  }
  const mean = sum / values.length;
  if (!Number.isFinite(mean)) throw invalid("/values", "these numbers are too large to add up");
  return { count: values.length, mean, min, max };
}

function lines(input, call) {
  if (input.resource_id === undefined) throw invalid("/values", "give `values` or `resource_id`");
  const texts = storedText(call).split("\n");
  if (texts.at(-1) === "") texts.pop();
  return texts.map((text, at) => {
    const number = text.trim() === "" ? NaN : Number(text);
    if (Number.isFinite(number)) return number;
    throw invalid("/resource_id", `line ${at + 1} is not a number: ${text}`);
  });
}
