//! Tests of the queues of the archive, and of all queues together. They are one program, because each further one is linked with the core
//! again.

mod as_the_core;
mod bounds;
mod conservation;
mod memory;
mod queues_under_load;
mod scenario_fuzz;
