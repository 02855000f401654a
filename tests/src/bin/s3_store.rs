//! An S3-compatible store that keeps objects as files, until standard input ends: `s3-store FOLDER ACCESS_KEY SECRET_KEY`.
//!
//! Each folder in `FOLDER` is a bucket. It prints its address.

use std::error::Error;
use std::io::{Read, Write};

use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto::Builder;
use s3s::auth::SimpleAuth;
use s3s::service::S3ServiceBuilder;
use s3s_fs::FileSystem;
use tokio::net::TcpListener;

const USAGE: &str = "usage: s3-store FOLDER ACCESS_KEY SECRET_KEY";

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [folder, access_key, secret_key] = arguments.as_slice() else { return Err(USAGE.into()) };
    let Ok(files) = FileSystem::new(folder) else { return Err("the folder cannot be used".into()) };
    let mut service = S3ServiceBuilder::new(files);
    service.set_auth(SimpleAuth::from_single(access_key, secret_key.as_str()));
    let service = service.build();

    let listener = TcpListener::bind("127.0.0.1:0").await?;
    writeln!(std::io::stdout(), "http://{}", listener.local_addr()?)?;
    let ended = tokio::task::spawn_blocking(|| std::io::stdin().read_to_end(&mut Vec::new()));
    let serve = async {
        loop {
            // A connection that was cut before it was accepted is no reason to end.
            let Ok((stream, _)) = listener.accept().await else { continue };
            let service = service.clone();
            tokio::spawn(async move {
                let server = Builder::new(TokioExecutor::new());
                // What is wrong with a connection is for its client to say.
                let _ = server.serve_connection(TokioIo::new(stream), service).await;
            });
        }
    };
    tokio::select! {
        () = serve => {}
        ended = ended => { ended??; }
    }
    Ok(())
}
