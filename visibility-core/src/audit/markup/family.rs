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
    pub fn of_type(name: &str) -> Option<Self> {
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
        } else if BUSINESSES.split_whitespace().any(|known| known == name) {
            Some(Self::Offering)
        } else {
            None
        }
    }

    /// The first family that one of the types belongs to, those that say more first.
    pub fn of_types<T: AsRef<str>>(types: &[T]) -> Option<Self> {
        types.iter().filter_map(|name| Self::of_type(name.as_ref())).min()
    }
}

/// Whether a type is `Organization` or below it.
pub(crate) fn is_organization(name: &str) -> bool {
    ORGANIZATIONS.contains(&name) || BUSINESSES.split_whitespace().any(|known| known == name)
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

/// `LocalBusiness` and below, from schema.org 29.
const BUSINESSES: &str = "
    LocalBusiness AnimalShelter ArchiveOrganization AutomotiveBusiness AutoBodyShop AutoDealer
    AutoPartsStore AutoRental AutoRepair AutoWash GasStation MotorcycleDealer MotorcycleRepair
    ChildCare DryCleaningOrLaundry EmergencyService FireStation PoliceStation EmploymentAgency
    EntertainmentBusiness AdultEntertainment AmusementPark ArtGallery Casino ComedyClub
    MovieTheater NightClub FinancialService AccountingService AutomatedTeller BankOrCreditUnion
    InsuranceAgency FoodEstablishment Bakery BarOrPub Brewery CafeOrCoffeeShop Distillery
    FastFoodRestaurant IceCreamShop Restaurant Winery GovernmentOffice PostOffice
    HealthAndBeautyBusiness BeautySalon DaySpa HairSalon HealthClub NailSalon TattooParlor
    HomeAndConstructionBusiness Electrician GeneralContractor HVACBusiness HousePainter Locksmith
    MovingCompany Plumber RoofingContractor InternetCafe LegalService Attorney Notary Library
    LodgingBusiness BedAndBreakfast Campground Hostel Hotel Motel Resort SkiResort VacationRental
    MedicalBusiness MedicalClinic Dentist Dermatology DietNutrition Hospital Optician Pharmacy Physician
    Physiotherapy VeterinaryCare ProfessionalService RadioStation RealEstateAgent RecyclingCenter
    SelfStorage ShoppingCenter SportsActivityLocation BowlingAlley ExerciseGym GolfCourse
    PublicSwimmingPool SportsClub StadiumOrArena TennisComplex Store BikeStore BookStore ClothingStore
    ComputerStore ConvenienceStore DepartmentStore ElectronicsStore Florist FurnitureStore GardenStore
    GroceryStore HardwareStore HobbyShop HomeGoodsStore JewelryStore LiquorStore MensClothingStore
    MobilePhoneStore MovieRentalStore MusicStore OfficeEquipmentStore OutletStore PawnShop PetStore
    ShoeStore SportingGoodsStore TireShop ToyStore WholesaleStore TelevisionStation
    TouristInformationCenter TravelAgency";

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
            assert_eq!(Family::of_types(types), family, "{types:?}");
        }
        assert!(is_organization("Bakery") && is_organization("Organization"));
        assert!(!is_organization("Product"));
    }
}
