//! Windows of calls that limits hold for over all hosts: each host takes slices.

use crate::error::PostgresError;
use crate::session::Session;
use crate::settings::PostgresSettings;

/// The windows, as one host takes of them.
pub struct CallWindows {
    session: Session,
}

/// A slice that a host asks for.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SliceRequest {
    /// Whose window.
    pub client: String,
    /// When the window begins and ends, Unix time in seconds.
    pub begins_s: u64,
    /// See above.
    pub ends_s: u64,
    /// Calls that the host asks for.
    pub wanted: u32,
    /// Calls that the window has in all.
    pub most: u32,
}

/// What a host gets of a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slice {
    /// Calls.
    pub granted: u32,
    /// What all hosts have taken of the window by now.
    pub taken: u32,
}

impl CallWindows {
    /// The windows of a database.
    pub fn new(settings: PostgresSettings) -> Self {
        Self { session: Session::new(settings) }
    }

    /// Takes slices, in one round trip. Answers stand in the order of the requests.
    ///
    /// # Errors
    /// When the database is away.
    pub async fn take(&self, requests: &[SliceRequest]) -> Result<Vec<Slice>, PostgresError> {
        // Rows are locked in the same order by all hosts.
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

    /// Deletes windows that ended before a time, Unix time in seconds.
    ///
    /// # Errors
    /// When the database is away.
    pub async fn delete_ended(&self, now_s: u64) -> Result<(), PostgresError> {
        let now = i64::try_from(now_s).unwrap_or(i64::MAX);
        self.session
            .ask(async |client| {
                Ok(client.execute("delete from call_windows where ends < $1", &[&now]).await.map(drop)?)
            })
            .await
    }
}
