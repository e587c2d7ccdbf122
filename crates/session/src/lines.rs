//! What a search tells while it runs, as messages for the page.

use crate::protocol::{Line, Lines, PublicScore, Reply, white_chances};
use tabiya_chess::Board;
use tabiya_engine::{Info, SearchResult};

/// Gathers the lines of a search.
pub struct LineSet {
    id: u32,
    board: Board,
    /// Lines of a complete set.
    expected: usize,
    threads: usize,
    lines: Vec<Line>,
}

impl LineSet {
    /// For a search of a position with so many lines.
    pub fn new(id: u32, board: &Board, lines: usize, threads: usize) -> Self {
        let expected = lines.min(board.legal_moves().len());
        Self { id, board: *board, expected, threads, lines: Vec::new() }
    }

    /// Takes what the search tells; returns the lines whenever all of them are known.
    pub fn add(&mut self, info: &Info) -> Option<Lines> {
        if info.bound.is_some() {
            return None;
        }
        // Lines of the last iteration must not stand beside those of this one.
        self.lines.truncate(info.multi_pv.saturating_sub(1));
        self.lines.push(line(&self.board, info));
        (self.lines.len() >= self.expected).then(|| Lines {
            id: self.id,
            depth: info.depth,
            nodes: info.nodes,
            nps: info.nps(),
            threads: self.threads,
            best: self.lines.clone(),
        })
    }

    /// The move chosen in the end.
    pub fn best(&self, result: &SearchResult) -> Reply {
        Reply::Best {
            id: self.id,
            mv: result.best.map(|mv| self.board.uci(mv, true)),
            score: PublicScore::new(result.score, &self.board),
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
