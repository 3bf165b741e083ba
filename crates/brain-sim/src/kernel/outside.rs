//! The external systems that tools call. They may or may not act, at once or later, and may or may not answer. They are
//! reached through the real toolbox: only the network is replaced.

use std::collections::{BTreeMap, BTreeSet};
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

use brain_core::{Clock, Millis, Timestamp, VirtualClock};
use brain_engine::HostFuture;
use brain_tools::{Carrier, Incoming, NoAnswer, Outgoing};
use serde_json::{Value, json};

use crate::bug::Bug;
use crate::dice::Dice;
use crate::listing::Listing;

/// What the systems have seen of one idempotency key, which is one job.
#[derive(Clone, Debug, Default)]
pub(super) struct Deeds {
    /// The operation: `key`, `check`, `none`, or one of them with `_back`.
    pub(super) what: String,
    pub(super) effects: u32,
    /// Number of calls whose outcome is unknown without their answer.
    pub(super) open_calls: u32,
    /// The distinct request bodies.
    pub(super) bodies: BTreeSet<Vec<u8>>,
    /// Whether it was refused for good, so that pending effects must not happen.
    refused: bool,
    /// Whether a caller got a `Retry-After`.
    busied: bool,
}

/// An effect that happens some time after its call.
struct Landing {
    at: Timestamp,
    key: String,
}

#[derive(Default)]
pub(super) struct Seen {
    pub(super) deeds: BTreeMap<String, Deeds>,
    pub(super) calls: u64,
    landing: Vec<Landing>,
}

/// The systems, shared by all nodes.
pub(super) struct Systems {
    seen: Mutex<Seen>,
    dice: Mutex<(Dice, bool)>,
    truth: Arc<VirtualClock>,
    listing: Listing,
    bug: Option<Bug>,
}

/// The systems as one node reaches them.
pub(super) struct Reached {
    pub(super) systems: Arc<Systems>,
    pub(super) node: String,
    pub(super) dead: Arc<AtomicBool>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CallFate {
    Done,
    /// Done, with a value that is too large for a caller within a bundle.
    DoneLarge,
    /// Done after the caller has timed out.
    DoneLate,
    /// Done, but the gateway answers 504, 500, 502, 408, 503, or redirects.
    DoneBut(u16),
    /// Done, but the connection breaks.
    DoneCut,
    /// Done, with an answer that the tool does not declare.
    DoneBadly,
    /// Done, without any answer.
    DoneSilent,
    /// Not done: the gateway did not reach the system.
    NotBut(u16),
    NotCut,
    NotSilent,
    NotConnected,
    /// Not done, and refused for good.
    Refused,
    /// Not done; a retry may succeed.
    Busy,
}

/// A value that becomes available at a time.
struct At<T> {
    when: Timestamp,
    truth: Arc<VirtualClock>,
    value: Option<T>,
}

impl<T: Unpin> Future for At<T> {
    type Output = T;

    fn poll(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<T> {
        if self.truth.now() < self.when {
            return Poll::Pending;
        }
        self.value.take().map_or(Poll::Pending, Poll::Ready)
    }
}

impl Systems {
    pub(super) fn new(seed: u64, truth: Arc<VirtualClock>, listing: Listing, bug: Option<Bug>) -> Arc<Self> {
        let dice = Mutex::new((Dice::new(seed, "systems"), true));
        Arc::new(Self { seen: Mutex::default(), dice, truth, listing, bug })
    }

    pub(super) fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// From now on every call is done and answered.
    pub(super) fn calm(&self) {
        self.dice.lock().unwrap_or_else(PoisonError::into_inner).1 = false;
    }

    /// Makes the effects that are due happen.
    pub(super) fn land(&self, now: Timestamp) {
        let mut seen = self.seen();
        let landing = std::mem::take(&mut seen.landing);
        let (due, rest): (Vec<_>, Vec<_>) = landing.into_iter().partition(|one| one.at <= now);
        seen.landing = rest;
        for Landing { key, .. } in due {
            self.happens(&mut seen, &key);
            self.listing.note("outside", |_| format!("what {key} asked for happens now"));
        }
    }

    /// Makes an effect happen. A system that knows keys does nothing for a repeated key.
    fn happens(&self, seen: &mut Seen, key: &str) {
        let Some(deeds) = seen.deeds.get_mut(key) else { return };
        let keyed = deeds.what.starts_with("key");
        if !(keyed && (deeds.effects > 0 || deeds.refused)) {
            deeds.effects += 1;
        }
    }

    fn fate(&self) -> (CallFate, Millis) {
        let mut dice = self.dice.lock().unwrap_or_else(PoisonError::into_inner);
        let (dice, faulty) = &mut *dice;
        if !*faulty {
            return (CallFate::Done, Millis(dice.between(1, 100)));
        }
        let status = |dice: &mut Dice| dice.pick(&[504, 500, 502, 503, 408, 302]).copied().unwrap_or(504);
        let fate = match dice.below(100) {
            0..=4 => CallFate::DoneLate,
            5..=9 => CallFate::DoneBut(status(dice)),
            10..=12 => CallFate::DoneCut,
            13..=16 => CallFate::DoneBadly,
            17..=18 => CallFate::DoneSilent,
            19..=22 => CallFate::NotBut(status(dice)),
            23..=25 => CallFate::NotCut,
            26..=27 => CallFate::NotSilent,
            28..=29 => CallFate::NotConnected,
            30..=34 => CallFate::Refused,
            35..=40 => CallFate::Busy,
            41..=50 => CallFate::DoneLarge,
            _ => CallFate::Done,
        };
        let wait = if dice.one_in(4) { dice.between(300, 1_900) } else { dice.between(1, 300) };
        (fate, Millis(wait))
    }

    fn at<T: Unpin + Send + 'static>(&self, wait: Millis, value: T) -> HostFuture<T> {
        Box::pin(At { when: self.truth.now().plus(wait), truth: self.truth.clone(), value: Some(value) })
    }

    fn throw<T>(&self, work: impl FnOnce(&mut Dice) -> T) -> T {
        work(&mut self.dice.lock().unwrap_or_else(PoisonError::into_inner).0)
    }
}

type Carried = Result<Incoming, NoAnswer>;

fn answer(status: u16, body: Value) -> Carried {
    Ok(Incoming { status, headers: Vec::new(), body: body.to_string().into_bytes() })
}

impl Carrier for Reached {
    fn carry(&self, request: Outgoing) -> HostFuture<Carried> {
        if self.dead.load(Ordering::SeqCst) {
            return Box::pin(std::future::pending());
        }
        let path = request.url.split("w.invalid/").nth(1).unwrap_or_default().to_owned();
        if let Some(key) = path.strip_prefix("look?key=") {
            return self.look(key);
        }
        let header = request.headers.iter().find(|(name, _)| name == "idempotency-key");
        let key = header.map(|(_, key)| key.clone()).unwrap_or_default();
        self.call(&path, &key, request)
    }
}

impl Reached {
    fn call(&self, path: &str, key: &str, request: Outgoing) -> HostFuture<Carried> {
        let systems = &self.systems;
        let (mut fate, wait) = systems.fate();
        let mut seen = systems.seen();
        seen.calls += 1;
        let deeds = seen.deeds.entry(key.to_owned()).or_default();
        path.clone_into(&mut deeds.what);
        deeds.bodies.insert(request.body);
        // A system that knows keys gives the same answer to the same key.
        let keyed = path.starts_with("key");
        if path == "key_later" && deeds.open_calls == 0 && deeds.bodies.len() == 1 && !deeds.busied {
            deeds.busied = true;
            fate = CallFate::Busy;
        }
        if keyed && deeds.refused {
            fate = CallFate::Refused;
        } else if keyed && deeds.effects > 0 && matches!(fate, CallFate::Refused | CallFate::Busy) {
            fate = CallFate::Done;
        }
        deeds.refused |= keyed && fate == CallFate::Refused;
        let open = !matches!(fate, CallFate::Refused | CallFate::Busy | CallFate::NotConnected);
        deeds.open_calls += u32::from(open);
        let timeout = request.timeout;
        let (happens, carried): (bool, Option<(Millis, Carried)>) = match fate {
            CallFate::Done => (true, Some((wait, answer(200, json!({"value": systems.throw(|dice| dice.below(8))}))))),
            CallFate::DoneLarge => {
                (true, Some((wait, answer(200, json!({"value": 8 + systems.throw(|dice| dice.below(8))})))))
            }
            CallFate::DoneLate => {
                // A request that was sent in time lands at most a little after the caller's timeout.
                let later = systems.throw(|dice| dice.between(timeout.0, timeout.0 + 4_500));
                let at = systems.truth.now().plus(Millis(later));
                seen.landing.push(Landing { at, key: key.to_owned() });
                (false, Some((timeout, Err(NoAnswer::TimedOut))))
            }
            CallFate::DoneBut(status) => (true, Some((wait, answer(status, json!("gateway"))))),
            CallFate::NotBut(status) => (false, Some((wait, answer(status, json!("gateway"))))),
            CallFate::DoneCut => (true, Some((wait, Err(NoAnswer::Broken("cut".into()))))),
            CallFate::NotCut => (false, Some((wait, Err(NoAnswer::Broken("cut".into()))))),
            CallFate::DoneBadly => (true, Some((wait, answer(200, json!({"nonsense": true}))))),
            CallFate::DoneSilent => (true, None),
            CallFate::NotSilent => (false, None),
            CallFate::NotConnected => (false, Some((wait, Err(NoAnswer::NotConnected("refused".into()))))),
            CallFate::Refused => (false, Some((wait, answer(422, json!("no"))))),
            CallFate::Busy => {
                let status = systems.throw(|dice| dice.pick(&[429, 503, 425]).copied().unwrap_or(429));
                let headers = vec![("retry-after".to_owned(), "1".to_owned())];
                (false, Some((wait, Ok(Incoming { status, headers, body: Vec::new() }))))
            }
        };
        if happens {
            systems.happens(&mut seen, key);
        }
        drop(seen);
        systems.listing.note(&self.node, |_| format!("calls {path} {key}: {fate:?}"));
        if systems.bug == Some(Bug::RepeatedGateway) && matches!(fate, CallFate::DoneBut(504) | CallFate::NotBut(504)) {
            // The bug: the gateway timeout looks like a busy system.
            let headers = vec![("retry-after".to_owned(), "1".to_owned())];
            return systems.at(wait, Ok(Incoming { status: 503, headers, body: Vec::new() }));
        }
        match carried {
            Some((wait, carried)) => systems.at(wait, carried),
            None => Box::pin(std::future::pending()),
        }
    }

    fn look(&self, key: &str) -> HostFuture<Carried> {
        let systems = &self.systems;
        let happened = systems.seen().deeds.get(key).is_some_and(|deeds| deeds.effects > 0);
        let (fate, wait) = systems.fate();
        systems.listing.note(&self.node, |_| format!("looks up {key}: {happened} ({fate:?})"));
        let carried = match fate {
            CallFate::DoneSilent | CallFate::NotSilent => return Box::pin(std::future::pending()),
            CallFate::DoneCut | CallFate::NotCut => Err(NoAnswer::Broken("cut".into())),
            CallFate::NotConnected => Err(NoAnswer::NotConnected("refused".into())),
            CallFate::DoneBadly => answer(200, json!({"nonsense": true})),
            CallFate::DoneBut(status) | CallFate::NotBut(status) => answer(status, json!("gateway")),
            _ if happened => answer(200, json!({"happened": true, "result": {"value": 1}})),
            _ => answer(200, json!({"happened": false})),
        };
        systems.at(wait, carried)
    }
}
