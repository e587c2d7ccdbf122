//! Random nets and lines for the tests.

use std::sync::Arc;
use tabiya_chess::{Board, Move};
use tabiya_nn::policy::config::{ActQuant, Activation, Config, Input, RopeStyle};
use tabiya_nn::policy::input::{self, Skill};
use tabiya_nn::policy::{PolicyNet, Token, Weights};
use tabiya_nn::simd::ternary::Kernels;

pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        self.0 >> 33
    }

    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.next() as usize % limit
    }
}

/// The smallest net of our own kind.
pub(crate) fn small() -> Config {
    Config { blocks: 2, ffn: 256, window: 4, ..Config::small() }
}

/// Two blocks of the original's kind, with few positions, so that they run out.
pub(crate) fn original() -> Config {
    Config { blocks: 2, ffn: 512, context: 24, window: 24, ..Config::original() }
}

/// Shapes that differ in everything a file may choose.
pub(crate) fn shapes() -> Vec<Config> {
    vec![
        small(),
        original(),
        Config { act_quant: ActQuant::None, ..small() },
        Config { act_quant: ActQuant::None, ..original() },
        Config {
            activation: Activation::Silu,
            rope_style: RopeStyle::Interleaved,
            kv_heads: 8,
            ..small()
        },
        Config { rope_style: RopeStyle::None, heads: 16, head_dim: 16, kv_heads: 4, ..small() },
    ]
}

pub(crate) fn net(config: &Config, seed: u64, kernels: &'static Kernels) -> Arc<PolicyNet> {
    Arc::new(PolicyNet::new(config, Weights::random(config, seed), kernels))
}

/// The tokens of a random game from a position, at most so many.
pub(crate) fn line_from(
    random: &mut Random,
    config: &Config,
    start: &Board,
    plies: usize,
) -> Vec<Token> {
    let mut board = *start;
    let mut last: Option<Move> = None;
    let mut tokens = Vec::new();
    for _ in 0..plies {
        tokens.push(match config.input {
            Input::PlyBoard => input::token(&board, last, 0, Skill::ENGINE),
            Input::MoveTokens => Token::of_move(random.below(config.vocab.size()) as u16),
        });
        let moves = board.legal_moves();
        let Some(mv) = moves.get(random.below(moves.len().max(1))) else { break };
        board.play(mv);
        last = Some(mv);
    }
    tokens
}

pub(crate) fn line(random: &mut Random, config: &Config, plies: usize) -> Vec<Token> {
    loop {
        let tokens = line_from(random, config, &Board::default(), plies);
        if tokens.len() == plies {
            return tokens;
        }
    }
}
