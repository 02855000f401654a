//! Currencies by code (ISO 4217), by symbol and by name.

/// The currencies that a text may mean: none that is given, one, or the several of a symbol.
#[derive(Clone, Copy, Debug, Eq)]
pub struct Currency {
    codes: &'static [&'static str],
    /// What to show of several: the symbol.
    symbol: &'static str,
}

impl PartialEq for Currency {
    fn eq(&self, other: &Self) -> bool {
        self.codes == other.codes
    }
}

/// Codes in use, from ISO 4217 (list one of 2026-01-01), metals and units of account left out; sorted.
const CODES: [&str; 155] = [
    "AED", "AFN", "ALL", "AMD", "AOA", "ARS", "AUD", "AWG", "AZN", "BAM", "BBD", "BDT", "BGN",
    "BHD", "BIF", "BMD", "BND", "BOB", "BRL", "BSD", "BTN", "BWP", "BYN", "BZD", "CAD", "CDF",
    "CHF", "CLP", "CNY", "COP", "CRC", "CUP", "CVE", "CZK", "DJF", "DKK", "DOP", "DZD", "EGP",
    "ERN", "ETB", "EUR", "FJD", "FKP", "GBP", "GEL", "GHS", "GIP", "GMD", "GNF", "GTQ", "GYD",
    "HKD", "HNL", "HTG", "HUF", "IDR", "ILS", "INR", "IQD", "IRR", "ISK", "JMD", "JOD", "JPY",
    "KES", "KGS", "KHR", "KMF", "KPW", "KRW", "KWD", "KYD", "KZT", "LAK", "LBP", "LKR", "LRD",
    "LSL", "LYD", "MAD", "MDL", "MGA", "MKD", "MMK", "MNT", "MOP", "MRU", "MUR", "MVR", "MWK",
    "MXN", "MYR", "MZN", "NAD", "NGN", "NIO", "NOK", "NPR", "NZD", "OMR", "PAB", "PEN", "PGK",
    "PHP", "PKR", "PLN", "PYG", "QAR", "RON", "RSD", "RUB", "RWF", "SAR", "SBD", "SCR", "SDG",
    "SEK", "SGD", "SHP", "SLE", "SOS", "SRD", "SSP", "STN", "SVC", "SYP", "SZL", "THB", "TJS",
    "TMT", "TND", "TOP", "TRY", "TTD", "TWD", "TZS", "UAH", "UGX", "USD", "UYU", "UZS", "VED",
    "VES", "VND", "VUV", "WST", "XAF", "XCD", "XCG", "XOF", "XPF", "YER", "ZAR", "ZMW",
];

/// Codes that are also words or the names of other things: `TOP 10`, `ALL 50`, `AMD 64`, `PHP 8`, `CVE 2026`.
const WORDS: [&str; 18] = [
    "ALL", "AMD", "BAM", "BOB", "BSD", "COP", "CUP", "CVE", "GEL", "MAD", "MOP", "NPR", "PEN",
    "PHP", "SDG", "SOS", "TOP", "TRY",
];

/// Where a symbol may be.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Side {
    /// Before the number or behind it.
    Either,
    /// Behind the number only.
    Behind,
}

/// A symbol or name, where it is, and what it may mean. Longer ones before those they begin or
/// end with.
pub(super) struct Sign {
    pub(super) text: &'static str,
    pub(super) side: Side,
    codes: &'static [&'static str],
}

const fn either(text: &'static str, codes: &'static [&'static str]) -> Sign {
    Sign { text, side: Side::Either, codes }
}

const fn behind(text: &'static str, codes: &'static [&'static str]) -> Sign {
    Sign { text, side: Side::Behind, codes }
}

pub(super) const SIGNS: [Sign; 56] = [
    either("US$", &["USD"]),
    either("CA$", &["CAD"]),
    either("AU$", &["AUD"]),
    either("NZ$", &["NZD"]),
    either("HK$", &["HKD"]),
    either("NT$", &["TWD"]),
    either("MX$", &["MXN"]),
    either("C$", &["CAD"]),
    either("A$", &["AUD"]),
    either("S$", &["SGD"]),
    either("R$", &["BRL"]),
    either(
        "$",
        &[
            "USD", "ARS", "AUD", "BBD", "BMD", "BND", "BSD", "BZD", "CAD", "CLP", "COP", "FJD",
            "GYD", "HKD", "JMD", "KYD", "LRD", "MXN", "NAD", "NZD", "SBD", "SGD", "SRD", "SVC",
            "TTD", "TWD", "UYU", "XCD",
        ],
    ),
    either("€", &["EUR"]),
    either("£", &["GBP", "EGP", "FKP", "GIP", "SHP", "SSP", "SYP"]),
    either("¥", &["JPY", "CNY"]),
    either("￥", &["JPY", "CNY"]),
    behind("円", &["JPY"]),
    behind("元", &["CNY"]),
    behind("원", &["KRW"]),
    behind("บาท", &["THB"]),
    either("₺", &["TRY"]),
    either("TL", &["TRY"]),
    behind("tl", &["TRY"]),
    behind("Tl", &["TRY"]),
    behind("Türk lirası", &["TRY"]),
    behind("Türk Lirası", &["TRY"]),
    behind("lira", &["TRY"]),
    behind("Lira", &["TRY"]),
    either("₹", &["INR"]),
    either("Rs.", &["INR", "LKR", "MUR", "NPR", "PKR", "SCR"]),
    either("Rs", &["INR", "LKR", "MUR", "NPR", "PKR", "SCR"]),
    either("₽", &["RUB"]),
    behind("руб", &["RUB", "BYN"]),
    either("₩", &["KRW", "KPW"]),
    either("₪", &["ILS"]),
    either("₫", &["VND"]),
    behind("đ", &["VND"]),
    either("₴", &["UAH"]),
    behind("грн", &["UAH"]),
    either("₦", &["NGN"]),
    either("฿", &["THB"]),
    either("₱", &["PHP"]),
    either("₾", &["GEL"]),
    either("₼", &["AZN"]),
    either("₸", &["KZT"]),
    either("RM", &["MYR"]),
    either("Rp", &["IDR"]),
    either("Fr.", &["CHF"]),
    behind("zł", &["PLN"]),
    behind("Kč", &["CZK"]),
    behind("Ft", &["HUF"]),
    behind("lei", &["RON", "MDL"]),
    behind("лв", &["BGN"]),
    either("kr", &["SEK", "DKK", "ISK", "NOK"]),
    behind("euro", &["EUR"]),
    behind("Euro", &["EUR"]),
];

impl Currency {
    /// Nothing is given.
    pub const UNKNOWN: Self = Self { codes: &[], symbol: "" };

    /// The currency of a code in any case, or of a symbol; unknown for anything else.
    pub fn from_text(text: &str) -> Self {
        let text = text.trim();
        let code = Self::from_code(&text.to_ascii_uppercase());
        code.or_else(|| SIGNS.iter().find(|sign| sign.text == text).map(Self::from_sign))
            .unwrap_or(Self::UNKNOWN)
    }

    /// The currency of a code of ISO 4217, in upper case.
    pub fn from_code(code: &str) -> Option<Self> {
        let at = CODES.binary_search(&code).ok()?;
        Some(Self { codes: CODES.get(at..=at)?, symbol: "" })
    }

    /// Whether the code is a word that may be beside any number.
    pub(super) fn is_word(self) -> bool {
        self.symbol.is_empty() && self.code().is_some_and(|code| WORDS.contains(&code))
    }

    pub(super) fn from_sign(sign: &Sign) -> Self {
        Self { codes: sign.codes, symbol: sign.text }
    }

    /// The code, if it is one currency for sure.
    pub fn code(self) -> Option<&'static str> {
        match self.codes {
            [code] => Some(code),
            _ => None,
        }
    }

    /// The code, or the symbol of several.
    pub fn name(self) -> Option<&'static str> {
        self.code().or(Some(self.symbol)).filter(|name| !name.is_empty())
    }

    /// Whether two texts may mean the same currency.
    pub fn fits(self, other: Self) -> bool {
        self.codes.is_empty()
            || other.codes.is_empty()
            || self.codes.iter().any(|code| other.codes.contains(code))
    }

    /// Digits that its amounts have behind the point.
    pub fn decimals(self) -> usize {
        match self.code() {
            Some("BHD" | "IQD" | "JOD" | "KWD" | "LYD" | "OMR" | "TND") => 3,
            Some(
                "BIF" | "CLP" | "DJF" | "GNF" | "ISK" | "JPY" | "KMF" | "KRW" | "PYG" | "RWF"
                | "UGX" | "VND" | "VUV" | "XAF" | "XOF" | "XPF",
            ) => 0,
            _ => 2,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_sign_is_recognized_by_its_first_and_last_character() {
        for sign in &SIGNS {
            let found = super::super::prices(&format!("a 5 {} b", sign.text));
            assert_eq!(found.len(), 1, "{}", sign.text);
            if sign.side == Side::Either {
                let found = super::super::prices(&format!("a {} 5 b", sign.text));
                assert_eq!(found.len(), 1, "{}", sign.text);
            }
        }
    }

    #[test]
    fn the_codes_are_sorted_and_those_of_signs_are_among_them() {
        assert!(CODES.is_sorted());
        assert!(WORDS.iter().all(|code| CODES.contains(code)));
        for sign in &SIGNS {
            for code in sign.codes {
                assert!(Currency::from_code(code).is_some(), "{code}");
            }
        }
    }

    #[test]
    fn a_code_is_known_and_anything_else_is_not() {
        for (text, code) in [
            ("EUR", Some("EUR")),
            (" try ", Some("TRY")),
            ("₺", Some("TRY")),
            ("TL", Some("TRY")),
            ("$", None),
            ("XXX", None),
            ("EURO", None),
            ("", None),
        ] {
            assert_eq!(Currency::from_text(text).code(), code, "{text}");
        }
        assert_eq!(Currency::from_code("eur"), None);
    }
}
