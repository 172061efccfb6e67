//! A queue with its parameters as the parameter of another discipline ([`Chosen`]): the queue of a class of `htb`. Unlike a
//! [policy](super::inner::InnerPolicy) it owns its packets and has a limit of its own.

use super::entry::QueueEntry;
use super::{LinkContext, QueueDiscipline};
use crate::component::BuildError;
use crate::params::{Args, Chosen};

/// A registered queue and its parameters. Cheap to clone.
#[derive(Clone, Debug, PartialEq)]
pub struct LeafQueue {
    entry: &'static QueueEntry,
    args: Args,
}

impl LeafQueue {
    /// The queue that a parameter holds. `None` if it holds a policy, or if no queue is behind it.
    pub fn of(chosen: &Chosen) -> Option<Self> {
        let entry: &'static QueueEntry = chosen.component.as_any().downcast_ref()?;
        chosen.is_queue.then(|| LeafQueue { entry, args: chosen.args.clone() })
    }

    /// The value for a parameter.
    pub fn chosen(&self) -> Chosen {
        Chosen::queue(self.entry, self.args.clone())
    }

    /// The queue's entry in the registry.
    pub fn entry(&self) -> &'static QueueEntry {
        self.entry
    }

    /// The queue on this link. An error says that it is inside the parameter `param`.
    pub fn build(&self, param: &'static str, link: &LinkContext) -> Result<Box<dyn QueueDiscipline>, BuildError> {
        self.entry.build(&self.args, link).map_err(|error| error.inside(param))
    }
}
