//! What an utterance is read against: when, where, and in which money.

use jiff::Zoned;
use jiff::civil::Date;

use super::currency::currency_of;
use super::number::Notation;

/// What an utterance is read against: nothing here is looked up, all is given.
#[derive(Clone, Debug)]
pub struct Surroundings {
    /// The moment it is, in the time zone of the people who speak.
    pub now: Zoned,
    /// Where they are, as ISO 3166 says it (`AU`); nothing if nobody knows.
    pub region: String,
    /// The one currency that amounts are in, as ISO 4217 says it (`AUD`); nothing if any will do.
    pub currency: String,
}

impl Surroundings {
    /// A moment, a place and a currency; either may be empty.
    pub fn new(now: Zoned, region: &str, currency: &str) -> Self {
        let plain = |text: &str| text.trim().to_ascii_uppercase();
        Self { now, region: plain(region), currency: plain(currency) }
    }

    /// The day it is.
    pub fn today(&self) -> Date {
        self.now.date()
    }

    /// What people here pay with, as far as anybody said.
    pub(super) fn usual_currency(&self) -> &str {
        match self.currency.as_str() {
            "" => currency_of(&self.region).unwrap_or_default(),
            currency => currency,
        }
    }

    /// Whether `3/4` is the fourth of March (US) or the third of April (most of the world).
    pub(super) fn month_first(&self) -> bool {
        matches!(self.region.as_str(), "US" | "PH")
    }

    /// Whether people say `3:30` and mean the afternoon.
    pub(super) fn twelve_hours(&self) -> bool {
        matches!(self.region.as_str(), "" | "AU" | "CA" | "GB" | "IE" | "IN" | "NZ" | "PH" | "SG" | "US" | "ZA")
    }

    /// How people write numbers.
    pub(super) fn notation(&self) -> Notation {
        match self.region.as_str() {
            "AR" | "AT" | "BE" | "BR" | "CL" | "CO" | "DE" | "DK" | "ES" | "GR" | "HR" | "ID" | "IT" | "NL" | "PT"
            | "RO" | "SI" | "TR" => Notation::Comma,
            "BG" | "CZ" | "EE" | "FI" | "FR" | "HU" | "LT" | "LV" | "NO" | "PL" | "SE" | "SK" | "UA" => Notation::Space,
            "CH" | "LI" => Notation::Apostrophe,
            _ => Notation::Point,
        }
    }

    /// Ten in the morning of a day, nowhere in particular.
    #[cfg(test)]
    pub(crate) fn on(day: Date) -> Self {
        Self::at(day, "")
    }

    /// Ten in the morning of a day in a region.
    #[cfg(test)]
    pub(crate) fn at(day: Date, region: &str) -> Self {
        Self::new(day.at(10, 0, 0, 0).to_zoned(jiff::tz::TimeZone::UTC).unwrap(), region, "")
    }
}
