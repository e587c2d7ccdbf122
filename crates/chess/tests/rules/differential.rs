//! This crate beside shakmaty and cozy-chess on random games: standard chess, Chess960 and double
//! Chess960 (each side its own array).
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::common::Random;
use shakmaty::fen::Fen;
use shakmaty::san::SanPlus;
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Chess, EnPassantMode, Position};
use tabiya_chess::{Board, Generate, Move, MoveList};

const POSITIONS: usize = 21_000;
const MAX_PLIES: usize = 160;
const ARRAYS: usize = 960;

/// One position in the three libraries.
struct Trio {
    ours: Board,
    shakmaty: Chess,
    cozy: cozy_chess::Board,
}

impl Trio {
    /// The start of game number `game`: the three kinds of chess take turns.
    fn start(random: &mut Random, game: usize) -> Self {
        let (white, black) = (random.below(ARRAYS) as u32, random.below(ARRAYS) as u32);
        let cozy = match game % 3 {
            0 => cozy_chess::Board::startpos(),
            1 => cozy_chess::Board::chess960_startpos(white),
            _ => cozy_chess::Board::double_chess960_startpos(white, black),
        };
        let fen = format!("{cozy:#}");
        let shakmaty = fen.parse::<Fen>().unwrap().into_position(CastlingMode::Chess960).unwrap();
        Self { ours: Board::from_fen(&fen, true).unwrap(), shakmaty, cozy }
    }

    fn play(&mut self, mv: Move) {
        let text = self.ours.uci(mv, true);
        let theirs = text.parse::<UciMove>().unwrap().to_move(&self.shakmaty).unwrap();
        self.shakmaty = self.shakmaty.clone().play(theirs).unwrap();
        self.cozy.try_play(text.parse().unwrap()).unwrap();
        self.ours.play(mv);
    }
}

/// Plays random games and shows every position to `check`, with its number.
fn play_games(seed: u64, positions: usize, mut check: impl FnMut(usize, &Trio)) {
    eprintln!("seed {seed:#x}");
    let mut random = Random(seed);
    let mut seen = 0;
    for game in 0.. {
        let mut trio = Trio::start(&mut random, game);
        for _ in 0..MAX_PLIES {
            check(seen, &trio);
            seen += 1;
            if seen == positions {
                return;
            }
            let moves = trio.ours.legal_moves();
            if moves.is_empty() || trio.ours.has_insufficient_material() {
                break;
            }
            trio.play(moves.get(random.below(moves.len())).unwrap());
        }
    }
}

fn sorted(moves: impl Iterator<Item = String>) -> Vec<String> {
    let mut moves: Vec<_> = moves.collect();
    moves.sort();
    moves
}

fn generated(board: &Board, kind: Generate) -> MoveList {
    let mut list = MoveList::new();
    board.generate(kind, &mut list);
    list
}

#[test]
fn moves_checks_and_fen_agree_with_other_libraries() {
    play_games(0x7AB1_7A01, POSITIONS, |_, Trio { ours, shakmaty, cozy }| {
        let moves = sorted(ours.legal_moves().iter().map(|mv| ours.uci(mv, true)));
        let theirs = shakmaty.legal_moves();
        let theirs = sorted(theirs.iter().map(|mv| mv.to_uci(CastlingMode::Chess960).to_string()));
        assert_eq!(moves, theirs, "shakmaty: {ours}");
        let mut theirs = Vec::new();
        cozy.generate_moves(|set| {
            theirs.extend(set.into_iter().map(|mv| mv.to_string()));
            false
        });
        assert_eq!(moves, sorted(theirs.into_iter()), "cozy-chess: {ours}");

        assert_eq!(ours.checkers().0, u64::from(shakmaty.checkers()), "{ours}");
        assert_eq!(ours.checkers().0, cozy.checkers().0, "{ours}");
        assert_eq!(ours.is_checkmate(), shakmaty.is_checkmate(), "{ours}");
        assert_eq!(ours.is_stalemate(), shakmaty.is_stalemate(), "{ours}");
        assert_eq!(ours.has_insufficient_material(), shakmaty.is_insufficient_material(), "{ours}");

        let fen = ours.to_string();
        assert_eq!(fen, Fen::from_position(shakmaty, EnPassantMode::Legal).to_string());
        assert_eq!(Board::from_fen(&fen, true).as_ref(), Ok(ours));
        assert_eq!(Board::from_fen(&ours.to_shredder_fen(), true).as_ref(), Ok(ours));
    });
}

#[test]
fn playing_keeps_the_board_consistent() {
    play_games(0x7AB1_7A02, POSITIONS, |_, Trio { ours, .. }| {
        for mv in &ours.legal_moves() {
            let mut child = *ours;
            child.play(mv);
            child.assert_consistent();
            assert_eq!(ours.gives_check(mv), child.in_check(), "{ours}: {mv:?}");
        }
    });
}

#[test]
fn generators_agree_with_each_other() {
    play_games(0x7AB1_7A03, POSITIONS, |_, Trio { ours, .. }| {
        let all = ours.legal_moves();
        let (noisy, quiet) = (generated(ours, Generate::Noisy), generated(ours, Generate::Quiet));
        assert!(noisy.iter().all(Move::is_noisy), "{ours}: {noisy:?}");
        assert!(!quiet.iter().any(Move::is_noisy), "{ours}: {quiet:?}");
        let text = |mv: Move| ours.uci(mv, true);
        let parts = sorted(noisy.iter().chain(quiet.iter()).map(text));
        assert_eq!(parts, sorted(all.iter().map(text)), "{ours}");
        assert_eq!(ours.count_legal_moves() as usize, all.len(), "{ours}");
        let mirrored = ours.mirrored();
        mirrored.assert_consistent();
        assert_eq!(mirrored.count_legal_moves() as usize, all.len(), "mirrored {ours}");
        assert_eq!(mirrored.mirrored(), *ours);
    });
}

#[test]
fn only_listed_moves_are_legal_among_all_bit_patterns() {
    play_games(0x7AB1_7A04, 6_000, |number, Trio { ours, .. }| {
        if number % 15 != 0 {
            return;
        }
        let listed = ours.legal_moves();
        let accepted = (0..=u16::MAX).filter_map(Move::from_bits).filter(|mv| ours.is_legal(*mv));
        let accepted: Vec<_> = accepted.collect();
        assert_eq!(accepted.len(), listed.len(), "{ours}: {accepted:?}");
        assert!(accepted.iter().all(|mv| listed.contains(*mv)), "{ours}: {accepted:?}");
    });
}

#[test]
fn notation_agrees_with_shakmaty_and_reads_back() {
    play_games(0x7AB1_7A05, 5_000, |_, Trio { ours, shakmaty, .. }| {
        for mv in &ours.legal_moves() {
            let uci = ours.uci(mv, true);
            assert_eq!(ours.parse_uci(&uci), Ok(mv), "{ours}");
            let theirs = uci.parse::<UciMove>().unwrap().to_move(shakmaty).unwrap();
            let san = ours.san(mv);
            assert_eq!(san, SanPlus::from_move(shakmaty.clone(), theirs).to_string(), "{ours}");
            assert_eq!(ours.parse_san(&san), Ok(mv), "{ours}");
            assert_eq!(ours.parse_san(&ours.lan(mv)), Ok(mv), "{ours}");
        }
    });
}
