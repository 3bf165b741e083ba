//! Names of currencies and of amounts of money. Codes and signs are no English; `slot::currency` has them.

/// What a name of a currency may mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CurrencyName {
    /// One currency, by its code.
    One(&'static str),
    /// One of several; the first if none of them is used in the region.
    Among(&'static [&'static str]),
}

use CurrencyName::{Among, One};

/// `$` and dollars of no country.
pub(crate) const DOLLARS: CurrencyName = Among(&["USD", "AUD", "CAD", "NZD", "SGD", "HKD"]);
const CROWNS: CurrencyName = Among(&["SEK", "NOK", "DKK"]);
const PESOS: CurrencyName = Among(&["MXN", "PHP", "ARS", "CLP", "COP"]);

pub(crate) const NAMES: [(&[&str], CurrencyName); 10] = [
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

/// The abbreviation of rupees, which also stands before the amount: `Rs. 500`.
pub(crate) const RUPEES: &str = "rs";

/// Whose dollars: `US dollars`. For `New Zealand`, its second word.
pub(crate) const DOLLARS_OF: [(&[&str], &str); 5] = [
    (&["us", "american"], "USD"),
    (&["australian", "aussie"], "AUD"),
    (&["canadian"], "CAD"),
    (&["singapore"], "SGD"),
    (&["zealand"], "NZD"),
];

/// Words for dollars behind a country.
pub(crate) const DOLLAR_WORDS: [&str; 2] = ["dollar", "dollars"];
/// Words for hundredths.
pub(crate) const CENT_WORDS: [&str; 3] = ["cent", "cents", "pence"];
/// Hundredths of a pound.
pub(crate) const PENCE: [&str; 2] = ["p", "pence"];
