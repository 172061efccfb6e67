//! Common parts of several algorithms: a hash of flows, accounts of flows and of classes, profiles of service, markers, the rate of a
//! stream, a bucket of tokens, the longest of many queues and the order of their turns, a table with few places in use, the packets of
//! each flow, a cache of flows, the queuing delay, the framing of a line, and estimates of the number of active flows, by one's own
//! samples or by SRED's list of zombies; the two arithmetics of a law, and the slots of Linux's timers. None decides about a packet.

pub mod active_flows;
pub mod arithmetic;
pub mod bucket;
pub mod cache;
pub mod class_accounts;
pub mod flow_accounts;
pub mod flow_packets;
pub mod framing;
pub mod hash;
pub mod longest;
pub mod marker;
pub mod profile;
pub mod queuing_delay;
pub mod rate_average;
pub mod resting;
pub mod round;
pub mod sparse;
pub mod wheel_slots;
pub mod zombies;
