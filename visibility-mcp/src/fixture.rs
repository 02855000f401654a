//! A site to scan
