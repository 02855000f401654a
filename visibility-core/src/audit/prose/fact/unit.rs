//! Units, and what is counted.

use std::collections::BTreeSet;
use std::sync::OnceLock;

/// Whether a folded word after a number is a unit, or the name of what is counted.
pub(super) fn is_unit(word: &str) -> bool {
    static ENGLISH: OnceLock<BTreeSet<&str>> = OnceLock::new();
    static TURKISH: OnceLock<BTreeSet<&str>> = OnceLock::new();
    static OTHERS: OnceLock<BTreeSet<&str>> = OnceLock::new();
    let others =
        OTHERS.get_or_init(|| OTHER_UNITS.iter().flat_map(|units| units.split(' ')).collect());
    let english = ENGLISH.get_or_init(|| UNITS.split(' ').collect());
    let turkish = TURKISH.get_or_init(|| TURKISH_UNITS.split(' ').collect());
    let mut stems = SUFFIXES.split(' ').filter_map(|suffix| word.strip_suffix(suffix));
    english.contains(word)
        || others.contains(word)
        || turkish.contains(word)
        || stems.any(|stem| turkish.contains(stem))
}

/// Whether a folded word is the name of people.
pub(super) fn is_of_many(word: &str) -> bool {
    PEOPLE.iter().any(|people| word.starts_with(people))
}

/// Whether a folded word is the name of a large number.
pub(super) fn is_large_number(word: &str) -> bool {
    LARGE_NUMBERS.iter().any(|number| word.starts_with(number))
}

/// Beginnings of such words in the languages of the units, folded.
const LARGE_NUMBERS: [&str; 13] = [
    "billion", "million", "trillion", "milliard", "millones", "miliardi", "milioni", "milhões",
    "miljoen", "miljard", "milyon", "milyar", "mln",
];
const PEOPLE: [&str; 34] = [
    "participant",
    "patient",
    "people",
    "respondent",
    "student",
    "stud",
    "personen",
    "teilnehmer",
    "befragte",
    "einwohner",
    "schüler",
    "habitant",
    "élève",
    "étudiant",
    "personnes",
    "personas",
    "alumnos",
    "estudiantes",
    "habitantes",
    "persone",
    "studenti",
    "abitanti",
    "pessoas",
    "alunos",
    "estudantes",
    "mensen",
    "deelnemers",
    "inwoners",
    "osób",
    "osoby",
    "mieszkańców",
    "uczniów",
    "kişi",
    "öğrenci",
];

/// Units of all languages, and what is counted in English.
const UNITS: &str = "acre acres ah bar bathrooms bedrooms beds billion bit bits bn businesses byte bytes cal \
    calorie calories cd centuries century cities cl clients cm cm² cm³ companies countries cup \
    cups customer customers day days db decade decades degrees dl dm downloads dpi employees \
    feet floors foot fps ft g gal gallon gallons gb gbps ghz gib gram grams guests gw h ha \
    hectare hectares hour hours hp hr hrs hundred hz inch inches installs items k kb kbps kcal \
    kg khz kib kilo kilogram kilograms kilos kj km kmh km² kpa kph kw kwh l languages lb lbs \
    liter liters litre litres lm locations lumen lumens lux m mah mb mbps megapixel megapixels \
    members mg mhz mi mib mile miles million min mins minute minutes ml mm mn month months mp \
    mph ms mw mwh m² m³ night nights nm offices ounce ounces oz pa pages participants patients \
    pb pcs people percent person pieces pound pounds ppi ps psi px ratings readers respondents \
    responses reviews rooms rpm samples seats sec second seconds sqft sqm stars stores \
    students studies subscribers t tb tests thousand times ton tonne tonnes tons trillion um \
    units user users v visitors volt volts votes w watt watts week weeks wh words x yard yards \
    yd year years µm";

/// What is counted in Turkish, which may carry a suffix; folded.
const TURKISH_UNITS: &str = "adet ay beygir bin cm dakika derece devir değerlendirme dil dönüm firma gb gece gram gün \
    hafta hasta il ilçe inç işletme kalori kapasite kat katilimci kelime kere kez kg kilo \
    kilogram kilometre kişi kişilik km kullanici litre mağaza mb metre metrekare metreküp \
    milimetre milyar milyon misafir mm müşteri oda parça porsiyon proje puan saat saniye \
    santim santimetre sayfa taksit tb ton trilyon volt watt yaş yil yildiz yorum yüz yüzyil \
    ziyaretçi çalişan öğrenci ülke ürün üye şehir şirket şube";

/// Units, and what is counted, in German, French, Spanish, Italian, Portuguese, Dutch and Polish; folded. Words of two
/// languages are in the first.
const OTHER_UNITS: [&str; 7] = [
    "arbeitsplätze beschäftigte betriebe bewertungen cent einwohner euro filialen franken gramm grad hektar jahr \
     jahre jahren jahrhundert jahrhunderte kalorien kilogramm kilometer kilometern kilowatt kilowattstunden kunden länder \
     ländern liter litern mal meter metern milliarden milliliter millimeter millimetern millionen minute minuten mitarbeiter \
     mitarbeiterinnen mitarbeitern monat monate monaten nutzer personen plätze prozent quadratmeter schüler seiten sekunde \
     sekunden sitzplätze sprachen städte sterne sternen stück studenten studierende stunde stunden stündig tag tage tagen \
     tausend teilnehmer teilnehmern tonnen tonne uhr unternehmen woche wochen zentimeter zentimetern zimmer zoll",
    "ans an année années avis calories centimes centimètre centimètres chambres clients degrés elèves élèves employés \
     entreprises étoiles étudiants euros fois gramme grammes habitants hectares heure heures jour jours kilogrammes kilomètre \
     kilomètres kilos langues litre litres mètre mètres mille millilitres millimètres milliards millions mois pages participants \
     pays personnes places pièces salariés secondes seconde semaine semaines siècle siècles tonnes utilisateurs villes",
    "alumnos año años calorías centímetro centímetros ciudades clientes días día dólares empleados empresas estrellas estudiantes \
     euros grados gramos habitaciones habitantes hectáreas hora horas idiomas kilogramos kilómetro kilómetros kilos litro \
     litros mes meses metro metros miles mil milímetros millones minuto minutos opiniones países páginas participantes \
     personas piezas plazas reseñas segundo segundos semana semanas siglo siglos toneladas usuarios veces",
    "abitanti alunni anni anno aziende calorie camere centimetri chili chilogrammi chilometri chilometro città clienti dipendenti \
     dollari ettari giorni giorno gradi grammi lingue litri litro mese mesi metri metro miliardi milioni millimetri mila minuti \
     minuto ora ore paesi pagine partecipanti persone pezzi posti recensioni secoli secondi settimana settimane stelle \
     studenti tonnellate utenti volte",
    "alunos anos ano avaliações calorias centímetros cidades clientes colaboradores dias dia empresas estrelas estudantes funcionários \
     graus gramas hectares horas idiomas línguas lugares meses metros mês milhões minutos países pessoas peças quartos quilogramas \
     quilos quilómetros quilômetros reais segundos semanas séculos toneladas usuários utilizadores vezes",
    "beoordelingen bedrijven centimeter dag dagen deelnemers duizend eeuw eeuwen gebruikers graden gram hectare inwoners jaar jaren \
     kamers keer kilogram kilometer klanten landen leerlingen maand maanden medewerkers mensen meter miljard miljoen minuten \
     pagina procent seconden steden sterren stuks studenten talen ton uren uur weken",
    "centymetrów centymetry dni dzień euro firm godzin godziny godzinach godzinę gramów gwiazdek hektarów języków kilogramów kilogramy kilometrów \
     kilometry klientów krajów lat lata litrów litry metrów metry miast mieszkańców miejsc miesiąc miesiące miesięcy miliardów \
     milimetrów milionów miliony minut minuty opinii osób osoby pokoi pracowników procent razy rok sekund sekundy sztuk stopni \
     stron studentów tygodni tygodnie tysiące tysięcy ton uczestników uczniów użytkowników zł złotych",
];

/// Suffixes of Turkish units, folded.
const SUFFIXES: &str = "liktir dür lük tür dan den dir dur lar ler lik luk sü tan ten tir tur yü ün da de in si su \
    ta te un ya ye yi yu ü a e i u";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::fold::fold;

    #[test]
    fn units_may_carry_turkish_suffixes() {
        for word in ["kg", "liters", "yil", "yillik", "dakikada", "gündür", "kişilik", "m²"] {
            assert!(is_unit(word), "{word}");
        }
        for word in ["", "features", "ayakkabi", "yilan", "lik"] {
            assert!(!is_unit(word), "{word}");
        }
    }

    #[test]
    fn lists_are_folded() {
        for list in [UNITS, TURKISH_UNITS, SUFFIXES].into_iter().chain(OTHER_UNITS) {
            assert_eq!(fold(list), list);
        }
    }
}
