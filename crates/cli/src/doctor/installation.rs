//! The parts of this installation: networks, books, endgame tables, the page.

use super::{DoctorArgs, Finding};
use std::path::Path;
use tabiya_chess::Board;
use tabiya_engine::Tablebase;
use tabiya_engine::book::Book;
use tabiya_engine::eval::{Evaluation, read_network};
use tabiya_engine::policy::Policy;
use tabiya_nn::policy::PolicyNet;

pub(super) fn findings(args: &DoctorArgs) -> Vec<Finding> {
    let mut found = vec![network(), policy(), book(&Book::embedded(), "inside the program")];
    found.extend(args.evalfile.as_deref().map(network_file));
    found.extend(args.policyfile.as_deref().map(policy_file));
    found.extend(args.book.as_deref().map(book_file));
    found.push(args.syzygy.as_deref().map_or_else(no_tables, tables));
    #[cfg(feature = "serve")]
    found.push(page());
    found
}

fn network() -> Finding {
    match Evaluation::embedded() {
        Evaluation::Network(network, _) => {
            Finding::good("network", format!("inside the program, {:016x}", network.checksum()))
        }
        Evaluation::Classical | Evaluation::Other(_) => Finding::note(
            "network",
            "none inside the program: the hand-crafted evaluation judges, which is much weaker",
            "set the option EvalFile, or build with EVALFILE=net.nnue",
        ),
    }
}

fn network_file(path: &Path) -> Finding {
    match read_network(path) {
        Ok(network) => {
            Finding::good("network", format!("{}, {:016x}", path.display(), network.checksum()))
        }
        Err(error) => Finding::bad("network", error.to_string(), "tabiya net verify says the same"),
    }
}

fn policy() -> Finding {
    match Policy::embedded_bytes() {
        [] => Finding::good("policy net", "none inside the program; it is optional"),
        bytes => checked_policy(bytes, "inside the program"),
    }
}

fn policy_file(path: &Path) -> Finding {
    let name = path.display().to_string();
    match std::fs::read(path) {
        Ok(bytes) => checked_policy(&bytes, &name),
        Err(error) => Finding::bad("policy net", format!("{name}: {error}"), "name a GGUF file"),
    }
}

fn checked_policy(bytes: &[u8], name: &str) -> Finding {
    match PolicyNet::load(bytes) {
        Ok(net) => Finding::good("policy net", format!("{name}, {:016x}", net.id())),
        Err(error) => Finding::bad(
            "policy net",
            format!("{name}: {error}"),
            "tabiya policy info shows what is in a file",
        ),
    }
}

/// A book is right if it knows a legal move from the first position.
fn book(book: &Book, name: &str) -> Finding {
    let text = format!("{name}, {} moves", book.len());
    if book.moves(&Board::default()).is_empty() {
        return Finding::note(
            "book",
            format!("{text}, none of them for the initial position"),
            "tabiya book show BOOK shows what it knows",
        );
    }
    Finding::good("book", text)
}

fn book_file(path: &Path) -> Finding {
    match Book::open(path) {
        Ok(opened) => book(&opened, &path.display().to_string()),
        Err(error) => Finding::bad("book", error.to_string(), "name a Polyglot book"),
    }
}

fn no_tables() -> Finding {
    Finding::good("tables", "none asked for (--syzygy FOLDERS checks them); they are optional")
}

fn tables(folders: &Path) -> Finding {
    let opened = match Tablebase::open(folders.as_os_str()) {
        Ok(opened) => opened,
        Err(error) => {
            return Finding::bad("tables", error.to_string(), "name folders with .rtbw files");
        }
    };
    // A table is opened when it is asked; these are small and in every collection.
    let known = |fen: &str| {
        let board: Board = fen.parse().expect("the positions are legal");
        opened.wdl(&board).is_some()
    };
    let answers = known("8/8/8/8/8/3k4/8/K6Q w - - 0 1") || known("8/8/8/8/8/3k4/8/K6R w - - 0 1");
    let text = format!("{} files, up to {} pieces", opened.count(), opened.max_pieces());
    let faults = opened.take_faults();
    if let Some(fault) = faults.first() {
        let advice = "copy the named files again; the others are used";
        return Finding::bad("tables", format!("{text}; {fault}"), advice);
    }
    if !answers {
        let advice = "the tables of three pieces are missing; get them too";
        return Finding::note(
            "tables",
            format!("{text}; queen or rook against king: no answer"),
            advice,
        );
    }
    Finding::good("tables", text)
}

#[cfg(feature = "serve")]
fn page() -> Finding {
    if crate::serve::has_page() {
        Finding::good("web board", "inside the program: tabiya serve")
    } else {
        Finding::note(
            "web board",
            "the page is not inside this program",
            "make serve builds both (needs Node.js 20.19 or newer)",
        )
    }
}
