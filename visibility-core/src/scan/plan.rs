//! What a scan asks for, in waves: a later wave depends on what an earlier one brought.
