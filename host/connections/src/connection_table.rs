//! The slots for connections, limited in total and per client.
//!
//! If no slot is free, a new connection replaces the connection that has been idle
//! longest: one of the same client if that client has reached its limit, or one of any
//! client if the table is full. A connection with a call in flight is never closed for a
//! new one.

use std::collections::{BTreeMap, VecDeque};
use std::net::{IpAddr, Ipv6Addr};
use std::sync::Arc;
use std::time::Duration;

use metrics::gauge;
use parking_lot::Mutex;
use tokio::time::Instant;
use tollbridge_core::config::Network;

use super::activity::Activity;
use super::close_reason::CloseReason;
use super::deadlines::Deadlines;

/// Default maximum number of concurrent connections. Each costs a task and some tens of
/// kilobytes.
const CONNECTIONS_DEFAULT: u32 = 10_000;
/// Default maximum number of concurrent connections per client address (IPv6: per /64);
/// enough for an office behind one address. Only connections with calls in flight keep
/// their slot for long, and calls have rate limits.
const CONNECTIONS_PER_CLIENT_DEFAULT: u32 = 1_024;
/// Number of idle connections that one scan of the table selects for closing. A scan
/// takes about a millisecond, and makes room for this many new connections.
const CONNECTIONS_RECLAIMED_AT_ONCE: usize = 512;
/// Minimum time between two scans of a full table for idle connections.
const CONNECTIONS_RECLAIM_EVERY_MS: u64 = 10;
/// Minimum idle time-out of a trusted proxy's connection. It is longer than proxies keep
/// idle connections, so no proxy sends a request on a connection that is being closed.
const PROXY_IDLE_MS_MIN: u64 = 15 * 60_000;

/// Limits on the connections of a listener.
#[derive(Clone, Debug)]
pub struct ConnectionLimits {
    /// Maximum number of connections in total.
    pub total: usize,
    /// Maximum number of connections per client: an IPv4 address, or an IPv6 network of
    /// 64 bits.
    pub per_client: usize,
    /// The operator's proxies. Each carries many clients, so their connections are
    /// limited only by `total`.
    pub trusted_proxies: Vec<Network>,
    /// Maximum idle time of a connection between two requests.
    pub idle: Duration,
    /// Maximum time for which a client may leave sent data unread; it restarts whenever
    /// the socket accepts a byte. Also the maximum total time for which a client may
    /// leave one HTTP/2 response unread while the connection continues.
    pub unread: Duration,
}

impl Default for ConnectionLimits {
    fn default() -> Self {
        let count = |count: u32| usize::try_from(count).unwrap_or(usize::MAX);
        Self {
            total: count(CONNECTIONS_DEFAULT),
            per_client: count(CONNECTIONS_PER_CLIENT_DEFAULT),
            trusted_proxies: Vec::new(),
            idle: Duration::from_secs(60),
            unread: Duration::from_secs(30),
        }
    }
}

impl ConnectionLimits {
    /// Returns limits for a listener whose clients are only other hosts, each of which
    /// carries many callers.
    pub fn of_peers() -> Self {
        let limits = Self::default();
        Self { per_client: limits.total, ..limits }
    }
}

/// The client of a connection: an IPv4 address, or the upper half of an IPv6 address,
/// which usually belongs to one customer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct ClientNetwork(u128);

impl From<IpAddr> for ClientNetwork {
    fn from(address: IpAddr) -> Self {
        match address.to_canonical() {
            IpAddr::V4(v4) => Self(v4.to_ipv6_mapped().to_bits()),
            IpAddr::V6(v6) => Self(v6.to_bits() & Ipv6Addr::new(0xffff, 0xffff, 0xffff, 0xffff, 0, 0, 0, 0).to_bits()),
        }
    }
}

/// The key of a slot: a client, and the number of its connection.
type PlaceKey = (ClientNetwork, u64);

/// The table of connections; see the module documentation.
#[derive(Debug)]
pub(crate) struct ConnectionTable {
    limits: ConnectionLimits,
    epoch: Instant,
    taken: Mutex<TableState>,
}

#[derive(Debug, Default)]
struct TableState {
    next: u64,
    places: BTreeMap<PlaceKey, Arc<Activity>>,
    /// Idle connections that may be closed, longest idle first, each with the start of
    /// its idle time.
    reclaimable: VecDeque<(u64, PlaceKey)>,
    looked: Option<Instant>,
}

/// An occupied slot, freed on drop.
#[derive(Debug)]
pub(crate) struct Place {
    table: Arc<ConnectionTable>,
    key: PlaceKey,
    /// Activity of the connection.
    pub activity: Arc<Activity>,
    /// Whether the client is one of the operator's proxies.
    pub trusted: bool,
}

impl Place {
    /// Creates the deadlines of the connection, which starts now.
    pub(crate) fn deadlines(&self) -> Deadlines {
        let ConnectionLimits { idle, unread, .. } = self.table.limits;
        let idle = if self.trusted { idle.max(Duration::from_millis(PROXY_IDLE_MS_MIN)) } else { idle };
        Deadlines::new(self.activity.clone(), self.table.epoch, idle, unread)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.table.taken.lock().places.remove(&self.key);
        gauge!("tollbridge_connections").decrement(1);
    }
}

impl ConnectionTable {
    /// Creates a table in which all slots are free.
    pub(crate) fn new(limits: ConnectionLimits) -> Self {
        Self { limits, epoch: Instant::now(), taken: Mutex::default() }
    }

    /// Reserves a slot for a new connection.
    ///
    /// # Errors
    /// No slot is free, and no connection is idle.
    pub(crate) fn take(self: &Arc<Self>, peer: IpAddr) -> Result<Place, CloseReason> {
        let trusted = self.limits.trusted_proxies.iter().any(|network| network.contains(peer));
        let client = ClientNetwork::from(peer);
        let mut taken = self.taken.lock();
        if !trusted && taken.of(client).count() >= self.limits.per_client && !taken.reclaim_of(client) {
            return Err(CloseReason::ClientFull);
        }
        if taken.places.len() >= self.limits.total && !taken.reclaim() {
            return Err(CloseReason::Full);
        }
        let key = (client, taken.next);
        taken.next = taken.next.wrapping_add(1);
        let activity = Arc::new(Activity::default());
        activity.set_idle_since(u64::try_from(self.epoch.elapsed().as_millis()).unwrap_or_default());
        taken.places.insert(key, activity.clone());
        gauge!("tollbridge_connections").increment(1);
        Ok(Place { table: self.clone(), key, activity, trusted })
    }

    /// Closes the longest idle connection to free its file descriptor; returns whether
    /// one was closed.
    pub(crate) fn make_room(&self) -> bool {
        self.taken.lock().reclaim()
    }

    #[cfg(test)]
    fn len(&self) -> usize {
        self.taken.lock().places.len()
    }
}

impl TableState {
    fn of(&self, client: ClientNetwork) -> impl Iterator<Item = (&PlaceKey, &Arc<Activity>)> {
        self.places.range((client, 0)..=(client, u64::MAX))
    }

    /// Closes a client's longest idle connection and frees its slot.
    fn reclaim_of(&mut self, client: ClientNetwork) -> bool {
        let idle = self.of(client).filter_map(|(key, activity)| Some((activity.idle_since()?, *key)));
        let mut idle: Vec<(u64, PlaceKey)> = idle.collect();
        idle.sort_unstable();
        idle.into_iter().any(|(since, key)| self.end(since, key))
    }

    /// Closes the longest idle connection of any client and frees its slot.
    fn reclaim(&mut self) -> bool {
        loop {
            while let Some((since, key)) = self.reclaimable.pop_front() {
                if self.end(since, key) {
                    return true;
                }
            }
            if !self.find_idle() {
                return false;
            }
        }
    }

    /// Collects idle connections; returns false if there are none, or if the last scan
    /// was too recent.
    fn find_idle(&mut self) -> bool {
        let every = Duration::from_millis(CONNECTIONS_RECLAIM_EVERY_MS);
        if self.looked.is_some_and(|looked| looked.elapsed() < every) {
            return false;
        }
        self.looked = Some(Instant::now());
        let idle = self.places.iter().filter_map(|(key, activity)| Some((activity.idle_since()?, *key)));
        let mut idle: Vec<(u64, PlaceKey)> = idle.collect();
        if idle.len() > CONNECTIONS_RECLAIMED_AT_ONCE {
            idle.select_nth_unstable(CONNECTIONS_RECLAIMED_AT_ONCE);
            idle.truncate(CONNECTIONS_RECLAIMED_AT_ONCE);
        }
        idle.sort_unstable();
        self.reclaimable.extend(idle);
        !self.reclaimable.is_empty()
    }

    /// Closes a connection if its current idle period began at `since`; returns whether
    /// it was closed.
    fn end(&mut self, since: u64, key: PlaceKey) -> bool {
        let rests = self.places.get(&key).is_some_and(|activity| activity.idle_since() == Some(since));
        if !rests || !self.places.get(&key).is_some_and(|activity| activity.end()) {
            return false;
        }
        self.places.remove(&key);
        CloseReason::MadeRoom.count();
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(total: usize, per_client: usize) -> Arc<ConnectionTable> {
        let trusted_proxies = vec!["10.0.0.0/8".parse().unwrap()];
        Arc::new(ConnectionTable::new(ConnectionLimits {
            total,
            per_client,
            trusted_proxies,
            ..ConnectionLimits::default()
        }))
    }

    fn peer(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    /// Opens a connection one second after the previous one, and returns its slot and its
    /// task.
    async fn connect(
        table: &Arc<ConnectionTable>,
        address: &str,
    ) -> Result<(Place, tokio::task::JoinHandle<()>), CloseReason> {
        tokio::time::advance(Duration::from_secs(1)).await;
        let place = table.take(peer(address))?;
        let task = tokio::spawn(std::future::pending());
        place.activity.served_by(task.abort_handle());
        Ok((place, task))
    }

    #[tokio::test(start_paused = true)]
    async fn the_longest_rest_makes_room() {
        let table = table(3, 2);
        let (first, first_task) = connect(&table, "192.0.2.1").await.unwrap();
        let (second, second_task) = connect(&table, "192.0.2.2").await.unwrap();
        let (_third, third_task) = connect(&table, "192.0.2.3").await.unwrap();
        // The oldest connection has a call in flight, so the second oldest is closed.
        let _call = first.activity.begin();
        let (_fourth, _) = connect(&table, "192.0.2.4").await.unwrap();
        assert!(second_task.await.unwrap_err().is_cancelled());
        assert!(!first_task.is_finished() && !third_task.is_finished());
        assert_eq!(table.len(), 3);
        drop(second);
        assert_eq!(table.len(), 3, "a new connection already has this slot");
        drop(first);
        assert_eq!(table.len(), 2);
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_has_its_share_and_a_v6_client_one_for_its_network() {
        let table = table(100, 2);
        let (a, _) = connect(&table, "2001:db8::1").await.unwrap();
        let (b, _) = connect(&table, "2001:db8:0:0:ffff::2").await.unwrap();
        let calls = (a.activity.begin(), b.activity.begin());
        assert_eq!(connect(&table, "2001:db8::3").await.unwrap_err(), CloseReason::ClientFull);
        let _other = connect(&table, "2001:db8:0:1::3").await.unwrap();
        // One of the client's own connections is idle now, so it is closed.
        drop(calls.1);
        b.activity.set_idle_since(2_000);
        let _own = connect(&table, "2001:db8::3").await.unwrap();
        assert_eq!(table.len(), 3);
        // An IPv4 address inside IPv6 counts as IPv4; each address counts separately.
        let _v4 = [connect(&table, "192.0.2.1").await.unwrap(), connect(&table, "::ffff:192.0.2.2").await.unwrap()];
        let calls = [connect(&table, "::ffff:192.0.2.1").await.unwrap().0].map(|place| (place.activity.begin(), place));
        assert_eq!(table.len(), 6);
        drop(calls);
    }

    #[tokio::test(start_paused = true)]
    async fn all_in_flight_is_full_and_a_proxy_has_no_share() {
        let table = table(4, 1);
        let mut held = Vec::new();
        for _ in 0..4 {
            let (place, _) = connect(&table, "10.1.2.3").await.unwrap();
            assert!(place.trusted);
            held.push((place.activity.begin(), place));
        }
        assert_eq!(connect(&table, "192.0.2.1").await.unwrap_err(), CloseReason::Full);
        assert!(!table.make_room());
        held.pop();
        assert!(connect(&table, "192.0.2.1").await.is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn a_full_table_serves_a_storm_of_newcomers() {
        let table = table(1_000, 1_000);
        let mut places = Vec::new();
        for number in 0..3_000_u32 {
            places.push(connect(&table, &Ipv6Addr::from_bits(u128::from(number) << 64).to_string()).await.unwrap());
        }
        assert_eq!(table.len(), 1_000);
        // Paused time advances only after every task has run.
        tokio::time::sleep(Duration::from_millis(1)).await;
        let ended = places.iter().filter(|(_, task)| task.is_finished()).count();
        assert_eq!(ended, 2_000);
        assert!(places.iter().take(2_000).all(|(_, task)| task.is_finished()), "the oldest were not closed");
    }
}
