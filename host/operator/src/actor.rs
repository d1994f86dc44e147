//! Operators who give commands, and their roles.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The rights of an operator. Each role includes the rights of those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// May read.
    Read,
    /// May help customers: refunds, credit, suspended accounts, keys.
    Support,
    /// May do everything.
    Admin,
}

/// A person who gives commands, identified by the name in the audit log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Actor {
    name: String,
    role: Role,
}

/// An invalid name or role.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each variant is documented by its error message")]
pub enum ActorError {
    #[error("`{0}` is not a valid operator name; use 1 to 40 letters, digits, `.`, `_` and `-`")]
    Name(String),
    #[error("`{0}` is not one of the roles read, support and admin")]
    Role(String),
}

impl Role {
    /// Returns the role's name in commands and answers.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Support => "support",
            Self::Admin => "admin",
        }
    }
}

impl FromStr for Role {
    type Err = ActorError;

    fn from_str(text: &str) -> Result<Self, ActorError> {
        [Self::Read, Self::Support, Self::Admin]
            .into_iter()
            .find(|role| role.as_str() == text)
            .ok_or_else(|| ActorError::Role(tollbridge_core::excerpt::excerpt(text, 40)))
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Actor {
    /// Creates an actor with a name and a role.
    ///
    /// # Errors
    /// The name is invalid.
    pub fn new(name: &str, role: Role) -> Result<Self, ActorError> {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
        match (1..=40).contains(&name.len()) && name.bytes().all(plain) {
            true => Ok(Self { name: name.to_owned(), role }),
            false => Err(ActorError::Name(tollbridge_core::excerpt::excerpt(name, 40))),
        }
    }

    /// Returns the user of the command line on this machine, who can read the data folder
    /// and may therefore do everything.
    pub fn of_command_line() -> Self {
        let user = ["USER", "LOGNAME"].into_iter().find_map(|name| std::env::var(name).ok());
        let named = user.and_then(|user| Self::new(&user, Role::Admin).ok());
        named.unwrap_or_else(|| Self { name: "unknown".to_owned(), role: Role::Admin })
    }

    /// Returns the name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the role.
    pub const fn role(&self) -> Role {
        self.role
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_roles_are_plain() {
        assert_eq!(Actor::new("ada.l-1_x", Role::Read).unwrap().name(), "ada.l-1_x");
        for name in ["", "a b", "ä", &"x".repeat(41), "a\n"] {
            assert!(Actor::new(name, Role::Read).is_err(), "{name:?}");
        }
        assert_eq!("support".parse(), Ok(Role::Support));
        assert!("root".parse::<Role>().is_err() && Role::Read < Role::Support && Role::Support < Role::Admin);
    }
}
