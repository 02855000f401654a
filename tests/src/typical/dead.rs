//! Sites without a home page, which have a good robots.txt.

use visibility_core::fetch::{FetchError, TlsError};

use crate::site::{Reply, Site, good};

/// A page of a registrar.
pub(super) fn parked() -> Site {
    let page = "<!doctype html><html lang=\"en\"><head><title>quiet-harbor.com</title></head><body>\
        <h1>This domain is for sale</h1><p>Make an offer for quiet-harbor.com today.</p></body></html>";
    Site::new("quiet-harbor.com").otherwise(Reply::html(page))
}

/// The head of a page, and nothing after it.
pub(super) fn no_bytes() -> Site {
    good("no-bytes.com").with("/", Reply::html(""))
}

/// What a web server shows before anybody has put a site there.
pub(super) fn default_page() -> Site {
    let page = "<!doctype html><html><head><title>Welcome to nginx!</title></head><body><h1>Welcome to nginx!</h1>\
        <p>If you see this page, the nginx web server is successfully installed and working.</p></body></html>";
    good("just-installed.com").with("/", Reply::html(page))
}

/// A text that stands for the site on every path while it is being repaired.
pub(super) fn maintenance() -> Site {
    let page = "<!doctype html><html lang=\"en\"><head><title>Back soon</title></head><body><h1>We'll be back \
        soon</h1><p>Our site is down for scheduled maintenance. Please check back in an hour.</p></body></html>";
    Site::new("back-in-an-hour.com").otherwise(Reply::html(page))
}

/// A picture in place of a page.
pub(super) fn picture() -> Site {
    let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec();
    good("all-picture.com").with("/", Reply::new("image/png", png))
}

/// A server without its site.
pub(super) fn missing() -> Site {
    good("moved-away.com").with("/", Reply::error(404))
}

/// A proxy that ends TLS in front of a server that wants it.
pub(super) fn redirect_loop() -> Site {
    good("round-and-round.com").with("/", Reply::redirect(301, "https://round-and-round.com/"))
}

fn failing(host: &str, error: FetchError) -> Site {
    good(host).failing("/", error)
}

fn protocol(reason: &str) -> FetchError {
    FetchError::Protocol { reason: reason.to_owned() }
}

pub(super) fn reset() -> Site {
    failing("hangs-up.com", protocol("connection reset by peer"))
}

pub(super) fn timeout() -> Site {
    failing("says-nothing.com", FetchError::Timeout { after_ms: 10_000 })
}

pub(super) fn garbage() -> Site {
    failing("speaks-tongues.com", protocol("invalid HTTP version parsed"))
}

pub(super) fn flood() -> Site {
    failing("all-head.com", protocol("the head of the response is too large"))
}

/// TLS for another name, and plain HTTP that redirects to it.
pub(super) fn broken_tls() -> Site {
    let host = "wrong-name.com";
    let error = FetchError::Tls { host: format!("{host}:443"), problem: TlsError::WrongName };
    failing(host, error)
}
