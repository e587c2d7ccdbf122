//! Time controls and the clocks that count them down.
//!
//! Clocks are kept in microseconds; what an engine is told is rounded down to milliseconds.

use serde::Serialize;
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// Moves per period, time for the period, and time added after each move.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct TimeControl {
    /// Moves after which `base` is added again; zero when the whole game has one period.
    pub moves: u32,
    /// Time for a period.
    pub base: Duration,
    /// Time added after each move.
    pub increment: Duration,
}

/// A text that is no time control.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0} is not a time control like 3+0.03, 40/60+0.6 or 2:30")]
pub struct TimeControlError(String);

impl FromStr for TimeControl {
    type Err = TimeControlError;

    /// Reads `[moves/]time[+increment]` in seconds; the time may be `minutes:seconds`.
    fn from_str(text: &str) -> Result<Self, TimeControlError> {
        let parse = || {
            let (moves, rest) = match text.split_once('/') {
                Some((moves, rest)) => (moves.parse().ok().filter(|&moves| moves > 0)?, rest),
                None => (0, text),
            };
            let (base, increment) = rest.split_once('+').unwrap_or((rest, "0"));
            let base = match base.split_once(':') {
                Some((minutes, seconds)) => {
                    Duration::from_secs(60 * minutes.parse::<u64>().ok()?) + seconds_of(seconds)?
                }
                None => seconds_of(base)?,
            };
            let increment = seconds_of(increment)?;
            (!(base + increment).is_zero()).then_some(Self { moves, base, increment })
        };
        parse().ok_or_else(|| TimeControlError(text.to_string()))
    }
}

/// A time in decimal seconds, of at most ten days.
pub(super) fn seconds_of(text: &str) -> Option<Duration> {
    let seconds: f64 = text.parse().ok()?;
    (0.0..=864_000.0).contains(&seconds).then(|| Duration::from_secs_f64(seconds))
}

impl fmt::Display for TimeControl {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        if self.moves > 0 {
            write!(f, "{}/", self.moves)?;
        }
        write!(f, "{}", self.base.as_secs_f64())?;
        if !self.increment.is_zero() {
            write!(f, "+{}", self.increment.as_secs_f64())?;
        }
        Ok(())
    }
}

/// One player's clock during a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Clock {
    control: TimeControl,
    remaining: Duration,
    moves_to_go: u32,
}

impl Clock {
    /// A clock at the start of the game.
    pub fn new(control: TimeControl) -> Self {
        Self { control, remaining: control.base, moves_to_go: control.moves }
    }

    /// Time left for this period.
    pub fn remaining(&self) -> Duration {
        self.remaining
    }

    /// Time added after each move.
    pub fn increment(&self) -> Duration {
        self.control.increment
    }

    /// Moves left in this period, if periods are counted.
    pub fn moves_to_go(&self) -> Option<u32> {
        (self.control.moves > 0).then_some(self.moves_to_go)
    }

    /// Takes the time of a move off the clock. Overrunning by no more than `margin` is forgiven;
    /// beyond it the flag has fallen and the overrun is returned.
    pub fn spend(&mut self, elapsed: Duration, margin: Duration) -> Result<(), Duration> {
        let overrun = elapsed.saturating_sub(self.remaining);
        if overrun > margin {
            return Err(overrun);
        }
        self.remaining = self.remaining.saturating_sub(elapsed) + self.control.increment;
        if self.control.moves > 0 {
            self.moves_to_go -= 1;
            if self.moves_to_go == 0 {
                self.moves_to_go = self.control.moves;
                self.remaining += self.control.base;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    #[test]
    fn time_controls_are_read_and_written() {
        for (text, moves, base, increment) in [
            ("3+0.03", 0, 3000, 30),
            ("40/60+0.6", 40, 60_000, 600),
            ("10", 0, 10_000, 0),
            ("2:30", 0, 150_000, 0),
            ("0.1+0.001", 0, 100, 1),
        ] {
            let control: TimeControl = text.parse().unwrap();
            assert_eq!(control, TimeControl { moves, base: ms(base), increment: ms(increment) });
            assert_eq!(control.to_string().parse(), Ok(control));
        }
        for text in ["", "x", "0", "0/10", "-1", "1+-1", "nan", "inf", "1e99", "1:x", "3+"] {
            let error = text.parse::<TimeControl>().unwrap_err().to_string();
            assert!(error.contains("is not a time control"), "{text}: {error}");
        }
    }

    #[test]
    fn increment_comes_after_the_move_and_periods_repeat() {
        let mut clock = Clock::new("2/1+0.1".parse().unwrap());
        clock.spend(ms(300), ms(0)).unwrap();
        assert_eq!((clock.remaining(), clock.moves_to_go()), (ms(800), Some(1)));
        clock.spend(ms(800), ms(0)).unwrap();
        assert_eq!((clock.remaining(), clock.moves_to_go()), (ms(1100), Some(2)));
    }

    #[test]
    fn the_margin_forgives_but_gives_no_time() {
        let mut clock = Clock::new("1".parse().unwrap());
        clock.spend(ms(1010), ms(10)).unwrap();
        assert_eq!(clock.remaining(), ms(0));
        assert_eq!(clock.spend(ms(11), ms(10)), Err(ms(11)));
    }
}
