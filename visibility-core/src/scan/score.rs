//! Score, caps, tiers.
