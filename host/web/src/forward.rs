//! Forwards requests from a follower to the leader.
//!
//! The follower vouches for the client's address with a MAC under a secret that all hosts
//! of a ledger share. Each request is one exchange over its own connection. The request
//! body is read only once the connection is open, so a leader that has just died delays
//! the request but does not lose it.

use std::net::IpAddr;
use std::time::Duration;

use axum::body::Body;
use axum::extract::Request;
use axum::http::{HeaderName, HeaderValue, Method, header};
use axum::response::{IntoResponse, Response};
use hmac::{Hmac, KeyInit, Mac};
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper_util::rt::TokioIo;
use sha2::Sha256;
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout};
use tollbridge_api::error::{ApiError, Code};
use tollbridge_core::time::now_ms;

use crate::client_of::{ForwardedFor, client_of};
use crate::host_choice::answers_here;
use crate::peers::{HostRole, Peers};
use crate::state::AppState;

/// The client's address, authenticated by a host of this ledger.
const PEER: HeaderName = HeaderName::from_static("x-tollbridge-peer");
/// Longest time to connect to another host.
const CONNECT_MAX: Duration = Duration::from_millis(500);
/// Longest time that a request waits for a leader.
const LEADER_MAX: Duration = Duration::from_secs(10);
/// Interval between checks for a leader.
const LEADER_POLL_INTERVAL: Duration = Duration::from_millis(25);
/// Maximum difference between the time in a forwarded request and the receiver's clock.
/// Hosts follow the database's clock.
const SKEW_MS_MAX: u64 = 60_000;
/// Headers that apply to one connection only.
const HOP_BY_HOP: [HeaderName; 6] = [
    header::CONNECTION,
    HeaderName::from_static("keep-alive"),
    header::TE,
    header::TRAILER,
    header::TRANSFER_ENCODING,
    header::UPGRADE,
];

/// The outcome of forwarding a request.
pub enum Forwarding {
    /// This host answers the request.
    Here(Request),
    /// Another host has answered the request.
    Answered(Response),
}

/// Forwards a request to the leader, unless this host can answer it.
pub async fn forward(app: &AppState, request: Request) -> Forwarding {
    let Some(peers) = app.peers.as_ref().filter(|peers| !peers.is_leader()) else {
        return Forwarding::Here(request);
    };
    let (head, body) = request.into_parts();
    let answers_here = answers_here(peers, app, &head).await;
    let request = Request::from_parts(head, body);
    match answers_here {
        Ok(true) => return Forwarding::Here(request),
        Ok(false) => {}
        Err(error) => {
            tracing::warn!(%error, "cannot read the latest writes of other hosts");
            return Forwarding::Answered(unavailable());
        }
    }
    let client = client_of(app, &request);
    let mut request = addressed(peers, client, request);
    loop {
        let repeat = repeat_of(&request, client);
        let Some((mut connection, address)) = connect(peers).await else {
            return match peers.role() {
                HostRole::Leader => Forwarding::Here(request),
                _ => Forwarding::Answered(unavailable()),
            };
        };
        let answer = tokio::select! {
            answer = connection.send_request(request) => answer.map_err(|error| error.to_string()),
            // A frozen leader may keep the connection open and never answer.
            () = peers.wait_for_other_leader(&address) => Err("another host leads".to_owned()),
        };
        match (answer, repeat) {
            (Ok(answer), _) => return Forwarding::Answered(of_connection(answer)),
            // A request that only reads is safe to repeat.
            (Err(_), Some(again)) => {
                peers.request_leader_check();
                request = again;
            }
            (Err(error), None) => {
                tracing::warn!(error, "the leader did not answer");
                peers.request_leader_check();
                return Forwarding::Answered(unclear());
            }
        }
    }
}

/// Converts the leader's response into a response to the client, without the headers that
/// apply to one connection only.
fn of_connection(answer: hyper::Response<hyper::body::Incoming>) -> Response {
    let mut response = answer.map(Body::new);
    HOP_BY_HOP.iter().for_each(|name| drop(response.headers_mut().remove(name)));
    response
}

/// Returns a copy of the request, for another attempt if the leader fails; `None` unless
/// the request only reads.
fn repeat_of(request: &Request, client: IpAddr) -> Option<Request> {
    let is_safe = matches!(*request.method(), Method::GET | Method::HEAD);
    is_safe.then(|| {
        let mut again = Request::new(Body::empty());
        (*again.method_mut(), *again.uri_mut()) = (request.method().clone(), request.uri().clone());
        *again.headers_mut() = request.headers().clone();
        // If this host becomes the leader, it answers this copy itself. The copy has no
        // connection, so add the client's address.
        again.extensions_mut().insert(ForwardedFor(client));
        again
    })
}

/// Connects to the leader as soon as there is one, and returns the connection and its address;
/// `None` if this host leads, or if no leader appears in time.
async fn connect(peers: &Peers) -> Option<(SendRequest<Body>, String)> {
    let until = Instant::now() + LEADER_MAX;
    while Instant::now() < until {
        match peers.role() {
            HostRole::Leader => return None,
            HostRole::Follower(address) => match timeout(CONNECT_MAX, TcpStream::connect(&address)).await {
                Ok(Ok(stream)) => match open(stream).await {
                    Ok(connection) => return Some((connection, address)),
                    Err(error) => tracing::debug!(%error, address, "the leader closed the connection"),
                },
                Ok(Err(error)) => tracing::debug!(%error, address, "cannot connect to the leader"),
                Err(_) => tracing::debug!(address, "timed out connecting to the leader"),
            },
            HostRole::Unknown => {}
        }
        peers.request_leader_check();
        tokio::time::sleep(LEADER_POLL_INTERVAL).await;
    }
    None
}

async fn open(stream: TcpStream) -> Result<SendRequest<Body>, hyper::Error> {
    let _ = stream.set_nodelay(true);
    let (sender, connection) = handshake(TokioIo::new(stream)).await?;
    // The connection task ends with the exchange.
    tokio::spawn(connection);
    Ok(sender)
}

/// Rewrites a request for the leader, and adds the authenticated client address.
fn addressed(peers: &Peers, client: IpAddr, request: Request) -> Request {
    let (mut head, body) = request.into_parts();
    head.version = axum::http::Version::HTTP_11;
    HOP_BY_HOP.iter().for_each(|name| drop(head.headers.remove(name)));
    // HTTP/2 carries the host name in the request target, not in a header.
    if !head.headers.contains_key(header::HOST)
        && let Some(authority) = head.uri.authority()
        && let Ok(host) = HeaderValue::from_str(authority.as_str())
    {
        head.headers.insert(header::HOST, host);
    }
    let path = head.uri.path_and_query().map_or("/", |path| path.as_str()).to_owned();
    let now = now_ms();
    let mac = hex::encode(mac(peers, client, now, head.method.as_str(), &path).finalize().into_bytes());
    if let Ok(value) = HeaderValue::from_str(&format!("{client} {now} {mac}")) {
        head.headers.insert(PEER, value);
    }
    if let Ok(uri) = path.parse() {
        head.uri = uri;
    }
    Request::from_parts(head, body)
}

fn mac(peers: &Peers, client: IpAddr, at_ms: u64, method: &str, path: &str) -> Hmac<Sha256> {
    let mac = <Hmac<Sha256> as KeyInit>::new_from_slice(peers.secret.as_slice());
    let mut mac = mac.unwrap_or_else(|_| unreachable!("HMAC takes keys of any length"));
    mac.update(format!("tollbridge peer v1\n{client}\n{at_ms}\n{method}\n{path}").as_bytes());
    mac
}

/// Removes the peer header and returns the client's address, if a host of this ledger vouched for
/// it.
pub fn take_sender(peers: &Peers, request: &mut Request) -> Option<IpAddr> {
    let said = request.headers_mut().remove(PEER)?;
    let mut parts = said.to_str().ok()?.split(' ');
    let (client, at_ms, tag) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?, parts.next()?);
    let path = request.uri().path_and_query().map_or("/", |path| path.as_str());
    let expected = mac(peers, client, at_ms, request.method().as_str(), path);
    expected.verify_slice(&hex::decode(tag).ok()?).ok()?;
    (now_ms().abs_diff(at_ms) <= SKEW_MS_MAX).then_some(client)
}

/// Returns the response to a request that no host can answer, because the leader or the
/// database is unreachable; the request has had no effect.
pub fn unavailable() -> Response {
    let message = "no host can answer this right now; nothing was done, so retry in a moment";
    ApiError::new(Code::Overloaded, message).retry_after(1).into_response()
}

fn unclear() -> Response {
    let message = "the host that handled this request went away before it answered; whether the request had an \
        effect is not yet known. Send it again under the same Idempotency-Key, or check first";
    ApiError::new(Code::Overloaded, message).retry_after(1).into_response()
}
