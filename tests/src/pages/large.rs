//! Large pages, as shops serve them: most of the bytes are not text.

use std::fmt::Write as _;

use super::product;

/// A product page of about this many bytes, padded with what shops put around their text: scripts,
/// styles, a menu, cards of related products.
pub fn large_product(bytes: usize) -> String {
    let page = product();
    let (head, rest) = page.split_once("</head>").expect("a head");
    let (body, foot) = rest.split_once("<footer>").expect("a footer");
    let padding = bytes.saturating_sub(page.len());
    let mut scripts = String::new();
    let mut menu = String::new();
    let mut cards = String::new();
    for number in 0.. {
        let size = scripts.len() + menu.len() + cards.len();
        if size >= padding {
            break;
        }
        write_round(&mut scripts, &mut menu, &mut cards, number);
    }
    format!(
        "{head}<script>{scripts}</script></head><nav class=\"mega-menu\"><ul>{menu}</ul></nav>{body}\
         <section class=\"related-products\"><h2>You may also like</h2>{cards}</section><footer>{foot}"
    )
}

fn write_round(scripts: &mut String, menu: &mut String, cards: &mut String, number: u32) {
    let written = write!(
        scripts,
        "window.variants.push({{id:{number},sku:\"NB-{number:05}\",price:{},images:[\"/i/{number}/a.webp\",\"/i/{number}/b.webp\"],stock:{}}});",
        1990 + number * 7 % 9000,
        number % 17
    )
    .and(write!(menu, "<li><a href=\"/c/{number}\" class=\"mega-menu__link\">Category {number}</a></li>"))
    .and(write!(
        cards,
        "<div class=\"card card--product\" data-id=\"{number}\"><a href=\"/p/{number}\"><img src=\"/i/{number}/card.webp\" alt=\"Jacket {number}\" width=\"320\" height=\"320\" loading=\"lazy\"><span class=\"card__title\">Jacket number {number}</span></a><span class=\"card__price\">{}.00 EUR</span></div>",
        100 + number * 13 % 400
    ));
    written.expect("a string takes everything");
}

/// A product page of a shop, one of many: texts differ by number.
pub fn shop(number: usize) -> String {
    product()
        .replace("Aurora", &format!("Aurora {number}"))
        .replace("/jackets/aurora", &format!("/jackets/aurora-{number}"))
}
