//! Links a component with exactly the host functions that its grants allow.

use tollbridge_core::config::Grant;
use tollbridge_core::plugin_kind::PluginKind;
use wasmtime::component::{Component, HasSelf, Linker};
use wasmtime::{Engine, Result};
use wasmtime_wasi_http::p2::add_only_http_to_linker_async;

use super::grants::Needs;
use crate::bindings::{
    AgentPre, BridgePre, bridges, config_store, inference, kv_atomics, kv_store, ledger, logging, panic, proposal,
    table_pages, tables, types,
};
use crate::calls::state::State;

/// A component that fits its world and is ready to be instantiated.
pub(crate) enum LinkedComponent {
    Bridge(BridgePre<State>),
    Agent(AgentPre<State>),
}

pub(crate) fn link(engine: &Engine, component: &Component, kind: PluginKind, needs: &Needs) -> Result<LinkedComponent> {
    let mut linker = Linker::<State>::new(engine);
    types::add_to_linker::<_, HasSelf<State>>(&mut linker, |state| state)?;
    panic::add_to_linker::<_, HasSelf<State>>(&mut linker, |state| state)?;
    proposal::add_to_linker::<_, HasSelf<State>>(&mut linker, |state| state)?;
    if needs.wasi || needs.grants.contains(&Grant::Http) {
        wasmtime_wasi::p2::add_to_linker_async(&mut linker)?;
    }
    for grant in &needs.grants {
        match grant {
            Grant::Logging => logging::add_to_linker::<_, HasSelf<State>>(&mut linker, |state| state)?,
            Grant::Config => config_store::add_to_linker::<_, HasSelf<State>>(&mut linker, |state| state)?,
            Grant::Keyvalue => {
                kv_store::add_to_linker::<_, HasSelf<State>>(&mut linker, |state| state)?;
                kv_atomics::add_to_linker::<_, HasSelf<State>>(&mut linker, |state| state)?;
            }
            Grant::Http => add_only_http_to_linker_async(&mut linker)?,
            Grant::Tables => {
                tables::add_to_linker::<_, HasSelf<State>>(&mut linker, |state| state)?;
                table_pages::add_to_linker::<_, HasSelf<State>>(&mut linker, |state| state)?;
            }
            Grant::Ledger => ledger::add_to_linker::<_, HasSelf<State>>(&mut linker, |state| state)?,
            Grant::Inference => inference::add_to_linker::<_, HasSelf<State>>(&mut linker, |state| state)?,
            Grant::Bridges => bridges::add_to_linker::<_, HasSelf<State>>(&mut linker, |state| state)?,
        }
    }
    let pre = linker.instantiate_pre(component)?;
    Ok(match kind {
        PluginKind::Bridge => LinkedComponent::Bridge(BridgePre::new(pre)?),
        PluginKind::Agent => LinkedComponent::Agent(AgentPre::new(pre)?),
    })
}
