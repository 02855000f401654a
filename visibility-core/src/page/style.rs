//! Inline styles, as far as they hide an element.

/// Whether a `style` attribute hides its element.
pub(super) fn hides(style: &str) -> bool {
    style.split(';').any(|declaration| {
        let Some((property, value)) = declaration.split_once(':') else { return false };
        let value = value.trim().split(['!', ' ']).next().unwrap_or_default();
        let is = |p: &str, v: &str| {
            property.trim().eq_ignore_ascii_case(p) && value.eq_ignore_ascii_case(v)
        };
        is("display", "none") || is("visibility", "hidden")
    })
}

#[cfg(test)]
mod tests {
    use super::hides;

    #[test]
    fn only_declarations_that_hide_count() {
        for style in ["display:none", "color:red; DISPLAY : None !important", "visibility: hidden"]
        {
            assert!(hides(style), "{style}");
        }
        for style in ["", "display:block", "x-display:none", "display", "visibility:visible"] {
            assert!(!hides(style), "{style}");
        }
    }
}
