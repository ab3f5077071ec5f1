//! What the dialects make of recorded events.
