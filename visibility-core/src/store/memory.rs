//! Both stores in memory.
