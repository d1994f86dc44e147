// Written by `tollbridge plugin build`.
import { startPrinting } from "./globals.js";
import * as plugin from "../../src/plugin.js";
import { bridge } from "../../.tollbridge/tollbridge.js";

const exported = bridge(plugin, {{description}});
export const describe = exported.describe;
export function handle(call, input) {
  startPrinting();
  return exported.handle(call, input);
}
