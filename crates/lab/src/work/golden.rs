//! The lowest point of a function by golden section search (Kiefer 1953).

/// Where a function with one valley between `low` and `high` is lowest, to within `tolerance`.
pub(crate) fn lowest(low: f64, high: f64, tolerance: f64, function: impl Fn(f64) -> f64) -> f64 {
    let ratio = (5f64.sqrt() - 1.0) / 2.0;
    let (mut low, mut high) = (low, high);
    while high - low > tolerance {
        let (left, right) = (high - ratio * (high - low), low + ratio * (high - low));
        if function(left) < function(right) {
            high = right;
        } else {
            low = left;
        }
    }
    f64::midpoint(low, high)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lowest_point_is_found_inside_and_at_the_ends() {
        for valley in [-3.0, 0.25, 7.0] {
            let found = lowest(-3.0, 7.0, 1e-6, |x| (x - valley).powi(2));
            assert!((found - valley).abs() <= 1e-6, "{valley}: {found}");
        }
    }
}
