//! Does nothing: what starting and ending any native process costs.

fn main() {}
