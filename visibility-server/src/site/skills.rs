//! Agent Skills: texts that explain to agents what they can do with the service.
//!
//! The index is that of [discovery 0.2.0](https://github.com/cloudflare/agent-skills-discovery-rfc).

use serde_json::json;
use sha2::{Digest as _, Sha256};

use super::base_url::BaseUrl;

/// The placeholder for the address of the service in the texts.
const EXAMPLE: &str = "https://visibility.example.com";
const SCHEMA: &str = "https://schemas.agentskills.io/discovery/0.2.0/schema.json";
/// Where the index is.
pub(super) const INDEX: &str = "/.well-known/agent-skills/index.json";

/// A skill.
#[derive(Clone, Copy, Debug)]
pub(super) struct Skill {
    /// Where its text is.
    pub(super) path: &'static str,
    name: &'static str,
    text: &'static str,
}

/// All of them.
pub(super) const SKILLS: [Skill; 3] = [
    Skill {
        path: "/.well-known/agent-skills/scan-site/SKILL.md",
        name: "scan-site",
        text: include_str!("skills/scan-site.md"),
    },
    Skill {
        path: "/.well-known/agent-skills/fix-site/SKILL.md",
        name: "fix-site",
        text: include_str!("skills/fix-site.md"),
    },
    Skill {
        path: "/.well-known/agent-skills/ship-logs/SKILL.md",
        name: "ship-logs",
        text: include_str!("skills/ship-logs.md"),
    },
];

impl Skill {
    /// The text with the addresses of this service.
    pub(super) fn render(&self, base: &BaseUrl, ingestion: &str) -> String {
        self.text.replace("{ingest_url}", ingestion).replace(EXAMPLE, base.as_str())
    }

    /// What it is for, as its own head says.
    fn description(&self) -> &'static str {
        let head = self.text.lines().find_map(|line| line.strip_prefix("description: "));
        head.unwrap_or_default()
    }
}

/// The index of all skills, with the digests of what is served.
pub(super) fn index(base: &BaseUrl, ingestion: &str) -> String {
    let skills = SKILLS.map(|skill| {
        json!({
            "name": skill.name,
            "type": "skill-md",
            "description": skill.description(),
            "url": base.url(skill.path),
            "digest": digest(&skill.render(base, ingestion)),
        })
    });
    format!("{:#}\n", json!({ "$schema": SCHEMA, "skills": skills }))
}

fn digest(text: &str) -> String {
    let digest = Sha256::digest(text);
    let digits: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("sha256:{digits}")
}

#[cfg(test)]
mod tests {
    use visibility_core::documents::agent_skills::SkillIndex;

    use super::*;
    use crate::settings::Settings;

    #[test]
    fn each_skill_is_named_alike_in_the_index_its_address_and_its_head() {
        let base = BaseUrl::new(&Settings::default());
        let index = SkillIndex::parse(index(&base, "http://logs.example").as_bytes()).unwrap();
        assert_eq!(index.skills.len(), SKILLS.len());
        for (skill, listed) in SKILLS.iter().zip(index.skills) {
            let written = skill.render(&base, "http://logs.example");
            assert!(listed.has_digest_of(written.as_bytes()), "{}", skill.name);
            assert_eq!(listed.name, skill.name);
            assert!(listed.url.ends_with(&format!("/{}/SKILL.md", skill.name)), "{}", listed.url);
            let head = format!("---\nname: {}\ndescription: {}\n", skill.name, skill.description());
            assert!(written.starts_with(&head), "{}", skill.name);
            assert!(!skill.description().is_empty() && skill.description().len() <= 1024);
            assert!(!written.contains(EXAMPLE) && !written.contains("{ingest_url}"), "{written}");
        }
    }
}
