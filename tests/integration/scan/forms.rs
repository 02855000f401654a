//! Pages with forms: those that people answer make no application, those that a program answers do.

use visibility_core::scan::surface::Surface;
use visibility_tests::site::{Reply, Site, good, good_home};

/// A good site with this in its main content.
fn with_markup(markup: &str) -> Site {
    let home = good_home("example.com").replace("</main>", &format!("{markup}</main>"));
    good("example.com").with("/", Reply::html(home))
}

fn is_app(markup: &str) -> bool {
    let snapshot = with_markup(markup).scan().expect("a snapshot");
    snapshot.profile().has(Surface::App)
}

/// Forms for a table, a room, a date with a doctor.
const BOOKINGS: [&str; 12] = [
    r#"<form action="/book" method="post"><input type="date" name="date"><input type="number" name="guests">
       <button>Find a table</button></form>"#,
    r#"<form action="/reservation" id="reservation"><input name="day"><input name="people"><button>Book now</button>
       </form>"#,
    r#"<form action="/rezervasyon"><input type="date" name="giris"><input type="date" name="cikis">
       <select name="kisi"><option>2</option></select><button>Rezervasyon yap</button></form>"#,
    r#"<form action="/randevu"><input name="ad"><input name="gun"><button>Randevu al</button></form>"#,
    r#"<form action="/buchung"><input type="date" name="anreise"><input type="date" name="abreise">
       <button>Zimmer buchen</button></form>"#,
    r#"<form action="/reserver"><input type="date" name="arrivee"><input name="voyageurs"><button>Réserver</button>
       </form>"#,
    r#"<form action="/reservar"><input type="date" name="entrada"><input name="personas"><button>Reservar</button>
       </form>"#,
    r#"<form action="/prenota"><input type="date" name="data"><button>Prenota un tavolo</button></form>"#,
    r#"<form action="/yoyaku"><input type="date" name="hi"><input name="ninzu"><button>予約する</button></form>"#,
    r#"<form action="/预订"><input type="date" name="日期"><button>预订</button></form>"#,
    r#"<form action="/booking"><input name="meno"><input name="termin"><button>Objednať sa</button></form>"#,
    r#"<form class="checkin booking-widget"><input type="date" name="from"><input type="date" name="to">
       <input type="hidden" name="hotel"><button>Check availability</button></form>"#,
];

const SEARCHES: [&str; 7] = [
    r#"<form role="search" action="/search"><input type="search" name="q"><button>Search</button></form>"#,
    r#"<form action="/ara"><input name="kelime"><button>Ara</button></form>"#,
    r#"<form action="/suche"><input name="begriff"><button>Suchen</button></form>"#,
    r#"<form action="/flights"><input name="from"><input name="to"><input type="date" name="day">
       <button>Search flights</button></form>"#,
    r#"<form action="/ucak-bileti"><input name="nereden"><input name="nereye"><button>Bilet ara</button></form>"#,
    r#"<form action="/buscar"><input name="texto"><select name="zona"><option>Norte</option></select>
       <button>Buscar</button></form>"#,
    r#"<form action="/поиск"><input name="запрос"><button>Найти</button></form>"#,
];

const LETTERS: [&str; 9] = [
    r#"<form action="/contact"><input name="name"><input type="email" name="email">
       <textarea name="message"></textarea><button>Send</button></form>"#,
    r#"<form action="/iletisim"><input name="isim"><input name="konu"><textarea name="mesaj"></textarea>
       <button>Gönder</button></form>"#,
    r#"<form action="/kontakt"><input name="a"><input name="b"><input name="c"><button>Absenden</button></form>"#,
    r#"<form action="/quote"><input name="company"><input type="tel" name="phone"><input type="file" name="drawing">
       <button>Request a quote</button></form>"#,
    r#"<form action="/careers/apply"><input name="fullname"><input type="file" name="cv"><button>Apply</button></form>"#,
    r#"<form action="/basvuru"><input name="ad"><input type="file" name="ozgecmis"><button>Başvur</button></form>"#,
    r#"<form action="/お問い合わせ"><input name="名前"><textarea name="内容"></textarea><button>送信</button></form>"#,
    r#"<form action="/contact-us"><input name="subject"><textarea name="body"></textarea>
       <button>Report a problem with sign in</button></form>"#,
    r#"<form action="/تواصل"><input name="الاسم"><textarea name="الرسالة"></textarea><button>إرسال</button></form>"#,
];

const NEWSLETTERS: [&str; 5] = [
    r#"<form action="/newsletter"><input type="email" name="email"><button>Subscribe</button></form>"#,
    r#"<form action="/bulten"><input name="adres"><button>Abone ol</button></form>"#,
    r#"<form action="/rundbrief"><input type="text" name="mail"><button>Anmelden</button></form>"#,
    r#"<form action="/infolettre"><input type="email" name="courriel"><button>S'abonner</button></form>"#,
    r#"<form action="/subscribe"><input type="email" name="e"><input type="checkbox" name="ok"><button>購読</button>
       </form>"#,
];

#[test]
fn a_form_that_people_answer_makes_no_app() {
    let forms = BOOKINGS.iter().chain(&SEARCHES).chain(&LETTERS).chain(&NEWSLETTERS);
    let mut count = 0;
    for form in forms {
        assert!(!is_app(form), "{form}");
        count += 1;
    }
    assert!(count >= 30, "{count}");
}

#[test]
fn a_form_that_a_program_answers_makes_one() {
    let booking = BOOKINGS[0].replace("Find a table", "Book now");
    for form in [
        r#"<form action="/session"><input type="email" name="email"><input type="password" name="password">
           <button>Continue</button></form>"#,
        r#"<form action="/oturum"><input name="eposta"><button>Giriş yap</button></form>"#,
        r#"<form action="/konto"><input name="kennung"><input type="password" name="kennwort"></form>"#,
        r#"<form action="/convert"><input type="file" name="f"><select name="to"><option>PDF</option></select></form>"#,
        &format!(r#"<a href="/account">My account</a>{booking}"#),
        &format!(r#"<a href="/mitglieder">Mein Konto</a>{booking}"#),
        &format!(r#"<a href="/developers">API for partners</a>{booking}"#),
    ] {
        assert!(is_app(form), "{form}");
    }
}
