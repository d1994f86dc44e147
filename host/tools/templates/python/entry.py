# Written by `tollbridge plugin build`.
import plugin
import tollbridge
import wit_world
from componentize_py_types import Err
from wit_world.imports import types

DESCRIPTION = {{description}}


def error(told):
    if told.kind == "invalid-input":
        return types.Error_InvalidInput(types.Invalid(told.field, told.message))
    kinds = {
        "not-found": types.Error_NotFound,
        "unavailable": types.Error_Unavailable,
        "upstream": types.Error_Upstream,
        "no-provider": types.Error_NoProvider,
    }
    return kinds.get(told.kind, types.Error_Internal)(told.message)


class WitWorld(wit_world.WitWorld):
    def describe(self):
        examples = [types.Example(one["input"], one["output"]) for one in DESCRIPTION["examples"]]
        return types.Description(DESCRIPTION["inputSchema"], DESCRIPTION["outputSchema"], examples)

    def handle(self, call, input):
        try:
            return tollbridge.answer(plugin.handle, call, input)
        except tollbridge.PluginError as told:
            raise Err(error(told)) from None
