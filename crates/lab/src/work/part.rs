//! A part of a job that is done elsewhere, or at another time, and joined with the rest.

use std::fmt;
use std::ops::Range;
use std::str::FromStr;

/// The items `from` to `to` of a job, counted from 0, the last one not included: `100..200`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Part {
    /// The first item.
    pub from: u64,
    /// One more than the last item.
    pub to: u64,
}

/// A text that is no part.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("expected FROM..TO with FROM below TO, counted from 0, like 100..200")]
pub struct PartError;

impl Part {
    /// What stands between the description of a job and the part of it that a file holds.
    const MARK: &str = "; part ";

    /// Whether an item belongs to it.
    pub fn has(self, item: u64) -> bool {
        self.range().contains(&item)
    }

    /// Its items.
    pub fn range(self) -> Range<u64> {
        self.from..self.to
    }

    /// The description of a file that holds this part of a job, or all of it.
    pub(crate) fn describe(part: Option<Self>, job: &str) -> String {
        part.map_or_else(|| job.to_owned(), |part| format!("{job}{}{part}", Self::MARK))
    }

    /// The job and the part that a description names.
    pub(crate) fn of_description(text: &str) -> (&str, Option<Self>) {
        let split = text.rsplit_once(Self::MARK);
        let found = split.and_then(|(job, part)| Some((job, part.parse().ok()?)));
        found.map_or((text, None), |(job, part)| (job, Some(part)))
    }
}

impl FromStr for Part {
    type Err = PartError;

    fn from_str(text: &str) -> Result<Self, PartError> {
        let (from, to) = text.split_once("..").ok_or(PartError)?;
        let number = |text: &str| text.parse::<u64>().map_err(|_| PartError);
        let part = Self { from: number(from)?, to: number(to)? };
        if part.from < part.to { Ok(part) } else { Err(PartError) }
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}..{}", self.from, self.to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_read_as_it_is_written() {
        let part = Part { from: 3, to: 20 };
        assert_eq!(part.to_string().parse(), Ok(part));
        assert!(part.has(3) && part.has(19) && !part.has(20) && !part.has(2));
        for text in
            ["", "3", "3..", "..4", "4..4", "5..4", "-1..4", "1...4", "1..99999999999999999999"]
        {
            assert_eq!(text.parse::<Part>(), Err(PartError), "{text}");
        }
    }

    #[test]
    fn a_description_carries_the_part() {
        let part = Part { from: 0, to: 7 };
        let text = Part::describe(Some(part), "labels; part of it");
        assert_eq!(Part::of_description(&text), ("labels; part of it", Some(part)));
        let whole = Part::describe(None, "labels; part of it");
        assert_eq!(Part::of_description(&whole), ("labels; part of it", None));
    }
}
