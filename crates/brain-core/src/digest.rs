//! SHA-256 digests as a type, so that a hash is never confused with other text.

use std::fmt;
use std::str::FromStr;

use hmac::{Hmac, KeyInit, Mac};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

/// A SHA-256 digest; 64 lower-case hexadecimal digits on every wire.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest([u8; 32]);

impl Digest {
    /// Hashes `bytes`.
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// Wraps bytes that are already a SHA-256 digest.
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The raw bytes.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// The first twelve digits, for display.
    pub fn short(&self) -> String {
        hex::encode(&self.0[..6])
    }
}

/// The HMAC-SHA256 of a message. Only holders of the key can compute it.
pub fn hmac_sha256(key: &[u8], message: &[u8]) -> Digest {
    let mut mac = <Hmac<Sha256> as KeyInit>::new_from_slice(key).expect("HMAC takes keys of any length");
    mac.update(message);
    Digest(mac.finalize().into_bytes().into())
}

/// Incremental [`Digest::of`]: the result does not depend on how the bytes were split.
#[derive(Clone, Default)]
pub struct DigestStream(Sha256);

impl DigestStream {
    /// Appends bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// The digest of all bytes so far.
    pub fn finish(self) -> Digest {
        Digest(self.0.finalize().into())
    }
}

/// Hashes a list of parts unambiguously: each part is preceded by its length.
#[derive(Default)]
pub struct DigestBuilder(Sha256);

impl DigestBuilder {
    /// Starts a digest for one purpose; digests for different purposes never coincide.
    pub fn new(purpose: &str) -> Self {
        Self::default().part(purpose.as_bytes())
    }

    /// Adds a part.
    #[must_use]
    pub fn part(mut self, bytes: &[u8]) -> Self {
        self.0.update((bytes.len() as u64).to_be_bytes());
        self.0.update(bytes);
        self
    }

    /// The digest of all parts.
    pub fn finish(self) -> Digest {
        Digest(self.0.finalize().into())
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex::encode(self.0))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Digest({})", self.short())
    }
}

impl FromStr for Digest {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut bytes = [0; 32];
        hex::decode_to_slice(text, &mut bytes)
            .map_err(|_| format!("`{text}` is not a digest: expected 64 hexadecimal digits"))?;
        Ok(Self(bytes))
    }
}

impl Serialize for Digest {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Digest {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_hashed_with_their_lengths() {
        let one = DigestBuilder::new("t").part(b"ab").part(b"c").finish();
        let two = DigestBuilder::new("t").part(b"a").part(b"bc").finish();
        assert_ne!(one, two);
    }

    #[test]
    fn pieces_give_the_digest_of_the_whole() {
        let mut stream = DigestStream::default();
        for piece in [&b"a"[..], b"", b"bc"] {
            stream.update(piece);
        }
        assert_eq!(stream.finish(), Digest::of(b"abc"));
    }

    #[test]
    fn text_form_round_trips() {
        let digest = Digest::of(b"abc");
        assert_eq!(digest.to_string(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        assert_eq!(digest.to_string().parse(), Ok(digest));
        assert!("xyz".parse::<Digest>().is_err());
    }
}
