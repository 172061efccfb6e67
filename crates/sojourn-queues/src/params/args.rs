//! Values of parameters, as types and as lists.

use super::chosen::MEAN_PACKET;
use super::nearest::nearest;
use super::types::{Args, Component, Kind, Param, Value, When};
use crate::header::Dscp;
use crate::quantity::Complaint;
use crate::units::{Bytes, Duration, Rate, Size};
use std::sync::Arc;

/// A type that a parameter may have.
pub trait ParamType: Sized {
    /// The values that the scenario accepts.
    const KIND: Kind;
    /// Whether `"auto"` is accepted.
    const AUTO: bool = false;
    /// The meaning of each name, if it takes one of several names.
    const MEANINGS: &'static [&'static str] = &[];
    /// From a value of that kind.
    fn from_value(value: Value) -> Option<Self>;
    /// Back to a value.
    fn to_value(&self) -> Value;
}

macro_rules! param_type {
    ($type:ty, $kind:expr, $pattern:pat => $from:expr, $self:ident => $to:expr) => {
        impl ParamType for $type {
            const KIND: Kind = $kind;
            fn from_value(value: Value) -> Option<Self> {
                match value {
                    $pattern => Some($from),
                    _ => None,
                }
            }
            fn to_value(&self) -> Value {
                let $self = *self;
                $to
            }
        }
    };
}

param_type!(Dscp, Kind::Dscp, Value::Dscp(value) => value, this => Value::Dscp(this));
param_type!(bool, Kind::Bool, Value::Bool(value) => value, this => Value::Bool(this));
param_type!(u64, Kind::Integer, Value::Integer(value) => u64::try_from(value).ok()?, this => Value::Integer(this as i64));
param_type!(i64, Kind::Integer, Value::Integer(value) => value, this => Value::Integer(this));
param_type!(f64, Kind::Number, Value::Number(value) => value, this => Value::Number(this));
param_type!(Rate, Kind::Rate, Value::Rate(value) => value, this => Value::Rate(this));
param_type!(Duration, Kind::Time, Value::Time(value) => value, this => Value::Time(this));
param_type!(Size, Kind::Size, Value::Size(value) => value, this => Value::Size(this));
param_type!(Bytes, Kind::Bytes, Value::Bytes(value) => Bytes(value), this => Value::Bytes(this.0));

/// A number without unit that may also be written in percent.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Fraction(pub f64);
param_type!(Fraction, Kind::Fraction, Value::Number(value) => Fraction(value), this => Value::Number(this.0));

/// Numbers, each within the range of their parameter. Cheap to clone.
#[derive(Clone, Debug, PartialEq)]
pub struct Numbers(pub Arc<[f64]>);

impl ParamType for Numbers {
    const KIND: Kind = Kind::Numbers;
    fn from_value(value: Value) -> Option<Self> {
        match value {
            Value::Numbers(numbers) => Some(Numbers(numbers)),
            _ => None,
        }
    }
    fn to_value(&self) -> Value {
        Value::Numbers(self.0.clone())
    }
}

/// `"auto"` is `None`: the code chooses from the link.
impl<T: ParamType> ParamType for Option<T> {
    const KIND: Kind = T::KIND;
    const AUTO: bool = true;
    const MEANINGS: &'static [&'static str] = T::MEANINGS;
    fn from_value(value: Value) -> Option<Self> {
        match value {
            Value::Auto => Some(None),
            other => T::from_value(other).map(Some),
        }
    }
    fn to_value(&self) -> Value {
        self.as_ref().map_or(Value::Auto, T::to_value)
    }
}

/// A struct declared with [`params!`](crate::params!).
pub trait Params: Default + Clone + std::fmt::Debug {
    /// The component that they belong to.
    const DOC: &'static str;
    /// Its parameters in the order of declaration, those of its groups first.
    const SPECS: &'static [Param];
    /// From the values of all parameters, in that order.
    fn from_values(values: &[Value]) -> Self;
    /// The values in that order.
    fn to_values(&self) -> Vec<Value>;
}

impl Args {
    /// These values of all `specs`, in their order.
    pub fn new(specs: &'static [Param], values: Vec<Value>) -> Self {
        Args { specs, values: values.into() }
    }

    /// All defaults.
    pub fn defaults(specs: &'static [Param]) -> Self {
        Args { specs, values: specs.iter().map(Param::default_value).collect() }
    }

    /// The parameters.
    pub fn specs(&self) -> &'static [Param] {
        self.specs
    }

    /// The values in the order of the parameters.
    pub fn values(&self) -> &[Value] {
        &self.values
    }

    /// Sets one by its position.
    pub fn set(&mut self, index: usize, value: Value) {
        Arc::make_mut(&mut self.values)[index] = value;
    }

    /// Sets one by name from text: presets, command line, tests.
    pub fn set_text(&mut self, name: &str, text: &str) -> Result<(), Complaint> {
        self.set_text_with(name, text, None)
    }

    /// The same where a policy, here or in a table, is one of `policies`.
    pub fn set_text_with(
        &mut self,
        name: &str,
        text: &str,
        policies: Option<&[&'static dyn Component]>,
    ) -> Result<(), Complaint> {
        let Some(index) = self.specs.iter().position(|spec| spec.name == name) else {
            let hint = nearest(name, self.specs.iter().map(|spec| spec.name))
                .map_or(String::new(), |name| format!("did you mean {name:?}?"));
            return Err(Complaint { what: format!("the parameter {name:?} is not known"), hint });
        };
        let value = self.specs[index].read_text_with(text, policies)?;
        self.set(index, value);
        Ok(())
    }

    /// Removes a preset's mean packet: that of the link counts.
    pub fn take_the_links_mean_packet(&mut self) {
        if let Some(index) = self.specs.iter().position(|spec| spec.name == MEAN_PACKET) {
            self.set(index, Value::Auto);
        }
    }

    /// Whether the parameter at `index` has an effect with these values.
    pub fn has_effect(&self, index: usize) -> bool {
        self.unmet(index).is_none()
    }

    /// The condition that is missing for an effect of the parameter at `index`, and the value that is there. A parameter without effect
    /// gives none to others.
    fn unmet(&self, index: usize) -> Option<(When, &Value)> {
        let when = self.specs[index].when?;
        let other = self.specs.iter().position(|spec| spec.name == when.name)?;
        let value = &self.values[other];
        self.unmet(other).or_else(|| (!when.is_met(&self.specs[other], value)).then_some((when, value)))
    }

    /// The parameters that have an effect with these values.
    pub fn with_effect(&self) -> impl Iterator<Item = &'static Param> {
        let specs = self.specs.iter().enumerate();
        specs.filter(|(index, _)| self.has_effect(*index)).map(|(_, spec)| spec)
    }

    /// A complaint about the parameter at `index`, which a user set, if it has no effect; it does not name it. `without` is left out of the
    /// allowed ones.
    pub fn complain_of_idle(&self, index: usize, without: &str) -> Option<Complaint> {
        let (When { name, values, .. }, value) = self.unmet(index)?;
        let other = self.specs.iter().find(|spec| spec.name == name)?;
        let written: Vec<String> = values.iter().map(|text| other.quoted(text)).collect();
        let needs =
            if values.is_empty() { format!("another {name}") } else { format!("{name} = {}", written.join(" or ")) };
        let others: Vec<&str> = self.with_effect().map(|spec| spec.name).filter(|each| *each != without).collect();
        Some(Complaint {
            what: format!("this has no effect with {name} = {}, only with {needs}", other.quoted(&value.to_string())),
            hint: format!("allowed: {}", others.join(", ")),
        })
    }

    /// One value by name.
    pub fn get(&self, name: &str) -> Option<Value> {
        self.specs.iter().position(|spec| spec.name == name).map(|index| self.values[index].clone())
    }

    /// The values as the typed struct.
    pub fn typed<P: Params>(&self) -> P {
        P::from_values(&self.values)
    }
}
