//! `sojourn.models.estimate`: the number of active flows in a sequence of packets.

use crate::errors::{message, refused};
use crate::guard;
use numpy::{IntoPyArray as _, PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use sojourn_archive::aqm::sred;
use sojourn_sim::mechanism::active_flows::Settings;
use sojourn_sim::mechanism::active_flows::sequence::{Estimator, estimates};
use sojourn_sim::mechanism::zombies::Zombies;
use sojourn_sim::packet::FlowId;
use sojourn_sim::params::{Args, Params};
use sojourn_sim::rng::Rng;

/// Estimates of `method` at each of `ends`; not a number before the first. See `sequence::estimates` for the arguments.
#[allow(clippy::needless_pass_by_value, reason = "arguments from Python come by value")]
#[pyfunction]
pub fn estimate<'py>(
    py: Python<'py>,
    method: &str,
    settings: Vec<(String, String)>,
    flows: PyReadonlyArray1<'py, u32>,
    first_waiting: PyReadonlyArray1<'py, u64>,
    ends: PyReadonlyArray1<'py, u64>,
    seed: u64,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    guard::no_panic(|| {
        let estimator = estimator(method, &settings).map_err(refused)?;
        let flows: Vec<FlowId> = flows.as_slice()?.iter().copied().map(FlowId).collect();
        let (first_waiting, ends) = (first_waiting.as_slice()?, ends.as_slice()?);
        let mut rng = Rng::named(seed, "estimate");
        let found = py.detach(|| estimates(estimator, &flows, first_waiting, ends, &mut rng));
        Ok(found.into_iter().map(|estimate| estimate.unwrap_or(f64::NAN)).collect::<Vec<f64>>().into_pyarray(py))
    })
}

fn estimator(method: &str, settings: &[(String, String)]) -> Result<Estimator, String> {
    if method == "sred" {
        let params: sred::Params = read(sred::Params::SPECS, settings)?.typed();
        let alpha = params.alpha.map(|alpha| alpha.0);
        return Ok(Estimator::Zombies(Zombies::new(params.zombies, params.replace.0, alpha, params.overwrite)));
    }
    let mut args = read(Settings::SPECS, settings)?;
    args.set_text("active_flows", method).map_err(|complaint| message("method", Some(method), &complaint))?;
    Ok(Estimator::of(&args.typed()))
}

fn read(specs: &'static [sojourn_sim::params::Param], settings: &[(String, String)]) -> Result<Args, String> {
    let mut args = Args::defaults(specs);
    for (key, text) in settings {
        args.set_text(key, text).map_err(|complaint| message(key, Some(text), &complaint))?;
    }
    Ok(args)
}
