//! The policy net: kernels against each other, the forward pass against a slow reference.

mod cache;
mod forward;
mod games;
mod kernels;
mod reference;
