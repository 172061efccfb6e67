//! Lists as parameters: several values of one kind, and tables that have parameters of their own, such as the classes of a scheduler.
//!
//! In a text, commas separate several values, and semicolons separate tables: `dscp=EF,CS5 limit=20p; weight=3; *`. A
//! table in which nothing is set is `*`.

use std::sync::Arc;

use super::args::{ParamType, Params};
use super::types::{Args, Component, Kind, Param, Value};
use crate::quantity::Complaint;

/// Several values of a type that a parameter may have.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Several<T>(pub Vec<T>);

impl<T: ParamType> ParamType for Several<T> {
    const KIND: Kind = Kind::Several(&T::KIND);
    const MEANINGS: &'static [&'static str] = T::MEANINGS;
    fn from_value(value: Value) -> Option<Self> {
        match value {
            Value::Several(values) => values.iter().cloned().map(T::from_value).collect::<Option<_>>().map(Several),
            _ => None,
        }
    }
    fn to_value(&self) -> Value {
        Value::Several(self.0.iter().map(T::to_value).collect())
    }
}

/// Tables, each with the parameters `P`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tables<P>(pub Vec<P>);

impl<P: Params> ParamType for Tables<P> {
    const KIND: Kind = Kind::Tables(P::SPECS);
    fn from_value(value: Value) -> Option<Self> {
        match value {
            Value::Tables(tables) => Some(Tables(tables.iter().map(Args::typed).collect())),
            _ => None,
        }
    }
    fn to_value(&self) -> Value {
        Value::Tables(self.0.iter().map(|table| Args::new(P::SPECS, table.to_values())).collect())
    }
}

/// Flows by the name of their group or by number: `voice`, `3`, `4-9`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flows(pub Arc<str>);

impl ParamType for Flows {
    const KIND: Kind = Kind::Flows;
    fn from_value(value: Value) -> Option<Self> {
        match value {
            Value::Flows(text) => Some(Flows(text)),
            _ => None,
        }
    }
    fn to_value(&self) -> Value {
        Value::Flows(Arc::clone(&self.0))
    }
}

/// One of several values of `param`, which are of `kind`.
pub fn one_of(param: &Param, kind: &Kind) -> Param {
    Param { kind: *kind, auto: false, ..*param }
}

/// Reads several values of `kind` from a text.
pub fn read_several(param: &Param, kind: &Kind, text: &str) -> Result<Value, Complaint> {
    let one = one_of(param, kind);
    let texts = text.split(',').map(str::trim).filter(|each| !each.is_empty());
    texts.map(|each| one.read_text(each)).collect::<Result<_, _>>().map(Value::Several)
}

/// Reads tables with the parameters `specs` from a text; `policies` as in [`Param::read_text_with`].
pub fn read_tables(
    specs: &'static [Param],
    text: &str,
    policies: Option<&[&'static dyn Component]>,
) -> Result<Value, Complaint> {
    let texts = text.split(';').map(str::trim).filter(|each| !each.is_empty());
    texts.map(|each| read_table(specs, each, policies)).collect::<Result<_, _>>().map(Value::Tables)
}

fn read_table(
    specs: &'static [Param],
    text: &str,
    policies: Option<&[&'static dyn Component]>,
) -> Result<Args, Complaint> {
    let mut args = Args::defaults(specs);
    for setting in text.split_whitespace().filter(|setting| *setting != "*") {
        let Some((name, value)) = setting.split_once('=') else {
            return Err(Complaint {
                what: format!("{setting:?} sets nothing"),
                hint: "write NAME=VALUE for each parameter, and \";\" between tables".into(),
            });
        };
        args.set_text_with(name, value, policies)?;
    }
    Ok(args)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::header::Dscp;
    use crate::params;

    params! {
        /// A table of the tests.
        struct Row {
            /// Codepoints.
            dscp: Several<Dscp> = "", "test";
            /// A number.
            weight: f64 = "1" in [0.0, 10.0], "test";
        }
    }

    params! {
        /// Parameters of the tests.
        struct Whole {
            /// Rows.
            row: Tables<Row> = "*", "test";
        }
    }

    fn read(text: &str) -> Result<Value, Complaint> {
        Whole::SPECS[0].read_text(text)
    }

    #[test]
    fn tables_read_back() {
        for (text, rows) in [("", 0), ("*", 1), ("dscp=EF,AF11 weight=3; *; weight=0.5", 3)] {
            let value = read(text).expect(text);
            let tables = Tables::<Row>::from_value(value.clone()).expect("tables");
            assert_eq!((value.to_string().as_str(), tables.0.len()), (text, rows));
            assert_eq!(tables.to_value(), value);
        }
        let Some(Tables(rows)) = read("dscp=EF,46 weight=3").ok().and_then(Tables::<Row>::from_value) else {
            panic!("tables")
        };
        assert_eq!((rows[0].dscp.0.as_slice(), rows[0].weight), ([Dscp::EF, Dscp::EF].as_slice(), 3.0));
        assert_eq!(Whole::default().row.0, [Row::default()]);
    }

    #[test]
    fn what_is_wrong_in_a_table_is_said() {
        for (text, what) in [
            ("weight=11", "out of range"),
            ("wieght=1", "\"wieght\" is not known"),
            ("weight", "\"weight\" sets nothing"),
            ("dscp=EG", "\"EG\" is not a codepoint; did you mean \"EF\"?"),
        ] {
            let complaint = read(text).expect_err(text);
            assert!(complaint.what.contains(what), "{text}: {}", complaint.what);
        }
    }
}
