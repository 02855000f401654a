//! What there is.

use crate::server::Server;

#[tokio::test]
async fn the_index_needs_no_key() {
    let server = Server::start().await;
    let answer = server.get("/api/v1").await;
    assert_eq!(answer.status(), 200);
    let index: serde_json::Value = answer.json().await.unwrap();
    assert_eq!(index["name"], "visibility");
}
