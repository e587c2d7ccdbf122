//! Gradients against finite differences, learning by heart, resuming, thread counts.

use super::*;
use crate::data::record::Verdict;
use crate::work::SplitMix;
use model::{End, Reader};
use param::{LANES, Param, Row};
use pass::Chosen;
use tabiya_chess::Board;
use tabiya_nn::{Activation, DenseActivation, Tail};
use tail::TailModel;

/// Positions of random games with made-up labels.
fn positions(count: usize, seed: u64) -> Vec<LabelledPosition> {
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
            positions.push(LabelledPosition::new(&board, score, verdict).unwrap());
        }
    }
    positions
}

/// The mean loss, straight from the definition and in double precision, neuron by neuron.
fn reference_loss(model: &Model, positions: &[LabelledPosition], target: Target) -> f64 {
    let mut sum = 0.0;
    for position in positions {
        let expected = 1.0 / (1.0 + (-reference_output(model, position)).exp());
        sum += (expected - f64::from(target.of(position))).powi(2);
    }
    sum / positions.len() as f64
}

fn reference_output(model: &Model, position: &LabelledPosition) -> f64 {
    let shape = model.shape;
    let board = position.to_board().unwrap();
    let side = board.side_to_move();
    let bucket = shape.output_bucket(board.occupied().count());
    let hidden = [side, !side].map(|perspective| {
        let features: Vec<_> = tabiya_nn::active_features(shape, &board, perspective).collect();
        let view = tabiya_nn::View::new(shape, perspective, board.king(perspective));
        let threats = tabiya_nn::threat_features(&tabiya_nn::Placement::from(&board), view);
        reference_hidden(model, &features, &threats)
    });
    let clamp = |x: f64| x.clamp(0.0, 1.0);
    match &model.end {
        End::OutputBias(bias) => {
            let mut output = f64::from(bias.value[0].0[bucket]);
            for (index, tile) in model.tiles.iter().enumerate() {
                let Reader::Single(single) = &tile.reader else { panic!("one hidden layer") };
                for (half, hidden) in hidden.iter().enumerate() {
                    for lane in 0..LANES {
                        let weight = f64::from(single.weights.value[2 * bucket + half].0[lane]);
                        output += clamp(hidden[index * LANES + lane]).powi(2) * weight;
                    }
                }
            }
            output
        }
        End::Tail(tail) => {
            let mut inputs = Vec::new();
            for hidden in &hidden {
                match shape.activation() {
                    Activation::Squared => inputs.extend(hidden.iter().map(|x| clamp(*x).powi(2))),
                    Activation::Pairwise => {
                        let (a, b) = hidden.split_at(hidden.len() / 2);
                        inputs.extend(a.iter().zip(b).map(|(a, b)| clamp(*a) * clamp(*b)));
                    }
                }
            }
            let mut sums = [0.0; 16];
            for (index, tile) in model.tiles.iter().enumerate() {
                let Reader::First(first) = &tile.reader else { panic!("dense layers") };
                let rows = activation::rows(shape.activation());
                for (neuron, sum) in sums.iter_mut().enumerate() {
                    for (row, lane) in (0..rows).flat_map(|row| (0..LANES).map(move |l| (row, l))) {
                        let weights = &first.weights.value[(bucket * 16 + neuron) * rows + row];
                        let input = activation::dense_input(
                            shape.activation(),
                            shape.activations(),
                            index,
                            row,
                            lane,
                        );
                        *sum += f64::from(weights.0[lane]) * inputs[input];
                    }
                }
            }
            reference_tail(shape.tail().unwrap(), tail, bucket, &sums)
        }
    }
}

/// The layers after the first dense one, in double precision.
fn reference_tail(shape: Tail, model: &TailModel, bucket: usize, sums: &[f64; 16]) -> f64 {
    let clamp = |x: f64| x.clamp(0.0, 1.0);
    let activate = |kind: DenseActivation, x: f64| match kind {
        DenseActivation::Squared => clamp(x).powi(2),
        DenseActivation::Clipped | DenseActivation::Dual => clamp(x),
    };
    let lane = |param: &Param, row: usize, lane: usize| f64::from(param.value[row].0[lane]);
    let mut inputs = vec![0.0; shape.second_inputs()];
    for (neuron, sum) in sums.iter().enumerate() {
        let x = sum + lane(&model.first_bias, bucket, neuron);
        inputs[neuron] = activate(shape.first.activation, x);
        if shape.first.activation == DenseActivation::Dual {
            inputs[16 + neuron] = (x * x).min(1.0);
        }
    }
    let mut output = lane(&model.output_bias, 0, bucket);
    for neuron in 0..shape.second.outputs {
        let mut x = lane(&model.second_bias, bucket, neuron);
        for (input, value) in inputs.iter().enumerate() {
            x += value * lane(&model.second, bucket * 32 + input, neuron);
        }
        output += activate(shape.second.activation, x) * lane(&model.output, bucket, neuron);
    }
    output
}

/// The hidden sums of one side, in the order of the net file.
fn reference_hidden(model: &Model, features: &[usize], threats: &[u32]) -> Vec<f64> {
    let shape = model.shape;
    let mut hidden = vec![0.0; shape.hidden()];
    for (index, tile) in model.tiles.iter().enumerate() {
        for lane in 0..LANES {
            let mut x = f64::from(tile.input.bias.value[0].0[lane]);
            for feature in features {
                x += f64::from(tile.input.weights.value[*feature].0[lane]);
                if let Some(shared) = &tile.input.shared {
                    x += f64::from(shared.value[feature % 768].0[lane]);
                }
            }
            if let Some(param) = &tile.input.threats {
                x += threats
                    .iter()
                    .map(|threat| f64::from(param.value[*threat as usize].0[lane]))
                    .sum::<f64>();
            }
            hidden[activation::neuron(shape.activation(), shape.hidden(), index, lane)] = x;
        }
    }
    hidden
}

/// Picks some weights of one kind and compares their gradients with finite differences.
fn check_gradients(shape: &str, select: impl Fn(&mut Model) -> &mut Param) {
    let shape: Shape = shape.parse().unwrap();
    let positions = positions(40, 3);
    let target = Target { scale: 200.0, wdl: 0.3 };
    let mut passes = Passes::new(Model::new(shape, 5));
    let indices: Vec<u32> = (0..positions.len() as u32).collect();
    let chosen = Chosen { positions: &positions, indices: &indices };
    let loss = passes.add_gradients(&chosen, target);
    passes.model.tiles.iter_mut().for_each(|tile| tile.input.share_gradient());
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
            model.refresh();
            reference_loss(&model, &positions, target)
        };
        let step = 1.0 / 8192.0;
        let difference = (moved(step) - moved(-step)) / f64::from(2.0 * step);
        let error = (difference - f64::from(gradients[row].0[lane])).abs();
        // The kink of the activation allows a little more where a position sits on it.
        assert!(error < 2e-3 * f64::from(largest), "{error} of {largest} at {row}, {lane}");
    }
}

/// Nets with one hidden layer, and with dense layers after it.
const SHAPES: [&str; 4] =
    ["768x1-128s-1x8", "768x4-128s-1x1", "768x4-128p-16d-32s-1x8", "768x1-128s-16c-8c-1x1"];

#[test]
fn input_gradients_match_finite_differences() {
    for shape in SHAPES {
        check_gradients(shape, |model| &mut model.tiles[1].input.weights);
        check_gradients(shape, |model| &mut model.tiles[0].input.bias);
    }
}

#[test]
fn shared_gradients_match_finite_differences() {
    for shape in [SHAPES[1], SHAPES[2]] {
        check_gradients(shape, |model| model.tiles[2].input.shared.as_mut().unwrap());
    }
}

#[test]
fn threat_gradients_match_finite_differences() {
    let shape = "768x4+threats-128p-16d-32s-1x8";
    check_gradients(shape, |model| model.tiles[1].input.threats.as_mut().unwrap());
}

#[test]
fn gradients_of_what_reads_the_hidden_layer_match_finite_differences() {
    for shape in SHAPES {
        check_gradients(shape, |model| match &mut model.tiles[3].reader {
            Reader::Single(single) => &mut single.weights,
            Reader::First(first) => &mut first.weights,
        });
    }
}

#[test]
fn gradients_of_the_end_match_finite_differences() {
    for shape in SHAPES {
        let count = Model::new(shape.parse().unwrap(), 1).end.params_mut().len();
        for which in 0..count {
            check_gradients(shape, |model| model.end.params_mut().swap_remove(which));
        }
    }
}

fn shape(text: &str) -> Shape {
    text.parse().unwrap()
}

fn small() -> Settings {
    Settings {
        shape: shape("768x1-128s-1x1"),
        epochs: 4,
        batch: 1000,
        wdl_end: 0.1,
        ..Settings::default()
    }
}

fn control(threads: usize, stop: &AtomicBool) -> Control<'_> {
    Control { checkpoint: None, resume: false, force: false, from: None, threads, stop }
}

#[test]
fn random_labels_of_ten_thousand_positions_are_learnt_by_heart() {
    let positions = positions(10_000, 1);
    let settings = Settings { epochs: 60, batch: 500, peak_rate: 4e-3, wdl_end: 0.0, ..small() };
    let stop = AtomicBool::new(false);
    let outcome = run(
        &settings,
        &Training::Memory(&positions),
        &positions[..1000],
        "test",
        &control(2, &stop),
        |_| (),
    )
    .unwrap();
    let first = outcome.curve.first().unwrap().training;
    assert!(outcome.best_loss < first / 50.0, "{} from {first}", outcome.best_loss);
    assert!(outcome.finished && outcome.net.provenance().starts_with("test; 10000 positions"));
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let positions = positions(5_000, 2);
    let stop = AtomicBool::new(false);
    for text in ["768x4-128s-1x8", "768x4-128p-16d-32s-1x8"] {
        let [one, three] = [1, 3].map(|threads| {
            let settings = Settings { shape: shape(text), epochs: 1, ..small() };
            run(
                &settings,
                &Training::Memory(&positions),
                &positions[..500],
                "test",
                &control(threads, &stop),
                |_| (),
            )
            .unwrap()
        });
        assert!(one.net.save() == three.net.save());
        assert!(one.curve == three.curve);
    }
}

#[test]
fn a_resumed_run_ends_with_the_same_bits() {
    let folder = std::env::temp_dir().join(format!("tabiya-train-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("run.checkpoint");
    let positions = positions(5_000, 2);
    let settings = Settings { shape: shape("768x4-128p-16d-32s-1x8"), ..small() };
    let stop = AtomicBool::new(false);
    let train = |control: &Control, observe: &mut (dyn FnMut(&TrainProgress) + Send)| {
        run(&settings, &Training::Memory(&positions), &positions[..500], "test", control, observe)
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

    let begin = Control { checkpoint: Some(&path), ..control(1, &stop) };
    let error = train(&begin, &mut |_| ()).err().unwrap().to_string();
    assert!(error.ends_with("holds a run already; --resume continues it, --force begins anew"));
    let other_run = checkpoint::lock(&path).unwrap();
    for control in [Control { resume: true, ..begin }, Control { force: true, ..begin }] {
        let error = train(&control, &mut |_| ()).err().unwrap().to_string();
        assert!(error.ends_with("in use by another run"), "{error}");
    }
    drop(other_run);

    let judged =
        |settings: &Settings, positions: &[LabelledPosition], judges: &[LabelledPosition]| {
            let control = Control { resume: true, ..begin };
            run(settings, &Training::Memory(positions), judges, "test", &control, |_| ())
                .err()
                .unwrap()
                .to_string()
        };
    let refuse = |settings: &Settings, positions: &[LabelledPosition]| {
        judged(settings, positions, &positions[..500])
    };
    assert_eq!(
        judged(&settings, &positions, &positions[..499]),
        "checkpoint: made with other data"
    );
    let other = Settings { seed: 2, ..settings.clone() };
    assert_eq!(
        refuse(&other, &positions),
        "checkpoint: made with other settings: seed was 1, now 2"
    );
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
        let of = |hidden: usize, kings: usize, outputs: usize| -> Shape {
            Shape::new(hidden, kings, outputs).unwrap()
        };
        let settings =
            Settings { shape: of(128, king_buckets, 1), epochs: 3, batch: 500, ..small() };
        let stop = AtomicBool::new(false);
        let checkpoint = folder.join("run.checkpoint");
        let first = Control { checkpoint: Some(&checkpoint), force: true, ..control(2, &stop) };
        let taught = run(
            &settings,
            &Training::Memory(&positions),
            &positions[..500],
            "test",
            &first,
            |_| (),
        )
        .unwrap();
        let net = folder.join("net.nnue");
        std::fs::write(&net, taught.net.save()).unwrap();
        // A rate of nearly nothing leaves what the run started from.
        let settings = Settings { epochs: 1, peak_rate: 1e-9, final_rate: 0.0, ..settings };
        let go_on = |from: &Path| {
            let control = Control { from: Some(from), ..control(2, &stop) };
            run(
                &settings,
                &Training::Memory(&positions),
                &positions[..500],
                "test",
                &control,
                |_| (),
            )
        };
        let exact = go_on(&checkpoint).unwrap().best_loss;
        assert!((exact / taught.best_loss - 1.0).abs() < 1e-4, "{exact} {}", taught.best_loss);
        let rounded = go_on(&net).unwrap().best_loss;
        let expected = taught.rounding.rounded_loss;
        assert!((rounded / expected - 1.0).abs() < 1e-3, "{rounded} {expected}");

        let start = |settings: &Settings| {
            let control = Control { from: Some(&net), ..control(2, &stop) };
            run(
                settings,
                &Training::Memory(&positions),
                &positions[..500],
                "test",
                &control,
                |_| (),
            )
        };
        let wider =
            start(&Settings { shape: of(256, king_buckets, 1), ..settings.clone() }).unwrap();
        assert_eq!(wider.net.shape().hidden(), 256);
        assert!((wider.best_loss / rounded - 1.0).abs() < 1e-4, "{} {rounded}", wider.best_loss);
        let divided = start(&Settings { shape: of(128, 8, 1), ..settings.clone() }).unwrap();
        assert_eq!(divided.net.shape().king_buckets(), 8);
        assert!((divided.best_loss / rounded - 1.0).abs() < 1e-4, "{}", divided.best_loss);
        let mut unlike = vec![Settings { shape: of(128, king_buckets, 8), ..settings.clone() }];
        if king_buckets > 1 {
            unlike.push(Settings { shape: of(128, 1, 1), ..settings.clone() });
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
    let fail = |settings: &Settings, positions: &[LabelledPosition]| {
        run(settings, &Training::Memory(positions), positions, "", &control(1, &stop), |_| ())
            .err()
            .unwrap()
            .to_string()
    };
    assert_eq!(fail(&small(), &[]), "training: no positions");
    assert_eq!(fail(&Settings { epochs: 0, ..small() }, &positions), "epochs: out of range");
    assert_eq!(fail(&Settings { scale: f32::NAN, ..small() }, &positions), "scale: out of range");
}
