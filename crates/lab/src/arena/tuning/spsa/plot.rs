//! A picture of a run: each tunable's way in units of its step, as SVG.

use super::run::Plan;
use super::state::State;
use std::fmt::Write;

/// Lines with a colour and a name; the others are grey.
const NAMED: usize = 10;
/// Colours that can be told apart (Okabe and Ito 2008, then darker ones), each used once.
const COLOURS: [&str; NAMED] = [
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7b3294", "#8c510a",
    "#4d4d4d", "#b2182b",
];
const WIDTH: f64 = 980.0;
const HEIGHT: f64 = 480.0;
const LEFT: f64 = 60.0;
const RIGHT: f64 = 660.0;
const TOP: f64 = 40.0;
const BOTTOM: f64 = 430.0;
/// Distance between the lines of the legend.
const LEGEND_STEP: f64 = 22.0;

/// The picture of a state.
pub(super) fn render(plan: &Plan, state: &State) -> String {
    let mut movers = state.movers(plan);
    movers.truncate(NAMED);
    // The legend stands in the order of the lines' ends.
    movers.sort_by(|a, b| b.steps.total_cmp(&a.steps));
    let lines: Vec<Vec<(f64, f64)>> =
        (0..plan.params.len()).map(|index| points(plan, state, index)).collect();
    let scale = Scale::new(plan.iterations as f64, &lines);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
         font-family=\"sans-serif\" font-size=\"13\">\n\
         <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"white\"/>\n\
         <text x=\"{LEFT}\" y=\"24\" font-size=\"15\">SPSA: {} tunables, iteration {} of {}, {} \
         games</text>\n",
        plan.params.len(),
        state.iteration,
        plan.iterations,
        state.score.games(),
    );
    scale.draw_axes(&mut svg);
    let colour_of = |name: &str| movers.iter().position(|mover| mover.name == name);
    for (param, line) in plan.params.iter().zip(&lines) {
        if colour_of(param.name).is_none() {
            scale.draw_line(&mut svg, line, "#c8c8c8", 1.0);
        }
    }
    for (index, mover) in movers.iter().enumerate() {
        let line = plan.params.iter().position(|param| param.name == mover.name);
        if let Some(line) = line {
            scale.draw_line(&mut svg, &lines[line], COLOURS[index], 1.8);
        }
        let y = TOP + 16.0 + index as f64 * LEGEND_STEP;
        // Writing to a string cannot fail.
        let _ = writeln!(
            svg,
            "<rect x=\"{}\" y=\"{}\" width=\"14\" height=\"4\" fill=\"{}\"/>\
             <text x=\"{}\" y=\"{y}\">{} {} → {} ({:+.2})</text>",
            RIGHT + 16.0,
            y - 6.0,
            COLOURS[index],
            RIGHT + 36.0,
            mover.name,
            mover.old,
            mover.new_value(),
            mover.steps,
        );
    }
    svg.push_str("</svg>\n");
    svg
}

/// Iterations and steps of a tunable's line, up to now.
fn points(plan: &Plan, state: &State, index: usize) -> Vec<(f64, f64)> {
    let param = &plan.params[index];
    let now = (state.iteration, &state.values);
    let history = state.history.iter().map(|(iteration, values)| (*iteration, values));
    let steps = |values: &[f64]| (values[index] - f64::from(param.default)) / f64::from(param.step);
    history.chain([now]).map(|(iteration, values)| (iteration as f64, steps(values))).collect()
}

/// From iterations and steps to places in the picture.
struct Scale {
    iterations: f64,
    low: f64,
    high: f64,
}

impl Scale {
    /// A scale on which all lines and a little more have room.
    fn new(iterations: f64, lines: &[Vec<(f64, f64)>]) -> Self {
        let steps = || lines.iter().flatten().map(|&(_, steps)| steps);
        let low = steps().fold(-0.1, f64::min);
        let high = steps().fold(0.1, f64::max);
        let room = (high - low) * 0.05;
        Self { iterations, low: low - room, high: high + room }
    }

    fn x(&self, iteration: f64) -> f64 {
        LEFT + iteration / self.iterations * (RIGHT - LEFT)
    }

    fn y(&self, steps: f64) -> f64 {
        BOTTOM - (steps - self.low) / (self.high - self.low) * (BOTTOM - TOP)
    }

    fn draw_axes(&self, svg: &mut String) {
        for steps in ticks(self.low, self.high) {
            let (y, colour) = (self.y(steps), if steps == 0.0 { "#606060" } else { "#e8e8e8" });
            let _ = writeln!(
                svg,
                "<path d=\"M{LEFT} {y:.1}H{RIGHT}\" stroke=\"{colour}\"/>\
                 <text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
                LEFT - 6.0,
                y + 4.0,
                number(steps),
            );
        }
        for iteration in ticks(0.0, self.iterations) {
            let _ = writeln!(
                svg,
                "<text x=\"{:.1}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
                self.x(iteration),
                BOTTOM + 18.0,
                number(iteration),
            );
        }
        let _ = writeln!(
            svg,
            "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">iteration</text>\n\
             <text transform=\"translate(16 {}) rotate(-90)\" text-anchor=\"middle\">steps moved\
             </text>",
            f64::midpoint(LEFT, RIGHT),
            BOTTOM + 38.0,
            f64::midpoint(TOP, BOTTOM),
        );
    }

    fn draw_line(&self, svg: &mut String, points: &[(f64, f64)], colour: &str, width: f64) {
        let place = |&(iteration, steps): &(f64, f64)| {
            format!("{:.1},{:.1}", self.x(iteration), self.y(steps))
        };
        let places: Vec<String> = points.iter().map(place).collect();
        let _ = writeln!(
            svg,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"{width}\"/>",
            places.join(" "),
        );
    }
}

/// Round numbers from `low` to `high`, some four to ten.
fn ticks(low: f64, high: f64) -> Vec<f64> {
    let power = 10f64.powf(((high - low) / 4.0).log10().floor());
    let fitting = |&unit: &f64| (high - low) / unit >= 4.0;
    let unit = [5.0, 2.0, 1.0].map(|factor| factor * power).into_iter().find(fitting);
    let unit = unit.unwrap_or(power);
    let (first, last) = ((low / unit).ceil() as i64, (high / unit).floor() as i64);
    (first..=last).map(|tick| tick as f64 * unit).collect()
}

/// A tick's number without the noise of binary fractions.
fn number(value: f64) -> String {
    let text = format!("{value:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::tuning::Score;
    use crate::arena::tuning::spsa::run::tests::plan;

    #[test]
    fn ticks_are_round_and_few() {
        assert_eq!(ticks(0.0, 10_000.0), [0.0, 2000.0, 4000.0, 6000.0, 8000.0, 10_000.0]);
        assert_eq!(ticks(-0.11, 0.11), [-0.1, -0.05, 0.0, 0.05, 0.1]);
        assert_eq!(ticks(0.0, 1.0).len(), 6);
        assert_eq!([0.05, -2.0, 12_000.0].map(number), ["0.05", "-2", "12000"]);
    }

    #[test]
    fn every_tunable_has_a_line_and_movers_a_name() {
        let plan = plan(40);
        let mut state = State::new(&plan);
        state.set_ahead(&plan, 1);
        for iteration in 0..40 {
            state.take(&plan, iteration, Score { wins: 2, ..Score::default() });
        }
        let svg = render(&plan, &state);
        assert_eq!(svg.matches("<polyline").count(), plan.params.len());
        for change in state.changes(&plan) {
            let label = format!("{} {} → {}", change.name, change.old, change.new_value());
            assert!(svg.contains(&label), "{label}");
        }
        assert!(svg.contains("iteration 40 of 40, 80 games") && !svg.contains("NaN"));
        // A picture can be drawn before anything has moved.
        assert!(!render(&plan, &State::new(&plan)).contains("NaN"));
    }
}
