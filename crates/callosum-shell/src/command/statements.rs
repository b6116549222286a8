//! Whether what a client of a database is told to do writes: told by the verbs of its statements, without what they quote.

use super::Command;

/// How clients of one language are given statements.
struct Speaker {
    programs: &'static [&'static str],
    language: Language,
    /// Options that hold statements.
    texts: &'static [&'static str],
    /// Options that name a file of statements, which nobody reads.
    files: &'static [&'static str],
    /// Options with which it only asks, or does nothing.
    asks: &'static [&'static str],
    /// Its arguments, without so many at first, are statements too.
    arguments: Option<usize>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Language {
    Sql,
    Cypher,
    Mongo,
    Redis,
}

use Language::{Cypher, Mongo, Redis, Sql};

#[rustfmt::skip]
const SPEAKERS: &[Speaker] = &[
    Speaker { programs: &["psql", "pgcli", "ysqlsh", "vsql"], language: Sql, texts: &["-c", "--command"], files: &["-f", "--file"], asks: &["-l", "--list", "-V", "--version"], arguments: None },
    Speaker { programs: &["mysql", "mariadb", "mycli", "mysqlsh"], language: Sql, texts: &["-e", "--execute"], files: &["--file"], asks: &["-V", "--version"], arguments: None },
    Speaker { programs: &["clickhouse-client", "clickhouse", "chc"], language: Sql, texts: &["-q", "--query"], files: &["--queries-file"], asks: &["-V", "--version"], arguments: None },
    Speaker { programs: &["cqlsh"], language: Sql, texts: &["-e", "--execute"], files: &["-f", "--file"], asks: &["--version"], arguments: None },
    Speaker { programs: &["sqlcmd", "mssql-cli"], language: Sql, texts: &["-Q", "-q", "--query"], files: &["-i", "--input-file"], asks: &["-L"], arguments: None },
    Speaker { programs: &["cockroach"], language: Sql, texts: &["-e", "--execute"], files: &["-f", "--file"], asks: &[], arguments: None },
    Speaker { programs: &["snowsql", "snow", "impala-shell"], language: Sql, texts: &["-q", "--query"], files: &["-f", "--filename", "--query_file"], asks: &["-v", "--version"], arguments: None },
    Speaker { programs: &["beeline"], language: Sql, texts: &["-e"], files: &["-f", "-i"], asks: &[], arguments: None },
    Speaker { programs: &["trino", "presto"], language: Sql, texts: &["--execute"], files: &["-f", "--file"], asks: &["--version"], arguments: None },
    Speaker { programs: &["usql"], language: Sql, texts: &["-c", "--command"], files: &["-f", "--file"], asks: &["-l"], arguments: None },
    Speaker { programs: &["bq"], language: Sql, texts: &[], files: &[], asks: &["--dry_run"], arguments: Some(1) },
    Speaker { programs: &["turso"], language: Sql, texts: &[], files: &[], asks: &[], arguments: Some(3) },
    Speaker { programs: &["wrangler"], language: Sql, texts: &["--command"], files: &["--file"], asks: &["--local"], arguments: None },
    Speaker { programs: &["influx"], language: Sql, texts: &[], files: &["-f", "--file"], asks: &[], arguments: Some(1) },
    Speaker { programs: &["wp", "drush"], language: Sql, texts: &[], files: &["--file"], asks: &[], arguments: Some(1) },
    Speaker { programs: &["cypher-shell"], language: Cypher, texts: &[], files: &["-f", "--file"], asks: &["-v", "--version"], arguments: Some(0) },
    Speaker { programs: &["mongosh", "mongo"], language: Mongo, texts: &["--eval"], files: &["-f", "--file"], asks: &["--version"], arguments: None },
    Speaker { programs: &["redis-cli", "valkey-cli", "keydb-cli"], language: Redis, texts: &[], files: &[], asks: &["-v", "--version", "--scan", "--stat", "--bigkeys", "--memkeys", "--hotkeys", "--latency", "--latency-history", "--rdb", "--ping", "--memkeys-samples"], arguments: Some(0) },
];

/// Whether a command gives a client statements that write; true where it gives some that nobody can read, too.
pub(super) fn writes(command: &Command<'_>) -> bool {
    let is_its = |speaker: &&Speaker| speaker.programs.contains(&command.program());
    let Some(speaker) = SPEAKERS.iter().find(is_its) else { return false };
    if command.is_given(speaker.asks) {
        return false;
    }
    let mut texts: Vec<String> = command.values(speaker.texts).into_iter().map(str::to_owned).collect();
    let has_file = command.is_given(speaker.files);
    if speaker.language == Redis {
        let words: Vec<&str> = command.plain().collect();
        texts.extend((!words.is_empty()).then(|| words.join(" ")));
        // `redis-cli --eval script.lua`
        if command.is_given(&["--eval", "--pipe", "--cluster"]) {
            return true;
        }
    } else if let Some(from) = speaker.arguments {
        texts.extend(command.plain().skip(from).map(str::to_owned));
    }
    let is_script = |word: &str| word.ends_with(".js") || word.ends_with(".mongodb");
    if has_file || speaker.language == Mongo && command.plain().any(is_script) {
        return true;
    }
    if texts.is_empty() {
        texts.extend(command.invocation.input.iter().map(|text| text.to_string()));
        // Who runs a client without statements lets it read them from elsewhere.
        if texts.is_empty() {
            return true;
        }
    }
    texts.iter().any(|text| says_writes(speaker.language, text))
}

/// Whether statements that a tool is given write: SQL, or Cypher by the word it begins with.
#[must_use]
pub fn statements_write(text: &str) -> bool {
    const OF_CYPHER: &[&str] = &["MATCH", "MERGE", "OPTIONAL", "UNWIND"];
    let code = without_quotes(text);
    let is_cypher = words(&code).next().is_some_and(|word| is_in(OF_CYPHER, word));
    says_writes(if is_cypher { Cypher } else { Sql }, text)
}

fn says_writes(language: Language, text: &str) -> bool {
    match language {
        Sql => sql_writes(text),
        Cypher => {
            let code = without_quotes(text);
            words(&code).any(|word| is_in(CYPHER_VERBS, word))
        }
        Mongo => mongo_writes(text),
        Redis => text.lines().any(redis_writes),
    }
}

/// Verbs that a statement begins with which writes, or hands over to what does. Sorted.
#[rustfmt::skip]
const SQL_VERBS: &[&str] = &[
    "ALTER", "ATTACH", "BACKUP", "BATCH", "CALL", "CLUSTER", "COMMENT", "CREATE", "DBCC", "DELETE", "DENY", "DETACH", "DO",
    "DROP", "EXCHANGE", "EXEC", "EXECUTE", "EXPORT", "FLUSH", "GRANT", "IMPORT", "INSERT", "INSTALL", "KILL", "LOAD", "MERGE", "MOVE", "MSCK", "NOTIFY",
    "OPTIMIZE", "PURGE", "PUT", "REASSIGN", "REFRESH", "REINDEX", "REMOVE", "RENAME", "REPAIR", "REPLACE", "RESTORE", "REVOKE", "SECURITY", "SHUTDOWN",
    "SYSTEM", "TRUNCATE", "UNDROP", "UPDATE", "UPSERT", "VACUUM",
];
/// Verbs behind a `WITH …` that write.
const SQL_CHANGES: &[&str] = &["DELETE", "INSERT", "MERGE", "UPDATE"];
/// Clauses of Cypher that write. Sorted.
const CYPHER_VERBS: &[&str] =
    &["ALTER", "CREATE", "DELETE", "DROP", "GRANT", "LOAD", "MERGE", "REMOVE", "REVOKE", "SET"];
/// Commands of psql that run what is not in the line, or write.
const PSQL_COMMANDS: &[&str] =
    &["\\i", "\\ir", "\\include", "\\gexec", "\\lo_import", "\\lo_unlink", "\\password"];

/// Whether statements of SQL write.
pub(super) fn sql_writes(text: &str) -> bool {
    let code = without_quotes(text);
    let by_command = code.lines().any(|line| {
        let mut words = line.split_whitespace();
        let first = words.next().unwrap_or_default();
        PSQL_COMMANDS.contains(&first)
            || first == "\\copy" && words.any(|word| word.eq_ignore_ascii_case("from"))
            || matches!(first, "source" | "SOURCE" | "\\.")
    });
    by_command || code.split(';').any(statement_writes)
}

fn statement_writes(statement: &str) -> bool {
    let mut words = words(statement);
    let Some(first) = words.next() else { return false };
    let has = |list: &[&str]| self::words(statement).skip(1).any(|word| is_in(list, word));
    match first.to_ascii_uppercase().as_str() {
        // `CREATE TEMP TABLE`
        "CREATE" => !words.next().is_some_and(|word| is_in(&["LOCAL", "TEMP", "TEMPORARY"], word)),
        "COPY" => has(&["FROM"]) && !has(&["TO"]),
        "WITH" => has(SQL_CHANGES),
        // It runs what it explains.
        "EXPLAIN" => has(&["ANALYZE"]) && has(SQL_CHANGES),
        "SELECT" | "FROM" => has(&["INTO"]),
        "SET" => has(&["GLOBAL", "PASSWORD", "PERSIST"]),
        "BEGIN" | "START" => has(&["BATCH"]) || has(SQL_CHANGES),
        "DECLARE" | "IF" | "USE" => has(SQL_CHANGES) || has(&["DROP", "EXEC", "TRUNCATE"]),
        // A line of psql's or of another client's own before it.
        first if first.starts_with('\\') => {
            statement.split_once('\n').is_some_and(|(_, rest)| statement_writes(rest))
        }
        first => is_in(SQL_VERBS, first),
    }
}

/// The words of a statement; what begins a command of psql's keeps its backslash.
fn words(code: &str) -> impl Iterator<Item = &str> {
    code.split(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '\\')).filter(|word| !word.is_empty())
}

fn is_in(list: &[&str], word: &str) -> bool {
    list.iter().any(|known| known.eq_ignore_ascii_case(word))
}

/// A text without its comments, and with nothing in its quotes.
fn without_quotes(text: &str) -> String {
    let mut code = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let (skipped, kept) = match c {
            '\'' | '"' | '`' => (end_of(rest, 1, rest.get(..1).unwrap_or_default()), " ''"),
            '-' if rest.starts_with("--") => (rest.find('\n').unwrap_or(rest.len()), " "),
            '/' if rest.starts_with("/*") => (end_of(rest, 2, "*/"), " "),
            '$' => match dollar_quote(rest) {
                Some(mark) => (end_of(rest, mark.len(), mark), " ''"),
                None => (1, "$"),
            },
            _ => {
                code.push(c);
                (c.len_utf8(), "")
            }
        };
        code.push_str(kept);
        rest = rest.get(skipped..).unwrap_or_default();
    }
    code
}

/// Where what ends with `mark` ends, of which `from` bytes are its beginning.
fn end_of(text: &str, from: usize, mark: &str) -> usize {
    let found = text.get(from..).and_then(|rest| rest.find(mark));
    found.map_or(text.len(), |at| from + at + mark.len())
}

/// `$$` or `$name$` at the beginning of a text.
fn dollar_quote(text: &str) -> Option<&str> {
    let end = text.get(1..)?.find('$')? + 2;
    let mark = text.get(..end)?;
    mark.get(1..end - 1)?.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_').then_some(mark)
}

/// The beginnings of methods of MongoDB's shell that write.
#[rustfmt::skip]
const MONGO_METHODS: &[&str] = &[
    "insert", "update", "delete", "remove", "drop", "create", "rename", "replace", "bulkWrite", "findOneAndUpdate", "findOneAndReplace", "findOneAndDelete",
    "findAndModify", "save", "grant", "revoke", "changeUserPassword", "initiate", "reconfig", "stepDown", "shutdownServer", "fsyncLock", "enableSharding",
    "shardCollection", "moveChunk", "killOp", "convertToCapped", "compact", "copyDatabase", "cloneDatabase", "setProfilingLevel", "initializeOrderedBulkOp",
    "initializeUnorderedBulkOp", "load",
];

fn mongo_writes(code: &str) -> bool {
    let calls = |method: &&str| {
        memchr::memmem::find_iter(code.as_bytes(), *method).any(|at| {
            let before = at.checked_sub(1).and_then(|before| code.as_bytes().get(before));
            let is_method = before == Some(&b'.') || *method == "load" && before.is_none();
            let rest = code.get(at..).unwrap_or_default();
            is_method && rest.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_').starts_with('(')
        })
    };
    MONGO_METHODS.iter().any(calls) || ["$out", "$merge"].iter().any(|stage| code.contains(stage))
}

/// Commands of Redis that write, and the beginnings of those of a family of which all do (`JSON.SET`). Sorted.
#[rustfmt::skip]
const REDIS_COMMANDS: &[&str] = &[
    "APPEND", "BGREWRITEAOF", "BITFIELD", "BITOP", "BLMOVE", "BLMPOP", "BLPOP", "BRPOP", "BRPOPLPUSH", "BZMPOP", "BZPOPMAX", "BZPOPMIN", "COPY", "DECR",
    "DECRBY", "DEL", "EVAL", "EVALSHA", "EXPIRE", "EXPIREAT", "FAILOVER", "FCALL", "FLUSHALL", "FLUSHDB", "GEOADD", "GEORADIUS", "GEOSEARCHSTORE",
    "GETDEL", "GETEX", "GETSET", "HDEL", "HEXPIRE", "HINCRBY", "HINCRBYFLOAT", "HMSET", "HSET", "HSETNX", "INCR", "INCRBY", "INCRBYFLOAT", "LINSERT",
    "LMOVE", "LMPOP", "LPOP", "LPUSH", "LPUSHX", "LREM", "LSET", "LTRIM", "MIGRATE", "MOVE", "MSET", "MSETNX", "PERSIST", "PEXPIRE", "PEXPIREAT", "PFADD",
    "PFMERGE", "PSETEX", "PUBLISH", "RENAME", "RENAMENX", "REPLICAOF", "RESTORE", "RPOP", "RPOPLPUSH", "RPUSH", "RPUSHX", "SADD", "SAVE", "SDIFFSTORE",
    "SET", "SETBIT", "SETEX", "SETNX", "SETRANGE", "SHUTDOWN", "SINTERSTORE", "SLAVEOF", "SMOVE", "SPOP", "SPUBLISH", "SREM", "SUNIONSTORE", "SWAPDB",
    "UNLINK", "XACK", "XADD", "XAUTOCLAIM", "XCLAIM", "XDEL", "XSETID", "XTRIM", "ZADD", "ZDIFFSTORE", "ZINCRBY", "ZINTERSTORE", "ZMPOP", "ZPOPMAX",
    "ZPOPMIN", "ZRANGESTORE", "ZREM", "ZREMRANGEBYLEX", "ZREMRANGEBYRANK", "ZREMRANGEBYSCORE", "ZUNIONSTORE",
];
/// Subcommands of theirs that write.
const REDIS_SUBCOMMANDS: &[(&str, &[&str])] = &[
    ("ACL", &["DELUSER", "LOAD", "SAVE", "SETUSER"]),
    ("CLIENT", &["KILL", "PAUSE"]),
    ("CLUSTER", &["ADDSLOTS", "DELSLOTS", "FAILOVER", "FORGET", "MEET", "REPLICATE", "RESET", "SETSLOT"]),
    ("CONFIG", &["RESETSTAT", "REWRITE", "SET"]),
    ("FUNCTION", &["DELETE", "FLUSH", "LOAD", "RESTORE"]),
    ("MODULE", &["LOAD", "LOADEX", "UNLOAD"]),
    ("SCRIPT", &["FLUSH", "KILL"]),
    ("XGROUP", &["CREATE", "CREATECONSUMER", "DELCONSUMER", "DESTROY", "SETID"]),
];
/// Commands of its modules that write: `JSON.SET`.
const REDIS_MODULES: &[&str] = &[
    ".ADD",
    ".ALTER",
    ".CREATE",
    ".DEL",
    ".DROPINDEX",
    ".INCRBY",
    ".MADD",
    ".MERGE",
    ".MSET",
    ".NUMINCRBY",
    ".RESERVE",
    ".SET",
];

fn redis_writes(line: &str) -> bool {
    let mut words = line.split_whitespace();
    let Some(first) = words.next() else { return false };
    let second = words.next().unwrap_or_default();
    let of_subcommand = REDIS_SUBCOMMANDS.iter().find(|(name, _)| name.eq_ignore_ascii_case(first));
    let is_of_module =
        |ending: &&str| first.len() > ending.len() && first.to_ascii_uppercase().ends_with(*ending);
    is_in(REDIS_COMMANDS, first)
        || of_subcommand.is_some_and(|(_, writing)| is_in(writing, second))
        || REDIS_MODULES.iter().any(is_of_module)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Line;

    fn is_written(line: &str) -> bool {
        let line = Line::read(line);
        line.invocations.iter().any(|invocation| writes(&Command::new(invocation)))
    }

    #[test]
    fn statements_that_write() {
        for line in [
            "psql -c 'DELETE FROM carts'",
            "psql -c 'SELECT 1; drop table x'",
            "psql -c 'WITH old AS (SELECT 1) DELETE FROM carts'",
            "psql -c 'with a as (insert into x values (1) returning id) select * from a'",
            "psql -c '/* note */ -- and\nupdate x set a=1'",
            "psql -c \"EXPLAIN ANALYZE DELETE FROM carts\"",
            "psql -c 'SELECT * INTO copy FROM carts'",
            "psql -c '\\copy t from data.csv'",
            "psql -c 'COPY t FROM stdin'",
            "psql -c 'DO $$ BEGIN DELETE FROM x; END $$'",
            "psql -f fix.sql",
            "psql shop < fix.sql",
            "zcat dump.gz | psql shop",
            "psql shop <<'E'\nBEGIN;\nUPDATE x SET a=1;\nCOMMIT;\nE",
            "echo 'INSERT INTO x VALUES (1);' | psql shop",
            "mysql -e \"GRANT ALL ON shop.* TO 'a'@'b'\"",
            "mysql -e 'SET GLOBAL max_connections=10'",
            "sqlcmd -Q 'EXEC sp_rename a, b'",
            "sqlcmd -i fix.sql",
            "clickhouse-client --query 'ALTER TABLE hits DELETE WHERE 1'",
            "cqlsh -e 'TRUNCATE carts'",
            "cypher-shell 'MATCH (n) DETACH DELETE n'",
            "mongosh --eval 'db.carts.deleteMany({})'",
            "mongosh --eval 'db.getSiblingDB(\"x\").dropDatabase()'",
            "mongosh fix.js",
            "mongosh --eval 'db.a.aggregate([{$out: \"b\"}])'",
            "redis-cli FLUSHALL",
            "redis-cli -n 2 del x",
            "redis-cli config set maxmemory 1",
            "redis-cli JSON.SET a $ 1",
            "printf 'GET a\\nSET a 1\\n' | redis-cli",
        ] {
            assert!(is_written(line), "{line}");
        }
    }

    #[test]
    fn statements_that_ask() {
        for line in [
            "psql -c 'SELECT count(*) FROM orders'",
            "psql -c \"SELECT 'DELETE FROM carts' AS hint\"",
            "psql -c 'EXPLAIN DELETE FROM carts'",
            "psql -c '\\dt+'",
            "psql -c '\\copy t to data.csv'",
            "psql -c 'COPY (SELECT 1) TO STDOUT'",
            "psql -c '-- DELETE FROM carts\nSELECT 1'",
            "psql -c 'SELECT $$DROP TABLE x$$'",
            "psql -c 'BEGIN; SELECT 1; ROLLBACK'",
            "psql -c 'select updated, \"delete\" from x'",
            "psql -l",
            "psql shop <<'E'\n\\dt\nSELECT 1;\nE",
            "mysql -e 'SHOW PROCESSLIST'",
            "mysql -e 'SELECT `update` FROM x'",
            "sqlcmd -Q 'SELECT TOP 5 * FROM audit'",
            "cypher-shell 'MATCH (n) RETURN n'",
            "mongosh --eval 'db.carts.countDocuments({})'",
            "mongosh --eval 'db.carts.find({updated: 1})'",
            "redis-cli INFO memory",
            "redis-cli --scan --pattern 'x:*'",
            "redis-cli config get maxmemory",
            "redis-cli JSON.GET a",
        ] {
            assert!(!is_written(line), "{line}");
        }
    }
    #[test]
    fn statements_of_tools_are_sql_or_cypher() {
        for (text, expected) in [
            ("SELECT 1", false),
            ("  -- delete from t\nselect count(*) from orders", false),
            ("select 'delete from t; drop table t'", false),
            ("explain delete from t", false),
            ("EXPLAIN ANALYZE DELETE FROM t", true),
            ("with x as (delete from t returning *) select * from x", true),
            ("select 1; DROP TABLE t", true),
            ("begin; select 1; commit;", false),
            ("MATCH (n) RETURN n.`delete`", false),
            ("MATCH (n) SET n.a = 1", true),
            ("optional match (n) detach delete n", true),
            // Languages that only ask.
            ("sum(rate(http_requests_total[5m]))", false),
            ("FROM logs | LIMIT 10", false),
            ("EVALUATE Sales", false),
            ("", false),
        ] {
            assert_eq!(statements_write(text), expected, "{text}");
        }
    }
}
