//! A rule of a skill: what a request says, and over what material it counts.

use crate::forms::Forms;

/// What points to a skill.
pub struct Ask {
    /// How much.
    pub points: u32,
    /// A pattern of the request, in small letters; empty if the material alone tells.
    pub says: &'static str,
    /// Forms one of which the material has; 0 if any will do.
    pub over: Forms,
    /// Forms none of which it has.
    pub never: Forms,
}

/// What a request says, whatever its material.
pub const fn says(points: u32, says: &'static str) -> Ask {
    Ask { points, says, over: 0, never: 0 }
}

/// What the material is, whatever the request says.
pub const fn is(points: u32, over: Forms) -> Ask {
    Ask { points, says: "", over, never: 0 }
}

impl Ask {
    /// Only over one of these forms.
    pub const fn over(self, over: Forms) -> Self {
        Self { over, ..self }
    }

    /// Not over any of these forms.
    pub const fn never(self, never: Forms) -> Self {
        Self { never, ..self }
    }
}
