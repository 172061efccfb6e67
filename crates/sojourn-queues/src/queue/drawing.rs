//! The law of a queue or a sender as a graph: the argument of the law, and points of the function.
//!
//! A queue's entry of the registry may have a [`DrawLaw`], which makes the graph of its parameters on a link from the functions by
//! which the policy itself decides. `sojourn explain` draws it.

use crate::component::BuildError;
use crate::params::Args;
use crate::queue::LinkContext;

/// Draws the law of these parameters on a link.
pub type DrawLaw = fn(&Args, &LinkContext) -> Result<Graph, BuildError>;

/// The quantity on an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Axis {
    /// Its name in words, such as "average queue".
    pub name: &'static str,
    /// Its unit, such as "packets". Empty if there is none.
    pub unit: &'static str,
}

impl Axis {
    /// The probability with which a packet is dropped or marked, from 0 to 1.
    pub const PROBABILITY: Axis = Axis { name: "drop probability", unit: "" };
    /// The present queue in packets.
    pub const BACKLOG: Axis = Axis { name: "backlog", unit: "packets" };

    /// An axis.
    pub const fn new(name: &'static str, unit: &'static str) -> Self {
        Axis { name, unit }
    }
}

/// One function.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// Its difference from the other curves. Empty if it is the only one.
    pub name: String,
    /// Points of x and y, in the order of x. A step is two points whose x differs by less than a billionth of the range.
    pub points: Vec<(f64, f64)>,
}

/// A law, drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct Graph {
    /// The argument of the law.
    pub x: Axis,
    /// The value of the law.
    pub y: Axis,
    /// A remark of one or two sentences, or nothing.
    pub about: String,
    /// The curves, at least one.
    pub curves: Vec<Curve>,
}

impl Graph {
    /// A graph without curves.
    pub fn new(x: Axis, y: Axis) -> Self {
        Graph { x, y, about: String::new(), curves: Vec::new() }
    }

    /// The graph with a remark.
    #[must_use]
    pub fn about(mut self, text: impl Into<String>) -> Self {
        self.about = text.into();
        self
    }

    /// The graph with another curve of points, in the order of x.
    #[must_use]
    pub fn course(mut self, name: impl Into<String>, points: Vec<(f64, f64)>) -> Self {
        self.curves.push(Curve { name: name.into(), points });
        self
    }

    /// The graph with the function `law` over a range of x. Its slope changes at each of the `knees`. Values that are not finite are left
    /// out.
    #[must_use]
    pub fn curve(
        mut self,
        name: impl Into<String>,
        (from, to): (f64, f64),
        knees: &[f64],
        law: impl Fn(f64) -> f64,
    ) -> Self {
        const STEPS: u32 = 100;
        let span = to - from;
        let mut xs: Vec<f64> =
            (0..=STEPS).map(|step| from + span * f64::from(step) / f64::from(STEPS)).chain([to]).collect();
        for knee in knees.iter().filter(|knee| (from..=to).contains(*knee)) {
            // A step shows just below the knee.
            xs.extend([(knee - 1e-10 * span).max(from), *knee]);
        }
        xs.sort_by(f64::total_cmp);
        xs.dedup();
        let points = xs.into_iter().map(|x| (x, law(x))).filter(|(x, y)| x.is_finite() && y.is_finite()).collect();
        self.curves.push(Curve { name: name.into(), points });
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::QUEUES;
    use crate::rig::near;

    /// Each queue that has a law, with each of its presets and without one.
    fn graphs() -> impl Iterator<Item = (String, Graph)> {
        QUEUES.iter().flat_map(|entry| {
            let presets = entry.presets.iter().map(|preset| Some(preset.name));
            [None].into_iter().chain(presets).filter_map(|preset| {
                let args = entry.args(preset).expect("a preset of this entry");
                let graph = entry.law?(&args, &LinkContext::default()).expect("presets hold on the default link");
                Some((format!("{} {}", entry.name, preset.unwrap_or_default()), graph))
            })
        })
    }

    #[test]
    fn every_law_has_points_in_order_and_probabilities_are_probabilities() {
        for (name, graph) in graphs() {
            assert!(!graph.curves.is_empty(), "{name}");
            for curve in &graph.curves {
                assert!(curve.points.len() > 20, "{name}: {}", curve.points.len());
                assert!(curve.points.is_sorted_by(|one, next| one.0 < next.0), "{name}");
                if graph.y.name.ends_with("probability") && graph.y.unit.is_empty() {
                    assert!(curve.points.iter().all(|(_, p)| (0.0..=1.0).contains(p)), "{name}");
                }
            }
        }
    }

    #[test]
    fn a_queue_draws_its_law_or_says_what_it_decides_by() {
        for entry in QUEUES {
            assert_eq!(entry.decides.is_empty(), entry.law.is_some(), "{}", entry.name);
            assert!(entry.decides.is_empty() || entry.decides.ends_with('.'), "{}", entry.name);
        }
    }

    #[test]
    fn several_curves_have_names() {
        for (name, graph) in graphs().filter(|(_, graph)| graph.curves.len() > 1) {
            let mut names: Vec<&str> = graph.curves.iter().map(|curve| curve.name.as_str()).collect();
            names.sort_unstable();
            names.dedup();
            assert!(names.len() == graph.curves.len() && names.iter().all(|own| !own.is_empty()), "{name}: {names:?}");
        }
    }

    #[test]
    fn a_step_keeps_its_place() {
        let graph =
            Graph::new(Axis::BACKLOG, Axis::PROBABILITY).curve("", (0.0, 10.0), &[3.3], |x| f64::from(x >= 3.3));
        let points = &graph.curves[0].points;
        let step = points.iter().position(|(_, p)| *p > 0.0).expect("a step");

        assert!(near(points[step].0, 3.3));
        assert!(points[step - 1].0 > 3.3 - 2e-9);
    }

    #[test]
    fn what_is_not_finite_is_left_out() {
        let graph = Graph::new(Axis::BACKLOG, Axis::PROBABILITY).curve("", (0.0, 1.0), &[], |x| 1.0 / x);

        assert_eq!(graph.curves[0].points.len(), 100);
    }
}
