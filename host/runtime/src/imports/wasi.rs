//! Implements the WASI basics for a call; their state is created on first use.

use wasmtime_wasi::{WasiCtxView, WasiView};

use super::wasi_basics::WasiBasics;
use crate::calls::state::State;

impl State {
    pub(crate) fn basics(&mut self) -> &mut WasiBasics {
        let log = self.log().clone();
        self.basics.get_or_insert_with(|| Box::new(WasiBasics::new(&log)))
    }
}

impl WasiView for State {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        let WasiBasics { ctx, table, .. } = self.basics();
        WasiCtxView { ctx, table }
    }
}
