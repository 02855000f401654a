//! A server with the files of a fix, on loopback, and requests to it.

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use tempfile::TempDir;
use visibility_core::rubric::fix::{Edit, FileMode, Platform, files};
use visibility_tests::tls::TestCa;
use visibility_tests::wait::PATIENCE;

/// The home page; long enough to be compressed.
const PAGE: usize = 4000;

const CADDY_HEAD: &str = "{\n\tadmin off\n\tlocal_certs\n\tskip_install_trust\n";

/// What a server sent.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    fields: Vec<(String, String)>,
    pub(crate) body: String,
}

impl Reply {
    /// All values of a header field, joined.
    pub(crate) fn field(&self, name: &str) -> String {
        let named = self.fields.iter().filter(|(field, _)| field.eq_ignore_ascii_case(name));
        named.map(|(_, value)| value.as_str()).collect::<Vec<_>>().join(", ")
    }
}

/// A server that runs until it is dropped.
#[derive(Debug)]
pub(crate) struct Program {
    child: Child,
    http: u16,
    https: u16,
    _folder: TempDir,
}

impl Program {
    /// Writes the files of the edits where they say, and starts the server of the platform.
    pub(crate) fn start(platform: Platform, edits: &[Edit]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        // The workers of a server that root starts belong to another user.
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).expect("a folder");
        let setup = Setup::new(folder.path());
        setup.write_site();
        let mut rules = Vec::new();
        for file in files(edits, platform) {
            let path = file.path.expect("a file of a server has a path");
            if path.starts_with('/') {
                setup.write(&format!("site{path}"), &file.content);
            } else {
                assert_eq!(file.mode, FileMode::Append, "{path}");
                rules.push(file.content);
            }
        }
        assert!(!rules.is_empty() || edits.is_empty(), "{platform:?} has no rule for {edits:?}");
        let (mut test, mut run) = match platform {
            Platform::Nginx => setup.nginx(&rules),
            Platform::Apache => setup.apache(&rules),
            _ => setup.caddy(&rules),
        };
        let tested = test.output().expect("the server is installed");
        let said = String::from_utf8_lossy(&tested.stderr);
        assert!(tested.status.success(), "{platform:?}: {said}");
        assert!(!said.contains("[warn]"), "{platform:?}: {said}");
        let log = fs::File::create(setup.path("log")).expect("a log");
        let child = run
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .expect("the server starts");
        let program = Self { child, http: setup.http, https: setup.https, _folder: folder };
        program.wait(&setup.path("log"));
        program
    }

    fn wait(&self, log: &Path) {
        let start = Instant::now();
        while self.curl("http://example.com/", &[]).is_none() {
            let said = fs::read_to_string(log).unwrap_or_default();
            assert!(start.elapsed() < PATIENCE, "{said}");
            sleep(Duration::from_millis(50));
        }
    }

    /// Gets a path of `https://example.com`.
    pub(crate) fn get(&self, path: &str) -> Reply {
        self.ask(&format!("https://example.com{path}"), &[])
    }

    /// Sends a request with these header fields.
    pub(crate) fn ask(&self, url: &str, fields: &[&str]) -> Reply {
        let start = Instant::now();
        loop {
            if let Some(reply) = self.curl(url, fields) {
                return reply;
            }
            // Caddy signs its certificates after it listens.
            assert!(start.elapsed() < PATIENCE, "no response to {url}");
            sleep(Duration::from_millis(50));
        }
    }

    fn curl(&self, url: &str, fields: &[&str]) -> Option<Reply> {
        let port = if url.starts_with("https:") { self.https } else { self.http };
        let mut curl = Command::new("curl");
        curl.args(["--silent", "--include", "--insecure", "--max-time", "10", "--noproxy", "*"]);
        curl.args(["--connect-to", &format!("::127.0.0.1:{port}")]);
        for field in fields {
            curl.args(["--header", field]);
        }
        let done = curl.arg(url).output().expect("curl");
        let text = String::from_utf8_lossy(&done.stdout).into_owned();
        let (head, body) = text.split_once("\r\n\r\n")?;
        let mut lines = head.lines();
        let status = lines.next()?.split(' ').nth(1)?.parse().ok()?;
        let fields = lines
            .filter_map(|line| line.split_once(':'))
            .map(|(name, value)| (name.to_owned(), value.trim().to_owned()))
            .collect();
        Some(Reply { status, fields, body: body.to_owned() })
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

/// The files of a server.
struct Setup {
    folder: PathBuf,
    http: u16,
    https: u16,
}

impl Setup {
    fn new(folder: &Path) -> Self {
        let ports = [0, 0].map(|port| TcpListener::bind(("127.0.0.1", port)).expect("a port"));
        let [http, https] = ports.map(|port| port.local_addr().expect("an address").port());
        Self { folder: folder.to_owned(), http, https }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    fn write(&self, name: &str, content: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, content).expect("it is written");
    }

    fn write_site(&self) {
        let page = format!("<!doctype html><title>Home</title>{}", "<p>tea</p>".repeat(PAGE / 10));
        self.write("site/index.html", &page);
        self.write("site/index.md", "# Home\n");
        self.write("api/users.json", "[]");
        self.write("api/users", "[]");
        let (chain, key) = TestCa::new().leaf_pem(&["example.com", "www.example.com"]);
        self.write("chain.pem", &chain);
        self.write("key.pem", &key);
    }

    fn nginx(&self, rules: &[String]) -> (Command, Command) {
        let (mut outer, mut inner) = (String::new(), String::new());
        for rule in rules {
            let (http, server) = match rule.split_once("# server block\n") {
                Some(parts) => parts,
                None if rule.starts_with("location") || rule.starts_with("add_header") => {
                    ("", rule.as_str())
                }
                None => (rule.as_str(), ""),
            };
            outer.push_str(http);
            inner.push_str(server);
        }
        let (here, http, https) = (self.folder.display(), self.http, self.https);
        let live = "/etc/letsencrypt/live/example.com";
        let outer = outer
            .replace("listen 80;", &format!("listen 127.0.0.1:{http};"))
            .replace("listen 443 ssl;", &format!("listen 127.0.0.1:{https} ssl;"))
            .replace(&format!("{live}/fullchain.pem"), &format!("{here}/chain.pem"))
            .replace(&format!("{live}/privkey.pem"), &format!("{here}/key.pem"));
        let plain = if outer.contains("return 301") {
            String::new()
        } else {
            format!("listen 127.0.0.1:{http};")
        };
        let temporary: String = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
            .map(|kind| format!("{kind}_temp_path {here}/temp;\n"))
            .concat();
        let config = format!(
            "daemon off;\nmaster_process off;\npid {here}/pid;\nerror_log stderr;\nevents {{}}\n\
             http {{\ninclude /etc/nginx/mime.types;\naccess_log off;\n{temporary}{outer}\n\
             server {{\n{plain}\nlisten 127.0.0.1:{https} ssl;\nserver_name example.com;\n\
             ssl_certificate {here}/chain.pem;\nssl_certificate_key {here}/key.pem;\n\
             root {here}/site;\nlocation /api/ {{ root {here}; }}\n{inner}}}\n}}\n"
        );
        self.write("nginx.conf", &config);
        let command = |options: &[&str]| {
            let mut command = Command::new("nginx");
            command.args(["-e", "stderr", "-c"]).arg(self.path("nginx.conf")).args(options);
            command
        };
        (command(&["-t"]), command(&[]))
    }

    fn apache(&self, rules: &[String]) -> (Command, Command) {
        self.write("site/.htaccess", &rules.concat());
        let (here, http, https) = (self.folder.display(), self.http, self.https);
        let modules: String = [
            "mpm_event",
            "authz_core",
            "dir",
            "mime",
            "rewrite",
            "headers",
            "setenvif",
            "filter",
            "deflate",
            "alias",
            "ssl",
        ]
        .map(|name| format!("LoadModule {name}_module /usr/lib/apache2/modules/mod_{name}.so\n"))
        .concat();
        let config = format!(
            "ServerRoot {here}\nServerName example.com\nPidFile {here}/pid\n\
             ErrorLog {here}/error.log\n{modules}User www-data\nGroup www-data\n\
             Listen 127.0.0.1:{http}\nListen 127.0.0.1:{https}\nTypesConfig /etc/mime.types\n\
             Alias /api/ {here}/api/\nDocumentRoot {here}/site\nDirectoryIndex index.html\n\
             <Directory {here}>\nAllowOverride All\nRequire all granted\n</Directory>\n\
             <VirtualHost 127.0.0.1:{https}>\nServerName example.com\nSSLEngine on\n\
             SSLCertificateFile {here}/chain.pem\nSSLCertificateKeyFile {here}/key.pem\n\
             </VirtualHost>\n"
        );
        self.write("apache.conf", &config);
        let command = |option: &str| {
            let mut command = Command::new("apache2");
            command.arg(option).arg("-f").arg(self.path("apache.conf"));
            command
        };
        (command("-t"), command("-X"))
    }

    fn caddy(&self, rules: &[String]) -> (Command, Command) {
        let (here, http, https) = (self.folder.display(), self.http, self.https);
        let (sites, lines): (Vec<&String>, Vec<&String>) =
            rules.iter().partition(|rule| rule.starts_with("www.example.com"));
        let sites: String = sites.into_iter().map(String::as_str).collect();
        let lines: String = lines.into_iter().map(String::as_str).collect();
        let server = if lines.contains("file_server") { "" } else { "\tfile_server\n" };
        let plain = if sites.is_empty() { "http://example.com, " } else { "" };
        let config = format!(
            "{CADDY_HEAD}\thttp_port {http}\n\thttps_port {https}\n\tdefault_bind 127.0.0.1\n\
             \tstorage file_system {here}/caddy\n}}\n{sites}\n{plain}https://example.com {{\n\
             \troot * {here}/site\n\thandle /api/* {{\n\t\troot * {here}\n\t\tfile_server\n\t}}\n\
             {lines}{server}}}\n"
        );
        self.write("Caddyfile", &config);
        let command = |verb: &str| {
            let mut command = Command::new("caddy");
            command.env("HOME", &self.folder).env("XDG_DATA_HOME", &self.folder);
            command.args([verb, "--adapter", "caddyfile", "--config"]).arg(self.path("Caddyfile"));
            command
        };
        (command("validate"), command("run"))
    }
}
