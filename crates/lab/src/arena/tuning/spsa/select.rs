//! Which tunables take part.

use crate::arena::tuning::TuningError;
use tabiya_engine::{ParamSpec, Params};

/// Tunables of the clock's use are called so. Without a clock they would only wander about.
const CLOCK_PREFIX: &str = "time_";

/// The tunables that fit one of the patterns, in the order of their declaration. A pattern is a name
/// or the beginning of names followed by `*`. Without patterns all take part that matter: those of
/// the clock's use only if games have one, and no switches, for between on and off there is no slope.
pub fn select(patterns: &[String], has_clock: bool) -> Result<Vec<ParamSpec>, TuningError> {
    let needs_clock = |param: &ParamSpec| param.name.starts_with(CLOCK_PREFIX) && !has_clock;
    if patterns.is_empty() {
        let matters = |param: &&ParamSpec| !needs_clock(param) && !is_switch(param);
        return Ok(Params::ALL.iter().filter(matters).copied().collect());
    }
    if let Some(stray) =
        patterns.iter().find(|pattern| !Params::ALL.iter().any(|param| fits(pattern, param)))
    {
        return Err(TuningError::NoSuchParam(stray.clone()));
    }
    let is_chosen = |param: &&ParamSpec| patterns.iter().any(|pattern| fits(pattern, param));
    let chosen: Vec<ParamSpec> = Params::ALL.iter().filter(is_chosen).copied().collect();
    match chosen.iter().find(|param| needs_clock(param)) {
        Some(param) => Err(TuningError::NeedsClock(param.name)),
        None => Ok(chosen),
    }
}

fn is_switch(param: &ParamSpec) -> bool {
    (param.min, param.max) == (0, 1)
}

fn fits(pattern: &str, param: &ParamSpec) -> bool {
    match pattern.strip_suffix('*') {
        Some(start) => param.name.starts_with(start),
        None => param.name == pattern,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(patterns: &[&str], has_clock: bool) -> Result<Vec<&'static str>, String> {
        let patterns: Vec<String> = patterns.iter().map(ToString::to_string).collect();
        select(&patterns, has_clock)
            .map(|chosen| chosen.iter().map(|param| param.name).collect())
            .map_err(|error| error.to_string())
    }

    #[test]
    fn patterns_choose_names() {
        let first = Params::ALL[0].name;
        let chosen = names(&["razor_*", first, "razor_base"], false).unwrap();
        assert_eq!(chosen, [first, "razor_base", "razor_scale"]);
        assert_eq!(names(&["razor"], false).unwrap_err(), "params: no tunable is called razor");
        assert_eq!(names(&["x*"], false).unwrap_err(), "params: no tunable is called x*");
    }

    #[test]
    fn switches_are_moved_only_by_name() {
        let all = names(&[], true).unwrap();
        assert!(!all.contains(&"see_pruning"));
        assert!(all.contains(&"razor_base"));
        assert_eq!(names(&["see_pruning"], true).unwrap(), ["see_pruning"]);
    }

    #[test]
    fn tunables_of_the_clock_need_one() {
        assert!(names(&[], true).unwrap().iter().any(|name| name.starts_with("time_")));
        let without = names(&[], false).unwrap();
        assert!(!without.is_empty() && without.iter().all(|name| !name.starts_with("time_")));
        assert!(names(&["time_*"], false).unwrap_err().contains("give --tc"));
        assert!(names(&["time_*"], true).unwrap().iter().all(|name| name.starts_with("time_")));
    }
}
