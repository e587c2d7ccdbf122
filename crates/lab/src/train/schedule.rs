//! How learning rate and targets change over a run.

use super::Settings;

impl Settings {
    /// The learning rate of a step of `total`: a linear start, then half a cosine down to the end.
    pub(crate) fn rate(&self, step: u64, total: u64) -> f32 {
        let warm_up = self.warm_up.min(total / 10).max(1);
        if step < warm_up {
            return self.peak_rate * (step + 1) as f32 / warm_up as f32;
        }
        let way = (step - warm_up) as f64 / (total.saturating_sub(warm_up)).max(1) as f64;
        let height = f64::midpoint(1.0, (way.min(1.0) * std::f64::consts::PI).cos());
        self.final_rate + (self.peak_rate - self.final_rate) * height as f32
    }

    /// The weight of the game's result at a step of `total`: a straight line.
    pub(crate) fn wdl(&self, step: u64, total: u64) -> f32 {
        let way = step as f32 / total.max(1) as f32;
        self.wdl_start + (self.wdl_end - self.wdl_start) * way.min(1.0)
    }
}
