//! Files that a scenario names. The core reads none: the caller does, and puts what is in them here.

use super::document::{Datum, Node};

/// The key of a table whose text is the name of a file with a list of numbers.
const KEY: &str = "mahimahi";

/// The names of the files, each once, in the order of writing.
pub fn named(root: &Node) -> Vec<String> {
    let mut names = Vec::new();
    visit(&mut root.clone(), &mut |node| {
        if let Datum::Text(name) = &node.datum
            && !names.contains(name)
        {
            names.push(name.clone());
        }
    });
    names
}

/// Puts `numbers` wherever the file called `name` stands.
pub fn supply(root: &mut Node, name: &str, numbers: &[f64]) {
    visit(root, &mut |node| {
        if matches!(&node.datum, Datum::Text(text) if text == name) {
            let item = |number: &f64| Node { datum: Datum::Number(*number), place: node.place };
            node.datum = Datum::List(numbers.iter().map(item).collect());
        }
    });
}

fn visit(node: &mut Node, file: &mut impl FnMut(&mut Node)) {
    match &mut node.datum {
        Datum::Table(entries) => {
            for entry in entries {
                if entry.key == KEY {
                    file(&mut entry.node);
                } else {
                    visit(&mut entry.node, file);
                }
            }
        }
        Datum::List(items) => items.iter_mut().for_each(|item| visit(item, file)),
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
}
