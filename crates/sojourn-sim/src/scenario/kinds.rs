//! Reads queues, transports and applications: a name, or a table with `kind` and the parameters that
//! the registries declare. Values come from the defaults, then from the preset, then from the file.

use super::checked_table::{View, join, read, unknown_key};
use super::document::{Datum, Entry, Node, Place};
use super::error::{ScenarioError, Source};
use super::plan::{AppPlan, QueuePlan};
use crate::component::{BuildError, Preset, Step, parameter_taken_out, taken_out};
use crate::net::link_plan::LossPlan;
use crate::net::loss::LOSSES;
use crate::params::{Args, Chosen, Kind, MEAN_PACKET, OUTER, Param, Value, limited_twice, nearest};
use crate::queue::entry::QueueEntry;
use crate::registry::APPS;
use crate::registry::TRANSPORTS;
use crate::transport::entry::Control;
use crate::transport::spec::TransportSpec;
use crate::units::Bytes;

/// A value that names a kind and may set parameters.
struct Kinded<'a> {
    source: &'a Source,
    path: String,
    node: &'a Node,
    /// Its kind, for messages: `queue`.
    what: &'static str,
    name: &'a str,
    name_node: &'a Node,
    name_path: String,
    entries: &'a [Entry],
    /// A parameter that it does not take here; empty if it takes all.
    without: &'static str,
}

impl<'a> Kinded<'a> {
    fn open(
        source: &'a Source,
        node: &'a Node,
        path: String,
        what: &'static str,
        known: &[&str],
    ) -> Result<Self, ScenarioError> {
        let wrong = |key: &str, at: &Node, message: String| {
            ScenarioError::new(key, message).allowed(quoted(known)).at(source, at.place)
        };
        let kind_path = join(&path, "kind");
        let (name, name_node, name_path, entries) = match &node.datum {
            Datum::Text(name) => (name, node, path.clone(), [].as_slice()),
            Datum::Table(entries) => {
                let Some(kind) = node.get("kind") else {
                    return Err(
                        wrong(&path, node, format!("the key \"kind\" is missing in this {what}")).found(node.excerpt())
                    );
                };
                let Datum::Text(name) = &kind.datum else {
                    return Err(wrong(&kind_path, kind, format!("this is {}", kind.kind())).found(kind.excerpt()));
                };
                (name, kind, kind_path, entries.as_slice())
            }
            _ => {
                let example = known.first().unwrap_or(&"name");
                return Err(ScenarioError::new(path, format!("this is {}, not a {what}", node.kind()))
                    .found(node.excerpt())
                    .allowed(format!("a name such as {example:?}, or a table such as {{ kind = {example:?}, ... }}"))
                    .at(source, node.place));
            }
        };
        Ok(Kinded { source, path, node, what, name, name_node, name_path, entries, without: "" })
    }

    /// There is no such kind.
    fn unknown(&self, known: &[&str]) -> ScenarioError {
        let hint =
            nearest(self.name, known.iter().copied()).map_or(String::new(), |name| format!("did you mean {name:?}?"));
        ScenarioError::new(self.name_path.clone(), format!("there is no {} of this name", self.what))
            .found(self.name_node.excerpt())
            .allowed(quoted(known))
            .hint(hint)
            .at(self.source, self.name_node.place)
    }

    fn get(&self, key: &str) -> Option<&'a Node> {
        self.entries.iter().find(|entry| entry.key == key).map(|entry| &entry.node)
    }

    /// The parameters; `preset_key` is `preset` or `profile`, `others` are keys that the caller reads.
    fn args(
        &self,
        params: &'static [Param],
        presets: &[Preset],
        preset_key: &'static str,
        others: &[&'static str],
    ) -> Result<Args, ScenarioError> {
        let mut args = Args::defaults(params);
        if let Some(node) = self.get(preset_key).filter(|_| !others.contains(&preset_key)) {
            self.apply_preset(&mut args, node, presets, preset_key)?;
        }
        for entry in self.entries {
            let key = entry.key.as_str();
            if key == "kind" || (key == preset_key && !presets.is_empty()) || others.contains(&key) {
                continue;
            }
            let Some(index) = params.iter().position(|param| param.name == key) else {
                return Err(self.unknown_parameter(entry, params, presets, preset_key, others));
            };
            let path = join(&self.path, key);
            args.set(index, value(self.source, &params[index], &entry.node, path)?);
        }
        self.refuse_idle(&args, presets, preset_key)?;
        Ok(args)
    }

    /// Refuses parameters that are written and have no effect beside the others. Allowed are the default, the value of the preset that is
    /// named here and, where everything is written as in a resolved scenario, those of all presets.
    fn refuse_idle(&self, args: &Args, presets: &[Preset], preset_key: &str) -> Result<(), ScenarioError> {
        let named = self
            .get(preset_key)
            .and_then(|node| if let Datum::Text(name) = &node.datum { Some(name.as_str()) } else { None });
        let is_whole = args.specs().iter().all(|param| param.name == self.without || self.get(param.name).is_some());
        let counts = |preset: &&Preset| is_whole || named == Some(preset.name);
        for entry in self.entries {
            let Some(index) = args.specs().iter().position(|param| param.name == entry.key) else { continue };
            let Some(complaint) = args.complain_of_idle(index, self.without) else { continue };
            let param = &args.specs()[index];
            let set = presets.iter().filter(counts).flat_map(|preset| preset.settings);
            let texts = set.filter(|(name, _)| *name == param.name).map(|(_, text)| *text).chain([param.default]);
            if texts.map(|text| param.read_text(text)).any(|usual| usual.as_ref() == Ok(&args.values()[index])) {
                continue;
            }
            return Err(ScenarioError::complaint(join(&self.path, &entry.key), complaint)
                .found(entry.node.excerpt())
                .at(self.source, entry.node.place));
        }
        Ok(())
    }

    fn apply_preset(
        &self,
        args: &mut Args,
        node: &Node,
        presets: &[Preset],
        key: &'static str,
    ) -> Result<(), ScenarioError> {
        let aliases = self.source.registry.aliases(self.name).map(|(preset, _)| preset);
        let known: Vec<&str> = presets.iter().map(|preset| preset.name).chain(aliases).collect();
        let wrong = |what: String| {
            ScenarioError::new(join(&self.path, key), what)
                .found(node.excerpt())
                .allowed(if known.is_empty() { format!("{} has none", self.name) } else { quoted(&known) })
                .at(self.source, node.place)
        };
        let Datum::Text(name) = &node.datum else {
            return Err(wrong(format!("this is {}", node.kind())));
        };
        let Some(preset) = presets.iter().find(|preset| preset.name == name) else {
            if let Some(instead) = taken_out(self.name, name) {
                return Err(wrong(format!("this {key} of {} was taken out", self.name)).hint(instead));
            }
            let hint = nearest(name, known.iter().copied());
            return Err(wrong(format!("{} has no {key} of this name", self.name))
                .hint(hint.map_or(String::new(), |near| format!("did you mean {near:?}?"))));
        };
        for (param, text) in preset.settings {
            args.set_text(param, text)
                .map_err(|complaint| wrong(format!("the {key} sets {param}: {}", complaint.what)))?;
        }
        Ok(())
    }

    /// Values that are each in range do not go together.
    fn build_error(&self, args: &Args, error: BuildError) -> ScenarioError {
        contradiction(self.source, Some(self.node), self.node.place, &self.path, args, error)
    }

    fn unknown_parameter(
        &self,
        entry: &Entry,
        params: &[Param],
        presets: &[Preset],
        preset_key: &'static str,
        others: &[&'static str],
    ) -> ScenarioError {
        if let Some(instead) = parameter_taken_out(self.name, &entry.key) {
            return ScenarioError::new(
                join(&self.path, &entry.key),
                format!("this parameter of {} was taken out", self.name),
            )
            .hint(instead)
            .at(self.source, entry.place);
        }
        let mut names = vec!["kind"];
        names.extend((!presets.is_empty()).then_some(preset_key));
        names.extend(others);
        names.extend(params.iter().map(|param| param.name).filter(|name| *name != self.without));
        let mut error = unknown_key(self.source, entry, &self.path, &names);
        error.what = format!("the {} {:?} has no such parameter", self.what, self.name);
        let has = |(_, other): &(_, &QueueEntry)| {
            entry.key == ARITHMETIC || other.params.iter().any(|param| param.name == entry.key)
        };
        match self.source.registry.aliases(self.name).find(has) {
            Some((_, other)) => error.hint(format!("Linux's is the queue {:?}", other.name)),
            None => error,
        }
    }

    /// The queue that is meant, if the preset of `entry` is one of its own, and the keys that are then read already. Parameters with
    /// another name or unit there are refused.
    fn meant(
        &self,
        entry: &'static QueueEntry,
    ) -> Result<(&'static QueueEntry, &'static [&'static str]), ScenarioError> {
        let Some(Datum::Text(preset)) = self.get("preset").map(|node| &node.datum) else { return Ok((entry, &[])) };
        let other = self.source.registry.meant(entry, preset);
        let Some(alias) = other.alias.filter(|_| other != entry) else { return Ok((entry, &[])) };
        let params: Vec<&str> =
            other.params.iter().map(|param| param.name).filter(|name| *name != self.without).collect();
        for below in self.entries.iter().filter(|below| !["kind", "preset"].contains(&below.key.as_str())) {
            if let Some(complaint) = alias.complain_of(&below.key, other.name, &params) {
                return Err(ScenarioError::complaint(join(&self.path, &below.key), complaint)
                    .found(below.node.excerpt())
                    .at(self.source, below.place));
            }
        }
        Ok((other, &["preset"]))
    }

    /// The values of a queue's or a policy's parameters, and the entry that is meant.
    fn queue(&self, entry: &'static QueueEntry) -> Result<(&'static QueueEntry, Args), ScenarioError> {
        let (entry, others) = self.meant(entry)?;
        Ok((entry, self.args(entry.params, entry.presets, "preset", others)?))
    }
}

/// The parameter that chose Linux's law before that was a queue of its own.
const ARITHMETIC: &str = "arithmetic";

fn quoted(names: &[&str]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("{name:?}")).collect();
    match names.len() {
        1 => names.concat(),
        _ => format!("one of {}", names.join(", ")),
    }
}

/// A queue's kind and parameters.
pub fn queue(source: &Source, node: &Node, path: String) -> Result<(&'static QueueEntry, Args), ScenarioError> {
    let known: Vec<&str> = source.registry.queues().map(|entry| entry.name).collect();
    let kinded = Kinded::open(source, node, path, "queue", &known)?;
    let entry = source.registry.queue(kinded.name).ok_or_else(|| kinded.unknown(&known))?;
    kinded.queue(entry)
}

/// A policy inside a queue, with its parameters.
fn policy(source: &Source, node: &Node, path: String) -> Result<Chosen, ScenarioError> {
    let known: Vec<&str> = source.registry.policies().map(|entry| entry.name).collect();
    let mut kinded = Kinded::open(source, node, path, "policy", &known)?;
    let Some(entry) = source.registry.policies().find(|entry| entry.name == kinded.name) else {
        let mut error = kinded.unknown(&known);
        if source.registry.queue(kinded.name).is_some() {
            error.what =
                format!("the queue {:?} has queues or an order of its own and cannot be inside another", kinded.name);
        }
        return Err(error);
    };
    if let Some(limit) = kinded.entries.iter().find(|below| below.key == OUTER) {
        return Err(ScenarioError::complaint(join(&kinded.path, OUTER), limited_twice())
            .found(limit.node.excerpt())
            .at(source, limit.place));
    }
    kinded.without = OUTER;
    let (entry, args) = kinded.queue(entry)?;
    Ok(Chosen::new(entry, args))
}

/// A value of a parameter of any kind.
fn value(source: &Source, param: &Param, node: &Node, path: String) -> Result<Value, ScenarioError> {
    match (param.kind, &node.datum) {
        (Kind::Policy(_), _) => Ok(Value::Policy(policy(source, node, path)?)),
        (Kind::Queue(_), _) => {
            let (entry, args) = queue(source, node, path)?;
            Ok(Value::Policy(Chosen::queue(entry, args)))
        }
        (Kind::Tables(specs), Datum::List(nodes)) => {
            let tables = nodes.iter().enumerate();
            let tables: Result<_, _> =
                tables.map(|(i, each)| table(source, specs, each, &format!("{path}[{i}]"))).collect();
            Ok(Value::Tables(tables?))
        }
        _ => read(source, param, node, &path),
    }
}

/// A table in a list such as the classes of a queue.
fn table(source: &Source, specs: &'static [Param], node: &Node, path: &str) -> Result<Args, ScenarioError> {
    let names: Vec<&str> = specs.iter().map(|spec| spec.name).collect();
    let Datum::Table(entries) = &node.datum else {
        return Err(ScenarioError::new(path, format!("this is {}, not a table", node.kind()))
            .found(node.excerpt())
            .allowed(format!("a table with {}", names.join(", ")))
            .at(source, node.place));
    };
    let mut args = Args::defaults(specs);
    for entry in entries {
        let Some(index) = specs.iter().position(|spec| spec.name == entry.key) else {
            return Err(unknown_key(source, entry, path, &names));
        };
        args.set(index, value(source, &specs[index], &entry.node, join(path, &entry.key))?);
    }
    Ok(args)
}

/// A transport's kind, parameters and control law.
pub fn transport(source: &Source, node: &Node, path: String) -> Result<TransportSpec, ScenarioError> {
    let known: Vec<&str> = TRANSPORTS.iter().map(|entry| entry.name).collect();
    let kinded = Kinded::open(source, node, path, "transport", &known)?;
    let entry = TRANSPORTS.iter().find(|entry| entry.name == kinded.name).ok_or_else(|| kinded.unknown(&known))?;
    let others: &[&str] = if entry.control.is_some() { &["control"] } else { &[] };
    let args = kinded.args(entry.params, entry.profiles, "profile", others)?;
    let control = match kinded.get("control") {
        Some(law) if entry.control.is_some() => Some(control(source, law, join(&kinded.path, "control"))?),
        _ => None,
    };
    TransportSpec::new(entry, args.clone(), control).map_err(|error| kinded.build_error(&args, error))
}

fn control(source: &Source, node: &Node, path: String) -> Result<Control, ScenarioError> {
    let known: Vec<&str> = source.registry.controls().map(|entry| entry.name).collect();
    let kinded = Kinded::open(source, node, path, "congestion control", &known)?;
    let entry = source.registry.control(kinded.name).ok_or_else(|| kinded.unknown(&known))?;
    Ok(Control { entry, args: kinded.args(entry.params, entry.presets, "preset", &[])? })
}

/// An application's kind and parameters.
pub fn app(source: &Source, node: &Node, path: String) -> Result<AppPlan, ScenarioError> {
    let known: Vec<&str> = APPS.iter().map(|entry| entry.name).collect();
    let kinded = Kinded::open(source, node, path, "application", &known)?;
    let entry = APPS.iter().find(|entry| entry.name == kinded.name).ok_or_else(|| kinded.unknown(&known))?;
    let args = kinded.args(entry.params, entry.presets, "preset", &[])?;
    (entry.check)(&args).map_err(|error| kinded.build_error(&args, error))?;
    Ok(AppPlan { entry, args })
}

/// A loss model's kind and parameters.
pub fn loss(source: &Source, node: &Node, path: String) -> Result<LossPlan, ScenarioError> {
    let known: Vec<&str> = LOSSES.iter().map(|entry| entry.name).collect();
    let kinded = Kinded::open(source, node, path, "loss model", &known)?;
    let entry = LOSSES.iter().find(|entry| entry.name == kinded.name).ok_or_else(|| kinded.unknown(&known))?;
    Ok(LossPlan { entry, args: kinded.args(entry.params, &[], "preset", &[])? })
}

/// The place in a scenario where the queue of a link is described.
pub struct QueueSite<'a> {
    /// Number of the link.
    pub link: usize,
    view: View<'a>,
    key: &'static str,
}

impl<'a> QueueSite<'a> {
    /// The queue of link number `link` is the value of `key` in `view`.
    pub fn new(link: usize, view: &View<'a>, key: &'static str) -> Self {
        QueueSite { link, view: view.clone(), key }
    }

    /// The queue described here cannot be built.
    pub fn error(&self, queue: &QueuePlan, error: BuildError) -> ScenarioError {
        let node = self.view.node(self.key);
        let place = node.map_or(self.view.place(), |node| node.place);
        contradiction(self.view.source(), node, place, &self.view.path_of(self.key), &queue.args, error)
    }
}

/// A value of a flow's application is wrong.
pub fn app_error(flow: &View<'_>, app: &AppPlan, error: BuildError) -> ScenarioError {
    flow_error(flow, "app", &app.args, error)
}

/// A value of a flow's transport is wrong.
pub fn transport_error(flow: &View<'_>, transport: &TransportSpec, error: BuildError) -> ScenarioError {
    flow_error(flow, "transport", transport.args(), error)
}

fn flow_error(flow: &View<'_>, key: &'static str, args: &Args, error: BuildError) -> ScenarioError {
    let node = flow.node(key);
    let place = node.map_or(flow.place(), |node| node.place);
    contradiction(flow.source(), node, place, &flow.path_of(key), args, error)
}

/// Values that are each in range contradict each other: the message is at the parameter that the
/// registry names, with its value even if that is a default.
fn contradiction(
    source: &Source,
    node: Option<&Node>,
    place: Place,
    path: &str,
    args: &Args,
    error: BuildError,
) -> ScenarioError {
    let key = format!("{path}.{}", error.path());
    let mut holds = args.get(error.param);
    let mut written = node.and_then(|whole| whole.get(error.param));
    let mut place = written.map_or(place, |value| value.place);
    let mut table = None;
    for step in &error.below {
        (holds, written) = match (step, holds) {
            (Step::Entry(entry), Some(Value::Tables(tables))) => {
                table = tables.get(*entry).cloned();
                (None, written.and_then(|list| list.entry(*entry)))
            }
            (Step::Param(name), Some(Value::Policy(policy))) => {
                (policy.args.get(name), written.and_then(|whole| whole.get(name)))
            }
            (Step::Param(name), _) => {
                let settings: Option<Args> = table.take();
                (settings.and_then(|settings| settings.get(name)), written.and_then(|whole| whole.get(name)))
            }
            (Step::Entry(_), holds) => (holds, written),
        };
        place = written.map_or(place, |value| value.place);
    }
    let found = match (written, holds) {
        (Some(value), _) => value.excerpt(),
        (None, Some(value)) => format!("{value}, which is not written here: a default or a preset"),
        (None, None) => String::new(),
    };
    ScenarioError::complaint(key, error.complaint).found(found).at(source, place)
}

/// The queue below `key`, with the settings of the link in its table.
pub fn queue_of(view: &View<'_>, key: &'static str) -> Result<QueuePlan, ScenarioError> {
    let node = view.node_or_default(key);
    let (entry, mut args) = queue(view.source(), &node, view.path_of(key))?;
    if view.node("mean_packet").is_some() {
        take_the_links_mean_packet(&mut args, &node);
    }
    let mean_packet: Bytes = view.value("mean_packet")?;
    Ok(QueuePlan { entry, args, mean_packet: mean_packet.0, base_rtt: view.value("base_rtt")? })
}

/// The mean packet of the link's table goes before a preset's; that of the queue's own table goes before both.
fn take_the_links_mean_packet(args: &mut Args, written: &Node) {
    if written.get(MEAN_PACKET).is_none() {
        args.take_the_links_mean_packet();
    }
    for (index, value) in args.values().to_vec().into_iter().enumerate() {
        let (Value::Policy(mut policy), Some(node)) = (value, written.get(args.specs()[index].name)) else { continue };
        take_the_links_mean_packet(&mut policy.args, node);
        args.set(index, Value::Policy(policy));
    }
}

/// The transport of a flow.
pub fn transport_of(flow: &View<'_>) -> Result<TransportSpec, ScenarioError> {
    transport(flow.source(), &flow.node_or_default("transport"), flow.path_of("transport"))
}

/// The application of a flow.
pub fn app_of(flow: &View<'_>) -> Result<AppPlan, ScenarioError> {
    app(flow.source(), &flow.node_or_default("app"), flow.path_of("app"))
}
