//! Types of schema.org that say who or what a page is about.

use crate::page::json_ld::JsonLdNode;

/// Whether a node is an identity: something with a name of its own, and not a page about it.
pub(super) fn is_one(node: &JsonLdNode) -> bool {
    node.types.iter().any(|name| TYPES.split_whitespace().any(|known| known == name))
}

/// `Organization` with `LocalBusiness`, `Person`, `WebSite`, `Product`, `SoftwareApplication` and
/// those below them, and `Brand` and `Service`. From schema.org 29.
const TYPES: &str = "
    Organization Airline Consortium Cooperative Corporation FundingAgency FundingScheme
    GovernmentOrganization LibrarySystem NGO NewsMediaOrganization OnlineBusiness OnlineMarketplace
    OnlineStore PoliticalParty Project ResearchProject ResearchOrganization
    SearchRescueOrganization WorkersUnion EducationalOrganization CollegeOrUniversity
    ElementarySchool HighSchool MiddleSchool Preschool School MedicalOrganization Dentist
    DiagnosticLab Hospital MedicalClinic Covid19TestingFacility Pharmacy Physician
    IndividualPhysician PhysiciansOffice VeterinaryCare PerformingGroup DanceGroup MusicGroup
    TheaterGroup SportsOrganization SportsTeam
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
    MedicalBusiness CommunityHealth Dermatology DietNutrition Emergency Geriatric Gynecologic
    Midwifery Nursing Obstetric Oncologic Optician Optometric Otolaryngologic Pediatric
    Physiotherapy PlasticSurgery Podiatric PrimaryCare Psychiatric PublicHealth
    ProfessionalService RadioStation RealEstateAgent RecyclingCenter SelfStorage ShoppingCenter
    SportsActivityLocation BowlingAlley ExerciseGym GolfCourse PublicSwimmingPool SportsClub
    StadiumOrArena TennisComplex Store BikeStore BookStore ClothingStore ComputerStore
    ConvenienceStore DepartmentStore ElectronicsStore Florist FurnitureStore GardenStore
    GroceryStore HardwareStore HobbyShop HomeGoodsStore JewelryStore LiquorStore MensClothingStore
    MobilePhoneStore MovieRentalStore MusicStore OfficeEquipmentStore OutletStore PawnShop PetStore
    ShoeStore SportingGoodsStore TireShop ToyStore WholesaleStore TelevisionStation
    TouristInformationCenter TravelAgency
    Person Patient
    WebSite
    Product DietarySupplement Drug IndividualProduct ProductCollection ProductGroup ProductModel
    SomeProducts Vehicle BusOrCoach Car Motorcycle MotorizedBicycle
    SoftwareApplication MobileApplication OperatingSystem RuntimePlatform VideoGame WebApplication
    SoftwareSourceCode WebAPI
    Brand Service BroadcastService CableOrSatelliteService FinancialProduct FoodService
    GovernmentService Taxi TaxiService
";
