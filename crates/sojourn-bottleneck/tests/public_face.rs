//! The stable interface, all public items of this crate, as a text that is compared with its last release: semantic versioning,
//! checked.
//!
//! `public_face.txt` has one line for each public item, and above them the version that they were released with. Additions may come with
//! any version; removals and changes need a version that shows them (`0.x` to `0.x+1`). After such a change write the file again:
//! `SOJOURN_WRITE_FACE=1 cargo test -p sojourn-bottleneck --test public_face`.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

/// Files with public items of the face, and the types that are meant, if not all.
const FILES: &[(&str, &[&str])] = &[
    ("sojourn-bottleneck/src/lib.rs", &[]),
    ("sojourn-bottleneck/src/datagram.rs", &[]),
    ("sojourn-bottleneck/src/refusal.rs", &[]),
    ("sojourn-bottleneck/src/link.rs", &[]),
    ("sojourn-bottleneck/src/offered.rs", &[]),
    ("sojourn-bottleneck/src/one_way.rs", &[]),
    ("sojourn-bottleneck/src/path.rs", &["Path"]),
    ("sojourn-queues/src/packet.rs", &["Ecn"]),
    ("sojourn-queues/src/header/dscp.rs", &["Dscp"]),
    ("sojourn-queues/src/header/seen.rs", &["Hosts", "Acknowledgement", "AckOptions"]),
    ("sojourn-queues/src/queue/limits.rs", &["Backlog"]),
];

/// Words by which a comment takes an item out of the interface.
const NO_PART: &str = "not part of the stable interface";

#[test]
fn what_was_released_is_still_there() {
    let version = env!("CARGO_PKG_VERSION");
    let now = face();
    let place = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/public_face.txt");
    let kept = fs::read_to_string(&place).unwrap_or_default();
    let (released, items) = kept.split_once('\n').unwrap_or_default();
    let before: BTreeSet<String> = items.lines().map(str::to_owned).collect();

    let gone: Vec<&String> = before.difference(&now).collect();
    let breaks = compatible(released.trim_start_matches("version "), version) && !gone.is_empty();
    assert!(!breaks, "the version {version} does not say that these were removed or changed:\n{gone:#?}");
    if std::env::var_os("SOJOURN_WRITE_FACE").is_some() {
        let mut text = format!("version {version}\n");
        for item in &now {
            let _ = writeln!(text, "{item}");
        }
        fs::write(&place, text).expect("the file can be written");
        return;
    }
    let new: Vec<&String> = now.difference(&before).collect();
    assert!(
        new.is_empty() && gone.is_empty(),
        "public_face.txt is not current; write it with SOJOURN_WRITE_FACE=1.\nnew: {new:#?}\ngone: {gone:#?}"
    );
}

/// Whether Cargo takes one for the other: equal up to the first number that is not 0.
fn compatible(one: &str, other: &str) -> bool {
    let leading = |version: &str| -> Vec<String> {
        let parts: Vec<_> = version.split('.').map(str::to_owned).collect();
        let end = parts.iter().position(|part| part != "0").map_or(parts.len(), |place| place + 1);
        parts[..end].to_vec()
    };
    leading(one) == leading(other)
}

#[test]
fn versions_are_compared_as_cargo_does() {
    assert!(compatible("0.2.0", "0.2.9"));
    assert!(!compatible("0.2.0", "0.3.0"));
    assert!(compatible("1.2.0", "1.9.0"));
    assert!(!compatible("1.2.0", "2.0.0"));
}

/// All public items, one a line.
fn face() -> BTreeSet<String> {
    let crates = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut items = BTreeSet::new();
    for (file, types) in FILES {
        let text = fs::read_to_string(crates.join(file)).expect("a file of the crate");
        let text = text.split("#[cfg(test)]\nmod tests {").next().expect("a beginning");
        items.extend(of_file(text, types));
    }
    assert!(items.len() > 50, "the reader of this test no longer finds the items: {items:#?}");
    items
}

fn of_file(text: &str, types: &[&str]) -> Vec<String> {
    let mut items = Vec::new();
    // The block that is open at the margin, and the lines above the item in question.
    let (mut inside, mut above) = (String::new(), String::new());
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let (depth, words) = (line.len() - line.trim_start().len(), line.trim());
        if words.starts_with("///") || words.starts_with("#[") {
            above += words;
            continue;
        }
        let attributes = std::mem::take(&mut above);
        if words == "}" && depth == 0 {
            inside.clear();
        }
        if depth > 4 || attributes.contains(NO_PART) {
            continue;
        }
        let starts = |what: &[&str]| what.iter().any(|word| words.starts_with(word));
        let item = starts(&["pub fn", "pub const", "pub struct", "pub enum", "pub type", "pub use"]);
        let block = depth == 0 && starts(&["impl", "pub struct", "pub enum"]);
        let field = depth == 4 && inside.starts_with("pub struct") && words.starts_with("pub ");
        let variant = depth == 4 && inside.starts_with("pub enum") && words.starts_with(char::is_uppercase);
        if !(item || block || field || variant) {
            continue;
        }
        let mut whole = words.to_owned();
        while !(whole.ends_with(['{', ';', '}']) || field || variant) {
            whole = format!("{whole} {}", lines.next().expect("an item has an end").trim());
        }
        let head = whole.trim_end_matches(['{', ';', ',', ' ']).to_owned();
        if block {
            inside = if whole.ends_with('{') { head.clone() } else { String::new() };
        }
        // The fields of a tuple struct are private here.
        let head =
            if head.starts_with("pub struct") { head.split('(').next().unwrap_or(&head).to_owned() } else { head };
        // Where a name comes from is private, too.
        let head = match head.strip_prefix("pub use ").and_then(|path| path.rsplit_once("::")) {
            Some((_, names)) => format!("pub use {names}"),
            None => head,
        };
        let about = if depth == 0 { &head } else { &inside };
        if !types.is_empty() && !types.iter().any(|name| named(about).starts_with(name)) {
            continue;
        }
        // Private fields and inherent impl blocks as such are no items.
        if block && head.starts_with("impl") && !head.contains(" for ") {
            continue;
        }
        let kept: String = ["#[derive", "#[non_exhaustive]", "#[must_use]", "#[cfg("]
            .iter()
            .filter_map(|kind| attribute(&attributes, kind))
            .collect();
        items.push(if depth == 0 { format!("{kept}{head}") } else { format!("{inside} :: {kept}{head}") });
    }
    items
}

/// The type that a declaration or an impl block is of.
fn named(head: &str) -> &str {
    let head = head.rsplit(" for ").next().unwrap_or(head);
    let head = if let Some(rest) = head.strip_prefix("impl<T> ") { rest } else { head };
    ["pub struct ", "pub enum ", "impl "].iter().find_map(|word| head.strip_prefix(word)).unwrap_or(head)
}

/// An attribute that belongs to an item's signature.
fn attribute(above: &str, kind: &str) -> Option<String> {
    let start = above.find(kind)?;
    let end = above[start..].find(']')? + start;
    Some(format!("{} ", &above[start..=end]))
}
