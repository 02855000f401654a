//! Short pages of ten kinds in five languages, with what must be found in them.

/// What a page is.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Kind {
    /// One thing to buy.
    Product,
    /// How to cook a dish.
    Recipe,
    /// A report.
    News,
    /// How to use a program.
    Documentation,
    /// A topic with its answers, in `noscript`.
    Forum,
    /// Jobs, as links.
    Listing,
    /// Things to buy, as links.
    Collection,
    /// What a company does, in widgets.
    Service,
    /// A place to stay.
    Hotel,
    /// A personal story.
    Blog,
}

/// A page.
#[derive(Clone, Copy, Debug)]
pub struct LanguagePage {
    /// Its language tag.
    pub lang: &'static str,
    /// What it is.
    pub kind: Kind,
    /// Its title and heading.
    pub title: &'static str,
    /// Sentences of the main content, in order.
    pub sentences: [&'static str; 3],
}

/// Pages of one language: navigation, footer, and title with three sentences for each kind.
type Row = (Kind, &'static str, [&'static str; 3]);

const CHROME: [(&str, &str, &str); 5] = [
    ("zh", "首页 产品 联系我们", "版权所有"),
    ("ja", "ホーム 商品一覧 お問い合わせ", "無断転載を禁じます"),
    ("th", "หน้าแรก สินค้า ติดต่อเรา", "สงวนลิขสิทธิ์"),
    ("de", "Startseite Produkte Kontakt", "Impressum Datenschutz"),
    ("tr", "Ana sayfa Ürünler İletişim", "Gizlilik Künye"),
];

/// All of them, ten for each language.
pub fn languages() -> impl Iterator<Item = LanguagePage> {
    let rows =
        [("zh", &CHINESE), ("ja", &JAPANESE), ("th", &THAI), ("de", &GERMAN), ("tr", &TURKISH)];
    rows.into_iter().flat_map(|(lang, rows)| {
        rows.iter().map(move |(kind, title, sentences)| LanguagePage {
            lang,
            kind: *kind,
            title,
            sentences: *sentences,
        })
    })
}

impl LanguagePage {
    /// The page as its site would serve it: each kind has its own markup.
    pub fn html(&self) -> String {
        let Self { lang, title, sentences: [first, second, third], .. } = self;
        let (_, nav, footer) = CHROME.iter().find(|row| row.0 == *lang).unwrap_or(&CHROME[0]);
        let body = match self.kind {
            Kind::Product | Kind::Hotel => format!(
                "<main><h1>{title}</h1><div class=description><p>{first}</p><ul><li>{second}</li>\
                 <li>{third}</li></ul></div></main>"
            ),
            Kind::Recipe | Kind::News | Kind::Blog => format!(
                "<article><h1>{title}</h1><p>{first}</p><p>{second}</p><blockquote><p>{third}</p>\
                 </blockquote></article>"
            ),
            Kind::Documentation => format!(
                "<main><h1>{title}</h1><p>{first}</p><dl><dt>A<dd>{second}</dl><p>{third}</main>"
            ),
            Kind::Forum => format!(
                "<div id=app></div><script src=/app.js></script><noscript><h1>{title}</h1>\
                 <div class=post>{first}</div><div class=post>{second}</div><div class=post>{third}</div>\
                 </noscript>"
            ),
            Kind::Listing | Kind::Collection => format!(
                "<main><h1>{title}</h1><ul><li><a href=/1>{first}</a><li><a href=/2>{second}</a>\
                 <li><a href=/3>{third}</a></ul></main>"
            ),
            Kind::Service => format!(
                "<h1>{title}</h1><div class='so-panel widget'><p>{first}</p></div>\
                 <div class='so-panel widget'><p>{second}</p></div><div class='so-panel widget'><p>{third}</p></div>"
            ),
        };
        format!(
            "<!doctype html><html lang={lang}><head><meta charset=utf-8><title>{title}</title></head>\
             <body><nav><a href=/>{nav}</a></nav>{body}<footer>{footer}</footer></body></html>"
        )
    }
}

const CHINESE: [Row; 10] = [
    (
        Kind::Product,
        "家用意式咖啡机 Aero 3",
        [
            "这台咖啡机只需二十五秒即可加热，重量为4.2千克。",
            "售价1299元，全国包邮。",
            "发布日期：2026年11月1日。",
        ],
    ),
    (
        Kind::Recipe,
        "番茄炒蛋的家常做法",
        [
            "先把三个鸡蛋打散，加入少许盐。",
            "番茄切块，用中火翻炒五分钟。",
            "最后撒上葱花，趁热食用。",
        ],
    ),
    (
        Kind::News,
        "城市图书馆延长周末开放时间",
        [
            "市图书馆宣布，从下个月起周末开放到晚上十点。",
            "馆长表示，去年有三十万人次到馆阅读。",
            "“读者希望下班后也能来学习。”她说。",
        ],
    ),
    (
        Kind::Documentation,
        "如何安装命令行工具",
        [
            "请先下载最新版本的安装包。",
            "该选项指定输出文件的路径。",
            "安装完成后，在终端中运行帮助命令。",
        ],
    ),
    (
        Kind::Forum,
        "冬天阳台上的植物怎么养？",
        [
            "我的绿萝叶子发黄了，应该怎么办？",
            "冬天要少浇水，每两周一次就够了。",
            "谢谢，我搬到室内以后好多了！",
        ],
    ),
    (
        Kind::Listing,
        "上海招聘信息",
        [
            "前端工程师，三年以上经验，月薪两万元。",
            "仓库管理员，提供住宿和工作餐。",
            "幼儿园教师，要求持有教师资格证。",
        ],
    ),
    (
        Kind::Collection,
        "实木餐椅系列",
        [
            "橡木餐椅，承重一百二十千克，售价399元。",
            "胡桃木餐椅，带软垫，售价599元。",
            "榉木儿童椅，高度可调，售价299元。",
        ],
    ),
    (
        Kind::Service,
        "上门维修自行车",
        [
            "我们当天上门检修刹车、链条和轮胎。",
            "基础保养八十元，不收上门费。",
            "请填写地址和电话预约时间。",
        ],
    ),
    (
        Kind::Hotel,
        "湖边的小客栈与早餐",
        [
            "客栈有十二间面向湖水的房间。",
            "早餐包含豆浆、油条和新鲜水果。",
            "步行五分钟即可到达码头。",
        ],
    ),
    (
        Kind::Blog,
        "我为什么改骑车上班",
        [
            "去年春天，我卖掉了开了八年的汽车。",
            "每天骑行四十分钟，身体比以前好多了。",
            "一年下来，我省下了一万多元。",
        ],
    ),
];

const JAPANESE: [Row; 10] = [
    (
        Kind::Product,
        "小型エスプレッソマシン",
        [
            "このマシンは二十五秒で温まり、重さは4.2キログラムです。",
            "価格は税込み5,500円、送料は無料です。",
            "発売日は2026年11月1日です。",
        ],
    ),
    (
        Kind::Recipe,
        "基本の肉じゃがの作り方",
        [
            "じゃがいもは皮をむいて、四つに切ります。",
            "中火で牛肉を炒め、色が変わったら水を加えます。",
            "落としぶたをして、十五分ほど煮込みます。",
        ],
    ),
    (
        Kind::News,
        "市立図書館、夜間の開館を始める",
        [
            "市立図書館は来月から、平日の閉館時間を午後九時に延ばす。",
            "昨年度の利用者は三十万人を超えた。",
            "「仕事の後にも使ってほしい」と館長は話した。",
        ],
    ),
    (
        Kind::Documentation,
        "コマンドラインツールの導入",
        [
            "最初に、最新版の配布ファイルを取得してください。",
            "出力先のパスを指定します。",
            "導入が終わったら、ヘルプを表示して確認します。",
        ],
    ),
    (
        Kind::Forum,
        "冬のベランダで植物を育てるには？",
        [
            "葉が黄色くなってきたのですが、どうすればよいですか？",
            "冬は水やりを減らして、二週間に一度で十分です。",
            "室内に移したら元気になりました。ありがとうございます！",
        ],
    ),
    (
        Kind::Listing,
        "東京の求人一覧",
        [
            "ウェブ開発者、経験三年以上、月給四十万円。",
            "倉庫管理の担当者、寮と食事つき。",
            "保育士、資格をお持ちの方を募集しています。",
        ],
    ),
    (
        Kind::Collection,
        "無垢材のダイニングチェア",
        [
            "オークの椅子、耐荷重百二十キログラム、18,000円。",
            "ウォルナットの椅子、クッションつき、24,000円。",
            "ブナの子ども椅子、高さの調節ができます。",
        ],
    ),
    (
        Kind::Service,
        "自転車の出張修理",
        [
            "ブレーキ、チェーン、タイヤを当日に点検します。",
            "基本の整備は三千円で、出張費はかかりません。",
            "住所と電話番号を入力して予約してください。",
        ],
    ),
    (
        Kind::Hotel,
        "湖のほとりの宿",
        [
            "湖に面した十二の客室があります。",
            "朝食は地元の野菜と焼き魚です。",
            "船着き場までは歩いて五分です。",
        ],
    ),
    (
        Kind::Blog,
        "自転車通勤に変えた理由",
        [
            "昨年の春、八年間乗った車を手放しました。",
            "毎日四十分走るうちに、体の調子がよくなりました。",
            "一年で二十万円ほど節約できました。",
        ],
    ),
];

const THAI: [Row; 10] = [
    (
        Kind::Product,
        "เครื่องชงกาแฟขนาดเล็ก",
        [
            "เครื่องนี้ร้อนภายในยี่สิบห้าวินาทีและหนัก 4.2 กิโลกรัม",
            "ราคา 4,990 บาท รวมค่าจัดส่งแล้ว",
            "วางจำหน่ายวันที่ 1 พฤศจิกายน 2569",
        ],
    ),
    (
        Kind::Recipe,
        "วิธีทำต้มยำกุ้งแบบง่าย",
        [
            "ต้มน้ำให้เดือดแล้วใส่ข่า ตะไคร้ และใบมะกรูด",
            "ใส่กุ้งแล้วต้มต่อประมาณสามนาที",
            "ปรุงรสด้วยน้ำปลา มะนาว และพริก",
        ],
    ),
    (
        Kind::News,
        "หอสมุดเมืองขยายเวลาเปิดวันหยุด",
        [
            "หอสมุดประกาศเปิดถึงสี่ทุ่มในวันเสาร์และวันอาทิตย์",
            "ปีที่แล้วมีผู้ใช้บริการมากกว่าสามแสนคน",
            "ผู้อำนวยการกล่าวว่าผู้อ่านต้องการมาหลังเลิกงาน",
        ],
    ),
    (
        Kind::Documentation,
        "การติดตั้งเครื่องมือบรรทัดคำสั่ง",
        ["ดาวน์โหลดไฟล์ติดตั้งรุ่นล่าสุดก่อน", "กำหนดที่อยู่ของไฟล์ผลลัพธ์", "เมื่อติดตั้งเสร็จแล้วให้เรียกคำสั่งช่วยเหลือ"],
    ),
    (
        Kind::Forum,
        "ปลูกต้นไม้บนระเบียงหน้าหนาวอย่างไร",
        [
            "ใบของต้นไม้เริ่มเหลือง ควรทำอย่างไรดี",
            "หน้าหนาวควรรดน้ำน้อยลง สองสัปดาห์ครั้งก็พอ",
            "ย้ายเข้ามาในบ้านแล้วดีขึ้นมาก ขอบคุณครับ",
        ],
    ),
    (
        Kind::Listing,
        "ตำแหน่งงานในเชียงใหม่",
        [
            "นักพัฒนาเว็บไซต์ ประสบการณ์สามปีขึ้นไป",
            "พนักงานคลังสินค้า มีที่พักและอาหาร",
            "ครูอนุบาล ต้องมีใบประกอบวิชาชีพ",
        ],
    ),
    (
        Kind::Collection,
        "เก้าอี้ไม้สำหรับโต๊ะอาหาร",
        ["เก้าอี้ไม้โอ๊ก รับน้ำหนักได้หนึ่งร้อยยี่สิบกิโลกรัม", "เก้าอี้ไม้วอลนัต พร้อมเบาะนุ่ม", "เก้าอี้เด็กไม้บีช ปรับความสูงได้"],
    ),
    (
        Kind::Service,
        "ซ่อมจักรยานถึงบ้าน",
        [
            "เราตรวจเบรก โซ่ และยางให้ภายในวันเดียว",
            "ค่าบริการพื้นฐานสามร้อยบาท ไม่คิดค่าเดินทาง",
            "กรอกที่อยู่และเบอร์โทรศัพท์เพื่อจองเวลา",
        ],
    ),
    (
        Kind::Hotel,
        "ที่พักเล็กริมทะเลสาบ",
        ["มีห้องพักสิบสองห้องที่มองเห็นทะเลสาบ", "อาหารเช้ามีข้าวต้มและผลไม้สด", "เดินไปท่าเรือใช้เวลาเพียงห้านาที"],
    ),
    (
        Kind::Blog,
        "ทำไมฉันจึงปั่นจักรยานไปทำงาน",
        ["ปีที่แล้วฉันขายรถที่ใช้มาแปดปี", "ปั่นวันละสี่สิบนาทีทำให้ร่างกายแข็งแรงขึ้น", "หนึ่งปีผ่านไป ฉันประหยัดเงินได้มาก"],
    ),
];

const GERMAN: [Row; 10] = [
    (
        Kind::Product,
        "Espressomaschine für kleine Küchen",
        [
            "Die Maschine heizt in 25 Sekunden auf und wiegt 4,2 Kilogramm.",
            "Sie kostet 349,00 € einschließlich Versand.",
            "Erschienen am 1. November 2026.",
        ],
    ),
    (
        Kind::Recipe,
        "Kartoffelsalat wie bei Großmutter",
        [
            "Kochen Sie ein Kilo Kartoffeln mit der Schale.",
            "Rühren Sie Brühe, Essig und Senf zu einer Soße.",
            "Lassen Sie den Salat eine Stunde ziehen.",
        ],
    ),
    (
        Kind::News,
        "Stadtbücherei öffnet länger",
        [
            "Die Bücherei hat ab Januar bis 22 Uhr geöffnet.",
            "Im vergangenen Jahr kamen 300.000 Menschen.",
            "„Viele möchten nach der Arbeit lesen“, sagte die Leiterin.",
        ],
    ),
    (
        Kind::Documentation,
        "Das Werkzeug einrichten",
        [
            "Laden Sie zuerst das aktuelle Paket herunter.",
            "Legt fest, wohin die Ausgabe geschrieben wird.",
            "Rufen Sie danach die Hilfe auf.",
        ],
    ),
    (
        Kind::Forum,
        "Wie überwintern Pflanzen auf dem Balkon?",
        [
            "Die Blätter meiner Efeutute werden gelb, was soll ich tun?",
            "Gieße im Winter nur alle zwei Wochen.",
            "Seit sie im Zimmer steht, geht es ihr besser, danke!",
        ],
    ),
    (
        Kind::Listing,
        "Stellen in Leipzig",
        [
            "Webentwicklerin mit drei Jahren Erfahrung gesucht.",
            "Lagerist mit Unterkunft und Verpflegung gesucht.",
            "Erzieherin für eine Kita im Süden gesucht.",
        ],
    ),
    (
        Kind::Collection,
        "Esszimmerstühle aus Holz",
        [
            "Stuhl aus Eiche, trägt 120 Kilogramm, 129 €.",
            "Stuhl aus Nussbaum mit weichem Polster, 189 €.",
            "Kinderstuhl aus Buche, in der Höhe verstellbar.",
        ],
    ),
    (
        Kind::Service,
        "Fahrradreparatur vor Ort",
        [
            "Wir prüfen Bremsen, Kette und Reifen am selben Tag.",
            "Die Inspektion kostet 60 €, die Anfahrt nichts.",
            "Nennen Sie uns Anschrift und Telefonnummer.",
        ],
    ),
    (
        Kind::Hotel,
        "Kleine Pension am See",
        [
            "Alle zwölf Zimmer blicken auf den See.",
            "Zum Frühstück gibt es Brot aus dem Dorf.",
            "Zum Anleger gehen Sie fünf Minuten.",
        ],
    ),
    (
        Kind::Blog,
        "Warum ich mit dem Rad zur Arbeit fahre",
        [
            "Im Frühling habe ich mein Auto nach acht Jahren verkauft.",
            "Vierzig Minuten am Tag tun mir gut.",
            "In einem Jahr habe ich 1.500 Euro gespart.",
        ],
    ),
];

const TURKISH: [Row; 10] = [
    (
        Kind::Product,
        "Küçük mutfaklar için espresso makinesi",
        [
            "Makine 25 saniyede ısınır ve 4,2 kilogramdır.",
            "Fiyatı kargo dahil 12.990 TL'dir.",
            "Satışa çıkış tarihi: 1 Kasım 2026.",
        ],
    ),
    (
        Kind::Recipe,
        "Ev usulü mercimek çorbası",
        [
            "Bir su bardağı mercimeği iyice yıkayın.",
            "Soğanı ve havucu tereyağında beş dakika kavurun.",
            "Üzerine nane ve pul biber gezdirin.",
        ],
    ),
    (
        Kind::News,
        "Kent kütüphanesi geceye kadar açık",
        [
            "Kütüphane ocak ayından itibaren saat 22'ye kadar açık kalacak.",
            "Geçen yıl 300 bin kişi kütüphaneyi kullandı.",
            "Müdür, “Okurlar işten sonra da gelmek istiyor” dedi.",
        ],
    ),
    (
        Kind::Documentation,
        "Komut satırı aracını kurma",
        [
            "Önce en yeni kurulum paketini indirin.",
            "Çıktının yazılacağı yolu belirler.",
            "Kurulum bitince yardım komutunu çalıştırın.",
        ],
    ),
    (
        Kind::Forum,
        "Kışın balkonda bitki nasıl bakılır?",
        [
            "Sarmaşığımın yaprakları sararıyor, ne yapmalıyım?",
            "Kışın iki haftada bir sulamak yeterlidir.",
            "İçeri aldıktan sonra toparlandı, teşekkürler!",
        ],
    ),
    (
        Kind::Listing,
        "İzmir'deki iş ilanları",
        [
            "Üç yıl deneyimli web geliştiricisi aranıyor.",
            "Konaklama ve yemek dahil depo görevlisi aranıyor.",
            "Anaokuluna öğretmenlik belgesi olan öğretmen aranıyor.",
        ],
    ),
    (
        Kind::Collection,
        "Ahşap yemek sandalyeleri",
        [
            "Meşe sandalye 120 kilogram taşır, fiyatı 3.990 TL.",
            "Ceviz sandalye yumuşak minderlidir, fiyatı 5.490 TL.",
            "Kayın çocuk sandalyesinin yüksekliği ayarlanır.",
        ],
    ),
    (
        Kind::Service,
        "Adreste bisiklet tamiri",
        [
            "Fren, zincir ve lastikleri aynı gün kontrol ederiz.",
            "Temel bakım 600 TL'dir, yol ücreti alınmaz.",
            "Adresinizi ve telefonunuzu yazarak randevu alın.",
        ],
    ),
    (
        Kind::Hotel,
        "Göl kıyısında küçük pansiyon",
        [
            "On iki odanın tamamı göle bakar.",
            "Kahvaltıda köy ekmeği ve taze meyve sunulur.",
            "İskeleye beş dakikada yürünür.",
        ],
    ),
    (
        Kind::Blog,
        "İşe neden bisikletle gidiyorum",
        [
            "Geçen bahar sekiz yıllık arabamı sattım.",
            "Günde kırk dakika pedal çevirmek bana iyi geldi.",
            "Bir yılda elli bin lira biriktirdim.",
        ],
    ),
];
