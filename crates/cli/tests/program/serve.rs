//! `tabiya serve` under abuse: everything a hostile page, a broken client or a crowd can do to it.
#![cfg(feature = "serve")]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tungstenite::client::IntoClientRequest;
use tungstenite::http::HeaderValue;
use tungstenite::{Error, Message, WebSocket};

/// The longest anything may take; only a failing test waits that long.
const PATIENCE: Duration = Duration::from_mins(1);

/// A running server that ends with its test.
struct Server {
    process: Child,
    address: String,
    token: String,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

type Tab = WebSocket<TcpStream>;

impl Server {
    fn start(args: &[&str]) -> Self {
        let mut process = Command::new(env!("CARGO_BIN_EXE_tabiya"))
            .args(["serve", "--port", "0", "--no-open", "--no-page"])
            .args(args)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let (address, token) =
            line.trim().strip_prefix("http://").unwrap().split_once("/#").unwrap();
        Self { process, address: address.to_owned(), token: token.to_owned() }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    /// Sends bytes and reads the answer to its end.
    fn raw(&self, request: &str) -> String {
        let mut stream = self.connect();
        let mut answer = Vec::new();
        // The server may hang up on nonsense before it has read all of it.
        let _ = stream.write_all(request.as_bytes());
        let _ = stream.read_to_end(&mut answer);
        String::from_utf8_lossy(&answer).into_owned()
    }

    fn status(&self, request: &str) -> u16 {
        let answer = self.raw(request);
        answer.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or(0)
    }

    fn get(&self, path: &str) -> u16 {
        self.status(&format!("GET {path} HTTP/1.1\r\nHost: {}\r\n\r\n", self.address))
    }

    /// Opens a WebSocket with these headers in place of the right ones; `Err` is the status.
    fn upgrade(&self, changes: &[(&'static str, Option<&str>)]) -> Result<Tab, u16> {
        let mut request = format!("ws://{}/socket", self.address).into_client_request().unwrap();
        let headers = request.headers_mut();
        let mut set = |name: &'static str, value: &str| {
            headers.insert(name, HeaderValue::from_str(value).unwrap());
        };
        set("origin", &format!("http://{}", self.address));
        set("sec-websocket-protocol", &format!("tabiya, {}", self.token));
        for (name, value) in changes {
            match value {
                Some(value) => drop(headers.insert(*name, HeaderValue::from_str(value).unwrap())),
                None => drop(headers.remove(*name)),
            }
        }
        match tungstenite::client(request, self.connect()) {
            Ok((tab, _)) => Ok(tab),
            Err(tungstenite::HandshakeError::Failure(Error::Http(response))) => {
                Err(response.status().as_u16())
            }
            Err(other) => panic!("{other}"),
        }
    }

    /// A number of the process's status: `Threads`, or `VmRSS` in kilobytes.
    #[cfg(target_os = "linux")]
    fn status_of_process(&self, name: &str) -> u64 {
        let path = format!("/proc/{}/status", self.process.id());
        let status = std::fs::read_to_string(path).unwrap();
        let line = status.lines().find(|line| line.starts_with(name)).unwrap();
        line.split_ascii_whitespace().nth(1).unwrap().parse().unwrap()
    }

    /// A tab that has been greeted.
    fn tab(&self) -> Tab {
        let mut tab = self.upgrade(&[]).unwrap();
        assert_eq!(next(&mut tab)["type"], "hello");
        tab
    }
}

fn send(tab: &mut Tab, message: &Value) {
    tab.send(Message::text(message.to_string())).unwrap();
}

/// The next message for the page.
fn next(tab: &mut Tab) -> Value {
    loop {
        match tab.read().unwrap() {
            Message::Text(text) => return serde_json::from_str(&text).unwrap(),
            Message::Ping(_) | Message::Pong(_) => {}
            other => panic!("{other:?}"),
        }
    }
}

/// The next message of a type.
fn expect(tab: &mut Tab, kind: &str) -> Value {
    loop {
        let message = next(tab);
        if message["type"] == kind {
            return message;
        }
    }
}

/// Reads until the server closes the connection, and returns the code it gave.
fn close_code(tab: &mut Tab) -> Option<u16> {
    let begin = Instant::now();
    loop {
        assert!(begin.elapsed() < PATIENCE, "the connection stays open");
        match tab.read() {
            Ok(Message::Close(frame)) => return frame.map(|frame| frame.code.into()),
            Ok(_) => {}
            Err(_) => return None,
        }
    }
}

fn start_position() -> Value {
    json!({"fen": tabiya_chess::START_FEN, "moves": [], "chess960": false})
}

fn analyse(id: u32, lines: usize) -> Value {
    json!({"type": "analyse", "id": id, "position": start_position(), "lines": lines, "threat": false})
}

#[test]
fn other_names_and_other_sites_are_refused() {
    let server = Server::start(&[]);
    let address = server.address.clone();
    let port = address.rsplit(':').next().unwrap();
    assert_eq!(server.get("/"), 200);
    for (headers, status) in [
        ("Host: evil.example\r\n".to_owned(), 421),
        (format!("Host: evil.example:{port}\r\n"), 421),
        (format!("Host: {address}\r\nHost: evil.example\r\n"), 400),
        (String::new(), 400),
        (format!("Host: {address}\r\nOrigin: http://evil.example\r\n"), 403),
        (format!("Host: {address}\r\nOrigin: null\r\n"), 403),
        (format!("Host: {address}\r\nSec-Fetch-Site: cross-site\r\n"), 403),
        (format!("Host: localhost:{port}\r\n"), 200),
    ] {
        let request = format!("GET / HTTP/1.1\r\n{headers}\r\n");
        assert_eq!(server.status(&request), status, "{headers}");
    }
    let answer = server.raw(&format!("GET / HTTP/1.1\r\nHost: {address}\r\n\r\n")).to_lowercase();
    assert!(answer.contains("content-security-policy: default-src 'none'"), "{answer}");
    assert!(!answer.contains("access-control") && !answer.contains(&server.token), "{answer}");
}

#[test]
fn a_socket_needs_origin_and_token() {
    let server = Server::start(&[]);
    let other_port = format!("http://{}1", server.address);
    let short = format!("tabiya, {}", &server.token[..31]);
    for (changes, status) in [
        (vec![("origin", None)], 403),
        (vec![("origin", Some("null"))], 403),
        (vec![("origin", Some("http://evil.example"))], 403),
        (vec![("origin", Some(other_port.as_str()))], 403),
        (vec![("host", Some("evil.example"))], 421),
        (vec![("sec-websocket-protocol", None)], 401),
        (vec![("sec-websocket-protocol", Some("tabiya"))], 401),
        (vec![("sec-websocket-protocol", Some(short.as_str()))], 401),
        (vec![("sec-websocket-protocol", Some("tabiya, "))], 401),
    ] {
        assert_eq!(server.upgrade(&changes).err(), Some(status), "{changes:?}");
    }
    server.tab();
}

#[test]
fn no_path_leads_out_of_the_page() {
    let server = Server::start(&[]);
    for path in [
        "/../Cargo.toml",
        "/../../../../../../etc/passwd",
        "/%2e%2e/%2e%2e/etc/passwd",
        "/..%2f..%2fetc%2fpasswd",
        "/assets/../../../Cargo.toml",
        "//etc/passwd",
        "/C:/Windows/win.ini",
        "/..\\..\\etc\\passwd",
        "/index.html%00.js",
        "/index.html/",
        "/.git/config",
        "/assets",
    ] {
        let status = server.get(path);
        assert!(status == 404 || status == 400, "{path}: {status}");
    }
    let long = format!("/{}", "a".repeat(40_000));
    assert!([0, 400, 404, 414, 431].contains(&server.get(&long)));
    let post =
        format!("POST / HTTP/1.1\r\nHost: {}\r\nContent-Length: 2\r\n\r\n{{}}", server.address);
    assert_eq!(server.status(&post), 405);
    let many = "X-Header: y\r\n".repeat(500);
    let heavy = format!("GET / HTTP/1.1\r\nHost: {}\r\n{many}\r\n", server.address);
    assert!([0, 400, 431].contains(&server.status(&heavy)));
    assert!([0, 400].contains(&server.status("\x16\x03\x01 this is not HTTP\r\n\r\n")));
    assert_eq!(server.get("/"), 200);
}

#[test]
fn broken_messages_cost_the_connection_and_nothing_else() {
    let server = Server::start(&["--tabs", "4"]);
    let mut witness = server.tab();
    let deep = format!("{}{}", "[".repeat(5000), "]".repeat(5000));
    let big = "x".repeat(65 << 10);
    for text in [
        "",
        "not json",
        "{",
        "[]",
        "null",
        r#"{"type": "launch"}"#,
        r#"{"type": "stop", "path": "/etc/passwd"}"#,
        r#"{"type": "analyse", "id": -1}"#,
        r#"{"type": "analyse", "id": 99999999999}"#,
        r#"{"type": "option", "name": "Hash", "name": "Hash", "value": "1"}"#,
        deep.as_str(),
        big.as_str(),
    ] {
        let mut tab = server.tab();
        tab.send(Message::text(text)).unwrap();
        let code = close_code(&mut tab);
        assert!(
            matches!(code, Some(1008 | 1009) | None),
            "{}: {code:?}",
            &text[..text.len().min(60)]
        );
    }
    let mut tab = server.tab();
    tab.send(Message::binary(vec![0; 10])).unwrap();
    assert_eq!(close_code(&mut tab), Some(1003));
    send(&mut witness, &analyse(1, 1));
    assert_eq!(expect(&mut witness, "lines")["id"], 1);
}

#[test]
fn senseless_requests_are_refused_with_a_reason() {
    let server = Server::start(&[]);
    let mut tab = server.tab();
    let position = |fen: &str, moves: Value| json!({"fen": fen, "moves": moves, "chess960": false});
    let inspect = |position: Value| json!({"type": "inspect", "id": 7, "position": position});
    let option = |name: &str, value: &str| json!({"type": "option", "name": name, "value": value});
    let start = tabiya_chess::START_FEN;
    for (request, reason) in [
        (inspect(position("", json!([]))), "missing"),
        (inspect(position("8/8/8/8/8/8/8/K7 w - - 0 1", json!([]))), "black has no king"),
        (inspect(position(start, json!(["e2e5"]))), "illegal move e2e5"),
        (inspect(position(start, json!(["<script>"]))), "script"),
        (inspect(position(start, json!(vec!["e2e4"; 1001]))), "more than 1000"),
        (option("EvalFile", "/etc/passwd"), "no such option"),
        (option("Debug Log File", "/x"), "no such option"),
        (option("BookFile", "/etc/passwd"), "no such option"),
        (option("SyzygyPath", "/"), "no such option"),
        (option("Hash", "33554432"), "a whole number from 1 to"),
        (option("Threads", "1000"), "a whole number from 1 to"),
        (option("nonsense", ""), "no such option"),
    ] {
        send(&mut tab, &request);
        let reply = expect(&mut tab, "refused");
        assert!(reply["reason"].as_str().unwrap().contains(reason), "{request}: {reply}");
    }
    let sicilian = position(start, json!(["e2e4", "c7c5"]));
    send(&mut tab, &json!({"type": "opening", "id": 8, "position": sicilian}));
    assert_eq!(expect(&mut tab, "opening")["name"], "Sicilian Defense");
    send(&mut tab, &inspect(start_position()));
    let reply = expect(&mut tab, "inspection");
    assert_eq!((&reply["id"], reply["pieces"].as_array().unwrap().len()), (&json!(7), 30));
}

#[test]
fn endgame_tables_are_shown_where_they_are() {
    let Some(tables) = crate::data::path("syzygy") else { return };
    let server = Server::start(&["--syzygy", tables.to_str().unwrap()]);
    let mut tab = server.upgrade(&[]).unwrap();
    let hello = expect(&mut tab, "hello");
    assert_eq!((&hello["tables"], &hello["human"]), (&json!(4), &json!(true)));
    let ask = |id: u32, fen: &str| {
        let position = json!({"fen": fen, "moves": [], "chess960": false});
        json!({"type": "endgame", "id": id, "position": position})
    };
    send(&mut tab, &ask(1, "6k1/8/6K1/8/8/8/8/R7 w - - 0 1"));
    let reply = expect(&mut tab, "endgame");
    assert_eq!(reply["moves"][0], json!({"move": "a1a8", "outcome": "win", "plies": 1}));
    send(&mut tab, &ask(2, tabiya_chess::START_FEN));
    assert_eq!(expect(&mut tab, "endgame")["moves"], json!([]));
    drop(server);
    let refused = Command::new(env!("CARGO_BIN_EXE_tabiya"))
        .args(["serve", "--no-open", "--no-page", "--syzygy", "/no/such/folder"])
        .output()
        .unwrap();
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("--syzygy: folder /no/such/folder"));
}

#[test]
fn moves_are_found_and_lines_are_complete() {
    let server = Server::start(&["--threads", "1"]);
    let mut tab = server.tab();
    send(&mut tab, &analyse(3, 4));
    let lines = expect(&mut tab, "lines");
    assert_eq!((&lines["id"], lines["lines"].as_array().unwrap().len()), (&json!(3), 4));
    let mate = json!({"fen": "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1", "moves": [], "chess960": false});
    let limit = json!({"kind": "time", "ms": 50});
    send(
        &mut tab,
        &json!({
            "type": "think", "id": 4, "position": mate, "limit": limit, "elo": null, "human": false
        }),
    );
    let best = expect(&mut tab, "best");
    assert_eq!((&best["move"], &best["score"]), (&json!("a1a8"), &json!({"mate": 1})));
    // Black threatens mate on the back rank if White passes; scores are White's.
    let threat =
        json!({"fen": "r5k1/5ppp/8/8/8/8/5PPP/6K1 w - - 0 1", "moves": [], "chess960": false});
    send(
        &mut tab,
        &json!({"type": "analyse", "id": 5, "position": threat, "lines": 1, "threat": true}),
    );
    loop {
        let lines = expect(&mut tab, "lines");
        if lines["id"] == 5 && lines["lines"][0]["score"] == json!({"mate": -1}) {
            assert_eq!(lines["lines"][0]["moves"], json!(["a8a1"]));
            break;
        }
    }
}

#[test]
fn a_game_gets_its_report() {
    let server = Server::start(&["--threads", "1"]);
    let mut tab = server.tab();
    let moves = ["f2f3", "e7e5", "g2g4", "d8h4"];
    let position = json!({"fen": tabiya_chess::START_FEN, "moves": moves, "chess960": false});
    send(&mut tab, &json!({"type": "report", "id": 9, "position": position, "nodes": 1000}));
    let progress = expect(&mut tab, "progress");
    assert_eq!((&progress["done"], &progress["total"]), (&json!(1), &json!(5)));
    let report = expect(&mut tab, "report");
    assert_eq!((&report["id"], &report["game"]["moves"][3]["san"]), (&json!(9), &json!("Qh4#")));
    assert_eq!(report["game"]["moves"][2]["judgement"], "blunder");
    assert_eq!(report["game"]["white"]["blunders"], 1);
}

#[test]
fn a_report_can_be_cancelled() {
    let server = Server::start(&[]);
    let mut tab = server.tab();
    let moves = ["f2f3", "e7e5", "g2g4", "d8h4"];
    let position = json!({"fen": tabiya_chess::START_FEN, "moves": moves, "chess960": false});
    send(&mut tab, &json!({"type": "report", "id": 9, "position": position, "nodes": 5_000_000}));
    expect(&mut tab, "progress");
    send(&mut tab, &json!({"type": "cancel_report"}));
    // The next one is not delayed by the first, and nothing is heard of that any more.
    send(&mut tab, &json!({"type": "report", "id": 10, "position": position, "nodes": 1000}));
    assert_eq!(expect(&mut tab, "report")["id"], 10);
}

#[test]
fn tabs_share_threads_and_a_closed_tab_gives_its_own_back() {
    let server = Server::start(&["--threads", "2"]);
    let wait_for = |tab: &mut Tab, threads: u64| {
        while expect(tab, "lines")["threads"] != threads {}
    };
    let mut first = server.tab();
    send(&mut first, &analyse(1, 1));
    wait_for(&mut first, 2);
    let mut second = server.tab();
    send(&mut second, &analyse(1, 1));
    wait_for(&mut second, 1);
    wait_for(&mut first, 1);
    drop(first);
    wait_for(&mut second, 2);
}

#[test]
#[cfg(target_os = "linux")]
fn tabs_that_come_and_go_leave_nothing_behind() {
    let server = Server::start(&[]);
    let threads = server.status_of_process("Threads");
    let visit = |times: u32| {
        for id in 0..times {
            let mut tab = server.tab();
            send(&mut tab, &analyse(id, 3));
            expect(&mut tab, "lines");
        }
        // Threads of closed tabs end soon; the server may keep a few of its own.
        assert!((0..200).any(|_| {
            std::thread::sleep(Duration::from_millis(50));
            server.status_of_process("Threads") < threads + 10
        }));
        server.status_of_process("VmRSS")
    };
    // What is made once is made in the first visits.
    let before = visit(5);
    let after = visit(50);
    // A tab that stayed would keep at least 4 MB of history tables.
    assert!(after < before + 100_000, "{before} kB grew to {after} kB");
}

#[test]
fn a_crowd_gets_no_places_and_takes_none_away() {
    let server = Server::start(&["--tabs", "2"]);
    let mut witness = server.tab();
    let _second = server.tab();
    assert_eq!(server.upgrade(&[]).err(), Some(503));
    let crowd: Vec<_> = (0..1000).map(|_| TcpStream::connect(&server.address)).collect();
    send(&mut witness, &analyse(1, 1));
    assert_eq!(expect(&mut witness, "lines")["id"], 1);
    drop(crowd);
    // The places of those who hung up are free as soon as the server has noticed.
    assert!((0..200).any(|_| {
        std::thread::sleep(Duration::from_millis(50));
        server.get("/") == 200
    }));
}

#[test]
fn slow_clients_keep_nobody_waiting() {
    let server = Server::start(&[]);
    let mut half_a_request = server.connect();
    half_a_request.write_all(b"GET / HTTP/1.1\r\nHost: ").unwrap();
    let mut deaf = server.tab();
    send(&mut deaf, &analyse(1, 5));
    let mut tab = server.tab();
    send(&mut tab, &analyse(2, 1));
    assert_eq!(expect(&mut tab, "lines")["id"], 2);
    // Whoever does not finish a request is hung up on.
    let mut answer = Vec::new();
    let _ = half_a_request.read_to_end(&mut answer);
    assert!(!answer.starts_with(b"HTTP/1.1 200"), "{answer:?}");
}

#[test]
fn a_flood_of_messages_is_cut_off() {
    let server = Server::start(&[]);
    let mut tab = server.tab();
    let stop = json!({"type": "stop"}).to_string();
    for _ in 0..300 {
        if tab.send(Message::text(stop.clone())).is_err() {
            break;
        }
    }
    assert!(matches!(close_code(&mut tab), Some(1008) | None));
    server.tab();
}

#[test]
fn other_machines_need_permission() {
    let output = Command::new(env!("CARGO_BIN_EXE_tabiya"))
        .args(["serve", "--bind", "0.0.0.0", "--no-open", "--no-page"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("--allow-remote"));
}

/// A program without its page has nothing to open: it says how to build it, and no address.
#[test]
fn without_the_page_there_is_no_address() {
    if std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../web/dist/index.html"))
        .exists()
    {
        eprintln!("skipped: the page is built");
        return;
    }
    let output = Command::new(env!("CARGO_BIN_EXE_tabiya"))
        .args(["serve", "--port", "0", "--no-open"])
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(output.stdout.is_empty());
    assert!(text.contains("make serve") && text.lines().count() == 1, "{text}");
}

/// The page of a run is served from its folder, by the rules of all other answers.
#[test]
fn a_run_of_learn_is_shown() {
    let folder = std::env::temp_dir().join(format!("tabiya-serve-learn-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    let tiny = "--generations 1 --shape 768x1-128s-1x1 --nodes 5 --games 8 --epochs 1 --gate-games 2 \
         --gate-nodes 5 --yardstick-games 2";
    let learnt = Command::new(env!("CARGO_BIN_EXE_tabiya"))
        .arg("learn")
        .arg(&folder)
        .args(tiny.split_ascii_whitespace())
        .output()
        .unwrap();
    assert!(learnt.status.success(), "{}", String::from_utf8_lossy(&learnt.stderr));
    let server = Server::start(&["--learn", folder.to_str().unwrap()]);
    for path in ["/learn", "/learn/page.js", "/learn/page.css"] {
        assert_eq!(server.get(path), 200, "{path}");
    }
    assert_eq!(server.get("/learn/learn.json"), 404);
    let answer =
        server.raw(&format!("GET /learn/status.json HTTP/1.1\r\nHost: {}\r\n\r\n", server.address));
    let (_, body) = answer.split_once("\r\n\r\n").unwrap();
    let run: Value = serde_json::from_str(body).unwrap();
    assert_eq!(run["generations"].as_array().unwrap().len(), 1);
    assert_eq!(run["status"]["phase"], json!("idle"));
    let foreign = "GET /learn/status.json HTTP/1.1\r\nHost: evil.example\r\n\r\n";
    assert_eq!(server.status(foreign), 421);
    std::fs::remove_dir_all(folder).unwrap();
}
