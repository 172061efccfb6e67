//! Files that a scenario names. The core reads no files: the caller does, and puts their content here.

use super::checked_table::join;
use super::document::{Datum, Node, Place};

/// The key of a table whose text is the name of a file with a list of numbers.
const KEY: &str = "mahimahi";

/// The names of the files, each once, in the order of writing.
pub fn named(root: &Node) -> Vec<String> {
    let mut names = Vec::new();
    visit(&mut root.clone(), "", &mut |_, node| {
        if let Datum::Text(name) = &node.datum
            && !names.contains(name)
        {
            names.push(name.clone());
        }
    });
    names
}

/// The key and the place where the file called `name` is first.
pub fn place_of(root: &Node, name: &str) -> Option<(String, Place)> {
    let mut found = None;
    visit(&mut root.clone(), "", &mut |key, node| {
        if matches!(&node.datum, Datum::Text(text) if text == name) {
            found.get_or_insert((key.to_owned(), node.place));
        }
    });
    found
}

/// Puts `numbers` in the place of each reference to the file called `name`.
pub fn supply(root: &mut Node, name: &str, numbers: &[f64]) {
    visit(root, "", &mut |_, node| {
        if matches!(&node.datum, Datum::Text(text) if text == name) {
            let item = |number: &f64| Node { datum: Datum::Number(*number), place: node.place };
            node.datum = Datum::List(numbers.iter().map(item).collect());
        }
    });
}

/// Calls `file` with the path and the value of each key that names one.
fn visit(node: &mut Node, path: &str, file: &mut impl FnMut(&str, &mut Node)) {
    match &mut node.datum {
        Datum::Table(entries) => {
            for entry in entries {
                let path = join(path, &entry.key);
                if entry.key == KEY {
                    file(&path, &mut entry.node);
                } else {
                    visit(&mut entry.node, &path, file);
                }
            }
        }
        Datum::List(items) => {
            for (number, item) in items.iter_mut().enumerate() {
                visit(item, &format!("{path}[{number}]"), file);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use crate::scenario::Document;

    #[test]
    fn a_file_is_named_and_its_content_takes_its_place() {
        let text = "[dumbbell]\nrate = { mahimahi = \"up\" }\n[[link]]\nrate = { mahimahi = \"up\" }\n";
        let mut document = Document::from_toml(text, "test.toml").expect("a document");
        assert_eq!(document.files(), ["up"]);

        document.supply("up", &[1.0, 2.0]);

        assert!(document.files().is_empty());
        assert_eq!(document.root().to_string().matches("[1.0, 2.0]").count(), 2);
    }

    #[test]
    fn a_file_that_cannot_be_read_is_refused_where_it_is_named() {
        let text = "[[link]]\nrate = \"1Mbit\"\n[[link]]\nrate = { mahimahi = \"up\" }\n";
        let document = Document::from_toml(text, "test.toml").expect("a document");

        let error = document.unreadable("up", "up", "no such file");

        assert_eq!(
            error.to_string(),
            "test.toml:4:21: link[1].rate.mahimahi: the file up cannot be read: no such file"
        );
    }
}
