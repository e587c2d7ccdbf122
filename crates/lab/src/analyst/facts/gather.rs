//! Gathering the facts about a move that was not the best.

use super::check::counts;
use super::confirm::{CLAIM, SecondLook};
use super::position::{is_pawn_ending, lost_castling, passed_pawn, themes};
use super::threat::threat_of;
use super::{CP_PER_PAWN, Claim, Fact, LOST, THEME_CP, Turn, WON, draw, gap_cp};
use crate::analyst::insight::{
    Exchange, SettledLine, Thinker, Thought, countable_points, end_of, is_quiet, win_percent,
};
use crate::analyst::motifs;
use tabiya_chess::{Board, Move};
use tabiya_engine::Score;

/// Part of the second search's budget for a look at the end of a line.
const END_PART: u32 = 2;
/// Points of the win percentage that the end of a line may differ from its start.
const DRIFT: f64 = 15.0;
/// Points of a line that are tried as its end.
const TRIED_ENDS: usize = 3;
/// Plies of the line that shows how a result changes.
const TURN_PLIES: usize = 7;
/// Nodes that the second search of a move gets at least: it proves what is said in words.
pub(crate) const CONFIRM_NODES: u64 = 16_000;
/// Further searches of a move that seems to cost less than so many points of the win percentage, for so
/// little may be an error of the search: each is that many times as long as the first and knows nothing of
/// the others.
const FURTHER_LOOKS: [(f64, u32); 3] = [(30.0, 2), (15.0, 4), (10.0, 8)];
/// Points of the win percentage that no bad move costs less than.
pub(crate) const LEAST_COST: f64 = 5.0;
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

/// What was found out about a move that was not the best.
#[derive(Clone, PartialEq, Debug)]
pub struct Findings {
    /// What can be said of it.
    pub facts: Vec<Fact>,
    /// What a second search thinks of the move and of the better one.
    pub look: SecondLook,
}

/// The facts about a move that was not the best: what it allows and misses, what threat it overlooks,
/// and what was better. Each is confirmed by a second search that knows nothing of the first; what is
/// not is left out, and a weaker fact may take its place.
pub fn about_mistake(thinker: &mut Thinker, moment: &Moment) -> Findings {
    let mut case = Case::new(thinker, moment);
    let mates = [case.missed_mate(thinker), case.allowed_mate(thinker)];
    let material = if mates[1].is_none() { case.material() } else { Vec::new() };
    let loses = mates[1].is_some() || material.iter().any(|fact| is_loss(&fact.claim));
    let threat = loses && overlooks_threat(thinker, moment);
    let draw = draw::claim(moment, &case.played, &case.best);
    let budget = thinker.budget.at_least(CONFIRM_NODES);
    thinker.with_fresh_eyes(budget, |second| {
        let mut witness = Witness::new(second, &case);
        let mut facts: Vec<Fact> = Vec::new();
        for claim in mates.into_iter().flatten() {
            facts.extend(witness.confirmed(case.fact(claim)));
        }
        if !facts.iter().any(|fact| is_loss(&fact.claim)) {
            facts.extend(material.into_iter().find_map(|fact| witness.confirmed(fact)));
        }
        if threat && facts.iter().any(|fact| is_loss(&fact.claim)) {
            facts.extend(witness.confirmed(case.fact(Claim::IgnoresThreat)));
        }
        facts.extend(draw.and_then(|claim| witness.confirmed(case.fact(claim))));
        if facts.is_empty() {
            facts.extend(case.weaker().into_iter().find_map(|fact| witness.confirmed(fact)));
        }
        // Where nothing else says why, the line that changes the result does.
        let plies = if facts.is_empty() { [TURN_PLIES, 2, 1] } else { [1; 3] };
        let mut turns = plies.into_iter().filter_map(|plies| case.turn(plies));
        facts.extend(turns.find_map(|fact| witness.confirmed(fact)));
        if !facts.iter().any(|fact| matches!(fact.claim, Claim::MissesMate(_))) {
            let better = case.fact(Claim::Better(moment.thought.score));
            facts.extend(witness.confirmed(better));
        }
        Findings { facts, look: witness.look }
    })
}

/// Whether a claim says that something is lost.
const fn is_loss(claim: &Claim) -> bool {
    matches!(claim, Claim::AllowsMate(_) | Claim::Loses(_) | Claim::AllowsPromotion)
}

/// The second search, which remembers what the ends of lines are worth.
struct Witness<'a> {
    thinker: &'a mut Thinker,
    look: SecondLook,
    /// How far the end of a line is from what the line promises: which line, how many plies, points.
    drifts: Vec<(bool, usize, f64)>,
}

impl<'a> Witness<'a> {
    fn new(thinker: &'a mut Thinker, case: &Case) -> Self {
        let moment = case.moment;
        let moves = [case.best.first().copied(), Some(moment.mv)];
        let lines = [&case.played[..], &case.best[..]].into_iter();
        let mut look = SecondLook::new(thinker, moment.board, moment.keys, moves, lines, &CLAIM);
        let usual = thinker.budget;
        for (doubtful, times) in FURTHER_LOOKS {
            if !(LEAST_COST..doubtful).contains(&look.cost()) {
                break;
            }
            thinker.new_game();
            thinker.budget = usual.times(times);
            let lines = std::iter::empty();
            let again = SecondLook::new(thinker, moment.board, moment.keys, moves, lines, &CLAIM);
            if again.cost() < look.cost() {
                look = again;
            }
        }
        thinker.budget = usual;
        Self { thinker, look, drifts: Vec::new() }
    }

    /// A fact that the second search believes.
    fn confirmed(&mut self, fact: Fact) -> Option<Fact> {
        fact.check().ok()?;
        let compares_ends = matches!(
            fact.claim,
            Claim::Loses(_)
                | Claim::AllowsPromotion
                | Claim::Misses(_)
                | Claim::MissesPromotion
                | Claim::AllowsPassedPawn(_)
                | Claim::Theme(_)
        );
        let is_sound =
            !compares_ends || [true, false].iter().all(|line| self.is_sound(&fact, *line));
        (is_sound && self.look.confirm(self.thinker, &fact, &CLAIM).is_ok()).then_some(fact)
    }

    /// Whether the end of a line that is compared with the other's is about what the line promises.
    fn is_sound(&mut self, fact: &Fact, is_played: bool) -> bool {
        let (line, start) =
            if is_played { (&fact.played, self.look.played) } else { (&fact.best, self.look.best) };
        let known = self.drifts.iter().find(|known| known.0 == is_played && known.1 == line.len());
        let drift = if let Some((.., drift)) = known {
            *drift
        } else {
            let score = self.thinker.score_at_end(&fact.board, line, END_PART);
            let drift = win_percent(score) - win_percent(start);
            self.drifts.push((is_played, line.len(), drift));
            drift
        };
        drift.abs() <= DRIFT
    }
}

/// Both lines of a move that was not the best, and where pieces can be counted in them.
struct Case<'a> {
    moment: &'a Moment<'a>,
    played: Vec<Move>,
    best: Vec<Move>,
}

impl<'a> Case<'a> {
    fn new(thinker: &mut Thinker, moment: &'a Moment<'a>) -> Self {
        let mut played: Vec<Move> =
            std::iter::once(moment.mv).chain(moment.reply.line.iter().copied()).collect();
        let mut best = moment.thought.line.clone();
        for line in [&mut played, &mut best] {
            thinker.continue_line(moment.board, line, is_quiet);
        }
        Self { moment, played, best }
    }

    /// A claim with all of both lines.
    fn fact(&self, claim: Claim) -> Fact {
        self.fact_between(claim, self.played.len(), self.best.len())
    }

    /// A claim with both lines up to somewhere.
    fn fact_between(&self, claim: Claim, played: usize, best: usize) -> Fact {
        let (board, us) = (*self.moment.board, self.moment.board.side_to_move());
        let (played, best) = (self.played[..played].to_vec(), self.best[..best].to_vec());
        let motif = match claim {
            Claim::AllowsMate(_) | Claim::Loses(_) | Claim::AllowsPromotion => {
                motifs::cause(&end_of(&board, &played[..1]), &played[1..], us)
            }
            Claim::MissesMate(_) | Claim::Misses(_) | Claim::MissesPromotion => {
                motifs::cause(&board, &best, !us)
            }
            _ => None,
        };
        Fact { claim, board, played, best, motif }
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

    /// Where the two lines can be compared, the best places first.
    fn ends(&self) -> Vec<[SettledLine; 2]> {
        let points = |line| {
            let mut points = countable_points(self.moment.board, line);
            points.truncate(TRIED_ENDS);
            points
        };
        let (played, best) = (points(&self.played), points(&self.best));
        let mut pairs: Vec<(usize, [SettledLine; 2])> = Vec::new();
        for (i, one) in played.iter().enumerate() {
            pairs.extend(best.iter().enumerate().map(|(j, other)| (i + j, [*one, *other])));
        }
        pairs.sort_by_key(|(order, _)| *order);
        pairs.into_iter().map(|(_, pair)| pair).collect()
    }

    /// What the move loses, or misses, in pieces: only if hardly anything is under way at the ends of both
    /// lines and the evaluation has changed by as much.
    fn material(&self) -> Vec<Fact> {
        let claim = |ends: &[SettledLine; 2]| self.material_between(ends);
        let told = |ends: [SettledLine; 2]| {
            claim(&ends).map(|claim| self.fact_between(claim, ends[0].plies, ends[1].plies))
        };
        self.ends().into_iter().filter_map(told).collect()
    }

    fn material_between(&self, [played_end, best_end]: &[SettledLine; 2]) -> Option<Claim> {
        let board = self.moment.board;
        let us = board.side_to_move();
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

    /// Reasons without mates and captures, the best first.
    fn weaker(&self) -> Vec<Fact> {
        let board = self.moment.board;
        let ends = self.ends();
        let mut facts: Vec<Fact> = Vec::new();
        let mut among = |claim: &dyn Fn(&[SettledLine; 2]) -> Option<Claim>| {
            facts.extend(ends.iter().filter_map(|pair| {
                Some(self.fact_between(claim(pair)?, pair[0].plies, pair[1].plies))
            }));
        };
        among(&|pair| self.pawn_ending(pair));
        among(&|[played, best]| {
            passed_pawn(board, &best.board, &played.board).map(Claim::AllowsPassedPawn)
        });
        among(&|[played, best]| {
            let changes = themes(board.side_to_move(), &best.board, &played.board);
            changes.into_iter().find(|change| change.cp >= THEME_CP).map(Claim::Theme)
        });
        if lost_castling(board, self.moment.mv, self.best.first().copied()) {
            facts.insert(0, self.fact(Claim::LosesCastling));
        }
        facts
    }

    /// Whether the pieces go, or should have gone, and the pawns decide.
    fn pawn_ending(&self, [played, best]: &[SettledLine; 2]) -> Option<Claim> {
        let is_ending = [self.moment.board, &played.board, &best.board].map(is_pawn_ending);
        let (before, after) =
            (win_percent(self.moment.thought.score), win_percent(self.moment.score()));
        match is_ending {
            [false, true, false] if after <= LOST => Some(Claim::EntersPawnEnding),
            [false, false, true] if before >= WON => Some(Claim::MissesPawnEnding),
            _ => None,
        }
    }

    /// The change of the expected result, with so much of the line that brings it about.
    fn turn(&self, plies: usize) -> Option<Fact> {
        let before = win_percent(self.moment.thought.score);
        let after = win_percent(self.moment.score());
        let fits = |turn: &Turn| {
            let (least, most) = turn.bounds();
            before >= least && after <= most && (plies > 1 || turn.is_great())
        };
        let turn = Turn::ALL.into_iter().find(fits)?;
        let played = self.played.len().min(plies);
        Some(self.fact_between(Claim::Turn(turn), played, self.best.len()))
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
