//! The shared context: a folder of Markdown and small JSON that all agents of a machine read and write under rules.
//!
//! The disk is reached through [`folder`]; [`registry`] knows which folders there are, and [`tend`] looks after one. [`site`] is where a
//! gate's shared context lies, and [`tools`] what a host of many sessions asks of it.
//!
//! What its files say stands in pure modules: names and days ([`names`], [`days`]), where things lie and who may write there
//! ([`layout`]), and one module a kind of file ([`output`], [`inbox`], [`feedback`], [`priorities`], [`kpi`]). Texts come in, items
//! go out, and the other way round.
//!
//! [`signals`] tells on what agents met, and [`curator`] makes the reports and takes over what is proposed.

pub mod curator;
pub mod days;
pub mod decide;
pub mod error;
pub mod feedback;
pub mod folder;
pub mod frontmatter;
pub mod inbox;
mod inert;
pub mod kpi;
pub mod layout;
pub mod limits;
pub mod lint;
pub mod lock;
pub mod names;
pub mod output;
pub mod overview;
pub mod priorities;
pub mod prune;
pub mod read;
pub mod registry;
pub mod safe;
pub mod setup;
pub mod signals;
pub mod site;
pub mod tend;
pub mod tools;
pub mod write;
