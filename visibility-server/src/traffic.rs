//! Questions about the AI agents that came, answered from the sums that are stored with each batch.

pub mod series;
