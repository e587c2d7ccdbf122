//! What a search tells while it runs, as messages for the page.

use super::protocol::{Line, Lines, PublicScore, Reply, white_chances};
use super::session::Outbox;
use super::share::Place;
use tabiya_chess::Board;
use tabiya_engine::{Info, Reporter, SearchResult};

/// Turns what a search tells into messages.
pub(crate) struct Stream {
    pub(crate) id: u32,
    pub(crate) board: Board,
    /// Lines of a complete set.
    pub(crate) expected: usize,
    pub(crate) threads: usize,
    /// Whether the page waits for a move.
    pub(crate) tells_best: bool,
    pub(crate) lines: Vec<Line>,
    pub(crate) out: Outbox,
    /// Kept as long as the search runs.
    #[expect(dead_code, reason = "its end is what counts")]
    pub(crate) place: Place,
}

impl Reporter for Stream {
    fn info(&mut self, info: &Info) {
        if info.bound.is_some() {
            return;
        }
        // Lines of the last iteration must not stand beside those of this one.
        self.lines.truncate(info.multi_pv.saturating_sub(1));
        self.lines.push(line(&self.board, info));
        if self.lines.len() >= self.expected {
            self.out.lines.send_replace(Some(Lines {
                id: self.id,
                depth: info.depth,
                nodes: info.nodes,
                nps: info.nps(),
                threads: self.threads,
                best: self.lines.clone(),
            }));
        }
    }

    fn message(&mut self, _: &str) {}

    fn finished(&mut self, result: &SearchResult) {
        if self.tells_best {
            let _ = self.out.send(Reply::Best {
                id: self.id,
                mv: result.best.map(|mv| self.board.uci(mv, true)),
                score: PublicScore::new(result.score, &self.board),
            });
        }
    }
}

fn line(board: &Board, info: &Info) -> Line {
    let mut current = *board;
    let moves = info.line.iter().map(|&mv| {
        let text = current.uci(mv, true);
        current.play(mv);
        text
    });
    Line {
        depth: info.depth,
        score: PublicScore::new(info.score, board),
        wdl: white_chances(info.wdl, board),
        moves: moves.collect(),
    }
}
