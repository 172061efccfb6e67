//! The example in C is compiled with the header and run: it finds what it says.

use std::env;
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

#[test]
fn the_example_finds_bufferbloat() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let program = env::temp_dir().join(format!("sojourn-c-{}", std::process::id()));
    let mut compiler = Command::new("cc");
    compiler.args(["-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-o"]).arg(&program);
    compiler.arg("-I").arg(here.join("include")).arg(here.join("../../examples/c/bufferbloat.c")).arg(library());
    let compiled = compiler.args(["-lpthread", "-ldl", "-lm"]).output();
    let Ok(compiled) = compiled else {
        assert!(env::var_os("CI").is_none(), "there is no C compiler");
        return;
    };
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let run = Command::new(&program).output().expect("it runs");
    let _ = std::fs::remove_file(&program);
    let table = String::from_utf8_lossy(&run.stdout);
    assert!(run.status.success(), "{table}");
    assert!(table.contains("fq_codel"), "{table}");
}
