//! `health`, which containers ask.

use crate::server::program::Place;

#[test]
fn health_says_whether_the_server_is_ready() {
    let place = Place::new();
    let service = place.serve(&[]);
    let address = service.address();
    for arguments in [&["health"][..], &["health", "--alive"]] {
        let run = place.run(&[arguments, &["--listen", &address]].concat());
        let wanted = if arguments.len() == 1 { "ready" } else { "alive" };
        let text = format!("The server at {address} is {wanted}.\n");
        assert_eq!((run.code, run.stdout, run.stderr), (Some(0), text, String::new()));
    }
    // One of all addresses is asked at its own.
    let port = address.rsplit_once(':').unwrap().1;
    let run = place.run(&["health", "--listen", &format!("0.0.0.0:{port}")]);
    assert_eq!(run.stdout, format!("The server at 127.0.0.1:{port} is ready.\n"));

    drop(service);
    let run = place.run(&["health", "--listen", &address]);
    assert_eq!(run.code, Some(1));
    let expected = format!("No server answers at {address}: Connection refused");
    assert!(run.stdout.starts_with(&expected), "{}", run.stdout);
}

#[test]
fn what_answers_in_another_way_is_not_ready() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let answers = ["HTTP/1.1 503 Service Unavailable\r\n\r\n", "SSH-2.0-OpenSSH_9.2\r\n", ""];
    let server = std::thread::spawn(move || {
        for answer in answers {
            use std::io::{Read as _, Write as _};
            let (mut connection, _) = listener.accept().unwrap();
            let _ = connection.read(&mut [0; 1024]).unwrap();
            connection.write_all(answer.as_bytes()).unwrap();
        }
    });
    let place = Place::new();
    for expected in ["is not ready: 503.\n", "what answers is no such server.\n"] {
        let run = place.run(&["health", "--listen", &address]);
        assert_eq!(run.code, Some(1));
        assert!(run.stdout.ends_with(expected), "{}", run.stdout);
    }
    assert_eq!(place.run(&["health", "--listen", &address]).code, Some(1));
    server.join().unwrap();
}
