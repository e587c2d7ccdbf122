//! Gradients against finite differences, learning by heart, resuming, thread counts.

use super::*;
use crate::data::record::Verdict;
use crate::work::SplitMix;
use model::{LANES, Row};
use tabiya_chess::Board;

/// Positions of random games with made-up labels.
fn positions(count: usize, seed: u64) -> Vec<Position> {
    let mut random = SplitMix::new(seed);
    let mut board = Board::default();
    let mut positions = Vec::new();
    let mut plies = 0;
    while positions.len() < count {
        let moves = board.legal_moves();
        if moves.is_empty() || plies > 120 {
            board = Board::default();
            plies = 0;
            continue;
        }
        let mv = moves.get(random.below(moves.len())).unwrap();
        board.play(mv);
        plies += 1;
        if plies > 10 {
            let score = random.below(801) as i16 - 400;
            let verdict = [Verdict::Loss, Verdict::Draw, Verdict::Win][random.below(3)];
            positions.push(Position::new(&board, score, verdict).unwrap());
        }
    }
    positions
}

/// The mean loss, straight from the definition and in double precision.
fn reference_loss(model: &Model, positions: &[Position], target: Target) -> f64 {
    let shape = model.shape;
    let mut sum = 0.0;
    for position in positions {
        let board = position.to_board().unwrap();
        let side = board.side_to_move();
        let bucket = shape.output_bucket(board.occupied().count());
        let mut output = f64::from(model.output_bias.value[0].0[bucket]);
        for (half, perspective) in [side, !side].into_iter().enumerate() {
            let features: Vec<_> = tabiya_nn::active_features(shape, &board, perspective).collect();
            for tile in &model.tiles {
                for lane in 0..LANES {
                    let mut x = f64::from(tile.bias.value[0].0[lane]);
                    for feature in &features {
                        x += f64::from(tile.inputs.value[*feature].0[lane]);
                        if let Some(shared) = &tile.shared {
                            x += f64::from(shared.value[feature % 768].0[lane]);
                        }
                    }
                    let active = x.clamp(0.0, 1.0);
                    let weight = f64::from(tile.output.value[2 * bucket + half].0[lane]);
                    output += active * active * weight;
                }
            }
        }
        let expected = 1.0 / (1.0 + (-output).exp());
        sum += (expected - f64::from(target.of(position))).powi(2);
    }
    sum / positions.len() as f64
}

/// Picks some weights of one kind and compares their gradients with finite differences.
fn check_gradients(shape: Shape, select: impl Fn(&mut Model) -> &mut model::Param) {
    let positions = positions(40, 3);
    let target = Target { scale: 200.0, wdl: 0.3 };
    let mut passes = Passes::new(Model::new(shape, 5));
    let indices: Vec<u32> = (0..positions.len() as u32).collect();
    let loss = passes.add_gradients(&positions, &indices, target);
    passes.model.tiles.iter_mut().for_each(model::Tile::share_gradient);
    let mut model = passes.model.clone();
    assert!((loss - reference_loss(&model, &positions, target)).abs() < 1e-6);

    let gradients = select(&mut model).gradient.clone();
    let largest = gradients.iter().flat_map(|row| row.0).fold(0f32, |max, x| max.max(x.abs()));
    assert!(largest > 0.0);
    let used: Vec<_> = (0..gradients.len()).filter(|row| gradients[*row] != Row::ZERO).collect();
    let mut random = SplitMix::new(11);
    for _ in 0..12 {
        let row = used[random.below(used.len())];
        let lane = random.below(LANES);
        let moved = |step: f32| {
            let mut model = model.clone();
            select(&mut model).value[row].0[lane] += step;
            reference_loss(&model, &positions, target)
        };
        let step = 1.0 / 1024.0;
        let difference = (moved(step) - moved(-step)) / f64::from(2.0 * step);
        let error = (difference - f64::from(gradients[row].0[lane])).abs();
        // The kink of the activation allows a little more where a position sits on it.
        assert!(error < 2e-3 * f64::from(largest), "{error} of {largest} at {row}, {lane}");
    }
}

#[test]
fn input_gradients_match_finite_differences() {
    check_gradients(Shape::new(128, 1, 8).unwrap(), |model| &mut model.tiles[1].inputs);
    check_gradients(Shape::new(128, 4, 1).unwrap(), |model| &mut model.tiles[1].inputs);
}

#[test]
fn shared_gradients_match_finite_differences() {
    let shape = Shape::new(128, 4, 1).unwrap();
    check_gradients(shape, |model| model.tiles[2].shared.as_mut().unwrap());
}

#[test]
fn bias_gradients_match_finite_differences() {
    check_gradients(Shape::new(128, 1, 8).unwrap(), |model| &mut model.tiles[0].bias);
}

#[test]
fn output_gradients_match_finite_differences() {
    check_gradients(Shape::new(128, 1, 8).unwrap(), |model| &mut model.tiles[3].output);
}

#[test]
fn output_bias_gradients_match_finite_differences() {
    let shape = Shape::new(128, 1, 8).unwrap();
    let positions = positions(40, 3);
    let target = Target { scale: 200.0, wdl: 0.3 };
    let mut passes = Passes::new(Model::new(shape, 5));
    let indices: Vec<u32> = (0..positions.len() as u32).collect();
    passes.add_gradients(&positions, &indices, target);
    for bucket in 0..8 {
        let moved = |step: f32| {
            let mut model = passes.model.clone();
            model.output_bias.value[0].0[bucket] += step;
            reference_loss(&model, &positions, target)
        };
        let difference = (moved(0.001) - moved(-0.001)) / 0.002;
        let gradient = f64::from(passes.model.output_bias.gradient[0].0[bucket]);
        assert!((difference - gradient).abs() < 1e-5, "{difference} {gradient}");
    }
}

fn small() -> Settings {
    Settings { hidden: 128, epochs: 4, batch: 1000, wdl_end: 0.1, ..Settings::default() }
}

fn control(threads: usize, stop: &AtomicBool) -> Control<'_> {
    Control { checkpoint: None, resume: false, from: None, threads, stop }
}

#[test]
fn random_labels_of_ten_thousand_positions_are_learnt_by_heart() {
    let positions = positions(10_000, 1);
    let settings = Settings { epochs: 60, batch: 500, peak_rate: 4e-3, wdl_end: 0.0, ..small() };
    let stop = AtomicBool::new(false);
    let outcome =
        run(&settings, &positions, &positions[..1000], "test", &control(2, &stop), |_| ()).unwrap();
    let first = outcome.curve.first().unwrap().training;
    assert!(outcome.best_loss < first / 50.0, "{} from {first}", outcome.best_loss);
    assert!(outcome.finished && outcome.net.provenance().starts_with("test; 10000 positions"));
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let positions = positions(5_000, 2);
    let stop = AtomicBool::new(false);
    let [one, three] = [1, 3].map(|threads| {
        let settings = Settings { king_buckets: 4, output_buckets: 8, epochs: 1, ..small() };
        run(&settings, &positions, &positions[..500], "test", &control(threads, &stop), |_| ())
            .unwrap()
    });
    assert!(one.net.save() == three.net.save());
    assert!(one.curve == three.curve);
}

#[test]
fn a_resumed_run_ends_with_the_same_bits() {
    let folder = std::env::temp_dir().join(format!("tabiya-train-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("run.checkpoint");
    let positions = positions(5_000, 2);
    let settings = Settings { king_buckets: 4, ..small() };
    let stop = AtomicBool::new(false);
    let train = |control: &Control, observe: &mut (dyn FnMut(&Progress) + Send)| {
        run(&settings, &positions, &positions[..500], "test", control, observe)
    };
    let whole = train(&control(2, &stop), &mut |_| ()).unwrap();

    let halting = Control { checkpoint: Some(&path), ..control(2, &stop) };
    // The stop comes after the first pass, which observers hear about at once.
    let half = train(&halting, &mut |_| stop.store(true, Relaxed)).unwrap();
    assert!(!half.finished && half.curve.len() < whole.curve.len());
    stop.store(false, Relaxed);
    let resumed = train(&Control { resume: true, ..halting }, &mut |_| ()).unwrap();
    assert!(resumed.net.save() == whole.net.save());
    assert!(resumed.curve == whole.curve);

    let refuse = |settings: &Settings, positions: &[Position]| {
        let control = Control { checkpoint: Some(&path), resume: true, ..control(1, &stop) };
        run(settings, positions, &positions[..500], "test", &control, |_| ())
            .err()
            .unwrap()
            .to_string()
    };
    let other = Settings { seed: 2, ..settings.clone() };
    assert_eq!(refuse(&other, &positions), "checkpoint: made with another seed");
    assert_eq!(refuse(&settings, &positions[1..]), "checkpoint: made with other data");
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[5000] ^= 1;
    std::fs::write(&path, &bytes).unwrap();
    assert_eq!(refuse(&settings, &positions), "checkpoint: damaged checksum");
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_run_starts_from_a_net_or_a_checkpoint() {
    let folder = std::env::temp_dir().join(format!("tabiya-train-from-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let positions = positions(2_000, 4);
    for king_buckets in [1, 4] {
        let settings = Settings { king_buckets, epochs: 3, batch: 500, ..small() };
        let stop = AtomicBool::new(false);
        let checkpoint = folder.join("run.checkpoint");
        let first = Control { checkpoint: Some(&checkpoint), ..control(2, &stop) };
        let taught = run(&settings, &positions, &positions[..500], "test", &first, |_| ()).unwrap();
        let net = folder.join("net.nnue");
        std::fs::write(&net, taught.net.save()).unwrap();
        // A rate of nearly nothing leaves what the run started from.
        let settings = Settings { epochs: 1, peak_rate: 1e-9, final_rate: 0.0, ..settings };
        let go_on = |from: &Path| {
            let control = Control { from: Some(from), ..control(2, &stop) };
            run(&settings, &positions, &positions[..500], "test", &control, |_| ())
        };
        let exact = go_on(&checkpoint).unwrap().best_loss;
        assert!((exact / taught.best_loss - 1.0).abs() < 1e-4, "{exact} {}", taught.best_loss);
        let rounded = go_on(&net).unwrap().best_loss;
        let expected = taught.rounding.rounded_loss;
        assert!((rounded / expected - 1.0).abs() < 1e-3, "{rounded} {expected}");

        let start = |settings: &Settings| {
            let control = Control { from: Some(&net), ..control(2, &stop) };
            run(settings, &positions, &positions[..500], "test", &control, |_| ())
        };
        let wider = start(&Settings { hidden: 256, ..settings.clone() }).unwrap();
        assert_eq!(wider.net.shape().hidden(), 256);
        assert!((wider.best_loss / rounded - 1.0).abs() < 1e-4, "{} {rounded}", wider.best_loss);
        let divided = start(&Settings { king_buckets: 8, ..settings.clone() }).unwrap();
        assert_eq!(divided.net.shape().king_buckets(), 8);
        assert!((divided.best_loss / rounded - 1.0).abs() < 1e-4, "{}", divided.best_loss);
        let mut unlike = vec![Settings { output_buckets: 8, ..settings.clone() }];
        if king_buckets > 1 {
            unlike.push(Settings { king_buckets: 1, ..settings.clone() });
        }
        for settings in unlike {
            let reason = "net to start from: more neurons or other buckets";
            assert_eq!(start(&settings).err().unwrap().to_string(), reason);
        }
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn bad_settings_and_missing_data_are_named() {
    let positions = positions(10, 2);
    let stop = AtomicBool::new(false);
    let fail = |settings: &Settings, positions: &[Position]| {
        run(settings, positions, positions, "", &control(1, &stop), |_| ())
            .err()
            .unwrap()
            .to_string()
    };
    assert_eq!(fail(&small(), &[]), "training: no positions");
    assert_eq!(fail(&Settings { epochs: 0, ..small() }, &positions), "epochs: out of range");
    assert_eq!(fail(&Settings { scale: f32::NAN, ..small() }, &positions), "scale: out of range");
    let shape = fail(&Settings { hidden: 100, ..small() }, &positions);
    assert!(shape.starts_with("shape: "), "{shape}");
}
