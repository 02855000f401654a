//! Text made comparable: letters without case, in English and in Turkish.

/// Lower case. The Turkish dotted and dotless i become one letter, typographic apostrophes, hyphens and
/// spaces plain ones, and invisible characters disappear.
pub(crate) fn fold(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    let mut folded = String::with_capacity(text.len());
    for ch in text.chars() {
        match ch {
            'I' | 'İ' | 'ı' => folded.push('i'),
            '\u{307}' | '\u{ad}' | '\u{200b}'..='\u{200d}' | '\u{2060}' | '\u{feff}' => {}
            '‘' | '’' | 'ʼ' => folded.push('\''),
            '‐' | '‑' => folded.push('-'),
            _ if ch.is_ascii() => folded.push(ch.to_ascii_lowercase()),
            _ if ch.is_whitespace() => folded.push(' '),
            _ => folded.extend(ch.to_lowercase().filter(|ch| *ch != '\u{307}')),
        }
    }
    folded
}

/// [`fold`], and Turkish letters without their marks, as addresses have them.
pub(crate) fn fold_to_ascii(text: &str) -> String {
    let folded = fold(text);
    if folded.is_ascii() {
        folded
    } else {
        folded
            .chars()
            .map(|ch| match ch {
                'ç' => 'c',
                'ğ' => 'g',
                'ö' => 'o',
                'ş' => 's',
                'ü' | 'û' => 'u',
                'â' => 'a',
                'î' => 'i',
                _ => ch,
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_lose_their_case_in_both_languages() {
        for (text, folded) in [
            ("It’s BIG", "it's big"),
            ("İLETİŞİM", "iletişim"),
            ("ILIK", "ilik"),
            ("ılık", "ilik"),
            ("Şimdi\u{a0}ÇOK", "şimdi çok"),
            ("state‑of‑the‑art", "state-of-the-art"),
            ("re\u{ad}mem\u{200b}ber", "remember"),
            ("ÉCOLE", "école"),
        ] {
            assert_eq!(fold(text), folded, "{text}");
        }
    }

    #[test]
    fn addresses_have_no_turkish_letters() {
        assert_eq!(fold_to_ascii("İade Koşulları"), "iade kosullari");
        assert_eq!(fold_to_ascii("ÖDEME ve Çağrı Görüşü"), "odeme ve cagri gorusu");
    }
}
