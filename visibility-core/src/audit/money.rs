//! Amounts of money, as markup and as prose write them.

mod currency;
mod number;
mod own_price;
mod text;

use std::fmt;

use serde_json::Value;

pub use self::currency::Currency;
pub use self::number::decimal;
pub(crate) use self::own_price::{PricePurpose, purposes, speaks_of_sending};
pub(crate) use self::text::next_number;
pub use self::text::{PriceMatch, prices};

/// Ten-thousandths of one unit of a currency.
pub const UNIT: i64 = 10_000;

/// An amount of money, and the currency as far as it is known.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Money {
    /// Ten-thousandths of the currency's unit, never negative.
    pub amount: i64,
    /// The currency.
    pub currency: Currency,
}

impl Money {
    /// A price of markup: a number, or a text such as `1.299,00` or `$19.99`; with its
    /// `priceCurrency`, which wins over what the text says.
    ///
    /// `None` for what is not a price: `NaN`, less than nothing, words, objects.
    pub fn from_markup(price: &Value, currency: Option<&str>) -> Option<Self> {
        let named = currency.map_or(Currency::UNKNOWN, Currency::from_text);
        match price {
            // JSON knows no grouping: what follows the point is a fraction.
            Value::Number(number) => {
                let amount = number::from_json(&number.to_string())?;
                Some(Self { amount, currency: named })
            }
            Value::String(text) => {
                let found = Self::parse_within(text, named)?;
                let currency = if named == Currency::UNKNOWN { found.currency } else { named };
                Some(Self { amount: found.amount, currency })
            }
            _ => None,
        }
    }

    /// A text that is a price and nothing else, with or without its currency.
    pub fn parse(text: &str) -> Option<Self> {
        Self::parse_within(text, Currency::UNKNOWN)
    }

    fn parse_within(text: &str, named: Currency) -> Option<Self> {
        let text = text.trim();
        if text.len() > MAX_PRICE_BYTES || text.starts_with(['-', '−']) {
            return None;
        }
        if let Some(amount) = decimal(text, named.decimals()) {
            return Some(Self { amount, currency: Currency::UNKNOWN });
        }
        let found = prices(text);
        match found.as_slice() {
            [one] => Some(one.money),
            _ => None,
        }
    }

    /// Whether two amounts may be the same: what one leaves open conflicts with nothing.
    pub fn fits(self, other: Self) -> bool {
        self.amount == other.amount && self.currency.fits(other.currency)
    }

    /// The amount as JSON-LD wants it: a point before the fraction, of at least two digits unless the
    /// currency has none.
    pub fn markup_text(self) -> String {
        let (whole, fraction) = (self.amount / UNIT, self.amount % UNIT);
        let digits = format!("{fraction:04}");
        let least = if self.currency.decimals() == 0 { 0 } else { 2 };
        let kept = digits.trim_end_matches('0').len().max(least);
        match digits.get(..kept).filter(|shown| !shown.is_empty()) {
            Some(shown) => format!("{whole}.{shown}"),
            None => whole.to_string(),
        }
    }
}

impl fmt::Display for Money {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.markup_text())?;
        match self.currency.name() {
            Some(name) => write!(f, " {name}"),
            None => Ok(()),
        }
    }
}

/// Bytes that a price may have.
const MAX_PRICE_BYTES: usize = 80;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn shown(money: Option<Money>) -> String {
        money.map_or_else(|| "-".to_owned(), |money| money.to_string())
    }

    #[test]
    fn prices_of_markup_are_read_in_every_notation() {
        for (price, currency, expected) in [
            (json!("349.00"), Some("EUR"), "349.00 EUR"),
            (json!(349), Some("TRY"), "349.00 TRY"),
            (json!(349.9), Some("try"), "349.90 TRY"),
            (json!(1.299), Some("EUR"), "1.299 EUR"),
            (json!("1.299,00"), Some("TRY"), "1299.00 TRY"),
            (json!("1,299.00"), Some("USD"), "1299.00 USD"),
            (json!("1 299,00"), Some("SEK"), "1299.00 SEK"),
            (json!("1\u{a0}299,00"), Some("SEK"), "1299.00 SEK"),
            (json!("1\u{202f}299,00"), Some("EUR"), "1299.00 EUR"),
            (json!("1'299.00"), Some("CHF"), "1299.00 CHF"),
            (json!("1’299.00"), Some("CHF"), "1299.00 CHF"),
            (json!("1.299"), Some("TRY"), "1299.00 TRY"),
            (json!("1,299"), Some("USD"), "1299.00 USD"),
            (json!("1.250"), Some("KWD"), "1.25 KWD"),
            (json!("0.125"), Some("USD"), "0.125 USD"),
            (json!("12.5000"), Some("USD"), "12.50 USD"),
            (json!("49.990000"), Some("USD"), "49.99 USD"),
            (json!("1.299.000"), Some("IDR"), "1299000.00 IDR"),
            (json!("1,00,000"), Some("INR"), "100000.00 INR"),
            (json!("3980"), Some("JPY"), "3980 JPY"),
            (json!("$19.99"), None, "19.99 $"),
            (json!("349 TL"), None, "349.00 TRY"),
            (json!("349,90"), Some("TL"), "349.90 TRY"),
            (json!("349.00"), None, "349.00"),
            (json!("349.00"), Some("XXY"), "349.00"),
            (json!(0), Some("USD"), "0.00 USD"),
        ] {
            assert_eq!(shown(Money::from_markup(&price, currency)), expected, "{price}");
        }
    }

    #[test]
    fn what_is_no_price_is_none() {
        for price in [
            json!("NaN"),
            json!("free"),
            json!(""),
            json!("-5"),
            json!(-5),
            json!(1e300),
            json!(null),
            json!({ "price": 5 }),
            json!([5]),
            json!("1.2.3"),
            json!("12,34,5"),
            json!("1".repeat(40)),
            json!("19.99 - 29.99 USD"),
            json!("x".repeat(10_000)),
        ] {
            assert_eq!(Money::from_markup(&price, Some("USD")), None, "{price}");
        }
    }

    #[test]
    fn what_is_left_open_conflicts_with_nothing() {
        let money = |text: &str| Money::parse(text).unwrap();
        for (one, other, fits) in [
            ("$19.99", "19.99 USD", true),
            ("$19.99", "19.99 CAD", true),
            ("$19.99", "19.99 EUR", false),
            ("19.99", "19.99 EUR", true),
            ("19,99 €", "EUR 19.99", true),
            ("US$19.99", "19.99 CAD", false),
            ("¥1,000", "CNY 1000", true),
            ("100 kr", "DKK 100", true),
            ("100 kr", "EUR 100", false),
            ("₺349,90", "349.90 TL", true),
            ("₺349,90", "349.91 TL", false),
        ] {
            assert_eq!(money(one).fits(money(other)), fits, "{one} {other}");
            assert_eq!(money(other).fits(money(one)), fits, "{other} {one}");
        }
    }

    proptest! {
        #[test]
        fn no_text_makes_the_reader_panic(text in "\\PC{0,60}", odd in "[0-9.,' €$TL₺-]{0,60}") {
            let _ = (Money::parse(&text), Money::parse(&odd), prices(&text), prices(&odd));
        }

        #[test]
        fn an_amount_is_read_back(amount in 0_i64..100_000_000_000) {
            let money = Money { amount, currency: Currency::from_text("USD") };
            let read = Money::from_markup(&json!(money.markup_text()), Some("USD")).unwrap();
            // Three digits behind a lone point are a group of thousands, as a rule of ours.
            if money.markup_text().rsplit('.').next().is_some_and(|digits| digits.len() != 3) {
                prop_assert_eq!(read, money);
            }
        }
    }
}
