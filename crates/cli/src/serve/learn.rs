//! The page of a run of `tabiya learn`: read from its folder, by whoever runs it or by the web board.

use super::guard::Guard;
use super::{accept, check, named};
use anyhow::Context;
use axum::Router;
use axum::http::{StatusCode, header};
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::Arc;
use tabiya_lab::learn::{Folder, Overview, live, script, style};

/// Where the page is.
const BASE: &str = "/learn";

/// The page, its files and the state of the run.
pub(super) fn routes<S: Clone + Send + Sync + 'static>(folder: Folder) -> Router<S> {
    let text = |kind: &'static str, text: String| {
        get(async move || ([(header::CONTENT_TYPE, kind)], text.clone()))
    };
    Router::new()
        .route(BASE, text("text/html; charset=utf-8", live(BASE)))
        .route("/learn/page.js", text("text/javascript; charset=utf-8", script().to_owned()))
        .route("/learn/page.css", text("text/css; charset=utf-8", style().to_owned()))
        .route("/learn/status.json", get(async move || status(&folder)))
}

/// The run as it stands.
fn status(folder: &Folder) -> Response {
    let overview = Overview::read(folder);
    let json = overview
        .map_err(|error| error.to_string())
        .and_then(|overview| serde_json::to_vec(&overview).map_err(|error| error.to_string()));
    match json {
        Ok(json) => ([(header::CONTENT_TYPE, "application/json")], json).into_response(),
        Err(reason) => (StatusCode::NOT_FOUND, format!("{reason}\n")).into_response(),
    }
}

/// Shows a run on this machine, in a thread that lives as long as the process.
pub(crate) fn show(folder: Folder, port: u16) -> anyhow::Result<()> {
    let listener = TcpListener::bind(SocketAddr::new(Ipv4Addr::LOCALHOST.into(), port))
        .with_context(|| format!("--port {port}"))?;
    listener.set_nonblocking(true)?;
    let address = listener.local_addr()?;
    let guard = Arc::new(Guard::new(address.port(), false)?);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    println!("http://{}{BASE}", named(address));
    std::thread::spawn(move || {
        runtime.block_on(async {
            let Ok(listener) = tokio::net::TcpListener::from_std(listener) else { return };
            let router = Router::new()
                .route("/", get(async || Redirect::temporary(BASE)))
                .merge(routes(folder))
                .layer(from_fn_with_state(guard, check));
            accept(&listener, &router).await;
        });
    });
    Ok(())
}
