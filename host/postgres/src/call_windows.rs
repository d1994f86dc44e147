//! Rate-limit windows shared by all hosts: each host reserves part of a window's calls (a
//! slice) and grants them itself.

use crate::error::PostgresError;
use crate::session::Session;
use crate::settings::PostgresSettings;

/// One host's access to the shared windows.
pub struct CallWindows {
    session: Session,
}

/// A host's request to reserve calls of a client's window.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SliceRequest {
    /// Client that the window limits.
    pub client: String,
    /// Start of the window, Unix time in seconds.
    pub begins_s: u64,
    /// End of the window, Unix time in seconds.
    pub ends_s: u64,
    /// Number of calls that the host requests.
    pub wanted: u32,
    /// Maximum number of calls allowed in the window.
    pub most: u32,
}

/// The result of a [`SliceRequest`]: the calls that the host was granted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slice {
    /// Number of granted calls.
    pub granted: u32,
    /// Number of calls of the window that all hosts have reserved so far.
    pub taken: u32,
}

impl CallWindows {
    /// Creates the windows of a database.
    pub fn new(settings: PostgresSettings) -> Self {
        Self { session: Session::new(settings) }
    }

    /// Reserves slices in one round trip. Results are in the order of the requests.
    ///
    /// # Errors
    /// The database is unavailable.
    pub async fn take(&self, requests: &[SliceRequest]) -> Result<Vec<Slice>, PostgresError> {
        // All hosts lock rows in the same order, to avoid deadlocks.
        let mut order: Vec<usize> = (0..requests.len()).collect();
        order.sort_by(|a, b| requests.get(*a).cmp(&requests.get(*b)));
        let sorted: Vec<&SliceRequest> = order.iter().filter_map(|index| requests.get(*index)).collect();
        let clients: Vec<&str> = sorted.iter().map(|request| request.client.as_str()).collect();
        let seconds = |time: u64| i64::try_from(time).unwrap_or(i64::MAX);
        let begins: Vec<i64> = sorted.iter().map(|request| seconds(request.begins_s)).collect();
        let ends: Vec<i64> = sorted.iter().map(|request| seconds(request.ends_s)).collect();
        let wanted: Vec<i64> = sorted.iter().map(|request| i64::from(request.wanted)).collect();
        let most: Vec<i64> = sorted.iter().map(|request| i64::from(request.most)).collect();
        let rows = self
            .session
            .ask(async |client| {
                Ok(client
                    .query(
                        "select taken.granted, taken.taken from \
                         unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[]) \
                         with ordinality as request (client, begins, ends, wanted, most, place) \
                         cross join lateral take_calls(client, begins, ends, wanted, most) as taken \
                         order by place",
                        &[&clients, &begins, &ends, &wanted, &most],
                    )
                    .await?)
            })
            .await?;
        let mut slices = vec![Slice { granted: 0, taken: 0 }; requests.len()];
        for (place, row) in order.into_iter().zip(rows) {
            let number = |column| row.try_get::<_, i64>(column).map(|number| u32::try_from(number).unwrap_or(u32::MAX));
            if let Some(slice) = slices.get_mut(place) {
                *slice = Slice { granted: number(0)?, taken: number(1)? };
            }
        }
        Ok(slices)
    }

    /// Deletes windows that ended before `now_s` (Unix time in seconds).
    ///
    /// # Errors
    /// The database is unavailable.
    pub async fn delete_ended(&self, now_s: u64) -> Result<(), PostgresError> {
        let now = i64::try_from(now_s).unwrap_or(i64::MAX);
        self.session
            .ask(async |client| {
                Ok(client.execute("delete from call_windows where ends < $1", &[&now]).await.map(drop)?)
            })
            .await
    }
}
