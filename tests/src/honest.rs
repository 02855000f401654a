//! Small pages whose subject is what a dead page says: vendors of consent banners, age checks, maintenance firms, brokers of
//! domains, and shops under a dialog. All have something to read.
//!
//! They were written before the rules that tell such pages apart. The second half of [`PAGES`] was looked at once, after
//! the rules were done.

use crate::site::{Reply, Site};

/// The host of these pages.
pub const HOST: &str = "brass-hinge.com";

/// A page with something to read.
#[derive(Clone, Copy, Debug)]
pub struct HonestPage {
    /// Its name in test output.
    pub name: &'static str,
    /// The language of its text.
    pub lang: &'static str,
    /// Its title.
    pub title: &'static str,
    /// The HTML of its body.
    pub body: &'static str,
}

impl HonestPage {
    /// A site with this home page, which has so many links into the site.
    pub fn site(&self, links: usize) -> Site {
        let words = ["services", "prices", "team", "history", "questions", "directions"];
        let words = words.iter().cycle().take(links).enumerate();
        let items = words.map(|(n, word)| format!("<li><a href=\"/{word}-{n}\">{word}</a></li>"));
        let items: String = items.collect();
        let html = format!(
            "<!doctype html><html lang=\"{}\"><head><meta charset=\"utf-8\"><title>{}</title></head>\
             <body><ul>{items}</ul>{}</body></html>",
            self.lang, self.title, self.body
        );
        Site::new(HOST).with("/", Reply::html(html))
    }
}

const fn page(
    name: &'static str,
    lang: &'static str,
    title: &'static str,
    body: &'static str,
) -> HonestPage {
    HonestPage { name, lang, title, body }
}

/// A banner of consent in a container that many sites have.
macro_rules! cookiebot {
    () => {
        "<div id=\"CybotCookiebotDialog\"><h2>This website uses cookies</h2><p>We use cookies to personalise content and \
         ads, to provide social media features and to analyse our traffic. We also share information about your use \
         of our site with our social media, advertising and analytics partners who may combine it with other \
         information that you have provided to them or that they have collected from your use of their services.</p>\
         <p>Necessary cookies help make a website usable by enabling basic functions like page navigation and access \
         to secure areas of the website. The website cannot function properly without these cookies. Preference \
         cookies enable a website to remember information that changes the way the website behaves or looks, like \
         your preferred language or the region that you are in. Statistic cookies help website owners to understand \
         how visitors interact with websites by collecting and reporting information anonymously. Marketing cookies \
         are used to track visitors across websites.</p><button>Allow all</button><button>Deny</button>\
         <button>Customize</button></div>"
    };
}

/// The pages, fifteen for the rules and fifteen that were put aside.
pub const PAGES: [HonestPage; 30] = [
    page(
        "a vendor of consent tools",
        "en",
        "Consentry: cookie consent for small teams",
        "<h1>Cookie consent that lawyers sign off</h1><p>Consentry shows your visitors a banner before the first tracker \
         loads, and keeps a record of what each of them chose. It finds the cookies of your site every night, sorts \
         them into necessary, statistics and marketing, and asks again when something new appears.</p><p>You paste one \
         line into the head of your pages. Visitors accept all, reject all or choose one by one, and they can \
         withdraw consent at any time with the small button in the corner. We store consent in Frankfurt for five \
         years, because that is how long authorities may ask for it.</p><p>A site with up to ten thousand visits a \
         month costs 9 euros. Agencies get a panel for all their clients, and an invoice for each of them.</p>",
    ),
    page(
        "a privacy lawyer",
        "en",
        "Harriet Crane, privacy and cookie law",
        "<h1>Do you need consent for cookies?</h1><p>Most of my clients come with a letter in their hand. A visitor, or \
         a competitor, has complained that the shop sets cookies before anyone has agreed. I read the letter, look at \
         the site, and tell you within two days whether the claim is good.</p><p>Often the banner is the problem: a \
         choice to accept cookies that has no equal choice to refuse is no consent. I have argued eleven such cases \
         in Leeds and York since 2019 and settled most of the others. The first half hour costs nothing.</p>",
    ),
    page(
        "an article about the page of nginx",
        "en",
        "Welcome to nginx! What the page means",
        "<h1>Welcome to nginx!</h1><p>You typed your domain and got this page instead of your shop. Nothing is broken. \
         The web server runs, and it has found no site for the name that you typed, so that it shows the default page \
         which came with the package.</p><p>Look into /etc/nginx/sites-enabled first. If only the file named default is \
         there, your own configuration was never linked. Create the link, run nginx -t, and reload. On a rented \
         server the control panel does the same when you add a domain, and it may take a quarter of an hour.</p>",
    ),
    page(
        "a firm for the maintenance of lifts",
        "en",
        "Scheduled maintenance for lifts | Upton Lifts",
        "<h1>Scheduled maintenance for lifts</h1><p>A lift that stops between two floors has usually said so for weeks \
         before. Our fitters come four times a year, listen to the motor, measure the brake and replace the rollers \
         before they squeal.</p><p>While a lift is under maintenance, we hang up a notice with the hour at which it \
         will be back online, and we keep to it. We look after 640 lifts between Bath and Swindon, from goods hoists \
         to the glass cabin of the museum.</p>",
    ),
    page(
        "a broker of domains",
        "en",
        "Names & Sons, brokers of domain names",
        "<h1>We sell names that are taken</h1><p>The name that you want has an owner, and the page behind it says that \
         this domain is for sale, or says nothing at all. We find out who that is, what they paid, and what they \
         would take. In nine of ten cases we never mention your company.</p><p>For sellers we do the same from the \
         other side: an estimate by two people who have done this since 2004, a page with a telephone number that \
         someone answers, and the transfer with an escrow account. Our fee is a tenth of the price.</p>",
    ),
    page(
        "a bakery under a dialog",
        "en",
        "Bakery at the Mill",
        concat!(
            cookiebot!(),
            "<nav><a href=\"/bread\">Bread</a> <a href=\"/cakes\">Cakes</a> <a href=\"/find-us\">Find us</a></nav>\
             <main><h1>Bakery at the Mill</h1><p>Sourdough, rye and spelt, baked at four in the morning in the old \
             mill of Totnes. We open at seven and close when the shelves are empty, which is around noon. Order \
             cakes two days ahead by telephone: 01803 555 014.</p></main>"
        ),
    ),
    page(
        "a check of ages for shops",
        "en",
        "AgeGate Plus: are you over 18?",
        "<h1>Are you over 18? Ask it so that it counts</h1><p>A button that says yes is no check. Since last summer a \
         shop for wine or knives has to know, and a photograph of a passport is more than most customers want to \
         send.</p><p>We ask the bank. Your customer is sent to their own bank, confirms there that they are of legal \
         age, and comes back with a yes and nothing else: no name, no date of birth. It takes eleven seconds on \
         average and costs you 12 pence, which the shop pays only if the answer is yes.</p>",
    ),
    page(
        "a guide to captchas",
        "en",
        "Verify you are human: a short guide",
        "<h1>Why sites ask whether you are human</h1><p>A man wrote a program that buys all tickets within a second \
         of their release. The theatre put up a puzzle, and since then you have to say which pictures show a \
         bicycle.</p><p>Puzzles keep out the blind and let in the programs that are paid for. If your own site needs \
         one, start with a limit for each address and a field that people do not see. Only if that fails, ask \
         visitors to verify that they are human, and only on the page where it matters.</p>",
    ),
    page(
        "eine Datenschutzkanzlei",
        "de",
        "Kanzlei Moser: Datenschutz und Cookies",
        "<h1>Cookie-Banner, die vor Gericht halten</h1><p>Wir verwenden Cookies, steht auf fast jeder Seite, und fast \
         immer fehlt, wofür. Ich prüfe Ihren Banner gegen die Urteile der letzten zwei Jahre und schreibe auf, was \
         geändert werden muss, in einer Liste, die Ihre Agentur ohne Rückfrage abarbeiten kann.</p><p>Die Prüfung \
         kostet 480 Euro für eine Seite in einer Sprache. Wird danach abgemahnt, vertrete ich Sie ohne weiteres \
         Honorar. Die Einwilligung Ihrer Besucher muss freiwillig sein, und das lässt sich einrichten, ohne dass Sie \
         die Hälfte Ihrer Zahlen verlieren.</p>",
    ),
    page(
        "eine Hausverwaltung mit Wartungsarbeiten",
        "de",
        "Wartungsarbeiten und Hausmeister in Bremen",
        "<h1>Wartungsarbeiten, über die niemand klagt</h1><p>Heizung, Lüftung, Rolltore: Wir warten, was in Ihrem Haus \
         läuft, und sagen den Mietern zwei Wochen vorher Bescheid. Jede Anlage hat ein Heft, in dem steht, wer wann \
         was getan hat.</p><p>Wenn eine Anlage wegen Wartungsarbeiten vorübergehend nicht erreichbar ist, steht am \
         Eingang die Nummer unseres Meisters. Er hebt ab. Seit 1988 betreuen wir 210 Häuser in Bremen und Delmenhorst, \
         die meisten davon seit mehr als zehn Jahren.</p>",
    ),
    page(
        "eine Bäckerei unter einem Dialog",
        "de",
        "Bäckerei Anton",
        "<dialog open><h2>Wir verwenden Cookies</h2><p>Wir und unsere Partner speichern Informationen auf Ihrem Gerät, um \
         Inhalte zu personalisieren, die Nutzung zu messen und Werbung zu zeigen. Sie können Ihre Einwilligung \
         jederzeit widerrufen. Einige Partner verarbeiten Ihre Daten aufgrund eines berechtigten Interesses, dem Sie \
         widersprechen können.</p><button>Alle akzeptieren</button><button>Ablehnen</button></dialog><main><h1>Bäckerei \
         Anton</h1><p>Roggenbrot, Semmeln und am Samstag Mohnstrudel. Wir backen in der Neugasse 4 in Krems und haben \
         ab halb sechs offen. Bestellungen für Feste nehmen wir bis Donnerstag unter 02732 555 21 an. Sonntag ist \
         Ruhetag, und im August sind wir in den Bergen.</p></main>",
    ),
    page(
        "eine Galerie im Aufbau",
        "de",
        "Galerie Lindholm, im Aufbau",
        "<h1>Eine Galerie im Aufbau</h1><p>Hier entsteht seit März ein Raum für Holzschnitt. Die alte Druckerei in der \
         Feldgasse war leer, als wir sie fanden, und die Pressen standen noch da. Wir haben sie geputzt, und sie \
         drucken wieder.</p><p>Am 3. Oktober eröffnen wir mit Blättern von sieben Druckerinnen aus Graz und Ljubljana. \
         Bis dahin ist die Werkstatt an jedem Freitag von drei bis acht offen, und wer mag, druckt selbst ein Blatt.</p>",
    ),
    page(
        "bir asansör bakım firması",
        "tr",
        "Planlı bakım | Yıldız Asansör",
        "<h1>Asansörde planlı bakım</h1><p>Bakım çalışması yapılırken asansör en çok bir saat durur. Ekibimiz yılda dört \
         kez gelir, motoru dinler, freni ölçer, ses çıkaran makaraları değiştirir ve yapılan her işi kapıdaki \
         deftere yazar.</p><p>Bursa ve İnegöl’de 380 apartmana bakıyoruz. Arıza olursa gece gündüz telefonu açan \
         bir ustamız var; kırk dakika içinde kapınızdayız. Yıllık sözleşme iki asansörlü bir bina için 14.400 \
         liradır.</p>",
    ),
    page(
        "bir çerez danışmanı",
        "tr",
        "Çerez izni danışmanlığı",
        "<h1>Çerezler için izin nasıl alınır?</h1><p>Sitemizde çerez kullanıyoruz yazmak yetmez. Ziyaretçi reddetmeyi \
         kabul etmek kadar kolay bulmalı, ve seçimini sonradan değiştirebilmelidir. Kurul son iki yılda bu yüzden \
         on dokuz siteye ceza verdi.</p><p>Sitenizi bir günde inceliyor, hangi çerezin neden kurulduğunu bir tabloya \
         yazıyoruz. Metinleri ajansınız için hazırlıyor, kurulduktan sonra bir kez daha bakıyoruz. Bir dil için \
         ücret 6.500 liradır.</p>",
    ),
    page(
        "una correduría de dominios",
        "es",
        "Nombres Pardo: compra y venta de dominios",
        "<h1>Compramos el nombre que usted quiere</h1><p>Muchas páginas solo dicen que este dominio está en venta, y \
         nadie contesta al teléfono. Nosotros buscamos al dueño, le preguntamos qué quiere, y le decimos a usted si el \
         precio es razonable. Trabajamos así desde 2007.</p><p>Si quiere vender, tasamos el nombre en dos días y \
         cobramos un décimo del precio, solo cuando el comprador ha pagado. El traspaso lo hace un notario de \
         Zaragoza que conoce el oficio.</p>",
    ),
    // The half that was put aside.
    page(
        "a status page as a service",
        "en",
        "Upsilon: tell customers when you will be back",
        "<h1>We'll be back soon, said properly</h1><p>When your shop is temporarily unavailable, people want to know two \
         things: whether you know, and when it ends. Upsilon puts a page on a server far from yours, which your \
         monitoring switches on by itself.</p><p>The text is yours, the hour is counted down, and every visitor who leaves an \
         address gets one message when the shop is back online. Three people in Cork run it, and the page has been \
         up since May 2016 without a minute of downtime.</p>",
    ),
    page(
        "a museum of parked domains",
        "en",
        "Parked: a museum of domain pages",
        "<h1>This domain is parked</h1><p>Between 1998 and 2012 millions of names led to the same few pages: a stock photo \
         of a student with a backpack, ten links, and a line that the domain may be for sale. We have kept 4,100 of \
         them.</p><p>Each has a card with the name, the year, the company that served it and what the name became. A \
         third were never used for anything. The collection is open by appointment in Utrecht, and school classes \
         like it more than we had expected.</p>",
    ),
    page(
        "a restaurant under a dialog of its own",
        "en",
        "The Heron, Whitby",
        "<div role=\"dialog\" aria-modal=\"true\"><p>We value your privacy. We and our 412 partners store and access \
         information on a device, such as cookies, and process personal data, such as unique identifiers, for \
         personalised advertising and content, advertising and content measurement, audience research and services \
         development. With your permission we may use precise geolocation data. You may click to consent, or to \
         refuse, and change your choice at any time.</p><button>Accept all</button> <button>More options</button></div>\
         <h1>The Heron</h1><p>Fish from the boats that you see through the window. Lunch from twelve, dinner from six, \
         closed on Tuesdays. Eight tables, so please ring 01947 555 832 before you come. Crab soup, 9 pounds; whole \
         plaice, 18 pounds.</p>",
    ),
    page(
        "a winery that asks for ages",
        "en",
        "Stonefield Wines",
        "<h1>Stonefield Wines</h1><p>We grow Bacchus and Pinot on eleven acres of chalk above Lewes, pick by hand, and \
         press within the hour. The 2024 Bacchus is dry and smells of elderflower; there are 2,300 bottles of it.</p>\
         <p>You must be over 18 to buy, and the driver asks for a card at the door. Tastings on Saturdays at three, 15 \
         pounds with cheese.</p>",
    ),
    page(
        "a host of small sites",
        "en",
        "Pantry Hosting: web hosting from a barn",
        "<h1>Web hosting from a barn in Devon</h1><p>Your site lives on a web server that we can touch. You get FTP, a \
         control panel that we wrote ourselves, and a person who answers. Upload your files to public_html, replace \
         index.html, and it is there.</p><p>No account is suspended without a telephone call. We host 900 sites, most \
         of them choirs, potters and one lighthouse. A small one costs 40 pounds a year, name servers and a \
         certificate included, and you may leave whenever you like.</p>",
    ),
    page(
        "a studio for pages of construction sites",
        "en",
        "Under construction: photographs of building sites",
        "<h1>Under construction</h1><p>I photograph buildings while they are built. A crane at six in the morning, the \
         second floor without walls, the people who pour concrete and never see the flat they made. Builders use the \
         pictures as proof, and some hang them in the hall.</p><p>A day costs 650 pounds with forty finished pictures. \
         I have a helmet, an insurance, and a drone for which I hold the licence. Next free week: the second of May.</p>",
    ),
    page(
        "ein Anbieter von Altersprüfung",
        "de",
        "Altersprüfung für Automaten",
        "<h1>Sind Sie über 18? Der Automat fragt nicht mehr</h1><p>Unsere Leser stecken in 3.200 Zigarettenautomaten und \
         lesen Ausweis, Führerschein und Bankkarte. Gespeichert wird nichts, geprüft wird nur das Jahr der Geburt, \
         und nach zwei Sekunden ist das Fach offen.</p><p>Der Einbau dauert eine halbe Stunde. Wir beliefern \
         Aufsteller in Deutschland und Österreich, tauschen defekte Geräte innerhalb von drei Tagen, und die \
         Zulassung nach dem Jugendschutzgesetz liegt jedem Gerät bei.</p>",
    ),
    page(
        "ein Laden für Wartungsverträge",
        "de",
        "Webseiten-Wartung Nord",
        "<h1>Wartung für Webseiten</h1><p>Ihre Seite ist in Wartung, und niemand weiß, warum? Wir spielen Updates am \
         Dienstag um fünf Uhr früh ein, prüfen danach Kasse, Formulare und Suche, und schreiben Ihnen, was sich \
         geändert hat.</p><p>Geht etwas schief, ist in zehn Minuten der alte Stand zurück. 49 Euro im Monat für eine \
         Seite, ohne Laufzeit. Wir sitzen in Husum und sprechen auch Dänisch.</p>",
    ),
    page(
        "eine Kellerei mit Hinweis",
        "de",
        "Weingut Prager Leitner",
        "<div id=\"usercentrics-root\"><p>Diese Website verwendet Cookies und vergleichbare Funktionen zur Verarbeitung \
         von Endgeräteinformationen und personenbezogenen Daten. Die Verarbeitung dient der Einbindung von Inhalten, \
         externen Diensten und der statistischen Messung. Je nach Funktion werden Daten an Dritte weitergegeben.</p>\
         <button>Alle akzeptieren</button></div><h1>Weingut Prager Leitner</h1><p>Grüner Veltliner und Riesling von \
         neun Hektar Terrassen in Weißenkirchen. Ab Hof verkaufen wir von Montag bis Samstag, acht bis achtzehn Uhr, \
         und die Flasche Federspiel kostet 11 Euro. Verkostungen für Gruppen nach Anmeldung.</p>",
    ),
    page(
        "ein Ratgeber zur Fehlerseite",
        "de",
        "Seite vorübergehend nicht erreichbar: was tun?",
        "<h1>„Die Seite ist vorübergehend nicht erreichbar“</h1><p>Der Satz kommt vom Server und nicht von Ihrem Rechner. \
         Meist ist ein Dienst dahinter abgestürzt, oder jemand spielt gerade eine neue Version ein. Warten Sie fünf \
         Minuten und laden Sie neu.</p><p>Bleibt der Satz stehen, schauen Sie mit dem Telefon ohne WLAN nach. Kommt die \
         Seite dort, liegt es an Ihrem Netz: Starten Sie den Router neu. Kommt sie nicht, schreiben Sie dem \
         Betreiber, denn oft weiß er es noch nicht.</p>",
    ),
    page(
        "bir alan adı satıcısı",
        "tr",
        "Alan adı alım satımı | Adres Ofisi",
        "<h1>Alan adınızı biz satalım</h1><p>Bu alan adı satılıktır yazan bir sayfa tek başına alıcı bulmaz. Biz adı \
         kullanabilecek firmaları tek tek arar, onlara neden işlerine yarayacağını anlatırız. Geçen yıl 212 ad için \
         alıcı bulduk.</p><p>Değer biçmek ücretsizdir ve iki gün sürer. Satış olursa bedelin onda birini alırız, \
         olmazsa hiçbir şey istemeyiz. Devir işlemini İzmir’deki ofisimiz noterle birlikte yapar.</p>",
    ),
    page(
        "pencere altında bir fırın",
        "tr",
        "Taş Fırın Ayvalık",
        "<div id=\"onetrust-consent-sdk\"><p>Sitemizde çerezler kullanıyoruz. Çerezler, deneyiminizi kişiselleştirmek, \
         trafiği ölçmek ve size uygun reklamlar göstermek için kullanılır. Tüm çerezleri kabul edebilir, \
         reddedebilir ya da tercihlerinizi istediğiniz zaman değiştirebilirsiniz. Ayrıntılar aydınlatma \
         metnindedir.</p><button>Tümünü kabul et</button><button>Reddet</button></div><h1>Taş Fırın Ayvalık</h1><p>Odun \
         ateşinde ekşi mayalı ekmek, çarşamba günleri zeytinli açma. Barbaros Caddesi 12’deyiz, sabah altıda \
         açıyor, ekmek bitince kapatıyoruz. Düğün ve mevlit siparişleri için üç gün önceden arayın: 0266 555 10 \
         20. Pazar günleri kapalıyız.</p>",
    ),
    page(
        "yapım aşamasında bir köprü",
        "tr",
        "Köprü yapım aşamasında: günlük",
        "<h1>Köprü yapım aşamasında</h1><p>Çoruh üzerindeki köprünün yapımını iki yıldır her hafta aynı yerden \
         fotoğraflıyorum. Ayaklar bitti, tabliye nisanda bağlanacak. Mühendislerle ve köyde yaşayanlarla konuştum, \
         yazdıklarım burada.</p><p>En çok sorulan, eski asma köprünün ne olacağı. Kalıyor: yayalar ve keçiler için. \
         Yeni köprü açılınca ilçeye giden yol kırk dakikadan on beşe inecek, ama herkes buna sevinmiyor.</p>",
    ),
    page(
        "un abogado de cookies",
        "es",
        "Cookies y consentimiento | Bufete Arana",
        "<h1>Utilizamos cookies: ¿basta con decirlo?</h1><p>No basta. Quien visita su tienda tiene que poder rechazar \
         tan fácilmente como aceptar, y tiene que poder cambiar de idea. Revisamos su página en tres días y le \
         entregamos una lista con lo que falta, en un idioma que su informático entiende.</p><p>Si ya ha recibido una \
         reclamación, contestamos nosotros. Desde 2018 hemos llevado sesenta casos ante la Agencia, y en cuarenta no \
         hubo multa. La primera consulta en Bilbao o por teléfono es gratuita.</p>",
    ),
    page(
        "una empresa de mantenimiento",
        "es",
        "Mantenimiento programado de ascensores",
        "<h1>En mantenimiento, pero con aviso</h1><p>Cuando un ascensor está en mantenimiento, los vecinos del quinto lo \
         notan. Por eso venimos a las diez, cuando casi todos han salido, y en una hora volvemos a ponerlo en marcha. \
         Cuatro visitas al año, todas con fecha.</p><p>Cuidamos 520 ascensores en Valladolid y Palencia. La mitad \
         son más viejos que nosotros, y conservamos los planos de todos. El contrato de un edificio de seis plantas \
         cuesta 95 euros al mes.</p>",
    ),
];

/// Shops of one page whose heading is the name of their host, and which name a price.
pub const SHOPS: [HonestPage; 10] = [
    page(
        "hinges",
        "en",
        "brass-hinge.com",
        "<h1>brass-hinge.com</h1><p>Brass hinges cast in Wolverhampton, 14 pounds a pair. Made to your drawing in nine days, \
         and sent by post. Call 01902 555 018 or write to hello@brass-hinge.com.</p>",
    ),
    page(
        "candles",
        "en",
        "brass-hinge.com",
        "<h1>brass-hinge.com</h1><p>Candles of beeswax, 12 inches, $9 each. Buy five and the sixth is free.</p><p>Church \
         candles to order: $24 for the pair, with a name on them if you like.</p>",
    ),
    page(
        "bicycles",
        "en",
        "brass-hinge.com | used bicycles",
        "<h1>brass-hinge.com</h1><p>Used bicycles for sale from $120, checked by a mechanic who rides one. Open Tuesday to \
         Saturday, 10:00 to 18:30, behind the station in Hebden Bridge.</p>",
    ),
    page(
        "honey",
        "en",
        "brass-hinge.com",
        "<h1>brass-hinge.com</h1><p>At brass-hinge.com you buy honey from four hives in a garden. A jar is 8 pounds, two \
         are 15 pounds. The lime harvest is in, and there are forty jars of it.</p>",
    ),
    page(
        "Messer",
        "de",
        "brass-hinge.com",
        "<h1>brass-hinge.com</h1><p>Küchenmesser aus Solingen, geschmiedet und geschliffen, ab 89 Euro. Nachschärfen kostet \
         9 Euro. Werkstatt in der Kölner Straße 14, Telefon 0212 555 0143.</p>",
    ),
    page(
        "Brennholz",
        "de",
        "brass-hinge.com",
        "<h1>brass-hinge.com</h1><p>Brennholz kaufen bei brass-hinge.com: Buche, zwei Jahre trocken, 130 Euro der \
         Raummeter, Fichte 85 Euro. Wir liefern im Umkreis von dreißig Kilometern um Murnau.</p>",
    ),
    page(
        "zeytin",
        "tr",
        "brass-hinge.com",
        "<h1>brass-hinge.com</h1><p>Edremit’ten soğuk sıkım zeytinyağı, beş litre 2.400 TL. Satın almak için 0266 555 12 34 \
         numarasını arayın; kargo iki günde gelir.</p>",
    ),
    page(
        "halı",
        "tr",
        "brass-hinge.com",
        "<h1>brass-hinge.com</h1><p>Elde dokunmuş kilimler, 3.500 TL’den başlayan fiyatlarla. Küçük boy 3.500 TL, büyük boy \
         9.000 TL. Dükkânımız her gün 09.00 ile 19.00 arasında açık.</p>",
    ),
    page(
        "quesos",
        "es",
        "brass-hinge.com",
        "<h1>brass-hinge.com</h1><p>Queso de oveja curado en cueva, en venta desde 18 euros la pieza. Abierto de 10:00 a \
         14:00 en la plaza de Trujillo. Se envía en nevera a toda España.</p>",
    ),
    page(
        "guitarras",
        "es",
        "brass-hinge.com",
        "<h1>brass-hinge.com</h1><p>Guitarras de ciprés hechas a mano. La de estudio cuesta 640 euros y la de concierto 2.900 \
         euros. Se puede comprar a plazos, y probarlas antes en el taller de Granada.</p>",
    ),
];
