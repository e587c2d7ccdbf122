//! Distillation: positions near those of games, judged without a search by the net of another engine.
//!
//! Games show few of the positions a search asks about, and a game's scores are few as well. One or
//! two random moves from every position of a game give as many other positions as one likes, and a
//! large net judges them at tens of thousands a second: enough for nets that would learn the games by
//! heart.

use crate::data::positions::{ExpandError, Filter, block_name, game_blocks, game_hash, visit};
use crate::data::record::{Game, Header, LabelledPosition, RecordError, Verdict, Writer};
use crate::data::teacher::{Labeller, Teacher};
use crate::work::SplitMix;
use crate::work::files;
use crate::work::ordered_map;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use tabiya_chess::{Board, Move};
use tabiya_engine::see_ge;

/// One position in so many is two random moves away instead of one.
const TWO_MOVES: usize = 3;
/// Random moves tried until one loses nothing at once.
const TRIES: usize = 6;

/// What to make.
#[derive(Clone, Debug)]
pub struct DistilConfig {
    /// Files of games.
    pub inputs: Vec<PathBuf>,
    /// Which positions are kept, from the first ply on; games for validation are left out.
    pub filter: Filter,
    /// Decides the random moves: another seed gives other positions of the same games.
    pub seed: u64,
    /// Games worked on at the same time.
    pub threads: usize,
}

/// How far a run is.
#[derive(Clone, Copy, Debug, Default)]
pub struct DistilProgress {
    /// Games read.
    pub games: u64,
    /// Positions written.
    pub positions: u64,
}

/// Writes the positions near those of all games but the ones for validation and those without a result.
pub fn run(
    config: &DistilConfig,
    teacher: &Teacher,
    header: &Header,
    output: &Path,
    stop: &AtomicBool,
    mut observe: impl FnMut(DistilProgress),
) -> Result<DistilProgress, ExpandError> {
    let mut progress = DistilProgress::default();
    let blocks = config.inputs.iter().flat_map(|path| game_blocks(path));
    let fail = |error| ExpandError::Write(output.to_owned(), error);
    files::replace_with(output, fail, |fresh| {
        let mut writer = Writer::create(fresh, header).map_err(fail)?;
        ordered_map(
            blocks.take_while(|_| !stop.load(Relaxed)),
            config.threads,
            block_name,
            |(path, block, games)| {
                let games = games.map_err(|error| ExpandError::Read(path.clone(), error))?;
                let mut found = Vec::new();
                let mut labeller = Labeller::new(teacher);
                visit(&games, &path, block, |game| near(config, &mut labeller, game, &mut found))?;
                Ok::<_, ExpandError>((games.len(), found))
            },
            |made| {
                let (games, found) = made?;
                progress.games += games as u64;
                progress.positions += found.len() as u64;
                found.iter().try_for_each(|position| writer.push(position)).map_err(fail)?;
                observe(progress);
                Ok::<_, ExpandError>(())
            },
        )?;
        writer.finish().map(|_| ()).map_err(fail)
    })?;
    Ok(progress)
}

/// Judges a position near each one of a game.
fn near(
    config: &DistilConfig,
    labeller: &mut Labeller,
    game: &Game,
    found: &mut Vec<LabelledPosition>,
) -> Result<(), RecordError> {
    let hash = game_hash(game)?;
    if config.filter.validates(hash) {
        return Ok(());
    }
    let mut random = SplitMix::new(SplitMix::new(config.seed).next() ^ hash);
    let mut packed = Ok(());
    game.replay(|board, _| {
        let moves = if random.below(TWO_MOVES) == 0 { 2 } else { 1 };
        let Some(board) = wander(*board, moves, &mut random) else { return };
        if config.filter.lacks_material(&board) || !is_quiet(&board) {
            return;
        }
        // A game without a result has nothing to say about one.
        let Some(verdict) = Verdict::of(game.result(), board.side_to_move()) else { return };
        let score = labeller.score(&board);
        if score.abs() > i32::from(config.filter.max_score) {
            return;
        }
        match LabelledPosition::new(&board, score as i16, verdict) {
            Ok(position) => found.push(position),
            Err(error) => packed = Err(error),
        }
    })?;
    Ok(packed?)
}

/// Plays so many random moves that lose no material at once, if there are any.
pub(crate) fn wander(mut board: Board, moves: usize, random: &mut SplitMix) -> Option<Board> {
    for _ in 0..moves {
        let legal = board.legal_moves();
        if legal.is_empty() {
            return None;
        }
        let mv = (0..TRIES)
            .filter_map(|_| legal.get(random.below(legal.len())))
            .find(|mv| see_ge(&board, *mv, 0))?;
        board.play(mv);
    }
    board.has_legal_move().then_some(board)
}

/// Whether no capture wins material, no pawn promotes and nobody is in check.
pub(crate) fn is_quiet(board: &Board) -> bool {
    let wins = |mv: Move| mv.is_promotion() || (mv.is_capture() && see_ge(board, mv, 1));
    !board.in_check() && !board.legal_moves().iter().any(wins)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::data::positions;
    use crate::data::teacher::halfka::tests::random_net;
    use std::sync::Arc;
    use tabiya_chess::GameResult;

    /// A file of random games of at most so many plies.
    pub(crate) fn random_games(path: &Path, games: usize, plies: usize, result: GameResult) {
        let mut writer = Writer::create(path, &Header::default()).unwrap();
        let mut random = SplitMix::new(9);
        for _ in 0..games {
            let mut board = Board::default();
            let mut game = Game::new(&board, result).unwrap();
            for _ in 0..plies {
                let moves = board.legal_moves();
                let Some(mv) = moves.get(random.below(moves.len().max(1))) else { break };
                game.push(mv, Some(0));
                board.play(mv);
            }
            writer.push(&game).unwrap();
        }
        writer.finish().unwrap();
    }

    #[test]
    fn positions_are_quiet_judged_and_the_same_with_any_number_of_threads() {
        let folder = std::env::temp_dir().join(format!("tabiya-distil-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let (games, output) = (folder.join("some.games"), folder.join("near.pos"));
        random_games(&games, 30, 40, GameResult::Draw);
        let net = Teacher::HalfKa(Arc::new(random_net()));
        let make = |threads, validation_permille| {
            let filter = Filter { validation_permille, ..Filter::default() };
            let config = DistilConfig { inputs: vec![games.clone()], filter, seed: 1, threads };
            let header = Header { description: "near".to_string(), ..Header::default() };
            let done =
                run(&config, &net, &header, &output, &AtomicBool::new(false), |_| {}).unwrap();
            let (made, read) = positions::read(std::slice::from_ref(&output)).unwrap();
            assert_eq!(read, header);
            assert_eq!((done.games, done.positions), (30, made.len() as u64));
            made
        };
        let made = make(1, 10);
        assert!(made.len() > 100, "{}", made.len());
        let mut labeller = Labeller::new(&net);
        for position in &made {
            let board = position.to_board().unwrap();
            assert!(is_quiet(&board), "{board}");
            assert_eq!(i32::from(position.score), labeller.score(&board), "{board}");
        }
        assert_eq!(make(3, 10), made);
        assert!(make(1, 1000).is_empty(), "every game is for validation");
        let (_, both) = positions::read(&[output.clone(), output]).unwrap();
        assert_eq!(both.description, "near; near");
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn games_without_a_result_teach_nothing() {
        let folder = std::env::temp_dir().join(format!("tabiya-unknown-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let (games, output) = (folder.join("some.games"), folder.join("near.pos"));
        random_games(&games, 5, 40, GameResult::Unknown);
        let config =
            DistilConfig { inputs: vec![games], filter: Filter::default(), seed: 1, threads: 1 };
        let net = Teacher::HalfKa(Arc::new(random_net()));
        let done = run(&config, &net, &Header::default(), &output, &AtomicBool::new(false), |_| {})
            .unwrap();
        assert_eq!((done.games, done.positions), (5, 0));
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn an_output_that_cannot_be_written_is_named() {
        let config =
            DistilConfig { inputs: Vec::new(), filter: Filter::default(), seed: 1, threads: 1 };
        let net = Teacher::HalfKa(Arc::new(random_net()));
        let output = Path::new("no/such/folder/near.pos");
        let error = run(&config, &net, &Header::default(), output, &AtomicBool::new(false), |_| {})
            .unwrap_err()
            .to_string();
        assert!(error.starts_with("cannot write no/such/folder/near.pos: "), "{error}");
    }

    #[test]
    fn wandering_loses_nothing_at_once_and_follows_from_the_seed() {
        let start: Board =
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1".parse().unwrap();
        let us = start.side_to_move();
        let walk = |moves| {
            let wander = move |seed| wander(start, moves, &mut SplitMix::new(seed));
            (0..200).filter_map(wander).collect::<Vec<_>>()
        };
        assert_eq!(walk(0), vec![start; 200]);
        let (one, two) = (walk(1), walk(2));
        assert!(one.len() > 190 && two.len() > 190, "{} {}", one.len(), two.len());
        assert!(two.iter().all(|board| board.side_to_move() == us));
        assert_eq!(one, walk(1));
        for board in &one {
            // Where a piece went without a capture, nothing can be won by taking it.
            let arrived = board.color(us) - start.occupied();
            let takes = |mv: &Move| mv.is_capture() && arrived.contains(mv.to());
            assert!(
                !board.legal_moves().iter().filter(takes).any(|mv| see_ge(board, mv, 1)),
                "{board}"
            );
        }
    }

    #[test]
    fn a_position_is_quiet_when_nothing_can_be_won() {
        let quiet = |fen: &str| is_quiet(&fen.parse().unwrap());
        assert!(quiet("4k3/8/4p3/3p4/8/2N5/8/4K3 w - - 0 1"), "a guarded pawn");
        assert!(!quiet("4k3/8/8/3p4/8/2N5/8/4K3 w - - 0 1"), "a loose pawn");
        assert!(!quiet("8/P7/8/8/8/8/k7/4K3 w - - 0 1"), "a promotion");
        assert!(!quiet("4k3/8/8/8/8/8/4r3/4K3 w - - 0 1"), "check");
    }
}
