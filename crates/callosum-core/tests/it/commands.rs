//! What the shipped rules make of shell commands and of OpenClaw's other tools: corpora with the tier and keys
//! that each call must get, in `tests/commands`, and the days of sessions that must not be paused.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::Write as _;

use callosum_core::model::tool_call::ToolCall;
use callosum_core::rules::{RuleSet, World};
use serde::Deserialize;
use serde_json::{Value, json};

/// A call and what the rules must make of it; a `command` alone stands for a call to `exec`.
#[derive(Debug, Deserialize)]
struct Labelled {
    command: Option<String>,
    #[serde(default = "exec")]
    tool: String,
    #[serde(default)]
    params: Value,
    tier: u8,
    #[serde(default)]
    keys: BTreeSet<String>,
    kind: String,
}

fn exec() -> String {
    "exec".to_owned()
}

impl Labelled {
    fn params(&self) -> Value {
        self.command.as_ref().map_or_else(|| self.params.clone(), |command| json!({ "command": command }))
    }

    fn shown(&self) -> String {
        self.command
            .as_ref()
            .map_or_else(|| format!("{} {}", self.tool, self.params), |command| format!("{command:?}"))
    }
}

fn read(name: &str) -> Vec<Labelled> {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/commands").join(name);
    let text = std::fs::read_to_string(&path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// How a set of calls fared.
#[derive(Debug, Default)]
struct Score {
    effects: usize,
    /// Effects with the right tier and keys.
    right: usize,
    harmless: usize,
    /// Harmless calls that would be checked or recorded.
    alarms: usize,
    /// What is wrong, one line each.
    wrong: String,
}

fn score(calls: &[Labelled]) -> Score {
    let rules = RuleSet::parse(callosum_core::rules::SHIPPED_RULES).unwrap();
    let mut score = Score::default();
    for labelled in calls {
        let call = ToolCall {
            tool: labelled.tool.clone(),
            cwd: Some("/home/me/app".to_owned()),
            ..ToolCall::default()
        };
        let found = rules.classify(&call, "openclaw", &labelled.params(), &World::unseen());
        let (tier, keys) = (found.tier as u8, found.context_keys.iter().cloned().collect::<BTreeSet<_>>());
        let right = if labelled.tier <= 1 {
            score.harmless += 1;
            score.alarms += usize::from(tier > 1);
            tier <= 1
        } else {
            score.effects += 1;
            let right = tier == labelled.tier && keys == labelled.keys;
            score.right += usize::from(right);
            right
        };
        if !right {
            let Labelled { tier: wanted, keys: wanted_keys, .. } = labelled;
            let rule = found.rule_name.unwrap_or_default();
            let _ = writeln!(
                score.wrong,
                "{}\n    wanted {wanted} {wanted_keys:?}\n    found  {tier} {keys:?} by {rule}",
                labelled.shown()
            );
        }
    }
    score
}

fn report(name: &str, score: &Score) -> (f64, f64) {
    #[expect(clippy::cast_precision_loss, reason = "counts of a few hundred")]
    let percent = |part: usize, whole: usize| 100.0 * part as f64 / whole.max(1) as f64;
    let recall = percent(score.right, score.effects);
    let alarms = percent(score.alarms, score.harmless);
    // Past the test runner, which keeps what a test prints to itself.
    let _ = writeln!(
        std::io::stdout(),
        "{name}: recall {recall:.1} % ({} of {} effects with the right tier and keys), false alarms {alarms:.1} % ({} of {})\n{}",
        score.right,
        score.effects,
        score.alarms,
        score.harmless,
        score.wrong
    );
    (recall, alarms)
}

#[test]
fn the_shipped_rules_know_the_corpus() {
    let corpus = read("corpus.jsonl");
    let harmless = corpus.iter().filter(|labelled| labelled.kind != "effect").count();
    assert!(corpus.len() >= 600 && harmless * 10 >= corpus.len() * 4);
    let (recall, alarms) = report("corpus", &score(&corpus));
    assert!(recall >= 99.0 && alarms <= 0.5, "recall {recall:.1} %, false alarms {alarms:.1} %");
}

#[test]
fn what_the_rules_make_of_commands_their_authors_had_not_seen() {
    let blind = read("blind.jsonl");
    assert!(blind.len() >= 66);
    let (recall, alarms) = report("blind tenth", &score(&blind));
    assert!(recall > 0.0 && alarms < 100.0);
}

#[test]
fn the_shipped_rules_know_openclaws_tools() {
    let tools = read("tools.jsonl");
    assert!(tools.len() >= 160);
    let (recall, alarms) = report("tools", &score(&tools));
    assert!(recall >= 99.0 && alarms <= 0.5, "recall {recall:.1} %, false alarms {alarms:.1} %");
}

/// The tier that the shipped rules give a command, and its keys.
fn shipped(command: &str) -> (u8, String) {
    let call = ToolCall { tool: "exec".to_owned(), cwd: Some("/w".to_owned()), ..ToolCall::default() };
    let found =
        RuleSet::shipped().classify(&call, "openclaw", &json!({ "command": command }), &World::unseen());
    (found.tier as u8, found.context_keys.join(" "))
}

/// Fails with each command that has another tier or other keys.
fn each_is_guarded(commands: &[(&str, u8, &str)]) {
    let wrong = commands.iter().filter_map(|(command, tier, keys)| {
        let found = shipped(command);
        (found != (*tier, (*keys).to_owned())).then(|| format!("{command}: {found:?}"))
    });
    assert_eq!(wrong.collect::<Vec<_>>(), [""; 0]);
}

#[test]
fn a_short_option_may_have_its_value_attached_with_an_equals_sign_in_it() {
    each_is_guarded(&[
        ("curl -d\"amount=500\" https://api.stripe.com/v1/refunds", 4, "payment:stripe:new"),
        ("curl -sSd'amount=500' https://api.stripe.com/v1/refunds", 4, "payment:stripe:new"),
        ("curl -Ffile=@report.pdf https://api.example.com/upload", 3, "http:POST:api.example.com/upload"),
        ("curl -X=POST https://api.example.com/x", 3, "http:POST:api.example.com/x"),
        ("terraform -chdir=x destroy", 3, "terraform:/w/x"),
        ("bitcoin-cli -rpcwallet=main sendtoaddress a 1", 4, "payment:bitcoin:a"),
        ("curl -HX-Trace=1 https://api.example.com/x", 1, ""),
    ]);
}

#[test]
fn a_command_is_excused_only_when_all_its_requests_are() {
    each_is_guarded(&[
        (
            "curl --proto '=https' --tlsv1.2 -X POST https://api.example.com/v1/items -d '{}'",
            3,
            "http:POST:api.example.com/items",
        ),
        (
            "curl --speed-limit 1000 --speed-time 30 -T build.zip https://upload.example.com/x",
            3,
            "http:PUT:upload.example.com/x",
        ),
        (
            "curl https://api.openai.com/v1/x -d a https://api.example.com/y",
            3,
            "http:POST:api.openai.com/x http:POST:api.example.com/y",
        ),
        ("curl https://api.openai.com/v1/x -d a", 1, ""),
        ("curl http://localhost:1/a http://127.0.0.1/b -d a", 1, ""),
    ]);
}

#[test]
fn a_request_that_a_proxy_or_another_address_takes_elsewhere_is_not_private() {
    for (line, is_private) in [
        ("curl http://127.0.0.1/x -d a -x http://proxy.example.com", false),
        ("curl --proxy socks5://proxy.example.com http://localhost/x -d a", false),
        ("curl --socks5-hostname proxy.example.com http://localhost/x -d a", false),
        ("curl --connect-to ::api.example.com:443 http://localhost/x -d a", false),
        ("curl --resolve app.test:443:93.184.216.34 https://app.test/x -d a", false),
        ("curl --resolve '[::1]:80:93.184.216.34' 'http://[::1]/x' -d a", false),
        ("ALL_PROXY=http://proxy.example.com curl http://127.0.0.1/x -d a", false),
        ("export http_proxy=http://proxy.example.com; curl http://127.0.0.1/x -d a", false),
        ("wget -e http_proxy=proxy.example.com --post-data a http://localhost/x", false),
        ("http --proxy http:http://proxy.example.com POST localhost/x a=b", false),
        ("curl -x '' http://127.0.0.1/x -d a", true),
        ("ALL_PROXY= curl http://127.0.0.1/x -d a", true),
        ("curl --resolve app.test:443:127.0.0.1 https://app.test/x -d a", true),
        ("curl --connect-to app.test:443:localhost:8443 https://app.test/x -d a", true),
        ("curl --noproxy '*' http://127.0.0.1/x -d a", true),
    ] {
        let call = ToolCall { tool: "exec".to_owned(), ..ToolCall::default() };
        let tier = RuleSet::shipped()
            .classify(&call, "openclaw", &json!({ "command": line }), &World::unseen())
            .tier;
        assert_eq!(tier as u8, if is_private { 1 } else { 3 }, "{line}");
    }
}

#[test]
fn what_a_test_or_a_sum_runs_is_guarded() {
    let mail = "gog gmail send --to alice@example.com --subject x --body y";
    for line in [
        format!("if [[ $({mail}) ]]; then echo; fi"),
        format!("[[ -f x && ! (a == b || -n \"$({mail})\") ]]"),
        format!("[[ `{mail}` =~ sent ]] && echo"),
        format!("(( $({mail} | wc -l) > 0 ))"),
        format!("for ((i=0; i<$({mail} | wc -l); i++)); do echo; done"),
    ] {
        each_is_guarded(&[(&line, 3, "email:alice@example.com")]);
    }
}

#[test]
fn wrappers_keep_the_command_they_run() {
    each_is_guarded(&[
        ("aws-vault exec prod -- terraform apply -auto-approve", 3, "terraform:/w"),
        ("aws-vault exec -d 1h prod -- terraform apply", 3, "terraform:/w"),
        ("chamber exec my-service -- npm publish", 3, "publish:npm:/w"),
        ("envchain aws terraform apply", 3, "terraform:/w"),
        ("direnv exec . terraform apply", 3, "terraform:/w"),
        ("mise exec node@20 -- npm publish", 3, "publish:npm:/w"),
        ("mise x -- npm publish", 3, "publish:npm:/w"),
        ("dotenv -e .env -- npm publish", 3, "publish:npm:/w"),
        ("dotenv -e .env npm publish", 3, "publish:npm:/w"),
        ("doppler run -- npm publish", 3, "publish:npm:/w"),
        ("bundle exec npm publish", 3, "publish:npm:/w"),
        ("npm exec -- wrangler deploy", 3, "deploy:wrangler:/w"),
        ("sudo -iu deploy git push origin main", 3, "git-push:/w/main"),
        ("sudo -Hu deploy npm publish", 3, "publish:npm:/w"),
        ("sudo -u deploy -- npm publish", 3, "publish:npm:/w"),
        ("setsid -f git push origin main", 3, "git-push:/w/main"),
        ("setsid -w git push origin main", 3, "git-push:/w/main"),
        ("bash -ce \"git push origin main\"", 3, "git-push:/w/main"),
        ("su - deploy -c \"git push origin main\"", 3, "git-push:/w/main"),
        ("su -c 'git push origin main' deploy", 3, "git-push:/w/main"),
        ("runuser -u deploy -- git push origin main", 3, "git-push:/w/main"),
        ("runuser -l deploy -c 'git push origin main'", 3, "git-push:/w/main"),
        ("script -qc 'git push origin main' /dev/null", 3, "git-push:/w/main"),
        ("ssh deploy@web-1 -p 2222 'git push origin main'", 3, "git-push:~@web-1/main"),
        ("ssh web-1 -- git push origin main", 3, "git-push:~@web-1/main"),
        ("ssh prod 'bash -s' <<'EOT'\ngit push origin main\nEOT", 3, "git-push:~@prod/main"),
        ("ssh prod <<'EOT'\ngit push origin main\nEOT", 3, "git-push:~@prod/main"),
        ("ssh web-1 uptime", 2, "ssh:web-1"),
    ]);
}

#[test]
fn what_is_changed_in_a_pod_is_of_that_pod() {
    let (db, data) = ("db:shop:deployment/db", "files:/data@prod/shop:pod/web-0");
    each_is_guarded(&[
        ("kubectl exec deploy/db -- psql -c 'DELETE FROM orders'", 3, "db:deployment/db"),
        ("kubectl -n shop exec deploy/db -- psql -c 'DELETE FROM orders'", 3, db),
        ("kubectl exec --namespace=shop deployments.apps/db -c pg -- psql -c 'drop table orders'", 3, db),
        ("kubectl exec -itnshop deploy/db -- bash -c \"psql -c 'DELETE FROM orders'\"", 3, db),
        (
            "kubectl exec deploy/db -n shop -- psql shop -c 'DELETE FROM orders'",
            3,
            "db:shop:deployment/db/shop",
        ),
        ("kubectl --context prod exec -n shop web-0 -- rm -rf /data", 3, data),
        ("kubectl --context=prod -n shop exec pod/web-0 -c app -- sh -c 'cd / && rm -rf data'", 3, data),
        ("oc rsh -n shop dc/web supervisorctl restart web", 3, "service:web@shop:deploymentconfig/web"),
        ("kubectl exec web-0 -- git push origin main", 3, "git-push:~@pod/web-0/main"),
        ("kubectl exec deploy/db -- psql -c 'SELECT 1'", 1, ""),
        ("kubectl exec web-0 -- cat /etc/hosts", 1, ""),
        ("kubectl --context kind-dev exec web-0 -- apt-get install -y curl", 1, ""),
        ("kubectl --context prod exec web-0 -- apt-get install -y curl", 3, "host:prod:pod/web-0"),
    ]);
}

#[test]
fn what_systems_manager_runs_is_of_the_machines_that_it_names() {
    let run = "aws ssm send-command --document-name AWS-RunShellScript --instance-ids i-1 i-2 --parameters";
    let restart = format!("{run} 'commands=[\"systemctl restart web\"]'");
    let push = format!("{run} 'commands=[\"cd /srv/app\",\"git push origin main\"]'");
    let look = format!("{run} 'commands=[\"uptime\"]'");
    each_is_guarded(&[
        (&restart, 3, "service:web@i-1 service:web@i-2 aws:ssm:i-1 aws:ssm:i-2"),
        (&push, 3, "git-push:~@i-1,i-2/main aws:ssm:i-1 aws:ssm:i-2"),
        (&look, 3, "aws:ssm:i-1 aws:ssm:i-2"),
    ]);
}

#[test]
fn terragrunt_works_in_the_folder_that_it_is_told() {
    let key = "terraform:/w/live/dev";
    each_is_guarded(&[
        ("terragrunt apply --terragrunt-working-dir live/dev", 3, key),
        ("terragrunt run-all apply --terragrunt-non-interactive --terragrunt-working-dir live/dev", 3, key),
        ("terragrunt --terragrunt-working-dir=live/dev destroy -auto-approve", 3, key),
        ("terragrunt --working-dir live/dev run --all -- apply", 3, key),
    ]);
}

#[test]
fn what_a_function_or_a_shell_is_called_with_is_what_its_commands_get() {
    let push = "git-push:/w/main";
    let mail = "email:alice@example.com";
    each_is_guarded(&[
        ("run() { \"$@\"; }; run git push origin main", 3, push),
        ("f(){ git $1 origin main; }; f push", 3, push),
        ("f() { local c=\"$1\"; shift; git \"$c\" \"$@\"; }; f push origin main", 3, push),
        ("f() { case $1 in -x) shift; git \"$@\";; esac; }; f -x push origin main", 3, push),
        ("retry() { \"$@\" || { sleep 1; retry \"$@\"; }; }; retry git push origin main", 3, push),
        ("main() { deploy \"${1:-main}\"; }; deploy() { git push origin \"$1\"; }; main \"$@\"", 3, push),
        ("set -- git push origin main; \"$@\"", 3, push),
        ("sh -c 'git push origin \"$1\"' _ main", 3, push),
        ("sh -c 'git $0 origin main' push", 3, push),
        ("bash -s -- push origin main <<< 'git \"$@\"'", 3, push),
        ("a=(push origin); a+=(main); git \"${a[@]}\"", 3, push),
        ("alias p='git push origin'; p main", 3, push),
        ("sh -c 'mail \"$1\"' _ alice@example.com", 3, mail),
        ("f() { local to=\"$1\"; mail -s hi \"$to\"; }; f alice@example.com", 3, mail),
        ("f() { sendmail -t <<E\nTo: $1\n\nhi\nE\n}; f alice@example.com", 3, mail),
        (
            "send() { mail -s hi \"$1\"; }; send alice@example.com; send bob@example.com",
            3,
            "email:alice@example.com email:bob@example.com",
        ),
        ("log() { echo \"$@\"; }; log git push origin main", 1, ""),
        ("git() { echo \"$@\"; }; git status", 1, ""),
        ("cat > x.sh <<'E'\ngit push origin main\nE\nbash -n x.sh", 1, ""),
    ]);
}

#[test]
fn what_a_variable_is_set_to_is_what_a_command_is_given() {
    let push = "git-push:/w/main";
    let mail = "email:alice@example.com";
    each_is_guarded(&[
        ("C='git push origin main'; $C", 3, push),
        ("C='git push origin main'; eval \"$C\"", 3, push),
        ("C='git push origin main'; bash -c \"$C\"", 3, push),
        ("G=git P=push; $G $P origin main", 3, push),
        ("for c in status push; do git $c origin main; done", 3, push),
        ("M='To: alice@example.com'; echo \"$M\" | sendmail -t", 3, mail),
        ("M='To: alice@example.com'; M+=$'\\nSubject: *'; printf '%s\\n' \"$M\" | sendmail -t", 3, mail),
        ("M='To: alice@example.com'; printf \"$M\\n\\nhi\" | sendmail -t", 3, mail),
        ("M='To: alice@example.com'; sendmail -t <<< \"$M\"", 3, mail),
        ("M='To: alice@example.com'; cat <<E | sendmail -t\n$M\nE", 3, mail),
        ("printf -- 'To: %s\\n\\nx' alice@example.com | sendmail -t", 3, mail),
        ("B=main; if true; then B=dev; fi; git push origin $B", 3, "git-push:/w/main git-push:/w/dev"),
        ("M=alice@example.com; M=$(cat to); mail -s hi \"$M\"", 3, "email:$M"),
        ("M='git push'; echo \"$M\"; git status", 1, ""),
        ("G=git; $G commit -m 'fix; git push origin main'", 1, ""),
        ("alias c='git commit -m'; c 'fix; git push origin main'", 1, ""),
        ("$(echo git) commit -m 'fix; git push origin main'", 1, ""),
    ]);
}

#[test]
fn a_file_that_the_line_writes_is_read_however_it_came_to_be() {
    let push = "git-push:/w/main";
    let mail = "email:alice@example.com";
    each_is_guarded(&[
        ("echo 'git push origin main' > x.sh; sh x.sh", 3, push),
        ("echo 'if true; then' > x; echo 'git push origin main' >> x; echo fi >> ./x; . ./x", 3, push),
        ("echo 'git push origin \"$1\"' > x.sh; chmod +x x.sh; ./x.sh main", 3, push),
        ("echo 'git push origin main' | tee x.sh; cp x.sh /tmp/y.sh; bash /tmp/y.sh", 3, push),
        ("echo 'git push origin main' | dd of=x.sh; mv x.sh y/; bash y/x.sh", 3, push),
        ("yes 'git push origin main' | head -1 | sh", 3, push),
        ("echo 'To: alice@example.com' > m; echo 'Subject: hi' >> m; sendmail -t < m", 3, mail),
        ("echo 'To: alice@example.com' > m; echo hi | tee -a ./m; cp m n; sendmail -t < n", 3, mail),
        ("echo 'print(\"git push\")' > x.py; python3 x.py", 1, ""),
        ("printf '#!/usr/bin/env python3\\ngit.push()' > x; ./x; git log", 1, ""),
    ]);
}

#[test]
fn a_brace_word_is_the_words_that_it_stands_for() {
    each_is_guarded(&[
        ("git pus{h,h} origin main", 3, "git-push:/w@push/origin git-push:/w@push/main"),
        ("{git,push,origin,main}", 3, "git-push:/w/main"),
        ("eval {git,\\ push,\\ origin,\\ main}", 3, "git-push:/w/main"),
        ("gi{t,} push", 1, ""),
        ("mkdir -p src/{a,b} && git commit -m 'fix {git,push}'", 1, ""),
        ("screen -S x -X stuff '^Cgit push origin main^M'", 3, "git-push:/w/main"),
        ("sh -c \"screen -X stuff '^C^Ugit push origin main^M'\"", 3, "git-push:/w/main"),
    ]);
}

#[test]
fn a_mention_in_a_line_of_rare_syntax_is_no_command() {
    each_is_guarded(&[
        ("x=$(case $y in a) echo 1;; *) echo 2;; esac); echo \"git push\"", 1, ""),
        ("x=$(case $y in # a)\n a|b) case z in q) echo 'x ;; y';; esac;;\nesac)\necho 'git push'", 1, ""),
        ("select x in a b; do echo 'git push'; break; done", 1, ""),
        ("x=$(case $y in a) git push origin main;; esac)", 3, "git-push:/w/main"),
        ("select x in a b; do git push origin main; done", 3, "git-push:/w/main"),
    ]);
}

#[test]
fn options_do_not_take_the_subcommand_or_the_target() {
    each_is_guarded(&[
        ("kubectl -nprod delete pod web-0", 3, "kube:current/prod:pod/web-0"),
        ("kubectl delete -nprod pod web-0", 3, "kube:current/prod:pod/web-0"),
        ("kubectl delete pod -lapp=web", 3, "kube:current/default:pod/app=web"),
        ("kubectl exec -itnprod web-0 -- ls", 1, ""),
        ("helm -nprod upgrade web ./chart", 3, "helm:current/prod:web"),
        ("kubectl --insecure-skip-tls-verify delete ns staging", 3, "kube:current:namespace/staging"),
        ("kubectl --some-new-switch delete ns staging", 3, "kube:current:namespace/staging"),
        ("az --subscription s vm delete -n web", 3, "az:vm:web@s"),
        ("gcloud --project p compute instances delete web", 3, "gcloud:compute/instances:web@p"),
        ("aws s3 sync --delete --exclude \".git/*\" dist s3://my-site", 3, "s3://my-site"),
        ("aws s3 sync --profile prod dist s3://b", 3, "s3://b"),
        ("aws s3 rm --profile prod s3://b/k", 3, "s3://b/k"),
        ("aws s3 rm s3://b/k --recursive", 3, "s3://b/k"),
        ("docker compose -f docker-compose.prod.yml push", 3, "publish:docker:/w"),
        ("docker compose -p app push web", 3, "publish:docker:/w"),
        ("gh -Racme/app pr merge 12", 3, "github:acme/app#12"),
    ]);
}

#[test]
fn questions_are_not_guarded() {
    let questions = [
        "openclaw update status",
        "vercel --version",
        "vercel -v",
        "ansible-playbook --version",
        "vercel target ls",
        "vercel rollback status",
        "kubectl set env deployment/web --list",
        "kubectl label pod web-0 --list",
        "kubectl apply view-last-applied deployment/web",
        "exim -bV",
        "sendmail -bV",
        "curl -fsSLG https://api.example.com/search --data-urlencode q=x",
        "http https://api.example.com/me 'Cookie:session=abc'",
    ];
    each_is_guarded(&questions.map(|question| (question, 1, "")));
    each_is_guarded(&[
        ("openclaw update", 4, "gateway:update.run"),
        ("http https://api.example.com/me done:=true", 3, "http:POST:api.example.com/me"),
        ("http https://api.example.com/me name=a:b", 3, "http:POST:api.example.com/me"),
        ("kubectl apply edit-last-applied deployment/web", 3, "kube:current/default:deployment/web"),
        ("cargo yank x --version 1.0.0", 3, "publish:cargo:x"),
    ]);
}

#[test]
fn verbs_that_change_something_are_guarded() {
    each_is_guarded(&[
        ("vercel project rm web", 3, "deploy:vercel:/w"),
        ("vercel teams invite a@x.com", 3, "deploy:vercel:/w"),
        ("vercel project ls", 1, ""),
        (
            "az rest --method delete --url https://management.azure.com/x",
            3,
            "az:rest:https://management.azure.com/x",
        ),
        ("az rest --method get --url https://management.azure.com/x", 1, ""),
        (
            "curl -X DELETE https://api.openai.com/v1/files/file-abc",
            3,
            "http:DELETE:api.openai.com/files/file-abc",
        ),
        ("stripe post /v1/refunds -d amount=1", 4, "payment:stripe:refunds"),
        ("stripe delete /v1/customers/c", 4, "payment:stripe:c"),
        ("stripe customers delete c", 4, "payment:stripe:c"),
        ("openclaw daemon restart", 4, "gateway:restart"),
        ("openclaw daemon stop", 4, "gateway:stop"),
        ("aws kms schedule-key-deletion --key-id k", 3, "aws:kms:k"),
        ("gcloud run services update-traffic web --to-latest", 3, "gcloud:run:web"),
        ("gcloud run services replace s.yaml", 3, "gcloud:run:s.yaml"),
        ("gcloud secrets versions destroy 3 --secret s", 3, "secret:gcloud:s"),
        ("gcloud secrets versions add s --data-file f", 3, "secret:gcloud:s"),
        ("wrangler d1 migrations apply X --remote", 3, "db:X"),
        ("heroku rollback v12 -a web", 3, "deploy:heroku:web"),
        ("heroku pg:backups:restore b001 -a web", 3, "db:web"),
        ("terragrunt run-all apply", 3, "terraform:/w"),
        ("mvn release:perform", 3, "publish:maven:/w"),
        ("git subtree push --prefix docs origin gh-pages", 3, "git-push:/w/gh-pages"),
    ]);
}

#[test]
fn mail_by_its_other_names_is_guarded() {
    each_is_guarded(&[
        ("gog mail send --to a@x.com --subject s", 3, "email:a@x.com"),
        ("gog email send --to a@x.com --subject s", 3, "email:a@x.com"),
        ("himalaya msg send 'To: a@x.com'", 3, "email:a@x.com"),
        ("himalaya messages send 'To: a@x.com'", 3, "email:a@x.com"),
        ("himalaya message fwd 3 'To: a@x.com'", 3, "email:a@x.com"),
        ("swaks --to a@x.com -h host.example.com -s smtp.x.com", 3, "email:a@x.com"),
        ("swaks --help", 1, ""),
        ("curl 'https://api.telegram.org/bot123:abc/sendMessage?chat_id=1&text=hi'", 3, "telegram:1"),
        ("curl https://api.telegram.org/bot123:abc/getUpdates", 1, ""),
    ]);
}

#[test]
fn one_resource_has_one_key() {
    each_is_guarded(&[
        ("TO=alice@example.com; gog gmail send --to \"Alice <$TO>\"", 3, "email:alice@example.com"),
        (
            "TO=alice@example.com; gog gmail send --to \"bob@x.com, ${TO}\"",
            3,
            "email:bob@x.com email:alice@example.com",
        ),
        ("kubectl delete statefulset.apps/db", 3, "kube:current/default:statefulset/db"),
        ("kubectl delete sts db", 3, "kube:current/default:statefulset/db"),
        ("kubectl delete deployments.v1.apps web", 3, "kube:current/default:deployment/web"),
        ("kubectl delete Pod/web-0", 3, "kube:current/default:pod/web-0"),
        ("fly apps destroy my-app", 3, "deploy:fly:my-app"),
        ("fly deploy -a my-app", 3, "deploy:fly:my-app"),
        ("fly apps restart my-app", 3, "deploy:fly:my-app"),
    ]);
}
