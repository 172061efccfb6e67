//! The archive: queues that a survey, a thesis or a comparison names, and that nothing else in Sojourn uses.
//!
//! A queue is here if no experiment of a published work runs it, no scenario that comes along has it, no other tool (tc, ns-2, ns-3) has it
//! under a name, and no model, command or guide of Sojourn uses it. All others are in the crate `sojourn-queues`. Names and behaviour are
//! the same in both: Sojourn's command line, Python package, laboratory, gateway and C library know all of them.
//!
//! The crate uses nothing but public items of `sojourn-queues`, as any crate of queues may. [`registry`] has the entries of both:
//!
//! ```
//! use sojourn_sim::scenario::Document;
//!
//! let text = "duration = \"1s\"\ndumbbell = { rate = \"1Mbit\", delay = \"1ms\", queue = \"nlred\" }\n[[flow]]\n";
//! let document = Document::from_toml(text, "mine.toml").expect("TOML");
//! assert!(document.knowing(sojourn_archive::registry()).plan().is_ok());
//! ```

pub mod aqm;
pub mod discipline;

use sojourn_queues::queue::entry::QueueEntry;
use sojourn_sim::registry::Registry;
use std::sync::LazyLock;

/// All queues of the archive. Adding one is one file and one line here.
pub static QUEUES: &[&QueueEntry] = &[
    &aqm::dsred::ENTRY,
    &aqm::ared_mimd::ENTRY,
    &aqm::wq_max_p::ENTRY,
    &aqm::self_tuning_red::ENTRY,
    &aqm::nlred::ENTRY,
    &aqm::mred::ENTRY,
    &aqm::ered::ENTRY,
    &aqm::e_red::ENTRY,
    &aqm::sred::ENTRY,
    &aqm::fred::ENTRY,
    &aqm::bred::ENTRY,
    &aqm::cbt_red::ENTRY,
    &aqm::red_filter::ENTRY,
    &aqm::red_pd::ENTRY,
    &aqm::xred::ENTRY,
    &aqm::dred::ENTRY,
    &aqm::sfc::ENTRY,
    &aqm::green::ENTRY,
    &discipline::cbfq::ENTRY,
    &discipline::leaky_bucket::ENTRY,
    &discipline::abe::ENTRY,
    &discipline::tcp_model::ENTRY,
    &discipline::dcbt::ENTRY,
];

/// Sojourn's entries, and these.
pub fn registry() -> &'static Registry {
    static REGISTRY: LazyLock<Registry> =
        LazyLock::new(|| Registry::with(QUEUES, &[]).expect("the names are free, and each policy has a limit"));
    &REGISTRY
}
