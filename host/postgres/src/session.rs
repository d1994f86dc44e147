//! A database connection, separate from the log's, for the state that hosts exchange.
//! Opened on first use, and reopened after it was lost.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Mutex;
use tokio_postgres::Client;

use crate::connection::connect;
use crate::error::PostgresError;
use crate::settings::PostgresSettings;

/// Time-out of one request, including connecting.
const ANSWER_MAX: Duration = Duration::from_secs(3);

/// The connection. Concurrent requests are answered in order.
pub(crate) struct Session {
    settings: PostgresSettings,
    client: Mutex<Option<Arc<Client>>>,
}

impl Session {
    pub(crate) fn new(settings: PostgresSettings) -> Self {
        Self { settings, client: Mutex::default() }
    }

    /// Sends a request; after an error, the next request uses a new connection.
    pub(crate) async fn ask<T>(
        &self,
        question: impl AsyncFnOnce(&Client) -> Result<T, PostgresError>,
    ) -> Result<T, PostgresError> {
        self.ask_for(ANSWER_MAX, question).await
    }

    /// Sends a request with the given time-out.
    pub(crate) async fn ask_for<T>(
        &self,
        at_most: Duration,
        question: impl AsyncFnOnce(&Client) -> Result<T, PostgresError>,
    ) -> Result<T, PostgresError> {
        let asking = async {
            let client = self.client().await?;
            let answer = question(&client).await;
            if answer.is_err() {
                self.forget(&client).await;
            }
            answer
        };
        match tokio::time::timeout(at_most, asking).await {
            Ok(answer) => answer,
            Err(_) => {
                *self.client.lock().await = None;
                Err(PostgresError::TimeOut(at_most.as_secs()))
            }
        }
    }

    async fn client(&self) -> Result<Arc<Client>, PostgresError> {
        let mut client = self.client.lock().await;
        if let Some(client) = client.as_ref().filter(|client| !client.is_closed()) {
            return Ok(client.clone());
        }
        let connected = Arc::new(connect(&self.settings).await?);
        *client = Some(connected.clone());
        Ok(connected)
    }

    async fn forget(&self, failed: &Arc<Client>) {
        let mut client = self.client.lock().await;
        if client.as_ref().is_some_and(|client| Arc::ptr_eq(client, failed)) {
            *client = None;
        }
    }
}
