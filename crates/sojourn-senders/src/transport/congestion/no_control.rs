//! No control: a fixed window that nothing moves. The smallest control there is, and the sender of
//! queueing theory's closed networks.

use super::prelude::*;

pub static ENTRY: ControlEntry = ControlEntry {
    name: "none",
    title: "No control (fixed window)",
    doc: "A fixed window. It never changes; losses are still recovered.",
    reference: "the static window of the literature",
    ..ControlEntry::of::<Params>(&build)
};

params! {
    pub struct Params {
        /// The window in segments; `auto` is the initial window.
        window: Option<f64> = "auto" in [1.0, 1e9], "a free choice";
    }
}

#[derive(Clone, Debug)]
struct NoControl {
    fixed: Option<f64>,
    window: f64,
}

fn build(args: &Args) -> Box<dyn CongestionControl> {
    let params: Params = args.typed();
    Box::new(NoControl { fixed: params.window, window: params.window.unwrap_or(1.0) })
}

impl CongestionControl for NoControl {
    fn on_connect(&mut self, setup: &Setup) {
        self.window = self.fixed.unwrap_or(setup.window);
    }

    fn on_ack(&mut self, _acked: &Acked) {}

    fn on_congestion_event(&mut self, _event: &Congestion) {}

    fn on_timeout(&mut self, _event: Option<&Congestion>) {}

    fn adjust(&mut self, _change: Adjustment) {}

    fn window(&self) -> f64 {
        self.window
    }

    fn ssthresh(&self) -> f64 {
        f64::INFINITY
    }
}

#[cfg(test)]
mod tests {
    use super::super::Cause;
    use super::*;
    use crate::params::Params as _;
    use crate::units::Instant;

    #[test]
    fn nothing_moves_a_fixed_window() {
        let mut args = Args::defaults(Params::SPECS);
        args.set_text("window", "7").expect("a number");
        let mut control = build(&args);
        control.on_congestion_event(&Congestion { now: Instant::ZERO, used: 7.0, cause: Cause::Loss });
        control.on_timeout(None);
        control.adjust(Adjustment::Limit(1.0));
        assert_eq!(control.window().to_bits(), 7.0_f64.to_bits());
    }
}
