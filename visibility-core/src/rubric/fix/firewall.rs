//! Rules that let agents through, for the wall that refused them.

use serde::{Deserialize, Serialize};

use crate::fetch::Response;
use crate::text::locale::comment;

/// Who runs the wall.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum WallVendor {
    /// Akamai.
    Akamai,
    /// AWS WAF.
    Aws,
    /// Cloudflare.
    Cloudflare,
    /// Vercel.
    Vercel,
    /// Not known: the rule is for nginx.
    Unknown,
}

impl WallVendor {
    /// The vendor that the header fields of a response name.
    pub(crate) fn from_response(response: &Response) -> Self {
        let headers = &response.headers;
        let server = headers.first("server").unwrap_or_default().to_ascii_lowercase();
        let has = |name: &str| headers.first(name).is_some();
        if has("cf-ray") || server == "cloudflare" {
            Self::Cloudflare
        } else if has("x-vercel-id") || has("x-vercel-mitigated") || server == "vercel" {
            Self::Vercel
        } else if has("akamai-grn") || server.starts_with("akamai") {
            Self::Akamai
        } else if has("x-amzn-waf-action") || has("x-amz-cf-id") || server == "cloudfront" {
            Self::Aws
        } else {
            Self::Unknown
        }
    }

    /// A rule for these product tokens.
    pub fn allow<S: AsRef<str>>(self, agents: &[S]) -> String {
        let agents: Vec<&str> = agents.iter().map(AsRef::as_ref).collect();
        match self {
            Self::Cloudflare => cloudflare(&agents),
            Self::Vercel => vercel(&agents),
            Self::Akamai => akamai(&agents),
            Self::Aws => AWS.to_owned(),
            Self::Unknown => nginx(&agents),
        }
    }
}

/// AWS WAF: after the Bot Control group, let what it verified pass.
const AWS: &str = r#"{
  "Name": "allow-verified-bots",
  "Priority": 10,
  "Statement": {
    "LabelMatchStatement": {
      "Scope": "LABEL",
      "Key": "awswaf:managed:aws:bot-control:bot:verified"
    }
  },
  "Action": { "Allow": {} },
  "VisibilityConfig": {
    "SampledRequestsEnabled": true,
    "CloudWatchMetricsEnabled": true,
    "MetricName": "allow-verified-bots"
  }
}
"#;

/// Cloudflare verifies bots by their addresses: `cf.client.bot` is true for those alone, so that an
/// agent of its own list needs no rule by name, and one that it does not know can only be named.
fn cloudflare(agents: &[&str]) -> String {
    let named: Vec<String> =
        agents.iter().map(|agent| format!("(http.user_agent contains \"{agent}\")")).collect();
    format!(
        "# {}\n# {}\n# {}\n\
         (cf.verified_bot_category in {{\"AI Search\" \"AI Assistant\" \"Search Engine Crawler\"}})\n\
         # {}\n\
         or {}\n",
        comment("cloudflare-place"),
        comment("cloudflare-action"),
        comment("cloudflare-block-ai-bots"),
        comment("cloudflare-forged"),
        named.join("\nor ")
    )
}

fn vercel(agents: &[&str]) -> String {
    let groups: Vec<String> = agents
        .iter()
        .map(|agent| {
            format!(
                "    {{ \"conditions\": [{{ \"type\": \"user_agent\", \"op\": \"sub\", \"value\": \"{agent}\" }}] }}"
            )
        })
        .collect();
    format!(
        "{{\n  \"name\": \"Let agents through\",\n  \"active\": true,\n  \"conditionGroup\": [\n{}\n  ],\n  \"action\": {{ \"mitigate\": {{ \"action\": \"bypass\" }} }}\n}}\n",
        groups.join(",\n")
    )
}

fn akamai(agents: &[&str]) -> String {
    format!(
        "# {}\n# {}\n# {} User-Agent:\n{}\n",
        comment("akamai-place"),
        comment("akamai-monitor"),
        comment("akamai-custom"),
        agents.join("\n")
    )
}

fn nginx(agents: &[&str]) -> String {
    let lines: Vec<String> = agents.iter().map(|agent| format!("    ~*{agent} 1;")).collect();
    format!(
        "# {}\n\
         map $http_user_agent $is_agent {{\n    default 0;\n{}\n}}\n\
         # {}\n\
         # if ($block_bot$is_agent = \"10\") {{ return 403; }}\n",
        comment("verify-addresses"),
        lines.join("\n"),
        comment("exempt-agents")
    )
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;
    use crate::fetch::Headers;

    #[test]
    fn the_header_fields_name_the_wall() {
        for (name, value, vendor) in [
            ("cf-ray", "8a", WallVendor::Cloudflare),
            ("server", "Cloudflare", WallVendor::Cloudflare),
            ("x-vercel-mitigated", "challenge", WallVendor::Vercel),
            ("server", "Vercel", WallVendor::Vercel),
            ("server", "AkamaiGHost", WallVendor::Akamai),
            ("x-amzn-waf-action", "challenge", WallVendor::Aws),
            ("server", "nginx", WallVendor::Unknown),
        ] {
            let response = response([(name, value)].into_iter().collect());
            assert_eq!(WallVendor::from_response(&response), vendor, "{name}: {value}");
        }
    }

    #[test]
    fn each_rule_but_the_one_for_verified_bots_names_the_agents() {
        for vendor in
            [WallVendor::Akamai, WallVendor::Cloudflare, WallVendor::Vercel, WallVendor::Unknown]
        {
            let rule = vendor.allow(&["OAI-SearchBot", "Claude-User"]);
            assert!(rule.contains("OAI-SearchBot") && rule.contains("Claude-User"), "{rule}");
        }
    }

    #[test]
    fn rules_in_json_are_json() {
        for vendor in [WallVendor::Aws, WallVendor::Vercel] {
            let rule = vendor.allow(&["OAI-SearchBot"]);
            assert!(serde_json::from_str::<serde_json::Value>(&rule).is_ok(), "{rule}");
        }
    }

    fn response(headers: Headers) -> Response {
        Response {
            url: "https://example.com/".parse().unwrap(),
            status: 403,
            version: "HTTP/1.1".to_owned(),
            headers,
            body: Bytes::new(),
            body_end: crate::fetch::BodyEnd::Complete,
            wire_bytes: 0,
            hops: Vec::new(),
            ttfb_ms: 1,
            total_ms: 1,
            retries: 0,
            tls: None,
        }
    }
}
