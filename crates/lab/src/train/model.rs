//! A net in training, cut into tiles of columns.
//!
//! A [`Tile`] owns [`LANES`] neurons completely: their input weights, bias, the weights that read them
//! and optimiser state. Threads work on different tiles, so nothing is shared, nothing is summed
//! across threads, and the result does not depend on how many threads there are.

use super::first::First;
use super::input::Input;
use super::param::{LANES, Param};
use super::single::Single;
use super::tail::TailModel;
use crate::work::SplitMix;
use tabiya_nn::Shape;

/// Output biases are hardly limited.
const BIAS_CLIP: f32 = 100.0;

/// A group of neurons.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Tile {
    pub(crate) input: Input,
    pub(crate) reader: Reader,
}

/// The weights that read a tile's activations.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Reader {
    /// Straight to the output.
    Single(Single),
    /// The first dense layer.
    First(First),
}

impl Tile {
    fn new(shape: Shape, random: &mut SplitMix) -> Self {
        let input = Input::new(shape, random);
        let reader = match shape.tail() {
            None => Reader::Single(Single::new(shape, random)),
            Some(_) => Reader::First(First::new(shape, random)),
        };
        Self { input, reader }
    }

    /// Brings everything derived from the weights up to date.
    pub(crate) fn refresh(&mut self) {
        self.input.refresh();
        if let Reader::First(first) = &mut self.reader {
            first.refresh();
        }
    }

    pub(crate) fn params_mut(&mut self) -> impl Iterator<Item = &mut Param> {
        let reader = match &mut self.reader {
            Reader::Single(single) => &mut single.weights,
            Reader::First(first) => &mut first.weights,
        };
        self.input.params_mut().chain([reader])
    }

    pub(crate) fn params(&self) -> impl Iterator<Item = &Param> {
        let reader = match &self.reader {
            Reader::Single(single) => &single.weights,
            Reader::First(first) => &first.weights,
        };
        self.input.params().chain([reader])
    }
}

/// The end of a net: what no tile owns.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum End {
    /// One row; the lane is the output bucket.
    OutputBias(Param),
    /// The dense layers after the first.
    Tail(Box<TailModel>),
}

impl End {
    /// Brings everything derived from the weights up to date.
    pub(crate) fn refresh(&mut self) {
        if let Self::Tail(tail) = self {
            tail.refresh();
        }
    }

    pub(crate) fn params(&self) -> Vec<&Param> {
        match self {
            Self::OutputBias(bias) => vec![bias],
            Self::Tail(tail) => tail.params().into(),
        }
    }

    pub(crate) fn params_mut(&mut self) -> Vec<&mut Param> {
        match self {
            Self::OutputBias(bias) => vec![bias],
            Self::Tail(tail) => tail.params_mut().into(),
        }
    }
}

/// All weights.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Model {
    pub(crate) shape: Shape,
    pub(crate) tiles: Vec<Tile>,
    pub(crate) end: End,
}

impl Model {
    /// A net with random weights.
    pub(crate) fn new(shape: Shape, seed: u64) -> Self {
        let mut random = SplitMix::new(seed);
        let tiles = (0..shape.hidden() / LANES).map(|_| Tile::new(shape, &mut random)).collect();
        let end = match shape.tail() {
            None => End::OutputBias(Param::zeros(1, BIAS_CLIP)),
            Some(tail) => End::Tail(Box::new(TailModel::new(shape, tail, &mut random))),
        };
        Self { shape, tiles, end }
    }

    pub(crate) fn params(&self) -> impl Iterator<Item = &Param> {
        self.tiles.iter().flat_map(Tile::params).chain(self.end.params())
    }

    pub(crate) fn params_mut(&mut self) -> impl Iterator<Item = &mut Param> {
        self.tiles.iter_mut().flat_map(Tile::params_mut).chain(self.end.params_mut())
    }

    /// Brings everything derived from the weights up to date.
    pub(crate) fn refresh(&mut self) {
        self.tiles.iter_mut().for_each(Tile::refresh);
        self.end.refresh();
    }

    /// Whether every weight is a number.
    pub(crate) fn is_finite(&self) -> bool {
        self.params().flat_map(|param| &param.value).all(|row| row.0.iter().all(|x| x.is_finite()))
    }
}
