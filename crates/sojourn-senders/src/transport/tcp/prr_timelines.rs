//! Timelines of proportional rate reduction (`rate_reduction = "prr"`) over RFC 6675, derived by hand from RFC 9937 section 6. Round
//! trips take
//! 100 ms, packets no time; the window is ten.

use super::pair::{MSS, Pair, answers};
use super::timelines::ten;
use crate::transport::Endpoint;

fn reducing(packets: &str, lost: &[usize]) -> Pair {
    let mut pair = ten(&[("recovery", "sack"), ("rate_reduction", "prr")], packets).losing(lost);
    pair.start();
    pair
}

#[test]
fn after_one_loss_half_of_what_arrives_is_sent() {
    // Two duplicates send 10 and 11. At the third 12 are out, of which 3 are reported, 2 of them before: RecoverFS is 10, the
    // threshold 5. In segments sndcnt = delivered/2 - out: the retransmission in any case, then 0, 1/2 and, for the fourth report, a
    // whole one: 12. Then 1/2; at the eighth duplicate 13 - 8 = 5 are in the network, as many as may be, at the ninth 4: 13.
    let mut pair = reducing("50", &[0]);
    let expected: [&[u64]; 9] = [&[10], &[11], &[0], &[], &[], &[12], &[], &[], &[13]];
    assert_eq!(answers(&mut pair, 9), expected);
    let counters = pair.sender.counters();
    assert_eq!((counters.fast_recoveries, counters.retransmits), (1, 1));
}

#[test]
fn after_many_losses_each_report_sends_one_and_each_repair_two() {
    // 0 to 5 of ten are lost. At the third duplicate 9, 10 and 11 are in the network, fewer than the threshold of 5: PRR-CRB sends one
    // for each report: 0 and 1; and at 200 ms 2 and 3 for those of 10 and 11. The acknowledgement of 0 is safe: two (PRR-SSRB), 4 and 5;
    // that of 1 finds four in the network and room for one.
    let mut pair = reducing("50", &[0, 1, 2, 3, 4, 5]);
    let expected: [&[u64]; 8] = [&[10], &[11], &[0], &[1], &[2], &[3], &[4, 5], &[12]];
    assert_eq!(answers(&mut pair, 8), expected);
}

#[test]
fn every_pattern_of_losses_is_repaired_once_and_without_the_timer() {
    for lost in super::timelines::patterns_up_to(4) {
        let mut pair = reducing("40", &lost);
        pair.run_until(60_000);
        let counters = pair.sender.counters();
        assert_eq!((counters.retransmits, counters.timeouts), (lost.len() as u64, 0), "{lost:?}");
        assert_eq!(pair.receiver.counters().bytes_delivered, 40 * MSS);
    }
}
