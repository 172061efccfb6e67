//! The core in a browser. The page writes a request as JSON text into [`input`](exports), calls, and reads the answer: no glue
//! code is generated, and nothing but the compiler is needed to build it.
//!
//! | `do` | takes | gives |
//! |---|---|---|
//! | `version` | | `version` |
//! | `registry` | | everything that has a name, with its parameters |
//! | `resolve` | `toml`, `set` | the scenario spelled out |
//! | `open` | `toml`, `set`, `seed` | `run`, its number, and `end_s` |
//! | `advance` | `run`, `until_s`, `events` | whether it is `there`, `now_s` and the visible state: `links`, `groups`, `windows` |
//! | `tables` | `run` | all tables of results; the run is over |
//! | `close` | `run` | nothing; the run is over |
//!
//! The answer to a call that fails has `error`: the message, and its parts where a scenario is refused. `set` is a list of texts
//! `key=value`, as the command line's `--set`.

mod exports;
mod lab;

pub use lab::Lab;
