//! The page: files embedded when the program was built. No request ever reaches the file system.

use axum::http::header::{self, HeaderName, HeaderValue};
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::response::IntoResponse;

/// Path in the address and content of every file of `web/dist`; empty if it was not built.
static ASSETS: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/assets.rs"));

/// Shown instead of a page that comes from elsewhere (`--no-page`).
const NO_PAGE: &str = "<!doctype html><meta charset=utf-8><title>Tabiya</title>
<h1>This program was built without the web board</h1>
<p><code>make serve</code> in the project's folder builds both.</p>\n";

/// Whether the page is part of this program.
pub(crate) fn are_embedded() -> bool {
    !ASSETS.is_empty()
}

/// Answers a GET: exactly the files of the table, nothing else.
pub(crate) async fn get(uri: Uri) -> impl IntoResponse {
    let path = if uri.path() == "/" { "/index.html" } else { uri.path() };
    if let Some((_, bytes)) = ASSETS.iter().find(|(name, _)| *name == path) {
        return (StatusCode::OK, [(header::CONTENT_TYPE, content_type(path))], *bytes);
    }
    let html = [(header::CONTENT_TYPE, "text/html; charset=utf-8")];
    if path == "/index.html" {
        (StatusCode::OK, html, NO_PAGE.as_bytes())
    } else {
        (StatusCode::NOT_FOUND, html, b"not found\n")
    }
}

fn content_type(path: &str) -> &'static str {
    match path.rsplit_once('.').map(|(_, end)| end) {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("wasm") => "application/wasm",
        Some("webmanifest") => "application/manifest+json",
        _ => "application/octet-stream",
    }
}

/// What every answer tells the browser: run our own scripts only, be framed by nobody, keep
/// nothing, tell nobody.
pub(crate) fn add_security_headers(headers: &mut HeaderMap) {
    // The hash stands for the one style attribute that chessground writes, `color-scheme:light only`.
    const POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self' \
         'unsafe-hashes' 'sha256-SyXRxMCl6H7Kgy9uTmu1UZqVBsRmMBF4sHRiTO3FQc0='; \
         img-src 'self' data:; connect-src 'self'; manifest-src 'self'; base-uri 'none'; \
         form-action 'none'; frame-ancestors 'none'";
    for (name, value) in [
        ("content-security-policy", POLICY),
        ("x-content-type-options", "nosniff"),
        ("x-frame-options", "DENY"),
        ("referrer-policy", "no-referrer"),
        ("cross-origin-opener-policy", "same-origin"),
        ("cross-origin-embedder-policy", "require-corp"),
        ("cross-origin-resource-policy", "same-origin"),
        ("cache-control", "no-store"),
    ] {
        headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
}
