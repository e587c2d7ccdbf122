//! Who may talk to the server: checks of Host, Origin and token.
//!
//! Any page open in the user's browser can send requests to this machine; only the page we served
//! ourselves may be heard. Host protects against names that are made to point here (DNS rebinding),
//! Origin against foreign pages, the token against other people on this machine.

use axum::http::header::{HOST, HeaderName, ORIGIN, SEC_WEBSOCKET_PROTOCOL};
use axum::http::{HeaderMap, StatusCode};
use std::fmt::Write;
use std::net::IpAddr;

/// The WebSocket protocol by which the page talks; the token travels as a second one, so that it
/// never is part of an address that somebody writes down.
pub(crate) const PROTOCOL: &str = "tabiya";

/// The port of an address that names none.
const HTTP_PORT: &str = "80";

const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// What a request has to show.
pub(crate) struct Guard {
    port: u16,
    /// Whether other machines may connect: they name the server by its number.
    remote: bool,
    token: String,
}

impl Guard {
    pub(crate) fn new(port: u16, remote: bool) -> Result<Self, getrandom::Error> {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes)?;
        let token = bytes.iter().fold(String::new(), |mut text, byte| {
            let _ = write!(text, "{byte:02x}");
            text
        });
        Ok(Self { port, remote, token })
    }

    /// 128 random bits as 32 letters.
    pub(crate) fn token(&self) -> &str {
        &self.token
    }

    /// Every request: our own name, and not sent by another site.
    pub(crate) fn check(&self, headers: &HeaderMap) -> Result<(), StatusCode> {
        let host = single(headers, &HOST).ok_or(StatusCode::BAD_REQUEST)?;
        if !self.is_our_name(host) {
            return Err(StatusCode::MISDIRECTED_REQUEST);
        }
        let foreign = headers.get(SEC_FETCH_SITE).is_some_and(|site| site == "cross-site");
        let same = |origin: &str| origin.strip_prefix("http://") == Some(host);
        if foreign || headers.contains_key(ORIGIN) && !single(headers, &ORIGIN).is_some_and(same) {
            return Err(StatusCode::FORBIDDEN);
        }
        Ok(())
    }

    /// A WebSocket, after [`Guard::check`]: it must say where it comes from and know the token.
    pub(crate) fn check_socket(&self, headers: &HeaderMap) -> Result<(), StatusCode> {
        if !headers.contains_key(ORIGIN) {
            return Err(StatusCode::FORBIDDEN);
        }
        let offered = single(headers, &SEC_WEBSOCKET_PROTOCOL).unwrap_or_default();
        let known = offered.split(',').any(|word| equal_in_constant_time(word.trim(), &self.token));
        if known { Ok(()) } else { Err(StatusCode::UNAUTHORIZED) }
    }

    fn is_our_name(&self, host: &str) -> bool {
        // Browsers leave out the port that http has anyway; the colons of a bare `[::1]` are no port.
        let (name, port) = host
            .rsplit_once(':')
            .filter(|(_, port)| !port.ends_with(']'))
            .unwrap_or((host, HTTP_PORT));
        if port != self.port.to_string() {
            return false;
        }
        let bare = name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(name);
        match bare.parse::<IpAddr>() {
            Ok(address) => address.is_loopback() || self.remote,
            Err(_) => name == "localhost",
        }
    }
}

/// The value of a header that must be there exactly once.
fn single<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?.to_str().ok()?;
    values.next().is_none().then_some(value)
}

/// Compares without telling by the time it takes how much was right.
fn equal_in_constant_time(left: &str, right: &str) -> bool {
    let difference = left.bytes().zip(right.bytes()).fold(0, |all, (a, b)| all | (a ^ b));
    left.len() == right.len() && difference == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        let mut map = HeaderMap::new();
        for (name, value) in pairs {
            map.append(*name, value.parse().unwrap());
        }
        map
    }

    #[test]
    fn only_our_own_names_are_answered() {
        let here = Guard::new(8000, false).unwrap();
        let open = Guard::new(8000, true).unwrap();
        for (host, local, remote) in [
            ("127.0.0.1:8000", true, true),
            ("localhost:8000", true, true),
            ("[::1]:8000", true, true),
            ("192.168.1.5:8000", false, true),
            ("127.0.0.1", false, false),
            ("127.0.0.1:8001", false, false),
            ("127.0.0.1:08000", false, false),
            ("evil.example:8000", false, false),
            ("localhost.evil.example:8000", false, false),
            ("127.0.0.1:8000@evil.example:8000", false, false),
        ] {
            let request = headers(&[("host", host)]);
            assert_eq!(here.check(&request).is_ok(), local, "{host}");
            assert_eq!(open.check(&request).is_ok(), remote, "{host}");
        }
        assert_eq!(here.check(&headers(&[])), Err(StatusCode::BAD_REQUEST));
        let twice = headers(&[("host", "127.0.0.1:8000"), ("host", "evil.example")]);
        assert_eq!(here.check(&twice), Err(StatusCode::BAD_REQUEST));
    }

    #[test]
    fn the_port_of_http_may_be_left_out() {
        let guard = Guard::new(80, false).unwrap();
        for host in ["localhost", "127.0.0.1", "[::1]", "localhost:80", "[::1]:80"] {
            let origin: &'static str = format!("http://{host}").leak();
            let request = headers(&[("host", host), ("origin", origin)]);
            assert_eq!(guard.check(&request), Ok(()), "{host}");
        }
        for host in ["evil.example", "localhost:8000", "192.168.1.5", "[::1", "::1"] {
            assert!(guard.check(&headers(&[("host", host)])).is_err(), "{host}");
        }
    }

    #[test]
    fn tokens_are_long_and_never_the_same() {
        let (a, b) = (Guard::new(1, false).unwrap(), Guard::new(1, false).unwrap());
        assert!(a.token() != b.token() && a.token().len() == 32);
    }
}
