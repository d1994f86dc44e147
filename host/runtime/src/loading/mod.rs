//! Loading: the steps from verified bytes of a component to a plugin that can be called.

mod checked;
pub(super) mod load;
pub(super) mod loaded;
pub(super) mod reported_limits;
