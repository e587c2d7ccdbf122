//! The policy net beside the search: what it says about a game's position.
//!
//! [`Policy`] follows a game and proposes moves; `uses` names what the search may do with a proposal,
//! `human` plays by it as people do, `advisor` keeps the settings. Workers see only `Advice`, made once before a search begins.

pub(crate) mod advisor;
pub(crate) mod human;
mod uses;

pub use uses::{Control, Uses};

use crate::files::read_regular;
use crate::search::see::see_ge;
use std::fmt;
use std::path::Path;
use std::sync::{Arc, LazyLock};
use tabiya_chess::{Board, Game, Move};
use tabiya_nn::policy::gguf::FILE_LIMIT;
use tabiya_nn::policy::input::{self, Skill};
use tabiya_nn::policy::{PolicyError, PolicyNet, Session, Token, Value, vocab};

/// The net that was embedded when the program was built; empty if there was none.
static EMBEDDED: &[u8] = include_bytes!(env!("TABIYA_POLICY"));

/// Block weights whose work takes as long as one node of the search: what a question is charged with
/// where nodes are limited. An estimate (0.2 ms for the S net at a million nodes a second), to be measured.
const WEIGHTS_PER_NODE: usize = 30_000;

/// Why a policy file could not be used.
#[derive(Debug)]
pub enum PolicyFileError {
    /// The file cannot be read.
    Read(std::io::Error),
    /// The file is no net this program knows.
    Net(PolicyError),
    /// The net is sound, but reads something else than positions.
    Input,
}

impl fmt::Display for PolicyFileError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Read(error) => write!(f, "policy net: {error}"),
            Self::Net(error) => error.fmt(f),
            Self::Input => f.write_str("policy net: it reads lists of moves, not positions"),
        }
    }
}

impl std::error::Error for PolicyFileError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Read(error) => Some(error),
            Self::Net(error) => Some(error),
            Self::Input => None,
        }
    }
}

/// How a position came about: what the net reads.
#[derive(Clone, Debug, Default)]
pub struct GameHistory {
    start: Board,
    moves: Vec<Move>,
}

impl GameHistory {
    /// A position without a past.
    pub fn from_board(board: &Board) -> Self {
        Self { start: *board, moves: Vec::new() }
    }

    /// All plies of a game.
    pub fn from_game(game: &Game) -> Self {
        Self { start: *game.start(), moves: game.moves().to_vec() }
    }

    /// The tokens of all plies and the last board.
    fn tokens(&self, skill: Skill) -> (Vec<Token>, Board) {
        let mut board = self.start;
        let mut keys = Vec::with_capacity(self.moves.len());
        let mut tokens = vec![input::token(&board, None, 0, skill)];
        for mv in &self.moves {
            keys.push(board.key());
            board.play(*mv);
            let repetitions = keys.iter().filter(|key| **key == board.key()).count();
            tokens.push(input::token(&board, Some(*mv), repetitions, skill));
        }
        (tokens, board)
    }
}

/// A legal move and the chance that the net gives it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct PolicyMove {
    /// The move.
    pub mv: Move,
    /// Its chance, from 0 to 1.
    pub chance: f32,
}

/// What the net says about a position.
#[derive(Clone, PartialEq, Debug)]
pub struct Proposal {
    /// All legal moves, the likeliest first; the chances add up to one.
    pub moves: Vec<PolicyMove>,
    /// Chances of the side to move to win, draw and lose.
    pub wdl: Option<[f32; 3]>,
}

impl Proposal {
    /// The chance of a move; zero if it is not legal.
    pub fn chance(&self, mv: Move) -> f32 {
        self.moves.iter().find(|known| known.mv == mv).map_or(0.0, |known| known.chance)
    }

    /// How open the choice is: the entropy of the chances, in natural units.
    pub fn entropy(&self) -> f32 {
        -self.moves.iter().map(|mv| mv.chance * mv.chance.max(1e-9).ln()).sum::<f32>()
    }

    /// `policy e2e4 31.2% d2d4 27.9% wdl 382 455 163`: the likeliest moves, for an `info string`.
    pub fn describe(&self, board: &Board, chess960: bool) -> String {
        let moves = self.moves.iter().take(8);
        let moves = moves.map(|known| {
            format!(" {} {:.1}%", board.uci(known.mv, chess960), 100.0 * known.chance)
        });
        let wdl = self.wdl.map(|wdl| wdl.map(|x| (1000.0 * x).round()));
        let wdl = wdl.map(|[win, draw, loss]| format!(" wdl {win} {draw} {loss}"));
        format!("policy{}{}", moves.collect::<String>(), wdl.unwrap_or_default())
    }
}

/// Asks a net about the positions of a game, remembering what it computed for earlier plies.
///
/// ```no_run
/// use tabiya_engine::policy::{GameHistory, Policy};
/// use tabiya_nn::policy::input::Skill;
/// let mut policy = Policy::new(Policy::from_file("policy.gguf".as_ref())?);
/// let proposal = policy.ask(&GameHistory::default(), Skill::of_rating(1400)).unwrap();
/// println!("{:?}", proposal.moves[0].mv);
/// # Ok::<(), tabiya_engine::policy::PolicyFileError>(())
/// ```
pub struct Policy(Session);

impl Policy {
    /// Asks this net.
    pub fn new(net: Arc<PolicyNet>) -> Self {
        Self(Session::new(net))
    }

    /// The net inside the program, if there is one.
    pub fn embedded() -> Option<Arc<PolicyNet>> {
        static NET: LazyLock<Option<Arc<PolicyNet>>> = LazyLock::new(|| {
            let checked = "the embedded policy net was checked when the program was built";
            let load = || Arc::new(PolicyNet::load(EMBEDDED).expect(checked));
            (!EMBEDDED.is_empty()).then(load)
        });
        NET.clone()
    }

    /// The bytes of the net inside the program; empty if there is none.
    pub fn embedded_bytes() -> &'static [u8] {
        EMBEDDED
    }

    /// The net of a file that reads positions.
    pub fn from_file(path: &Path) -> Result<Arc<PolicyNet>, PolicyFileError> {
        Self::from_bytes(&read_regular(path, FILE_LIMIT).map_err(PolicyFileError::Read)?)
    }

    /// The net of a file that was read already.
    pub fn from_bytes(bytes: &[u8]) -> Result<Arc<PolicyNet>, PolicyFileError> {
        let net = PolicyNet::load(bytes).map_err(PolicyFileError::Net)?;
        if !net.config().reads_positions() {
            return Err(PolicyFileError::Input);
        }
        Ok(Arc::new(net))
    }

    /// The net that is asked.
    pub fn net(&self) -> &Arc<PolicyNet> {
        self.0.net()
    }

    /// Forgets the game.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// What a player of this skill would play. `None` if the net's numbers are not finite.
    pub fn ask(&mut self, line: &GameHistory, skill: Skill) -> Option<Proposal> {
        let (tokens, board) = line.tokens(skill);
        self.propose(&tokens, &board)
    }

    fn propose(&mut self, tokens: &[Token], board: &Board) -> Option<Proposal> {
        self.0.follow(tokens);
        let legal = board.legal_moves();
        let side = board.side_to_move();
        let is_split = self.net().config().see_split;
        let row = |mv| vocab::policy_row(mv, side, is_split && !see_ge(board, mv, 0));
        let rows: Vec<usize> = legal.iter().map(row).collect();
        let chances = self.0.policy(&rows)?;
        let moves = legal.iter().zip(chances).map(|(mv, chance)| PolicyMove { mv, chance });
        let mut moves: Vec<_> = moves.collect();
        moves.sort_by(|a, b| b.chance.total_cmp(&a.chance));
        let wdl = match self.0.value()? {
            Value::Wdl(wdl) => Some(wdl),
            Value::Score(_) => None,
        };
        Some(Proposal { moves, wdl })
    }

    /// The likeliest move of a position, without its past.
    pub(crate) fn best(&mut self, board: &Board) -> Option<Move> {
        let token = input::token(board, None, 0, Skill::ENGINE);
        Some(self.propose(&[token], board)?.moves.first()?.mv)
    }
}

/// What the threads of a search are told: the proposal, and what to use it for.
#[derive(Clone)]
pub(crate) struct Advice {
    pub(crate) proposal: Arc<Proposal>,
    pub(crate) uses: Uses,
    pub(crate) net: Arc<PolicyNet>,
}

impl Advice {
    /// Asks the net for the search of a position.
    pub(crate) fn new(policy: &mut Policy, line: &GameHistory, uses: Uses) -> Option<Self> {
        let mut proposal = policy.ask(line, Skill::ENGINE)?;
        uses.control.apply(&mut proposal);
        Some(Self { proposal: Arc::new(proposal), uses, net: Arc::clone(policy.net()) })
    }

    /// What one question costs where nodes are limited.
    pub(crate) fn cost(&self) -> u64 {
        self.net.config().block_weights().div_ceil(WEIGHTS_PER_NODE) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tabiya_nn::policy::{Config, Weights};

    fn random_policy() -> Policy {
        let config = Config { blocks: 1, ffn: 256, ..Config::small() };
        let file = Weights::random(&config, 7).to_gguf(&config, &[]);
        Policy::new(Arc::new(PolicyNet::load(&file).unwrap()))
    }

    #[test]
    fn a_proposal_holds_every_legal_move_once() {
        let mut policy = random_policy();
        let mut game = Game::default();
        for text in ["e2e4", "e7e5", "g1f3", "b8c6", "f3g1", "c6b8"] {
            let proposal = policy.ask(&GameHistory::from_game(&game), Skill::ENGINE).unwrap();
            let legal = game.board().legal_moves();
            assert_eq!(proposal.moves.len(), legal.len());
            assert!(legal.iter().all(|mv| proposal.chance(mv) > 0.0));
            let sum: f32 = proposal.moves.iter().map(|mv| mv.chance).sum();
            assert!((sum - 1.0).abs() < 1e-5);
            assert!(proposal.moves.is_sorted_by(|a, b| a.chance >= b.chance));
            game.play(game.board().parse_uci(text).unwrap()).unwrap();
        }
    }

    #[test]
    fn a_proposal_is_shown_in_one_line() {
        let proposal = random_policy().ask(&GameHistory::default(), Skill::ENGINE).unwrap();
        let text = proposal.describe(&Board::default(), false);
        assert!(
            text.starts_with("policy ") && text.contains('%') && text.contains(" wdl "),
            "{text}"
        );
    }

    #[test]
    fn the_embedded_net_loads_if_there_is_one() {
        assert_eq!(Policy::embedded().is_some(), !EMBEDDED.is_empty());
    }

    #[test]
    fn nets_that_read_moves_are_refused() {
        let config = Config { blocks: 1, ffn: 256, ..Config::original() };
        let path = std::env::temp_dir().join(format!("tabiya-{}.gguf", std::process::id()));
        std::fs::write(&path, Weights::random(&config, 1).to_gguf(&config, &[])).unwrap();
        let error = Policy::from_file(&path).err().unwrap();
        std::fs::remove_file(&path).unwrap();
        assert!(matches!(error, PolicyFileError::Input), "{error}");
    }
}
