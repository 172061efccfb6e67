//! RED's law as a graph: the base probability over the average queue.

use super::{Above, Mode, Red};
use crate::queue::drawing::{Axis, Graph};

impl Red {
    /// The average's axis and that of p_b.
    fn axes(&self) -> Graph {
        let unit = if self.mode == Mode::Packets { "packets" } else { "bytes" };
        Graph::new(Axis::new("average queue", unit), Axis::new("base drop probability", ""))
    }

    /// From an empty queue to beyond the place where everything is dropped.
    fn range(&self) -> (f64, f64) {
        let all = if self.curve.above == Above::Gentle { 2.0 } else { 1.0 };
        (0.0, (all + 0.25) * self.curve.max_th)
    }

    /// The curve at the present max_p.
    pub fn graph(&self) -> Graph {
        self.graph_by(|average| self.curve.p_b(average, self.max_p))
    }

    /// The curve of an algorithm that moves max_p: at each of these values.
    pub fn graph_at(&self, values: &[f64]) -> Graph {
        let mut graph = self.axes().about("max_p moves; each curve shows one of its values.");
        for max_p in values {
            graph = graph.curve(format!("max_p = {max_p}"), self.range(), &self.knees(), |average| {
                self.curve.p_b(average, *max_p)
            });
        }
        graph
    }

    /// Another law over RED's average.
    pub fn graph_by(&self, p_b: impl Fn(f64) -> f64) -> Graph {
        self.axes().curve("", self.range(), &self.knees(), p_b)
    }

    /// Adds the law to a graph as another curve.
    pub fn join(&self, graph: Graph, name: &str) -> Graph {
        self.join_by(graph, name, |average| self.curve.p_b(average, self.max_p))
    }

    /// Adds another law over the range of this one.
    pub fn join_by(&self, graph: Graph, name: &str, p_b: impl Fn(f64) -> f64) -> Graph {
        graph.curve(name, self.range(), &self.knees(), p_b)
    }

    /// Where the curve changes its course.
    pub fn knees(&self) -> [f64; 4] {
        let (low, high) = (self.curve.min_th, self.curve.max_th);
        [low, f64::midpoint(low, high), high, 2.0 * high]
    }
}

/// The distinct values in a list, in ascending order: the curves to draw where max_p moves between bounds.
pub fn distinct(values: impl IntoIterator<Item = f64>) -> Vec<f64> {
    let mut values: Vec<f64> = values.into_iter().map(|value| value.clamp(0.0, 1.0)).collect();
    values.sort_by(f64::total_cmp);
    values.dedup();
    values
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aqm::red::ENTRY;
    use crate::queue::LinkContext;
    use crate::rig::{args, near};

    fn graph(preset: &str) -> Graph {
        let draw = ENTRY.law.expect("RED has a law");
        draw(&args(&ENTRY, Some(preset), &[("mode", "packets")]), &LinkContext::default()).expect("valid parameters")
    }

    #[test]
    fn the_line_of_1993_ends_in_a_step() {
        let graph = graph("paper");
        let points = &graph.curves[0].points;
        let below = points.iter().rfind(|(average, _)| *average < 15.0).expect("points below max_th");
        let at = points.iter().find(|(average, _)| *average >= 15.0).expect("a point at max_th");

        assert_eq!((graph.x.name, graph.x.unit), ("average queue", "packets"));
        assert!((below.1 - 0.02).abs() < 1e-9 && near(at.1, 1.0));
        assert_eq!(points.last().map(|point| point.0), Some(18.75));
    }

    #[test]
    fn gentle_goes_on_to_twice_the_threshold() {
        let graph = graph("ns2");
        let points = &graph.curves[0].points;

        assert!(points.iter().any(|(average, p)| near(*average, 30.0) && near(*p, 1.0)));
        assert!(points.iter().any(|(average, p)| near(*average, 15.0) && near(*p, 0.1)));
    }

    #[test]
    fn in_byte_mode_the_axis_is_in_bytes() {
        let red = args(&ENTRY, None, &[("mode", "bytes")]);

        assert_eq!(ENTRY.law.expect("a law")(&red, &LinkContext::default()).expect("a graph").x.unit, "bytes");
    }

    #[test]
    fn a_value_is_drawn_once() {
        assert_eq!(distinct([0.1, 0.5, 0.1, 2.0]), [0.1, 0.5, 1.0]);
    }
}
