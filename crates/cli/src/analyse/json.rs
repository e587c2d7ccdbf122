//! An analysis as JSON, one object per line. Scores and chances are White's.

use serde_json::{Value, json};
use tabiya_chess::{Board, Color};
use tabiya_engine::{Info, InfoBound, Score, SearchResult};

/// `{"cp": 35}` or `{"mate": -3}`.
fn score(score: Score, board: &Board) -> Value {
    match score.white_view(board.side_to_move()) {
        Score::Mate(moves) => json!({ "mate": moves }),
        other => json!({ "cp": other.comparable() }),
    }
}

/// A line of the search.
pub(super) fn info(board: &Board, info: &Info) -> Value {
    let is_white = board.side_to_move() == Color::White;
    let (wdl, reversed) = (info.wdl, [info.wdl.loss, info.wdl.draw, info.wdl.win]);
    json!({
        "type": "info",
        "view": "white",
        "depth": info.depth,
        "seldepth": info.seldepth,
        "multipv": info.multi_pv,
        "score": score(info.score, board),
        "bound": info.bound.map(|bound| match (bound, is_white) {
            (InfoBound::Lower, true) | (InfoBound::Upper, false) => "lower",
            _ => "upper",
        }),
        "wdl": if is_white { [wdl.win, wdl.draw, wdl.loss] } else { reversed },
        "nodes": info.nodes,
        "nps": info.nps(),
        "time_ms": info.time.as_millis() as u64,
        "hashfull": info.hashfull,
        "line": board.line_san(&info.line),
    })
}

/// The end of the search.
pub(super) fn result(board: &Board, result: &SearchResult) -> Value {
    json!({
        "type": "result",
        "view": "white",
        "fen": board.to_string(),
        "best": result.best.map(|mv| board.san(mv)),
        "score": score(result.score, board),
        "depth": result.depth,
        "nodes": result.nodes,
        "time_ms": result.time.as_millis() as u64,
        "line": board.line_san(&result.line),
    })
}
