//! Values of a page with what proves that they are its own.

/// A value, and what proves it.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Proven<T> {
    pub(crate) value: T,
    pub(crate) proof: Proof,
}

/// What proves that a value is the page's own.
///
/// A value without such a proof is never proposed: a placeholder takes its place.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Proof {
    /// The main heading, and the title says it too.
    HeadingAndTitle,
    /// The only main heading of a page that has no title to compare it with.
    OnlyHeading,
    /// A byline in sight.
    Byline,
    /// An element of the head that states it about this page.
    Head,
    /// A `time` element that says what it is.
    MarkedTime,
    /// A line beside the main heading that says nothing else, on a page with a button to buy.
    BuyBlock,
    /// A marked trail whose steps lead to the page.
    MarkedTrail,
    /// Items of one list of the main content, each with its own price.
    PricedList,
    /// An image of the main content whose text has the name of the page.
    NamedImage,
    /// The markup of what the page is about.
    Markup,
    /// A large image of the beginning of the main content.
    LargeImage,
    /// An image in the link to the home page that is named as a logo.
    HomeLink,
}

impl<T> Proven<T> {
    pub(super) fn new(value: T, proof: Proof) -> Self {
        Self { value, proof }
    }
}
