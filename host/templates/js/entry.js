// Written by `tollbridge plugin build`.
import "./globals.js";
import * as plugin from "../../src/plugin.js";
import { bridge } from "../../.tollbridge/tollbridge.js";

const exported = bridge(plugin, {{description}});
export const describe = exported.describe;
export const handle = exported.handle;
