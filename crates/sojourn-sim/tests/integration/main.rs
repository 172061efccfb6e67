//! Tests of public items and of whole runs. They are one program, because each further one is linked with the core again.

mod bbr;
mod closed_forms;
mod delay_hints;
mod fec;
mod large_flows;
mod linux_queues;
mod parameters_with_effect;
mod rate_senders;
mod rcp;
mod runs;
mod scenario_errors;
mod scenarios;
mod xcp;
