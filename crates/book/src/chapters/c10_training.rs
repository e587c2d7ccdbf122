//! Descent on paper, and curves of real runs.

use super::row;
use crate::Output;
use crate::draw::chart::{Chart, Series};
use crate::draw::thousands;
use crate::lesson::neural::{descend, sigmoid};
use tabiya_lab::train::Settings;

/// Losses of net 2 and of the same training with four king buckets, from docs/NETS.md: passes,
/// then training and validation loss of each.
const OVERFITTING: [(f64, [&str; 4]); 3] = [
    (1.0, ["0.006627", "0.007242", "0.007094", "0.007392"]),
    (3.0, ["0.005301", "0.006508", "0.005844", "0.006353"]),
    (5.0, ["0.004605", "0.006331", "0.005280", "0.005962"]),
];

/// Validation losses of net 3 after each pass, from docs/NETS.md.
const NET_3: [&str; 5] = ["0.006090", "0.005776", "0.005487", "0.005279", "0.005217"];

/// Three games on paper: material balance in pawns and result.
const SAMPLES: [(f64, f64); 3] = [(1.0, 1.0), (-2.0, 0.0), (0.5, 0.0)];

pub(super) fn write(out: &mut Output) {
    paper(out);
    let number = |text: &str| text.parse::<f64>().expect("a loss") * 1000.0;
    let column =
        |index: usize| OVERFITTING.iter().map(|(x, row)| (*x, number(row[index]))).collect();
    out.figure(
        "overfitting",
        Chart {
            title: "Training and validation loss, few and many weights",
            x: "passes over 23 million positions",
            y: "loss in thousandths",
            log_y: false,
            series: vec![
                Series::new("4 king buckets: training", column(0)).dashed().dotted(),
                Series::new("validation", column(1)).dotted(),
                Series::new("one bucket: training", column(2)).dashed().dotted(),
                Series::new("validation ", column(3)).dotted(),
            ],
        }
        .draw(),
    );
    let net_3 = NET_3.iter().enumerate().map(|(index, text)| (index as f64 + 1.0, number(text)));
    out.figure(
        "net-3",
        Chart {
            title: "Validation loss of net 3 after each pass",
            x: "passes over 82 million positions",
            y: "validation loss in thousandths",
            log_y: false,
            series: vec![Series::new("net 3", net_3.collect()).dotted()],
        }
        .draw(),
    );
    let settings = Settings::default();
    out.fact("train.warm-up", settings.warm_up);
    out.fact("train.batch", thousands(settings.batch as u64));
    let steps_of_pass = 100_000_000_u64.div_ceil(settings.batch as u64);
    out.fact("train.steps", thousands(steps_of_pass));
    out.fact("train.steps.five", thousands(5 * steps_of_pass));
    let schedule = |step: f64| {
        let (warm_up, total) = (settings.warm_up as f64, 12_000.0);
        let (rate, last) = (f64::from(settings.peak_rate), f64::from(settings.final_rate));
        let falling =
            |part: f64| last + (rate - last) * 0.5 * (1.0 + (std::f64::consts::PI * part).cos());
        if step < warm_up {
            rate * step / warm_up
        } else {
            falling((step - warm_up) / (total - warm_up))
        }
    };
    let steps = (0..=120).map(|step| f64::from(step) * 100.0);
    out.figure(
        "learning-rate",
        Chart {
            title: "Learning rate: warm-up and half a cosine",
            x: "steps",
            y: "learning rate in thousandths",
            log_y: false,
            series: vec![Series::new(
                &format!("rate {}", settings.peak_rate),
                steps.map(|s| (s, 1000.0 * schedule(s))).collect(),
            )],
        }
        .draw(),
    );
}

fn paper(out: &mut Output) {
    let path = descend(&SAMPLES, 2.0, 40);
    let mut rows = vec![row!["step", "weight", "loss"]];
    for step in [0, 1, 2, 3, 10, 40] {
        rows.push(row![step, format!("{:.3}", path[step].0), format!("{:.4}", path[step].1)]);
    }
    out.table("descent", &rows);
    let gradient: f64 = SAMPLES
        .iter()
        .map(|(x, y)| {
            let p = sigmoid(0.0);
            2.0 * (p - y) * p * (1.0 - p) * x
        })
        .sum::<f64>()
        / SAMPLES.len() as f64;
    out.fact("descent.gradient", format!("{gradient:.4}"));
    out.fact("descent.first", format!("{:.3}", path[1].0));
    let small = descend(&SAMPLES, 0.3, 40);
    let large = descend(&SAMPLES, 60.0, 40);
    let curve =
        |path: &[(f64, f64)]| path.iter().enumerate().map(|(i, p)| (i as f64, p.1)).collect();
    out.figure(
        "descent",
        Chart {
            title: "Loss by step for three learning rates",
            x: "steps",
            y: "loss",
            log_y: false,
            series: vec![
                Series::new("rate 0.3", curve(&small)),
                Series::new("rate 2", curve(&path)),
                Series::new("rate 60", curve(&large)).dashed(),
            ],
        }
        .draw(),
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_curves_are_those_of_the_page_about_nets() {
        let page = std::fs::read_to_string(crate::root().join("docs/NETS.md")).unwrap();
        let quoted = OVERFITTING.iter().flat_map(|(_, row)| row).chain(&NET_3);
        for number in quoted {
            assert!(page.contains(number), "{number} is not in docs/NETS.md");
        }
    }
}
