//! A WebSocket: limits on what comes in, patience for what goes out, and the thread behind it.

use super::player::{self, Instruction, Outbox};
use super::share::Share;
use axum::extract::ws::{CloseFrame, Message, WebSocket, close_code};
use std::sync::Arc;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::time::{Duration, Instant};
use tabiya_engine::Tablebase;
use tabiya_session::protocol::{Lines, Reply, Request};
use tokio::sync::{mpsc, watch};
use tokio::time::{MissedTickBehavior, interval, timeout};

/// The largest message the page may send.
pub(crate) const MAX_MESSAGE: usize = 64 << 10;
/// Bytes that may wait to be written.
pub(crate) const MAX_WRITE_BUFFER: usize = 256 << 10;
/// Messages per second in the long run, and at once.
const RATE: f64 = 20.0;
const BURST: f64 = 60.0;
/// Requests that may wait for the engine, and replies for the page.
const QUEUE: usize = 64;
/// Lines are sent at most this often.
const LINES_EVERY: Duration = Duration::from_millis(80);
/// How often the page is asked whether it is still there, and the threads are divided anew.
const PING_EVERY: Duration = Duration::from_secs(2);
/// A page that says nothing for so long is gone: browsers answer pings by themselves.
const SILENCE: Duration = Duration::from_mins(1);
/// A page that takes nothing for so long is gone.
const PATIENCE: Duration = Duration::from_secs(10);

/// Why a connection ended.
enum End {
    /// The page left, or the network did.
    Gone,
    /// It did what it must not: the code and words it is told.
    Refused(u16, &'static str),
}

/// Serves a page until it leaves.
pub(crate) async fn run(mut socket: WebSocket, share: Share, tables: Option<Arc<Tablebase>>) {
    let (orders, received) = sync_channel(QUEUE);
    let (replies, outgoing) = mpsc::channel(QUEUE);
    let (lines, newest) = watch::channel(None);
    let out = Outbox { replies, lines };
    let thread = std::thread::Builder::new().name("session".to_owned()).spawn(move || {
        player::run(share, tables, out, &received);
    });
    let mut connection = Connection { orders, outgoing, newest, bucket: Bucket::new() };
    let end = match thread {
        Ok(_) => connection.pump(&mut socket).await,
        Err(_) => End::Refused(close_code::ERROR, "no thread for another tab"),
    };
    if let End::Refused(code, reason) = end {
        let frame = CloseFrame { code, reason: reason.into() };
        let _ = timeout(PATIENCE, socket.send(Message::Close(Some(frame)))).await;
    }
}

struct Connection {
    orders: SyncSender<Instruction>,
    outgoing: mpsc::Receiver<Reply>,
    newest: watch::Receiver<Option<Lines>>,
    bucket: Bucket,
}

impl Connection {
    async fn pump(&mut self, socket: &mut WebSocket) -> End {
        let mut lines_due = interval(LINES_EVERY);
        let mut ping_due = interval(PING_EVERY);
        lines_due.set_missed_tick_behavior(MissedTickBehavior::Delay);
        ping_due.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut heard = Instant::now();
        loop {
            let outcome = tokio::select! {
                message = socket.recv() => {
                    heard = Instant::now();
                    match message {
                        Some(Ok(message)) => self.receive(message),
                        _ => Err(End::Gone),
                    }
                }
                reply = self.outgoing.recv() => match reply {
                    Some(reply) => send(socket, &reply).await,
                    None => Err(End::Refused(close_code::ERROR, "the engine of this tab failed")),
                },
                _ = lines_due.tick() => self.send_lines(socket).await,
                _ = ping_due.tick() => {
                    let _ = self.orders.try_send(Instruction::Rebalance);
                    if heard.elapsed() > SILENCE {
                        Err(End::Gone)
                    } else {
                        write(socket, Message::Ping(Vec::new().into())).await
                    }
                }
            };
            if let Err(end) = outcome {
                return end;
            }
        }
    }

    fn receive(&mut self, message: Message) -> Result<(), End> {
        if !self.bucket.take() {
            return Err(End::Refused(close_code::POLICY, "too many messages"));
        }
        match message {
            Message::Text(text) => {
                let request = serde_json::from_str::<Request>(&text)
                    .map_err(|_| End::Refused(close_code::POLICY, "not a known request"))?;
                self.orders
                    .try_send(Instruction::Request(request))
                    .map_err(|_| End::Refused(close_code::POLICY, "too many requests at once"))
            }
            Message::Binary(_) => Err(End::Refused(close_code::UNSUPPORTED, "text expected")),
            Message::Ping(_) | Message::Pong(_) => Ok(()),
            Message::Close(_) => Err(End::Gone),
        }
    }

    async fn send_lines(&mut self, socket: &mut WebSocket) -> Result<(), End> {
        if !self.newest.has_changed().unwrap_or(false) {
            return Ok(());
        }
        let newest = self.newest.borrow_and_update().clone();
        match newest {
            Some(lines) => send(socket, &Reply::Lines(lines)).await,
            None => Ok(()),
        }
    }
}

async fn send(socket: &mut WebSocket, reply: &Reply) -> Result<(), End> {
    let text = serde_json::to_string(reply).map_err(|_| End::Gone)?;
    write(socket, Message::Text(text.into())).await
}

async fn write(socket: &mut WebSocket, message: Message) -> Result<(), End> {
    match timeout(PATIENCE, socket.send(message)).await {
        Ok(Ok(())) => Ok(()),
        _ => Err(End::Gone),
    }
}

/// Counts messages: a bucket that fills at [`RATE`] and holds [`BURST`].
struct Bucket {
    level: f64,
    filled: Instant,
}

impl Bucket {
    fn new() -> Self {
        Self { level: BURST, filled: Instant::now() }
    }

    fn take(&mut self) -> bool {
        let seconds = self.filled.elapsed().as_secs_f64();
        self.filled = Instant::now();
        self.level = (self.level + seconds * RATE).min(BURST) - 1.0;
        self.level >= 0.0
    }
}
