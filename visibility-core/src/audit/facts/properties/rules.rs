//! Required and recommended properties by type.
//!
//! Those of Google's guides for rich results as of November 2026; rules for types that Google has no
//! guide for, such as `Service`, are ours.

/// What is wanted of an entity.
#[derive(Debug)]
pub(super) struct PropertyRule {
    /// The types that it is for; the first one gives it its name.
    pub(super) types: &'static [&'static str],
    /// Where it is.
    pub(super) source: &'static str,
    /// What must be there.
    pub(super) required: &'static [&'static str],
    /// What should be there.
    pub(super) recommended: &'static [&'static str],
    /// Whether a price of 0 is one.
    pub(super) may_be_free: bool,
}

impl PropertyRule {
    /// The rule of the first type that has one; businesses of all kinds have that of `LocalBusiness`.
    pub(super) fn for_types(types: &[String]) -> Option<&'static Self> {
        types
            .iter()
            .find_map(|name| RULES.iter().find(|rule| rule.types.contains(&name.as_str())))
            .or_else(|| {
                let is_business =
                    types.iter().any(|name| crate::audit::markup::family::is_organization(name));
                RULES.iter().find(|rule| is_business && rule.types.contains(&"LocalBusiness"))
            })
    }
}

const GUIDES: &str =
    "https://developers.google.com/search/docs/appearance/structured-data/search-gallery";

const fn rule(
    types: &'static [&'static str],
    source: &'static str,
    required: &'static [&'static str],
    recommended: &'static [&'static str],
) -> PropertyRule {
    PropertyRule { types, source, required, recommended, may_be_free: true }
}

static RULES: [PropertyRule; 21] = [
    PropertyRule {
        types: &[
            "Product",
            "ProductGroup",
            "IndividualProduct",
            "ProductModel",
            "SomeProducts",
            "DietarySupplement",
            "Drug",
        ],
        source: "https://developers.google.com/search/docs/appearance/structured-data/merchant-listing",
        required: &["name", "image", "offers.price", "offers.priceCurrency"],
        recommended: &[
            "offers.availability",
            "brand",
            "sku|gtin|mpn",
            "description",
            "aggregateRating|review",
            "offers.shippingDetails",
            "offers.hasMerchantReturnPolicy",
        ],
        may_be_free: false,
    },
    PropertyRule {
        types: &["Car", "Vehicle", "Motorcycle", "BusOrCoach", "MotorizedBicycle"],
        source: "https://developers.google.com/search/docs/appearance/structured-data/vehicle-listing",
        required: &[
            "name",
            "image",
            "offers.price",
            "offers.priceCurrency",
            "offers.availability",
            "brand",
            "model",
        ],
        recommended: &[
            "mileageFromOdometer",
            "color",
            "vehicleIdentificationNumber",
            "fuelType",
            "description",
        ],
        may_be_free: false,
    },
    rule(
        &[
            "Article",
            "NewsArticle",
            "BlogPosting",
            "TechArticle",
            "ScholarlyArticle",
            "Report",
            "LiveBlogPosting",
            "SocialMediaPosting",
            "AnalysisNewsArticle",
            "OpinionNewsArticle",
            "ReportageNewsArticle",
            "ReviewNewsArticle",
            "BackgroundNewsArticle",
            "AskPublicNewsArticle",
            "AdvertiserContentArticle",
            "SatiricalArticle",
            "APIReference",
            "MedicalScholarlyArticle",
            "MedicalWebPage",
        ],
        "https://developers.google.com/search/docs/appearance/structured-data/article",
        &[],
        &[
            "headline",
            "image",
            "datePublished",
            "dateModified",
            "author.name|author",
            "author.url|author.sameAs",
        ],
    ),
    rule(
        &["SoftwareApplication", "WebApplication", "MobileApplication", "VideoGame"],
        "https://developers.google.com/search/docs/appearance/structured-data/software-app",
        &["name", "offers.price", "aggregateRating|review"],
        &["applicationCategory", "operatingSystem"],
    ),
    rule(
        &["LocalBusiness"],
        "https://developers.google.com/search/docs/appearance/structured-data/local-business",
        &["name", "address"],
        &[
            "telephone",
            "url",
            "openingHoursSpecification|openingHours",
            "geo",
            "priceRange",
            "aggregateRating|review",
        ],
    ),
    rule(
        &[
            "Service",
            "FinancialProduct",
            "FoodService",
            "TaxiService",
            "GovernmentService",
            "BroadcastService",
            "WebAPI",
        ],
        "https://schema.org/Service",
        &["name", "description", "provider"],
        &["serviceType|category", "areaServed", "offers", "url", "image"],
    ),
    rule(
        &["Event"],
        "https://developers.google.com/search/docs/appearance/structured-data/event",
        &["name", "startDate", "location"],
        &["description", "endDate", "eventStatus", "image", "offers", "organizer", "performer"],
    ),
    rule(
        &["Recipe"],
        "https://developers.google.com/search/docs/appearance/structured-data/recipe",
        &["name", "image"],
        &[
            "author",
            "datePublished",
            "description",
            "prepTime",
            "cookTime",
            "totalTime",
            "recipeYield",
            "recipeCategory",
            "recipeIngredient",
            "recipeInstructions",
            "nutrition.calories",
            "aggregateRating",
        ],
    ),
    rule(
        &["Course"],
        "https://developers.google.com/search/docs/appearance/structured-data/course",
        &["name", "description"],
        &["provider", "offers", "hasCourseInstance"],
    ),
    rule(
        &["JobPosting"],
        "https://developers.google.com/search/docs/appearance/structured-data/job-posting",
        &[
            "title",
            "description",
            "datePosted",
            "hiringOrganization",
            "jobLocation|applicantLocationRequirements",
        ],
        &["baseSalary", "employmentType", "validThrough", "identifier", "directApply"],
    ),
    rule(
        &["Dataset"],
        "https://developers.google.com/search/docs/appearance/structured-data/dataset",
        &["name", "description"],
        &["creator", "license", "distribution", "identifier", "keywords", "temporalCoverage"],
    ),
    rule(
        &["VideoObject"],
        "https://developers.google.com/search/docs/appearance/structured-data/video",
        &["name", "thumbnailUrl", "uploadDate"],
        &["contentUrl|embedUrl", "description", "duration"],
    ),
    rule(
        &["QAPage"],
        "https://developers.google.com/search/docs/appearance/structured-data/qapage",
        &[
            "mainEntity.name",
            "mainEntity.answerCount",
            "mainEntity.acceptedAnswer|mainEntity.suggestedAnswer",
        ],
        &["mainEntity.text", "mainEntity.author", "mainEntity.datePublished"],
    ),
    rule(
        &["ProfilePage"],
        "https://developers.google.com/search/docs/appearance/structured-data/profile-page",
        &["mainEntity.name"],
        &[
            "dateCreated",
            "dateModified",
            "mainEntity.image",
            "mainEntity.sameAs",
            "mainEntity.description",
        ],
    ),
    rule(
        &["DiscussionForumPosting"],
        "https://developers.google.com/search/docs/appearance/structured-data/discussion-forum",
        &["author.name", "datePublished", "text|image|video"],
        &["headline", "url", "comment", "dateModified"],
    ),
    rule(
        &["Movie"],
        "https://developers.google.com/search/docs/appearance/structured-data/movie",
        &["name", "image"],
        &["aggregateRating|review", "dateCreated|datePublished", "director"],
    ),
    rule(
        &["Book"],
        "https://developers.google.com/search/docs/appearance/structured-data/book",
        &["name", "author", "url"],
        &["gtin", "workExample", "sameAs"],
    ),
    rule(
        &["RealEstateListing", "Accommodation"],
        "https://schema.org/RealEstateListing",
        &["name", "url"],
        &["datePosted", "description", "image", "offers.price"],
    ),
    rule(
        &["CollectionPage", "ItemList", "OfferCatalog", "ProductCollection"],
        "https://developers.google.com/search/docs/appearance/structured-data/carousel",
        &["name"],
        &["description", "url", "itemListElement|mainEntity|hasPart"],
    ),
    rule(
        &["SoftwareSourceCode"],
        "https://schema.org/SoftwareSourceCode",
        &["name", "codeRepository"],
        &["programmingLanguage", "license", "author", "description"],
    ),
    rule(
        &["HowTo", "MusicAlbum", "TouristAttraction"],
        GUIDES,
        &["name"],
        &["description", "image", "url"],
    ),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::markup::Family;

    #[test]
    fn every_type_has_one_rule_and_a_family() {
        let mut seen = std::collections::BTreeSet::new();
        for name in RULES.iter().flat_map(|rule| rule.types) {
            assert!(seen.insert(name), "{name}");
            assert!(Family::from_type(name).is_some() || *name == "VideoObject", "{name}");
        }
        for rule in &RULES {
            assert!(rule.source.starts_with("https://"));
            assert!(!rule.required.is_empty() || !rule.recommended.is_empty());
        }
    }

    #[test]
    fn a_business_of_any_kind_is_a_local_business() {
        let rule =
            |name: &str| PropertyRule::for_types(&[name.to_owned()]).map(|rule| rule.types[0]);
        assert_eq!(rule("Bakery"), Some("LocalBusiness"));
        assert_eq!(rule("NewsArticle"), Some("Article"));
        assert_eq!(rule("Thing"), None);
    }
}
