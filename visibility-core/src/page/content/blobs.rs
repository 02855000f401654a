//! Bytes of a page that are not text: scripts, styles, drawings, and the data of frameworks.

use html5ever::{LocalName, local_name};
use memchr::memmem;

use crate::page::content::Blob;
use crate::page::content::collect::ContentWalk;
use crate::page::content::mark::Origin;
use crate::page::element::Element;
use crate::page::tree::NodeId;

/// Blobs that are kept, heaviest first.
const MAX_HEAVY: usize = 3;
/// Hydration blobs that are kept.
const MAX_HYDRATION: usize = 100;
/// Bytes from which a data block is taken for state that a script puts into the page.
const MIN_JSON_BYTES: usize = 20 * 1024;
const MAX_NAME_BYTES: usize = 100;

/// Names of the state that frameworks assign.
const STATES: [&str; 6] = [
    "__APOLLO_STATE__",
    "__INITIAL_STATE__",
    "__NEXT_DATA__",
    "__NUXT_DATA__",
    "__NUXT__",
    "__PRELOADED_STATE__",
];
/// The name of the stream of state that `self.__next_f.push(` adds to.
const STREAM: &str = "self.__next_f";

impl ContentWalk<'_> {
    /// Notes what is heavy, and what scripts are to put into the page.
    pub(super) fn blob(&mut self, id: NodeId, element: &Element, name: &LocalName) {
        match *name {
            local_name!("script") => self.script(id, element),
            local_name!("style") => {
                let bytes = self.tree.raw_text(id).map_or(0, |(text, _)| text.len());
                self.heavy("style", bytes, id);
            }
            local_name!("img") | local_name!("source") | local_name!("object") => {
                for attribute in ["src", "data", "srcset"] {
                    if let Some(value) = element.attribute(attribute)
                        && value.starts_with("data:")
                    {
                        let kind = value.split([';', ',']).next().unwrap_or_default();
                        self.heavy(kind, value.len(), id);
                    }
                }
            }
            _ if *element.local() == local_name!("svg") => {
                let bytes = self.source_bytes(id);
                self.heavy("svg", bytes, id);
            }
            _ if self.measures.mark(id).origin == Origin::Slot => {
                let bytes = self.source_bytes(id);
                self.hydration(element.attribute("id").unwrap_or_default(), bytes, id);
            }
            _ => {}
        }
    }

    fn script(&mut self, id: NodeId, element: &Element) {
        let Some((code, _)) = self.tree.raw_text(id) else { return };
        let kind = element
            .attribute("type")
            .unwrap_or_default()
            .split(';')
            .next()
            .unwrap_or_default()
            .trim();
        let is_json = kind.eq_ignore_ascii_case("application/json");
        let state = state_of(element.attribute("id").unwrap_or_default(), code);
        let name = state.or(is_json.then_some("application/json"));
        self.heavy(name.unwrap_or("script"), code.len(), id);
        if state == Some(STREAM) {
            self.stream(code.len(), id);
        } else if let Some(name) = name
            && (state.is_some() || code.len() > MIN_JSON_BYTES)
        {
            self.hydration(name, code.len(), id);
        }
    }

    /// Adds a piece of the stream to its sum.
    fn stream(&mut self, bytes: usize, id: NodeId) {
        match self.content.hydration.iter_mut().find(|blob| blob.name == STREAM) {
            Some(blob) => blob.bytes += bytes,
            None => self.hydration(STREAM, bytes, id),
        }
    }

    fn hydration(&mut self, name: &str, bytes: usize, id: NodeId) {
        if self.content.hydration.len() < MAX_HYDRATION {
            let blob = self.new_blob(name, bytes, id);
            self.content.hydration.push(blob);
        }
    }

    fn heavy(&mut self, name: &str, bytes: usize, id: NodeId) {
        let rank = self.content.heavy.iter().take_while(|blob| blob.bytes >= bytes).count();
        if bytes > 0 && rank < MAX_HEAVY {
            let blob = self.new_blob(name, bytes, id);
            self.content.heavy.insert(rank, blob);
            self.content.heavy.truncate(MAX_HEAVY);
        }
    }

    fn new_blob(&self, name: &str, bytes: usize, id: NodeId) -> Blob {
        let name = name.get(..name.floor_char_boundary(MAX_NAME_BYTES)).unwrap_or_default();
        Blob { name: name.to_owned(), bytes, line: self.line(id), node: id }
    }

    /// Bytes of the source from the start of an element to what follows it.
    fn source_bytes(&self, id: NodeId) -> usize {
        let end = self.tree.end(id).unwrap_or(self.html.len());
        end.saturating_sub(self.tree.offset(id))
    }
}

/// The name of the state that a script holds, by its `id` or by what it assigns.
fn state_of(id: &str, code: &str) -> Option<&'static str> {
    let named = |text: &str| STATES.into_iter().find(|name| text.starts_with(name));
    named(id).or_else(|| {
        memmem::find_iter(code.as_bytes(), "__").find_map(|at| {
            let rest = code.get(at..)?;
            if rest.starts_with("__next_f.push(") {
                return Some(STREAM);
            }
            let name = named(rest)?;
            let after = rest.get(name.len()..)?.trim_start_matches(['"', '\'', ']', ' ']);
            (after.starts_with('=') && !after.starts_with("==")).then_some(name)
        })
    })
}

#[cfg(test)]
mod tests {
    use crate::page::Document;
    use crate::page::content::Content;

    fn content(html: &str) -> Content {
        Document::parse(html.as_bytes(), None).content()
    }

    fn hydration(html: &str) -> Vec<(String, usize)> {
        content(html).hydration.into_iter().map(|blob| (blob.name, blob.bytes)).collect()
    }

    #[test]
    fn state_is_known_by_id_and_by_assignment() {
        let cases = [
            ("<script id=__NEXT_DATA__ type=application/json>{}</script>", "__NEXT_DATA__", 2),
            ("<script id=__NUXT_DATA__>[]</script>", "__NUXT_DATA__", 2),
            ("<script>window.__NUXT__={}</script>", "__NUXT__", 18),
            ("<script>var a=b__c;window.__APOLLO_STATE__ = {}</script>", "__APOLLO_STATE__", 39),
            ("<script>window['__INITIAL_STATE__']=1</script>", "__INITIAL_STATE__", 29),
            ("<script>__PRELOADED_STATE__=1</script>", "__PRELOADED_STATE__", 21),
        ];
        for (html, name, bytes) in cases {
            assert_eq!(hydration(html), [(name.to_owned(), bytes)], "{html}");
        }
        for html in [
            "<script>if(window.__NUXT__==1){}</script>",
            "<script>use(window.__NUXT__)</script>",
            "<script>__esModule</script>",
            "<script type=application/json>{}</script>",
            "<script src=a.js></script>",
        ] {
            assert_eq!(hydration(html), [], "{html}");
        }
    }

    #[test]
    fn streams_are_summed_and_slots_are_found() {
        let html = "<script>self.__next_f.push([1])</script><script>self.__next_f.push([22])</script>\
                    <div hidden id=S:0><p>late</p></div><div id=S:1>no</div>";
        assert_eq!(hydration(html), [("self.__next_f".to_owned(), 47), ("S:0".to_owned(), 36)]);
    }

    #[test]
    fn data_blocks_count_from_twenty_kilobytes() {
        let block = |len| format!("<script type=application/json>{}</script>", "1".repeat(len));
        assert_eq!(hydration(&block(20_480)), []);
        assert_eq!(hydration(&block(20_481)), [("application/json".to_owned(), 20_481)]);
    }

    #[test]
    fn the_three_heaviest_blobs_are_kept() {
        let html = "<style>12345</style>\n<script>123</script><svg><path d='0123456789'></svg>\
                    <img src='data:image/png;base64,0123456789'><script>1</script>";
        let found: Vec<_> =
            content(html).heavy.into_iter().map(|b| (b.name, b.bytes, b.line)).collect();
        assert_eq!(
            found,
            [
                ("svg".to_owned(), 32, 2),
                ("data:image/png".to_owned(), 32, 2),
                ("style".to_owned(), 5, 1),
            ]
        );
    }
}
