//! The server that a client of databases or queues talks to: its host, its port, and the database.

use super::Command;
use crate::Argument;

/// A server, as far as the command and its environment say which.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Server {
    /// This machine: `said` where the command or its environment names it, else because the client means that one.
    Here {
        /// Whether it is named.
        said: bool,
    },
    /// Another one.
    Elsewhere {
        /// The host, with its port unless that is the usual one; empty where only a connection's name is told.
        host: String,
        /// The database, or the name of a connection.
        database: String,
    },
    /// Nothing says which: a file of settings does, or nobody can tell.
    Untold,
}

/// What a client means where nothing says which server.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Usual {
    /// This machine.
    Here,
    /// The one in some file of settings.
    Untold,
}

use Usual::{Here, Untold};

/// What the first argument of a client is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum First {
    /// An address, or the name of a database.
    Database,
    /// A host, or an address.
    Host,
    /// Nothing of the server, unless it is an address.
    Other,
}

/// How a family of clients is told its server; from their manuals.
struct Client {
    programs: &'static [&'static str],
    usual: Usual,
    first: First,
    /// Options, and behind a `$` variables, that hold an address: `postgres://…`.
    address: &'static [&'static str],
    host: &'static [&'static str],
    port: &'static [&'static str],
    /// Those that name a database, and those that name a connection.
    database: &'static [&'static str],
    /// The port that is left out.
    usual_port: &'static str,
}

#[rustfmt::skip]
const CLIENTS: &[Client] = &[
    Client { programs: &["psql", "pgcli", "pg_restore", "createdb", "dropdb", "createuser", "dropuser", "vacuumdb", "reindexdb", "clusterdb", "pgbench", "ysqlsh", "vsql"], usual: Here, first: First::Database, address: &["-d", "--dbname"], host: &["-h", "--host", "$PGHOST", "$PGHOSTADDR"], port: &["-p", "--port", "$PGPORT"], database: &["-d", "--dbname", "$PGDATABASE", "$PGSERVICE"], usual_port: "5432" },
    Client { programs: &["mysql", "mariadb", "mysqlimport", "mariadb-import", "mysqladmin", "mariadb-admin", "mycli", "mysqlsh"], usual: Here, first: First::Database, address: &["--uri"], host: &["-h", "--host", "$MYSQL_HOST"], port: &["-P", "--port", "$MYSQL_TCP_PORT"], database: &["-D", "--database", "--schema"], usual_port: "3306" },
    Client { programs: &["mongosh", "mongo", "mongorestore", "mongoimport"], usual: Here, first: First::Database, address: &["--uri"], host: &["-h", "--host"], port: &["--port"], database: &["-d", "--db"], usual_port: "27017" },
    Client { programs: &["redis-cli", "valkey-cli", "keydb-cli"], usual: Here, first: First::Other, address: &["-u"], host: &["-h"], port: &["-p"], database: &["-n"], usual_port: "6379" },
    Client { programs: &["clickhouse-client", "clickhouse", "chc"], usual: Here, first: First::Other, address: &[], host: &["-h", "--host", "$CLICKHOUSE_HOST"], port: &["--port"], database: &["-d", "--database"], usual_port: "9000" },
    Client { programs: &["cqlsh"], usual: Here, first: First::Host, address: &[], host: &["$CQLSH_HOST"], port: &["$CQLSH_PORT"], database: &["-k", "--keyspace"], usual_port: "9042" },
    Client { programs: &["sqlcmd", "mssql-cli", "bcp"], usual: Here, first: First::Other, address: &[], host: &["-S", "--server", "$SQLCMDSERVER"], port: &[], database: &["-d", "--database-name", "$SQLCMDDBNAME"], usual_port: "1433" },
    Client { programs: &["cockroach"], usual: Here, first: First::Other, address: &["--url", "$COCKROACH_URL"], host: &["--host", "$COCKROACH_HOST"], port: &["-p", "--port", "$COCKROACH_PORT"], database: &["-d", "--database", "$COCKROACH_DATABASE"], usual_port: "26257" },
    Client { programs: &["cypher-shell"], usual: Here, first: First::Other, address: &["-a", "--address", "$NEO4J_ADDRESS", "$NEO4J_URI"], host: &[], port: &[], database: &["-d", "--database", "$NEO4J_DATABASE"], usual_port: "7687" },
    Client { programs: &["influx", "influx3"], usual: Untold, first: First::Other, address: &["--host", "$INFLUX_HOST"], host: &[], port: &[], database: &["-b", "--bucket", "-d", "--database", "$INFLUX_BUCKET_NAME"], usual_port: "8086" },
    Client { programs: &["beeline"], usual: Untold, first: First::Other, address: &["-u"], host: &[], port: &[], database: &[], usual_port: "10000" },
    Client { programs: &["impala-shell"], usual: Here, first: First::Other, address: &[], host: &["-i", "--impalad"], port: &[], database: &["-d", "--database"], usual_port: "21000" },
    Client { programs: &["trino", "presto"], usual: Here, first: First::Host, address: &["--server"], host: &[], port: &[], database: &["--catalog"], usual_port: "8080" },
    Client { programs: &["usql"], usual: Untold, first: First::Database, address: &[], host: &[], port: &[], database: &[], usual_port: "" },
    Client { programs: &["snowsql", "snow"], usual: Untold, first: First::Other, address: &[], host: &[], port: &[], database: &["-c", "--connection", "-d", "--dbname", "--database", "-a", "--accountname"], usual_port: "" },
    // Queues.
    Client { programs: &["kafka-console-producer", "kafka-console-producer.sh", "kafka-topics", "kafka-topics.sh", "kafka-configs", "kafka-configs.sh", "kafka-delete-records", "kafka-delete-records.sh", "kafka-consumer-groups", "kafka-consumer-groups.sh", "kafka-acls", "kafka-acls.sh", "kafka-reassign-partitions", "kafka-reassign-partitions.sh", "kafka-verifiable-producer", "kafka-verifiable-producer.sh", "kafka-producer-perf-test", "kafka-producer-perf-test.sh", "kafka-avro-console-producer", "kafka-json-schema-console-producer", "kafka-protobuf-console-producer"], usual: Untold, first: First::Other, address: &[], host: &["--bootstrap-server", "--broker-list", "--zookeeper"], port: &[], database: &[], usual_port: "9092" },
    Client { programs: &["kcat", "kafkacat", "kaf"], usual: Untold, first: First::Other, address: &[], host: &["-b", "--brokers", "$KAFKA_BROKERS"], port: &[], database: &["-c", "--cluster"], usual_port: "9092" },
    Client { programs: &["rpk"], usual: Untold, first: First::Other, address: &[], host: &["--brokers", "$RPK_BROKERS"], port: &[], database: &["--profile"], usual_port: "9092" },
    Client { programs: &["kafkactl", "confluent"], usual: Untold, first: First::Other, address: &[], host: &["--brokers", "--bootstrap", "$BROKERS"], port: &[], database: &["--context", "--cluster"], usual_port: "9092" },
    Client { programs: &["nats"], usual: Untold, first: First::Other, address: &["-s", "--server", "$NATS_URL"], host: &[], port: &[], database: &["--context", "$NATS_CONTEXT"], usual_port: "4222" },
    Client { programs: &["rabbitmqadmin"], usual: Here, first: First::Other, address: &[], host: &["-H", "--host"], port: &["-P", "--port"], database: &["-N", "--node"], usual_port: "15672" },
    Client { programs: &["rabbitmqctl"], usual: Here, first: First::Other, address: &[], host: &["-n", "--node"], port: &[], database: &[], usual_port: "" },
    Client { programs: &["amqp-publish", "amqp-delete-queue", "amqp-declare-queue", "amqp-consume"], usual: Here, first: First::Other, address: &["-u", "--url", "--uri"], host: &["-s", "--server"], port: &["--port"], database: &[], usual_port: "5672" },
    Client { programs: &["mosquitto_pub", "mosquitto_rr"], usual: Here, first: First::Other, address: &["-L", "--url"], host: &["-h", "--host"], port: &["-p", "--port"], database: &[], usual_port: "1883" },
    Client { programs: &["mqtt", "mqttx", "mqttcli"], usual: Here, first: First::Other, address: &[], host: &["-h", "--host", "--hostname"], port: &["-p", "--port"], database: &[], usual_port: "1883" },
    Client { programs: &["pulsar-client", "pulsar-admin", "pulsarctl"], usual: Untold, first: First::Other, address: &["--url", "--admin-url", "-s", "--admin-service-url"], host: &[], port: &[], database: &[], usual_port: "6650" },
    Client { programs: &["celery"], usual: Untold, first: First::Other, address: &["-b", "--broker", "$CELERY_BROKER_URL"], host: &[], port: &[], database: &[], usual_port: "5672" },
    Client { programs: &["temporal", "tctl"], usual: Here, first: First::Other, address: &[], host: &["--address", "--ad", "$TEMPORAL_ADDRESS", "$TEMPORAL_CLI_ADDRESS"], port: &[], database: &["-n", "--namespace", "$TEMPORAL_NAMESPACE"], usual_port: "7233" },
    // What acts on a chain by one of its nodes, and a store of secrets by its server.
    Client { programs: &["cast", "forge"], usual: Untold, first: First::Other, address: &["--rpc-url", "-r", "$ETH_RPC_URL"], host: &[], port: &[], database: &[], usual_port: "" },
    Client { programs: &["solana", "spl-token"], usual: Untold, first: First::Other, address: &[], host: &["-u", "--url"], port: &[], database: &[], usual_port: "" },
    Client { programs: &["vault", "bao"], usual: Untold, first: First::Other, address: &["-address", "$VAULT_ADDR", "$BAO_ADDR"], host: &[], port: &[], database: &[], usual_port: "" },
    Client { programs: &["infisical"], usual: Untold, first: First::Other, address: &["--domain"], host: &[], port: &[], database: &[], usual_port: "" },
    // Migrations: an address, or the settings of a project.
    Client { programs: &["flyway", "liquibase"], usual: Untold, first: First::Other, address: &["-url", "--url", "$FLYWAY_URL", "$LIQUIBASE_COMMAND_URL"], host: &[], port: &[], database: &[], usual_port: "" },
    Client { programs: &["alembic", "aerich", "flask"], usual: Untold, first: First::Other, address: &["$DATABASE_URL", "$SQLALCHEMY_DATABASE_URI", "$SQLALCHEMY_DATABASE_URL", "$DB_URL"], host: &[], port: &[], database: &[], usual_port: "" },
    Client { programs: &["goose"], usual: Untold, first: First::Database, address: &["$GOOSE_DBSTRING"], host: &[], port: &[], database: &[], usual_port: "" },
    Client { programs: &["sqitch"], usual: Untold, first: First::Other, address: &["-t", "--target", "$SQITCH_TARGET"], host: &["-h", "--db-host"], port: &["-p", "--db-port"], database: &["-d", "--db-name"], usual_port: "" },
    Client { programs: &["hasura"], usual: Untold, first: First::Other, address: &["--endpoint", "$HASURA_GRAPHQL_ENDPOINT"], host: &[], port: &[], database: &["--database-name"], usual_port: "" },
    Client { programs: &[], usual: Untold, first: First::Other, address: &["-u", "-url", "--url", "-d", "-D", "-database", "--database", "--database-url", "--connection", "--uri", "--dsn", "--db-url", "$DATABASE_URL", "$DB_URL"], host: &[], port: &[], database: &[], usual_port: "" },
];

/// Ports of what addresses with these schemes mean.
const PORTS: &[(&str, &str)] = &[
    ("postgres", "5432"),
    ("postgresql", "5432"),
    ("mysql", "3306"),
    ("mariadb", "3306"),
    ("mongodb", "27017"),
    ("redis", "6379"),
    ("rediss", "6379"),
    ("amqp", "5672"),
    ("amqps", "5671"),
    ("nats", "4222"),
    ("mqtt", "1883"),
    ("sqlserver", "1433"),
    ("mssql", "1433"),
    ("https", "443"),
    ("http", "80"),
];

/// Variables that say which of its environments a program works on.
const STAGE_VARIABLES: &[&str] = &["RAILS_ENV", "RACK_ENV", "MIX_ENV", "APP_ENV"];
/// Stages whose databases are this machine's.
const STAGES_HERE: &[&str] = &["test", "testing", "development", "local"];

/// The server of a command; `variable` tells what its environment holds. What is this machine to a command that runs on another one is
/// that one.
#[must_use]
pub fn server(command: &Command<'_>, variable: &dyn Fn(&str) -> Option<String>) -> Server {
    match (told_server(command, variable), &command.invocation.host) {
        (Server::Here { .. }, Some(host)) => {
            Server::Elsewhere { host: host.clone(), database: named_database(command).unwrap_or_default() }
        }
        (Server::Untold, Some(host)) => Server::Elsewhere { host: String::new(), database: host.clone() },
        (told, _) => told,
    }
}

/// The database that a client is told by an option or its first argument.
fn named_database(command: &Command<'_>) -> Option<String> {
    let client = CLIENTS.iter().find(|client| client.programs.contains(&command.program()))?;
    let named = client.database.iter().find_map(|name| command.values(&[*name]).last().copied());
    let first = || command.plain().next().filter(|_| client.first == First::Database);
    named.or_else(first).map(str::to_owned)
}

fn told_server(command: &Command<'_>, variable: &dyn Fn(&str) -> Option<String>) -> Server {
    let is_its =
        |client: &&Client| client.programs.is_empty() || client.programs.contains(&command.program());
    let Some(client) = CLIENTS.iter().find(is_its) else { return Server::Untold };
    let told = |names: &[&str]| {
        names.iter().find_map(|name| match name.strip_prefix('$') {
            Some(name) => variable(name).filter(|value| !value.is_empty()),
            None => command.values(&[*name]).last().map(|value| resolved(value, variable)),
        })
    };
    let arguments: Vec<String> = command.plain().map(|word| resolved(word, variable)).collect();
    let is_address =
        |word: &&String| word.contains("://") || client.first == First::Database && is_list(word);
    let address = arguments.iter().find(is_address).cloned();
    let address = address.or_else(|| {
        client.address.iter().find_map(|name| {
            told(&[*name]).filter(|value| {
                value.contains("://") || is_list(value) || name.starts_with('$') || is_variable(value)
            })
        })
    });
    if let Some(address) = address {
        let mut read = read_address(&address, client.usual_port);
        // `psql service=prod`, `redis-cli -u … -n 2`
        if let Server::Elsewhere { database, .. } = &mut read
            && let Some(other) =
                told(client.database).filter(|other| database.is_empty() && !other.contains("://"))
        {
            *database = other;
        }
        return read;
    }
    let first = arguments.first().map(String::as_str).filter(|word| !is_variable(word));
    let host = told(client.host).or_else(|| first.filter(|_| client.first == First::Host).map(str::to_owned));
    let database = told(client.database);
    let of_words = first.filter(|_| client.first == First::Database).map(str::to_owned);
    // `mongosh host:port/database`
    if host.is_none()
        && let Some(place) = of_words.as_deref().filter(|word| word.contains('/'))
    {
        return at(place, None, String::new(), client.usual_port);
    }
    // What a name alone stands for: `PGSERVICE`, a connection of snowsql's.
    let is_connection = client.host.is_empty() && client.usual == Untold
        || told(&["$PGSERVICE"]).is_some() && client.database.contains(&"$PGSERVICE");
    match host {
        Some(host) => {
            let port = told(client.port);
            let database = database.or(of_words).unwrap_or_default();
            at(&host, port.as_deref(), database, client.usual_port)
        }
        None if is_connection && database.is_some() => {
            Server::Elsewhere { host: String::new(), database: database.unwrap_or_default() }
        }
        // `psql "$DATABASE_URL"`
        None if client.first == First::Database
            && arguments.first().is_some_and(|word| is_variable(word)) =>
        {
            Server::Untold
        }
        None if client.usual == Here => Server::Here { said: false },
        None => Server::Untold,
    }
}

/// The stage that a command which is told no address works on: `--env production`, `RAILS_ENV`.
#[must_use]
pub fn stage(command: &Command<'_>, variable: &dyn Fn(&str) -> Option<String>) -> Option<String> {
    // `rails db:migrate RAILS_ENV=production`
    let of_words = || {
        command.plain().find_map(|word| {
            let (name, stage) = word.split_once('=')?;
            STAGE_VARIABLES.contains(&name).then(|| stage.to_owned())
        })
    };
    let named = command.values(&["--env", "--environment"]).last().map(|value| resolved(value, variable));
    let stage = named.or_else(of_words).or_else(|| STAGE_VARIABLES.iter().find_map(|name| variable(name)));
    stage.filter(|stage| !stage.is_empty())
}

/// Whether a stage is one whose databases are this machine's.
#[must_use]
pub fn is_stage_here(stage: &str) -> bool {
    STAGES_HERE.contains(&stage)
}

/// A word that is a variable, as the environment has it.
fn resolved(word: &str, variable: &dyn Fn(&str) -> Option<String>) -> String {
    let name = word.strip_prefix('$').map(|name| name.trim_start_matches('{').trim_end_matches('}'));
    name.and_then(variable).unwrap_or_else(|| word.to_owned())
}

fn is_variable(word: &str) -> bool {
    word.starts_with('$')
}

/// `host=db dbname=shop`, `service=prod`
fn is_list(word: &str) -> bool {
    ["host=", "hostaddr=", "service=", "dbname="].iter().any(|name| word.contains(name))
}

/// Reads `scheme://user@host:port/database?…`, `jdbc:…`, `host=… dbname=…`.
fn read_address(address: &str, usual_port: &str) -> Server {
    let address = address.strip_prefix("jdbc:").or_else(|| address.strip_prefix("db:")).unwrap_or(address);
    let Some((scheme, rest)) = address.split_once("://") else {
        return if is_list(address) { read_list(address, usual_port) } else { no_address(address) };
    };
    // `jdbc:sqlserver://host;databaseName=shop`
    let (rest, settings) = rest.split_once(['?', ';']).unwrap_or((rest, ""));
    let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let setting = |name: &str| settings.split(['&', ';']).find_map(|one| one.strip_prefix(name));
    let host = if host.is_empty() { setting("host=").unwrap_or_default() } else { host };
    let database = path.trim_end_matches('/');
    let database = if database.is_empty() { setting("databaseName=").unwrap_or_default() } else { database };
    let scheme = scheme.split(['+', ':']).next().unwrap_or(scheme);
    if matches!(scheme, "sqlite" | "sqlite3" | "file" | "duckdb") {
        return Server::Here { said: true };
    }
    let port = PORTS.iter().find(|(name, _)| *name == scheme).map_or(usual_port, |(_, port)| *port);
    // A web address says its port only where that is not the scheme's own.
    at(host, None, database.to_owned(), port)
}

/// What names neither host nor scheme: `sqlite:dev.db`, `file:dev.db`, a variable that nobody tells.
fn no_address(address: &str) -> Server {
    match address.split(':').next() {
        Some("sqlite" | "sqlite3" | "file" | "h2" | "duckdb") => Server::Here { said: true },
        _ => Server::Untold,
    }
}

fn read_list(list: &str, usual_port: &str) -> Server {
    let value = |name: &str| {
        list.split_whitespace().find_map(|pair| pair.strip_prefix(name)).map(|value| value.trim_matches('\''))
    };
    let database = value("dbname=").unwrap_or_default().to_owned();
    match (value("host=").or_else(|| value("hostaddr=")), value("service=")) {
        (Some(host), _) => at(host, value("port="), database, usual_port),
        (None, Some(service)) => Server::Elsewhere { host: String::new(), database: service.to_owned() },
        (None, None) => Server::Here { said: false },
    }
}

/// The server of a host as it is written, perhaps with its port: `host:port`, `host,port`, `tcp://host`; the first of several.
fn at(host: &str, port: Option<&str>, database: String, usual_port: &str) -> Server {
    let host = host.split_once("://").map_or(host, |(_, host)| host);
    let host = host.strip_prefix("tcp:").unwrap_or(host);
    let is_port = |port: &str| !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit());
    let mut parts = host.split(',');
    let first = parts.next().unwrap_or(host);
    let behind_comma = parts.next().filter(|port| is_port(port));
    let (first, of_path) = match first.split_once('/') {
        Some((name, path)) if !name.is_empty() => (name, path),
        _ => (first, ""),
    };
    // Who asks changes nothing, and what stands behind a name may be a password.
    let first = first.rsplit_once('@').map_or(first, |(_, host)| host);
    let (name, own_port) = match first.rsplit_once(':') {
        Some((name, port)) if is_port(port) && !name.contains(':') => (name, Some(port)),
        _ => (first, behind_comma),
    };
    let database = if database.is_empty() { of_path.to_owned() } else { database };
    if is_here(name) {
        return Server::Here { said: true };
    }
    if name.is_empty() || name.starts_with('$') {
        return Server::Untold;
    }
    let name = name.to_lowercase();
    let host = match own_port.or(port).filter(|port| *port != usual_port) {
        Some(port) => format!("{name}:{port}"),
        None => name,
    };
    Server::Elsewhere { host, database }
}

/// Whether a host is this machine: its loopback, its name for that, a socket.
fn is_here(host: &str) -> bool {
    let name = host.trim_matches(['[', ']']);
    match name.parse::<std::net::IpAddr>() {
        Ok(address) => address.is_loopback() || address.is_unspecified(),
        Err(_) => {
            name.starts_with('/')
                || matches!(name, "localhost" | "." | "(local)" | "host.docker.internal" | "%2ftmp")
                || name.ends_with(".localhost")
        }
    }
}

impl Command<'_> {
    /// Whether one of its options is among these.
    pub(super) fn is_given(&self, names: &[&str]) -> bool {
        self.arguments.iter().any(|argument| match argument {
            Argument::Switch(name) | Argument::Option { name, .. } => names.contains(name),
            Argument::Plain(_) => false,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Line;

    fn told(line: &str) -> String {
        let line = Line::read(line);
        let found = line.invocations.iter().map(|invocation| {
            let command = Command::new(invocation);
            let variable = |name: &str| {
                let set = invocation.variables.iter().rfind(|(set, _)| set == name);
                set.map(|(_, value)| value.clone())
            };
            match server(&command, &variable) {
                Server::Here { said: true } => "here".to_owned(),
                Server::Here { said: false } => "here by default".to_owned(),
                Server::Elsewhere { host, database } => format!("{host}/{database}"),
                Server::Untold => "untold".to_owned(),
            }
        });
        found.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_client_says_where_it_goes() {
        for (line, expected) in [
            ("psql postgres://app:pw@DB.acme.example/shop?sslmode=require -c x", "db.acme.example/shop"),
            ("psql -h db.acme.example -p 6432 shop", "db.acme.example:6432/shop"),
            ("psql -h db.acme.example -p 5432 -d shop", "db.acme.example/shop"),
            ("PGHOST=db.acme.example psql shop", "db.acme.example/shop"),
            ("psql 'host=db.acme.example dbname=shop port=6432'", "db.acme.example:6432/shop"),
            ("psql service=shop-prod", "/shop-prod"),
            ("PGSERVICE=shop-prod psql -c x", "/shop-prod"),
            ("psql \"$DATABASE_URL\" -c x", "untold"),
            ("DATABASE_URL=postgres://db.acme.example/shop; psql $DATABASE_URL", "db.acme.example/shop"),
            ("psql shop", "here by default"),
            ("psql -h /var/run/postgresql shop", "here"),
            ("psql -h 127.0.0.1 -p 5433 dev", "here"),
            ("mysql -h db.acme.example -u app -pSECRET shop -e x", "db.acme.example/shop"),
            ("mysql --host=db.acme.example --database=shop", "db.acme.example/shop"),
            ("mysql -h db.acme.example -P 3307 -p shop", "db.acme.example:3307/shop"),
            ("mongosh --host mongo.acme.example shop --eval x", "mongo.acme.example/shop"),
            ("mongosh mongo.acme.example:27018/shop", "mongo.acme.example:27018/shop"),
            ("mongosh mongodb+srv://u:p@c0.acme.example/shop --eval x", "c0.acme.example/shop"),
            ("redis-cli -u redis://:pw@cache.acme.example:6379/2 DEL x", "cache.acme.example/2"),
            ("redis-cli -h cache.acme.example -n 3 DEL x", "cache.acme.example/3"),
            ("cqlsh cass.acme.example -k shop -e x", "cass.acme.example/shop"),
            ("sqlcmd -S tcp:sql.acme.example,1444 -d shop -Q x", "sql.acme.example:1444/shop"),
            ("sqlcmd -S . -Q x", "here"),
            ("snowsql -c prod -q x", "/prod"),
            ("flyway -url=jdbc:postgresql://db.acme.example:5432/shop migrate", "db.acme.example/shop"),
            (
                "liquibase --url='jdbc:sqlserver://sql.acme.example;databaseName=shop' update",
                "sql.acme.example/shop",
            ),
            ("DATABASE_URL=sqlite:///dev.db alembic upgrade head", "here"),
            ("alembic upgrade head", "untold"),
            (
                "DATABASE_URL=postgresql+asyncpg://db.acme.example/shop alembic upgrade head",
                "db.acme.example/shop",
            ),
            ("goose postgres 'host=db.acme.example dbname=shop' up", "db.acme.example/shop"),
            ("atlas migrate apply --url mysql://app@db.acme.example:3306/shop", "db.acme.example/shop"),
            (
                "kafka-topics --bootstrap-server k1.acme.example:9092,k2.acme.example:9092 --delete",
                "k1.acme.example/",
            ),
            ("kafka-topics --bootstrap-server me:hunter2@k1.acme.example:9092 --delete", "k1.acme.example/"),
            ("kcat -P -b localhost:9092 -t x", "here"),
            ("nats pub -s nats://nats.acme.example a b", "nats.acme.example/"),
            ("nats pub a b", "untold"),
            ("mosquitto_pub -t a -m b", "here by default"),
        ] {
            assert_eq!(told(line), expected, "{line}");
        }
    }
}
