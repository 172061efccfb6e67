//! The arithmetic of laws that exist in two versions: in real numbers, and in those of Linux.

use crate::choices;

choices! {
    /// The numbers in which a law is computed.
    pub enum Arithmetic {
        /// Real numbers, by the rules of the publication.
        Real = "real",
        /// The whole numbers of Linux 6.12, by its rules.
        Kernel = "kernel",
    }
}
