//! Clocks of a game in the terminal.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;
use tabiya_chess::Color;
use tabiya_engine::Clock;

/// The same time for both sides.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct ClockSetting(Clock);

impl FromStr for ClockSetting {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (minutes, seconds) = text.split_once('+').unwrap_or((text, "0"));
        let duration = |text: &str, unit: f64| -> Option<Duration> {
            let value: f64 = text.parse().ok()?;
            Duration::try_from_secs_f64(value * unit).ok()
        };
        let wrong = || "expected minutes, or minutes+seconds, like 5+3".to_owned();
        let time = duration(minutes, 60.0).filter(|time| !time.is_zero()).ok_or_else(wrong)?;
        Ok(Self(Clock { time, increment: duration(seconds, 1.0).ok_or_else(wrong)? }))
    }
}

/// The time both sides have left.
pub(super) struct Clocks([Clock; 2]);

impl Clocks {
    pub(super) fn new(setting: ClockSetting) -> Self {
        Self([setting.0; 2])
    }

    /// Takes time from a side and adds its increment; `false` if it had less.
    pub(super) fn spend(&mut self, side: Color, time: Duration) -> bool {
        let clock = &mut self.0[side];
        let left = clock.time.checked_sub(time);
        clock.time = left.map_or(Duration::ZERO, |left| left + clock.increment);
        left.is_some()
    }

    /// As the engine wants them.
    pub(super) fn for_engine(&self) -> [Option<Clock>; 2] {
        self.0.map(Some)
    }
}

impl fmt::Display for Clocks {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let text = |clock: Clock| {
            let seconds = clock.time.as_secs();
            format!("{}:{:02}", seconds / 60, seconds % 60)
        };
        let [white, black] = self.0.map(text);
        write!(f, "white {white}, black {black}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_minutes_and_seconds() {
        let clock = |text: &str| text.parse::<ClockSetting>().map(|setting| setting.0);
        let five = Clock { time: Duration::from_mins(5), increment: Duration::from_secs(3) };
        assert_eq!(clock("5+3"), Ok(five));
        assert_eq!(clock("0.5").unwrap().time, Duration::from_secs(30));
        for text in ["", "0", "x", "5+", "-1", "5+-1", "nan", "1e300"] {
            assert!(clock(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_move_costs_time_and_brings_the_increment() {
        let mut clocks = Clocks::new("1+2".parse().unwrap());
        assert!(clocks.spend(Color::White, Duration::from_secs(12)));
        assert_eq!(clocks.to_string(), "white 0:50, black 1:00");
        assert!(!clocks.spend(Color::Black, Duration::from_secs(61)));
        assert_eq!(clocks.to_string(), "white 0:50, black 0:00");
    }
}
