//! The evaluation of nets against a slow reference, against itself, and against broken files.

mod incremental;
mod kernels;
mod loader;
mod material;
mod random;
mod reference;
mod symmetry;
