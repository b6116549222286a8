//! The words of a pattern that a command must have. The build script compiles this file too.

use crate::own_files::GUARDED_WORDS;

/// PowerShell, which takes commands in a code too.
pub(crate) const POWER_SHELLS: &[&str] = &["powershell", "pwsh", "PowerShell", "Powershell", "POWERSHELL"];
/// Words of lines that may run what they don't name, so that the line must be read: of each of these lists one group, and of
/// the groups one word each.
pub const HIDING: &[&[&[&str]]] = &[
    &[POWER_SHELLS],
    // What follows the program comes from elsewhere.
    &[&["xargs", "parallel"]],
    // What a shell is given is put into another form. Some programs do so for much else.
    &[&["base64", "gbase64", "base32", "xxd", "rev"]],
    &[
        &["sh", "bash", "zsh", "dash", "ksh", "ash", "fish", "eval", "source"],
        &["openssl", "tr", "sed", "gsed"],
    ],
    // Code does it by a library.
    &[INTERPRETERS, LIBRARIES],
];
/// Programs whose code is read, as they stand in a line.
const INTERPRETERS: &[&str] = &[
    "python",
    "python2",
    "python3",
    "pypy",
    "pypy3",
    "ipython",
    "ruby",
    "node",
    "nodejs",
    "deno",
    "bun",
    "tsx",
    "ts-node",
    "jiti",
    "vite-node",
    "esno",
    "uv",
    "pipx",
    "perl",
    "manage",
    "django",
    "flask",
    "rails",
];
/// A word of each library whose calls are known.
const LIBRARIES: &[&str] = &[
    "requests",
    "httpx",
    "HTTPSConnection",
    "HTTPConnection",
    "request",
    "aiohttp",
    "urllib",
    "fetch",
    "axios",
    "got",
    "ky",
    "HTTP",
    "HTTParty",
    "Faraday",
    "smtplib",
    "nodemailer",
    "yagmail",
    "send_mail",
    "resend",
    "sendgrid",
    "boto3",
    "aioboto3",
    "aws",
    "AWS",
    "stripe",
    "Stripe",
    "slack",
    "slack_sdk",
    "telegram",
    "Bot",
    "webhook",
    "Webhook",
    "DiscordWebhook",
    "twilio",
    "github",
    "Github",
    "octokit",
    "Octokit",
    "notion_client",
    "notionhq",
    "psycopg",
    "psycopg2",
    "asyncpg",
    "pymysql",
    "mysql",
    "mysql2",
    "pg",
    "postgres",
    "sqlalchemy",
    "MongoClient",
    "redis",
    "ioredis",
    "fabric",
    "kubernetes",
    "huggingface_hub",
    "push_to_hub",
    "praw",
    "tweepy",
    "mastodon",
    "atproto",
    "pika",
    "kafka",
    "confluent_kafka",
    "paramiko",
    "netmiko",
    "ftplib",
    "FTP",
    "FTP_TLS",
    "gspread",
    "storage",
    "pubsub_v1",
    "PublisherClient",
    "bigquery",
    "firestore",
    "SecretManagerServiceClient",
    "googleapiclient",
    "googleapis",
    "gitlab",
    "Gitlab",
    "JIRA",
    "Jira",
    "LinearClient",
    "discord",
    "TelegramClient",
    "telethon",
    "pyrogram",
    "Telegraf",
    "mongoose",
    "elasticsearch",
    "Elasticsearch",
    "OpenSearch",
    "supabase",
    "PrismaClient",
    "to_sql",
    "docker",
    "get_blob_client",
    "kafkajs",
    "amqplib",
    "RestClient",
    "PG",
    "Aws",
    "LWP",
    "Tiny",
    // The object mapper of a framework, in its own shell.
    "objects",
    "runner",
];
/// Stands for words that are not said.
pub(crate) const ANY: &str = "...";
/// Stands for a path that is neither in the working folder nor in `/tmp`.
pub(crate) const OUTSIDE: &str = "{outside}";

/// Stands for a path that guards the gate itself: its state, or settings that hold its hooks.
pub const GUARDED: &str = "{guarded}";
/// Stands for statements that write, as far as a client of a database is given any.
pub(crate) const WRITES: &str = "{writes}";
/// Stands for a server that is not this machine.
pub(crate) const ELSEWHERE: &str = "{elsewhere}";
/// Stands for another machine that the command acts on.
pub(crate) const AWAY: &str = "{away}";
/// Stands for a program that no rule names and that is none of those which work on this machine.
pub(crate) const UNKNOWN: &str = "{unknown}";
/// Stands for a word that says that something is done outside: `send`, `publish`.
pub const VERB: &str = "{verb}";

/// The words of which one is in every text that goes to another machine.
pub(crate) const AWAY_WORDS: &str = "ssh|mosh|rsh|autossh|plink|tailscale|tsh|coder|pdsh|clush|pssh|heroku|fly|flyctl|doctl|salt|rsync|\
                                     scp|sftp|lftp|ncftpput|pscp|docker|podman|nerdctl|kubectl|oc|ssm|host|H|colmena|fabric|ftp|ftps";

/// The program and the subcommands of a pattern's text, with `|` between alternatives, and what else must be in a line.
pub fn outline(text: &str) -> impl Iterator<Item = &str> {
    // What is asked for anywhere among the arguments must stand in the line, too.
    let words = text
        .split_whitespace()
        .filter(|word| ![ANY, OUTSIDE, GUARDED, WRITES, ELSEWHERE, AWAY].contains(word));
    let guarded = text.contains(GUARDED).then_some(GUARDED_WORDS);
    let words = words.filter(|word| !word.starts_with('-'));
    let away = text.contains(AWAY).then_some(AWAY_WORDS);
    words.map(|word| if word == UNKNOWN { "*" } else { word }).chain(guarded).chain(away)
}
