//! The messages as TypeScript: `npm/src/messages.ts` is made from the Rust types, and this test
//! fails when it is not. `RENEW=1 cargo test -p tabiya-session typescript` writes it anew.

use crate::protocol::{
    Limit, Line, Lines, OptionRow, Outcome, PieceWorth, Position, PublicScore, Reply, Request,
    TableRow, TermRow,
};
use tabiya_lab::analyst::annotate::{
    GameAnalysis, Judgement, Mark, MoveAnalysis, Opening, Phase, PhaseSummary, SideSummary,
};
use ts_rs::{Config, TS};

const HEAD: &str = "// Made from the types of crates/session and crates/lab; see crates/session/src/typescript.rs.\n";

#[test]
fn the_page_knows_the_messages() {
    let config = Config::new().with_large_int("number");
    let declarations = [
        Request::decl(&config),
        Position::decl(&config),
        Limit::decl(&config),
        Reply::decl(&config),
        Lines::decl(&config),
        Line::decl(&config),
        PublicScore::decl(&config),
        PieceWorth::decl(&config),
        TermRow::decl(&config),
        TableRow::decl(&config),
        Outcome::decl(&config),
        OptionRow::decl(&config),
        GameAnalysis::decl(&config),
        MoveAnalysis::decl(&config),
        SideSummary::decl(&config),
        PhaseSummary::decl(&config),
        Phase::decl(&config),
        Opening::decl(&config),
        Judgement::decl(&config),
        Mark::decl(&config),
    ];
    let exports = declarations.map(|declaration| format!("\nexport {declaration}\n"));
    let text = HEAD.to_owned() + &exports.concat();
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../npm/src/messages.ts");
    if std::env::var_os("RENEW").is_some() {
        std::fs::write(path, &text).unwrap();
    }
    let kept = std::fs::read_to_string(path).unwrap_or_default();
    assert!(kept == text, "RENEW=1 cargo test -p tabiya-session typescript");
}
