//! Rules that let agents through, for the wall that refused them.

use crate::fetch::Response;

/// Who runs the wall.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Vendor {
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

impl Vendor {
    /// The vendor that the header fields of a response name.
    pub(crate) fn of(response: &Response) -> Self {
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
    pub fn allow(self, agents: &[&str]) -> String {
        match self {
            Self::Cloudflare => cloudflare(agents),
            Self::Vercel => vercel(agents),
            Self::Akamai => akamai(agents),
            Self::Aws => AWS.to_owned(),
            Self::Unknown => nginx(agents),
        }
    }
}

/// The product tokens that a rule names, whoever runs the wall; none in the one for verified bots.
pub fn allowed(rule: &str) -> Vec<&str> {
    let between = |start: &'static str, end: &'static str| {
        rule.split(start).skip(1).filter_map(move |rest| rest.split_once(end)).map(|(name, _)| name)
    };
    let (_, listed) = rule.split_once(AKAMAI_NAMES).unwrap_or_default();
    between("http.user_agent contains \"", "\"")
        .chain(between("\"value\": \"", "\""))
        .chain(between("    ~*", " 1;"))
        .chain(listed.lines())
        .collect()
}

/// What stands before the names.
const AKAMAI_NAMES: &str = "matching User-Agent:\n";

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

fn cloudflare(agents: &[&str]) -> String {
    let named: Vec<String> = agents
        .iter()
        .map(|agent| format!("(cf.client.bot and http.user_agent contains \"{agent}\")"))
        .collect();
    format!(
        "# Security rules > Custom rules, first in order\n\
         # Action: Skip (all remaining custom rules, Super Bot Fight Mode)\n\
         # Also turn off \"Block AI bots\" in the security settings.\n\
         (cf.verified_bot_category in {{\"AI Search\" \"AI Assistant\" \"Search Engine Crawler\"}})\n\
         or {}\n",
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
        "# Bot Manager > Akamai-categorized bots\n\
         # Artificial Intelligence (AI) bots, web search engine bots: Monitor\n\
         # Or a custom bot category with the action Skip, {AKAMAI_NAMES}{}\n",
        agents.join("\n")
    )
}

fn nginx(agents: &[&str]) -> String {
    let lines: Vec<String> = agents.iter().map(|agent| format!("    ~*{agent} 1;")).collect();
    format!(
        "# Verify the published address ranges of each vendor before you rely on the name.\n\
         map $http_user_agent $is_agent {{\n    default 0;\n{}\n}}\n\
         # Where bots are refused, leave these out:\n\
         # if ($block_bot$is_agent = \"10\") {{ return 403; }}\n",
        lines.join("\n")
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fetch::Headers;

    #[test]
    fn the_header_fields_name_the_wall() {
        for (name, value, vendor) in [
            ("cf-ray", "8a", Vendor::Cloudflare),
            ("server", "Cloudflare", Vendor::Cloudflare),
            ("x-vercel-mitigated", "challenge", Vendor::Vercel),
            ("server", "Vercel", Vendor::Vercel),
            ("server", "AkamaiGHost", Vendor::Akamai),
            ("x-amzn-waf-action", "challenge", Vendor::Aws),
            ("server", "nginx", Vendor::Unknown),
        ] {
            let response = response([(name, value)].into_iter().collect());
            assert_eq!(Vendor::of(&response), vendor, "{name}: {value}");
        }
    }

    #[test]
    fn each_rule_but_the_one_for_verified_bots_names_the_agents() {
        for vendor in [Vendor::Akamai, Vendor::Cloudflare, Vendor::Vercel, Vendor::Unknown] {
            let rule = vendor.allow(&["OAI-SearchBot", "Claude-User"]);
            assert!(rule.contains("OAI-SearchBot") && rule.contains("Claude-User"), "{rule}");
        }
    }

    #[test]
    fn a_rule_tells_whom_it_names() {
        for vendor in [Vendor::Akamai, Vendor::Cloudflare, Vendor::Vercel, Vendor::Unknown] {
            for agents in [&["OAI-SearchBot"][..], &["OAI-SearchBot", "Claude-User", "GPTBot"]] {
                assert_eq!(allowed(&vendor.allow(agents)), agents, "{vendor:?}");
            }
        }
        assert!(allowed(&Vendor::Aws.allow(&["OAI-SearchBot"])).is_empty());
        assert!(allowed("").is_empty());
    }

    #[test]
    fn rules_in_json_are_json() {
        for vendor in [Vendor::Aws, Vendor::Vercel] {
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
            body: Vec::new(),
            body_end: crate::fetch::BodyEnd::Complete,
            wire_bytes: 0,
            hops: Vec::new(),
            ttfb_ms: 1,
            total_ms: 1,
            tls: None,
        }
    }
}
