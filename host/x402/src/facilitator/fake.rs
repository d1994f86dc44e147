//! A test facilitator that is reached over real sockets, checks requests strictly, and
//! fails on demand. Records every settlement, even if its response reports something
//! else.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

/// A failure that the fake facilitator simulates.
#[derive(Clone, Debug)]
pub(super) enum Fault {
    None,
    /// Settles and never responds.
    Hang,
    /// Settles and responds with this status and body.
    Status(u16, String),
    /// Settles and truncates the response body.
    Truncate,
    /// Settles and closes the connection without a response.
    Close,
    /// Settles and responds with an endless body.
    Endless,
    /// Settles and replaces one member of the response with a wrong value.
    Lie(&'static str, Value),
    /// Refuses with a code and a transaction, without settling.
    Refuse(&'static str, &'static str),
}

pub(super) struct Fake {
    pub(super) url: String,
    state: Arc<Mutex<State>>,
}

struct State {
    fault: Fault,
    /// Settled transactions by nonce.
    settled: BTreeMap<String, String>,
    requests: usize,
    complaints: Vec<String>,
}

/// A completely received request.
struct Request {
    line: String,
    headers: String,
    body: Vec<u8>,
}

impl Fake {
    pub(super) async fn start(fault: Fault) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let state = State { fault, settled: BTreeMap::new(), requests: 0, complaints: Vec::new() };
        let state = Arc::new(Mutex::new(state));
        let shared = state.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, shared.clone()));
            }
        });
        Self { url, state }
    }

    pub(super) fn set(&self, fault: Fault) {
        self.state.lock().unwrap().fault = fault;
    }

    /// Returns the number of settled payments.
    pub(super) fn settled(&self) -> usize {
        self.state.lock().unwrap().settled.len()
    }

    /// Returns the number of complete requests.
    pub(super) fn requests(&self) -> usize {
        self.state.lock().unwrap().requests
    }

    /// Returns the defects found in the requests received so far.
    pub(super) fn complaints(&self) -> Vec<String> {
        self.state.lock().unwrap().complaints.clone()
    }
}

async fn serve(mut stream: TcpStream, state: Arc<Mutex<State>>) {
    let Some(request) = read(&mut stream).await else { return };
    let (fault, answer) = {
        let mut state = state.lock().unwrap();
        state.requests += 1;
        if let Some(complaint) = complaint(&request) {
            state.complaints.push(complaint);
        }
        (state.fault.clone(), answer(&mut state, &request))
    };
    let (status, body) = answer;
    let whole = |status: u16, body: &str| {
        format!("HTTP/1.1 {status} x\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}", body.len())
    };
    let text = match fault {
        Fault::Hang => {
            tokio::time::sleep(Duration::from_secs(60)).await;
            return;
        }
        Fault::Close => return,
        Fault::Status(status, body) if status / 100 == 3 => {
            format!("HTTP/1.1 {status} x\r\nlocation: /settle\r\ncontent-length: {}\r\n\r\n{body}", body.len())
        }
        Fault::Status(status, body) => whole(status, &body),
        Fault::Truncate => whole(status, &body).split_at(whole(status, &body).len() - 20).0.to_owned(),
        Fault::Endless => {
            let _ = stream.write_all(b"HTTP/1.1 200 x\r\n\r\n").await;
            while stream.write_all(&[b' '; 16 << 10]).await.is_ok() {}
            return;
        }
        _ => whole(status, &body),
    };
    let _ = stream.write_all(text.as_bytes()).await;
    let _ = stream.shutdown().await;
}

async fn read(stream: &mut TcpStream) -> Option<Request> {
    let mut bytes = Vec::new();
    loop {
        if let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            let head = String::from_utf8(bytes[..end].to_vec()).ok()?.to_ascii_lowercase();
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap_or("0");
            let length: usize = length.parse().ok()?;
            if bytes.len() >= end + 4 + length {
                let (line, headers) = head.split_once("\r\n")?;
                let body = bytes[end + 4..].to_vec();
                return Some(Request { line: line.to_owned(), headers: headers.to_owned(), body });
            }
        }
        let mut chunk = [0; 4096];
        match stream.read(&mut chunk).await.ok()? {
            0 => return None,
            count => bytes.extend_from_slice(&chunk[..count]),
        }
    }
}

/// Returns the first defect that a strict facilitator would find in a request; `None` if
/// there is none.
fn complaint(request: &Request) -> Option<String> {
    if request.line == "get /supported http/1.1" {
        return (!request.body.is_empty()).then(|| "a body with GET".to_owned());
    }
    if !["post /verify http/1.1", "post /settle http/1.1"].contains(&request.line.as_str()) {
        return Some(request.line.clone());
    }
    if !request.headers.contains("content-type: application/json") {
        return Some(request.headers.clone());
    }
    let body: Value = serde_json::from_slice(&request.body).ok()?;
    let members: Vec<&String> = body.as_object()?.keys().collect();
    let (payment, asked) = (&body["paymentPayload"], &body["paymentRequirements"]);
    let right = members == ["paymentPayload", "paymentRequirements", "x402Version"]
        && body["x402Version"] == 2
        && payment["x402Version"] == 2
        && agrees(payment, asked, &request.line);
    (!right).then(|| body.to_string())
}

/// Returns whether the requirements in a request match the signed payment; the requested
/// amount of an `upto` settlement may be lower.
fn agrees(payment: &Value, asked: &Value, line: &str) -> bool {
    let units = |value: &Value| value.as_str().and_then(|text| text.parse::<u128>().ok());
    let mut accepted = payment["accepted"].clone();
    let signed = match asked["scheme"].as_str() {
        Some("upto") => &payment["payload"]["permit2Authorization"]["permitted"]["amount"],
        _ => &payment["payload"]["authorization"]["value"],
    };
    if asked["scheme"] == "upto" && line.starts_with("post /settle") {
        accepted["amount"] = asked["amount"].clone();
        return accepted == *asked && units(&asked["amount"]) <= units(signed);
    }
    accepted == *asked && signed == &asked["amount"]
}

fn answer(state: &mut State, request: &Request) -> (u16, String) {
    let body: Value = serde_json::from_slice(&request.body).unwrap_or_default();
    let payload = &body["paymentPayload"]["payload"];
    let authorization = payload.get("authorization").unwrap_or(&payload["permit2Authorization"]);
    let (payer, network) = (authorization["from"].clone(), body["paymentRequirements"]["network"].clone());
    let mut answer = match request.line.as_str() {
        "get /supported http/1.1" => json!({
            "kinds": [
                { "x402Version": 1, "scheme": "exact", "network": "base-sepolia" },
                { "x402Version": 2, "scheme": "exact", "network": "eip155:84532", "extra": { "later": 1 } },
                { "x402Version": 2, "scheme": "upto", "network": "eip155:8453", "extra": { "facilitatorAddress": "0x" } },
                { "x402Version": 2, "scheme": "upto", "network": "eip155:137", "extra": {
                    "facilitatorAddress": "0x857b06519E91e3A54538791bDbb0E22373e36b66"
                } },
            ],
            "extensions": ["bazaar"],
            "signers": { "eip155:*": ["0x209693Bc6afc0C5328bA36FaF03C514EF312287C"] },
        }),
        "post /verify http/1.1" => match &state.fault {
            Fault::Refuse(reason, _) => json!({ "isValid": false, "invalidReason": reason, "payer": payer }),
            _ => json!({ "isValid": true, "payer": payer }),
        },
        _ => match &state.fault {
            Fault::Refuse(reason, transaction) => json!({
                "success": false, "errorReason": reason, "transaction": transaction, "network": network, "payer": payer
            }),
            _ => {
                let nonce = authorization["nonce"].as_str().unwrap_or_default().to_owned();
                let number = state.settled.len() + 1;
                let transaction = state.settled.entry(nonce).or_insert_with(|| format!("0x{number:064x}")).clone();
                json!({ "success": true, "transaction": transaction, "network": network, "payer": payer })
            }
        },
    };
    if let Fault::Lie(member, value) = &state.fault {
        answer[*member] = value.clone();
    }
    (200, answer.to_string())
}
