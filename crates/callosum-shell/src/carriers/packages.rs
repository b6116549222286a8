//! Programs of packages that pnpm, Yarn and Bun run without a subcommand: `pnpm wrangler deploy`.

/// What these managers do themselves.
#[rustfmt::skip]
const OWN: &[&str] = &[
    "access", "add", "approve-builds", "audit", "author", "autoclean", "bin", "bugs", "build", "c", "cache", "cat-file", "cat-index", "catalog",
    "check", "ci", "clean-install", "completion", "config", "constraints", "create", "dedupe", "deploy", "deprecate", "dev", "dist-tag", "dist-tags", "dlx",
    "docs", "doctor", "env", "exec", "explain", "fetch", "generate-lock-entry", "get", "global", "help", "i", "ignored-builds", "import", "info", "init",
    "install", "install-test", "it", "la", "licenses", "link", "list", "ll", "ln", "login", "logout", "ls", "m", "multi", "node", "npm", "org", "outdated",
    "owner", "pack", "patch", "patch-commit", "patch-remove", "ping", "plugin", "pm", "policies", "prefix", "preview", "profile", "prune", "publish", "rb",
    "rebuild", "recursive", "remove", "repl", "repo", "restart", "rm", "root", "run", "run-script", "search", "self-update", "server", "set", "setup",
    "stage", "star", "start", "stop", "store", "t", "tag", "team", "test", "token", "tst", "un", "undeprecate", "uninstall", "unlink", "unplug",
    "unpublish", "up", "update", "upgrade", "upgrade-interactive", "version", "versions", "view", "whoami", "why", "workspace", "workspaces", "x",
];

/// Programs that nobody calls a script after: `yarn run wrangler deploy`.
#[rustfmt::skip]
const PROGRAMS: &[&str] = &[
    "cdk", "changeset", "drizzle-kit", "eas", "esno", "firebase", "gh-pages", "heroku", "jiti", "lerna", "netlify", "np", "pm2", "prisma", "pulumi",
    "railway", "release-it", "semantic-release", "serverless", "sls", "sst", "supabase", "surge", "ts-node", "tsx", "typeorm", "vercel", "vite-node",
    "vsce", "web-ext", "wrangler",
    // Those that carry others.
    "chokidar", "concurrently", "cross-env", "cross-env-shell", "dotenv", "dotenvx", "env-cmd", "nodemon", "onchange", "start-server-and-test",
];

/// Packages and images that are called otherwise than their program. Of others an end in `-cli` is taken away.
const CALLED: &[(&str, &str)] = &[
    ("awscli", "aws"),
    ("awscli2", "aws"),
    ("azure-cli", "az"),
    ("flyctl", "fly"),
    ("github-cli", "gh"),
    ("gitlab-cli", "glab"),
    ("google-cloud-sdk", "gcloud"),
    ("kubernetes-helm", "helm"),
];

/// The program of a package or an image, by its name with the owner before it or not: `stripe/stripe-cli:latest`, `ghcr.io/cli/cli`,
/// `nodePackages.vercel`.
pub(in super::super) fn called(package: &str) -> &str {
    // A port of the registry has a colon, too.
    let mut parts = package.rsplit('/');
    let name = parts.next().and_then(|name| name.split([':', '@']).next()).unwrap_or_default();
    let name = name.rsplit('.').next().unwrap_or(name);
    if name == "cli" {
        // `github:cli/cli`
        return match parts.next().and_then(|owner| owner.rsplit(':').next()) {
            Some("cli") => "gh",
            owner => owner.unwrap_or(name),
        };
    }
    let known = CALLED.iter().find(|(known, _)| *known == name).map(|(_, program)| *program);
    known.or_else(|| name.strip_suffix("-cli")).unwrap_or(name)
}

/// A script that is called as a program of these is, and its words.
pub(in super::super) fn named(words: &[String]) -> Option<&[String]> {
    words.first().is_some_and(|name| PROGRAMS.contains(&name.as_str())).then_some(words)
}

/// The program of a package and its words, where that is what a manager is called with, its options taken away.
pub(in super::super) fn program(words: &[String]) -> Option<&[String]> {
    let (first, behind) = words.split_first()?;
    if first == "run" {
        let options = behind.iter().take_while(|word| word.starts_with('-')).count();
        return named(behind.get(options..)?);
    }
    // A script of several parts, `deploy:prod`, and a file, `bun t.ts`, are none.
    let is_name = !first.contains([':', '.', '/', '$']) && !OWN.contains(&first.as_str());
    is_name.then_some(words)
}
