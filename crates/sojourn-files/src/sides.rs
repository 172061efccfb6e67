//! The sides of a capture, and those whose packets are taken. A side is an interface with a direction, as far as a capture says them.
//!
//! A capture on all interfaces of a router has each packet twice: where it came in, and where it went out. A queue has the packets of one
//! interface in one direction.

use std::collections::HashMap;

use crate::error::{Place, ReadError};

/// The direction in which a packet crossed its interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    In,
    Out,
}

impl Way {
    const fn name(self) -> &'static str {
        match self {
            Way::In => "in",
            Way::Out => "out",
        }
    }

    /// Text without a direction at its end, and the direction.
    fn split(text: &str) -> (&str, Option<Way>) {
        let (before, last) = text.rsplit_once(char::is_whitespace).unwrap_or(("", text));
        match [Way::In, Way::Out].into_iter().find(|way| way.name() == last) {
            Some(way) => (before.trim_end(), Some(way)),
            None => (text, None),
        }
    }
}

/// How a capture names an interface.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Interface {
    Number(u32),
    Name(String),
}

impl std::fmt::Display for Interface {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Interface::Number(number) => write!(f, "{number}"),
            Interface::Name(name) => f.write_str(name),
        }
    }
}

/// An interface by its place among those that were seen, and a direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Side {
    pub interface: Option<usize>,
    pub way: Option<Way>,
}

/// The packets of a side of a capture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SideCount {
    /// Interface and direction, such as `eth0 out`.
    pub name: String,
    /// The number of its frames.
    pub frames: u64,
    /// Whether they are taken.
    pub is_taken: bool,
}

/// The sides that were seen, in order of first appearance.
#[derive(Debug, Default)]
pub struct Sides {
    places: HashMap<Interface, usize>,
    names: Vec<String>,
    seen: Vec<(Side, u64)>,
    taken: Vec<bool>,
}

impl Sides {
    /// The place of an interface.
    pub fn interface(&mut self, interface: Interface) -> usize {
        let next = self.names.len();
        *self.places.entry(interface).or_insert_with_key(|interface| {
            self.names.push(interface.to_string());
            next
        })
    }

    /// Counts a frame.
    pub fn count(&mut self, side: Side) {
        match self.seen.iter_mut().find(|(known, _)| *known == side) {
            Some((_, frames)) => *frames += 1,
            None => self.seen.push((side, 1)),
        }
    }

    /// Chooses by a name as users write it: an interface, `in`, `out`, both as in `eth0 out`, or `all`. Without one, of the packets that
    /// went out, or of all if none did, those of the interface with the most.
    pub fn choose(&mut self, wanted: Option<&str>) -> Result<(), ReadError> {
        let all = || (0..self.seen.len()).collect::<Vec<usize>>();
        let chosen = match wanted.map(str::trim) {
            _ if self.seen.is_empty() => Vec::new(),
            Some("all") => all(),
            Some(text) => {
                let (interface, way) = Way::split(text);
                let fits = |at: &usize| {
                    let (side, _) = self.seen[*at];
                    let name = side.interface.map(|place| self.names[place].as_str());
                    (interface.is_empty() || name == Some(interface)) && (way.is_none() || side.way == way)
                };
                let fitting: Vec<usize> = all().into_iter().filter(fits).collect();
                if fitting.is_empty() {
                    return Err(self.refusal(text));
                }
                fitting
            }
            None => {
                let went_out = |at: &usize| self.seen[*at].0.way == Some(Way::Out);
                let out: Vec<usize> = all().into_iter().filter(went_out).collect();
                let among = if out.is_empty() { all() } else { out };
                // The first of those with the most.
                among.into_iter().rev().max_by_key(|at| self.seen[*at].1).into_iter().collect()
            }
        };
        self.taken = (0..self.seen.len()).map(|at| chosen.contains(&at)).collect();
        Ok(())
    }

    /// Whether the packets of a side are taken. All are if nothing was chosen.
    pub fn takes(&self, side: Side) -> bool {
        let place = self.seen.iter().position(|(known, _)| *known == side);
        place.and_then(|at| self.taken.get(at)).is_none_or(|taken| *taken)
    }

    /// All sides, if there are several.
    pub fn counts(&self) -> Vec<SideCount> {
        if self.taken.len() < 2 {
            return Vec::new();
        }
        let count = |(&(side, frames), &is_taken)| SideCount { name: self.name(side), frames, is_taken };
        self.seen.iter().zip(&self.taken).map(count).collect()
    }

    fn name(&self, side: Side) -> String {
        let parts = [side.interface.map(|place| self.names[place].as_str()), side.way.map(Way::name)];
        match parts {
            [None, None] => "unknown".to_owned(),
            parts => parts.into_iter().flatten().collect::<Vec<_>>().join(" "),
        }
    }

    fn refusal(&self, text: &str) -> ReadError {
        if matches!(self.seen[..], [(Side { interface: None, way: None }, _)]) {
            let what = format!("this capture says no interface and no direction, and the link {text:?} is chosen");
            return ReadError::new(Place::File, what).help("\n  hint:    leave the link out: all packets are taken");
        }
        let what = format!("no packet of this capture is of the link {text:?}");
        let names = self.seen.iter().map(|(side, frames)| format!("{} ({frames} frames)", self.name(*side)));
        let allowed: Vec<String> = names.collect();
        ReadError::new(Place::File, what)
            .help(format!("\n  allowed: {}; an interface or a direction (in, out) alone; all", allowed.join(", ")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: [&str; 2] = ["eth0", "wlan 2"];

    /// Sides with their numbers of frames.
    fn seen(counts: &[(usize, Option<Way>, u64)]) -> Sides {
        let mut sides = Sides::default();
        for (interface, way, frames) in counts {
            let interface = Some(sides.interface(Interface::Name(NAMES[*interface].to_owned())));
            for _ in 0..*frames {
                sides.count(Side { interface, way: *way });
            }
        }
        sides
    }

    fn taken(sides: &mut Sides, wanted: Option<&str>) -> Vec<String> {
        sides.choose(wanted).expect("there are some");
        sides.counts().into_iter().filter(|side| side.is_taken).map(|side| side.name).collect()
    }

    #[test]
    fn without_a_choice_what_went_out_of_the_busiest_interface_is_taken() {
        let (inward, out) = (Some(Way::In), Some(Way::Out));
        assert_eq!(taken(&mut seen(&[(0, inward, 9), (0, out, 2), (1, out, 3)]), None), ["wlan 2 out"]);
        assert_eq!(taken(&mut seen(&[(0, None, 3), (1, None, 3)]), None), ["eth0"]);
        let mut one = seen(&[(0, inward, 3)]);
        assert!(taken(&mut one, None).is_empty() && one.counts().is_empty());
        assert!(one.takes(Side { interface: Some(0), way: inward }));
    }

    #[test]
    fn a_choice_names_an_interface_a_direction_or_both() {
        let (inward, out) = (Some(Way::In), Some(Way::Out));
        let mut sides = seen(&[(0, inward, 1), (0, out, 1), (1, out, 1)]);
        assert_eq!(taken(&mut sides, Some("eth0")), ["eth0 in", "eth0 out"]);
        assert_eq!(taken(&mut sides, Some("out")), ["eth0 out", "wlan 2 out"]);
        assert_eq!(taken(&mut sides, Some("wlan 2 out")), ["wlan 2 out"]);
        assert_eq!(taken(&mut sides, Some("all")).len(), 3);
        let mut plain = Sides::default();
        plain.count(Side::default());
        assert!(plain.choose(Some("eth0")).unwrap_err().to_string().starts_with("this capture says no interface"));
        let message = sides.choose(Some("eth1")).unwrap_err().to_string();
        assert_eq!(
            message,
            "no packet of this capture is of the link \"eth1\"\n  allowed: eth0 in (1 frames), eth0 out (1 frames), \
             wlan 2 out (1 frames); an interface or a direction (in, out) alone; all"
        );
    }
}
