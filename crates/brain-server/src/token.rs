//! Bearer tokens: `brn_<id>_<secret>`. The id finds the token, the hash of the secret proves it.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use brain_core::{Digest, Millis, Random, TenantId, Timestamp, TokenId};
use brain_store::TokenRow;
use subtle::ConstantTimeEq;

const PREFIX: &str = "brn_";

/// What a token lets its holder do.
#[derive(Clone, Debug, Default)]
pub struct Grants {
    /// Whether it may approve.
    pub approver: bool,
    /// The permissions it has; `None`: all.
    pub permissions: Option<Vec<String>>,
    /// The tier of its holder; `None`: any.
    pub tier: Option<String>,
}

/// Makes a token: the row to store, and the text that is shown once and kept nowhere. `secret` must come from the
/// system's randomness; `random` only makes the id.
pub fn new_token(
    tenant: TenantId,
    label: &str,
    grants: Grants,
    expires_at: Option<Timestamp>,
    now: Timestamp,
    random: &mut dyn Random,
    secret: [u8; 32],
) -> (TokenRow, String) {
    let id = TokenId::generate(now, random);
    let secret = hex::encode(secret);
    let text = format!("{PREFIX}{}_{secret}", id.as_uuid().simple());
    let row = TokenRow {
        id,
        tenant,
        hash: Digest::of(secret.as_bytes()),
        label: label.to_owned(),
        created_at: now,
        expires_at,
        approver: grants.approver,
        permissions: grants.permissions,
        tier: grants.tier,
        revoked: false,
    };
    (row, text)
}

/// The two halves of a token, if this is one.
pub(crate) fn halves(text: &str) -> Option<(TokenId, &str)> {
    let (id, secret) = text.strip_prefix(PREFIX)?.split_once('_')?;
    let well_formed = id.len() == 32 && secret.len() == 64 && secret.bytes().all(|byte| byte.is_ascii_hexdigit());
    if !well_formed {
        return None;
    }
    id.parse().ok().map(|id| (id, secret))
}

/// Whether a token opens its tenant now.
pub(crate) fn opens(row: &TokenRow, secret: &str, now: Timestamp) -> bool {
    let right: bool = Digest::of(secret.as_bytes()).as_bytes().ct_eq(row.hash.as_bytes()).into();
    right && !row.revoked && row.expires_at.is_none_or(|end| now < end)
}

/// How long a token that was looked up is believed. A token that is revoked opens its tenant for so long at most.
const BELIEVED: Millis = Millis(5_000);
/// Tokens that are remembered at a time.
const MAX_KNOWN: usize = 10_000;

/// Tokens that were looked up lately, so that not every request asks the store. Only tokens that exist are remembered; the
/// secret and the expiry are checked for every request.
#[derive(Default)]
pub(crate) struct KnownTokens(Mutex<HashMap<TokenId, (Timestamp, TokenRow)>>);

impl KnownTokens {
    /// A token: as it was known at most [`BELIEVED`] ago, or as `look_up` says.
    pub(crate) fn find<E>(
        &self,
        id: TokenId,
        now: Timestamp,
        look_up: impl FnOnce() -> Result<Option<TokenRow>, E>,
    ) -> Result<Option<TokenRow>, E> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner).get(&id).cloned();
        // A clock that was set back must not make a token live longer.
        if let Some((_, row)) = known.filter(|(at, _)| *at <= now && now.since(*at) < BELIEVED) {
            return Ok(Some(row));
        }
        let found = look_up()?;
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.remove(&id);
        if let Some(row) = &found {
            if known.len() >= MAX_KNOWN {
                known.clear();
            }
            known.insert(id, (now, row.clone()));
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use brain_core::SeededRandom;

    use super::*;

    fn token(expires_at: Option<Timestamp>) -> (TokenRow, String) {
        let now = Timestamp::from_millis(1_000);
        new_token(
            TenantId::default_tenant(),
            "ci",
            Grants::default(),
            expires_at,
            now,
            &mut SeededRandom::new(1),
            [7; 32],
        )
    }

    #[test]
    fn a_token_opens_its_tenant_until_it_ends() {
        let (mut row, text) = token(Some(Timestamp::from_millis(2_000)));
        let (id, secret) = halves(&text).unwrap();
        assert_eq!(id, row.id);
        assert!(opens(&row, secret, Timestamp::from_millis(1_999)));
        assert!(!opens(&row, secret, Timestamp::from_millis(2_000)));
        assert!(!opens(&row, &"0".repeat(64), Timestamp::from_millis(1_999)));
        row.revoked = true;
        assert!(!opens(&row, secret, Timestamp::from_millis(1_999)));
    }

    #[test]
    fn a_token_is_looked_up_once_in_a_while_and_revoking_it_takes_effect_within_that_time() {
        let (row, _) = token(None);
        let known = KnownTokens::default();
        let mut asked = 0;
        let mut find = |now: i64, revoked| {
            let row = TokenRow { revoked, ..row.clone() };
            let found = known.find::<()>(row.id, Timestamp::from_millis(now), || {
                asked += 1;
                Ok(Some(row))
            });
            (found.unwrap().unwrap().revoked, asked)
        };
        assert_eq!(find(10_000, false), (false, 1));
        assert_eq!(find(14_999, true), (false, 1), "believed");
        assert_eq!(find(15_000, true), (true, 2), "looked up again");
        assert_eq!(find(9_000, true), (true, 3), "the clock was set back");
        assert_eq!(known.find::<()>(row.id, Timestamp::from_millis(30_000), || Ok(None)), Ok(None));
        assert_eq!(
            known.find::<()>(row.id, Timestamp::from_millis(30_001), || Ok(None)),
            Ok(None),
            "absence is not kept"
        );
    }

    #[test]
    fn the_secret_is_not_in_the_row() {
        let (row, text) = token(None);
        let (_, secret) = halves(&text).unwrap();
        assert!(!format!("{row:?}").contains(secret));
    }

    #[test]
    fn text_that_is_no_token_has_no_halves() {
        let (_, text) = token(None);
        for wrong in ["", "brn_", "brn__", &text[4..], &text[..text.len() - 1], &text.replace("brn_", "brx_")] {
            assert!(halves(wrong).is_none(), "{wrong}");
        }
    }
}
