//! Time, region and currency of the speaker.

use jiff::Zoned;
use jiff::civil::Date;

use super::currency::currency_of;
use super::number::Notation;

/// Time, region and currency of the speaker, all given by the caller.
#[derive(Clone, Debug)]
pub struct Surroundings {
    /// The current time in the speaker's time zone.
    pub now: Zoned,
    /// ISO 3166 region (`AU`); empty if unknown.
    pub region: String,
    /// The ISO 4217 currency of amounts (`AUD`); empty if any is accepted.
    pub currency: String,
}

impl Surroundings {
    /// Surroundings from their parts; region and currency may be empty.
    pub fn new(now: Zoned, region: &str, currency: &str) -> Self {
        let plain = |text: &str| text.trim().to_ascii_uppercase();
        Self { now, region: plain(region), currency: plain(currency) }
    }

    /// The current date.
    pub fn today(&self) -> Date {
        self.now.date()
    }

    /// The region's currency, if known.
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

    /// Whether `3:30` without am or pm may be in the afternoon.
    pub(super) fn twelve_hours(&self) -> bool {
        matches!(self.region.as_str(), "" | "AU" | "CA" | "GB" | "IE" | "IN" | "NZ" | "PH" | "SG" | "US" | "ZA")
    }

    /// How numbers are written in the region.
    pub(super) fn notation(&self) -> Notation {
        match self.region.as_str() {
            "AR" | "AT" | "BE" | "BR" | "CL" | "CO" | "DE" | "DK" | "ES" | "GR" | "HR" | "ID" | "IT" | "NL" | "PT"
            | "RO" | "SI" | "TR" => Notation::Comma,
            "BG" | "CZ" | "EE" | "FI" | "FR" | "HU" | "LT" | "LV" | "NO" | "PL" | "SE" | "SK" | "UA" => Notation::Space,
            "CH" | "LI" => Notation::Apostrophe,
            _ => Notation::Point,
        }
    }

    /// Ten in the morning of a day, without a region.
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
