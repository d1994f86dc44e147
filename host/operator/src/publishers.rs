//! Trusted publishers.

use std::path::PathBuf;
use std::sync::Arc;

use tollbridge_core::time::now_ms;
use tollbridge_ledger::{Entry, Notary, PublisherAct, PublisherVerb};
use tollbridge_market::accounts::Accounts;
use tollbridge_market::catalog::{CatalogReconciler, handle_of, publishers};
use tollbridge_registry::{AutoActivate, Name, Namespaces, Publisher, PublisherPublicKey, Publishers, Revocation};
use tollbridge_store::{Collection, Db, Expect, Put, Rows};

use super::answers::answers;
use super::error::OperatorError;

answers! {
    /// A trusted publisher, and whether this command changed anything.
    PublisherTrusted { publisher: String, trusted: bool, changed: bool }
    /// The name or account that was given, and the publishers that were revoked for it.
    PublisherRevoked { publisher: String, publishers: Vec<String>, revoked: bool }
    /// All publishers.
    PublishersPage { publishers: Vec<PublisherView> }
    /// A publisher in the answer of a command.
    PublisherView {
        name: String, public_key: Option<String>, account: String, namespaces: String, auto_activate: bool,
        deploys: bool, revoked: bool,
    }
}

/// The account id of plugins that the operator publishes: it has no key, and its earnings
/// stay with the operator.
const OPERATORS_OWN: &str = "acct_tollbridge";

/// The commands for publishers.
pub(super) struct PublisherCommands {
    pub(super) db: Db,
    pub(super) notary: Arc<Notary>,
    pub(super) accounts: Arc<Accounts>,
    pub(super) publishers_file: PathBuf,
    pub(super) reconciler: Option<Arc<CatalogReconciler>>,
}

impl PublisherCommands {
    pub(super) async fn trust(
        &self,
        name: &str,
        public_key: &str,
        account: String,
        namespaces: &[String],
        auto_activate: bool,
    ) -> Result<PublisherTrusted, OperatorError> {
        let refused = |error: String| OperatorError::Refused(error);
        let publisher = Publisher {
            name: name.parse::<Name>().map_err(|error| refused(error.to_string()))?,
            key: public_key.parse::<PublisherPublicKey>().map_err(|error| refused(error.to_string()))?,
            account,
            namespaces: Namespaces::parse(namespaces).map_err(refused)?,
            auto_activate: auto_activate.into(),
        };
        let known = Publishers::load(&self.publishers_file).map_err(|error| refused(error.to_string()))?;
        if known.find(&publisher.name) == Some(&publisher) {
            return Ok(PublisherTrusted { publisher: name.to_owned(), trusted: true, changed: false });
        }
        self.check_earner(&publisher.account)?;
        Publishers::add_to_file(&self.publishers_file, &publisher).map_err(|error| refused(error.to_string()))?;
        let act = self.act(PublisherVerb::Trust, &publisher);
        self.notary.note(&Entry::Publisher(act), Vec::new(), now_ms()).await?;
        if let Some(reconciler) = &self.reconciler {
            reconciler.request_pass();
        }
        Ok(PublisherTrusted { publisher: name.to_owned(), trusted: true, changed: true })
    }

    /// Checks that the account can receive earnings.
    fn check_earner(&self, account: &str) -> Result<(), OperatorError> {
        if account == OPERATORS_OWN {
            return Ok(());
        }
        match self.accounts.account(account) {
            Ok(_) => Ok(()),
            Err(error) if error.is_missing() => Err(OperatorError::Refused(format!(
                "there is no account {account} that can earn; `tollbridge account list` lists them, `tollbridge key \
                 create` opens one, and {OPERATORS_OWN} is the operator's own"
            ))),
            Err(error) => Err(error.into()),
        }
    }

    /// Stops all plugins of a publisher, or of every publisher that earns for an account,
    /// at once. Past earnings are unaffected. A revoked account can no longer deploy,
    /// even if it has not deployed before.
    pub(super) async fn revoke(&self, text: &str) -> Result<PublisherRevoked, OperatorError> {
        // Read the store too: accounts that deploy are publishers that the file does not
        // list.
        let known = publishers(&self.publishers_file, self.db.store()).map_err(OperatorError::Refused)?;
        let meant: Vec<&Publisher> =
            known.iter().filter(|one| one.name.as_str() == text || one.account == text).collect();
        let account = self.is_account(text)?;
        if meant.is_empty() && !account {
            let why = format!(
                "there is no publisher or account {text:?}; `tollbridge publisher list` and `tollbridge account list` \
                 list them"
            );
            return Err(OperatorError::NotFound(why));
        }
        let mut names: Vec<String> = meant.iter().map(|one| one.name.to_string()).collect();
        let mut outcomes = Vec::new();
        for publisher in &meant {
            outcomes.push(self.revoke_key(publisher).await);
        }
        if account {
            outcomes.push(self.bar(text).await);
            names.push(handle_of(text));
            names.sort();
            names.dedup();
        }
        // Before returning an error, stop the plugins of the publishers that were
        // revoked, even if revoking another one failed.
        if let Some(reconciler) = &self.reconciler {
            reconciler.refresh().await;
        }
        outcomes.into_iter().collect::<Result<(), _>>()?;
        Ok(PublisherRevoked { publisher: text.to_owned(), publishers: names, revoked: true })
    }

    fn is_account(&self, text: &str) -> Result<bool, OperatorError> {
        match self.accounts.account(text) {
            Ok(_) => Ok(true),
            Err(error) if error.is_missing() => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// Bars an account from deploying, including one that has no key to revoke.
    async fn bar(&self, account: &str) -> Result<(), OperatorError> {
        let handle = handle_of(account);
        let (mut revocation, old) = self.revocation(&handle)?;
        if revocation.account.is_some() {
            return Ok(());
        }
        let now = now_ms();
        (revocation.account, revocation.time_ms) = (Some(account.to_owned()), now);
        // Require an unchanged row: a concurrent first deployment would create a key,
        // which would have to be revoked too.
        let deployer = self.db.get(Collection::Deployers, &handle)?;
        let stands = Put {
            collection: Collection::Deployers,
            key: handle.clone(),
            expect: deployer.clone().map_or(Expect::Absent, Expect::Exactly),
            value: deployer,
        };
        let act = PublisherAct {
            act: PublisherVerb::Revoke,
            publisher: handle.clone(),
            public_key: None,
            by: "operator".to_owned(),
        };
        let puts = vec![revocation_put(handle, &revocation, old)?, stands];
        self.notary.note(&Entry::Publisher(act), puts, now).await?;
        Ok(())
    }

    /// Returns the revocation of a name, and its row.
    fn revocation(&self, name: &str) -> Result<(Revocation, Option<Vec<u8>>), OperatorError> {
        let row = self.db.get(Collection::Publishers, name)?;
        let revocation = row.as_deref().map(Revocation::from_row).transpose().map_err(damaged)?;
        Ok((revocation.unwrap_or_default(), row))
    }

    async fn revoke_key(&self, publisher: &Publisher) -> Result<(), OperatorError> {
        let (mut revocation, old) = self.revocation(publisher.name.as_str())?;
        if revocation.key_ids.contains(&publisher.key.id()) {
            return Ok(());
        }
        revocation.revoke(publisher, now_ms());
        let put = revocation_put(publisher.name.to_string(), &revocation, old)?;
        let act = self.act(PublisherVerb::Revoke, publisher);
        self.notary.note(&Entry::Publisher(act), vec![put], now_ms()).await?;
        Ok(())
    }

    pub(super) fn list(&self) -> Result<PublishersPage, OperatorError> {
        let known = publishers(&self.publishers_file, self.db.store()).map_err(OperatorError::Refused)?;
        let mut listed = Vec::new();
        for publisher in known.iter() {
            let (revocation, _) = self.revocation(publisher.name.as_str())?;
            listed.push(PublisherView {
                name: publisher.name.to_string(),
                public_key: Some(publisher.key.to_string()),
                account: publisher.account.clone(),
                namespaces: publisher.namespaces.describe(),
                auto_activate: publisher.auto_activate.is_full(),
                // Only accounts that deploy have this setting; this host holds their
                // keys.
                deploys: publisher.auto_activate == AutoActivate::Agents,
                revoked: revocation.covers(&publisher.key),
            });
        }
        listed.extend(self.barred(&known)?);
        Ok(PublishersPage { publishers: listed })
    }

    /// Returns accounts that are barred from deploying and have never deployed a plugin.
    fn barred(&self, known: &Publishers) -> Result<Vec<PublisherView>, OperatorError> {
        let mut barred = Vec::new();
        for row in Rows::of(self.db.store(), Collection::Publishers) {
            let (name, row) = row?;
            let Some(account) = Revocation::from_row(&row).map_err(damaged)?.account else { continue };
            if known.iter().all(|publisher| publisher.name.as_str() != name) {
                let namespaces = format!("{name}-");
                barred.push(PublisherView { name, account, namespaces, revoked: true, ..PublisherView::default() });
            }
        }
        Ok(barred)
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

fn revocation_put(name: String, revocation: &Revocation, old: Option<Vec<u8>>) -> Result<Put, OperatorError> {
    Ok(Put {
        collection: Collection::Publishers,
        key: name,
        value: Some(revocation.to_row().map_err(damaged)?),
        expect: old.map_or(Expect::Absent, Expect::Exactly),
    })
}

fn damaged(error: serde_json::Error) -> OperatorError {
    OperatorError::Failed(format!("the revocations cannot be read: {error}"))
}
