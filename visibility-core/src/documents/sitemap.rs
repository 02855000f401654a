//! Sitemaps by the protocol of sitemaps.org: XML `urlset` and `sitemapindex`, plain text, gzip.

mod xml;

use std::borrow::Cow;
use std::io::Read;

use chrono::{DateTime, Utc};
use encoding_rs::{Encoding, UTF_8};
use flate2::read::MultiGzDecoder;

use crate::limits::MAX_SITEMAP_BYTES;
use crate::text::note::Note;
use crate::text::syntax_error::XmlError;

/// Entries of one file, by the protocol.
const MAX_ENTRIES: usize = 50_000;
/// First bytes of a gzip file.
const GZIP: &[u8] = b"\x1f\x8b";

/// What a sitemap says.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Sitemap {
    /// Whether it is an index of sitemaps.
    pub is_index: bool,
    /// Whether the root element is in the namespace of the protocol.
    pub has_namespace: bool,
    /// Entries, in order; at most 50,000.
    pub entries: Vec<SitemapEntry>,
    /// Whether the file ended in the middle: it was capped, or there are more entries.
    pub cut: bool,
    /// Where it is not well-formed XML though it could be read: the first line, and why. Strict readers stop there.
    pub fault: Option<(usize, XmlError)>,
}

/// One `url` or `sitemap` element.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct SitemapEntry {
    /// `loc`, trimmed.
    pub loc: String,
    /// `lastmod`, if it is a W3C date: its first instant, such as the first of a month.
    pub lastmod: Option<DateTime<Utc>>,
    /// Whether there is a `lastmod` that is not a W3C date.
    pub bad_lastmod: bool,
}

/// Why a text is not a sitemap.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SitemapError {
    /// An HTML page.
    #[error("an HTML page, not a sitemap")]
    Html,
    /// XML with another root element.
    #[error("the root element is `{root}`, not `urlset` or `sitemapindex`")]
    Root {
        /// Its local name.
        root: String,
    },
    /// Not well-formed.
    #[error("not well-formed XML at line {line}: {reason}")]
    Xml {
        /// Line, counted from 1.
        line: usize,
        /// The first syntax error.
        reason: XmlError,
    },
    /// Neither XML nor a list of URLs.
    #[error("neither XML nor a list of URLs")]
    Unrecognized,
    /// No entries.
    #[error("no entries")]
    Empty,
}

impl SitemapError {
    /// What went wrong, for people.
    pub fn note(&self) -> Note {
        match self {
            Self::Html => Note::new("sitemap-html"),
            Self::Root { root } => Note::new("sitemap-root").with("root", root),
            Self::Xml { line, reason } => {
                Note::new("sitemap-xml").with("line", line).with_note("reason", reason.note())
            }
            Self::Unrecognized => Note::new("sitemap-unrecognized"),
            Self::Empty => Note::new("sitemap-empty"),
        }
    }
}

impl Sitemap {
    /// Reads a sitemap. `cut` says that the body was capped, so that a missing end is not an error.
    ///
    /// A gzip body is recognized by its first bytes and inflated up to the cap of sitemaps. DTDs
    /// and entities beyond the five of XML are not expanded. Lines of a plain list that are no
    /// `http(s)` URLs are left out, as are entries without `loc`.
    ///
    /// # Errors
    ///
    /// Why the body is not a sitemap.
    pub fn parse(body: &[u8], cut: bool) -> Result<Self, SitemapError> {
        let (body, cut) = inflated(body, cut);
        let whole = decoded(&body);
        let text = whole.trim_start();
        let start: String = text.chars().take(20).collect::<String>().to_ascii_lowercase();
        if start.starts_with("<!doctype html") || start.starts_with("<html") {
            return Err(SitemapError::Html);
        }
        if text.is_empty() {
            return Err(SitemapError::Empty);
        }
        if text.starts_with('<') { xml::parse(&whole, cut) } else { plain_list(text, cut) }
    }
}

/// The body, or what it inflates to; and whether the end is missing.
fn inflated(body: &[u8], cut: bool) -> (Cow<'_, [u8]>, bool) {
    if !body.starts_with(GZIP) {
        return (Cow::Borrowed(body), cut);
    }
    let mut inflated = Vec::new();
    let cap = u64::try_from(MAX_SITEMAP_BYTES).unwrap_or(u64::MAX);
    // What came before an error is kept; that the end is missing shows in the XML.
    let _ = MultiGzDecoder::new(body).take(cap).read_to_end(&mut inflated);
    let cut = cut || inflated.len() == MAX_SITEMAP_BYTES;
    (Cow::Owned(inflated), cut)
}

/// The text of a file: by its byte-order mark, by its XML declaration, else UTF-8.
fn decoded(body: &[u8]) -> Cow<'_, str> {
    match Encoding::for_bom(body) {
        Some((encoding, _)) => encoding.decode_with_bom_removal(body).0,
        None => declared_encoding(body).unwrap_or(UTF_8).decode_without_bom_handling(body).0,
    }
}

/// The encoding that the XML declaration of a body names.
fn declared_encoding(body: &[u8]) -> Option<&'static Encoding> {
    let start = String::from_utf8_lossy(body.get(..body.len().min(200)).unwrap_or_default());
    let declaration = start.trim_start().strip_prefix("<?xml")?.split("?>").next()?;
    let value = declaration.split_once("encoding")?.1.trim_start().strip_prefix('=')?;
    let label = value.trim_start().trim_start_matches(['"', '\'']);
    let encoding = Encoding::for_label(label.split(['"', '\'']).next()?.as_bytes())?;
    // A declaration that could be read as ASCII is not in UTF-16.
    encoding.is_ascii_compatible().then_some(encoding)
}

fn plain_list(text: &str, cut: bool) -> Result<Sitemap, SitemapError> {
    let is_url = |line: &&str| {
        let start = line.get(..8).unwrap_or_default().to_ascii_lowercase();
        (start.starts_with("http://") || start == "https://") && !line.contains(char::is_whitespace)
    };
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty()).peekable();
    if !lines.peek().is_some_and(is_url) {
        return Err(SitemapError::Unrecognized);
    }
    let mut urls = lines.filter(is_url);
    let entries: Vec<SitemapEntry> = urls
        .by_ref()
        .take(MAX_ENTRIES)
        .map(|loc| SitemapEntry { loc: loc.to_owned(), ..SitemapEntry::default() })
        .collect();
    let cut = cut || urls.next().is_some();
    Ok(Sitemap { entries, cut, ..Sitemap::default() })
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;
    use proptest::prelude::*;

    use super::*;
    use crate::text::machine_date;

    const NS: &str = "xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\"";

    fn locs(text: &str) -> Vec<String> {
        let sitemap = Sitemap::parse(text.as_bytes(), false).unwrap();
        sitemap.entries.into_iter().map(|entry| entry.loc).collect()
    }

    fn error(text: &str) -> SitemapError {
        Sitemap::parse(text.as_bytes(), false).unwrap_err()
    }

    fn gzip(text: &str) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(text.as_bytes()).unwrap();
        encoder.finish().unwrap()
    }

    /// The protocol, <https://www.sitemaps.org/protocol.html>.
    #[test]
    fn a_urlset_is_read() {
        let text = format!(
            "\u{feff}<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!-- c --><urlset {NS} xmlns:image=\"i\">\
             <url><loc> https://a.example/?a=1&amp;b=2&#x26;c </loc><lastmod>2005-01-01</lastmod>\
             <image:image><image:loc>https://a.example/i</image:loc></image:image></url>\
             <url><loc><![CDATA[https://a.example/<b>]]></loc><lastmod>yesterday</lastmod></url>\
             <url><lastmod/></url><other><loc>x</loc></other><url><loc/></url></urlset>"
        );
        let sitemap = Sitemap::parse(text.as_bytes(), false).unwrap();
        let entry = |loc: &str, lastmod, bad_lastmod| SitemapEntry {
            loc: loc.to_owned(),
            lastmod,
            bad_lastmod,
        };
        let entries = vec![
            entry("https://a.example/?a=1&b=2&c", machine_date::w3c_instant("2005-01-01"), false),
            entry("https://a.example/<b>", None, true),
        ];
        let expected =
            Sitemap { is_index: false, has_namespace: true, entries, cut: false, fault: None };
        assert_eq!(sitemap, expected);
    }

    #[test]
    fn an_index_is_recognized_by_its_root_and_the_namespace_by_its_prefix() {
        let cases = [
            ("<sitemapindex><sitemap><loc>a</loc></sitemap></sitemapindex>", true, false),
            (
                "<s:urlset xmlns:s='http://www.sitemaps.org/schemas/sitemap/0.9'><s:url><s:loc>a</s:loc></s:url></s:urlset>",
                false,
                true,
            ),
            (
                "<urlset xmlns='https://www.sitemaps.org/schemas/sitemap/0.9'><url><loc>a</loc></url></urlset>",
                false,
                false,
            ),
        ];
        for (text, is_index, has_namespace) in cases {
            let sitemap = Sitemap::parse(text.as_bytes(), false).unwrap();
            assert_eq!((sitemap.is_index, sitemap.has_namespace), (is_index, has_namespace));
            assert_eq!(sitemap.entries[0].loc, "a");
        }
    }

    #[test]
    fn other_files_are_refused_with_the_reason() {
        let xml = |line, reason| SitemapError::Xml { line, reason };
        let cases = [
            ("<!DOCTYPE html><p>", SitemapError::Html),
            ("<?xml version='1.0'?><html xmlns='x'/>", SitemapError::Html),
            ("<rss><channel/></rss>", SitemapError::Root { root: "rss".to_owned() }),
            ("User-agent: *", SitemapError::Unrecognized),
            ("", SitemapError::Empty),
            ("<urlset></urlset>", SitemapError::Empty),
            ("<urlset>\n<url>\n<loc>a</loc></url>", xml(3, XmlError::OpenRoot)),
            ("<!-- only -->", xml(1, XmlError::NoRoot)),
            ("<urlset/><urlset/>", xml(1, XmlError::SecondRoot)),
        ];
        for (text, reason) in cases {
            assert_eq!(error(text), reason, "{text}");
        }
        for text in
            ["<urlset>\n<url>\n</urlset>", "<urlset>\n<url><loc>\na&b=1</loc>", "<urlset>\n\n<"]
        {
            assert!(matches!(error(text), SitemapError::Xml { line: 2..=3, .. }), "{text}");
        }
    }

    #[test]
    fn a_cut_file_gives_what_is_complete() {
        let text = format!("<urlset {NS}><url><loc>a</loc></url><url><loc>b");
        for end in ["", "</loc", "</loc></url", "&am"] {
            let sitemap = Sitemap::parse(format!("{text}{end}").as_bytes(), true).unwrap();
            assert_eq!((sitemap.entries.len(), sitemap.cut), (1, true), "{end}");
        }
        assert_eq!(Sitemap::parse(b"<urlset", true), Err(error("<!-- only -->")));
    }

    #[test]
    fn a_plain_list_is_read() {
        assert_eq!(
            locs("\u{feff}https://a.example/1\r\n\nno url\nHTTP://a.example/2"),
            ["https://a.example/1", "HTTP://a.example/2"]
        );
    }

    #[test]
    fn gzip_is_inflated_up_to_the_cap() {
        let sitemap = Sitemap::parse(&gzip("<urlset><url><loc>a</loc></url></urlset>"), false);
        assert_eq!(sitemap.map(|sitemap| sitemap.entries.len()), Ok(1));
        let bomb = format!("<urlset><url><loc>a</loc></url>{}", " ".repeat(2 * MAX_SITEMAP_BYTES));
        let sitemap = Sitemap::parse(&gzip(&bomb), false).unwrap();
        assert_eq!((sitemap.entries.len(), sitemap.cut), (1, true));
        assert_eq!(Sitemap::parse(GZIP, false), Err(SitemapError::Empty));
    }

    #[test]
    fn other_encodings_are_decoded() {
        let utf16: Vec<u8> =
            "\u{feff}https://a.example/ş".encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(Sitemap::parse(&utf16, false).unwrap().entries[0].loc, "https://a.example/ş");
        let latin = b"<?xml version='1.0' encoding='ISO-8859-9'?><urlset><url><loc>\xfe</loc></url></urlset>";
        assert_eq!(Sitemap::parse(latin, false).unwrap().entries[0].loc, "ş");
    }

    #[test]
    fn entities_of_a_dtd_are_not_expanded() {
        let text = "<!DOCTYPE urlset [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;\">]><urlset><url><loc>x&b;y</loc></url></urlset>";
        assert_eq!(locs(text), ["xy"]);
    }

    #[test]
    fn entries_and_nesting_are_bounded() {
        let many =
            format!("<urlset>{}</urlset>", "<url><loc>a</loc></url>".repeat(MAX_ENTRIES + 1));
        let sitemap = Sitemap::parse(many.as_bytes(), false).unwrap();
        assert_eq!((sitemap.entries.len(), sitemap.cut), (MAX_ENTRIES, true));
        let deep = "<urlset>".to_owned() + &"<a>".repeat(200_000);
        assert!(matches!(error(&deep), SitemapError::Xml { .. }));
        let long = format!("<urlset><url><loc>a{}</loc></url></urlset>", "&amp;".repeat(100_000));
        assert!(locs(&long)[0].len() < 10_000);
    }

    proptest! {
        #[test]
        fn no_bytes_make_the_parser_panic(
            body in proptest::collection::vec(any::<u8>(), 0..200),
            xml in "(<urlset>|</?(url|loc|lastmod)>|<!\\[CDATA\\[|\\]\\]>|&(#x?)?[a-z0-9]{0,4};?|<!|[ -~ü]){0,30}",
            cut: bool,
        ) {
            let _ = (Sitemap::parse(&body, cut), Sitemap::parse(xml.as_bytes(), cut));
            let _ = Sitemap::parse(&[GZIP, b"\x08\0\0\0\0\0\0\x03", &body].concat(), cut);
        }
    }
}
