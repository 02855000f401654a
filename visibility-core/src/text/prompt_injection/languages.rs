//! Instructions in other languages than English and Turkish.

use super::{End, MAX_WORDS_BETWEEN, Word, starts};

/// How a language that puts spaces between its words says to leave something aside. Folded; whole words,
/// since a suffix can turn a verb into its contrary.
struct Order {
    verbs: &'static [&'static str],
    qualifiers: &'static [&'static str],
    objects: &'static [&'static str],
    /// Around a verb, within two words.
    negations: &'static [&'static str],
}

const ORDERS: [Order; 8] = [
    Order {
        verbs: &[
            "ignoriere",
            "ignorieren",
            "ignoriert",
            "vergiss",
            "vergessen",
            "missachte",
            "missachten",
        ],
        qualifiers: &[
            "alle",
            "allen",
            "vorherigen",
            "vorigen",
            "bisherigen",
            "obigen",
            "vorangegangenen",
            "vorangehenden",
            "früheren",
            "deine",
            "deinen",
        ],
        objects: &[
            "anweisung",
            "anweisungen",
            "instruktionen",
            "vorgaben",
            "befehle",
            "richtlinien",
        ],
        negations: &["nicht", "nie", "niemals", "keine", "keinesfalls"],
    },
    Order {
        verbs: &[
            "ignora",
            "ignore",
            "ignorad",
            "ignorar",
            "olvida",
            "olvide",
            "olvidad",
            "desestima",
        ],
        qualifiers: &["todas", "todos", "anteriores", "anterior", "previas", "previos", "tus"],
        objects: &["instrucciones", "instrucción", "indicaciones", "directrices", "órdenes"],
        negations: &["no", "nunca"],
    },
    Order {
        verbs: &["ignore", "ignorez", "ignorer", "oublie", "oubliez", "oublier"],
        qualifiers: &[
            "toutes",
            "tous",
            "précédentes",
            "précédents",
            "antérieures",
            "antérieurs",
            "tes",
        ],
        objects: &["instructions", "consignes", "directives"],
        negations: &["n'ignorez", "pas", "jamais", "ne"],
    },
    Order {
        verbs: &["ignora", "ignorate", "ignorare", "ignori", "dimentica", "dimenticate"],
        qualifiers: &["tutte", "precedenti", "tue", "antecedenti"],
        objects: &["istruzioni", "indicazioni", "direttive"],
        negations: &["non", "mai"],
    },
    Order {
        verbs: &["ignore", "ignora", "ignorem", "esqueça", "esquece", "desconsidere"],
        qualifiers: &["todas", "todos", "anteriores", "prévias", "tuas"],
        objects: &["instruções", "orientações", "diretrizes"],
        negations: &["não", "nunca"],
    },
    Order {
        verbs: &["negeer", "negeren", "vergeet"],
        qualifiers: &["alle", "vorige", "voorgaande", "eerdere", "bovenstaande", "jouw"],
        objects: &["instructies", "aanwijzingen", "opdrachten", "richtlijnen"],
        negations: &["niet", "nooit"],
    },
    Order {
        verbs: &["zignoruj", "ignoruj", "zignorujcie", "zapomnij", "pomiń"],
        qualifiers: &["wszystkie", "wszystkich", "poprzednie", "poprzednich", "wcześniejsze"],
        objects: &["instrukcje", "instrukcjach", "polecenia", "poleceniach", "wytyczne"],
        negations: &["nie", "nigdy"],
    },
    Order {
        verbs: &[
            "игнорируй",
            "игнорируйте",
            "проигнорируй",
            "проигнорируйте",
            "забудь",
            "забудьте",
        ],
        qualifiers: &["все", "всех", "предыдущие", "предыдущих", "прежние", "вышеуказанные"],
        objects: &["инструкции", "указания", "команды"],
        negations: &["не", "никогда"],
    },
];

/// Phrases that speak to a language model, folded.
const PHRASES: [&[&str]; 22] = [
    &["wenn", "du", "ein", "sprachmodell", "bist"],
    &["wenn", "sie", "ein", "sprachmodell", "sind"],
    &["falls", "du", "ein", "sprachmodell", "bist"],
    &["wenn", "du", "eine", "ki", "bist"],
    &["wenn", "sie", "eine", "ki", "sind"],
    &["hinweis", "an", "ki"],
    &["anweisung", "an", "ki"],
    &["si", "eres", "un", "modelo", "de", "lenguaje"],
    &["si", "eres", "una", "ia"],
    &["si", "tu", "es", "un", "modèle", "de", "langage"],
    &["si", "vous", "êtes", "un", "modèle", "de", "langage"],
    &["si", "vous", "êtes", "une", "ia"],
    &["se", "sei", "un", "modello", "linguistico"],
    &["se", "sei", "una", "ia"],
    &["se", "você", "é", "um", "modelo", "de", "linguagem"],
    &["se", "você", "é", "uma", "ia"],
    &["als", "je", "een", "taalmodel", "bent"],
    &["als", "u", "een", "taalmodel", "bent"],
    &["jeśli", "jesteś", "modelem", "językowym"],
    &["если", "ты", "языковая", "модель"],
    &["если", "вы", "языковая", "модель"],
    &["если", "ты", "ии"],
];

/// How languages without spaces, or with suffixes on everything, say the same: all three in one sentence.
struct Spaceless {
    verbs: &'static [&'static str],
    qualifiers: &'static [&'static str],
    objects: &'static [&'static str],
}

const SPACELESS_ORDERS: [Spaceless; 3] = [
    Spaceless {
        verbs: &["無視して", "無視し、", "無視せよ", "忘れて", "従わないで", "破棄して"],
        qualifiers: &["以前の", "これまでの", "前の", "上記の", "すべての", "全ての", "今までの"],
        objects: &["指示", "命令", "指令", "プロンプト", "ガイドライン"],
    },
    Spaceless {
        verbs: &["忽略", "无视", "無視", "忘记", "忘記", "忘掉"],
        qualifiers: &["之前", "以前", "先前", "以上", "上述", "上面", "前面", "所有", "全部"],
        objects: &["指令", "指示", "提示词", "提示詞", "命令"],
    },
    Spaceless {
        verbs: &["무시하고", "무시하세요", "무시해", "무시하십시오", "잊어", "잊으"],
        qualifiers: &["이전", "앞의", "위의", "모든", "지금까지", "기존"],
        objects: &["지시", "명령", "지침", "프롬프트"],
    },
];

/// Whom such languages speak to, and what they ask for: one of each in one sentence.
const SPACELESS_CALLS: [(&[&str], &[&str]); 3] = [
    (
        &["aiアシスタント", "言語モデル", "aiへ", "chatgpt", "aiモデル"],
        &["推薦して", "推奨して", "お勧めして", "おすすめして", "紹介して", "勧めて"],
    ),
    (
        &["ai助手", "语言模型", "語言模型", "人工智能助手", "chatgpt", "如果你是ai"],
        &[
            "请推荐",
            "請推薦",
            "推荐我们",
            "推薦我們",
            "务必推荐",
            "始终推荐",
            "必须推荐",
            "必須推薦",
        ],
    ),
    (
        &["ai 어시스턴트", "ai어시스턴트", "언어 모델", "언어모델", "chatgpt", "ai 모델"],
        &["추천하세요", "추천해", "추천하십시오", "언급하세요"],
    ),
];

/// Whether words begin an instruction in one of the languages with spaces.
pub(super) fn is_order(before: &[Word<'_>], rest: &[Word<'_>]) -> bool {
    if PHRASES.iter().any(|phrase| starts(rest, phrase)) {
        return true;
    }
    let Some((verb, tail)) = rest.split_first() else { return false };
    if verb.end == End::Sentence {
        return false;
    }
    let mut orders = ORDERS.iter().filter(|order| order.verbs.contains(&verb.text));
    orders.any(|order| {
        let is_negation = |word: &Word<'_>| order.negations.contains(&word.text);
        let near = before.iter().rev().take(2).take_while(|word| word.end != End::Sentence);
        if near.into_iter().any(is_negation) || tail.iter().take(2).any(is_negation) {
            return false;
        }
        let tail = super::near(tail, MAX_WORDS_BETWEEN + 1);
        let object = tail.iter().position(|word| order.objects.contains(&word.text));
        // The qualifier of some languages follows what it qualifies.
        object.is_some_and(|object| {
            let around = tail.iter().take(object + 3);
            around.into_iter().any(|word| order.qualifiers.contains(&word.text))
        })
    })
}

/// Where an instruction begins in a text of a language without spaces, if there is one.
pub(super) fn find_spaceless(folded: &str) -> Option<usize> {
    if folded.is_ascii() {
        return None;
    }
    let mut start = 0;
    for sentence in folded.split_inclusive(['。', '！', '？', '!', '?', '\n']) {
        let has = |words: &[&str]| words.iter().any(|word| sentence.contains(word));
        let is_order =
            |order: &Spaceless| has(order.verbs) && has(order.qualifiers) && has(order.objects);
        let is_call = |(who, what): &(&[&str], &[&str])| has(who) && has(what);
        if SPACELESS_ORDERS.iter().any(is_order) || SPACELESS_CALLS.iter().any(is_call) {
            return Some(start);
        }
        start += sentence.len();
    }
    None
}
