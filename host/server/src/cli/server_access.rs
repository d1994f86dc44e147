//! Selects the remote server and the key for a command: from flags, then the environment, then a
//! stored log-in.

use anyhow::{Context, Result};
use clap::Args;
use reqwest::Url;
use tollbridge_tools::hinted::Hinted;
use zeroize::Zeroizing;

use super::profiles::{Profile, Profiles, is_same};

#[derive(Args, Clone, Debug, Default)]
pub(super) struct ServerArgs {
    /// Remote server; uses the key of a log-in unless --key is given
    #[arg(long, value_name = "URL")]
    pub(super) server: Option<String>,
    #[command(flatten)]
    pub(super) login: LoginArgs,
}

/// The key for a server.
#[derive(Args, Clone, Default)]
pub(super) struct LoginArgs {
    /// API key, instead of the log-in's
    #[arg(long, env = "TOLLBRIDGE_KEY", hide_env_values = true)]
    pub(super) key: Option<String>,
    /// Name of the log-in (`plugin login`) whose server and key to use
    #[arg(long, value_name = "NAME", env = "TOLLBRIDGE_PROFILE")]
    pub(super) profile: Option<String>,
}

impl std::fmt::Debug for LoginArgs {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LoginArgs").field("profile", &self.profile).finish_non_exhaustive()
    }
}

/// A server, and a key of an account there.
pub(super) struct ServerAccess {
    pub(super) server: String,
    pub(super) key: Zeroizing<String>,
}

impl ServerArgs {
    /// Returns `None` if neither a server nor a log-in is named: the command then works on this
    /// machine.
    pub(super) fn access(&self) -> Result<Option<ServerAccess>> {
        self.access_with(Profiles::of_user)
    }

    fn access_with(&self, profiles: impl FnOnce() -> Result<Profiles>) -> Result<Option<ServerAccess>> {
        let access = |server: String, key: &str| Some(ServerAccess { server, key: Zeroizing::new(key.to_owned()) });
        match (&self.server, &self.login.key) {
            (Some(server), Some(key)) => Ok(access(server.clone(), key)),
            (Some(server), None) => {
                let url = parse(server)?;
                let key = self.login.key_for_with(&url, profiles)?.ok_or_else(|| not_logged_in(server))?;
                Ok(access(server.clone(), &key))
            }
            (None, key) => {
                let Some(name) = &self.login.profile else { return Ok(None) };
                let profiles = profiles()?;
                let Profile { server, key: own, .. } = profiles.get(name)?;
                Ok(access(server.to_string(), key.as_deref().unwrap_or(own)))
            }
        }
    }
}

impl LoginArgs {
    /// Returns the key to use for `server`, which another argument of the command names;
    /// `None` if there is none.
    pub(super) fn key_for(&self, server: &Url) -> Result<Option<Zeroizing<String>>> {
        self.key_for_with(server, Profiles::of_user)
    }

    fn key_for_with(
        &self,
        server: &Url,
        profiles: impl FnOnce() -> Result<Profiles>,
    ) -> Result<Option<Zeroizing<String>>> {
        if let Some(key) = &self.key {
            return Ok(Some(Zeroizing::new(key.clone())));
        }
        let profiles = profiles()?;
        let Some(name) = &self.profile else { return Ok(profiles.for_server(server).map(|one| one.key.clone())) };
        let profile = profiles.get(name)?;
        if !is_same(&profile.server, server) {
            let message = format!("the key of profile `{name}` is for {} and is not sent to {server}", profile.server);
            return Err(Hinted::error(message, "name another profile, or pass --key"));
        }
        Ok(Some(profile.key.clone()))
    }
}

pub(super) fn parse(server: &str) -> Result<Url> {
    Url::parse(server).with_context(|| format!("`{server}` is not a URL"))
}

fn not_logged_in(server: &str) -> anyhow::Error {
    let hint = format!("tollbridge plugin login --server {server}, or pass --key");
    Hinted::error(format!("not logged in to {server}"), hint)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::profiles::DEFAULT;
    use super::*;

    fn kept(folder: &Path) -> Result<Profiles> {
        let mut profiles = Profiles::in_folder(folder)?;
        let profile = |server: &str, key: &str| Profile {
            server: server.parse().unwrap(),
            key: Zeroizing::new(key.to_owned()),
            account: "acct_1".to_owned(),
        };
        profiles.put(DEFAULT, profile("https://a.example/", "of a"))?;
        profiles.put("work", profile("https://b.example/", "of b"))?;
        Ok(profiles)
    }

    fn check(
        server: Option<&str>,
        key: Option<&str>,
        profile: Option<&str>,
        expect: Result<Option<(&str, &str)>, &str>,
    ) {
        let folder = tempfile::tempdir().unwrap();
        let text = |value: Option<&str>| value.map(str::to_owned);
        let args = ServerArgs { server: text(server), login: LoginArgs { key: text(key), profile: text(profile) } };
        let found = args.access_with(|| kept(folder.path()));
        let found = found.map(|found| found.map(|access| (access.server, access.key.to_string())));
        match (found, expect) {
            (Ok(found), Ok(expect)) => {
                assert_eq!(found.as_ref().map(|(server, key)| (server.as_str(), key.as_str())), expect, "{args:?}");
            }
            (Err(error), Err(expect)) => assert!(error.to_string().contains(expect), "{error}"),
            (found, expect) => panic!("{args:?}: {found:?} and not {expect:?}"),
        }
    }

    #[test]
    fn flags_win_and_a_log_in_fills_what_they_leave_open() {
        check(None, None, None, Ok(None));
        // A key alone, which may come from the environment, selects no server.
        check(None, Some("k"), None, Ok(None));
        check(Some("https://c.example"), Some("k"), None, Ok(Some(("https://c.example", "k"))));
        check(Some("https://a.example"), None, None, Ok(Some(("https://a.example", "of a"))));
        check(Some("https://b.example"), None, None, Ok(Some(("https://b.example", "of b"))));
        check(None, None, Some("work"), Ok(Some(("https://b.example/", "of b"))));
        check(None, Some("k"), Some("work"), Ok(Some(("https://b.example/", "k"))));
    }

    #[test]
    fn a_key_is_sent_only_to_its_own_server() {
        check(Some("https://c.example"), None, None, Err("not logged in"));
        check(Some("https://a.example"), None, Some("work"), Err("is for https://b.example/ and is not sent"));
        check(None, None, Some("gone"), Err("there is no profile `gone`"));
        check(Some("no address"), None, None, Err("is not a URL"));
    }
}
