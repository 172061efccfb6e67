//! Gives the hash of the sources that decide about results to the compiler, as `SOJOURN_SOURCES`: kept runs of
//! another build are not taken for runs of this one.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let home = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let mut files = vec![home.join("../../Cargo.lock")];
    let parts =
        ["queues", "senders", "sim", "bottleneck", "archive", "files"].map(|part| format!("../sojourn-{part}/src"));
    for sources in parts.iter().map(String::as_str).chain(["src"]) {
        collect(&home.join(sources), &mut files)?;
        println!("cargo::rerun-if-changed={}", home.join(sources).display());
    }
    files.sort();
    let mut hash = FNV_OFFSET;
    for file in &files {
        hash = fnv(hash, &fs::read(file)?);
    }
    println!("cargo::rerun-if-changed=../../Cargo.lock");
    println!("cargo::rustc-env=SOJOURN_SOURCES={hash:016x}");
    // The output is in `target/PROFILE/build/NAME/out`; cargo's variable for the profile has only two values.
    let output = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    let profile = output.ancestors().nth(3).and_then(Path::file_name).unwrap_or_default();
    println!("cargo::rustc-env=SOJOURN_PROFILE={}", profile.to_string_lossy());
    Ok(())
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else {
            files.push(path);
        }
    }
    Ok(())
}

const FNV_OFFSET: u64 = 0xcbf2_9ce4_8422_2325;

/// FNV-1a with 64 bits: the same on every platform.
fn fnv(hash: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(hash, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}
