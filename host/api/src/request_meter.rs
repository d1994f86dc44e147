//! Counts requests by route, method and status, and measures the time of each route.
//!
//! Invariant: labels have a fixed set of values, whatever requests contain. All paths
//! without a route share one label; methods and statuses are those defined by HTTP.
//! Metric handles are looked up once and cached, because the look-up is the most
//! expensive part.

use std::sync::OnceLock;
use std::time::Duration;

use axum::http::{Method, StatusCode};
use matchit::Router;
use metrics::{Counter, Histogram, counter, histogram};
use tollbridge_core::config::LoggedRequests;

use crate::routes::Documented;

/// Requests by route, method and status.
const REQUESTS: &str = "tollbridge_http_requests_total";
/// Time to the head of the answer, by route.
pub const REQUEST_SECONDS: &str = "tollbridge_http_request_seconds";
/// Upper bounds of the histogram's buckets: a call of a bridge takes
/// milliseconds, one that asks a model up to a minute.
pub const REQUEST_SECONDS_BUCKETS: [f64; 15] =
    [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0];
/// The label of paths without a route.
const NO_ROUTE: &str = "none";
/// The label of methods that HTTP does not define.
const OTHER_METHOD: &str = "other";
/// Path parameters that name a plugin.
const PLUGIN_PARAMETERS: [&str; 2] = ["bridge", "slug"];

/// The routes of a server, with their metrics.
pub struct RequestMeter {
    places: Router<usize>,
    routes: Vec<MeteredRoute>,
    no_route: MeteredRoute,
    /// The requests that are logged individually.
    pub(crate) logged: LoggedRequests,
}

/// A route of the server; `None` for a path without a route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RouteId(Option<usize>);

struct MeteredRoute {
    path: &'static str,
    seconds: OnceLock<Histogram>,
    answers: OnceLock<Box<AnswerCounter>>,
}

/// The counter of one method and status of a route, and a link to the route's next
/// counter. A linked list suffices, because a route has only a handful of counters and
/// the frequent ones come first; reading it takes no lock.
struct AnswerCounter {
    method: &'static str,
    status: u16,
    answers: Counter,
    next: OnceLock<Box<Self>>,
}

impl RequestMeter {
    /// Creates a meter of the documented routes and additional paths. An alias
    /// counts as its route.
    pub fn new(documented: &[Documented], more: &[&'static str]) -> Self {
        let mut meter = Self {
            places: Router::new(),
            routes: Vec::new(),
            no_route: MeteredRoute::new(NO_ROUTE),
            logged: LoggedRequests::None,
        };
        for route in documented {
            meter.add(route.path, &route.operation.aliases);
        }
        more.iter().for_each(|path| meter.add(path, &[]));
        meter
    }

    /// Sets the requests that are logged.
    #[must_use]
    pub fn logging(mut self, logged: LoggedRequests) -> Self {
        self.logged = logged;
        self
    }

    fn add(&mut self, path: &'static str, aliases: &[&'static str]) {
        let known = self.routes.iter().position(|route| route.path == path);
        let place = known.unwrap_or(self.routes.len());
        // All methods of a path and its aliases share one entry.
        if known.is_none() && self.places.insert(path, place).is_ok() {
            self.routes.push(MeteredRoute::new(path));
        }
        for alias in aliases {
            let _ = self.places.insert(*alias, place);
        }
    }

    /// Returns the route of a path, for any method.
    pub fn route_of(&self, path: &str) -> RouteId {
        RouteId(self.places.at(path).ok().map(|found| *found.value))
    }

    /// Returns the plugin that a path names, if any.
    pub(crate) fn plugin_of<'p>(&self, path: &'p str) -> Option<&'p str> {
        let found = self.places.at(path).ok()?;
        PLUGIN_PARAMETERS.iter().find_map(|name| found.params.get(name))
    }

    /// Returns the label of a route, such as `/v1/oracle/{bridge}`.
    pub fn path_of(&self, route: RouteId) -> &'static str {
        self.metered(route).path
    }

    /// Counts an answer.
    pub fn count(&self, route: RouteId, method: &Method, status: StatusCode, took: Duration) {
        let route = self.metered(route);
        let seconds = || histogram!(REQUEST_SECONDS, "route" => route.path);
        route.seconds.get_or_init(seconds).record(took);
        route.count(method_label(method), status);
    }

    /// Counts an answer to bytes that are not a valid HTTP request.
    pub(crate) fn count_unread(&self, status: StatusCode) {
        self.no_route.count(OTHER_METHOD, status);
    }

    fn metered(&self, route: RouteId) -> &MeteredRoute {
        route.0.and_then(|place| self.routes.get(place)).unwrap_or(&self.no_route)
    }
}

impl MeteredRoute {
    const fn new(path: &'static str) -> Self {
        Self { path, seconds: OnceLock::new(), answers: OnceLock::new() }
    }

    fn count(&self, method: &'static str, status: StatusCode) {
        let status = status_number(status);
        let mut place = &self.answers;
        loop {
            let counter = place.get_or_init(|| Box::new(AnswerCounter::new(self.path, method, status)));
            if counter.status == status && counter.method == method {
                counter.answers.increment(1);
                return;
            }
            place = &counter.next;
        }
    }
}

impl AnswerCounter {
    fn new(route: &'static str, method: &'static str, status: u16) -> Self {
        let answers = counter!(REQUESTS, "route" => route, "method" => method, "status" => status_label(status));
        Self { method, status, answers, next: OnceLock::new() }
    }
}

/// Returns a fixed label, because clients may invent methods.
fn method_label(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::POST => "POST",
        Method::DELETE => "DELETE",
        Method::HEAD => "HEAD",
        Method::OPTIONS => "OPTIONS",
        Method::PUT => "PUT",
        Method::PATCH => "PATCH",
        _ => OTHER_METHOD,
    }
}

/// Returns a status that HTTP defines, otherwise its class.
fn status_number(status: StatusCode) -> u16 {
    let code = status.as_u16();
    if status.canonical_reason().is_some() { code } else { code.div_euclid(100) }
}

fn status_label(number: u16) -> String {
    if number < 10 { format!("{number}xx") } else { number.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operation::Operation;

    fn documented(path: &'static str, method: &'static str, alias: Option<&'static str>) -> Documented {
        let operation = Operation::new("any", "Any", "Any.");
        let operation = alias.into_iter().fold(operation, Operation::alias);
        Documented { tag: "any", method, path, operation }
    }

    fn meter() -> RequestMeter {
        let routes = [
            documented("/v1/oracle/{bridge}", "post", Some("/api/v1/oracle/{bridge}")),
            documented("/v1/agents/{slug}/invoke", "post", None),
            documented("/v1/keys", "get", Some("/api/v1/keys")),
            documented("/v1/keys", "post", Some("/api/v1/keys")),
            documented("/v1/keys/{id}", "delete", None),
            documented("/v1/models/{*id}", "get", None),
            documented("/account/connect", "get", None),
        ];
        RequestMeter::new(&routes, &["/", "/account/{*page}"])
    }

    #[test]
    fn a_path_is_of_the_class_of_its_route() {
        let meter = meter();
        let class = |path: &str| meter.path_of(meter.route_of(path));
        for (path, route) in [
            ("/", "/"),
            ("/v1/oracle/vat", "/v1/oracle/{bridge}"),
            ("/api/v1/oracle/vat", "/v1/oracle/{bridge}"),
            ("/v1/keys", "/v1/keys"),
            ("/api/v1/keys", "/v1/keys"),
            ("/v1/keys/k1", "/v1/keys/{id}"),
            ("/v1/models/vendor/large", "/v1/models/{*id}"),
            ("/account/connect", "/account/connect"),
            ("/account/keys/k1/roll", "/account/{*page}"),
            ("/v1/oracle/vat/more", NO_ROUTE),
            ("/v1/oracle/", NO_ROUTE),
            ("/wp-login.php", NO_ROUTE),
            ("*", NO_ROUTE),
            ("", NO_ROUTE),
        ] {
            assert_eq!(class(path), route, "{path:?}");
        }
    }

    #[test]
    fn a_plugin_is_known_by_its_path() {
        let meter = meter();
        assert_eq!(meter.plugin_of("/v1/oracle/vat"), Some("vat"));
        assert_eq!(meter.plugin_of("/v1/agents/scholar/invoke"), Some("scholar"));
        assert_eq!(meter.plugin_of("/v1/keys/k1"), None);
        assert_eq!(meter.plugin_of("/nowhere"), None);
    }

    /// The number of series is bounded by HTTP's methods and statuses, whatever clients
    /// send.
    #[test]
    fn labels_are_bounded() {
        let meter = meter();
        for number in 0..1_000 {
            let method = Method::from_bytes(format!("M{number}").as_bytes()).unwrap();
            let route = meter.route_of(&format!("/nowhere/{number}"));
            for code in [200, 404, 599, 598] {
                meter.count(route, &method, StatusCode::from_u16(code).unwrap(), Duration::from_millis(1));
            }
        }
        let mut labels = Vec::new();
        let mut place = &meter.no_route.answers;
        while let Some(counter) = place.get() {
            labels.push((counter.method, status_label(counter.status)));
            place = &counter.next;
        }
        let expected = ["200", "404", "5xx"].map(|status| ("other", status.to_owned()));
        assert_eq!(labels, expected);
        assert!(meter.routes.iter().all(|route| route.answers.get().is_none()), "an unused route has no series");
    }

    #[test]
    fn buckets_grow_from_a_millisecond_to_a_minute() {
        assert!(REQUEST_SECONDS_BUCKETS.is_sorted());
        assert_eq!(REQUEST_SECONDS_BUCKETS.first().zip(REQUEST_SECONDS_BUCKETS.last()), Some((&0.001, &60.0)));
    }
}
