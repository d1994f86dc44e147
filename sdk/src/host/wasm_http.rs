//! `http::Request::send` in a component, implemented with `wasi:http`.

use crate::{
    bindings::bridge::wasi::{
        http::{
            outgoing_handler,
            types::{
                Fields, IncomingBody, IncomingResponse, Method, OutgoingBody, OutgoingRequest, RequestOptions, Scheme,
            },
        },
        io::streams::StreamError,
    },
    error::Error,
    http::message::{Request, Response},
};

/// Maximum number of bytes per write, given by `wasi:io`.
const WRITE_BYTES: usize = 4_096;
/// Maximum number of bytes to request per read.
const READ_BYTES: u64 = 64 << 10;

/// Sends a request and waits for the whole response. The host aborts the request at the call's
/// deadline.
pub(crate) fn send(request: Request) -> Result<Response, Error> {
    let url = request.url.clone();
    let failed = |what: String| Error::upstream(format!("{url}: {what}"));
    let outgoing = outgoing(&request)?;
    let body = outgoing.body().map_err(|()| failed("the request's body was already taken".into()))?;
    // Start the request before writing its body: until then, nothing reads the body's stream.
    let waiting =
        outgoing_handler::handle(outgoing, None::<RequestOptions>).map_err(|code| failed(code.to_string()))?;
    write(body, &request.body).map_err(failed)?;
    let ready = waiting.subscribe();
    let response = loop {
        match waiting.get() {
            Some(Ok(answer)) => break answer.map_err(|code| failed(code.to_string()))?,
            Some(Err(())) => return Err(failed("the response was already taken".into())),
            None => ready.block(),
        }
    };
    let status = response.status();
    let headers = response.headers().entries();
    let headers = headers.into_iter().map(|(name, value)| (name.to_ascii_lowercase(), text(&value))).collect();
    Ok(Response { status, headers, body: read(&response).map_err(failed)? })
}

fn outgoing(request: &Request) -> Result<OutgoingRequest, Error> {
    let wrong = |what: &str| Error::internal(format!("{}: {what}", request.url));
    let (scheme, rest) = request.url.split_once("://").ok_or_else(|| wrong("an absolute URL is needed"))?;
    let scheme = match scheme {
        "https" => Scheme::Https,
        "http" => Scheme::Http,
        _ => return Err(wrong("only http and https URLs are supported")),
    };
    let at = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (authority, path) = rest.split_at_checked(at).unwrap_or((rest, ""));
    let path = path.split('#').next().unwrap_or_default();
    let path = if path.starts_with('/') { path.to_owned() } else { format!("/{path}") };

    let fields = Fields::new();
    for (name, value) in &request.headers {
        fields.append(name, value.as_bytes()).map_err(|_| wrong(&format!("the header {name} is not allowed")))?;
    }
    if !request.body.is_empty() {
        let length = request.body.len().to_string();
        fields.append("content-length", length.as_bytes()).map_err(|_| wrong("content-length is not allowed"))?;
    }
    let outgoing = OutgoingRequest::new(fields);
    let refused = |()| wrong("the host rejects this URL or method");
    outgoing.set_method(&method(&request.method)).map_err(refused)?;
    outgoing.set_scheme(Some(&scheme)).map_err(refused)?;
    outgoing.set_authority(Some(authority)).map_err(refused)?;
    outgoing.set_path_with_query(Some(&path)).map_err(refused)?;
    Ok(outgoing)
}

fn method(name: &str) -> Method {
    match name {
        "GET" => Method::Get,
        "HEAD" => Method::Head,
        "POST" => Method::Post,
        "PUT" => Method::Put,
        "DELETE" => Method::Delete,
        "PATCH" => Method::Patch,
        other => Method::Other(other.to_owned()),
    }
}

fn write(body: OutgoingBody, bytes: &[u8]) -> Result<(), String> {
    let stream = body.write().map_err(|()| "the request's body was already taken".to_owned())?;
    for chunk in bytes.chunks(WRITE_BYTES) {
        stream.blocking_write_and_flush(chunk).map_err(|error| error.to_string())?;
    }
    // The stream must be dropped before its body is finished (wasi:http).
    drop(stream);
    OutgoingBody::finish(body, None).map_err(|code| code.to_string())
}

fn read(response: &IncomingResponse) -> Result<Vec<u8>, String> {
    let body: IncomingBody = response.consume().map_err(|()| "the response's body was already taken".to_owned())?;
    let stream = body.stream().map_err(|()| "the response's body was already taken".to_owned())?;
    let mut bytes = Vec::new();
    loop {
        match stream.blocking_read(READ_BYTES) {
            Ok(chunk) => bytes.extend(chunk),
            Err(StreamError::Closed) => return Ok(bytes),
            Err(error) => return Err(error.to_string()),
        }
    }
}

fn text(value: &[u8]) -> String {
    String::from_utf8_lossy(value).into_owned()
}
