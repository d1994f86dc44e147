//! The tables that one plugin may open.

/// A table as a guest sees it; the resource handle is the table's index in `PluginFacts::tables`.
#[derive(Debug)]
#[expect(unreachable_pub, reason = "the generated bindings re-export it")]
pub struct GuestTable;
