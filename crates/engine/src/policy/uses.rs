//! What the search may use the policy for. Each use is a switch of its own, so that it can be
//! measured alone; and so are the controls, which put something else in the net's place.

use super::Proposal;
use std::str::FromStr;

/// What the search does with a proposal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
pub struct Uses {
    /// Orders the moves of the root.
    pub order: bool,
    /// Teaches the history of quiet moves before the search.
    pub history: bool,
    /// Reduces likely moves of the root less and unlikely ones more.
    pub reduce: bool,
    /// Thinks less when search and policy agree, more when the search is surprised.
    pub time: bool,
    /// Replaces a missing hash move at deep nodes.
    pub deep: bool,
    /// Lets each thread begin with another of the likeliest moves.
    pub threads: bool,
    /// What is used in the place of the net's numbers.
    pub control: Control,
}

/// What is used in the place of the net's numbers, to see what the numbers are worth.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Control {
    /// The net's own numbers.
    #[default]
    Net,
    /// The same chance for all moves.
    Uniform,
    /// The net's chances, each for some other move.
    Shuffled,
    /// The likeliest move has the smallest chance and so on.
    Reversed,
}

impl Uses {
    const NONE: Self = Self {
        order: false,
        history: false,
        reduce: false,
        time: false,
        deep: false,
        threads: false,
        control: Control::Net,
    };
}

impl Default for Uses {
    fn default() -> Self {
        Self { order: true, ..Self::NONE }
    }
}

impl FromStr for Uses {
    type Err = String;

    /// Words with commas or blanks between them; no word at all means no use.
    fn from_str(text: &str) -> Result<Self, String> {
        let mut uses = Self::NONE;
        for word in text.split([',', ' ']).filter(|word| !word.is_empty()) {
            match word.to_ascii_lowercase().as_str() {
                "order" => uses.order = true,
                "history" => uses.history = true,
                "reduce" => uses.reduce = true,
                "time" => uses.time = true,
                "deep" => uses.deep = true,
                "threads" => uses.threads = true,
                "uniform" => uses.control = Control::Uniform,
                "shuffled" => uses.control = Control::Shuffled,
                "reversed" => uses.control = Control::Reversed,
                _ => {
                    return Err(format!(
                        "'{word}' is not one of order, history, reduce, time, deep, threads, \
                         uniform, shuffled, reversed"
                    ));
                }
            }
        }
        Ok(uses)
    }
}

impl Control {
    /// Replaces the chances.
    pub(super) fn apply(self, proposal: &mut Proposal) {
        let moves = &mut proposal.moves;
        let count = moves.len();
        let chances: Vec<f32> = moves.iter().map(|known| known.chance).collect();
        let from = |place: usize| match self {
            Self::Reversed => count - 1 - place,
            // A step that shares no divisor with the count visits every place once.
            Self::Shuffled => (place * 127 + 31) % count,
            Self::Net | Self::Uniform => place,
        };
        for (place, known) in moves.iter_mut().enumerate() {
            known.chance =
                if self == Self::Uniform { 1.0 / count as f32 } else { chances[from(place)] };
        }
        moves.sort_by(|a, b| b.chance.total_cmp(&a.chance));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::PolicyMove;
    use tabiya_chess::Board;

    #[test]
    fn words_switch_uses_on() {
        let uses: Uses = "order, Deep uniform".parse().unwrap();
        assert!(uses.order && uses.deep && !uses.time && uses.control == Control::Uniform);
        assert_eq!("".parse(), Ok(Uses::NONE));
        assert_eq!("order".parse(), Ok(Uses::default()));
        assert!("magic".parse::<Uses>().unwrap_err().contains("magic"));
    }

    #[test]
    fn controls_keep_the_moves_and_the_chances() {
        let legal = Board::default().legal_moves();
        let moves = legal.iter().zip(1..).map(|(mv, n)| PolicyMove { mv, chance: 1.0 / n as f32 });
        let net = Proposal { moves: moves.collect(), wdl: None };
        for control in [Control::Net, Control::Uniform, Control::Shuffled, Control::Reversed] {
            let mut other = net.clone();
            control.apply(&mut other);
            assert!(net.moves.iter().all(|known| other.chance(known.mv) > 0.0), "{control:?}");
            assert_eq!(other == net, control == Control::Net, "{control:?}");
        }
        let mut reversed = net.clone();
        Control::Reversed.apply(&mut reversed);
        assert_eq!(reversed.moves[0].mv, net.moves[19].mv);
    }
}
