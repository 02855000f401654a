//! The result of a domain as files, and the folder of its fixes as an archive.

use std::io::{Cursor, Write as _};
use std::net::SocketAddr;

use axum::body::Body;
use axum::extract::rejection::PathRejection;
use axum::extract::{ConnectInfo, Path, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_DISPOSITION};
use axum::http::{HeaderMap, HeaderValue, Uri};
use axum::response::Response;
use visibility_core::fetch::domain::Domain;
use visibility_core::report::fix_folder::{FolderFile, fix_folder};
use visibility_core::report::labels::Labels;
use visibility_core::report::{badge, html, markdown};
use visibility_core::scan::result::ScanResult;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use super::pages::no_result;
use super::{may_see, not_found, page_path, parse_domain, sign_in_first};
use crate::http::response::ApiError;
use crate::jobs::cache::response::conditional;
use crate::jobs::cache::{Coding, Representation};
use crate::site::asker::Asker;
use crate::site::layout::FrameKind;
use crate::site::page::PageContext;
use crate::site::scan::pages;
use crate::site::{problem_page, result_file};
use crate::state::AppState;

/// A file of a result.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum ResultFile {
    Json,
    Markdown,
    Badge,
    Html,
    Fixes,
}

impl ResultFile {
    fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "result.json" => Self::Json,
            "result.md" => Self::Markdown,
            "result.svg" => Self::Badge,
            "result.html" => Self::Html,
            "fixes.zip" => Self::Fixes,
            _ => return None,
        })
    }

    fn media_type(self) -> &'static str {
        match self {
            Self::Json => "application/json",
            Self::Markdown => "text/markdown; charset=utf-8",
            Self::Badge => "image/svg+xml",
            Self::Html => "text/html; charset=utf-8",
            Self::Fixes => "application/zip",
        }
    }
}

/// `GET /scan/{domain}/{file}`.
pub(super) async fn show(
    State(state): State<AppState>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    path: Result<Path<(String, String)>, PathRejection>,
    uri: Uri,
    headers: HeaderMap,
) -> Response {
    let context = PageContext::from_request(&state.shared().settings, "/", &uri, &headers);
    let shown = match path {
        Ok(Path((domain, file))) => {
            let asked = (domain.as_str(), file.as_str());
            show_file(&state, &context, peer, asked, (&uri, &headers)).await
        }
        Err(_) => Err(not_found()),
    };
    shown.unwrap_or_else(|error| problem_page::respond(&context, FrameKind::Plain, &error))
}

async fn show_file(
    state: &AppState,
    context: &PageContext,
    peer: SocketAddr,
    (domain, file): (&str, &str),
    (uri, headers): (&Uri, &HeaderMap),
) -> Result<Response, ApiError> {
    let file = ResultFile::parse(file).ok_or_else(not_found)?;
    let domain = parse_domain(state, domain)?;
    let asker = Asker::from_request(state, Some(peer), headers).await?;
    if !may_see(state, &asker, headers, &domain, &context.query) {
        return Ok(match asker {
            Asker::Person(_) => pages::no_scope(context),
            Asker::Visitor { .. } => sign_in_first(context, &page_path(&domain)),
        });
    }
    let negotiated = Representation::negotiate(uri, headers);
    let coding = if file == ResultFile::Json { negotiated.coding } else { Coding::Gzip };
    let representation = Representation { lang: context.lang, coding };
    let scans = &state.shared().scans;
    let cached = scans.cached(&domain, representation).await.ok_or_else(no_result)?;
    let mut response = if file == ResultFile::Json {
        conditional(&cached, representation, headers)
    } else {
        let result = scans.read(&cached, context.lang).ok_or_else(ApiError::internal)?;
        let bytes = render(file, &result)?;
        let mut response = Response::new(Body::from(bytes));
        response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
        response
    };
    protect(&mut response, file, &domain);
    Ok(response)
}

fn render(file: ResultFile, result: &ScanResult) -> Result<Vec<u8>, ApiError> {
    Ok(match file {
        // The bytes of the API are sent as they are.
        ResultFile::Json => Vec::new(),
        ResultFile::Markdown => markdown::render(result).into_bytes(),
        ResultFile::Badge => badge::render(result).into_bytes(),
        ResultFile::Html => html::render(result).into_string().into_bytes(),
        ResultFile::Fixes => {
            let files = fix_folder(result, Labels::for_result(result));
            if files.is_empty() {
                return Err(not_found());
            }
            archive(&files).map_err(|error| {
                tracing::error!(
                    error = &error as &dyn std::error::Error,
                    "an archive cannot be written"
                );
                ApiError::internal()
            })?
        }
    })
}

/// Files in an archive, stored and not compressed: they are small, and every program reads that.
fn archive(files: &[FolderFile]) -> Result<Vec<u8>, zip::result::ZipError> {
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
    for file in files {
        archive.start_file(file.path.as_str(), options)?;
        archive.write_all(file.content.as_bytes())?;
    }
    Ok(archive.finish()?.into_inner())
}

/// Says what a file is, so that no browser takes it for something else.
fn protect(response: &mut Response, file: ResultFile, domain: &Domain) {
    result_file::protect(response, file.media_type());
    if file == ResultFile::Fixes {
        let name = format!("attachment; filename=\"fixes-{domain}.zip\"");
        let name = HeaderValue::try_from(name).ok().map(|name| (CONTENT_DISPOSITION, name));
        response.headers_mut().extend(name);
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use super::*;

    #[test]
    fn an_archive_has_the_files_of_the_folder() {
        let file = |path: &str, content: &str| FolderFile {
            path: path.to_owned(),
            content: content.to_owned(),
        };
        let files = [file("README.txt", "Read this."), file("example.com/llms.txt", "# Ürün\n")];
        let bytes = archive(&files).unwrap();
        let mut read = zip::ZipArchive::new(Cursor::new(bytes)).unwrap();
        assert_eq!(read.len(), 2);
        for file in &files {
            let mut content = String::new();
            read.by_name(&file.path).unwrap().read_to_string(&mut content).unwrap();
            assert_eq!(content, file.content);
        }
    }
}
