//! The order of QFQ+: who is served next among those with weights, in a time that does not grow with their number. Specification: [CRV13]
//! Checconi, Rizzo and Valente, IEEE/ACM ToN 2013, and Valente, 2014 (QFQ+), in the numbers of Linux 6.12, `sch_qfq`.
//!
//! Each member has a virtual start and finish. Members of similar ratio of longest budget and weight are in a *group*, whose slots keep
//! them in the order of rounded starts. A group is eligible or not (E, I) by its start, and ready or blocked (R, B) by the finish of
//! greater groups; four sets of bits keep that.

/// Bits behind the point.
pub const FRACTION: u32 = 30;
const ONE: u64 = 1 << FRACTION;
/// Groups, and slots in each.
const GROUPS: usize = 25;
const SLOTS: usize = 32;
/// The longest budget has 19 bits: packets of 64 kB, of eight classes.
const LEAST_SLOT: u32 = FRACTION + 19 - 24;
const ER: usize = 0;
const IR: usize = 1;
const EB: usize = 2;
const IB: usize = 3;

/// Whether a is behind b, in numbers that go round.
fn after(a: u64, b: u64) -> bool {
    a.wrapping_sub(b) as i64 > 0
}

fn round_down(time: u64, shift: u32) -> u64 {
    time >> shift << shift
}

/// The bits from this one on.
fn from(bits: u64, index: usize) -> u64 {
    bits >> index << index
}

fn first(bits: u64) -> usize {
    bits.trailing_zeros() as usize
}

/// A member: classes of one weight and one longest packet.
#[derive(Clone, Debug)]
pub struct Member {
    group: usize,
    start: u64,
    finish: u64,
    /// A unit of bytes in virtual time.
    inverse_weight: u64,
    /// The most bytes of a service.
    pub budget_max: u32,
    initial_budget: u32,
    /// Bytes that are left of its service.
    pub budget: u32,
}

impl Member {
    /// `classes` classes of this weight and this longest packet.
    pub fn new(weight: u64, longest: u32, classes: u32) -> Self {
        let group = index_of(ONE / weight, longest);
        let inverse_weight = ONE / (weight * u64::from(classes));
        let budget_max = longest * classes;
        Member { group, start: 0, finish: 0, inverse_weight, budget_max, initial_budget: 0, budget: 0 }
    }

    /// A whole budget again.
    pub fn recharge(&mut self) {
        (self.initial_budget, self.budget) = (self.budget_max, self.budget_max);
    }

    /// The finish of the bytes that it has sent.
    pub fn charge(&mut self) {
        let sent = self.budget_max.min(self.initial_budget.wrapping_sub(self.budget));
        self.finish = self.start.wrapping_add(u64::from(sent) * self.inverse_weight);
    }
}

/// The least group whose slots are not shorter than a longest packet over a weight.
fn index_of(inverse_weight: u64, longest: u32) -> usize {
    let slot = u64::from(longest) * inverse_weight;
    let bits = slot >> LEAST_SLOT;
    if bits == 0 {
        return 0;
    }
    let index = bits.ilog2() + 1;
    (index - u32::from(slot == 1 << (index + LEAST_SLOT - 1))) as usize
}

#[derive(Clone, Debug, Default)]
struct Group {
    start: u64,
    finish: u64,
    /// The place of the first slot.
    front: usize,
    /// Slots from there on that are not empty.
    full: u64,
    /// Members by number; the last one that came is the first.
    slots: [Vec<usize>; SLOTS],
}

fn shift_of(group: usize) -> u32 {
    LEAST_SLOT + group as u32
}

impl Group {
    /// The first slot that is not empty becomes the front.
    fn scan(&mut self) -> Option<usize> {
        if self.full == 0 {
            return None;
        }
        let skipped = first(self.full);
        self.front = (self.front + skipped) % SLOTS;
        self.full >>= skipped;
        self.slots[self.front].last().copied()
    }
}

/// All members.
pub struct Groups {
    /// By number.
    pub members: Vec<Member>,
    all: Vec<Group>,
    sets: [u64; 4],
    now: u64,
    before: u64,
    inverse_sum: u64,
    /// Who is served.
    pub serving: Option<usize>,
}

impl Groups {
    /// Nobody waits; `sum` is that of the weights of all classes.
    pub fn new(members: Vec<Member>, sum: u64) -> Self {
        let all = vec![Group::default(); GROUPS];
        Groups { members, all, sets: [0; 4], now: 0, before: 0, inverse_sum: ONE / sum, serving: None }
    }

    /// `bytes` have been sent.
    pub fn advance(&mut self, bytes: u32) {
        self.now = self.now.wrapping_add(u64::from(bytes) * self.inverse_sum);
    }

    /// The state of a group: two bits.
    fn state(&self, group: usize) -> usize {
        let of = &self.all[group];
        let mut state = usize::from(after(of.start, self.now));
        let ready = from(self.sets[ER], group);
        if ready != 0 && after(of.finish, self.all[first(ready)].finish) {
            state |= EB;
        }
        state
    }

    fn moves(&mut self, mask: u64, source: usize, target: usize) {
        self.sets[target] |= self.sets[source] & mask;
        self.sets[source] &= !mask;
    }

    fn clear(&mut self, group: usize, sets: &[usize]) {
        for set in sets {
            self.sets[*set] &= !(1 << group);
        }
    }

    /// A group's finish is later, or it has left: those that it blocked may be ready.
    fn unblock(&mut self, group: usize, finish: u64) {
        let ready = from(self.sets[ER], group + 1);
        if ready != 0 && !after(self.all[first(ready)].finish, finish) {
            return;
        }
        let below = (1 << group) - 1;
        self.moves(below, EB, ER);
        self.moves(below, IB, IR);
    }

    /// Groups whose start has come are eligible.
    fn make_eligible(&mut self) {
        let (slot, before) = (self.now >> LEAST_SLOT, self.before >> LEAST_SLOT);
        if slot != before {
            let last = u32::BITS - ((slot ^ before) as u32).leading_zeros();
            let mask = if last > 31 { u64::MAX } else { (1 << last) - 1 };
            self.moves(mask, IR, ER);
            self.moves(mask, IB, EB);
        }
    }

    fn update_eligible(&mut self) {
        let ineligible = self.sets[IR] | self.sets[IB];
        if ineligible != 0 {
            if self.sets[ER] == 0 {
                let start = self.all[first(ineligible)].start;
                if after(start, self.now) {
                    self.now = start;
                }
            }
            self.make_eligible();
        }
    }

    /// The member that is served next.
    pub fn choose(&mut self) -> Option<usize> {
        self.update_eligible();
        self.before = self.now;
        if self.sets[ER] == 0 {
            return None;
        }
        let group = first(self.sets[ER]);
        let shift = shift_of(group);
        let of = &mut self.all[group];
        let finish = of.finish;
        let slot = &mut of.slots[of.front];
        let member = slot.pop()?;
        if slot.is_empty() {
            of.full &= !1;
        }
        match of.scan() {
            None => self.clear(group, &[ER]),
            Some(next) => {
                let start = round_down(self.members[next].start, shift);
                if of.start == start {
                    return Some(member);
                }
                (of.start, of.finish) = (start, start.wrapping_add(2 << shift));
                self.clear(group, &[ER]);
                let state = self.state(group);
                self.sets[state] |= 1 << group;
            }
        }
        self.unblock(group, finish);
        Some(member)
    }

    /// The start of a member that waits again: its finish, if that is not out of date.
    fn set_start(&mut self, member: usize) {
        let Member { group, finish, .. } = self.members[member];
        let shift = shift_of(group);
        let rounded = round_down(finish, shift);
        let limit = round_down(self.now, shift).wrapping_add(1 << shift);
        let start = if !after(finish, self.now) || after(rounded, limit) {
            let ready = from(self.sets[ER], group);
            let next = if ready == 0 { None } else { Some(self.all[first(ready)].finish) };
            match next.filter(|next| after(rounded, *next)) {
                Some(next) => {
                    if after(limit, next) {
                        next
                    } else {
                        limit
                    }
                }
                None => self.now,
            }
        } else {
            finish
        };
        self.members[member].start = start;
    }

    fn set_finish(&mut self, member: usize) {
        let of = &mut self.members[member];
        of.finish = of.start.wrapping_add(u64::from(of.budget_max) * of.inverse_weight);
    }

    /// A member has packets, and had none.
    pub fn activate(&mut self, member: usize) {
        self.members[member].recharge();
        self.set_start(member);
        self.set_finish(member);
        if self.serving.is_none() {
            self.serving = Some(member);
            self.now = self.members[member].start;
            self.before = self.now;
        } else if self.serving != Some(member) {
            self.schedule(member);
        }
    }

    /// A member has used its budget, and has more packets.
    pub fn requeue(&mut self, member: usize) {
        self.members[member].start = self.members[member].finish;
        self.set_finish(member);
        self.schedule(member);
    }

    fn schedule(&mut self, member: usize) {
        let Member { group, start, .. } = self.members[member];
        let shift = shift_of(group);
        let rounded = round_down(start, shift);
        let of = &mut self.all[group];
        let is_later = of.full != 0 && !after(of.start, start);
        if !is_later {
            if of.full != 0 {
                // A slot for this start in front of the others.
                let earlier = (of.start.wrapping_sub(rounded) >> shift) as usize;
                of.full = of.full.checked_shl(earlier as u32).unwrap_or(0);
                of.front = of.front.wrapping_sub(earlier) % SLOTS;
                self.clear(group, &[IR, IB]);
            } else if self.sets[ER] == 0 && after(rounded, self.now) && self.serving.is_none() {
                self.now = rounded;
            }
            let begins = &mut self.all[group];
            (begins.start, begins.finish) = (rounded, rounded.wrapping_add(2 << shift));
            let state = self.state(group);
            self.sets[state] |= 1 << group;
        }
        self.insert(member, group, rounded);
    }

    /// Into a slot; one that is too far is moved back.
    fn insert(&mut self, member: usize, group: usize, rounded: u64) {
        let shift = shift_of(group);
        let of = &mut self.all[group];
        let far = (SLOTS - 2) as u64;
        let mut slot = rounded.wrapping_sub(of.start) >> shift;
        if slot > far {
            let back = rounded.wrapping_sub(of.start).wrapping_sub(far << shift);
            let member = &mut self.members[member];
            member.start = member.start.wrapping_sub(back);
            member.finish = member.finish.wrapping_sub(back);
            slot = far;
        }
        of.slots[(of.front + slot as usize) % SLOTS].push(member);
        of.full |= 1 << slot;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_powers_of_two_of_a_packet_over_a_weight() {
        // A slot of the least group is 2^25 of virtual time: with 2^30 for a byte of weight 1, 512 bytes of weight 2^14, which is more
        // than any weight. 512 bytes at weight 1024 are 2^29: group 4; 513 one more; 65536 bytes at weight 1 are 2^46: group 21.
        assert_eq!(index_of(ONE / 1024, 512), 4);
        assert_eq!(index_of(ONE / 1024, 513), 5);
        assert_eq!(index_of(ONE, 65_536), 21);
    }
}
