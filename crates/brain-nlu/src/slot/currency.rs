//! Currencies: their signs, codes and names, and which region pays with which.

/// Which currency was said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Said {
    /// This one.
    One(&'static str),
    /// One of these: `$` is many.
    Among(&'static [&'static str]),
}

impl Said {
    /// The code, given what people here pay with.
    pub(super) fn code<'a>(&'a self, here: &'a str) -> &'a str {
        match self {
            Self::One(code) => code,
            Self::Among(codes) if codes.contains(&here) => here,
            Self::Among(codes) => codes[0],
        }
    }
}

const DOLLARS: Said = Said::Among(&["USD", "AUD", "CAD", "NZD", "SGD", "HKD"]);
const YEN: Said = Said::Among(&["JPY", "CNY"]);
const CROWNS: Said = Said::Among(&["SEK", "NOK", "DKK"]);
const PESOS: Said = Said::Among(&["MXN", "PHP", "ARS", "CLP", "COP"]);

/// Signs that stand before or behind an amount, in lower case, longer ones first.
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

/// The currency of a code in lower case. Codes that are also words of everyday language are left out.
pub(super) fn by_code(word: &str) -> Option<Said> {
    Some(Said::One(match word {
        "aed" => "AED",
        "aud" => "AUD",
        "brl" => "BRL",
        "cad" => "CAD",
        "chf" => "CHF",
        "cny" | "rmb" => "CNY",
        "czk" => "CZK",
        "dkk" => "DKK",
        "eur" => "EUR",
        "gbp" => "GBP",
        "hkd" => "HKD",
        "huf" => "HUF",
        "ils" => "ILS",
        "inr" => "INR",
        "jpy" => "JPY",
        "krw" => "KRW",
        "mxn" => "MXN",
        "myr" => "MYR",
        "nok" => "NOK",
        "nzd" => "NZD",
        "pln" => "PLN",
        "sek" => "SEK",
        "sgd" => "SGD",
        "thb" => "THB",
        "usd" => "USD",
        "zar" => "ZAR",
        _ => return None,
    }))
}

/// The currency of a name in lower case.
pub(super) fn by_name(word: &str) -> Option<Said> {
    Some(match word {
        "dollar" | "dollars" | "buck" | "bucks" => DOLLARS,
        "euro" | "euros" => Said::One("EUR"),
        "pound" | "pounds" | "quid" | "sterling" => Said::One("GBP"),
        "yen" => Said::One("JPY"),
        "yuan" | "renminbi" => Said::One("CNY"),
        "rupee" | "rupees" | "rs" => Said::One("INR"),
        "franc" | "francs" => Said::One("CHF"),
        "rand" => Said::One("ZAR"),
        "krona" | "kronor" | "krone" | "kroner" | "kr" => CROWNS,
        "peso" | "pesos" => PESOS,
        _ => return None,
    })
}

/// Whose dollars: `US dollars`.
pub(super) fn dollars_of(word: &str) -> Option<Said> {
    Some(Said::One(match word {
        "us" | "american" => "USD",
        "australian" | "aussie" => "AUD",
        "canadian" => "CAD",
        "singapore" => "SGD",
        "zealand" => "NZD",
        _ => return None,
    }))
}

/// What a region pays with.
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
    fn a_sign_of_many_is_the_one_that_is_used_here() {
        assert_eq!(DOLLARS.code("AUD"), "AUD");
        assert_eq!(DOLLARS.code("EUR"), "USD");
        assert_eq!(by_name("quid").unwrap().code("AUD"), "GBP");
        assert_eq!(currency_of("AT"), Some("EUR"));
    }
}
