//! Values as texts that read back to them.

use super::types::{Args, Chosen, Value};
use std::fmt;

impl fmt::Display for Value {
    /// Writes the value as a user would, without quotation marks; it reads back to the same value.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Auto => write!(f, "auto"),
            Value::Bool(value) => write!(f, "{value}"),
            Value::Integer(value) => write!(f, "{value}"),
            Value::Number(value) => write!(f, "{value}"),
            Value::Rate(value) => write!(f, "{value}"),
            Value::Time(value) => write!(f, "{value}"),
            Value::Size(value) => write!(f, "{value}"),
            Value::Bytes(value) => write!(f, "{value}B"),
            Value::Choice(value) => write!(f, "{value}"),
            Value::Dscp(value) => write!(f, "{value}"),
            Value::Flows(value) => write!(f, "{value}"),
            Value::Several(values) => write!(f, "{}", write_several(values)),
            Value::Tables(tables) => write!(f, "{}", write_tables(tables)),
            Value::Policy(value) => write!(f, "{value}"),
            Value::Numbers(values) => {
                let texts: Vec<String> = values.iter().map(f64::to_string).collect();
                write!(f, "[{}]", texts.join(", "))
            }
        }
    }
}

impl fmt::Display for Chosen {
    /// The name, and the values that differ from the defaults and have an effect: one that a preset sets without effect is not a user's.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.component.name())?;
        let has_effect = |name| self.args.with_effect().any(|param| param.name == name);
        let set = self.settings().filter(|(param, value)| param.default_value() != **value && has_effect(param.name));
        for (i, (param, value)) in set.enumerate() {
            write!(f, "{}{}={value}", if i == 0 { ':' } else { ',' }, param.name)?;
        }
        Ok(())
    }
}

/// Several values as a text that reads back.
fn write_several(values: &[Value]) -> String {
    let texts: Vec<String> = values.iter().map(Value::to_string).collect();
    texts.join(",")
}

/// Tables as a text that can be read back: the values that differ from the defaults.
fn write_tables(tables: &[Args]) -> String {
    let texts: Vec<String> = tables.iter().map(write_table).collect();
    texts.join("; ")
}

fn write_table(table: &Args) -> String {
    let set = table.specs().iter().zip(table.values()).filter(|(param, value)| param.default_value() != **value);
    let texts: Vec<String> = set.map(|(param, value)| format!("{}={value}", param.name)).collect();
    if texts.is_empty() { "*".into() } else { texts.join(" ") }
}
