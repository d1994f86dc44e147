//! A `wasi:http` component that answers each request with the request's own body.

wit_bindgen::generate!({ path: "../../../wit", world: "wasi:http/proxy@0.2.12", generate_all });

use exports::wasi::http::incoming_handler::Guest;
use wasi::http::types::{Fields, IncomingBody, IncomingRequest, OutgoingBody, OutgoingResponse, ResponseOutparam};
use wasi::io::streams::StreamError;

/// Maximum number of bytes per read; larger than the benchmark's body, so that one read
/// returns all of it.
const CHUNK: u64 = 64 << 10;

struct Serve;

impl Guest for Serve {
    fn handle(request: IncomingRequest, out: ResponseOutparam) {
        let Some(body) = read(&request) else {
            // Dropping `out` without setting it makes the host answer with an
            // error.
            return;
        };
        let headers = Fields::new();
        let _ = headers.set("content-type", &[b"application/json".to_vec()]);
        let _ = headers.set("content-length", &[body.len().to_string().into_bytes()]);
        let response = OutgoingResponse::new(headers);
        let Ok(sending) = response.body() else { return };
        ResponseOutparam::set(out, Ok(response));
        let Ok(stream) = sending.write() else { return };
        if stream.blocking_write_and_flush(&body).is_ok() {
            drop(stream);
            let _ = OutgoingBody::finish(sending, None);
        }
    }
}

fn read(request: &IncomingRequest) -> Option<Vec<u8>> {
    let incoming = request.consume().ok()?;
    let stream = incoming.stream().ok()?;
    let mut body = Vec::new();
    loop {
        match stream.blocking_read(CHUNK) {
            Ok(chunk) => body.extend(chunk),
            Err(StreamError::Closed) => break,
            Err(StreamError::LastOperationFailed(_)) => return None,
        }
    }
    drop(stream);
    drop(IncomingBody::finish(incoming));
    Some(body)
}

export!(Serve);
