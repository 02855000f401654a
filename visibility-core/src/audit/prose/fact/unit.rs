//! Units, and what is counted.

use std::collections::BTreeSet;
use std::sync::OnceLock;

/// Whether a folded word after a number is a unit, or the name of what is counted.
pub(super) fn is_unit(word: &str) -> bool {
    static ENGLISH: OnceLock<BTreeSet<&str>> = OnceLock::new();
    static TURKISH: OnceLock<BTreeSet<&str>> = OnceLock::new();
    let english = ENGLISH.get_or_init(|| UNITS.split(' ').collect());
    let turkish = TURKISH.get_or_init(|| TURKISH_UNITS.split(' ').collect());
    let mut stems = SUFFIXES.split(' ').filter_map(|suffix| word.strip_suffix(suffix));
    english.contains(word) || turkish.contains(word) || stems.any(|stem| turkish.contains(stem))
}

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
        for list in [UNITS, TURKISH_UNITS, SUFFIXES] {
            assert_eq!(fold(list), list);
        }
    }
}
