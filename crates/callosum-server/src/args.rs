//! The program's words. They are those of `callosum`, which starts it.

use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};

use crate::tokens::Rights;

/// The gate for agents without hooks, over HTTP.
#[derive(Debug, Parser)]
#[command(name = "callosum", bin_name = "callosum", version)]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) global: Global,

    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The options of every command.
#[derive(Debug, clap::Args)]
pub(crate) struct Global {
    /// The shared state directory [default: CALLOSUM_STATE_DIR, else ~/.callosum]
    #[arg(long, global = true, value_name = "DIR", help_heading = "Global options")]
    pub(crate) state_dir: Option<PathBuf>,

    /// Print one JSON document instead of text
    #[arg(long, global = true, help_heading = "Global options")]
    pub(crate) json: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Serve the gate over HTTP until Ctrl-C or SIGTERM: on `serve.sock` in the state directory, and on 127.0.0.1:7411
    #[command(
        after_help = "Examples:\n  callosum serve\n  callosum serve --listen none\n  callosum serve --listen 100.64.0.7:7411 --plain-http\n  callosum serve --listen 0.0.0.0:7411 --tls-cert cert.pem --tls-key key.pem"
    )]
    Serve(Listen),
    /// Have the service started when you log in: by a systemd user unit, or a launchd agent
    Install(Install),
    /// Remove the unit or the agent again
    Uninstall(Install),
    /// Open the page in a browser on this machine: timeline, leases, journal and rules
    #[command(
        after_help = "Prints a link that opens the page once: the running service's page. Where none runs, or with --port, it serves \
                      the page itself until Ctrl-C; press Enter for a new link.\n\n\
                      Examples:\n  callosum ui\n  callosum ui --port 4300"
    )]
    Ui {
        /// Serve the page on this port of 127.0.0.1, whether or not a service runs
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1024..))]
        port: Option<u16>,
    },
    /// Serve Callosum's tools to an agent runtime by MCP, on standard input and output
    #[command(
        after_help = "The runtime starts it; `callosum install RUNTIME --mcp` writes that into its settings.\n\nExample:\n  callosum mcp"
    )]
    Mcp,
    /// The tokens of programs that ask over TCP
    #[command(
        after_help = "Examples:\n  callosum token add ci\n  callosum token add dashboard --rights read --expires 90d\n  callosum token list\n  callosum token revoke ci"
    )]
    Token {
        #[command(subcommand)]
        action: TokenAction,
    },
}

/// How the service is put in, or taken out.
#[derive(Debug, clap::Args)]
pub(crate) struct Install {
    /// Show what would change, and write nothing
    #[arg(long)]
    pub(crate) dry_run: bool,

    /// Print the whole unit, and write nothing
    #[arg(long)]
    pub(crate) print: bool,
}

/// Where the service listens besides its socket.
#[derive(Debug, clap::Args)]
pub(crate) struct Listen {
    /// The address, or `none` for the socket alone
    #[arg(long, value_name = "ADDR|none", default_value = "127.0.0.1:7411")]
    pub(crate) listen: String,

    /// Listen without TLS on an address that is not loopback: only where the network itself is encrypted and closed
    #[arg(long, conflicts_with_all = ["tls_cert", "tls_key"])]
    pub(crate) plain_http: bool,

    /// The certificate chain, a PEM file
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    pub(crate) tls_cert: Option<PathBuf>,

    /// Its private key, a PEM file
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    pub(crate) tls_key: Option<PathBuf>,
}

/// What is done with tokens.
#[derive(Debug, Subcommand)]
pub(crate) enum TokenAction {
    /// Make a token, and print it this once; only its hash is kept
    Add(NewToken),
    /// List the tokens: names, rights, instances, ends
    List,
    /// Revoke a token. It is rejected from the next request on
    Revoke {
        /// Its name
        name: String,
    },
}

/// A token that is made.
#[derive(Debug, clap::Args)]
pub(crate) struct NewToken {
    /// Its name, which the journal tells: letters, digits, `.`, `_`, `-`
    pub(crate) name: String,

    /// Rights: `read` (query), `act` (also make calls), `operate` (also release leases); `join` is for another machine
    #[arg(long, value_enum, default_value_t = Rights::Act)]
    pub(crate) rights: Rights,

    /// Speak only for this instance; may be given several times
    #[arg(long = "instance", value_name = "NAME")]
    pub(crate) instances: Vec<String>,

    /// How long it counts: 90d, 12h
    #[arg(long, value_name = "DURATION")]
    pub(crate) expires: Option<String>,

    /// Pause its calls of tier 3 by the five endpoints as the gate does, instead of warning
    #[arg(long)]
    pub(crate) enforce: bool,
}

impl ValueEnum for Rights {
    fn value_variants<'a>() -> &'a [Self] {
        &[Self::Read, Self::Act, Self::Operate, Self::Join]
    }

    fn to_possible_value(&self) -> Option<clap::builder::PossibleValue> {
        Some(clap::builder::PossibleValue::new(self.as_str()))
    }
}
