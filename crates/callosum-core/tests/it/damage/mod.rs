//! Damaged files: whatever happens to a byte of the journal costs at most the line it is in, nothing is made up,
//! and the loss is counted; whatever happens to the index costs nothing. `CALLOSUM_TORTURE=1` tries every value of
//! every byte.

mod bench;
mod index;
mod lines;
mod sample;
mod verdicts;
