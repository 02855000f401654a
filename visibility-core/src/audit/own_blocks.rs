//! Which blocks of a page are about the thing itself.

use std::sync::OnceLock;

use crate::audit::availability::folded;
use crate::page::content::{Block, BlockKind, Content};
use crate::text::phrases::Phrases;

/// Words of a block that can be a label or a heading.
const MAX_LABEL_WORDS: usize = 12;

/// How many blocks are about the thing itself.
pub(crate) fn count_own(content: &Content) -> usize {
    let blocks = content.blocks.as_slice();
    let is_title = |block: &Block| block.kind == BlockKind::Heading(1);
    let title = blocks.iter().position(is_title).unwrap_or(0);
    let mut after = blocks.iter().skip(title + 1);
    let end = after.position(|block| is_title(block) || is_about_others(block));
    end.map_or(blocks.len(), |end| title + 1 + end)
}

fn is_about_others(block: &Block) -> bool {
    let is_label = matches!(block.kind, BlockKind::Heading(_)) || block.words() <= MAX_LABEL_WORDS;
    is_label && others().are_in(&folded(&block.text))
}

/// How lists of other things are headed.
fn others() -> &'static Phrases {
    static OTHERS: OnceLock<Phrases> = OnceLock::new();
    OTHERS.get_or_init(|| {
        let phrases = [
            "related products",
            "related items",
            "you may also",
            "you might also",
            "customers also",
            "similar products",
            "similar items",
            "recently viewed",
            "frequently bought",
            "recommended for you",
            "more from",
            "people also",
            "benzer urunler",
            "ilgili urunler",
            "bunlari da",
            "birlikte alinan",
            "son goruntulenen",
            "onerilen urunler",
            "sizin icin",
            "diger urunler",
            "ilginizi cekebilir",
            "bu urune bakanlar",
        ];
        Phrases::new(&phrases, &[])
    })
}
