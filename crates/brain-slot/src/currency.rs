//! Currencies: signs, codes, names, and the currency of each region.

use brain_english::currency::{DOLLARS, DOLLARS_OF, NAMES};
use brain_english::{lookup, lookup_any};

pub(super) use brain_english::currency::CurrencyName as Said;

const YEN: Said = Said::Among(&["JPY", "CNY"]);

/// Currency signs in lower case, longer ones first.
pub(super) const SIGNS: &[(&str, Said)] = &[
    ("au$", Said::One("AUD")),
    ("us$", Said::One("USD")),
    ("nz$", Said::One("NZD")),
    ("ca$", Said::One("CAD")),
    ("hk$", Said::One("HKD")),
    ("a$", Said::One("AUD")),
    ("c$", Said::One("CAD")),
    ("s$", Said::One("SGD")),
    ("r$", Said::One("BRL")),
    ("$", DOLLARS),
    ("€", Said::One("EUR")),
    ("£", Said::One("GBP")),
    ("¥", YEN),
    ("₹", Said::One("INR")),
    ("₩", Said::One("KRW")),
];

/// Codes in lower case. Those that are also words of everyday language are left out.
pub(super) const CODES: [(&str, &str); 27] = [
    ("aed", "AED"),
    ("aud", "AUD"),
    ("brl", "BRL"),
    ("cad", "CAD"),
    ("chf", "CHF"),
    ("cny", "CNY"),
    ("rmb", "CNY"),
    ("czk", "CZK"),
    ("dkk", "DKK"),
    ("eur", "EUR"),
    ("gbp", "GBP"),
    ("hkd", "HKD"),
    ("huf", "HUF"),
    ("ils", "ILS"),
    ("inr", "INR"),
    ("jpy", "JPY"),
    ("krw", "KRW"),
    ("mxn", "MXN"),
    ("myr", "MYR"),
    ("nok", "NOK"),
    ("nzd", "NZD"),
    ("pln", "PLN"),
    ("sek", "SEK"),
    ("sgd", "SGD"),
    ("thb", "THB"),
    ("usd", "USD"),
    ("zar", "ZAR"),
];

/// The currency of a code in lower case.
pub(super) fn by_code(word: &str) -> Option<Said> {
    lookup(&CODES, word).map(Said::One)
}

/// The currency of a name in lower case.
pub(super) fn by_name(word: &str) -> Option<Said> {
    lookup_any(&NAMES, word)
}

/// The dollar of a country named before it: `US dollars`.
pub(super) fn dollars_of(word: &str) -> Option<Said> {
    lookup_any(&DOLLARS_OF, word).map(Said::One)
}

/// How many decimals amounts of a currency have.
pub(super) fn decimals_of(code: &str) -> u32 {
    match code {
        "CLP" | "ISK" | "JPY" | "KRW" | "VND" => 0,
        "BHD" | "JOD" | "KWD" | "OMR" | "TND" => 3,
        _ => 2,
    }
}

/// The currency of a region.
pub(super) fn currency_of(region: &str) -> Option<&'static str> {
    Some(match region {
        "AU" => "AUD",
        "AT" | "BE" | "CY" | "DE" | "EE" | "ES" | "FI" | "FR" | "GR" | "HR" | "IE" | "IT" | "LT" | "LU" | "LV"
        | "MT" | "NL" | "PT" | "SI" | "SK" => "EUR",
        "BR" => "BRL",
        "CA" => "CAD",
        "CH" | "LI" => "CHF",
        "CN" => "CNY",
        "CZ" => "CZK",
        "DK" => "DKK",
        "GB" => "GBP",
        "HK" => "HKD",
        "IN" => "INR",
        "JP" => "JPY",
        "MX" => "MXN",
        "NO" => "NOK",
        "NZ" => "NZD",
        "PH" => "PHP",
        "PL" => "PLN",
        "SE" => "SEK",
        "SG" => "SGD",
        "US" => "USD",
        "ZA" => "ZAR",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ambiguous_sign_means_the_regions_currency() {
        assert_eq!(DOLLARS.code("AUD"), "AUD");
        assert_eq!(DOLLARS.code("EUR"), "USD");
        assert_eq!(by_name("quid").unwrap().code("AUD"), "GBP");
        assert_eq!(currency_of("AT"), Some("EUR"));
    }
}
