//! Rules of servers in the words of nginx, Apache and Caddy. Each of them is run by the tests on the
//! real server.

use crate::rubric::fix::config::{CADDY_OUTER, CADDYFILE, NGINX_CONF, NGINX_OUTER};
use crate::rubric::fix::files::{TEXT, is_host};
use crate::rubric::fix::{FileMode, FixFile, Platform, ServerRule};

/// A server whose configuration is a file, and that file.
const SERVERS: [(Platform, &str); 3] =
    [(Platform::Nginx, NGINX_CONF), (Platform::Apache, ".htaccess"), (Platform::Caddy, CADDYFILE)];

const SHELL: &str = "application/x-sh";

/// The rule for the server that runs; one file for each server where that is not known, of which a
/// person takes one.
pub(super) fn files(rule: &ServerRule, platform: Platform) -> Vec<FixFile> {
    let written_for = |server: Platform| match platform {
        Platform::Generic => true,
        // A theme cannot have rules: they belong to the server below, for which WordPress documents `.htaccess`.
        Platform::WordPress => server == Platform::Apache,
        _ => server == platform,
    };
    SERVERS
        .into_iter()
        .filter(|(server, _)| written_for(*server))
        .filter_map(|(server, path)| {
            let content = content(rule, server)?;
            Some(match script(rule, server) {
                Some(script) => FixFile::at(script, SHELL, FileMode::Create, content),
                None => FixFile::at(path, TEXT, FileMode::Append, content),
            })
        })
        .collect()
}

/// A command to run, where that does it and no line of a configuration.
fn script(rule: &ServerRule, server: Platform) -> Option<&'static str> {
    match (rule, server) {
        (ServerRule::Certificate { .. }, Platform::Nginx) => Some("certbot-nginx.sh"),
        (ServerRule::Certificate { .. }, Platform::Apache) => Some("certbot-apache.sh"),
        _ => None,
    }
}

/// The rule for nginx: what is shown where there is room for one text.
pub(super) fn text(rule: &ServerRule) -> Option<String> {
    content(rule, Platform::Nginx)
}

fn content(rule: &ServerRule, server: Platform) -> Option<String> {
    match rule {
        ServerRule::NotFound => not_found(server).map(str::to_owned),
        ServerRule::Redirects { names, canonical } => redirects(server, names, canonical),
        ServerRule::Certificate { names } => certificate(server, names),
        ServerRule::Markdown { host } => markdown(server, host),
        ServerRule::Compression => compression(server).map(str::to_owned),
        ServerRule::Caching => caching(server).map(str::to_owned),
    }
}

fn not_found(server: Platform) -> Option<&'static str> {
    match server {
        Platform::Nginx => Some(
            "# In place of the rule that sends the home page for unknown paths.\n\
             location ^~ /.well-known/ { try_files $uri =404; }\n\
             location / {\n    \
             # Inside, so that it leaves paths of an API to their own location.\n    \
             location ~ \\.[a-z0-9]+$ { try_files $uri =404; }\n    \
             try_files $uri $uri/ /index.html;\n\
             }\n",
        ),
        Platform::Apache => Some(
            "# In place of the rule that sends the home page for unknown paths.\n\
             RewriteEngine On\n\
             RewriteCond %{REQUEST_FILENAME} !-f\n\
             RewriteRule ^\\.well-known/|\\.[a-z0-9]+$ - [R=404,L]\n\
             RewriteCond %{REQUEST_FILENAME} !-f\n\
             RewriteCond %{REQUEST_FILENAME} !-d\n\
             RewriteRule ^ /index.html [L]\n",
        ),
        Platform::Caddy => Some(
            "# In place of the rule that sends the home page for unknown paths.\n\
             route {\n\
             \t@missing {\n\
             \t\tpath_regexp ^/\\.well-known/|\\.[a-z0-9]+$\n\
             \t\tnot file\n\
             \t}\n\
             \terror @missing 404\n\
             \ttry_files {path} /index.html\n\
             \tfile_server\n\
             }\n",
        ),
        _ => None,
    }
}

fn redirects(server: Platform, names: &[String], canonical: &str) -> Option<String> {
    let hosts = || names.iter().map(String::as_str).chain([canonical]);
    if names.is_empty() || !hosts().all(is_host) {
        return None;
    }
    let others: Vec<&str> =
        names.iter().map(String::as_str).filter(|name| *name != canonical).collect();
    match server {
        Platform::Nginx => {
            let mut text = format!(
                "{NGINX_OUTER}server {{\n    listen 80;\n    server_name {};\n    \
                 return 301 https://{canonical}$request_uri;\n}}\n",
                names.join(" ")
            );
            if !others.is_empty() {
                text.push_str(&format!(
                    "\nserver {{\n    listen 443 ssl;\n    server_name {};\n    \
                     ssl_certificate /etc/letsencrypt/live/{canonical}/fullchain.pem;\n    \
                     ssl_certificate_key /etc/letsencrypt/live/{canonical}/privkey.pem;\n    \
                     return 301 https://{canonical}$request_uri;\n}}\n",
                    others.join(" ")
                ));
            }
            Some(text)
        }
        Platform::Apache => {
            let name = canonical.replace('.', "\\.");
            Some(format!(
                "RewriteEngine On\n\
                 RewriteCond %{{HTTPS}} off [OR]\n\
                 RewriteCond %{{HTTP_HOST}} !^{name}$ [NC]\n\
                 RewriteRule ^ https://{canonical}%{{REQUEST_URI}} [R=301,L]\n"
            ))
        }
        // Caddy leads plain HTTP of its site addresses to HTTPS by itself.
        Platform::Caddy => (!others.is_empty()).then(|| {
            format!(
                "{CADDY_OUTER}{} {{\n\tredir https://{canonical}{{uri}} permanent\n}}\n",
                others.join(", ")
            )
        }),
        _ => None,
    }
}

fn certificate(server: Platform, names: &[String]) -> Option<String> {
    if names.is_empty() || !names.iter().all(|name| is_host(name)) {
        return None;
    }
    let flags = names.join(" -d ");
    match server {
        Platform::Nginx => Some(format!("certbot --nginx -d {flags}\n")),
        Platform::Apache => Some(format!("certbot --apache -d {flags}\n")),
        // A name as the address of a site is all that Caddy needs.
        Platform::Caddy => {
            let names = names.join(", ");
            Some(format!("{CADDY_OUTER}{names} {{\n\troot * /var/www/html\n\tfile_server\n}}\n"))
        }
        _ => None,
    }
}

fn markdown(server: Platform, host: &str) -> Option<String> {
    if !is_host(host) {
        return None;
    }
    match server {
        Platform::Nginx => Some(
            "# http block\n\
             map $http_accept $page_suffix {\n    \
             default .html;\n    \
             \"~*text/markdown\\s*;\\s*q=0(\\.0*)?\\s*(,|$)\" .html;\n    \
             \"~*text/markdown\" .md;\n\
             }\n\
             map $request_uri $home_vary {\n    \
             \"~^/(\\?|$)\" Accept;\n\
             }\n\n\
             # server block\n\
             add_header Vary $home_vary;\n\
             location = / {\n    \
             types { text/markdown md; text/html html; }\n    \
             charset utf-8;\n    \
             charset_types text/markdown;\n    \
             try_files /index$page_suffix =404;\n\
             }\n"
            .to_owned(),
        ),
        Platform::Apache => Some(
            "AddType text/markdown .md\n\
             AddCharset utf-8 .md\n\
             RewriteEngine On\n\
             RewriteCond %{HTTP_ACCEPT} text/markdown [NC]\n\
             RewriteCond %{HTTP_ACCEPT} !text/markdown\\s*;\\s*q=0(\\.0*)?\\s*(,|$) [NC]\n\
             RewriteRule ^$ index.md [L]\n\
             <If \"%{THE_REQUEST} =~ m#^[A-Z]+ /([?][^ ]*)? #\">\n    \
             Header append Vary Accept\n\
             </If>\n"
                .to_owned(),
        ),
        Platform::Caddy => Some(
            "@markdown {\n\
             \tpath /\n\
             \theader_regexp Accept (?i)text/markdown\n\
             \tnot header_regexp Accept (?i)text/markdown\\s*;\\s*q=0(\\.0*)?\\s*(,|$)\n\
             }\n\
             header / +Vary Accept\n\
             header @markdown Content-Type \"text/markdown; charset=utf-8\"\n\
             rewrite @markdown /index.md\n"
                .to_owned(),
        ),
        _ => None,
    }
}

fn compression(server: Platform) -> Option<&'static str> {
    match server {
        Platform::Nginx => Some(
            "gzip on;\ngzip_vary on;\ngzip_proxied any;\n\
             gzip_types text/plain text/css text/markdown application/javascript application/json \
             application/xml image/svg+xml;\n",
        ),
        Platform::Apache => Some(
            "AddOutputFilterByType DEFLATE text/html text/plain text/css text/markdown \
             application/javascript application/json application/xml image/svg+xml\n",
        ),
        Platform::Caddy => Some("encode zstd gzip\n"),
        _ => None,
    }
}

/// A header field for pages that are the same for everyone.
fn caching(server: Platform) -> Option<&'static str> {
    match server {
        Platform::Nginx => Some(
            "add_header Cache-Control \"public, max-age=60, s-maxage=600, stale-while-revalidate=86400\";\n",
        ),
        Platform::Apache => Some(
            "Header set Cache-Control \"public, max-age=60, s-maxage=600, stale-while-revalidate=86400\"\n",
        ),
        Platform::Caddy => Some(
            "header Cache-Control \"public, max-age=60, s-maxage=600, stale-while-revalidate=86400\"\n",
        ),
        _ => None,
    }
}
