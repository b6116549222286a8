//! When records happened, as far as their order tells: none is older than the one before it, and none is of the future.
//!
//! A record of this boot has the boot clock, which nobody sets. Of one of another boot only the wall clock tells, and that may
//! have been wrong then: a machine without a battery starts in 1970, another one is an hour or a year ahead until the network
//! has told it the time. Taken as it stands, such a record would be out of every window at once, or within it for a year.

use crate::model::time::Stamp;

use crate::record::Record;

/// Takes records in the journal's order and puts the times right that can't be.
#[derive(Clone, Copy, Debug, Default)]
pub struct Order {
    newest: Option<Stamp>,
}

impl Order {
    /// The order of what follows a record of this moment.
    #[must_use]
    pub fn after(newest: Option<Stamp>) -> Self {
        Self { newest }
    }

    /// The newest moment that was met.
    #[must_use]
    pub fn newest(&self) -> Option<Stamp> {
        self.newest
    }

    /// When the next record was written, read at `now`, if it says `own`. One that lies ahead of now was written just now, as
    /// far as anybody can tell.
    pub fn next(&mut self, own: Stamp, now: &Stamp) -> Stamp {
        let own = if is_ahead(&own, now) { *now } else { own };
        let is_of_this_boot = own.boot.is_some() && own.boot == now.boot;
        let moment = match self.newest {
            Some(before) if !is_of_this_boot && is_before(&own, &before) => before,
            _ => own,
        };
        self.newest = Some(moment);
        moment
    }

    /// Puts the time of the next record right.
    pub fn correct(&mut self, record: &mut Record, now: &Stamp) {
        let own = record.stamp();
        let moment = self.next(own, now);
        if moment != own {
            record.correct_stamp(&moment);
        }
    }

    /// Puts the times of the next records right, all at once: then what lies ahead of now is no younger than the first behind
    /// it that was written in this boot.
    pub fn correct_all(&mut self, stamps: &mut [Stamp], now: &Stamp) {
        let mut follows = *now;
        for stamp in stamps.iter_mut().rev() {
            if is_ahead(stamp, now) {
                *stamp = follows;
            } else if stamp.boot.is_some() && stamp.boot == now.boot {
                follows = *stamp;
            }
        }
        for stamp in stamps {
            *stamp = self.next(*stamp, now);
        }
    }
}

/// Whether a moment is before another: by the boot clock within one boot, else by the wall clock.
fn is_before(moment: &Stamp, other: &Stamp) -> bool {
    if moment.boot.is_some() && moment.boot == other.boot {
        moment.up_ms < other.up_ms
    } else {
        moment.wall_ms < other.wall_ms
    }
}

/// Whether a moment can't have been yet, by the wall clock. Of this boot the boot clock tells, and that is right.
fn is_ahead(moment: &Stamp, now: &Stamp) -> bool {
    (moment.boot.is_none() || moment.boot != now.boot) && now.wall_ms < moment.wall_ms
}

#[cfg(test)]
mod tests {
    use super::*;

    fn now() -> Stamp {
        Stamp { wall_ms: 1_800_000_000_000, up_ms: 900_000, boot: Some(7) }
    }

    /// A moment of this boot, or of another one, so many milliseconds before now.
    fn ago(ms: i64, boot: u32) -> Stamp {
        let now = now();
        let up_ms = now.up_ms.saturating_add_signed(-ms);
        Stamp { wall_ms: now.wall_ms - ms, up_ms: if boot == 7 { up_ms } else { 5 }, boot: Some(boot) }
    }

    #[test]
    fn no_record_is_older_than_the_one_before_it() {
        let epoch = Stamp { wall_ms: 0, up_ms: 40, boot: Some(6) };
        let mut stamps = [ago(840_000, 5), epoch, epoch, ago(600_000, 7), epoch, ago(10, 7)];
        Order::default().correct_all(&mut stamps, &now());
        let ages = stamps.map(|stamp| stamp.age_ms(&now()));
        assert_eq!(ages, [840_000, 840_000, 840_000, 600_000, 600_000, 10]);
        // What came before counts too.
        let mut order = Order::after(Some(ago(60_000, 5)));
        assert_eq!(order.next(epoch, &now()).age_ms(&now()), 60_000);
        assert_eq!(order.newest(), Some(ago(60_000, 5)));
    }

    #[test]
    fn what_lies_ahead_was_there_before_what_this_boot_wrote_behind_it() {
        let year = 366 * 24 * 3_600_000;
        let mut stamps = [ago(-year, 5), ago(-year, 6), ago(300_000, 7), ago(-year, 5), ago(2_000, 5)];
        Order::default().correct_all(&mut stamps, &now());
        // The last but one came just now, as far as can be told, and so the last did too.
        assert_eq!(stamps.map(|stamp| stamp.age_ms(&now())), [300_000, 300_000, 300_000, 0, 0]);
        assert_eq!(Order::default().next(ago(-year, 5), &now()), now());
    }

    #[test]
    fn a_stepped_wall_clock_changes_nothing_within_this_boot() {
        let stepped = |ms, step: i64| Stamp { wall_ms: now().wall_ms + step, ..ago(ms, 7) };
        let hour = 3_600_000;
        let stamps = [ago(600, 5), stepped(500, -hour), stepped(400, hour), stepped(300, -hour)];
        let mut right = stamps;
        Order::default().correct_all(&mut right, &now());
        assert_eq!(right, stamps);
    }
}
