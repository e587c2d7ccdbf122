//! The policy net: kernels against each other, the forward pass against a slow reference.

mod kernels;
