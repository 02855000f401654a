//! The message at the start: the addresses of the service and the first steps.

use std::io;
use std::net::SocketAddr;
use std::path::Path;

use chrono::Utc;
use tokio::net::TcpListener;

use super::sockets::Sockets;
use crate::cli::console::Console;
use crate::cli::error::CommandError;
use crate::cli::program::{self, shell_quoted};
use crate::settings::Settings;
use crate::stores::state::StateStore;

/// A service that is ready.
#[derive(Clone, Debug)]
pub(super) struct StartupMessage {
    /// Purpose and address of each listener; the public one first.
    listeners: Vec<(&'static str, SocketAddr)>,
    /// Where batches are sent to, without a slash at its end.
    ingest_url: String,
    /// Where the API is, without a slash at its end.
    public_url: String,
    /// The command up to its arguments, for a shell.
    program: String,
    data_dir: String,
    has_tenant: bool,
    /// Whether people can sign in to their settings.
    has_settings: bool,
}

impl StartupMessage {
    /// What is to be said.
    pub(super) fn new(
        settings: &Settings,
        sockets: &Sockets,
        state_store: &StateStore,
    ) -> Result<Self, CommandError> {
        let named = [
            ("listening", Some(&sockets.public)),
            ("ingestion", sockets.ingest.as_ref()),
            ("metrics", sockets.metrics.as_ref()),
        ];
        let listeners: Vec<_> = named
            .into_iter()
            .filter_map(|(name, listener)| Some(address(name, listener?)))
            .collect::<io::Result<_>>()
            .map_err(|error| CommandError::internal("a listener has no address", error))?;
        let of = |wanted: &str| listeners.iter().find(|(name, _)| *name == wanted);
        let local = of("ingestion")
            .or_else(|| of("listening"))
            .map(|(_, address)| format!("http://{address}"));
        let public = settings.ingest_url.clone().or_else(|| settings.base_url.clone());
        let ingest_url = public.or(local).unwrap_or_default();
        let data_dir = std::path::absolute(&settings.data_dir)
            .unwrap_or_else(|_unknown| settings.data_dir.clone());
        Ok(Self {
            listeners,
            ingest_url: ingest_url.trim_end_matches('/').to_owned(),
            public_url: settings.public_url(),
            program: program::invocation(),
            data_dir: quoted_path(&data_dir),
            has_tenant: !state_store.tenants(Utc::now())?.is_empty(),
            has_settings: settings.web.enabled,
        })
    }

    /// Says it on standard output, and to the log.
    pub(super) fn announce(&self, console: Console) {
        for (name, address) in &self.listeners {
            tracing::info!(%address, "{name}");
        }
        // The service does not depend on this being read.
        let _ = console.print(&self.text());
    }

    fn text(&self) -> String {
        let mut text = String::new();
        for (name, address) in &self.listeners {
            let words = match *name {
                "listening" => "listening on".to_owned(),
                other => format!("{other} on"),
            };
            let path = if *name == "metrics" { "/metrics" } else { "" };
            text.push_str(&format!("visibility-server: {words} http://{address}{path}\n"));
        }
        if !self.has_tenant {
            text.push_str(&self.first_steps());
            if self.has_settings {
                text.push_str(&self.browser_steps());
            }
        }
        text
    }

    fn first_steps(&self) -> String {
        let Self { ingest_url, public_url, program, data_dir, .. } = self;
        format!(
            r#"
There is no tenant yet. In another terminal, create one and a token for it:

  {program} tenants create acme --data-dir {data_dir}
  TOKEN=$({program} tokens create acme --data-dir {data_dir})

and send a first batch:

  printf '{{"timestamp":"%s","user_agent":"Mozilla/5.0 (compatible; GPTBot/1.3; +https://openai.com/gptbot)","request_method":"GET","request_path":"/pricing","status_code":200,"response_bytes":5123,"referrer":"","host":"www.example.com","client_ip_hash":"9f86d081884c7d659a2feaa0"}}\n' "$(date -u +%FT%TZ)" |
    curl -sS {ingest_url}/v1/logs --data-binary @- -H "Authorization: Bearer $TOKEN" \
      -H 'Content-Type: application/x-ndjson' -H 'X-Service-Tenant: acme' -H 'X-Service-Schema: 1'

For the API, create a key and scan a domain:

  KEY=$({program} keys create acme --data-dir {data_dir})
  curl -sS {public_url}/api/v1/agent-readiness -H "Authorization: Bearer $KEY" \
    -H 'Content-Type: application/json' --data '{{"domain":"example.com"}}'

"#
        )
    }

    fn browser_steps(&self) -> String {
        let Self { public_url, program, data_dir, .. } = self;
        format!(
            "Keys and tokens can also be created in the browser. Create a user and sign in at\n\
             {public_url}/settings:\n\n  \
             {program} users create acme you@example.com --data-dir {data_dir}\n\n"
        )
    }
}

fn address(name: &'static str, listener: &TcpListener) -> io::Result<(&'static str, SocketAddr)> {
    Ok((name, listener.local_addr()?))
}

fn quoted_path(path: &Path) -> String {
    shell_quoted(&path.to_string_lossy())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ready(has_tenant: bool) -> StartupMessage {
        StartupMessage {
            listeners: vec![
                ("listening", "127.0.0.1:8080".parse().unwrap()),
                ("metrics", "127.0.0.1:9090".parse().unwrap()),
            ],
            ingest_url: "https://in.example.com".to_owned(),
            public_url: "https://api.example.com".to_owned(),
            program: "visibility-server".to_owned(),
            data_dir: "'/var/lib/my data'".to_owned(),
            has_tenant,
            has_settings: true,
        }
    }

    #[test]
    fn the_first_line_says_where_it_listens() {
        assert_eq!(
            ready(true).text(),
            "visibility-server: listening on http://127.0.0.1:8080\n\
             visibility-server: metrics on http://127.0.0.1:9090/metrics\n"
        );
    }

    #[test]
    fn without_settings_it_does_not_lead_there() {
        let text = StartupMessage { has_settings: false, ..ready(false) }.text();
        assert!(!text.contains("/settings"), "{text}");
    }

    #[test]
    fn without_a_tenant_it_says_what_to_do() {
        let text = ready(false).text();
        for words in [
            "  visibility-server tenants create acme --data-dir '/var/lib/my data'\n",
            "  TOKEN=$(visibility-server tokens create acme --data-dir '/var/lib/my data')\n",
            "curl -sS https://in.example.com/v1/logs ",
            "  KEY=$(visibility-server keys create acme --data-dir '/var/lib/my data')\n",
            "curl -sS https://api.example.com/api/v1/agent-readiness ",
            r#"--data '{"domain":"example.com"}'"#,
            "sign in at\nhttps://api.example.com/settings:\n",
            "  visibility-server users create acme you@example.com --data-dir '/var/lib/my data'\n",
        ] {
            assert!(text.contains(words), "{text}");
        }
    }
}
