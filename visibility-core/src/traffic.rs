//! What the requests of AI agents were for and what they got: the words that counts and reports share.

mod assistants;
mod nearest_path;
mod path_kind;
mod response_class;

pub use self::assistants::{Assistant, AssistantIndex};
pub use self::nearest_path::nearest_path;
pub use self::path_kind::PathKind;
pub use self::response_class::ResponseClass;
