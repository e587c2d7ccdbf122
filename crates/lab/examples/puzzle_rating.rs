//! Fits the model of difficulty to published puzzles and tests it on others:
//! `puzzle_rating TRAIN.csv.xz TEST.csv.xz [TRAIN-COUNT TEST-COUNT]`. Prints the weights as they stand in
//! `puzzles/rating/weights.rs`, then the rank correlation on the puzzles held out.

use tabiya_lab::analyst::insight::{Budget, Thinker};
use tabiya_lab::analyst::puzzles::rating::{Features, Fitted, features, fit, rank_correlation};
use tabiya_lab::analyst::puzzles::{RatedPuzzle, read_rated};

/// Which puzzles count.
type Wanted = dyn Fn(&Features) -> bool;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [train, test, counts @ ..] = &args[..] else {
        return Err("usage: puzzle_rating TRAIN TEST [TRAIN-COUNT TEST-COUNT]".into());
    };
    let count = |index: usize, default: usize| {
        counts.get(index).map_or(Ok(default), |text| text.parse::<usize>())
    };
    let mut thinker = Thinker::new(1, Budget::Nodes(1000))?;
    let train = sample(&mut thinker, &read_rated(train.as_ref())?, count(0, 4000)?);
    let test = sample(&mut thinker, &read_rated(test.as_ref())?, count(1, 1500)?);
    let models = [true, false].map(|is_mate| {
        let part: Vec<_> = train.iter().filter(|(f, _)| f.is_mate == is_mate).cloned().collect();
        (is_mate, fit(&part))
    });
    let estimate = |features: &Features| {
        let model = models.iter().find(|model| model.0 == features.is_mate);
        model.map_or(0.0, |model| model.1.estimate(features))
    };
    for (is_mate, model) in &models {
        print_weights(if *is_mate { "MATES" } else { "OTHERS" }, model);
    }
    let pairs = |keep: &dyn Fn(&Features) -> bool| -> Vec<(f64, f64)> {
        test.iter().filter(|(f, _)| keep(f)).map(|(f, rating)| (estimate(f), *rating)).collect()
    };
    let parts: [(&str, &Wanted); 3] =
        [("all", &|_| true), ("mates", &|f| f.is_mate), ("others", &|f| !f.is_mate)];
    for (name, keep) in parts {
        let pairs = pairs(keep);
        let error: f64 = pairs.iter().map(|(a, b)| (a - b).abs()).sum::<f64>();
        println!(
            "held out, {name}: {} puzzles, rank correlation {:.3}, mean error {:.0}",
            pairs.len(),
            rank_correlation(&pairs),
            error / pairs.len().max(1) as f64
        );
    }
    Ok(())
}

/// Puzzles taken at equal distances from a file, described.
fn sample(thinker: &mut Thinker, all: &[RatedPuzzle], count: usize) -> Vec<(Features, f64)> {
    let step = (all.len() / count.max(1)).max(1);
    let chosen = all.iter().step_by(step).take(count);
    chosen.map(|puzzle| (features(thinker, &puzzle.line()), f64::from(puzzle.rating))).collect()
}

fn print_weights(name: &str, model: &Fitted) {
    println!("pub(super) const {name}_DEVIATION: i32 = {:.0};", model.deviation);
    println!("pub(super) const {name}: [f64; FEATURES] = [");
    for row in model.weights.chunks(8) {
        let row: Vec<String> = row.iter().map(|weight| format!("{weight:.1}")).collect();
        println!("    {},", row.join(", "));
    }
    println!("];");
}
