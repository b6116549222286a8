//! How much the shared context takes. Beyond, a write is refused, and the refusal says so.

use crate::error::{Code, Problem};

/// Bytes of an item at most: an output, an entry of an inbox, a snapshot.
pub const ITEM_BYTES: usize = 64 << 10;
/// Items of one agent on one day at most.
pub const ITEMS_A_DAY: usize = 50;
/// Bytes of one agent's items on one day at most.
pub const BYTES_A_DAY: u64 = 1 << 20;
/// Bytes of the whole tree with its shadows at most.
pub const TREE_BYTES: u64 = 256 << 20;
/// Characters of a title at most.
pub const TITLE_CHARS: usize = 200;
/// Tags, entities and references of an item at most, and characters of each.
pub const LIST_ITEMS: usize = 32;
/// See [`LIST_ITEMS`].
pub const LIST_CHARS: usize = 200;

/// Whether one more item of so many bytes may be written, where so much is there.
///
/// # Errors
/// Which limit is reached.
pub fn check(item: usize, of_agent: (usize, u64), tree: u64) -> Result<(), Problem> {
    let (items, bytes) = of_agent;
    let reached = |message: String, remedy: &str| Err(Problem::new(Code::Limit, message, remedy));
    let item_bytes = u64::try_from(item).unwrap_or(u64::MAX);
    if item > ITEM_BYTES {
        reached(
            format!("it has {item} bytes, and an item of the shared context at most {ITEM_BYTES}"),
            "shorten it, or write a file of your own and name its path",
        )
    } else if items >= ITEMS_A_DAY {
        reached(
            format!("this agent has written {items} items today, and {ITEMS_A_DAY} is the most"),
            "put what is left into one item tomorrow",
        )
    } else if bytes.saturating_add(item_bytes) > BYTES_A_DAY {
        reached(
            format!("this agent has written {bytes} bytes today, and {BYTES_A_DAY} is the most"),
            "shorten it, or write it tomorrow",
        )
    } else if tree.saturating_add(item_bytes) > TREE_BYTES {
        reached(
            format!("the shared context has {tree} bytes, and {TREE_BYTES} is the most"),
            "tell the operator to run `callosum context prune`",
        )
    } else {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;

    #[test]
    fn each_limit_is_named() {
        assert_eq!(check(ITEM_BYTES, (0, 0), 0), Ok(()));
        for (item, of_agent, tree, said) in [
            (ITEM_BYTES + 1, (0, 0), 0, "65536"),
            (1, (ITEMS_A_DAY, 0), 0, "50"),
            (1, (0, BYTES_A_DAY), 0, "1048576"),
            (1, (0, 0), TREE_BYTES, "268435456"),
        ] {
            let problem = check(item, of_agent, tree).unwrap_err();
            assert_eq!(problem.code, Code::Limit);
            assert!(problem.message.contains(said), "{problem}");
        }
    }
}
