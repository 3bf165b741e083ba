//! Integer keys, for clients whose ids are 64-bit numbers.

/// Bits for a job's number within its run. One more bit distinguishes a job from the incident about it.
const JOB_BITS: u32 = 20;

/// What kind of object a key identifies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keyed {
    /// The run itself.
    Run,
    /// A job of the run, by its number within the run, counted from 1.
    Job(u32),
    /// The incident about a job.
    Incident(u32),
}

/// A 64-bit key: the number of a run in its store, and an object within the run.
///
/// Keys are unique within a store across all kinds of objects. A run that was copied to another store keeps its keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key {
    /// The run's number in its store.
    pub run: i64,
    /// The object within the run.
    pub of: Keyed,
}

impl Key {
    /// Encodes the key; `None` if the run's number or the job's number does not fit.
    pub fn to_i64(self) -> Option<i64> {
        let (job, incident) = match self.of {
            Keyed::Run => (0, 0),
            Keyed::Job(number) => (number, 0),
            Keyed::Incident(number) => (number, 1),
        };
        let fits = job < 1 << JOB_BITS && (1..1 << (62 - JOB_BITS)).contains(&self.run);
        fits.then_some(self.run << (JOB_BITS + 1) | i64::from(job) << 1 | incident)
    }

    /// Decodes a key; `None` if the integer is not one.
    pub fn from_i64(key: i64) -> Option<Self> {
        let run = key >> (JOB_BITS + 1);
        let job = u32::try_from(key >> 1 & ((1 << JOB_BITS) - 1)).ok()?;
        let of = match (job, key & 1) {
            (0, 0) => Keyed::Run,
            (0, _) => return None,
            (job, 0) => Keyed::Job(job),
            (job, _) => Keyed::Incident(job),
        };
        (run > 0).then_some(Self { run, of })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_says_what_it_stands_for() {
        let last = (1 << JOB_BITS) - 1;
        for run in [1, 2, 1_000_000, (1 << 42) - 1] {
            for of in [Keyed::Run, Keyed::Job(1), Keyed::Job(last), Keyed::Incident(1), Keyed::Incident(last)] {
                let key = Key { run, of };
                let number = key.to_i64().expect("it fits");
                assert!(number > 0 && Key::from_i64(number) == Some(key), "{key:?} is {number}");
            }
        }
    }

    #[test]
    fn what_does_not_fit_has_no_key_and_what_is_no_key_means_nothing() {
        assert_eq!(Key { run: 1, of: Keyed::Job(1 << JOB_BITS) }.to_i64(), None);
        assert_eq!(Key { run: 1 << 42, of: Keyed::Run }.to_i64(), None);
        assert_eq!(Key { run: 0, of: Keyed::Run }.to_i64(), None);
        for number in [0, 1, -1, i64::MIN, (1 << (JOB_BITS + 1)) - 1, 1 << (JOB_BITS + 1) | 1] {
            assert_eq!(Key::from_i64(number), None, "{number}");
        }
    }
}
