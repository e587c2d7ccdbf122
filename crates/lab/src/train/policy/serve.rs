//! Trainer and runtime agree on what a net says.

use super::batch::{Crop, MicroBatch};
use super::export;
use super::games::Games;
use super::layout::Layout;
use super::network::Network;
use super::policy_head;
use crate::work::random::SplitMix;
use std::sync::Arc;
use tabiya_chess::Board;
use tabiya_nn::policy::{Config, PolicyNet, Session};

/// Random games as people's text.
fn random_games(count: usize, plies: usize) -> String {
    let mut random = SplitMix::new(11);
    let mut game = || {
        let mut board = Board::default();
        let mut moves = Vec::new();
        for _ in 0..plies {
            let legal = board.legal_moves();
            let Some(mv) = legal.get(random.below(legal.len().max(1))) else { break };
            moves.push(board.uci(mv, false));
            board.play(mv);
        }
        format!("1400 1800 60+0 1-0|{}\n", moves.join(" "))
    };
    (0..count).map(|_| game()).collect()
}

#[test]
fn the_runtime_says_what_the_trainer_says() {
    let config = Config { blocks: 2, ..Config::extra_small() };
    let layout = Layout::new(&config);
    let latent = layout.first_parameters(8);
    let weights = export::weights(&layout, &latent);
    let parameters = export::parameters(&layout, &weights);
    let net = PolicyNet::load(&weights.to_gguf(&config, &[])).unwrap();
    let mut session = Session::new(Arc::new(net));
    let mut network = Network::new(&layout);
    let games = Games::from_text(&random_games(20, 50)).unwrap();
    let mut logits = Vec::new();
    let mut differences = Vec::new();
    for index in 0..games.len() {
        let mut batch = MicroBatch::default();
        let crop = Crop { start: 0, length: 50, mirror: false, skill: None };
        batch.push_crop(&games.game(index), crop);
        network.forward(&parameters, 1.0, &batch);
        for (token, choice) in batch.choices().enumerate() {
            session.follow(&batch.tokens[..=token]);
            let rows: Vec<_> = choice.rows.iter().map(|row| *row as usize).collect();
            let served = session.logits(&rows).unwrap();
            let h = &network.hidden[token * config.width..][..config.width];
            policy_head::logits(&network.policy(&parameters), h, choice.rows, &mut logits);
            let pairs = served.iter().zip(&logits);
            differences.push(pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f32::max));
        }
    }
    assert!(differences.len() >= 900, "{}", differences.len());
    differences.sort_by(f32::total_cmp);
    let at = |share: usize| differences[(differences.len() - 1) * share / 100];
    // The last bits of float sums differ. Where that moves an activation across the border between two
    // of its 8-bit numbers, a step of that number remains; elsewhere next to nothing.
    assert!(at(80) < 1e-4, "{}", at(80));
    assert!(at(100) < 0.05, "{}", at(100));
}
