//! Families of types of schema.org that a page can be about.

/// What an entity is, as far as an audit tells kinds apart.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum Family {
    /// `Product` and below.
    Product,
    /// `Article` and below.
    Article,
    /// `SoftwareApplication`, `Service`, `LocalBusiness` and below.
    Offering,
    /// `ItemList`, `CollectionPage`, `OfferCatalog`.
    Collection,
    /// `Recipe`, `Event`, `Course` and other things that a page can be about.
    Other,
    /// `Organization`, `WebSite`, `WebPage`: whose page it is, not what it is about.
    Site,
}

impl Family {
    /// The family of a type.
    pub fn from_type(name: &str) -> Option<Self> {
        let is_in = |types: &[&str]| types.contains(&name);
        if is_in(&PRODUCTS) {
            Some(Self::Product)
        } else if is_in(&ARTICLES) {
            Some(Self::Article)
        } else if is_in(&COLLECTIONS) {
            Some(Self::Collection)
        } else if is_in(&OFFERINGS) {
            Some(Self::Offering)
        } else if is_in(&OTHERS) {
            Some(Self::Other)
        } else if is_in(&SITES) {
            Some(Self::Site)
        } else if BUSINESSES.binary_search(&name).is_ok() {
            Some(Self::Offering)
        } else {
            None
        }
    }

    /// The first family that one of the types belongs to, those that say more first.
    pub fn from_types<T: AsRef<str>>(types: &[T]) -> Option<Self> {
        types.iter().filter_map(|name| Self::from_type(name.as_ref())).min()
    }
}

/// Whether a type is `Organization` or below it.
pub(crate) fn is_organization(name: &str) -> bool {
    ORGANIZATIONS.contains(&name) || BUSINESSES.binary_search(&name).is_ok()
}

const PRODUCTS: [&str; 12] = [
    "Product",
    "ProductGroup",
    "IndividualProduct",
    "ProductModel",
    "SomeProducts",
    "Vehicle",
    "Car",
    "Motorcycle",
    "BusOrCoach",
    "MotorizedBicycle",
    "DietarySupplement",
    "Drug",
];

const ARTICLES: [&str; 20] = [
    "Article",
    "NewsArticle",
    "BlogPosting",
    "TechArticle",
    "ScholarlyArticle",
    "MedicalScholarlyArticle",
    "Report",
    "LiveBlogPosting",
    "SocialMediaPosting",
    "AdvertiserContentArticle",
    "SatiricalArticle",
    "APIReference",
    "AnalysisNewsArticle",
    "AskPublicNewsArticle",
    "BackgroundNewsArticle",
    "OpinionNewsArticle",
    "ReportageNewsArticle",
    "ReviewNewsArticle",
    "DiscussionForumPosting",
    "MedicalWebPage",
];

const COLLECTIONS: [&str; 4] = ["CollectionPage", "ItemList", "OfferCatalog", "ProductCollection"];

const OFFERINGS: [&str; 12] = [
    "SoftwareApplication",
    "WebApplication",
    "MobileApplication",
    "VideoGame",
    "Service",
    "WebAPI",
    "FinancialProduct",
    "FoodService",
    "TaxiService",
    "BroadcastService",
    "CableOrSatelliteService",
    "GovernmentService",
];

const OTHERS: [&str; 15] = [
    "Recipe",
    "HowTo",
    "Event",
    "Course",
    "JobPosting",
    "Dataset",
    "Book",
    "Movie",
    "MusicAlbum",
    "QAPage",
    "ProfilePage",
    "TouristAttraction",
    "Accommodation",
    "RealEstateListing",
    "SoftwareSourceCode",
];

const SITES: [&str; 10] = [
    "WebPage",
    "AboutPage",
    "ContactPage",
    "FAQPage",
    "ItemPage",
    "CheckoutPage",
    "WebSite",
    "Organization",
    "Corporation",
    "OnlineStore",
];

const ORGANIZATIONS: [&str; 16] = [
    "Organization",
    "Corporation",
    "OnlineBusiness",
    "OnlineStore",
    "OnlineMarketplace",
    "NewsMediaOrganization",
    "EducationalOrganization",
    "CollegeOrUniversity",
    "School",
    "GovernmentOrganization",
    "MedicalOrganization",
    "NGO",
    "PerformingGroup",
    "ResearchOrganization",
    "SportsOrganization",
    "Airline",
];

/// `LocalBusiness` and below, from schema.org 29; sorted.
const BUSINESSES: [&str; 132] = [
    "AccountingService",
    "AdultEntertainment",
    "AmusementPark",
    "AnimalShelter",
    "ArchiveOrganization",
    "ArtGallery",
    "Attorney",
    "AutoBodyShop",
    "AutoDealer",
    "AutoPartsStore",
    "AutoRental",
    "AutoRepair",
    "AutoWash",
    "AutomatedTeller",
    "AutomotiveBusiness",
    "Bakery",
    "BankOrCreditUnion",
    "BarOrPub",
    "BeautySalon",
    "BedAndBreakfast",
    "BikeStore",
    "BookStore",
    "BowlingAlley",
    "Brewery",
    "CafeOrCoffeeShop",
    "Campground",
    "Casino",
    "ChildCare",
    "ClothingStore",
    "ComedyClub",
    "ComputerStore",
    "ConvenienceStore",
    "DaySpa",
    "Dentist",
    "DepartmentStore",
    "Dermatology",
    "DietNutrition",
    "Distillery",
    "DryCleaningOrLaundry",
    "Electrician",
    "ElectronicsStore",
    "EmergencyService",
    "EmploymentAgency",
    "EntertainmentBusiness",
    "ExerciseGym",
    "FastFoodRestaurant",
    "FinancialService",
    "FireStation",
    "Florist",
    "FoodEstablishment",
    "FurnitureStore",
    "GardenStore",
    "GasStation",
    "GeneralContractor",
    "GolfCourse",
    "GovernmentOffice",
    "GroceryStore",
    "HVACBusiness",
    "HairSalon",
    "HardwareStore",
    "HealthAndBeautyBusiness",
    "HealthClub",
    "HobbyShop",
    "HomeAndConstructionBusiness",
    "HomeGoodsStore",
    "Hospital",
    "Hostel",
    "Hotel",
    "HousePainter",
    "IceCreamShop",
    "InsuranceAgency",
    "InternetCafe",
    "JewelryStore",
    "LegalService",
    "Library",
    "LiquorStore",
    "LocalBusiness",
    "Locksmith",
    "LodgingBusiness",
    "MedicalBusiness",
    "MedicalClinic",
    "MensClothingStore",
    "MobilePhoneStore",
    "Motel",
    "MotorcycleDealer",
    "MotorcycleRepair",
    "MovieRentalStore",
    "MovieTheater",
    "MovingCompany",
    "MusicStore",
    "NailSalon",
    "NightClub",
    "Notary",
    "OfficeEquipmentStore",
    "Optician",
    "OutletStore",
    "PawnShop",
    "PetStore",
    "Pharmacy",
    "Physician",
    "Physiotherapy",
    "Plumber",
    "PoliceStation",
    "PostOffice",
    "ProfessionalService",
    "PublicSwimmingPool",
    "RadioStation",
    "RealEstateAgent",
    "RecyclingCenter",
    "Resort",
    "Restaurant",
    "RoofingContractor",
    "SelfStorage",
    "ShoeStore",
    "ShoppingCenter",
    "SkiResort",
    "SportingGoodsStore",
    "SportsActivityLocation",
    "SportsClub",
    "StadiumOrArena",
    "Store",
    "TattooParlor",
    "TelevisionStation",
    "TennisComplex",
    "TireShop",
    "TouristInformationCenter",
    "ToyStore",
    "TravelAgency",
    "VacationRental",
    "VeterinaryCare",
    "WholesaleStore",
    "Winery",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_type_that_says_most_decides() {
        for (types, family) in [
            (&["Product"][..], Some(Family::Product)),
            (&["WebPage", "Product"], Some(Family::Product)),
            (&["BlogPosting"], Some(Family::Article)),
            (&["Restaurant"], Some(Family::Offering)),
            (&["CollectionPage", "WebPage"], Some(Family::Collection)),
            (&["WebSite"], Some(Family::Site)),
            (&["BreadcrumbList"], None),
            (&[], None),
        ] {
            assert_eq!(Family::from_types(types), family, "{types:?}");
        }
        assert!(BUSINESSES.is_sorted());
        assert!(is_organization("Bakery") && is_organization("Organization"));
        assert!(!is_organization("Product"));
    }
}
