//! Starting from weights that exist: those of a net file, or the best ones of another run, also with
//! neurons added, king buckets divided, threats to look at, or dense layers put on top.

use super::activation::{dense_input, neuron, rows};
use super::first::NEURONS;
use super::input::SHARED_FEATURES;
use super::model::{End, Model, Reader};
use super::param::{LANES, Row};
use super::{TrainError, checkpoint};
use std::path::Path;
use tabiya_chess::Square;
use tabiya_nn::{HeadParts, Network, Parts, QA, QB, Shape, Tail};

/// Reads weights for a new run; the seed is that of neurons the file lacks.
pub(super) fn load(path: &Path, shape: Shape, seed: u64) -> Result<Model, TrainError> {
    let bytes = std::fs::read(path).map_err(|error| TrainError::Read(path.to_owned(), error))?;
    let model = if checkpoint::is_checkpoint(&bytes) {
        checkpoint::best(&bytes)?
    } else {
        of_network(&Network::load(&bytes).map_err(TrainError::Start)?)
    };
    if model.shape == shape { Ok(model) } else { widen(&model, shape, seed) }
}

/// Adds neurons that see the board in random ways and say nothing yet, and gives each king bucket the
/// weights of the one it was a part of: the net plays as before, and learns whom to listen to. With
/// other layers after the hidden one, only the hidden one is taken over.
fn widen(narrow: &Model, shape: Shape, seed: u64) -> Result<Model, TrainError> {
    let parents = parent_buckets(narrow.shape, shape).ok_or(TrainError::StartShape)?;
    let same_head =
        (narrow.shape.tail(), narrow.shape.activation()) == (shape.tail(), shape.activation());
    if narrow.shape.hidden() > shape.hidden()
        || same_head && narrow.shape.output_buckets() != shape.output_buckets()
    {
        return Err(TrainError::StartShape);
    }
    let mut model = Model::new(shape, seed);
    let mut sources = sources(narrow.shape, shape);
    for (index, tile) in model.tiles.iter_mut().enumerate() {
        if same_head {
            match &mut tile.reader {
                Reader::Single(single) => single.weights.value.fill(Row::ZERO),
                Reader::First(first) => first.weights.value.fill(Row::ZERO),
            }
        }
        for lane in 0..LANES {
            let place = neuron(shape.activation(), shape.hidden(), index, lane);
            let Some((old_tile, old_lane)) = sources[place].take() else { continue };
            let old = &narrow.tiles[old_tile];
            for (bucket, parent) in parents.iter().enumerate() {
                for feature in 0..SHARED_FEATURES {
                    let from = &old.input.weights.value[parent * SHARED_FEATURES + feature];
                    let to = &mut tile.input.weights.value[bucket * SHARED_FEATURES + feature];
                    to.0[lane] = from.0[old_lane];
                }
            }
            if let Some(shared) = &mut tile.input.shared {
                for (feature, row) in shared.value.iter_mut().enumerate() {
                    let old = old.input.shared.as_ref();
                    row.0[lane] = old.map_or(0.0, |old| old.value[feature].0[old_lane]);
                }
            }
            if let (Some(threats), Some(old)) = (&mut tile.input.threats, &old.input.threats) {
                for (row, old) in threats.value.iter_mut().zip(&old.value) {
                    row.0[lane] = old.0[old_lane];
                }
            }
            tile.input.bias.value[0].0[lane] = old.input.bias.value[0].0[old_lane];
        }
    }
    if same_head {
        copy_readers(narrow, &mut model);
        for (to, from) in model.end.params_mut().into_iter().zip(narrow.end.params()) {
            to.value.clone_from(&from.value);
        }
    }
    model.refresh();
    Ok(model)
}

/// For each neuron of the new hidden layer the tile and lane of the old one that it continues. Halves of
/// pairs stay halves.
fn sources(old: Shape, new: Shape) -> Vec<Option<(usize, usize)>> {
    let mut sources = vec![None; new.hidden()];
    let pairs = old.activation() == new.activation() && rows(old.activation()) == 1;
    for tile in 0..old.hidden() / LANES {
        for lane in 0..LANES {
            let place = neuron(old.activation(), old.hidden(), tile, lane);
            let half = old.hidden() / 2;
            let shifted =
                if pairs && place >= half { place - half + new.hidden() / 2 } else { place };
            sources[shifted] = Some((tile, lane));
        }
    }
    sources
}

/// Takes over the weights that read the old activations.
fn copy_readers(narrow: &Model, model: &mut Model) {
    let shape = narrow.shape;
    let places = |shape: Shape, tile: usize| {
        (0..rows(shape.activation())).flat_map(move |row| {
            (0..LANES).map(move |lane| {
                let input = dense_input(shape.activation(), shape.activations(), tile, row, lane);
                let side = input / shape.activations();
                ((row, lane), (side, input % shape.activations()))
            })
        })
    };
    let mut old_places = std::collections::HashMap::new();
    for tile in 0..narrow.tiles.len() {
        old_places.extend(places(shape, tile).map(|((row, lane), at)| (at, (tile, row, lane))));
    }
    let wide = model.shape;
    for (index, tile) in model.tiles.iter_mut().enumerate() {
        for ((row, lane), at) in places(wide, index) {
            let Some((old_tile, old_row, old_lane)) = old_places.get(&at).copied() else {
                continue;
            };
            let count = rows(shape.activation());
            let (to, from) = match (&mut tile.reader, &narrow.tiles[old_tile].reader) {
                (Reader::Single(to), Reader::Single(from)) => (&mut to.weights, &from.weights),
                (Reader::First(to), Reader::First(from)) => (&mut to.weights, &from.weights),
                _ => continue,
            };
            for (to, from) in to.value.chunks_exact_mut(count).zip(from.value.chunks_exact(count)) {
                to[row].0[lane] = from[old_row].0[old_lane];
            }
        }
    }
}

/// For each king bucket of the new shape the old one that holds all its squares, if there is one.
fn parent_buckets(old: Shape, new: Shape) -> Option<Vec<usize>> {
    let mut parents = vec![None; new.king_buckets()];
    for king in Square::ALL {
        let parent = old.king_bucket(king);
        if *parents[new.king_bucket(king)].get_or_insert(parent) != parent {
            return None;
        }
    }
    parents.into_iter().collect()
}

/// The weights of a net as numbers; what its king buckets have in common goes to the shared part.
fn of_network(net: &Network) -> Model {
    let shape = net.shape();
    let parts = net.to_parts();
    let mut model = Model::new(shape, 0);
    read_inputs(&parts, &mut model);
    read_head(&parts, &mut model);
    model.refresh();
    model
}

fn read_inputs(parts: &Parts, model: &mut Model) {
    let shape = model.shape;
    let hidden = shape.hidden();
    for (index, tile) in model.tiles.iter_mut().enumerate() {
        let place = |lane| neuron(shape.activation(), hidden, index, lane);
        let lanes = |weights: &[i16], row: usize| -> [f32; LANES] {
            std::array::from_fn(|lane| f32::from(weights[row * hidden + place(lane)]) / QA as f32)
        };
        for (feature, row) in tile.input.weights.value.iter_mut().enumerate() {
            row.0 = lanes(&parts.ft_weights, feature);
        }
        if let Some(shared) = &mut tile.input.shared {
            let buckets = shape.king_buckets() as f32;
            for (feature, common) in shared.value.iter_mut().enumerate() {
                let rows = tile.input.weights.value[feature..].iter_mut().step_by(SHARED_FEATURES);
                common.0.fill(0.0);
                let mut rows: Vec<_> = rows.collect();
                for row in &rows {
                    common.add(row);
                }
                common.0.iter_mut().for_each(|number| *number /= buckets);
                for row in &mut rows {
                    row.add_scaled(-1.0, common);
                }
            }
        }
        tile.input.bias.value[0].0 = lanes(&parts.ft_bias, 0);
        if let Some(threats) = &mut tile.input.threats {
            let rows = parts.threat_weights.chunks_exact(hidden);
            for (row, weights) in threats.value.iter_mut().zip(rows) {
                row.0 = std::array::from_fn(|lane| f32::from(weights[place(lane)]) / QA as f32);
            }
        }
    }
}

fn read_head(parts: &Parts, model: &mut Model) {
    let shape = model.shape;
    let per_side = shape.activations();
    for (index, tile) in model.tiles.iter_mut().enumerate() {
        match (&mut tile.reader, &parts.head) {
            (Reader::Single(single), HeadParts::Single(parts)) => {
                for (row, values) in single.weights.value.iter_mut().enumerate() {
                    for (lane, value) in values.0.iter_mut().enumerate() {
                        let weight = parts.output_weights[row * per_side + index * LANES + lane];
                        *value = f32::from(weight) / QB as f32;
                    }
                }
            }
            (Reader::First(first), HeadParts::Deep(parts)) => {
                let count = rows(shape.activation());
                for (row, values) in first.weights.value.iter_mut().enumerate() {
                    let (neuron, row) = (row / count, row % count);
                    for (lane, value) in values.0.iter_mut().enumerate() {
                        let input = dense_input(shape.activation(), per_side, index, row, lane);
                        let weight = parts.first_weights[neuron * 2 * per_side + input];
                        *value = f32::from(weight) / QB as f32;
                    }
                }
            }
            _ => unreachable!("model and parts have the same shape"),
        }
    }
    match (&mut model.end, &parts.head, shape.tail()) {
        (End::OutputBias(bias), HeadParts::Single(parts), _) => {
            for (number, bias) in bias.value[0].0.iter_mut().zip(&parts.output_bias) {
                *number = *bias as f32 / (QA * QB) as f32;
            }
        }
        (End::Tail(model), HeadParts::Deep(parts), Some(tail)) => {
            let width = tail.second.outputs;
            put(&mut model.first_bias.value, &parts.first_bias, NEURONS);
            put(&mut model.second_bias.value, &parts.second_bias, width);
            put(&mut model.output.value, &parts.output_weights, width);
            let per_bucket = tail.second_inputs() * width;
            for (bucket, weights) in parts.second_weights.chunks_exact(per_bucket).enumerate() {
                put(&mut model.second.value[bucket * Tail::MOST_INPUTS..], weights, width);
            }
            model.output_bias.value[0].0[..parts.output_bias.len()]
                .copy_from_slice(&parts.output_bias);
        }
        _ => unreachable!("model and parts have the same shape"),
    }
}

/// Fills the first lanes of rows.
fn put(rows: &mut [Row], numbers: &[f32], width: usize) {
    for (row, numbers) in rows.iter_mut().zip(numbers.chunks_exact(width)) {
        row.0[..width].copy_from_slice(numbers);
    }
}
