//! Builds the operator service for a running or a stopped server.

use std::sync::Arc;

use anyhow::Result;
use tollbridge_core::config::Processor;
use tollbridge_market::earning::EarningService;
use tollbridge_operator::{OperatorService, RunningServices, Services};

use super::base::Base;
use super::money::{self, Money};

impl Base {
    /// Returns the operator service for a stopped server.
    pub fn operator(&self) -> Result<OperatorService> {
        let base_url = self.config.server.public_url(self.config.server.listen).to_string();
        let processor = money::processor(self)?;
        let payment_service = Arc::new(money::payment_service(self, processor.clone(), base_url.clone()));
        let money = Money::new(self, payment_service, processor, base_url, None);
        Ok(self.operator_with(money, self.earning(None), None))
    }

    /// Returns the operator service; `running` is `None` for a stopped server.
    pub fn operator_with(
        &self,
        money: Money,
        earning: Arc<EarningService>,
        running: Option<RunningServices>,
    ) -> OperatorService {
        let services = Services {
            db: self.db.clone(),
            engine: self.engine.clone(),
            data: self.config.data.dir.clone(),
            notary: self.notary.clone(),
            accounts: self.accounts.clone(),
            payments: self.payments.clone(),
            earning,
            proofs: self.proofs.clone(),
            keys: self.keys.clone(),
            payment_service: money.payment_service,
            withdrawals: money.withdrawals,
            publishers_file: self.config.registry.publishers.clone(),
            registry: self.config.registry.dir.clone(),
            sandbox: self.config.payments.processor == Processor::Sandbox,
            kept_inputs: self.kept_inputs.clone(),
            artifact_problems: self.artifact_problems.clone(),
        };
        OperatorService::new(services, running)
    }
}
