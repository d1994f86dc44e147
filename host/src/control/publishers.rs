//! Whose signatures count.

use serde_json::{Value, json};

use super::{ControlError, Desk};
use crate::catalog::publishers;
use crate::ledger::{Entry, PublisherAct, PublisherVerb};
use crate::registry::{AutoActivate, Name, Namespaces, PublicKey, Publisher, Publishers, Revocation};
use crate::store::{Collection, Expect, Put};

/// The account of plugins that the operator publishes: no key opens it, and what
/// it earns stays with the operator.
const OPERATORS_OWN: &str = "acct_tollbridge";

impl Desk {
    pub(super) async fn publisher_trust(
        &self,
        name: &str,
        public_key: &str,
        account: String,
        namespaces: &[String],
        auto_activate: bool,
    ) -> Result<Value, ControlError> {
        let refused = |error: String| ControlError::Refused(error);
        let publisher = Publisher {
            name: name.parse::<Name>().map_err(|error| refused(error.to_string()))?,
            key: public_key.parse::<PublicKey>().map_err(|error| refused(error.to_string()))?,
            account,
            namespaces: Namespaces::parse(namespaces).map_err(refused)?,
            auto_activate: auto_activate.into(),
        };
        let known = Publishers::load(&self.publishers_file).map_err(|error| refused(error.to_string()))?;
        if known.find(&publisher.name) == Some(&publisher) {
            return Ok(json!({ "publisher": name, "trusted": true, "changed": false }));
        }
        self.check_earner(&publisher.account)?;
        Publishers::add_to_file(&self.publishers_file, &publisher).map_err(|error| refused(error.to_string()))?;
        let act = self.act(PublisherVerb::Trust, &publisher);
        self.notary.note(&Entry::Publisher(act), Vec::new(), (self.now_ms)()).await?;
        self.tell_keeper();
        Ok(json!({ "publisher": name, "trusted": true, "changed": true }))
    }

    /// Whether somebody could ever have what this account earns.
    fn check_earner(&self, account: &str) -> Result<(), ControlError> {
        if account == OPERATORS_OWN {
            return Ok(());
        }
        match self.accounts.account(account) {
            Ok(_) => Ok(()),
            Err(error) if error.is_missing() => Err(ControlError::Refused(format!(
                "there is no account {account} that could earn; `tollbridge account list` lists them, `tollbridge key \
                 create` opens one, and {OPERATORS_OWN} is the operator's own"
            ))),
            Err(error) => Err(error.into()),
        }
    }

    /// Stops everything of a publisher, or of every publisher that earns for an
    /// account, at once. What was earned stays where it is.
    pub(super) async fn publisher_revoke(&self, text: &str) -> Result<Value, ControlError> {
        // Accounts that deploy are publishers, too.
        let known = publishers(&self.publishers_file, self.store.as_ref()).map_err(ControlError::Refused)?;
        let meant: Vec<&Publisher> =
            known.iter().filter(|one| one.name.as_str() == text || one.account == text).collect();
        if meant.is_empty() {
            let why = format!("no publisher or account {text:?} is trusted; `tollbridge publisher list` lists them");
            return Err(ControlError::NotFound(why));
        }
        for publisher in &meant {
            self.revoke(publisher).await?;
        }
        self.refresh().await;
        let names: Vec<String> = meant.iter().map(|one| one.name.to_string()).collect();
        Ok(json!({ "publisher": text, "publishers": names, "revoked": true }))
    }

    async fn revoke(&self, publisher: &Publisher) -> Result<(), ControlError> {
        let old = self.store.get(Collection::Publishers, publisher.name.as_str())?;
        let damaged = |error: serde_json::Error| ControlError::Failed(error.to_string());
        let mut revocation =
            old.as_deref().map_or_else(|| Ok(Revocation::default()), Revocation::from_row).map_err(damaged)?;
        if revocation.key_ids.contains(&publisher.key.id()) {
            return Ok(());
        }
        revocation.revoke(publisher, (self.now_ms)());
        let put = Put {
            collection: Collection::Publishers,
            key: publisher.name.to_string(),
            value: Some(revocation.to_row().map_err(damaged)?),
            expect: old.map_or(Expect::Absent, Expect::Exactly),
        };
        let act = self.act(PublisherVerb::Revoke, publisher);
        self.notary.note(&Entry::Publisher(act), vec![put], (self.now_ms)()).await?;
        Ok(())
    }

    pub(super) fn publisher_list(&self) -> Result<Value, ControlError> {
        let known = publishers(&self.publishers_file, self.store.as_ref()).map_err(ControlError::Refused)?;
        let mut listed = Vec::new();
        for publisher in known.iter() {
            let row = self.store.get(Collection::Publishers, publisher.name.as_str())?;
            let revocation = row.as_deref().map(Revocation::from_row).transpose();
            let revocation = revocation.map_err(|error| ControlError::Failed(error.to_string()))?;
            listed.push(json!({
                "name": publisher.name.to_string(),
                "public_key": publisher.key.to_string(),
                "account": publisher.account,
                "namespaces": publisher.namespaces.describe(),
                "auto_activate": publisher.auto_activate.is_full(),
                // The host holds the key of an account that deploys.
                "deploys": publisher.auto_activate == AutoActivate::Agents,
                "revoked": revocation.is_some_and(|one| one.key_ids.contains(&publisher.key.id())),
            }));
        }
        Ok(json!({ "publishers": listed }))
    }

    fn act(&self, verb: PublisherVerb, publisher: &Publisher) -> PublisherAct {
        PublisherAct {
            act: verb,
            publisher: publisher.name.to_string(),
            public_key: Some(publisher.key.bytes()),
            by: "operator".to_owned(),
        }
    }
}
