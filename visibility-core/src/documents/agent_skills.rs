//! The index of [Agent Skills](https://agentskills.io), `/.well-known/agent-skills/index.json`.

use sha2::{Digest, Sha256};

use crate::documents::json::{Object, read_object};
use crate::documents::{DocumentError, DocumentErrors};
use crate::text::note::Note;

const MAX_NAME_CHARS: usize = 64;
const MAX_DESCRIPTION_CHARS: usize = 1_024;

/// What an index says.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct SkillIndex {
    /// Whether it has a form before discovery 0.2.0 with `$schema`: `files` in place of `url`.
    pub is_legacy: bool,
    /// The skills.
    pub skills: Vec<Skill>,
}

/// An entry of the index.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Skill {
    /// `name`.
    pub name: String,
    /// `type`: `skill-md` or `archive`; empty in the legacy form.
    pub kind: String,
    /// `url`, absolute or relative to the index; empty in the legacy form.
    pub url: String,
    /// `digest` in lower case: `sha256:` and 64 hexadecimal digits; empty in the legacy form.
    pub digest: String,
}

impl SkillIndex {
    /// Reads an index.
    ///
    /// # Errors
    ///
    /// Why it is not valid.
    pub fn parse(body: &[u8]) -> Result<Self, Vec<DocumentError>> {
        let root = read_object(body)?;
        let mut errors = DocumentErrors::default();
        let items = errors.require_items(&root, "", "skills");
        let is_legacy = !root.contains_key("$schema")
            && items.iter().any(|item| item.get("files").is_some() && item.get("url").is_none());
        if !is_legacy {
            let schema = errors.require_text(&root, "", "$schema");
            if !schema.is_empty() && !schema.contains("/discovery/0.2.0/") {
                errors.add(
                    "schema-version",
                    Note::new("skills-schema").with("field", "$schema").with("schema", &schema),
                );
            }
        }
        let mut skills = Vec::new();
        for (path, skill) in errors.objects(items, "skills") {
            skills.push(read_skill(skill, &path, is_legacy, &mut errors));
        }
        errors.or(Self { is_legacy, skills })
    }
}

impl Skill {
    /// Whether these bytes are the artifact that the index names.
    pub fn has_digest_of(&self, artifact: &[u8]) -> bool {
        use std::fmt::Write as _;

        let mut digest = String::from("sha256:");
        for byte in Sha256::digest(artifact) {
            let _ = write!(digest, "{byte:02x}");
        }
        self.digest == digest
    }
}

fn read_skill(skill: &Object, path: &str, is_legacy: bool, errors: &mut DocumentErrors) -> Skill {
    let name = errors.require_text(skill, path, "name");
    if !name.is_empty() && !is_kebab_case(&name) {
        errors.add(
            "name-form",
            Note::new("skill-name-form").with("field", format!("{path}name")).with("name", &name),
        );
    }
    let description = errors.require_text(skill, path, "description");
    if description.chars().count() > MAX_DESCRIPTION_CHARS {
        errors.add(
            "too-long",
            Note::new("field-too-long")
                .with("field", format!("{path}description"))
                .with("limit", MAX_DESCRIPTION_CHARS),
        );
    }
    if is_legacy {
        errors.require_items(skill, path, "files");
        return Skill { name, ..Skill::default() };
    }
    let kind = errors.require_text(skill, path, "type");
    if !kind.is_empty() && !matches!(kind.as_str(), "skill-md" | "archive") {
        errors.add(
            "invalid-value",
            Note::new("field-value").with("field", format!("{path}type")).with("value", &kind),
        );
    }
    let digest = errors.require_text(skill, path, "digest").to_ascii_lowercase();
    if !digest.is_empty() && !is_digest(&digest) {
        errors.add(
            "digest-form",
            Note::new("skill-digest-form").with("field", format!("{path}digest")),
        );
    }
    let url = errors.require_text(skill, path, "url");
    Skill { name, kind, url, digest }
}

fn is_kebab_case(name: &str) -> bool {
    name.len() <= MAX_NAME_CHARS
        && name.split('-').all(|word| {
            !word.is_empty() && word.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
        })
}

fn is_digest(digest: &str) -> bool {
    digest
        .strip_prefix("sha256:")
        .is_some_and(|hex| hex.len() == 64 && hex.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

#[cfg(test)]
pub(super) const VALID: &str = r#"{"$schema": "https://schemas.agentskills.io/discovery/0.2.0/schema.json",
    "skills": [{"name": "buy-a-chair", "type": "skill-md", "description": "Buys", "url": "buy/SKILL.md",
    "digest": "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"}]}"#;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_is_read_and_its_digest_checked() {
        let index = SkillIndex::parse(VALID.as_bytes()).unwrap();
        assert!(!index.is_legacy);
        let skill = &index.skills[0];
        assert_eq!((skill.name.as_str(), skill.url.as_str()), ("buy-a-chair", "buy/SKILL.md"));
        assert!(skill.has_digest_of(b"") && !skill.has_digest_of(b"x"));
    }

    #[test]
    fn the_form_with_files_is_legacy() {
        let old = r#"{"skills": [{"name": "a", "description": "b", "files": ["SKILL.md"]}]}"#;
        assert!(SkillIndex::parse(old.as_bytes()).unwrap().is_legacy);
    }

    #[test]
    fn each_fault_is_named() {
        let long = "x".repeat(MAX_DESCRIPTION_CHARS + 1);
        let cases = [
            ("buy-a-chair", "Buy-A", "name-form"),
            ("buy-a-chair", "buy--a", "name-form"),
            ("buy-a-chair", &long, "name-form"),
            ("\"Buys\"", &format!("\"{long}\""), "too-long"),
            ("skill-md", "zip", "invalid-value"),
            ("sha256:", "sha1:", "digest-form"),
            ("b855", "b85x", "digest-form"),
            ("0.2.0", "9.0.0", "schema-version"),
            ("$schema", "schema", "missing-field"),
            ("\"url\"", "\"href\"", "missing-field"),
        ];
        for (from, to, id) in cases {
            let errors = SkillIndex::parse(VALID.replace(from, to).as_bytes()).unwrap_err();
            assert_eq!(errors.iter().map(|p| p.id).collect::<Vec<_>>(), [id], "{to}");
        }
        let empty = SkillIndex::parse(br#"{"$schema": "/discovery/0.2.0/", "skills": []}"#);
        assert_eq!(empty.unwrap_err()[0].id, "empty-list");
    }
}
