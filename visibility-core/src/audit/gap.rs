//! Placeholders in snippets for what the page does not say and a person has to add.

use chrono::NaiveDate;
use serde_json::{Value, json};

use crate::rubric::fix::FixInput;
use crate::text::placeholder::placeholder;

/// Names of placeholders, and what could fill them. The gain of a fix is computed with the examples;
/// they are not visible.
const EXAMPLES: [(&str, &str); 63] = [
    ("ADDRESS", "1 Harbour Road, Galway"),
    ("ALT", "A steel kettle on a gas hob"),
    ("ANSWER", "what it does and for whom, in one sentence"),
    ("APPLICATION_CATEGORY", "BusinessApplication"),
    ("AREA", "Ireland"),
    ("ATTRIBUTE", "Weight"),
    ("AUTHOR", "Ada Lovelace"),
    ("AUTHOR_URL", "https://example.com/authors/ada-lovelace"),
    ("AVAILABILITY", "InStock"),
    ("BRAND", "Northbound"),
    ("CAPTIONS_URL", "/captions.vtt"),
    ("CATEGORY", "steel kettle"),
    ("COLOR", "black"),
    ("CONTENT_URL", "https://example.com/video.mp4"),
    ("COOK_TIME", "PT20M"),
    ("CURRENCY", "EUR"),
    ("DATE", ""),
    ("DATE_CREATED", ""),
    ("DATE_MODIFIED", ""),
    ("DATE_POSTED", ""),
    ("DATE_PUBLISHED", ""),
    ("DESCRIPTION", "Kettle K2 boils 1.7 liters of water in 4 minutes on gas and induction hobs."),
    ("DIRECTOR", "Ada Lovelace"),
    ("DURATION", "PT4M"),
    ("EMPLOYMENT_TYPE", "FULL_TIME"),
    ("END_DATE", ""),
    ("FACT", "it boils 1.7 liters of water in 4 minutes"),
    ("FUEL_TYPE", "electric"),
    ("HEADLINE", "How a steel kettle is made"),
    ("IMAGE_URL", "https://example.com/images/kettle.jpg"),
    ("INGREDIENT", "200 g flour"),
    ("INSTRUCTION", "Mix the flour with water."),
    ("ITEM", "Kettle K2"),
    ("ITEM_URL", "https://example.com/kettles/k2"),
    ("KEYWORDS", "kettles"),
    ("LANGUAGE", "en"),
    ("LICENSE_URL", "https://creativecommons.org/licenses/by/4.0/"),
    ("LOCATION", "Town Hall, Galway"),
    ("LOGO_URL", "https://example.com/logo.png"),
    ("MODEL", "K2"),
    ("NAME", "Kettle K2"),
    ("OPENING_HOURS", "Mo-Fr 09:00-17:00"),
    ("OPERATING_SYSTEM", "Web"),
    ("PREP_TIME", "PT10M"),
    ("PRICE", "349.00"),
    ("PRICE_RANGE", "€€"),
    ("PROFILE_URL", "https://www.linkedin.com/company/example-"),
    ("PROVIDER", "Northbound"),
    ("PURPOSE", "boils water on gas and induction hobs"),
    ("REPOSITORY_URL", "https://example.com/kettle.git"),
    ("SERVICE_TYPE", "Kettle repair"),
    ("SKU", "NB-K2"),
    ("START_DATE", ""),
    ("STOCK", "In stock"),
    ("TELEPHONE", "+353 91 555 0100"),
    ("TEXT", "The kettle boils 1.7 liters of water in 4 minutes."),
    ("TITLE", "Kettle K2 of steel for gas and induction"),
    ("TOTAL_TIME", "PT30M"),
    ("TRANSCRIPT", "Welcome. Today we boil 1.7 liters of water in a steel kettle."),
    ("URL", "https://example.com/kettles/k2"),
    ("VALID_THROUGH", ""),
    ("VALUE", "1.2 kg"),
    ("YIELD", "4 servings"),
];

/// A placeholder, and the input that fills it.
pub(crate) fn gap(name: &'static str, today: NaiveDate) -> (String, FixInput) {
    (placeholder(name), input(name, None, today))
}

/// One of several placeholders of a kind: `[ALT_1]`, `[ALT_2]` and so on.
pub(crate) fn numbered(name: &'static str, number: usize, today: NaiveDate) -> (String, FixInput) {
    let input = input(name, Some(number), today);
    (placeholder(&input.name), input)
}

fn input(name: &'static str, number: Option<usize>, today: NaiveDate) -> FixInput {
    let example = EXAMPLES.iter().find(|(known, _)| *known == name).map(|(_, text)| *text);
    debug_assert!(example.is_some(), "{name} has no example");
    let mut example = match example.unwrap_or_default() {
        "" => today.to_string(),
        text => text.to_owned(),
    };
    let name = match number {
        Some(number) => {
            example.push_str(&number.to_string());
            format!("{name}_{number}").into()
        }
        None => name.into(),
    };
    FixInput { name, example }
}

/// Whether a text has a placeholder of a fix that was not filled.
pub(crate) fn has_gap(text: &str) -> bool {
    let mut rest = text;
    while let Some((_, after)) = rest.split_once('[') {
        rest = after;
        let Some((name, _)) = after.split_once(']') else { return false };
        let name = name.trim_end_matches(|ch: char| ch.is_ascii_digit());
        let name = name.strip_suffix('_').unwrap_or(name);
        if EXAMPLES.binary_search_by_key(&name, |(known, _)| known).is_ok() {
            return true;
        }
    }
    false
}

/// Properties whose value is a text, and the placeholders for it.
const TEXTS: [(&str, &str); 45] = [
    ("address", "ADDRESS"),
    ("applicationCategory", "APPLICATION_CATEGORY"),
    ("areaServed", "AREA"),
    ("author.name", "AUTHOR"),
    ("author.url", "AUTHOR_URL"),
    ("codeRepository", "REPOSITORY_URL"),
    ("color", "COLOR"),
    ("contentUrl", "CONTENT_URL"),
    ("cookTime", "COOK_TIME"),
    ("dateCreated", "DATE_CREATED"),
    ("dateModified", "DATE_MODIFIED"),
    ("datePosted", "DATE_POSTED"),
    ("datePublished", "DATE_PUBLISHED"),
    ("description", "DESCRIPTION"),
    ("duration", "DURATION"),
    ("employmentType", "EMPLOYMENT_TYPE"),
    ("endDate", "END_DATE"),
    ("fuelType", "FUEL_TYPE"),
    ("headline", "HEADLINE"),
    ("image", "IMAGE_URL"),
    ("keywords", "KEYWORDS"),
    ("license", "LICENSE_URL"),
    ("logo", "LOGO_URL"),
    ("model", "MODEL"),
    ("name", "NAME"),
    ("offers.price", "PRICE"),
    ("offers.priceCurrency", "CURRENCY"),
    ("openingHours", "OPENING_HOURS"),
    ("operatingSystem", "OPERATING_SYSTEM"),
    ("prepTime", "PREP_TIME"),
    ("priceRange", "PRICE_RANGE"),
    ("recipeIngredient", "INGREDIENT"),
    ("recipeInstructions", "INSTRUCTION"),
    ("recipeYield", "YIELD"),
    ("serviceType", "SERVICE_TYPE"),
    ("sku", "SKU"),
    ("startDate", "START_DATE"),
    ("telephone", "TELEPHONE"),
    ("text", "TEXT"),
    ("thumbnailUrl", "IMAGE_URL"),
    ("title", "HEADLINE"),
    ("totalTime", "TOTAL_TIME"),
    ("uploadDate", "DATE_PUBLISHED"),
    ("url", "URL"),
    ("validThrough", "VALID_THROUGH"),
];

/// Properties whose value is something with a name: its type, and the placeholder for the name.
const THINGS: [(&str, &str, &str); 8] = [
    ("author", "Person", "AUTHOR"),
    ("brand", "Brand", "BRAND"),
    ("creator", "Person", "AUTHOR"),
    ("director", "Person", "DIRECTOR"),
    ("hiringOrganization", "Organization", "PROVIDER"),
    ("location", "Place", "LOCATION"),
    ("organizer", "Organization", "PROVIDER"),
    ("provider", "Organization", "PROVIDER"),
];

/// The value of a property that a page does not give, and what fills it; `None` for properties that
/// only the owner's records hold, such as ratings and terms of delivery.
///
/// The path is one of schema.org properties, such as `author.url`; the value is that of its last step.
pub(crate) fn property(path: &str, today: NaiveDate) -> Option<(Value, Vec<FixInput>)> {
    if let Some((_, kind, name)) = THINGS.iter().find(|(known, ..)| *known == path) {
        let (text, input) = gap(name, today);
        return Some((json!({ "@type": kind, "name": text }), vec![input]));
    }
    match path {
        "offers.availability" => {
            let (text, input) = gap("AVAILABILITY", today);
            Some((format!("https://schema.org/{text}").into(), vec![input]))
        }
        "sameAs" => {
            let (texts, inputs): (Vec<String>, Vec<FixInput>) =
                (1..=2).map(|number| numbered("PROFILE_URL", number, today)).unzip();
            Some((texts.into(), inputs))
        }
        "itemListElement" => {
            let (name, first) = gap("ITEM", today);
            let (url, second) = gap("ITEM_URL", today);
            let item = json!([{ "@type": "ListItem", "position": 1, "name": name, "url": url }]);
            Some((item, vec![first, second]))
        }
        _ => {
            let (_, name) = TEXTS.iter().find(|(known, _)| *known == path)?;
            let (text, input) = gap(name, today);
            Some((text.into(), vec![input]))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_sorted_and_their_examples_are_no_placeholders() {
        assert!(EXAMPLES.is_sorted_by(|(one, _), (other, _)| one < other));
        assert!(EXAMPLES.iter().all(|(_, example)| !has_gap(example)));
    }

    #[test]
    fn an_unfilled_placeholder_is_found_and_other_brackets_are_not() {
        for text in ["[TITLE]", "Kettle: [PRICE] [CURRENCY]", "x [ALT_12]", "[a] [NAME]"] {
            assert!(has_gap(text), "{text}");
        }
        for text in ["", "[PDF] Annual report", "[", "[]", "a[0]", "[name]", "[1]", "[NAME"] {
            assert!(!has_gap(text), "{text}");
        }
    }

    #[test]
    fn a_property_has_a_visible_placeholder_for_each_input() {
        let today = NaiveDate::default();
        for path in ["author", "sameAs", "offers.availability", "datePublished", "itemListElement"]
        {
            let (value, inputs) = property(path, today).expect("a value");
            for input in inputs {
                assert!(value.to_string().contains(&placeholder(&input.name)), "{path}");
            }
        }
        assert_eq!(property("aggregateRating", today), None);
    }
}
