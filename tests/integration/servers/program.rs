//! A server with the files of a fix, on loopback, and requests to it.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use tempfile::TempDir;
use visibility_core::rubric::fix::{Edit, FileMode, FixFile, Platform, files};
use visibility_tests::fixes::{pasted, replaced};
use visibility_tests::free_port::free_port;
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

/// How the rule that answers paths without a file begins: it says what it takes the place of.
const FALLBACK: &str = "# In place of the rule that sends";

/// What stands above a block that several fixes may have.
const LEAVE_OUT: &str = "# Leave it out if this location is there already.\n";

/// What a server has: the documents of a site, and rules in the server's own words.
#[derive(Clone, Debug)]
pub(crate) struct Contents {
    /// The host that it serves; `www.` of it has the same pages.
    pub(crate) host: String,
    documents: BTreeMap<String, String>,
    rules: Vec<String>,
    /// Whether paths without a file get the home page.
    has_fallback: bool,
}

impl Contents {
    pub(crate) fn new(host: &str, documents: BTreeMap<String, String>) -> Self {
        Self { host: host.to_owned(), documents, rules: Vec::new(), has_fallback: false }
    }

    /// As a single-page application is served.
    pub(crate) fn with_fallback(self) -> Self {
        Self { has_fallback: true, ..self }
    }

    pub(crate) fn document(&mut self, path: &str, body: String) {
        self.documents.insert(path.to_owned(), body);
    }

    /// Changes every page.
    pub(crate) fn rewrite_pages(&mut self, rewrite: impl Fn(&str) -> String) {
        let is_page = |path: &str| !ending(path).is_empty();
        let pages = self.documents.iter_mut().filter(|(path, _)| is_page(path));
        pages.for_each(|(_, body)| *body = rewrite(body));
    }

    /// Does with a file what it says.
    pub(crate) fn apply(&mut self, file: &FixFile) {
        match file.path.as_deref() {
            Some(path) if path.starts_with('/') => {
                let before = self.documents.remove(path).unwrap_or_default();
                let after = match file.mode {
                    FileMode::Create => file.content.clone(),
                    FileMode::Append => before + &file.content,
                    FileMode::Replace => replaced(&before, file),
                };
                self.document(path, after);
            }
            Some(path) => {
                assert_eq!(file.mode, FileMode::Append, "{path}");
                self.has_fallback &= !file.content.contains(FALLBACK);
                let new = self.without_known_locations(&file.content);
                self.rules.push(new);
            }
            None => {
                let page = self.documents.get("/").expect("a home page");
                self.document("/", pasted(page, file));
            }
        }
    }

    /// A piece without the blocks that it says to leave out where they are already.
    fn without_known_locations(&self, piece: &str) -> String {
        let mut parts = piece.split(LEAVE_OUT);
        let first = parts.next().unwrap_or_default().to_owned();
        parts.fold(first, |kept, part| {
            let (block, behind) = part.split_once("\n}\n").expect("a block");
            let is_known = self.rules.iter().any(|rule| rule.contains(block));
            let block = if is_known { String::new() } else { format!("{block}\n}}\n") };
            kept + &block + behind
        })
    }

    /// What the rules say for outside of the block of the site, and for inside of it.
    fn blocks(&self, outer: &str, inner: &str) -> (String, String) {
        let parts = self.rules.iter().map(|rule| match rule.split_once(inner) {
            Some(parts) => parts,
            None if rule.starts_with(outer) => (rule.as_str(), ""),
            None => ("", rule.as_str()),
        });
        parts.unzip()
    }
}

/// A server that runs until it is dropped.
#[derive(Debug)]
pub(crate) struct Program {
    child: Child,
    http: u16,
    https: u16,
    _folder: TempDir,
    authority: PathBuf,
}

impl Program {
    /// Serves a small site with the files of the edits.
    pub(crate) fn start(platform: Platform, edits: &[Edit]) -> Self {
        let page = format!("<!doctype html><title>Home</title>{}", "<p>tea</p>".repeat(PAGE / 10));
        let documents = [("/", page.as_str()), ("/index.md", "# Home\n")];
        let documents = documents.map(|(path, body)| (path.to_owned(), body.to_owned()));
        let mut contents = Contents::new("example.com", BTreeMap::from(documents));
        for file in files(edits, platform) {
            contents.apply(&file);
        }
        let has_rule = !contents.rules.is_empty() || edits.is_empty();
        assert!(has_rule, "{platform:?} has no rule for {edits:?}");
        Self::serve(platform, &contents)
    }

    pub(crate) fn serve(platform: Platform, contents: &Contents) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        // The workers of a server that root starts belong to another user.
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).expect("a folder");
        let setup = Setup::new(folder.path(), contents);
        setup.write_site();
        let (mut test, mut run) = match platform {
            Platform::Nginx => setup.nginx(),
            Platform::Apache => setup.apache(),
            _ => setup.caddy(),
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
        let authority = match platform {
            Platform::Caddy => setup.path("caddy/pki/authorities/local/root.crt"),
            _ => setup.path("authority.pem"),
        };
        let mut program =
            Self { child, http: setup.http, https: setup.https, authority, _folder: folder };
        program.wait(&contents.host, &setup.path("log"));
        // Caddy signs its certificates after it listens.
        let www = format!("www.{}", contents.host);
        let has_www = contents.rules.iter().any(|rule| rule.contains(&www));
        for name in [&contents.host].into_iter().chain(has_www.then_some(&www)) {
            program.ask(&format!("https://{name}/"), &[]);
        }
        program
    }

    /// The flags with which the command reaches this server under the name of a host.
    pub(crate) fn flags(&self, host: &str) -> Vec<String> {
        let rules = [host.to_owned(), format!("www.{host}")].map(|name| {
            let rule = |from, to| format!("--connect-to={name}:{from}:127.0.0.1:{to}");
            // A server may lead to the port on which it really listens.
            [rule(443, self.https), rule(80, self.http), rule(self.https, self.https)]
        });
        let authority = format!("--ca-cert={}", self.authority.display());
        rules.into_iter().flatten().chain([authority]).collect()
    }

    fn wait(&mut self, host: &str, log: &Path) {
        let start = Instant::now();
        while self.curl(&format!("http://{host}/"), &[]).is_none() {
            let said = fs::read_to_string(log).unwrap_or_default();
            let end = self.child.try_wait().expect("its state");
            assert!(end.is_none(), "the server ended: {end:?} {said}");
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

/// What a file of a page is called beyond its path.
fn ending(path: &str) -> &'static str {
    let is_page = !path.contains('.');
    match path.ends_with('/') {
        true => "index.html",
        false if is_page => ".html",
        false => "",
    }
}

/// The files of a server.
struct Setup<'c> {
    folder: PathBuf,
    contents: &'c Contents,
    http: u16,
    https: u16,
}

impl<'c> Setup<'c> {
    fn new(folder: &Path, contents: &'c Contents) -> Self {
        Self { folder: folder.to_owned(), contents, http: free_port(), https: free_port() }
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
        for (path, body) in &self.contents.documents {
            self.write(&format!("site{path}{}", ending(path)), body);
        }
        self.write("api/users.json", "[]");
        self.write("api/users", "[]");
        let authority = TestCa::new();
        let host = &self.contents.host;
        let (chain, key) = authority.leaf_pem(&[host, &format!("www.{host}")]);
        self.write("authority.pem", &authority.root_pem());
        self.write("chain.pem", &chain);
        self.write("key.pem", &key);
    }

    fn nginx(&self) -> (Command, Command) {
        let (outer, inner) = self.contents.blocks("# http block\n", "# server block\n");
        let (here, http, https) = (self.folder.display(), self.http, self.https);
        let host = &self.contents.host;
        let live = format!("/etc/letsencrypt/live/{host}");
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
        let fallback = if self.contents.has_fallback {
            "location / { try_files $uri $uri/ /index.html; }\n"
        } else {
            "try_files $uri $uri.html $uri/index.html =404;\n"
        };
        let temporary: String = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
            .map(|kind| format!("{kind}_temp_path {here}/temp;\n"))
            .concat();
        let config = format!(
            "daemon off;\nmaster_process off;\npid {here}/pid;\nerror_log stderr;\nevents {{}}\n\
             http {{\ninclude /etc/nginx/mime.types;\naccess_log off;\n{temporary}{outer}\n\
             server {{\n{plain}\nlisten 127.0.0.1:{https} ssl;\nserver_name {host};\n\
             ssl_certificate {here}/chain.pem;\nssl_certificate_key {here}/key.pem;\n\
             root {here}/site;\nlocation /api/ {{ root {here}; }}\n{fallback}{inner}}}\n}}\n"
        );
        self.write("nginx.conf", &config);
        let command = |options: &[&str]| {
            let mut command = Command::new("nginx");
            command.args(["-e", "stderr", "-c"]).arg(self.path("nginx.conf")).args(options);
            command
        };
        (command(&["-t"]), command(&[]))
    }

    fn apache(&self) -> (Command, Command) {
        let fallback = if self.contents.has_fallback {
            "RewriteEngine On\nRewriteCond %{REQUEST_FILENAME} !-f\nRewriteRule ^ /index.html [L]\n"
        } else {
            ""
        };
        self.write("site/.htaccess", &(fallback.to_owned() + &self.contents.rules.concat()));
        let (here, http, https) = (self.folder.display(), self.http, self.https);
        let host = &self.contents.host;
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
            "ServerRoot {here}\nServerName {host}\nPidFile {here}/pid\n\
             ErrorLog {here}/error.log\n{modules}User www-data\nGroup www-data\n\
             Listen 127.0.0.1:{http}\nListen 127.0.0.1:{https}\nTypesConfig /etc/mime.types\n\
             Alias /api/ {here}/api/\nDocumentRoot {here}/site\nDirectoryIndex index.html\n\
             <Directory {here}>\nAllowOverride All\nRequire all granted\n</Directory>\n\
             <VirtualHost 127.0.0.1:{https}>\nServerName {host}\nSSLEngine on\n\
             SSLCertificateFile {here}/chain.pem\nSSLCertificateKeyFile {here}/key.pem\n\
             RewriteEngine On\nRewriteCond {here}/site%{{REQUEST_URI}}.html -f\n\
             RewriteRule ^ %{{REQUEST_URI}}.html [L]\n</VirtualHost>\n"
        );
        self.write("apache.conf", &config);
        let command = |option: &str| {
            let mut command = Command::new("apache2");
            command.arg(option).arg("-f").arg(self.path("apache.conf"));
            command
        };
        (command("-t"), command("-X"))
    }

    fn caddy(&self) -> (Command, Command) {
        let (here, http, https) = (self.folder.display(), self.http, self.https);
        let (sites, lines) =
            self.contents.blocks("# outside of other blocks\n", "# block of the site\n");
        let server = match (lines.contains("file_server"), self.contents.has_fallback) {
            (true, _) => "",
            (false, true) => "\ttry_files {path} /index.html\n\tfile_server\n",
            (false, false) => "\ttry_files {path} {path}.html\n\tfile_server\n",
        };
        let host = &self.contents.host;
        let plain = if sites.is_empty() { format!("http://{host}, ") } else { String::new() };
        let config = format!(
            "{CADDY_HEAD}\thttp_port {http}\n\thttps_port {https}\n\tdefault_bind 127.0.0.1\n\
             \tstorage file_system {here}/caddy\n}}\n{sites}\n{plain}https://{host} {{\n\
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
