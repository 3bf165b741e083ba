//! Bearer tokens: `brn_<id>_<secret>`. The id finds the token, the hash of the secret verifies it.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use brain_core::{Digest, Millis, Random, TenantId, Timestamp, TokenId};
use brain_store::TokenRow;
use subtle::ConstantTimeEq;

const PREFIX: &str = "brn_";

/// What a token permits.
#[derive(Clone, Debug, Default)]
pub struct Grants {
    /// Whether it may approve.
    pub approver: bool,
    /// Its permissions; `None` grants all.
    pub permissions: Option<Vec<String>>,
    /// The tier of its holder; `None` for any.
    pub tier: Option<String>,
}

/// Creates a token: the row to store, and the text, which is shown once and stored nowhere. `secret` must be system
/// randomness; `random` is used only for the id.
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

/// Splits a token into id and secret.
pub(crate) fn halves(text: &str) -> Option<(TokenId, &str)> {
    let (id, secret) = text.strip_prefix(PREFIX)?.split_once('_')?;
    let well_formed = id.len() == 32 && secret.len() == 64 && secret.bytes().all(|byte| byte.is_ascii_hexdigit());
    if !well_formed {
        return None;
    }
    id.parse().ok().map(|id| (id, secret))
}

/// Whether the secret is right and the token is neither revoked nor expired.
pub(crate) fn opens(row: &TokenRow, secret: &str, now: Timestamp) -> bool {
    let right: bool = Digest::of(secret.as_bytes()).as_bytes().ct_eq(row.hash.as_bytes()).into();
    right && !row.revoked && row.expires_at.is_none_or(|end| now < end)
}

/// How long a token stays cached. A revoked token is accepted for at most this long.
const BELIEVED: Millis = Millis(5_000);
/// Maximum number of cached tokens.
const MAX_KNOWN: usize = 10_000;

/// A cache of tokens, so that not every request queries the store. Only existing tokens are cached; secret and expiry
/// are checked for every request.
#[derive(Default)]
pub(crate) struct KnownTokens(Mutex<HashMap<TokenId, (Timestamp, TokenRow)>>);

impl KnownTokens {
    /// A token, from the cache if it is at most [`BELIEVED`] old, or from `look_up`.
    pub(crate) fn find<E>(
        &self,
        id: TokenId,
        now: Timestamp,
        look_up: impl FnOnce() -> Result<Option<TokenRow>, E>,
    ) -> Result<Option<TokenRow>, E> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner).get(&id).cloned();
        // A clock that was set back must not extend the life of a cached token.
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
    fn a_token_is_accepted_until_it_expires() {
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
    fn a_token_is_cached_briefly_and_revoking_it_takes_effect_within_that_time() {
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
            "absence is not cached"
        );
    }

    #[test]
    fn the_secret_is_not_in_the_row() {
        let (row, text) = token(None);
        let (_, secret) = halves(&text).unwrap();
        assert!(!format!("{row:?}").contains(secret));
    }

    #[test]
    fn text_that_is_not_a_token_has_no_halves() {
        let (_, text) = token(None);
        for wrong in ["", "brn_", "brn__", &text[4..], &text[..text.len() - 1], &text.replace("brn_", "brx_")] {
            assert!(halves(wrong).is_none(), "{wrong}");
        }
    }
}
