//! Names of currencies and of amounts of money. Codes and signs are no English; `slot::currency` has them.

/// What a name of a currency may mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CurrencyName {
    /// One currency, by its code.
    One(&'static str),
    /// One of several; the first if none of them is used in the region.
    Among(&'static [&'static str]),
}

impl CurrencyName {
    /// The code, given the currency of the region.
    pub fn code<'a>(&'a self, here: &'a str) -> &'a str {
        match self {
            Self::One(code) => code,
            Self::Among(codes) if codes.contains(&here) => here,
            Self::Among(codes) => codes[0],
        }
    }
}

use CurrencyName::{Among, One};

/// `$` and dollars of no country.
pub const DOLLARS: CurrencyName = Among(&["USD", "AUD", "CAD", "NZD", "SGD", "HKD"]);
const CROWNS: CurrencyName = Among(&["SEK", "NOK", "DKK"]);
const PESOS: CurrencyName = Among(&["MXN", "PHP", "ARS", "CLP", "COP"]);

/// Names of currencies.
pub const NAMES: [(&[&str], CurrencyName); 10] = [
    (&["dollar", "dollars", "buck", "bucks"], DOLLARS),
    (&["euro", "euros"], One("EUR")),
    (&["pound", "pounds", "quid", "sterling"], One("GBP")),
    (&["yen"], One("JPY")),
    (&["yuan", "renminbi"], One("CNY")),
    (&["rupee", "rupees", "rs"], One("INR")),
    (&["franc", "francs"], One("CHF")),
    (&["rand"], One("ZAR")),
    (&["krona", "kronor", "krone", "kroner", "kr"], CROWNS),
    (&["peso", "pesos"], PESOS),
];

/// The abbreviation of rupees, which may also precede the amount: `Rs. 500`.
pub const RUPEES: &str = "rs";

/// Whose dollars: `US dollars`. For `New Zealand`, its second word.
pub const DOLLARS_OF: [(&[&str], &str); 5] = [
    (&["us", "american"], "USD"),
    (&["australian", "aussie"], "AUD"),
    (&["canadian"], "CAD"),
    (&["singapore"], "SGD"),
    (&["zealand"], "NZD"),
];

/// Words for dollars after a country.
pub const DOLLAR_WORDS: [&str; 2] = ["dollar", "dollars"];
/// Words for hundredths.
pub const CENT_WORDS: [&str; 3] = ["cent", "cents", "pence"];
/// Hundredths of a pound.
pub const PENCE: [&str; 2] = ["p", "pence"];
