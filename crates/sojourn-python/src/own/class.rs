//! A class in Python as it declares itself, and the core's data about it.

use crate::errors::refused;
use pyo3::prelude::*;
use sojourn_sim::params::{Kind, Param};

/// A parameter as a class declares it.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct DeclaredParam {
    pub name: String,
    pub kind: String,
    pub auto: bool,
    pub default: String,
    pub min: f64,
    pub max: f64,
    pub choices: Vec<String>,
    pub in_bytes: bool,
    pub source: String,
    pub doc: String,
}

/// A class as it declares itself.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Declared {
    pub name: String,
    pub title: String,
    pub doc: String,
    pub reference: String,
    pub params: Vec<DeclaredParam>,
    pub probes: Vec<String>,
    pub hooks: Vec<String>,
    pub flags: Vec<String>,
}

/// The common part of all instances of a class.
pub struct Class {
    pub object: Py<PyAny>,
    pub name: &'static str,
    pub probes: &'static [&'static str],
    pub hooks: Vec<String>,
    pub flags: Vec<String>,
    /// For each parameter, whether the class wants its amount of queue in bytes.
    pub in_bytes: Vec<bool>,
}

impl Class {
    pub fn has(&self, hook: &str) -> bool {
        self.hooks.iter().any(|known| known == hook)
    }

    pub fn is(&self, flag: &str) -> bool {
        self.flags.iter().any(|known| known == flag)
    }
}

pub fn leaked(text: String) -> &'static str {
    Box::leak(text.into_boxed_str())
}

pub fn leaked_all(texts: Vec<String>) -> &'static [&'static str] {
    Vec::leak(texts.into_iter().map(leaked).collect())
}

fn kind(declared: &DeclaredParam) -> PyResult<Kind> {
    Ok(match declared.kind.as_str() {
        "bool" => Kind::Bool,
        "integer" => Kind::Integer,
        "number" => Kind::Number,
        "fraction" => Kind::Fraction,
        "rate" => Kind::Rate,
        "time" => Kind::Time,
        "size" => Kind::Size,
        "bytes" => Kind::Bytes,
        "numbers" => Kind::Numbers,
        "choice" => Kind::Choice(leaked_all(declared.choices.clone())),
        other => return Err(refused(format!("there is no kind of parameter {other:?}"))),
    })
}

pub fn params(declared: Vec<DeclaredParam>) -> PyResult<&'static [Param]> {
    let made: PyResult<Vec<Param>> = declared
        .into_iter()
        .map(|param| {
            let kind = kind(&param)?;
            let DeclaredParam { name, auto, default, min, max, source, doc, .. } = param;
            let (name, default, source, doc) = (leaked(name), leaked(default), leaked(source), leaked(doc));
            Ok(Param { name, kind, auto, default, min, max, source, doc, meanings: &[], group: None, when: None })
        })
        .collect();
    Ok(made?.leak())
}
