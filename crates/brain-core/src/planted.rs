//! Mistakes on purpose: the simulation plants one and must find it. Without the feature `planted-bugs`, which only
//! `brain-sim` turns on, the question is a constant and nothing of this is compiled.

#[cfg(feature = "planted-bugs")]
thread_local! {
    static PLANTED: std::cell::Cell<Option<&'static str>> = const { std::cell::Cell::new(None) };
}

/// Plants a mistake in everything that this thread does from now on, or none.
#[cfg(feature = "planted-bugs")]
pub fn plant(name: Option<&'static str>) {
    PLANTED.set(name);
}

/// Whether this mistake is planted in this thread.
#[cfg(feature = "planted-bugs")]
pub fn planted(name: &str) -> bool {
    PLANTED.get() == Some(name)
}

/// Whether this mistake is planted: never, in a build without the feature `planted-bugs`.
#[cfg(not(feature = "planted-bugs"))]
#[inline(always)]
pub const fn planted(_: &str) -> bool {
    false
}
