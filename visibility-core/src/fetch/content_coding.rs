//! Content codings: what `Content-Encoding` says of a body, and what it says by mistake.

use crate::fetch::Headers;

/// A registered content coding of a body.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum AppliedCoding {
    Gzip,
    Deflate,
    Brotli,
    /// One that no request asks for.
    NotRequested,
}

/// Those of the [registry](https://www.iana.org/assignments/http-parameters#content-coding) that no request asks for.
const NOT_REQUESTED: [&str; 8] =
    ["aes128gcm", "compress", "dcb", "dcz", "exi", "pack200-gzip", "x-compress", "zstd"];

/// The fields `Content-Encoding` of a response.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(crate) struct ContentCodings {
    /// In the order in which they were applied.
    pub(crate) applied: Vec<AppliedCoding>,
    /// What is not a content coding, such as the name of a character set. Browsers ignore it.
    pub(crate) unknown: Vec<String>,
}

impl ContentCodings {
    pub(crate) fn from_headers(headers: &Headers) -> Self {
        let mut codings = Self::default();
        let fields = headers.all("content-encoding");
        for token in fields.iter().flat_map(|field| field.split(',')).map(str::trim) {
            match token.to_ascii_lowercase().as_str() {
                "" | "identity" => {}
                "gzip" | "x-gzip" => codings.applied.push(AppliedCoding::Gzip),
                "deflate" => codings.applied.push(AppliedCoding::Deflate),
                "br" => codings.applied.push(AppliedCoding::Brotli),
                name if NOT_REQUESTED.contains(&name) => {
                    codings.applied.push(AppliedCoding::NotRequested);
                }
                _ => codings.unknown.push(token.to_owned()),
            }
        }
        codings
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_a_coding_is_unknown() {
        use AppliedCoding::{Brotli, Deflate, Gzip, NotRequested};
        let codings = |values: &[&str]| {
            let headers = values.iter().map(|value| ("content-encoding", *value));
            ContentCodings::from_headers(&headers.collect())
        };
        for (values, applied) in [
            (&[][..], vec![]),
            (&["", "identity", " , "], vec![]),
            (&["GZIP"], vec![Gzip]),
            (&["x-gzip, identity"], vec![Gzip]),
            (&["deflate", "br"], vec![Deflate, Brotli]),
            (&["gzip,gzip"], vec![Gzip, Gzip]),
            (&["zstd"], vec![NotRequested]),
            (&["X-Compress"], vec![NotRequested]),
        ] {
            assert_eq!(codings(values), ContentCodings { applied, unknown: vec![] }, "{values:?}");
        }
        for token in [
            "UTF-8",
            "none",
            "aws-chunked",
            "binary",
            "8bit",
            "iso-8859-1",
            "text/html",
            "chunked",
            "true",
            "gzip;q=1",
            "*",
        ] {
            let unknown = vec![token.to_owned()];
            assert_eq!(codings(&[token]), ContentCodings { applied: vec![], unknown }, "{token}");
        }
        let mixed = codings(&["utf-8, gzip"]);
        assert_eq!((mixed.applied, mixed.unknown), (vec![Gzip], vec!["utf-8".to_owned()]));
    }
}
