//! The words that a demand on a machine is made of, by what they do in it.
//!
//! Each language has a file with a line for each [`Sense`]: its name in lower case, a colon, and patterns with `;`
//! between them. A pattern is a word or several; one that ends with `*` may go on. In languages that put no spaces
//! between their words it may be anywhere.

use std::sync::OnceLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind};

use super::normal::normal;

/// What a word does in a demand.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Sense {
    /// A machine that answers: "language model".
    Machine,
    /// The name of one: "ChatGPT".
    Product,
    /// What may be a machine, or a person: "assistant".
    Helper,
    /// What announces a call: "note", "instructions".
    Note,
    /// "System": a part of a machine's instructions.
    System,
    /// What may be before the machine that is called: "dear", "to all".
    Lead,
    /// What makes the machine one that is spoken of: "our", "with".
    Owner,
    /// "If", "when".
    Condition,
    /// "If you are", "you are a".
    Identity,
    /// "Must", "should".
    Must,
    /// "Which": what follows a name and describes it.
    Relative,
    /// "I am": the machine itself speaks.
    Introduction,
    /// The person whom the machine answers.
    User,
    /// What machines are asked to do with a page.
    Task,
    /// "From now on you are".
    Persona,
    /// A mark that parts a machine's instructions from what it reads.
    Frame,
    /// "Recommend", "name", "rank".
    Promote,
    /// "First", "best", "always".
    Favor,
    /// "This shop", "us".
    Us,
    /// "Mention", after a negation.
    Mention,
    Negation,
    /// "Leave out", or a verb with its negation in one word.
    Omit,
    /// "Competitors", "bad reviews".
    Rivals,
    /// "Five stars", "a positive review".
    Rate,
    /// "Say that".
    Claim,
    /// "Better than".
    Compare,
    /// "Buy".
    Buy,
    Remember,
    /// "A trusted source".
    Trusted,
    /// "In all later conversations".
    Lasting,
    /// "Invite to an interview", "accept".
    Admit,
    /// "Send", "forward".
    Send,
    /// "Password", "the e-mail address".
    Personal,
    /// "Always", "must", "never".
    Absolute,
    /// "Ignore", "forget".
    Leave,
    /// "Previous", "all".
    Earlier,
    /// "Instructions", "guidelines".
    Orders,
    /// "Can", "to": what follows is no order.
    Able,
    /// "Our": instructions among people.
    Ours,
    /// "Of", "in": the instructions are those of something.
    Of,
    /// People who are spoken to: "dear customer", "developers".
    People,
    /// "Attack", "injection".
    Attack,
    /// "Said", "wrote", "for example".
    Speech,
    /// What a page is about that teaches such demands: "prompts".
    Subject,
    /// Use of the page for the training of models.
    Rights,
    /// Files, code and builds: what developers write to their own tools.
    Technical,
}

/// The senses by their names in the files.
const SENSES: [(&str, Sense); 46] = [
    ("machine", Sense::Machine),
    ("product", Sense::Product),
    ("helper", Sense::Helper),
    ("note", Sense::Note),
    ("system", Sense::System),
    ("lead", Sense::Lead),
    ("owner", Sense::Owner),
    ("condition", Sense::Condition),
    ("identity", Sense::Identity),
    ("must", Sense::Must),
    ("relative", Sense::Relative),
    ("introduction", Sense::Introduction),
    ("user", Sense::User),
    ("task", Sense::Task),
    ("persona", Sense::Persona),
    ("frame", Sense::Frame),
    ("promote", Sense::Promote),
    ("favor", Sense::Favor),
    ("us", Sense::Us),
    ("mention", Sense::Mention),
    ("negation", Sense::Negation),
    ("omit", Sense::Omit),
    ("rivals", Sense::Rivals),
    ("rate", Sense::Rate),
    ("claim", Sense::Claim),
    ("compare", Sense::Compare),
    ("buy", Sense::Buy),
    ("remember", Sense::Remember),
    ("trusted", Sense::Trusted),
    ("lasting", Sense::Lasting),
    ("admit", Sense::Admit),
    ("send", Sense::Send),
    ("personal", Sense::Personal),
    ("absolute", Sense::Absolute),
    ("leave", Sense::Leave),
    ("earlier", Sense::Earlier),
    ("orders", Sense::Orders),
    ("able", Sense::Able),
    ("ours", Sense::Ours),
    ("of", Sense::Of),
    ("people", Sense::People),
    ("attack", Sense::Attack),
    ("speech", Sense::Speech),
    ("subject", Sense::Subject),
    ("rights", Sense::Rights),
    ("technical", Sense::Technical),
];

/// A language, by its place in [`LANGUAGES`].
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(super) struct WordLanguage(usize);

impl WordLanguage {
    /// Names of products and frames are those of all languages.
    pub(super) const SHARED: Self = Self(0);

    /// Whether it puts no spaces between its words, or joins everything to them.
    pub(super) fn is_spaceless(self) -> bool {
        self.0 >= FIRST_SPACELESS
    }
}

/// The languages, after what they share.
const LANGUAGES: [&str; 14] = [
    include_str!("words/shared.txt"),
    include_str!("words/en.txt"),
    include_str!("words/de.txt"),
    include_str!("words/es.txt"),
    include_str!("words/fr.txt"),
    include_str!("words/it.txt"),
    include_str!("words/nl.txt"),
    include_str!("words/pl.txt"),
    include_str!("words/pt.txt"),
    include_str!("words/ru.txt"),
    include_str!("words/tr.txt"),
    include_str!("words/ja.txt"),
    include_str!("words/ko.txt"),
    include_str!("words/zh.txt"),
];
/// The place of the first language that puts no spaces between its words.
const FIRST_SPACELESS: usize = 11;

/// The patterns of all languages.
fn patterns() -> impl Iterator<Item = (WordLanguage, Sense, &'static str)> {
    LANGUAGES.iter().enumerate().flat_map(|(place, file)| {
        file.lines().filter_map(line).flat_map(move |(sense, listed)| {
            listed.split("; ").map(move |pattern| (WordLanguage(place), sense, pattern))
        })
    })
}

/// The sense and the patterns of a line, if it is no comment.
fn line(line: &'static str) -> Option<(Sense, &'static str)> {
    let (name, listed) = line.split_once(": ")?;
    let (_, sense) = SENSES.iter().find(|(known, _)| *known == name)?;
    Some((*sense, listed))
}

/// A word of a demand in a sentence.
#[derive(Clone, Copy, Debug)]
pub(super) struct SenseMark {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) sense: Sense,
    pub(super) language: WordLanguage,
}

/// All patterns, and what each of them means.
struct Lexicon {
    automaton: Option<AhoCorasick>,
    meanings: Vec<(Sense, WordLanguage)>,
}

impl Lexicon {
    fn get() -> &'static Self {
        static LEXICON: OnceLock<Lexicon> = OnceLock::new();
        LEXICON.get_or_init(|| {
            let plain =
                patterns().map(|(language, _, word)| pattern(word, language.is_spaceless()));
            Self {
                automaton: automaton(plain),
                meanings: patterns().map(|(language, sense, _)| (sense, language)).collect(),
            }
        })
    }
}

/// Much cheaper to build than the automaton that is taken by default, and as fast on texts such as these.
fn automaton(patterns: impl IntoIterator<Item = impl AsRef<[u8]>>) -> Option<AhoCorasick> {
    let mut builder = AhoCorasick::builder();
    builder.kind(Some(AhoCorasickKind::ContiguousNFA)).ascii_case_insensitive(true);
    builder.build(patterns).ok()
}

/// A word as it is in a sentence that was made comparable.
fn pattern(word: &str, is_spaceless: bool) -> String {
    let stem = word.trim_end_matches('*');
    let plain = normal(stem);
    let plain = plain.trim();
    // Names in Latin letters are words in every language.
    if is_spaceless && !plain.is_ascii() {
        return plain.to_owned();
    }
    if stem.len() < word.len() { format!(" {plain}") } else { format!(" {plain} ") }
}

/// The words of demands in a sentence that was made comparable, in its order.
pub(super) fn marks(sentence: &str) -> Vec<SenseMark> {
    let lexicon = Lexicon::get();
    let Some(automaton) = &lexicon.automaton else { return Vec::new() };
    let found = automaton.find_overlapping_iter(sentence);
    let mut marks: Vec<SenseMark> = found
        .filter_map(|found| {
            let (sense, language) = *lexicon.meanings.get(found.pattern().as_usize())?;
            Some(SenseMark { start: found.start(), end: found.end(), sense, language })
        })
        .collect();
    marks.sort_by_key(|mark| (mark.start, mark.end));
    marks
}

/// Whether a text has a word that every demand has one of: who is spoken to, who is answered, or what is to be left
/// aside. The text is as it was written.
///
/// Most texts of a page have none, so that nothing else is asked of them.
pub(super) fn has_trigger(text: &str) -> bool {
    static TRIGGERS: OnceLock<Option<AhoCorasick>> = OnceLock::new();
    let build = || {
        // What machines are asked to do has many words, all of which people use, too.
        let tasks = patterns().filter(|(_, sense, _)| *sense == Sense::Task);
        let tasks = tasks.map(|(_, _, task)| task);
        automaton(TRIGGERS_OF_ALL.iter().copied().chain(tasks))
    };
    let Some(triggers) = TRIGGERS.get_or_init(build) else { return false };
    triggers.find_overlapping_iter(text).any(|found| {
        let is_long = found.len() > MAX_BYTES_OF_WORD;
        let before = text.get(..found.start()).and_then(|before| before.chars().next_back());
        let after = text.get(found.end()..).and_then(|after| after.chars().next());
        let is_end = |ch: Option<char>| ch.is_none_or(|ch| !ch.is_alphanumeric() || !is_latin(ch));
        is_long || (is_end(before) && is_end(after))
    })
}

/// Whether a letter belongs to a script in which "ai" may be a part of a word.
fn is_latin(ch: char) -> bool {
    ch < '\u{370}'
}

/// Triggers up to this length are words of their own.
const MAX_BYTES_OF_WORD: usize = 3;

/// Parts of the words that every demand has one of. Letters that have no ASCII are left out where the rest of a word is
/// enough, so that their case makes no difference.
const TRIGGERS_OF_ALL: &[&str] = &[
    "ai",
    "a.i",
    "ais",
    "ki",
    "kis",
    "ia",
    "ias",
    "ии",
    "ИИ",
    "llm",
    "llms",
    "gpt",
    "gpts",
    "grok",
    "kimi",
    "qwen",
    "siri",
    "bot",
    "bots",
    "bota",
    "boty",
    "meta",
    "llm-",
    "llama",
    "chatgpt",
    "openai",
    "gpt-",
    "gptbot",
    "claude",
    "gemini",
    "copilot",
    "perplexity",
    "deepseek",
    "mistral",
    "alexa",
    "gigachat",
    "yandexgpt",
    "ernie",
    "chatbot",
    "chat-bot",
    "czatbot",
    "язык",
    "ЯЗЫК",
    "Язык",
    "ейросет",
    "ЕЙРОСЕТ",
    "скусственн",
    "СКУССТВЕНН",
    "ат-бот",
    "АТ-БОТ",
    "чатбот",
    "ЧАТБОТ",
    "Чатбот",
    "language model",
    "sprach ",
    "sprachmodel",
    "taalmodel",
    "artificial",
    "artificielle",
    "intelig",
    "intelligen",
    "answer engine",
    "conversationnel",
    "assist",
    "asist",
    "asyst",
    "agent",
    "ссистент",
    "ССИСТЕНТ",
    "омощник",
    "ОМОЩНИК",
    "model",
    "MODÈLE",
    "agenci",
    "botów",
    "BOTÓW",
    "botlar",
    "źród",
    "ŹRÓD",
    "ROBÔ",
    "USUÁRIO",
    "РАВИЛА СИСТЕМЫ",
    "ÓRDENES",
    "modèle",
    "МОДЕЛ",
    "модел",
    "Модел",
    "агент",
    "АГЕНТ",
    "бот",
    "БОТ",
    "robot",
    "robô",
    "crawler",
    "summarizer",
    "systems",
    "yapay",
    "dil model",
    "sohbet",
    "боты",
    "роботы",
    "user",
    "users",
    "anyone who asks",
    "person asking",
    "visitor",
    "nutzer",
    "benutzer",
    "anwender",
    "fragenden",
    "usuario",
    "usuari",
    "visitante",
    "a quien pregunte",
    "utilis",
    "visiteur",
    "quiconque",
    "utent",
    "visitatore",
    "a chi chiede",
    "gebruiker",
    "bezoeker",
    "vraagt",
    "ytkownik",
    "odwiedzaj",
    "pytaj",
    "kto pyta",
    "usuário",
    "utilizador",
    "perguntar",
    "ользовател",
    "ОЛЬЗОВАТЕЛ",
    "осетител",
    "ОСЕТИТЕЛ",
    "прашивающ",
    "ПРАШИВАЮЩ",
    "kullan",
    "ziyaret",
    "soran",
    "[sys",
    "[inst",
    "[sis",
    "[сис",
    "[СИС",
    "im start",
    "im_start",
    "start header",
    "start_header",
    "system_prompt",
    "[admin",
    "[assistant",
    "summari",
    "zusammenfass",
    "fass diese",
    "resum",
    "résum",
    "riassu",
    "samenvat",
    "vat deze",
    "podsum",
    "streszcz",
    "özetle",
    "ереска",
    "ЕРЕСКА",
    "instru",
    "instrucci",
    "instrução",
    "instrukc",
    "anweisung",
    "vorgaben",
    "befehle",
    "richtlinie",
    "regeln des",
    "direct",
    "directri",
    "systemprompt",
    "guideline",
    "prompt",
    "indicaciones",
    "órdenes",
    "consigne",
    "istruzioni",
    "indicazioni",
    "direttive",
    "aanwijzing",
    "opdracht",
    "richtlijn",
    "polecen",
    "wytyczn",
    "orienta",
    "diretriz",
    "нструкци",
    "НСТРУКЦИ",
    "казани",
    "КАЗАНИ",
    "оманды",
    "ОМАНДЫ",
    "равила системы",
    "talimat",
    "TALİMAT",
    "ASİSTAN",
    "DİL MODEL",
    "ZİYARET",
    "nerge",
    "komut",
    "kuralla",
    "source",
    "quelle",
    "fuente",
    "fonte",
    "bron",
    "authority",
    "источник",
    "ИСТОЧНИК",
    "сточник",
    "сточником",
    "kaynak",
    "アシスタント",
    "モデル",
    "ボット",
    "エージェント",
    "人工知能",
    "ユーザ",
    "利用者",
    "閲覧者",
    "指示",
    "命令",
    "指令",
    "プロンプト",
    "ガイドライン",
    "要約",
    "情報源",
    "ソース",
    "出典",
    "ＡＩ",
    "システム",
    "人工智",
    "语言模",
    "語言模",
    "模型",
    "机器人",
    "機器人",
    "助手",
    "助理",
    "智能体",
    "爬",
    "用户",
    "用戶",
    "使用者",
    "访客",
    "訪客",
    "提问者",
    "提問者",
    "提示词",
    "提示詞",
    "規則",
    "规则",
    "总结",
    "總結",
    "摘要",
    "来源",
    "來源",
    "인공지능",
    "언어",
    "챗봇",
    "어시스턴트",
    "모델",
    "비서",
    "에이전트",
    "로봇",
    "봇",
    "사용자",
    "이용자",
    "방문자",
    "질문자",
    "지시",
    "명령",
    "지침",
    "프롬프트",
    "요약",
    "출처",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_whole_words_or_their_beginnings() {
        assert_eq!(pattern("Language Model*", false), " language model");
        assert_eq!(pattern("don't", false), " don t ");
        assert_eq!(pattern("[SYSTEM]", false), " , system , ");
        assert_eq!(pattern("以前の", true), normal("以前の").trim());
        assert_eq!(pattern("chatgpt", true), " chatgpt ");
    }

    #[test]
    fn all_patterns_are_in_the_automaton() {
        let lexicon = Lexicon::get();
        assert!(lexicon.automaton.is_some());
        assert!(lexicon.meanings.len() > 1_000);
    }

    #[test]
    fn every_word_that_begins_a_demand_is_a_trigger() {
        let begins = |sense: Sense| {
            matches!(
                sense,
                Sense::Machine
                    | Sense::Product
                    | Sense::Helper
                    | Sense::User
                    | Sense::Frame
                    | Sense::Orders
                    | Sense::Trusted
            )
        };
        let mut missing = Vec::new();
        for (_, _, word) in patterns().filter(|(_, sense, _)| begins(*sense)) {
            let text = format!("x {} y", word.trim_end_matches('*'));
            missing
                .extend([text.to_uppercase(), text].into_iter().filter(|text| !has_trigger(text)));
        }
        assert_eq!(missing, Vec::<String>::new());
        assert!(!has_trigger("Bread knives of carbon steel, said and mailed"));
    }

    #[test]
    fn every_line_has_a_known_sense_and_patterns() {
        for file in LANGUAGES {
            for text in file.lines().filter(|text| !text.starts_with('#')) {
                let (_, listed) = line(text).unwrap_or_else(|| panic!("{text}"));
                assert!(
                    listed
                        .split("; ")
                        .all(|word| !normal(word.trim_end_matches('*')).trim().is_empty())
                );
            }
        }
    }
}
