//! The example in C and the page's are compiled with the header and run: they give the numbers on the page.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The static library that Cargo has made beside this test.
fn library() -> PathBuf {
    let folder = env::current_exe().expect("a file").parent().expect("a folder").to_owned();
    let entries = folder.read_dir().expect("a folder").map(|entry| entry.expect("an entry").path());
    let is_one = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        name.starts_with("libsojourn_c") && path.extension().is_some_and(|extension| extension == "a")
    };
    let age = |path: &PathBuf| path.metadata().and_then(|data| data.modified()).expect("a time");
    entries.filter(is_one).max_by_key(age).expect("cargo builds the static library for tests")
}

/// The output of a program, and whether it ends well. `None` without a C compiler, which CI has.
fn compiled_and_run(source: &Path) -> Option<(String, bool)> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let name = source.file_stem().and_then(|name| name.to_str()).expect("a name");
    let program = env::temp_dir().join(format!("sojourn-c-{name}-{}", std::process::id()));
    let mut compiler = Command::new("cc");
    compiler.args(["-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-o"]).arg(&program);
    compiler.arg("-I").arg(here.join("include")).arg(source).arg(library());
    let Ok(compiled) = compiler.args(["-lpthread", "-ldl", "-lm"]).output() else {
        assert!(env::var_os("CI").is_none(), "there is no C compiler");
        return None;
    };
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let run = Command::new(&program).output().expect("it runs");
    let _ = fs::remove_file(&program);
    Some((String::from_utf8_lossy(&run.stdout).into_owned(), run.status.success()))
}

#[test]
fn the_example_finds_bufferbloat() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/c/bufferbloat.c");
    let Some((table, well)) = compiled_and_run(&source) else { return };
    assert!(well && table.contains("fq_codel"), "{table}");
}

#[test]
fn the_page_s_program_says_when_its_packet_arrives() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/bottleneck.md");
    let page = fs::read_to_string(page).expect("a page");
    let code = page.split("```c\n").nth(1).and_then(|rest| rest.split("```").next()).expect("a program in C");
    let source = env::temp_dir().join(format!("sojourn-c-page-{}.c", std::process::id()));
    fs::write(&source, code).expect("it can be written");
    let ran = compiled_and_run(&source);
    let _ = fs::remove_file(&source);
    // 1500 bytes take 1.2 ms at 10 Mbit/s, and 20 ms to arrive.
    assert!(ran.is_none_or(|(said, well)| well && said == "payload 42 after 21.2 ms\n"));
}
