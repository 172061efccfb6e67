//! `include/sojourn.h` declares the functions of this crate: it is generated from them, and compared with them here. After a change:
//! `SOJOURN_WRITE_HEADER=1 cargo test -p sojourn-c --test header`.

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

const HEAD: &str = r"/* Queues, bottlenecks and paths of Sojourn for C. docs/bottleneck.md shows how they are used.
 * Written from the functions of the crate sojourn-c by its tests; do not change it by hand.
 *
 * What callers keep: a handle comes from a _new function, is used by one thread at a time, and not after its _free. A text ends
 * with a zero. A result pointer has room for what it points to, an error buffer for error_len bytes, or is null; 2000 bytes hold
 * nearly every message, the rest is cut. Times are nanoseconds since a moment of the caller's choice. Functions that give an int
 * give SOJOURN_PACKET, SOJOURN_NONE or, below zero, an error. */
#ifndef SOJOURN_H
#define SOJOURN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern {C} {
#endif
";

const END: &str = r"
#ifdef __cplusplus
}
#endif

#endif
";

#[test]
fn the_header_is_current() {
    let here = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let mut header = HEAD.replace("{C}", "\"C\"");
    for file in ["types.rs", "path.rs", "queue.rs"] {
        let text = fs::read_to_string(here.join("src").join(file)).expect("a file of the crate");
        header += &of_file(&text);
    }
    header += END;
    let place = here.join("include/sojourn.h");
    if std::env::var_os("SOJOURN_WRITE_HEADER").is_some() {
        fs::write(&place, &header).expect("the file can be written");
    }
    let kept = fs::read_to_string(&place).unwrap_or_default();
    assert!(kept == header, "sojourn.h is not current; write it with SOJOURN_WRITE_HEADER=1. It should be:\n{header}");
}

/// The declarations for C in a file.
fn of_file(text: &str) -> String {
    let (mut out, mut doc) = (String::new(), String::new());
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if let Some(words) = line.trim().strip_prefix("///") {
            doc += words;
            doc.push('\n');
            continue;
        }
        if line.starts_with("#[") {
            continue;
        }
        let about = comment(&std::mem::take(&mut doc), "");
        if let Some(constant) = line.strip_prefix("pub const ") {
            let (name, value) = constant.trim_end_matches(';').split_once(" = ").expect("a value");
            let value = value.replace("u64::MAX", "UINT64_MAX");
            let value = if value.starts_with('-') { format!("({value})") } else { value };
            let _ = write!(out, "\n{about}#define {} {value}\n", name.split(':').next().expect("a name"));
        } else if let Some(name) = line.strip_prefix("pub struct ").and_then(|rest| rest.strip_suffix(" {")) {
            let (name, mut fields, mut shown) = (snake(name), String::new(), false);
            for inner in lines.by_ref().take_while(|inner| *inner != "}") {
                if let Some(words) = inner.trim().strip_prefix("///") {
                    doc += words;
                    doc.push('\n');
                } else if let Some((field, kind)) =
                    inner.trim().strip_prefix("pub ").and_then(|field| field.split_once(": "))
                {
                    shown = true;
                    let kind = kind.trim_end_matches(',');
                    let of_field = comment(&std::mem::take(&mut doc), "    ");
                    let (kind, size) = match kind.strip_prefix("[u8; ").and_then(|size| size.strip_suffix(']')) {
                        Some(size) => ("char", format!("[{size}]")),
                        None => (kind, String::new()),
                    };
                    let _ = writeln!(fields, "{of_field}    {}{field}{size};", c_type(kind));
                }
            }
            let body = if shown { format!(" {{\n{fields}}}") } else { String::new() };
            let _ = write!(out, "\n{about}typedef struct {name}{body} {name};\n");
        } else if line.starts_with("pub unsafe extern \"C\" fn ") {
            let mut whole = line.to_owned();
            while !whole.ends_with('{') {
                whole = format!("{whole} {}", lines.next().expect("a function has a body").trim());
            }
            let _ = write!(out, "\n{about}{}\n", prototype(&whole));
        }
    }
    out
}

/// `pub unsafe extern "C" fn name(now: u64) -> i32 {` in C.
fn prototype(whole: &str) -> String {
    let rest = whole.trim_start_matches("pub unsafe extern \"C\" fn ").trim_end_matches(['{', ' ']);
    let (name, rest) = rest.split_once('(').expect("arguments");
    let (arguments, result) = rest.rsplit_once(')').expect("arguments end");
    let argument = |one: &str| {
        let (argument, kind) = one.split_once(": ").expect("a type");
        format!("{}{argument}", c_type(kind))
    };
    let arguments: Vec<_> = arguments.split(',').map(str::trim).filter(|one| !one.is_empty()).map(argument).collect();
    let result = result.trim().strip_prefix("-> ").map_or("void ".to_owned(), c_type);
    let line = format!("{result}{name}({});", arguments.join(", "));
    if line.len() <= 120 { line } else { format!("{result}{name}(\n    {});", arguments.join(",\n    ")) }
}

/// With a blank behind it, where a name follows.
fn c_type(kind: &str) -> String {
    let pointer = |to: &str| if to == "c_char" { "char".to_owned() } else { snake(to) };
    match kind.trim() {
        "u64" => "uint64_t ".into(),
        "u32" => "uint32_t ".into(),
        "u8" => "uint8_t ".into(),
        "i32" => "int ".into(),
        "usize" => "size_t ".into(),
        kind => match (kind.strip_prefix("*const "), kind.strip_prefix("*mut ")) {
            (Some(to), _) => format!("const {} *", pointer(to)),
            (_, Some(to)) => format!("{} *", pointer(to)),
            _ => format!("{} ", snake(kind)),
        },
    }
}

/// `SojournPacket` as `sojourn_packet`.
fn snake(name: &str) -> String {
    let mut snake = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() && !snake.is_empty() {
            snake.push('_');
        }
        snake.push(letter.to_ascii_lowercase());
    }
    snake
}

/// The comment above an item, without the parts for Rust only.
fn comment(doc: &str, indent: &str) -> String {
    let said = doc.split("# Safety").next().expect("a beginning").replace('`', "");
    let lines: Vec<&str> = said.trim().lines().map(str::trim).collect();
    if lines.is_empty() { String::new() } else { format!("{indent}/* {} */\n", lines.join(&format!("\n{indent} * "))) }
}
