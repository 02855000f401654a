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

/// Lengths beyond which text is off screen.
const OFF_SCREEN_PIXELS: f64 = -999.0;
const OFF_SCREEN_EMS: f64 = -99.0;
/// Opacity that is invisible.
const TRANSPARENT: f64 = 0.05;

/// Whether a `style` attribute takes text out of sight without hiding its element.
pub(super) fn removes(style: &str) -> bool {
    style.split(';').any(|declaration| {
        let Some((property, value)) = declaration.split_once(':') else { return false };
        removes_property(&property.trim().to_ascii_lowercase(), value)
    })
}

/// Whether a declaration does.
pub(super) fn removes_property(property: &str, value: &str) -> bool {
    let Some((number, unit)) = quantity(value) else { return false };
    let is_off_screen = || match unit {
        "px" | "PX" => number <= OFF_SCREEN_PIXELS,
        _ => number <= OFF_SCREEN_EMS,
    };
    match property {
        "bottom" | "left" | "margin-left" | "margin-top" | "right" | "text-indent" | "top" => {
            is_off_screen()
        }
        "font-size" => number <= 0.0,
        "opacity" => number < TRANSPARENT,
        _ => false,
    }
}

/// A number and its unit.
pub(super) fn quantity(value: &str) -> Option<(f64, &str)> {
    let value = value.trim().split(['!', ' ']).next()?;
    let end = value.find(|ch: char| !matches!(ch, '0'..='9' | '.' | '+' | '-'));
    let (number, unit) = value.split_at_checked(end.unwrap_or(value.len()))?;
    Some((number.parse().ok()?, unit))
}

#[cfg(test)]
mod tests {
    use super::{hides, removes};

    #[test]
    fn text_is_taken_out_of_sight_by_place_size_and_color() {
        for style in [
            "position:absolute;left:-9999px",
            "color:red; TEXT-INDENT : -9999PX !important",
            "top:-100em",
            "font-size:0",
            "font-size: 0px",
            "opacity:0",
            "opacity:.0",
            "opacity: 0.001 ",
        ] {
            assert!(removes(style), "{style}");
        }
        for style in [
            "",
            "left:-20px",
            "left:9999px",
            "left:-50%",
            "font-size:0.8em",
            "opacity:1",
            "opacity:0.5",
            "opacity:",
            "opacity:var(--x)",
            "left:-",
            "clip:rect(0 0 0 0)",
            "margin:0;padding:0",
        ] {
            assert!(!removes(style), "{style}");
        }
    }

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
