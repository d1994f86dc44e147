//! Implements `wasi:http/outgoing-handler` for a call.

use wasmtime_wasi_http::{WasiHttpCtxView, WasiHttpView};

use super::outgoing::OutgoingRequests;
use super::wasi_basics::WasiBasics;
use crate::calls::state::State;

impl WasiHttpView for State {
    fn http(&mut self) -> WasiHttpCtxView<'_> {
        let log = self.log().clone();
        let Self { plugin, deadline, basics, outgoing, .. } = self;
        let WasiBasics { table, http, .. } = basics.get_or_insert_with(|| Box::new(WasiBasics::new(&log))).as_mut();
        let hooks = outgoing.get_or_insert_with(|| Box::new(OutgoingRequests::new(plugin.clone(), log, *deadline)));
        WasiHttpCtxView { hooks: hooks.as_mut(), table, ctx: http }
    }
}
