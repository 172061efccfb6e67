//! The values that a parameter takes (text, numbers and lists), and the messages for others.

use super::lists::{one_of, read_several, read_tables};
use super::nearest::nearest;
use super::types::{Chosen, Component, Kind, Known, Param, Value};
use crate::header::Dscp;
use crate::quantity::{self, Complaint};
use crate::units::{Duration, Rate, Size};

impl Param {
    /// Reads a value from text, the way it is between quotation marks in a file.
    pub fn read_text(&self, text: &str) -> Result<Value, Complaint> {
        self.read_text_with(text, None)
    }

    /// The same where a policy, here or in a table, is one of `policies`: those of users are among them.
    pub fn read_text_with(&self, text: &str, policies: Option<&[&'static dyn Component]>) -> Result<Value, Complaint> {
        if self.auto && text == "auto" {
            return Ok(Value::Auto);
        }
        let value = match self.kind {
            Kind::Bool => match text {
                "true" => Value::Bool(true),
                "false" => Value::Bool(false),
                _ => return Err(self.unwanted("this is not a truth value")),
            },
            Kind::Integer => Value::Integer(
                text.trim().replace('_', "").parse().map_err(|_| self.unwanted("this is not a whole number"))?,
            ),
            Kind::Number => {
                Value::Number(text.trim().replace('_', "").parse().map_err(|_| self.unwanted("this is not a number"))?)
            }
            Kind::Fraction => Value::Number(quantity::fraction(text)?),
            Kind::Rate => Value::Rate(quantity::rate(text)?),
            Kind::Time => Value::Time(quantity::time(text)?),
            Kind::Size => Value::Size(quantity::size(text)?),
            Kind::Bytes => Value::Bytes(quantity::bytes(text)?),
            Kind::Choice(names) => {
                Value::Choice(names.iter().find(|name| **name == text).ok_or_else(|| self.unknown_choice(text, names))?)
            }
            Kind::Dscp => Value::Dscp(Dscp::read(text).ok_or_else(|| self.unknown_codepoint(text))?),
            Kind::Flows => Value::Flows(text.into()),
            Kind::Several(kind) => return read_several(self, kind, text),
            Kind::Tables(specs) => return read_tables(specs, text, policies),
            Kind::Numbers => return self.read_list(&self.split(text)?),
            Kind::Policy(known) => Value::Policy(Chosen::read_text(text, policies.unwrap_or(known))?),
            Kind::Queue(Known(known)) => Value::Policy(Chosen::read_queue(text, known(), policies.unwrap_or(&[]))?),
        };
        self.in_range(value)
    }

    /// Reads a bare number, where the parameter has no unit.
    pub fn read_number(&self, number: f64) -> Result<Value, Complaint> {
        let value = match self.kind {
            Kind::Integer if number.fract() == 0.0 && number.abs() < 9e15 => Value::Integer(number as i64),
            Kind::Flows if number.fract() == 0.0 && (0.0..4e9).contains(&number) => {
                Value::Flows(number.to_string().into())
            }
            Kind::Several(kind) => {
                let one = one_of(self, kind).read_number(number)?;
                return Ok(Value::Several([one].into()));
            }
            Kind::Dscp => {
                let whole = number.fract() == 0.0 && (0.0..=f64::from(Dscp::MAX)).contains(&number);
                let dscp = Dscp::new(number as u8).filter(|_| whole);
                return dscp.map(Value::Dscp).ok_or_else(|| self.unwanted("there is not a codepoint of this number"));
            }
            Kind::Integer => return Err(self.unwanted("this is not a whole number")),
            Kind::Number | Kind::Fraction => Value::Number(number),
            Kind::Rate | Kind::Time | Kind::Size | Kind::Bytes => return Err(self.unwanted("the unit is missing")),
            Kind::Bool
            | Kind::Choice(_)
            | Kind::Numbers
            | Kind::Policy(_)
            | Kind::Queue(_)
            | Kind::Flows
            | Kind::Tables(_) => {
                return Err(self.unwanted("this is a number"));
            }
        };
        self.in_range(value)
    }

    /// Reads `true` or `false`.
    pub fn read_bool(&self, value: bool) -> Result<Value, Complaint> {
        match self.kind {
            Kind::Bool => Ok(Value::Bool(value)),
            _ => Err(self.unwanted("this is a truth value")),
        }
    }

    /// Reads a list of numbers.
    pub fn read_list(&self, numbers: &[f64]) -> Result<Value, Complaint> {
        match self.kind {
            Kind::Numbers => self.in_range(Value::Numbers(numbers.into())),
            _ => Err(self.unwanted("this is a list")),
        }
    }

    /// The numbers in `[0, 0.5, 2]`, the brackets optional.
    fn split(&self, text: &str) -> Result<Vec<f64>, Complaint> {
        let text = text.trim();
        let inner = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(text).trim();
        if inner.is_empty() {
            return Ok(Vec::new());
        }
        inner
            .split(',')
            .map(|number| number.trim().parse().map_err(|_| self.unwanted("this is not a list of numbers")))
            .collect()
    }

    /// Each name that may be chosen, with its meaning, unless the parameter's own text explains all of them.
    pub fn told_choices(&self) -> Vec<(&'static str, &'static str)> {
        let kind = if let Kind::Several(kind) = self.kind { *kind } else { self.kind };
        let Kind::Choice(names) = kind else { return Vec::new() };
        let told = names.iter().all(|name| self.doc.contains(&format!("`{name}`")));
        let meanings = self.meanings.iter().map(|text| text.trim());
        if told { Vec::new() } else { names.iter().copied().zip(meanings).collect() }
    }

    /// The allowed values, in words, for messages and the reference.
    pub fn allowed(&self) -> String {
        let range = self.range().map_or(String::new(), |range| format!(", {range}"));
        let auto = if self.auto { ", or \"auto\"" } else { "" };
        match self.kind {
            Kind::Choice(names) => format!("one of {}{auto}", quoted(names)),
            Kind::Policy(known) => self.allowed_among(&known.iter().map(|entry| entry.name()).collect::<Vec<_>>()),
            Kind::Queue(Known(known)) => {
                self.allowed_among(&known().iter().map(|entry| entry.name()).collect::<Vec<_>>())
            }
            Kind::Several(kind) => format!("{}{auto}, or a list of these", one_of(self, kind).allowed()),
            Kind::Tables(specs) => {
                let names: Vec<&str> = specs.iter().map(|spec| spec.name).collect();
                format!("a list of tables with {}", names.join(", "))
            }
            kind => format!("{}{range}{auto}", kind.wanted()),
        }
    }

    /// The same of a policy or a queue, where it is one of these.
    pub fn allowed_among(&self, names: &[&str]) -> String {
        let table = match self.kind {
            Kind::Policy(_) => "{ kind = \"red\", ecn = true } with the policy's parameters but `limit`",
            _ => "{ kind = \"red\", limit = \"50p\" } with the queue's parameters",
        };
        format!("one of {}, or a table such as {table}", quoted(names))
    }

    /// The range in words: `at least 1`, `0 to 1`; `None` if there is none.
    pub fn range(&self) -> Option<String> {
        let (min, max) = (self.bound(self.min), self.bound(self.max));
        match (self.min.is_finite(), self.max.is_finite()) {
            _ if matches!(self.kind, Kind::Bool | Kind::Choice(_) | Kind::Policy(_) | Kind::Queue(_)) => None,
            (false, false) => None,
            (true, false) => Some(format!("at least {min}")),
            (false, true) => Some(format!("at most {max}")),
            (true, true) if self.kind == Kind::Numbers => Some(format!("each {min} to {max}")),
            (true, true) => Some(format!("{min} to {max}")),
        }
    }

    /// An end of the range as a user would write it.
    fn bound(&self, bound: f64) -> String {
        const PLAIN: f64 = 1e9;
        match self.kind {
            Kind::Rate if bound >= 1.0 => Rate::from_bps(bound as u64).to_string(),
            Kind::Time if bound < PLAIN => Duration::from_secs_f64(bound).to_string(),
            kind if bound.abs() >= PLAIN => format!("{bound:e}{}", if kind == Kind::Bytes { "B" } else { kind.unit() }),
            Kind::Bytes => format!("{bound}B"),
            kind => format!("{bound}{}", kind.unit()),
        }
    }

    /// The declared default as a value.
    ///
    /// # Panics
    /// If the declaration's default does not read back; a test visits every registered parameter.
    pub fn default_value(&self) -> Value {
        match self.read_text(self.default) {
            Ok(value) => value,
            Err(complaint) => panic!("default of {}: {}", self.name, complaint.what),
        }
    }

    /// A text of one of its values as it is written in a file.
    pub(super) fn quoted(&self, text: &str) -> String {
        let is_bare = match self.kind {
            Kind::Bool | Kind::Numbers => true,
            Kind::Integer | Kind::Number | Kind::Fraction => text != "auto",
            _ => false,
        };
        if is_bare { text.into() } else { format!("{text:?}") }
    }

    fn unwanted(&self, what: &str) -> Complaint {
        Complaint { what: what.into(), hint: format!("allowed: {}", self.allowed()) }
    }

    fn unknown_codepoint(&self, text: &str) -> Complaint {
        let nearest = nearest(text, Dscp::names()).map_or(String::new(), |name| format!("; did you mean {name:?}?"));
        self.unwanted(&format!("{text:?} is not a codepoint{nearest}"))
    }

    fn unknown_choice(&self, text: &str, names: &[&str]) -> Complaint {
        let nearest =
            nearest(text, names.iter().copied()).map_or(String::new(), |name| format!("; did you mean {name:?}?"));
        self.unwanted(&format!("{text:?} is not among the names{nearest}"))
    }

    fn in_range(&self, value: Value) -> Result<Value, Complaint> {
        let magnitude = match value {
            Value::Auto
            | Value::Bool(_)
            | Value::Choice(_)
            | Value::Policy(_)
            | Value::Dscp(_)
            | Value::Flows(_)
            | Value::Several(_)
            | Value::Tables(_) => return Ok(value),
            Value::Numbers(ref numbers) => {
                return match numbers.iter().position(|n| !(self.min..=self.max).contains(n)) {
                    Some(index) => Err(self.unwanted(&format!("entry {index} of the list is out of range"))),
                    None => Ok(value),
                };
            }
            Value::Integer(n) => n as f64,
            Value::Rate(rate) => rate.as_bps() as f64,
            Value::Number(n) | Value::Size(Size::Packets(n) | Size::Bytes(n)) => n,
            Value::Size(Size::Bdp(n)) => self.of_link(n),
            Value::Size(Size::Time(time)) => self.of_link(time.as_secs_f64()),
            Value::Time(time) => time.as_secs_f64(),
            Value::Bytes(n) => n as f64,
        };
        // NaN is in no range.
        if magnitude >= self.min && magnitude <= self.max {
            Ok(value)
        } else {
            Err(self.unwanted("the value is out of range"))
        }
    }

    /// A size whose number of packets depends on the link: a lower bound above zero only asks for more than zero.
    fn of_link(&self, amount: f64) -> f64 {
        if amount > 0.0 { amount.max(self.min) } else { amount }
    }
}

fn quoted(names: &[&str]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("{name:?}")).collect();
    names.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allowed(kind: Kind, min: f64, max: f64) -> String {
        Param { kind, min, max, ..Param::NONE }.allowed()
    }

    #[test]
    fn ranges_are_written_as_users_write_values() {
        assert!(allowed(Kind::Rate, 1.0, 1e14).ends_with("1bit to 100Tbit"));
        assert!(allowed(Kind::Time, 1e-6, 1e6).ends_with("1us to 1000000s"));
        assert!(allowed(Kind::Bytes, 1.0, 65535.0).ends_with("1B to 65535B"));
        assert!(allowed(Kind::Bytes, 1.0, 1e18).ends_with("1B to 1e18B"));
        assert!(allowed(Kind::Size, 0.0, 1e12).ends_with("0 to 1e12"));
        assert!(allowed(Kind::Number, 0.0, f64::INFINITY).ends_with("at least 0"));
        assert_eq!(allowed(Kind::Bool, f64::NEG_INFINITY, f64::INFINITY), "true or false");
    }

    #[test]
    fn a_bound_in_packets_says_nothing_of_amounts_that_depend_on_the_link() {
        let limit = Param { kind: Kind::Size, min: 1.0, max: 1e9, ..Param::NONE };
        let is_right = |size| limit.in_range(Value::Size(size)).is_ok();
        assert!(is_right(Size::Packets(1.0)) && !is_right(Size::Packets(0.5)));
        assert!(is_right(Size::Bdp(0.5)) && is_right(Size::Time(Duration::from_millis(250))));
        assert!(!is_right(Size::Bdp(0.0)) && !is_right(Size::Time(Duration::ZERO)) && !is_right(Size::Bdp(f64::NAN)));
    }
}
