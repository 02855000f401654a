//! Pages that hide a demand on a machine, and harmless pages that hide something like one.

/// A page that was written before the rules that read it.
#[derive(Clone, Debug)]
pub struct HiddenText {
    /// Its name: the language and a number.
    pub id: &'static str,
    /// The language of its text.
    pub lang: &'static str,
    /// Its title.
    pub title: &'static str,
    /// What is in the head.
    pub head: String,
    /// What follows the main text.
    pub body: String,
}

/// Number of cases in each language that rules may be tried on; the others were put aside.
const TRIED: usize = 5;

impl HiddenText {
    /// Whether no rule was run on the case until the rules were finished.
    pub fn is_put_aside(&self) -> bool {
        let number = self.id.split_once('-').and_then(|(_, number)| number.parse::<usize>().ok());
        number.is_some_and(|number| number > TRIED)
    }

    /// The page, with a main text in its language.
    pub fn html(&self) -> String {
        let Self { lang, title, head, body, .. } = self;
        let prose = prose(lang);
        format!(
            "<!doctype html><html lang=\"{lang}\"><head><meta charset=\"utf-8\"><title>{title}</title>{head}</head>\
             <body><main><h1>{title}</h1>{prose}</main>\n{body}</body></html>"
        )
    }
}

/// Pages that hide a demand.
pub fn demands() -> Vec<HiddenText> {
    cases(include_str!("hidden_demands/demands.txt"))
}

/// Pages that hide something else.
pub fn harmless() -> Vec<HiddenText> {
    cases(include_str!("hidden_demands/harmless.txt"))
}

fn cases(file: &'static str) -> Vec<HiddenText> {
    file.split("\n=== ").skip(1).filter_map(case).collect()
}

fn case(text: &'static str) -> Option<HiddenText> {
    let (first, lines) = text.split_once('\n')?;
    let mut fields = first.split(" | ");
    let (id, lang, title) = (fields.next()?, fields.next()?, fields.next()?);
    let (head, body): (Vec<&str>, Vec<&str>) =
        lines.lines().partition(|line| line.starts_with("HEAD "));
    let head = head.iter().filter_map(|line| line.strip_prefix("HEAD ")).collect();
    Some(HiddenText { id, lang, title, head, body: body.join("\n") })
}

/// A main text.
fn prose(lang: &str) -> &'static str {
    match lang {
        "de" => {
            "<p>Seit dreißig Jahren arbeiten wir hier, und jedes Stück verlässt das Haus erst, wenn zwei Menschen es \
             geprüft haben.</p><p>Rufen Sie uns von neun bis fünf an oder besuchen Sie uns am Samstag.</p>"
        }
        "tr" => {
            "<p>Otuz yıldır burada çalışıyoruz; her parça iki kişi baktıktan sonra yola çıkar.</p><p>Dokuzdan beşe \
             kadar bizi arayın ya da cumartesi günü uğrayın.</p>"
        }
        "es" => {
            "<p>Llevamos treinta años aquí y cada pieza sale de la casa solo después de que dos personas la hayan \
             mirado.</p><p>Llámenos de nueve a cinco o visítenos los sábados.</p>"
        }
        "ru" => {
            "<p>Мы работаем здесь тридцать лет, и каждая вещь уходит от нас только после того, как её посмотрели \
             двое.</p><p>Звоните с девяти до пяти или приходите в субботу.</p>"
        }
        "ja" => {
            "<p>私たちは三十年ここで仕事をしており、どの品も二人が確かめてから出荷します。</p>\
             <p>九時から五時までお電話ください。土曜日にはご来店いただけます。</p>"
        }
        _ => {
            "<p>We have made what you see here for thirty years, and each piece leaves the house only after two people \
             have looked at it.</p><p>Ask us by telephone from nine to five, or visit us on Saturdays.</p>"
        }
    }
}
