//! Starting from weights that exist: those of a net file, or the best ones of another run, also with
//! neurons added or king buckets divided.

use super::model::{LANES, Model, Row, SHARED_FEATURES};
use super::{TrainError, checkpoint};
use std::path::Path;
use tabiya_chess::Square;
use tabiya_nn::{Network, QA, QB, Shape};

/// Reads weights for a new run; the seed is that of neurons the file lacks.
pub(super) fn load(path: &Path, shape: Shape, seed: u64) -> Result<Model, TrainError> {
    let bytes = std::fs::read(path).map_err(|error| TrainError::Read(path.to_owned(), error))?;
    let model = if checkpoint::is_checkpoint(&bytes) {
        checkpoint::best(&bytes)?
    } else {
        of_network(&Network::load(&bytes).map_err(TrainError::Start)?)
    };
    if model.shape == shape { Ok(model) } else { widen(model, shape, seed) }
}

/// Adds neurons that see the board in random ways and say nothing yet, and gives each king bucket the
/// weights of the one it was a part of: the net plays as before, and learns whom to listen to.
fn widen(narrow: Model, shape: Shape, seed: u64) -> Result<Model, TrainError> {
    let parents = parent_buckets(narrow.shape, shape).ok_or(TrainError::StartShape)?;
    if narrow.shape.output_buckets() != shape.output_buckets()
        || narrow.shape.hidden() > shape.hidden()
    {
        return Err(TrainError::StartShape);
    }
    let mut model = Model::new(shape, seed);
    for tile in &mut model.tiles {
        tile.output.value.fill(Row::ZERO);
    }
    for (tile, old) in model.tiles.iter_mut().zip(narrow.tiles) {
        let of_bucket =
            |bucket: usize| &old.inputs.value[bucket * SHARED_FEATURES..][..SHARED_FEATURES];
        tile.inputs.value = parents.iter().flat_map(|parent| of_bucket(*parent)).copied().collect();
        if let Some(shared) = &mut tile.shared {
            match old.shared {
                Some(old) => shared.value = old.value,
                None => shared.value.fill(Row::ZERO),
            }
        }
        tile.bias.value = old.bias.value;
        tile.output.value = old.output.value;
    }
    model.output_bias.value = narrow.output_bias.value;
    model.refresh();
    Ok(model)
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
    let hidden = shape.hidden();
    let mut model = Model::new(shape, 0);
    for (index, tile) in model.tiles.iter_mut().enumerate() {
        let lanes = |weights: &[i16], row: usize, one: i32| -> [f32; LANES] {
            let first = row * hidden + index * LANES;
            std::array::from_fn(|lane| f32::from(weights[first + lane]) / one as f32)
        };
        for (feature, row) in tile.inputs.value.iter_mut().enumerate() {
            row.0 = lanes(&parts.ft_weights, feature, QA);
        }
        if let Some(shared) = &mut tile.shared {
            let buckets = shape.king_buckets() as f32;
            for (feature, common) in shared.value.iter_mut().enumerate() {
                let rows = tile.inputs.value[feature..].iter_mut().step_by(SHARED_FEATURES);
                common.0.fill(0.0);
                let mut rows: Vec<_> = rows.collect();
                for row in &rows {
                    common.add(row);
                }
                common.0.iter_mut().for_each(|number| *number /= buckets);
                for row in &mut rows {
                    for (number, part) in row.0.iter_mut().zip(common.0) {
                        *number -= part;
                    }
                }
            }
        }
        tile.bias.value[0].0 = lanes(&parts.ft_bias, 0, QA);
        for (row, values) in tile.output.value.iter_mut().enumerate() {
            values.0 = lanes(&parts.output_weights, row, QB);
        }
    }
    for (number, bias) in model.output_bias.value[0].0.iter_mut().zip(&parts.output_bias) {
        *number = *bias as f32 / (QA * QB) as f32;
    }
    model.refresh();
    model
}
