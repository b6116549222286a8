//! The words that names are made of, and what values say that are none.

/// What every name that tells something holds, in lower case.
pub(super) const STEMS: &[&str] = &[
    "pass", "pwd", "secret", "token", "key", "cred", "auth", "cookie", "jwt", "otp", "pin", "cvv", "cvc",
    "dsn", "mnemonic", "seed", "session", "sid", "sig", "hmac", "connection", "connstr", "conn_str", "card",
    "phrase", "kennwort", "code", "salt", "csrf", "xsrf", "sas", "pw", "mfa", "ssn", "identified",
    "psk", "clave", "senha", "trasena", "wachtwoord", "heslo", "haslo", "sifre",
    // `GITHUB_PAT`: only with what ends the name, or each `path` and `pattern` would be looked at.
    "pat=", "pat%3", "pat:", "pat\"", "pat'", "pat ", "pat\\", "pat>", "pat]",
];

/// Names of several words that say more than each of these.
pub(super) const PHRASES: &[&str] = &[
    "api key", "access key", "private key", "secret key", "card number", "security code", "recovery phrase",
    "seed phrase", "connection string", "verification code", "access code", "pass phrase",
    "pass code", "account key", "ssh key", "license key", "recovery codes", "recovery code", "backup codes",
    "backup code", "login code", "one-time code", "mot de passe", "shared key",
];

/// A name with one of these in it, its words written as one, holds a secret.
pub(super) const WITHIN: &[&str] = &[
    "password", "passwd", "passwort", "passphrase", "passcode", "passkey", "secret", "apikey", "accesskey",
    "privatekey", "authkey", "authorization", "credential", "cookie", "mnemonic", "connectionstring",
    "connstr", "sshkey", "signingkey", "encryptionkey", "masterkey", "accountkey", "licensekey",
    "deploykey", "seedphrase", "recoveryphrase", "cardnumber", "creditcard", "cardno", "ccnumber",
    "securitycode", "cvv", "pincode", "kennwort", "sharedaccess", "hostkey", "storagekey",
    "accesstoken", "authtoken", "motdepasse", "contrasena", "wachtwoord", "presharedkey",
];
/// Names that hold one of those, and are none.
pub(super) const NOT_WITHIN: &[&str] = &[
    "secretary", "secretariat", "secretsmanager", "passwordless", "cookieconsent",
];
/// The last word of a name that holds a secret.
pub(super) const LAST: &[&str] = &[
    "token", "jwt", "otp", "totp", "cvv", "cvc", "csc", "dsn", "creds", "cred", "bearer", "hmac", "pw",
    "passwd", "pwd", "passphrase", "psk", "senha", "heslo", "haslo", "sifre", "bindpw", "rootpw", "masterauth", "requirepass",
    "jsessionid", "phpsessid",
];
pub(super) const LIKELY_LAST: &[&str] = &[
    "auth", "pass", "pin", "sig", "signature", "sas", "ssn", "mfa", "authtok", "authz", "authn", "passcommand",
];
pub(super) const WEAK_LAST: &[&str] = &[
    "key", "keys", "session", "sid", "seed", "tokens", "code", "salt", "csrf", "xsrf", "sess", "auths", "clave", "pat",
];
/// What stands before `key` where it is none of a lock.
pub(super) const HARMLESS_KEYS: &[&str] = &[
    "public", "context", "session", "cache",
    "idempotency", "dedupe", "map", "json", "i18n", "message", "translation",
    "event", "label", "state",
    "press", "on", "declaration", "routing", "lookup", "by", "hash", "dict", "sub", "parent",
    "metric", "query", "feature", "config", "setting", "registry", "tab", "home", "escape",
    "enter", "any", "the", "a", "this", "join", "page", "topic",
    "lock", "for", "get", "has", "is", "next", "previous", "same", "data", "attribute", "property", "param",
    "parameter", "header", "env", "variable",
];
/// What stands before `key` where it only says which of many is meant.
pub(super) const ORDER_KEYS: &[&str] = &[
    "dedup", "primary", "foreign", "sort", "partition", "hot", "unique", "composite", "natural", "surrogate", "object",
    "row", "group", "column", "field", "index", "range", "order", "issue", "project", "modifier", "arrow",
];
/// What stands before `token` where it only says where a list goes on.
pub(super) const PAGE_TOKENS: &[&str] = &[
    "page", "next", "prev", "previous", "continuation", "pagination", "starting", "sync", "delta", "resume",
    "cancel", "cancellation", "request", "design", "syntax",
];
pub(super) const HARMLESS_TOKENS: &[&str] = &[
    "per", "eos", "bos", "pad", "unk", "each", "stop", "first", "last", "mask",
];
pub(super) const CODES: &[&str] = &[
    "verification", "auth", "otp", "recovery", "backup", "security", "access", "mfa", "2fa", "login", "sms",
    "pin", "time", "onetime", "scratch",
];
/// First words of names that count or deny: `max_tokens`, `--no-auth`.
pub(super) const HARMLESS_FIRST: &[&str] = &[
    "no", "max", "min", "num", "total", "count", "n", "without", "skip",
];
/// Last words of names that speak about a secret and do not hold it.
pub(super) const ABOUT: &[&str] = &[
    "id", "ids", "name", "names", "type", "kind", "count", "length", "len", "size", "policy", "url", "uri",
    "endpoint", "path", "file", "files", "dir", "ttl", "expiry", "expires", "in", "at", "version", "arn",
    "ref", "enabled", "required", "status", "prefix", "limit", "hint", "label", "manager", "format",
    "method", "mode", "field", "index", "strategy", "provider", "domain", "host", "port", "usage", "budget",
    "rules", "age", "jar", "store", "class", "service", "stdin", "env", "rotation", "scope", "scopes",
    "user", "username", "email", "only", "server", "group", "groups", "realm", "algorithm", "strength",
    "protected", "reset", "generator", "checker", "review",
    "flags", "mgmt",
];

/// Values that are no secret under whatever name, and those that are none under a name that only may hold one.
pub(super) const NOTHING: &[&str] = &[
    "true", "false", "null", "none", "nil", "undefined", "yes", "no", "on", "off", "required", "optional",
    "string", "...", "…",
];
pub(super) const SETTINGS: &[&str] = &[
    "enabled", "disabled", "auto", "default", "basic", "bearer", "oauth", "oauth2", "oidc", "saml", "token",
    "password", "jwt", "digest", "ntlm", "apikey", "anonymous", "manual", "ok", "done", "failed", "pending",
    "passed", "login", "plain", "inherit", "always", "never", "session",
];

/// What somebody says of a secret begins with one of these, where no secret stands: `password: reset flow`.
pub(super) const SAID_FIRST: &[&str] = &[
    "a", "add", "added", "adds", "allow", "allows", "always", "an", "ask", "asks", "avoid", "bump", "bumps", "can", "cannot",
    "change", "changed", "changes", "check", "checked", "checks", "clarify", "clean", "cleanup", "clear", "confirm", "create",
    "deprecate", "describe", "disable", "disallow", "docs", "document", "documented", "documents", "does", "drop", "empty", "enable",
    "encrypt", "ensure", "entropy", "expire", "expired", "expires", "expiry", "explain", "field", "fields", "fix", "fixed", "fixes",
    "flow", "for", "forgot", "form", "generate", "generated", "handle", "handles", "hash", "hashed", "hashes", "hashing", "has", "hide",
    "how", "if", "ignore", "implement", "improve", "input", "invalid", "is", "it", "keep", "length", "less", "limit", "log", "make",
    "mask", "max", "maximum", "migrate", "min", "minimum", "missing", "more", "move", "moved", "must", "need", "needs", "never", "new",
    "no", "not", "now", "only", "our", "parse", "policy", "policies", "prompt", "prompts", "redact", "refactor", "reject", "rejects",
    "remove", "removed", "removes", "rename", "renamed", "replace", "require", "required", "requires", "reset", "resets", "restrict",
    "reuse", "revert", "revoke", "rotate", "rotated", "rotation", "same", "save", "see", "set", "should", "show", "shows", "simplify",
    "skip", "sort", "split", "still", "store", "stored", "strength", "strip", "stronger", "support", "supports", "test", "tests", "that",
    "the", "this", "to", "too", "trim", "typo", "unify", "update", "updated", "updates", "upgrade", "use", "used", "uses", "using",
    "validate", "validates", "validation", "verify", "was", "we", "when", "where", "which", "why", "will", "wrong", "you", "your",
];
/// Or goes on with one: `password: field is required`.
pub(super) const SAID_NEXT: &[&str] = &[
    "a", "an", "are", "as", "be", "but", "by", "can", "cannot", "does", "from", "has", "have", "if", "is", "it", "its", "may", "must",
    "needs", "not", "of", "per", "required", "should", "than", "that", "the", "this", "to", "too", "until", "was", "were", "when", "will",
];

/// Sorts of values, as the table that explains a field has them.
pub(super) const SORTS: &[&str] = &[
    "text", "str", "varchar", "char", "number", "integer", "int", "boolean", "bool", "bytes", "uuid", "object",
    "array", "string?", "strings", "varchar(255)", "hidden", "value", "description", "mandatory", "needed",
];
/// How the names of files end that hold a key or a certificate.
pub(super) const KEY_FILES: &[&str] = &[
    ".pem", ".key", ".crt", ".cer", ".csr", ".der", ".p12", ".pfx", ".jks", ".pub", ".ppk",
];
/// How the names of other files end.
pub(super) const FILES: &[&str] = &[
    ".json", ".txt", ".yaml", ".yml", ".toml", ".env", ".md", ".db", ".csv", ".ini", ".conf", ".cfg", ".xml",
    ".js", ".ts", ".py", ".rs", ".go", ".sh", ".html",
];
