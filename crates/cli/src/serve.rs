//! `tabiya serve`: the web board. One process, one page, one engine per tab.
//!
//! Made for the person in front of this machine: it listens on loopback, answers only the page it
//! served itself ([`guard`]), and bounds everything a client can make it hold. docs/WEB.md describes
//! messages and limits.

mod assets;
mod guard;
pub(crate) mod learn;
mod player;
mod share;
mod socket;

use crate::args::{UsageError, failed};
use crate::interrupt;
use anyhow::{Context, bail};
use axum::Router;
use axum::extract::{Request, State, WebSocketUpgrade};
use axum::http::StatusCode;
use axum::http::header::{CONNECTION, HeaderValue};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use guard::Guard;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use share::Share;
use std::io::{self, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;
use tabiya_engine::Tablebase;
use tabiya_lab::learn::Folder;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};

pub(crate) use assets::are_embedded as has_page;

/// Connections that may be open at once, beside those of tabs; more are closed unheard.
const MAX_CONNECTIONS: usize = 32;
/// Time to send a request, and to take its answer.
const HEADER_TIME: Duration = Duration::from_secs(5);
const REQUEST_TIME: Duration = Duration::from_secs(30);
/// Bytes and number of the headers of a request.
const MAX_HEADER_BYTES: usize = 16 << 10;
const MAX_HEADERS: usize = 64;

#[derive(clap::Args)]
#[command(after_help = "Examples:
  tabiya serve
  tabiya serve --port 8080 --no-open
  tabiya serve --bind 192.168.1.5 --allow-remote --threads 2
  tabiya serve --syzygy tables
  tabiya serve --learn mine

The address that is opened carries a random token; without it the page cannot talk to the engine.
Ctrl-C ends the server and every search.")]
pub(crate) struct ServeArgs {
    /// The port; 0 lets the system choose.
    #[arg(long, default_value_t = 8571)]
    port: u16,
    /// The address to listen on.
    #[arg(long, value_name = "ADDRESS", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    bind: IpAddr,
    /// Allow an address that other machines can reach.
    #[arg(long)]
    allow_remote: bool,
    /// Do not open a browser.
    #[arg(long)]
    no_open: bool,
    /// Serve also if this program was built without the page: for a page from elsewhere, as `npm run dev`
    /// serves it.
    #[arg(long, requires = "no_open")]
    no_page: bool,
    /// Threads for all tabs together; all of the machine if missing.
    #[arg(long, value_name = "T", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Tabs that may be connected at once.
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u16).range(1..=256))]
    tabs: u16,
    /// Folders with Syzygy endgame tables, separated as in PATH
    #[arg(long, value_name = "FOLDERS")]
    syzygy: Option<PathBuf>,
    /// Also show the run of `tabiya learn` in this folder, at /learn.
    #[arg(long, value_name = "DIR")]
    learn: Option<PathBuf>,
}

pub(crate) fn run(args: &ServeArgs) -> anyhow::Result<ExitCode> {
    if !args.bind.is_loopback() && !args.allow_remote {
        let reason = format!("--bind {}: other machines need --allow-remote", args.bind);
        return Err(UsageError(reason).into());
    }
    if !assets::are_embedded() && !args.no_page && args.learn.is_none() {
        bail!(
            "the page is not part of this program; `make serve` in the project's folder builds both \
             (needs Node.js 20.19 or newer)"
        );
    }
    if let Some(dir) = &args.learn {
        Folder::new(dir).settings().map_err(failed)?;
    }
    let tables = args.syzygy.as_ref().map(|folders| {
        Tablebase::open(folders.as_os_str())
            .map(Arc::new)
            .map_err(|error| UsageError(format!("--syzygy: {error}")))
    });
    let tables = tables.transpose()?;
    // Enough for messages: searches have threads of their own.
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?
        .block_on(serve(args, tables))
}

async fn serve(args: &ServeArgs, tables: Option<Arc<Tablebase>>) -> anyhow::Result<ExitCode> {
    let listener = TcpListener::bind(SocketAddr::new(args.bind, args.port))
        .await
        .with_context(|| format!("port {} of {}", args.port, args.bind))?;
    let address = listener.local_addr()?;
    let guard = Arc::new(Guard::new(address.port(), args.allow_remote)?);
    let url = format!("http://{}/#{}", named(address), guard.token());
    announce(args, &url);
    if args.learn.is_some() {
        // Who reads the first line only must not end the program by hanging up.
        let _ = writeln!(io::stdout(), "http://{}/learn", named(address));
    }

    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    let server = Arc::new(Server {
        guard: Arc::clone(&guard),
        share: Share::new(args.threads.map_or_else(cores, usize::from)),
        tables,
        tabs: Arc::new(Semaphore::new(usize::from(args.tabs))),
    });
    let run = args.learn.as_deref().map(|dir| learn::routes(Folder::new(dir)));
    let router = Router::new()
        .route("/socket", get(upgrade))
        .merge(run.unwrap_or_default())
        .fallback(get(assets::get))
        .layer(from_fn_with_state(guard, check))
        .with_state(server);

    let interrupted = Arc::new(Notify::new());
    let told = Arc::clone(&interrupted);
    interrupt::listen(move || told.notify_one())?;
    tokio::select! {
        () = accept(&listener, &router) => {}
        () = interrupted.notified() => {}
    }
    Ok(ExitCode::SUCCESS)
}

/// The name under which this machine reaches the address: an open one listens everywhere.
fn named(address: SocketAddr) -> SocketAddr {
    let ip = if address.ip().is_unspecified() { Ipv4Addr::LOCALHOST.into() } else { address.ip() };
    SocketAddr::new(ip, address.port())
}

fn announce(args: &ServeArgs, url: &str) {
    if args.allow_remote {
        eprintln!(
            "warning: other machines can reach this server; whoever reads the token below on the \
             way (the connection is not encrypted) can use your processor"
        );
    }
    println!("{url}");
    if !args.no_open && !open_browser(url) {
        eprintln!("open this address in a browser");
    }
}

/// Asks the system to show an address; `false` if it has no way to.
fn open_browser(url: &str) -> bool {
    let mut command = if cfg!(target_os = "macos") {
        std::process::Command::new("open")
    } else if cfg!(windows) {
        let mut command = std::process::Command::new("rundll32");
        command.arg("url.dll,FileProtocolHandler");
        command
    } else {
        std::process::Command::new("xdg-open")
    };
    let quiet = std::process::Stdio::null;
    command.arg(url).stdin(quiet()).stdout(quiet()).stderr(quiet()).spawn().is_ok()
}

/// What all connections share.
struct Server {
    guard: Arc<Guard>,
    share: Share,
    tables: Option<Arc<Tablebase>>,
    tabs: Arc<Semaphore>,
}

/// Takes connections as long as there is room. One that is too many costs an accept and a close.
async fn accept(listener: &TcpListener, router: &Router) {
    let room = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                if let Ok(permit) = Arc::clone(&room).try_acquire_owned() {
                    tokio::spawn(connection(stream, router.clone(), permit));
                }
            }
            // Out of file descriptors, or the peer is gone already: others may still come.
            Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
        }
    }
}

/// Answers a connection within bounds of time and size.
async fn connection(stream: TcpStream, router: Router, permit: OwnedSemaphorePermit) {
    let _ = stream.set_nodelay(true);
    let serving = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER_TIME)
        .max_buf_size(MAX_HEADER_BYTES)
        .max_headers(MAX_HEADERS)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(router))
        .with_upgrades();
    // Ends with an upgrade, too; from then on the number of tabs is the limit.
    let _ = tokio::time::timeout(REQUEST_TIME, serving).await;
    drop(permit);
}

/// Checks every request before anything else looks at it, and marks every answer.
async fn check(State(guard): State<Arc<Guard>>, request: Request, next: Next) -> Response {
    let mut response = match guard.check(request.headers()) {
        Ok(()) => next.run(request).await,
        Err(code) => refusal(code),
    };
    if response.status() != StatusCode::SWITCHING_PROTOCOLS {
        // One request per connection: nobody keeps a place without using it.
        response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    }
    assets::add_security_headers(response.headers_mut());
    response
}

/// A new tab.
async fn upgrade(State(server): State<Arc<Server>>, request: Request) -> Response {
    use axum::extract::FromRequest;
    if let Err(code) = server.guard.check_socket(request.headers()) {
        return refusal(code);
    }
    let Ok(place) = Arc::clone(&server.tabs).try_acquire_owned() else {
        return refusal(StatusCode::SERVICE_UNAVAILABLE);
    };
    match WebSocketUpgrade::from_request(request, &server).await {
        Ok(upgrade) => {
            let share = server.share.clone();
            let tables = server.tables.clone();
            upgrade
                .protocols([guard::PROTOCOL])
                .max_message_size(socket::MAX_MESSAGE)
                .max_frame_size(socket::MAX_MESSAGE)
                .write_buffer_size(0)
                .max_write_buffer_size(socket::MAX_WRITE_BUFFER)
                .on_upgrade(async move |socket| {
                    socket::run(socket, share, tables).await;
                    drop(place);
                })
        }
        Err(_) => refusal(StatusCode::BAD_REQUEST),
    }
}

/// The code and its words, nothing about the inside.
fn refusal(code: StatusCode) -> Response {
    let reason = code.canonical_reason().unwrap_or("refused").to_lowercase();
    (code, format!("{reason}\n")).into_response()
}
