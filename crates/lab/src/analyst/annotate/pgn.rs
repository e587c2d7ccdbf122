//! A game with the analysis written into it.

use super::analysis::{GameAnalysis, MoveAnalysis};
use tabiya_chess::pgn::{Comment, Eval, PgnGame, PgnMove, Score as PgnScore, Variation};
use tabiya_engine::Score;

/// Plies of a variation.
const SHOWN: usize = 10;
/// Glyphs for the quality of a move, of which there is one per move.
const QUALITY: std::ops::RangeInclusive<u8> = 1..=7;

/// Writes evaluations, glyphs, remarks, best lines and tags into a game.
///
/// What other annotators wrote stays: their glyph where a move has one, their words before ours. An
/// evaluation in a comment is replaced.
pub fn annotate(game: &mut PgnGame, analysis: &GameAnalysis) {
    for (step, known) in game.mainline.moves.iter_mut().zip(&analysis.moves) {
        annotate_move(step, known);
    }
    if let Some(error) = &analysis.error {
        let last = game.mainline.moves.last_mut();
        let comment = last.map_or(&mut game.mainline.comment, |step| &mut step.comment);
        append(comment, &format!("Not readable to the end: {error}."));
    }
    let program = concat!("Tabiya ", env!("CARGO_PKG_VERSION"));
    game.set_tag("Annotator", format!("{program}, {}", analysis.budget));
    if let Some(opening) = &analysis.opening {
        for (tag, value) in [("ECO", &opening.eco), ("Opening", &opening.name)] {
            if !value.is_empty() && game.tag(tag).is_none() {
                game.set_tag(tag, value);
            }
        }
    }
    for (name, side) in [("White", &analysis.white), ("Black", &analysis.black)] {
        if let Some((accuracy, loss)) = side.accuracy.zip(side.average_loss_cp) {
            game.set_tag(&format!("{name}Accuracy"), format!("{accuracy:.1}"));
            game.set_tag(&format!("{name}ACPL"), format!("{loss:.0}"));
        }
    }
}

/// Adds a sentence to others.
fn append(text: &mut String, sentence: &str) {
    if !text.is_empty() {
        text.push(' ');
    }
    text.push_str(sentence);
}

fn annotate_move(step: &mut PgnMove, known: &MoveAnalysis) {
    let nag = known.judgement.map(super::Judgement::nag).or(known.mark.map(super::Mark::nag));
    if let Some(nag) = nag.filter(|_| !step.nags.iter().any(|nag| QUALITY.contains(nag))) {
        step.nags.push(nag);
    }
    let mut comment = Comment::parse(&step.comment);
    comment.eval = eval(known);
    for remark in &known.remarks {
        if !comment.text.contains(remark) {
            append(&mut comment.text, remark);
        }
    }
    step.comment = comment.to_string();
    if known.judgement.is_some() {
        let best = known.best_moves.iter().take(SHOWN);
        let moves: Vec<PgnMove> =
            best.map(|mv| PgnMove { mv: Some(*mv), ..PgnMove::default() }).collect();
        let variation = Variation { comment: String::new(), moves };
        let plays = |line: &Variation| line.moves.iter().map(|step| step.mv).collect::<Vec<_>>();
        if step.variations.iter().all(|line| !plays(line).starts_with(&plays(&variation))) {
            step.variations.push(variation);
        }
    }
}

/// The value as White sees it; none where the move ended the game by mate.
fn eval(known: &MoveAnalysis) -> Option<Eval> {
    let score = match known.eval {
        Score::Mate(0) => return None,
        Score::Mate(moves) => PgnScore::Mate(moves),
        other => PgnScore::Centipawns(other.comparable()),
    };
    Some(Eval { score, depth: None })
}
