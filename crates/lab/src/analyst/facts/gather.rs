//! Gathering the facts about a move that was not the best.

use super::check::counts;
use super::position::{is_pawn_ending, lost_castling, passed_pawn, themes};
use super::threat::threat_of;
use super::{CP_PER_PAWN, Claim, Fact, LOST, THEME_CP, Turn, WON, draw, gap_cp};
use crate::analyst::insight::{
    Exchange, SettledLine, Thinker, Thought, countable_points, end_of, is_quiet, win_percent,
};
use crate::analyst::motifs;
use tabiya_chess::{Board, Move};
use tabiya_engine::Score;

/// Part of the budget for a look at the end of a line.
const END_PART: u32 = 8;
/// Points of the win percentage that the end of a line may differ from its start.
const DRIFT: f64 = 10.0;
/// Points of a line that are tried as its end.
const TRIED_ENDS: usize = 2;
/// The longest mate whose line is followed to its end, in plies.
const LONGEST_MATE: usize = 40;

/// A move and what was thought before and after it.
#[derive(Clone, Copy, Debug)]
pub struct Moment<'a> {
    /// The position before the move.
    pub board: &'a Board,
    /// Keys of the positions before that.
    pub keys: &'a [u64],
    /// The move.
    pub mv: Move,
    /// What the engine thought before the move.
    pub thought: &'a Thought,
    /// What it thinks after the move, for the opponent.
    pub reply: &'a Thought,
}

impl Moment<'_> {
    /// The score of the move for whoever made it.
    pub(super) fn score(&self) -> Score {
        self.reply.score.reversed()
    }
}

/// The facts about a move that was not the best: what it allows and misses, what threat it overlooks,
/// and what was better.
pub fn about_mistake(thinker: &mut Thinker, moment: &Moment) -> Vec<Fact> {
    let mut case = Case::new(thinker, moment);
    let missed = case.missed_mate(thinker);
    let allowed = case.allowed_mate(thinker);
    let material = if allowed.is_some() {
        None
    } else {
        case.find_ends(thinker);
        case.material()
    };
    let mut claims: Vec<Claim> = missed.into_iter().chain(allowed).chain(material).collect();
    let loses = claims.iter().any(|claim| {
        matches!(claim, Claim::AllowsMate(_) | Claim::Loses(_) | Claim::AllowsPromotion)
    });
    if loses && overlooks_threat(thinker, moment) {
        claims.push(Claim::IgnoresThreat);
    }
    claims.extend(draw::claim(moment, &case.played, &case.best));
    if claims.is_empty() {
        claims.extend(case.pawn_ending().or_else(|| case.positional()));
    }
    claims.extend(case.turn());
    if missed.is_none() {
        claims.push(Claim::Better(moment.thought.score));
    }
    claims.into_iter().map(|claim| case.fact(claim)).collect()
}

/// Both lines of a move that was not the best, long enough to count pieces at their ends.
struct Case<'a> {
    moment: &'a Moment<'a>,
    played: Vec<Move>,
    best: Vec<Move>,
    played_end: Option<SettledLine>,
    best_end: Option<SettledLine>,
}

impl<'a> Case<'a> {
    fn new(thinker: &mut Thinker, moment: &'a Moment<'a>) -> Self {
        let mut played: Vec<Move> =
            std::iter::once(moment.mv).chain(moment.reply.line.iter().copied()).collect();
        let mut best = moment.thought.line.clone();
        for line in [&mut played, &mut best] {
            thinker.continue_line(moment.board, line, is_quiet);
        }
        Self { moment, played, best, played_end: None, best_end: None }
    }

    /// Finds where the pieces can be counted in both lines: where the position is worth what the line's
    /// first move is, for only so far does it show good play.
    fn find_ends(&mut self, thinker: &mut Thinker) {
        let board = self.moment.board;
        let mut sound_end = |line: &[Move], score: Score| {
            countable_points(board, line).into_iter().take(TRIED_ENDS).find(|end| {
                let at_end = thinker.score_at_end(board, &line[..end.plies], END_PART);
                (win_percent(at_end) - win_percent(score)).abs() <= DRIFT
            })
        };
        self.played_end = sound_end(&self.played, self.moment.score());
        self.best_end = sound_end(&self.best, self.moment.thought.score);
    }

    fn fact(&self, claim: Claim) -> Fact {
        let cut = |line: &[Move], end: &Option<SettledLine>| {
            line[..end.map_or(line.len(), |end| end.plies)].to_vec()
        };
        let (board, us) = (*self.moment.board, self.moment.board.side_to_move());
        let mut fact = Fact {
            claim,
            board,
            played: self.played.clone(),
            best: self.best.clone(),
            motif: None,
        };
        match claim {
            Claim::Loses(_)
            | Claim::AllowsPromotion
            | Claim::Misses(_)
            | Claim::MissesPromotion => {
                fact.played = cut(&self.played, &self.played_end);
                fact.best = cut(&self.best, &self.best_end);
            }
            Claim::Theme(_)
            | Claim::AllowsPassedPawn(_)
            | Claim::EntersPawnEnding
            | Claim::MissesPawnEnding => {
                fact.played = cut(&self.played, &self.played_end);
                fact.best = cut(&self.best, &self.best_end);
                return fact;
            }
            Claim::AllowsMate(_) | Claim::MissesMate(_) => {}
            _ => return fact,
        }
        let after = end_of(&board, &fact.played[..1]);
        fact.motif = match claim {
            Claim::AllowsMate(_) | Claim::Loses(_) => motifs::cause(&after, &fact.played[1..], us),
            _ => motifs::cause(&board, &fact.best, !us),
        };
        fact
    }

    fn missed_mate(&mut self, thinker: &mut Thinker) -> Option<Claim> {
        let moves = mate_in(self.moment.thought.score)?;
        finish_mate(thinker, self.moment.board, &mut self.best, 2 * moves as usize - 1)?;
        Some(Claim::MissesMate(self.best.len().div_ceil(2) as i32))
    }

    fn allowed_mate(&mut self, thinker: &mut Thinker) -> Option<Claim> {
        let moves = mate_in(self.moment.reply.score)?;
        finish_mate(thinker, self.moment.board, &mut self.played, 2 * moves as usize)?;
        Some(Claim::AllowsMate((self.played.len() / 2) as i32))
    }

    /// What the move loses, or misses, in pieces: only if hardly anything is under way at the ends of both
    /// lines and the evaluation has changed by as much.
    fn material(&self) -> Option<Claim> {
        let board = self.moment.board;
        let us = board.side_to_move();
        let (played_end, best_end) = (self.played_end?, self.best_end?);
        let played = Exchange::along(board, &self.played[..played_end.plies], us);
        let best = Exchange::along(board, &self.best[..best_end.plies], us);
        let pawns = played.loss() - best.loss();
        let gap = gap_cp(self.moment.thought.score, self.moment.score());
        if gap < CP_PER_PAWN * pawns || !counts(&played_end.board, &best_end.board, pawns) {
            return None;
        }
        if played.loss() > best.loss().max(0) {
            return if played.is_promotion() {
                Some(Claim::AllowsPromotion)
            } else {
                played.loss_text().map(|_| Claim::Loses(played))
            };
        }
        let won = best.reversed();
        if won.is_promotion() {
            Some(Claim::MissesPromotion)
        } else {
            won.loss_text().map(|_| Claim::Misses(won))
        }
    }

    /// Whether the pieces go, or should have gone, and the pawns decide.
    fn pawn_ending(&self) -> Option<Claim> {
        let (played, best) = (self.played_end?, self.best_end?);
        let is_ending = [self.moment.board, &played.board, &best.board].map(is_pawn_ending);
        let (before, after) =
            (win_percent(self.moment.thought.score), win_percent(self.moment.score()));
        match is_ending {
            [false, true, false] if after <= LOST => Some(Claim::EntersPawnEnding),
            [false, false, true] if before >= WON => Some(Claim::MissesPawnEnding),
            _ => None,
        }
    }

    /// Reasons without mates and captures.
    fn positional(&self) -> Option<Claim> {
        let board = self.moment.board;
        if lost_castling(board, self.moment.mv, self.best.first().copied()) {
            return Some(Claim::LosesCastling);
        }
        let (played, best) = (self.played_end?, self.best_end?);
        if let Some(square) = passed_pawn(board, &best.board, &played.board) {
            return Some(Claim::AllowsPassedPawn(square));
        }
        let changes = themes(board.side_to_move(), &best.board, &played.board);
        changes.into_iter().find(|change| change.cp >= THEME_CP).map(Claim::Theme)
    }

    fn turn(&self) -> Option<Claim> {
        let before = win_percent(self.moment.thought.score);
        let after = win_percent(self.moment.score());
        Some(Claim::Turn(match (before, after) {
            (WON.., ..LOST) => Turn::WonToLost,
            (WON.., ..60.0) => Turn::WonToEqual,
            (40.0.., ..LOST) => Turn::EqualToLost,
            _ => return None,
        }))
    }
}

/// Whether the refutation was there before the move: it wins if the mover passes, too.
fn overlooks_threat(thinker: &mut Thinker, moment: &Moment) -> bool {
    let threat = threat_of(thinker, moment.board, moment.thought.score.reversed());
    threat.is_some_and(|threat| threat.line.first().copied() == moment.reply.best())
}

/// Continues a line until it mates; `None` if it does not, or takes longer than promised.
fn finish_mate(
    thinker: &mut Thinker,
    board: &Board,
    line: &mut Vec<Move>,
    plies: usize,
) -> Option<()> {
    if plies > LONGEST_MATE {
        return None;
    }
    thinker.continue_line(board, line, Board::is_checkmate);
    (line.len() <= plies && end_of(board, line).is_checkmate()).then_some(())
}

/// Whether a score means mate for whoever it belongs to.
fn mate_in(score: Score) -> Option<i32> {
    match score {
        Score::Mate(moves) if moves > 0 => Some(moves),
        _ => None,
    }
}
