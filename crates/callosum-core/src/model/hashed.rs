//! Maps and sets by names that hosts and agents give. Their hash is seeded anew in each process, so that nobody can choose names that
//! collide; it takes a third of the instructions of the standard library's, of which a call needs a dozen.

use foldhash::fast::RandomState;

pub(crate) type HashMap<K, V> = std::collections::HashMap<K, V, RandomState>;
pub(crate) type HashSet<K> = std::collections::HashSet<K, RandomState>;
