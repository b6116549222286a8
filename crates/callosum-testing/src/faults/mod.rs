//! What can be wrong with a [`TestDisk`](crate::disk::TestDisk).

pub mod ends;
pub mod fails;
pub mod kills;
pub mod mishaps;
pub mod saves;
pub mod stops;
