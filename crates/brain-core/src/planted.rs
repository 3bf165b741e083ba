//! Deliberate bugs, one at a time, that the simulation must detect. Without the feature `planted-bugs`, which only
//! `brain-sim` enables, [`planted`] is a constant `false`.

#[cfg(feature = "planted-bugs")]
thread_local! {
    static PLANTED: std::cell::Cell<Option<&'static str>> = const { std::cell::Cell::new(None) };
}

/// Enables one deliberate bug on this thread, or disables all with `None`.
#[cfg(feature = "planted-bugs")]
pub fn plant(name: Option<&'static str>) {
    PLANTED.set(name);
}

/// Whether this bug is enabled on this thread.
#[cfg(feature = "planted-bugs")]
pub fn planted(name: &str) -> bool {
    PLANTED.get() == Some(name)
}

/// Always `false` without the feature `planted-bugs`.
#[cfg(not(feature = "planted-bugs"))]
#[inline(always)]
pub const fn planted(_: &str) -> bool {
    false
}
