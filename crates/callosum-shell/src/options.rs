//! What among a program's words is an option, an option's value, an argument.

use super::Invocation;

/// How the options of a program are read that `values` and `switches` do not name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Others {
    /// They have a value: the next word, unless it begins with a dash.
    Value,
    /// So too, and all words up to the next option are values.
    Values,
    /// They have none.
    Switch,
}

/// What is known of a program's options; from its manual.
struct Known {
    /// The program, with the subcommands these are the options of.
    path: &'static str,
    others: Others,
    values: &'static str,
    switches: &'static str,
}

const fn known(path: &'static str, others: Others, values: &'static str, switches: &'static str) -> Known {
    Known { path, others, values, switches }
}

use Others::{Switch, Value, Values};

#[rustfmt::skip]
const PROGRAMS: &[Known] = &[
    known("git", Switch, "-C -c --attr-source --config-env --git-dir --work-tree --namespace --exec-path -o --push-option --receive-pack --exec --repo --to --cc --bcc --from --subject", ""),
    known("git clean", Switch, "-e --exclude", ""),
    known("git subtree", Switch, "-P --prefix -m --message -b --branch --onto --annotate", ""),
    known("gh", Value, "", "--web -w --draft --squash --rebase --merge --admin --auto --disable-auto --delete-branch --fill --fill-first --fill-verbose --no-maintainer-edit --public --private --internal --yes -y --confirm --clone --push --prerelease --generate-notes --latest --cleanup-tag --verify-tag --clobber --undo --edit-last --delete-last --create-if-none --paginate --silent --include --verbose --slurp --failed --debug --editor --force --help -h --exit-status --compact --watch --required --comments --all --archived --no-archived --org --remove-milestone"),
    known("gh secret", Value, "--org -o", "--no-store --user -u --no-repos-selected"),
    known("gh variable", Value, "--org -o", ""),
    known("gh pr create", Value, "", "-d -f -e"),
    known("gh pr merge", Value, "", "-m -r -s -d"),
    known("gh pr review", Value, "", "-a -r -c --approve --request-changes --comment"),
    known("gh pr checks", Value, "", "--watch"),
    known("gh pr close", Value, "", "-d"),
    known("gh pr diff", Value, "", "--name-only --patch"),
    known("gh release create", Value, "", "-d -p"),
    known("gh gist create", Value, "", "-p"),
    known("gh repo create", Value, "", "-c"),
    known("gh repo sync", Value, "", ""),
    known("gh run rerun", Value, "", "-d"),
    known("gh label create", Value, "", "-f"),
    known("gh api", Value, "", "-i"),
    known("glab", Value, "", "--draft --wip --fill --fill-commit-body -y --yes --squash --squash-before-merge --remove-source-branch --push --web -w --rebase --auto-merge --when-pipeline-succeeds --help -h --create-source-branch --no-editor --allow-collaboration --confidential --signoff --unique"),
    known("glab mr create", Value, "", "-f"),
    known("glab mr merge", Value, "", "-d -s -r"),
    known("hub", Switch, "-C -c -m --message -F --file -b --base -h --head -l --labels -r --reviewer -i --issue -M --milestone -a --assign --attach -t --target --commitish -d --description -f -X --method --field --raw-field --header -H --input --remote-name --org -s --state", "-p"),
    known("hub release create", Switch, "-a --attach -m --message -F --file -t --commitish", ""),
    known("hub create", Switch, "-d --description -h --homepage --remote-name", ""),
    known("tea", Value, "", "--help -h --debug --vvv --draft --prerelease --yes -y --confirm --delete-tag --private --no-squash"),
    known("fj", Value, "", "--help -h --yes -y --web -w --draft --prerelease --private --autofill -A --agit --delete"),
    known("jj", Switch, "-R --repository --remote -b --bookmark --branch -c --change -r --revisions --named --at-operation --at-op --config --config-file -o --option", ""),
    known("gh-pages", Switch, "-d --dist -s --src -b --branch -e --dest -o --remote -r --repo -m --message -g --tag --tag-message -u --user -v --remove -c --cname --depth", ""),
    known("mkdocs", Switch, "-b --remote-branch -r --remote-name -m --message -f --config-file -d --site-dir", ""),
    known("skopeo", Switch, "--authfile --src-authfile --dest-authfile --src-creds --dest-creds --creds --src-cert-dir --dest-cert-dir --cert-dir --format -f --sign-by --digestfile --src -s --dest -d --override-arch --override-os --policy --registries.d --tmpdir --command-timeout --retry-times --multi-arch --src-tls-verify --dest-tls-verify --tls-verify --dest-compress-format", ""),
    known("crane", Switch, "--platform -t --tag --new_tag -b --base -f --new_layer -l --label -a --annotation -e --env --entrypoint --cmd -u --user -w --workdir --exposed-ports --repo -o --output --set-platform --old_base --new_base --rebased -j --jobs --image-refs", ""),
    known("oras", Switch, "--artifact-type -a --annotation --annotation-file --config --username -u --password -p --registry-config --from-username --from-password --from-registry-config --to-username --to-password --to-registry-config --platform --image-spec --concurrency --subject --format --export-manifest --ca-file --resolve", ""),
    known("regctl", Switch, "--host --logopt -v --verbosity --user-agent -p --platform --platforms --media-type --artifact-type --config-file --config-type -f --file --file-media-type --annotation --subject --format", ""),
    known("buildah", Switch, "--authfile --cert-dir --creds --digestfile --format -f --file -t --tag --build-arg --compression-format --compression-level --sign-by --encryption-key --root --storage-driver --platform --arch --os --layers --target --manifest", ""),
    known("huggingface-cli", Switch, "--repo-type --type --revision --commit-message --commit-description --include --exclude --delete --token --every --message --author --organization", ""),
    known("butler", Switch, "--userversion --userversion-file -i --identity --ignore --address --channel", ""),
    known("snapcraft", Switch, "--release --channels --track --arch --build-for --shell-after-step -o --output --metadata", ""),
    known("jira", Switch, "-p --project -c --config -t --type -s --summary -y --priority -b --body -l --label -a --assignee -C --component -P --parent --custom --fix-version --affects-version -r --reporter -e --original-estimate --template -T -R --resolution --comment --time-spent --new-estimate --started --timezone -n --name", ""),
    known("acli", Value, "", "--yes -y --json --web -w --csv --ignore-errors --generate-json --editor -e --edit-last --help -h --self"),
    known("linear", Value, "", "--no-interactive --json -j --help -h --web -w --app -a --no-use-default-template --start --no-color --yes -y --force"),
    known("fastlane", Value, "", "--verbose --capture_output --troubleshoot --skip_metadata --skip_screenshots --force -f --submit_for_review --automatic_release --skip_upload_apk --skip_upload_aab --skip_binary_upload --help -h"),
    known("nuget", Value, "", "-NonInteractive -Force -SkipDuplicate -NoSymbols -DisableBuffering -NoServiceEndpoint -help -?"),
    known("lerna", Value, "", "--yes -y --no-private --exact --force-publish --conventional-commits --canary -c --force-git-tag --no-push --no-git-tag-version --no-changelog --verbose --include-merged-tags --help -h"),
    known("npm", Switch, "--tag --access --registry --prefix -C --workspace -w --otp --userconfig --loglevel --cache", ""),
    known("pnpm", Switch, "--tag --access --registry --filter -F --dir -C --otp --publish-branch", ""),
    known("yarn", Switch, "--tag --access --registry --cwd --otp --new-version --network-timeout", ""),
    known("bun", Switch, "--tag --access --registry --cwd --otp --filter", ""),
    known("cargo", Switch, "-p --package --manifest-path --registry --token --index --target --target-dir --features -F -j --jobs --color --config -Z -C --vers", ""),
    known("cargo yank", Switch, "--version", ""),
    known("gem", Switch, "--host -v --version -k --key -p --http-proxy --platform --otp", ""),
    known("docker", Switch, "-H --host --context -c --config -l --log-level --tlscacert", ""),
    known("docker buildx", Switch, "--builder", ""),
    known("docker buildx build", Value, "", "--push --load --no-cache --pull -q --quiet --rm --check -D --debug"),
    known("docker compose", Switch, "-f --file -p --project-name --profile --env-file --project-directory --ansi --parallel --progress", ""),
    known("docker stack", Switch, "-c --compose-file --orchestrator", ""),
    known("podman", Switch, "--connection --url --log-level --root --authfile --creds --format --cert-dir", ""),
    known("nerdctl", Switch, "-n --namespace -a --address --platform", ""),
    known("helm", Value, "-n --namespace --kube-context --kubeconfig", "--install -i --wait --atomic --create-namespace --debug --dry-run --force --reuse-values --reset-values --reset-then-reuse-values --dependency-update --devel --keep-history --no-hooks --cleanup-on-fail --skip-crds --generate-name -g --insecure-skip-tls-verify --plain-http --wait-for-jobs --take-ownership --help -h --hide-secret --rollback-on-failure"),
    known("kubectl", Value, "-n --namespace --context --cluster --user --kubeconfig", "--insecure-skip-tls-verify --match-server-version --warnings-as-errors --disable-compression --all -A --all-namespaces --force --wait --dry-run --ignore-not-found --now --overwrite -i -t -it -ti --stdin --tty --rm --ignore-daemonsets --delete-emptydir-data --delete-local-data --disable-eviction --prune --server-side --force-conflicts -w --watch --record --recursive -R --expose --attach --local --list --no-headers --show-labels --resources --help -h --quiet -q"),
    known("kubectl logs", Value, "", "-f -p --follow --previous --timestamps --all-containers --prefix"),
    known("terraform", Switch, "-var -var-file -target -replace -state -out -backend-config -parallelism", ""),
    known("terragrunt", Switch, "-var -var-file -target -replace -state -out -backend-config -parallelism --terragrunt-working-dir --working-dir --terragrunt-config --config --terragrunt-iam-role --log-level --queue-include-dir --queue-exclude-dir --terragrunt-include-dir --terragrunt-exclude-dir", ""),
    known("hcloud", Value, "--context --config --endpoint", "--debug --quiet --help -h --yes --force"),
    known("doctl", Value, "--context -c --access-token -t --config --api-url -u --output -o", "--force -f --wait --help -h --verbose -v --trace --interactive"),
    known("argocd", Value, "--server --auth-token --config --core --grpc-web-root-path", "--prune --grpc-web --insecure --plaintext --async --force --dry-run -y --yes --cascade --core --help -h --upsert --hard-refresh --refresh --replace"),
    known("flux", Value, "--context --namespace -n --kubeconfig --timeout", "--with-source --force --reset --verbose -s --silent --export --wait --help -h"),
    known("pulumi", Switch, "-s --stack -C --cwd -m --message --target -t -c --config --config-file -p --parallel --replace --target-replace --color --plan", ""),
    known("ansible", Value, "", "--check -C -D --diff -b --become -K --ask-become-pass -k --ask-pass -v -vv -vvv -vvvv --verbose --syntax-check --list-hosts --list-tasks --list-tags --step --flush-cache --force-handlers -o --one-line --help -h --ask-vault-pass -J"),
    known("vercel", Switch, "-t --token -S --scope -T --team -A --local-config --cwd -b --build-env -e --env -m --meta --regions --name -n -Q --global-config --timeout --target", ""),
    known("fly", Value, "", "--remote-only --local-only --now -y --yes --no-cache --detach --build-only -j --json --stage --auto-confirm --push -f --force --depot --verbose --debug --help -h --no-deploy --no-public-ips --recreate-builder"),
    known("fly secrets set", Switch, "-a --app -c --config", ""),
    known("netlify", Switch, "--dir -d --message -m --site -s --auth --alias --functions -f --filter --context --timeout --scope --project-name --name -n", ""),
    known("wrangler", Switch, "--env -e --config -c --name --project-name --branch --compatibility-date --route --routes --var --define --alias --outdir --assets --message --commit-hash --commit-message --tag --cwd --binding --namespace-id --file --command", ""),
    known("heroku", Switch, "-a --app -r --remote --confirm -t --type --space --team --size -s --source", ""),
    known("railway", Switch, "-s --service -e --environment -p --project --set", ""),
    known("firebase", Switch, "-P --project --only --except -m --message --token --config -c --account --expires -e", ""),
    known("cdk", Switch, "-a --app -c --context --profile --require-approval -o --output --outputs-file --parameters --role-arn -r --method --concurrency", ""),
    known("sam", Value, "", "--guided -g --no-confirm-changeset --resolve-s3 --no-fail-on-empty-changeset --debug --force-upload --no-prompts --no-progressbar --watch --confirm-changeset --resolve-image-repos"),
    known("serverless", Value, "", "--force --verbose --aws-s3-accelerate --help -h"),
    known("kamal", Value, "", "-P --skip-push -q --quiet -v --verbose -y --confirmed --help"),
    known("eb", Value, "", "--staged --all --force -y --nohang --verbose --debug --quiet -v -q --elb --single --terminate"),
    known("aws", Values, "", "--dryrun --dry-run --recursive --delete --quiet --force --debug --cli-auto-prompt --force-new-deployment --only-show-errors --skip-final-snapshot --follow-symlinks --exact-timestamps --size-only --enable-execute-command --ignore-glacier-warnings --force-delete-without-recovery --help"),
    known("aws s3", Value, "", "--human-readable --summarize --validate-same-s3-paths"),
    known("gcloud", Value, "--project --account --configuration --format --verbosity --impersonate-service-account --billing-project --region --zone", "--quiet -q --async --allow-unauthenticated --recursive -r -R --all --force --help --delete-unmatched-destination-objects --prune --promote --stop-previous-version --gen2 --unset-env-vars --preemptible --spot --continue-on-error --to-latest"),
    known("gsutil", Switch, "-h -o -u -i -z -J -L", ""),
    known("az", Value, "--subscription -o --output --query", "--yes -y --no-wait --debug --only-show-errors --verbose --help -h --force-deletion"),
    known("crontab", Switch, "-u", ""),
    known("at", Switch, "-f -t -q", ""),
    known("systemctl", Switch, "-t --type -p --property -M --machine -H --host -n --lines -o --output --signal -s --what --root --state", ""),
    known("systemd-run", Switch, "-u --unit -p --property --on-calendar --on-active --on-boot --on-startup --on-unit-active --on-unit-inactive -E --setenv --uid --gid --description --slice -M -H -d --working-directory", ""),
    known("launchctl", Switch, "", ""),
    known("gog", Value, "", "--json -j --plain -p --no-input --force -y --yes --all --results-only --verbose -v --dry-run --readonly --help -h --track --reply-all --send --with-meet --all-day --guests-can-invite --guests-can-modify --permanent --quiet --wait"),
    known("himalaya", Value, "", "--help -h --debug --trace --quiet --all -A"),
    known("xurl", Value, "", "--verbose -v --trace -t --stream -s --help -h"),
    known("ntn", Value, "", "--json --verbose -v --help -h --yes -y --all --paginate"),
    known("openclaw", Value, "", "--json --dry-run --verbose --silent --announce --best-effort-deliver --yes --pin --force --disabled --enabled --disable --enable --exact --light-context --keep-after-run --delete-after-run --force-document --gif-playback --poll-multi --poll-anonymous --poll-public --multi --anonymous --help -h --all --include-disabled --local --deliver"),
    known("wacli", Value, "", "--json --full --help -h --read-only"),
    known("imsg", Value, "", "--json --help -h --verbose"),
    known("signal-cli", Value, "", "--note-to-self --verbose -v --help -h --trust-all-known-keys --end-session -e"),
    known("telegram-send", Value, "", "--silent --pre --disable-web-page-preview --stdin"),
    known("curl", Switch, "-A -b -c -C -d -D -e -E -F -H -K -m -o -P -Q -r -t -T -u -U -w -x -X -y -Y -z --request --url --data --data-raw --data-binary --data-urlencode --data-ascii --json --form --form-string --header --upload-file --user --user-agent --output --output-dir --cookie --cookie-jar --mail-from --mail-rcpt --mail-auth --max-time --connect-timeout --retry --retry-delay --retry-max-time --proxy --proxy-user --cacert --capath --cert --key --cert-type --key-type --pass --resolve --connect-to --referer --write-out --range --config --interface --limit-rate --max-redirs --oauth2-bearer --url-query --dump-header --unix-socket --aws-sigv4 --tls-max --ciphers --dns-servers --netrc-file --variable --noproxy --socks5 --socks5-hostname --max-filesize --hostpubmd5 --continue-at --quote --time-cond --trace --trace-ascii --stderr --rate --parallel-max --login-options --doh-url --proto --proto-default --proto-redir --speed-limit --speed-time --keepalive-time --expect100-timeout --etag-save --etag-compare --pinnedpubkey --proxy-header --preproxy --socks4 --socks4a --tls13-ciphers --request-target --local-port --crlfile --hsts --alt-svc --happy-eyeballs-timeout-ms", "-s -S -k -f -L -i -v -g -G -n -N -q -R -j -J -l -B -a -O -p -I"),
    known("Invoke-RestMethod", Value, "", "-UseBasicParsing -SkipCertificateCheck -SkipHttpErrorCheck -DisableKeepAlive -PassThru"),
    known("Invoke-WebRequest", Value, "", "-UseBasicParsing -SkipCertificateCheck -SkipHttpErrorCheck -DisableKeepAlive -PassThru"),
    known("irm", Value, "", "-UseBasicParsing -SkipCertificateCheck"),
    known("iwr", Value, "", "-UseBasicParsing -SkipCertificateCheck"),
    known("cli4", Switch, "", ""),
    known("mc", Switch, "--older-than --newer-than --attr --tags --exclude --config-dir -C --limit-upload --rewind --vid --version-id", ""),
    known("velero", Value, "", "--wait -w --confirm --include-cluster-resources --snapshot-volumes --help -h"),
    known("wget", Switch, "-O -o -a -i -P -U -e -t -T -w -Q -A -R -D -l --output-document --post-data --post-file --method --body-data --body-file --header --user --password --user-agent --timeout --tries --directory-prefix --output-file --append-output --input-file --referer --load-cookies --save-cookies --ca-certificate --certificate --private-key --limit-rate --wait --quota --level --accept --reject --domains --http-user --http-password", ""),
    known("http", Switch, "-A --auth-type -a --auth -s --style --pretty -p --print -o --output --session --session-read-only --timeout --proxy --verify --cert --cert-key --max-redirects --raw --bearer --boundary --format-options --response-charset --response-mime --path-as-is", ""),
    known("ssh", Switch, "-b -c -D -E -e -F -I -i -J -L -l -m -O -o -p -Q -R -S -W -w", ""),
    known("scp", Switch, "-c -F -i -J -l -o -P -S -D -X", ""),
    known("sftp", Switch, "-b -c -F -i -J -l -o -P -R -S -s -B -D -X", ""),
    known("rsync", Switch, "-e --rsh --exclude --include --filter -f --files-from --exclude-from --include-from --bwlimit --timeout --port --log-file --chmod --chown --rsync-path -T --temp-dir --backup-dir --suffix --max-size --min-size --password-file --compare-dest --link-dest --copy-dest -B --block-size --usermap --groupmap --out-format --info --iconv --partial-dir --max-delete --contimeout -M", ""),
    known("rm", Switch, "", ""),
    known("cp", Switch, "-t --target-directory -S --suffix", ""),
    known("mv", Switch, "-t --target-directory -S --suffix", ""),
    known("ln", Switch, "-t --target-directory -S --suffix", ""),
    known("install", Switch, "-t --target-directory -S --suffix -g --group -m --mode -o --owner --strip-program", ""),
    known("patch", Switch, "-p --strip -i --input -o --output -d --directory -D --ifdef -F --fuzz -r --reject-file -B --prefix -z --suffix -Y --basename-prefix -V --version-control", ""),
    known("make", Switch, "-C -f -I -o -W --directory --file --makefile", ""),
    known("just", Switch, "-f --justfile -d --working-directory --set", ""),
    known("stripe", Value, "", "--confirm --live --help -h --dark-style --log-level --yes -y"),
    known("ordercli", Switch, "--limit --config --country --profile --browser-cookies", ""),
    known("remindctl", Value, "", "--json --plain --quiet -q --force -f --no-input --no-color --help -h --clear-due --complete --incomplete --dry-run -n"),
    known("things", Value, "", "--foreground --json --help -h --reveal --completed --canceled --dry-run --show-quick-entry --duplicate"),
    known("memo", Switch, "-f --folder", ""),
    known("grizzly", Value, "", "--json --enable-callback --dry-run --print-url --help -h --plain"),
    known("op", Value, "", "--force -f --archive --dry-run --no-color --help -h --reveal --raw --stdin --favorite"),
    known("npm dist-tag", Switch, "", ""),
    known("clawhub", Value, "", "--no-input --help -h --force --all --dry-run --yes"),
    known("mvn", Switch, "-f -P -pl -s -gs -T --file --settings", ""),
    known("dotnet", Switch, "-s --source -k --api-key -t --timeout -c --configuration -sk -ss", ""),
    known("vsce", Switch, "-p --pat -m --message -t --target -i --packagePath -o --out", ""),
    known("twine", Switch, "-r --repository --repository-url -u --username -p --password -c --comment --config-file --cert -i --identity --sign-with", ""),
    known("poetry", Switch, "-r --repository -u --username -p --password -C --directory -P --project --cert --client-cert --dist-dir", ""),
    known("uv", Switch, "--index --publish-url --token -t --username -u --password -p --check-url --directory --project --trusted-publishing --keyring-provider", ""),
    known("mail", Switch, "-s -a -b -c -r -f -A -q -S -u -T -X", ""),
    known("mutt", Switch, "-s -a -b -c -e -f -F -i -H -Q -A", ""),
    known("sendmail", Switch, "-f -F -r -a -C -h -O -R -V -X -L -N --account --from --file --host --port --user --tls-certcheck --logfile", "-bV"),
    known("swaks", Value, "", "-tls --tls -tlsc --tls-on-connect -tlso --tls-optional -a --auth-optional --help --dump -S -n --suppress-data --silent -4 -6 --dump-mail --version"),
    known("resend", Value, "", "--json -q --quiet --help -h --yes"),
    known("psql", Switch, "-c --command -d --dbname -f --file -v --set --variable -o --output -P --pset -F --field-separator -R --record-separator -T --table-attr -h --host -p --port -U --username -L --log-file", ""),
    known("pg_restore", Switch, "-d --dbname -f --file -F --format -I --index -j --jobs -L --use-list -n --schema -N --exclude-schema -P --function -S --superuser -t --table -T --trigger -h --host -p --port -U --username --role --section", ""),
    known("dropdb", Switch, "-h --host -p --port -U --username --maintenance-db -E --encoding -O --owner -T --template -l --locale", ""),
    known("mysql", Switch, "-h --host -u --user -P --port -D --database -e --execute -S --socket --protocol --password --default-character-set --defaults-file --defaults-extra-file --defaults-group-suffix --login-path --ssl-ca --ssl-cert --ssl-key --ssl-mode --delimiter --init-command --uri --schema --file", ""),
    known("mongosh", Switch, "--host --port --eval -u --username -p --password --authenticationDatabase --authenticationMechanism --uri -d --db -c --collection --nsInclude --nsExclude --nsFrom --nsTo --type --fields --file -f --tlsCAFile --tlsCertificateKeyFile --apiVersion --json -h", "--quiet --drop --gzip"),
    known("redis-cli", Switch, "-h -p -t -s -a -u -n -r -i -d -D -X --user --pass --pattern --count --type --sni --cacert --cacertdir --cert --key --eval --functions-rdb --rdb --quoted-pattern", "-x -c -3 -2"),
    known("sqlcmd", Switch, "-S --server -d --database-name -Q -q --query -i --input-file -o --output-file -U --user-name -P --password -s -w -h -l -t -v -K -y -Y -m -H -a -f -c -V", ""),
    known("cqlsh", Switch, "-u --username -p --password -k --keyspace -e --execute -f --file --cqlversion --encoding --request-timeout --connect-timeout --cqlshrc -b --secure-connect-bundle -P --protocol-version --consistency-level", ""),
    known("clickhouse-client", Switch, "-h --host --port -u --user --password -q --query -d --database --queries-file --format -f --config-file -C --connection --secure-port", ""),
    known("bq", Switch, "--project_id --dataset_id --location --format -n --max_rows --destination_table --job_id --parameter --label -s --start_row --schema --source_format --time_partitioning_field --clustering_fields --expiration --description", ""),
    known("kcat", Switch, "-b -t -p -k -K -D -X -F -o -c -H -d -z -s -r -f -G -m --brokers --cluster", ""),
    known("mosquitto_pub", Switch, "-h --host -p --port -t --topic -m --message -f --file -u --username -P --pw -i --id -I --id-prefix -L --url -q --qos -k --keepalive -A -V --cafile --capath --cert --key --ciphers --tls-version --will-topic --will-payload --repeat --repeat-delay -x -D --property --proxy --psk --psk-identity -M", ""),
    known("amqp-publish", Switch, "-u --url --uri -s --server --port --vhost --username --password -e --exchange -r --routing-key -b --body -C --content-type -E --content-encoding -t --reply-to -H --header", ""),
    known("nats", Value, "-s --server --user --password --creds --nkey --context --tlscert --tlskey --tlsca --timeout", "--trace --js-api-prefix -f --force --send-on --jetstream -J --no-jetstream --quiet -q --force-stdin --json -j --help -h"),
    known("doppler", Switch, "-p --project -c --config -t --token --scope --api-host --config-dir --format --name-transformer", ""),
    known("pass", Switch, "-p --path", ""),
    known("vault", Switch, "-address -namespace -ns -mount -format -field -cas -version -versions -ttl -policy -path -type -description -ca-cert -token", ""),
];

/// Names that mean another program with the same options.
const SAME: &[(&str, &str)] = &[
    ("hf", "huggingface-cli"),
    ("gcrane", "crane"),
    ("berg", "fj"),
    ("ghp-import", "gh-pages"),
    ("mike", "gh-pages"),
    ("oc", "kubectl"),
    ("tofu", "terraform"),
    ("flyctl", "fly"),
    ("sls", "serverless"),
    ("ansible-playbook", "ansible"),
    ("https", "http"),
    ("xh", "http"),
    ("xhs", "http"),
    ("curlie", "curl"),
    ("batch", "at"),
    ("netlify-cli", "netlify"),
    ("ntl", "netlify"),
    ("gmake", "make"),
    ("mosh", "ssh"),
    ("mailx", "mail"),
    ("Mail", "mail"),
    ("s-nail", "mail"),
    ("nail", "mail"),
    ("bsd-mailx", "mail"),
    ("neomutt", "mutt"),
    ("msmtp", "sendmail"),
    ("msmtpq", "sendmail"),
    ("ssmtp", "sendmail"),
    ("esmtp", "sendmail"),
    ("exim", "sendmail"),
    ("exim4", "sendmail"),
    ("hatch", "uv"),
    ("flit", "uv"),
    ("pdm", "uv"),
    ("vc", "vercel"),
    ("pgcli", "psql"),
    ("ysqlsh", "psql"),
    ("createdb", "dropdb"),
    ("dropuser", "dropdb"),
    ("createuser", "dropdb"),
    ("mariadb", "mysql"),
    ("mycli", "mysql"),
    ("mysqladmin", "mysql"),
    ("mariadb-admin", "mysql"),
    ("mysqlimport", "mysql"),
    ("mariadb-import", "mysql"),
    ("mongo", "mongosh"),
    ("mongorestore", "mongosh"),
    ("mongoimport", "mongosh"),
    ("valkey-cli", "redis-cli"),
    ("keydb-cli", "redis-cli"),
    ("kafkacat", "kcat"),
    ("gopass", "pass"),
];

/// Options of which a value stands in their own word or nowhere: `mysql -pSECRET shop`.
const ATTACHED: &[(&str, &str)] =
    &[("mysql", "-p"), ("mariadb", "-p"), ("mysqladmin", "-p"), ("mysqlimport", "-p"), ("mycli", "-p")];

/// Options without a value in whatever program, as far as one can guess.
const COMMON_SWITCHES: &str = "--help -h --version -V --verbose -v --quiet -q --yes -y --force -f --json --debug --dry-run -n --all -a --recursive -r --silent";

/// A word of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Argument<'w> {
    /// An option without a value.
    Switch(&'w str),
    /// An option and its value.
    Option {
        /// With its dashes.
        name: &'w str,
        /// As written.
        value: &'w str,
        /// Whether the value may be an argument instead: the program or the option is not known.
        unsure: bool,
    },
    /// An argument, or a subcommand.
    Plain(&'w str),
}

/// The programs by their first letters, which tell most of them apart at once, and where those of each letter begin. Of one letter they are
/// in the order of the table.
#[expect(clippy::indexing_slicing, reason = "a constant: what is out of bounds does not compile")]
static BY_LETTER: ([&Known; PROGRAMS.len()], [usize; 257]) = {
    let (mut programs, mut begins) = ([&PROGRAMS[0]; PROGRAMS.len()], [0; 257]);
    let (mut letter, mut placed) = (0, 0);
    while letter < 256 {
        begins[letter] = placed;
        let mut at = 0;
        while at < PROGRAMS.len() {
            if PROGRAMS[at].path.as_bytes()[0] as usize == letter {
                programs[placed] = &PROGRAMS[at];
                placed += 1;
            }
            at += 1;
        }
        letter += 1;
    }
    begins[256] = placed;
    (programs, begins)
};

/// What is known of one program's options.
struct Manual {
    /// Of the program itself, then of its subcommands.
    parts: Vec<&'static Known>,
}

impl Manual {
    fn of(program: &str) -> Self {
        let program = SAME.iter().find(|(name, _)| *name == program).map_or(program, |(_, same)| same);
        let (programs, begins) = &BY_LETTER;
        let letter = usize::from(program.bytes().next().unwrap_or(0));
        let of_letter = match begins.get(letter..).unwrap_or_default() {
            [begin, end, ..] => programs.get(*begin..*end).unwrap_or_default(),
            _ => &[],
        };
        let is_its = |known: &&Known| {
            let rest = known.path.strip_prefix(program);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
        };
        Self { parts: of_letter.iter().copied().filter(is_its).collect() }
    }

    /// The parts that hold behind the subcommands `path`, the most special last.
    fn parts<'m>(&'m self, path: &'m [&str]) -> impl DoubleEndedIterator<Item = &'static Known> + 'm {
        let holds = |known: &&'static Known| {
            known.path.split(' ').skip(1).enumerate().all(|(at, word)| path.get(at) == Some(&word))
        };
        self.parts.iter().copied().filter(holds)
    }

    /// How the option `name` (with its dashes) is read behind the subcommands `path`; `None` when the program is not
    /// known.
    fn reads(&self, path: &[&str], name: &str) -> Option<Others> {
        if name.starts_with("--no-") {
            return self.parts.first().map(|_| Switch);
        }
        let said = self.parts(path).rev().find_map(|known| known.says(name));
        said.or_else(|| self.parts(path).next_back().map(|known| known.others))
    }

    /// Whether the option is in one of the lists.
    fn lists(&self, path: &[&str], name: &str) -> bool {
        self.parts(path).any(|known| known.says(name).is_some())
    }

    /// The first of a bundle's letters that has a value.
    fn value_in_bundle(&self, path: &[&str], letters: &str) -> Option<usize> {
        let has_value =
            |letters| short_name(letters).is_some_and(|name| self.reads(path, name) == Some(Value));
        let names =
            letters.char_indices().take_while(|(_, letter)| letter.is_ascii_graphic() && *letter != '=');
        names.map(|(at, _)| at).find(|at| letters.get(*at..).is_some_and(has_value))
    }

    /// Whether the value of the option that begins a word like `-damount=5` begins before its `=`.
    fn has_value_attached(&self, path: &[&str], word: &str) -> bool {
        let Some(letters) = word.strip_prefix('-').filter(|letters| !letters.starts_with('-')) else {
            return false;
        };
        let is_switch = |letter: &str| self.parts(path).any(|known| lists(known.switches, letter));
        let Some(at) = self.value_in_bundle(path, letters) else { return false };
        let mut before = (0..at).map(|at| short_name(letters.get(at..).unwrap_or_default()));
        letters.as_bytes().get(at + 1) != Some(&b'=') && before.all(|name| name.is_some_and(is_switch))
    }
}

impl Known {
    /// How the option is read, if it is in one of the lists.
    fn says(&self, name: &str) -> Option<Others> {
        if lists(self.values, name) { Some(Value) } else { lists(self.switches, name).then_some(Switch) }
    }
}

/// Whether a name is among those of a list, one space between each two.
pub(super) fn lists(list: &str, name: &str) -> bool {
    // Byte by byte: a search takes longer to make ready than most lists are long.
    !name.is_empty() && list.as_bytes().split(|byte| *byte == b' ').any(|known| known == name.as_bytes())
}

/// Whether a program is a command of PowerShell's (`Verb-Noun`, or one of the short names of those that make requests): its options have
/// one dash.
fn is_of_power_shell(program: &str) -> bool {
    matches!(program, "irm" | "iwr")
        || program.starts_with(|first: char| first.is_ascii_uppercase()) && program.contains('-')
}

impl Invocation {
    /// Its words as options and arguments.
    pub fn arguments(&self) -> Vec<Argument<'_>> {
        let manual = Manual::of(&self.program);
        let mut arguments = Vec::with_capacity(self.words.len());
        let mut path: Vec<&str> = Vec::new();
        let mut words = self.words.iter().map(String::as_str).peekable();
        let mut options_end = false;
        // `-au` is one option, and so is `-tls`.
        let has_long_names = self.program == "swaks" || is_of_power_shell(&self.program);
        let attached = ATTACHED.iter().find(|(program, _)| *program == self.program).map(|(_, name)| *name);
        while let Some(word) = words.next() {
            // `cargo +nightly build`
            let is_toolchain = arguments.is_empty() && word.starts_with('+') && word.len() > 1;
            if is_toolchain && matches!(self.program.as_str(), "cargo" | "rustup" | "rustc") {
                arguments.push(Argument::Switch(word));
                continue;
            }
            if options_end || !word.starts_with('-') || word == "-" {
                if path.len() < 2 {
                    path.push(word);
                }
                arguments.push(Argument::Plain(word));
                continue;
            }
            if word == "--" {
                options_end = true;
                continue;
            }
            if let Some((name, value)) =
                attached.and_then(|name| Some((word.get(..name.len())?, word.strip_prefix(name)?)))
            {
                let option = Argument::Option { name, value, unsure: false };
                arguments.push(if value.is_empty() { Argument::Switch(word) } else { option });
                continue;
            }
            if let Some((name, value)) = word.split_once('=')
                && (has_long_names || !manual.has_value_attached(&path, word))
            {
                arguments.push(Argument::Option { name, value, unsure: false });
                continue;
            }
            let kind = manual.reads(&path, word);
            let has_bundles = matches!(kind, Some(Switch | Value)) && !has_long_names;
            if has_bundles && word.len() > 2 && !word.starts_with("--") && !manual.lists(&path, word) {
                bundle(&manual, word, &path, &mut arguments, &mut words);
                continue;
            }
            let is_value = |next: &&str| !next.starts_with('-') || *next == "-" || is_number(next);
            match kind {
                Some(Switch) => arguments.push(Argument::Switch(word)),
                // In front of the subcommands an unknown one without a value would hide which they are.
                Some(Value) => match words.next() {
                    Some(value) => {
                        let unsure = path.is_empty() && !manual.lists(&path, word);
                        arguments.push(Argument::Option { name: word, value, unsure });
                    }
                    None => arguments.push(Argument::Switch(word)),
                },
                // The program's own options, in front of the service: `aws --profile dev s3 rm …`.
                Some(Values) if path.is_empty() => match words.next() {
                    Some(value) => arguments.push(Argument::Option { name: word, value, unsure: false }),
                    None => arguments.push(Argument::Switch(word)),
                },
                Some(Values) => {
                    let before = arguments.len();
                    while let Some(value) = words.next_if(is_value) {
                        arguments.push(Argument::Option { name: word, value, unsure: false });
                    }
                    if arguments.len() == before {
                        arguments.push(Argument::Switch(word));
                    }
                }
                None if lists(COMMON_SWITCHES, word) || word.starts_with("--no-") => {
                    arguments.push(Argument::Switch(word));
                }
                None => match words.next_if(is_value) {
                    Some(value) => arguments.push(Argument::Option { name: word, value, unsure: true }),
                    None => arguments.push(Argument::Switch(word)),
                },
            }
        }
        arguments
    }
}

/// Reads `-sSXPOST`, `-rf`: short options in one word, the last perhaps with its value.
fn bundle<'w>(
    manual: &Manual,
    word: &'w str,
    path: &[&str],
    arguments: &mut Vec<Argument<'w>>,
    words: &mut impl Iterator<Item = &'w str>,
) {
    let letters = word.get(1..).unwrap_or_default();
    let valued = manual.value_in_bundle(path, letters).and_then(|at| {
        let (before, rest) = letters.split_at_checked(at)?;
        Some((before, short_name(rest)?, rest.get(1..)?))
    });
    let switches = valued.map_or(letters, |(before, ..)| before);
    let each = switches.char_indices().map(|(at, _)| {
        let name = short_name(letters.get(at..).unwrap_or_default())?;
        manual.lists(path, name).then_some(Argument::Switch(name))
    });
    match each.collect::<Option<Vec<_>>>() {
        Some(each) => arguments.extend(each),
        None => arguments.push(Argument::Switch(word.get(..=switches.len()).unwrap_or(word))),
    }
    let Some((_, name, attached)) = valued else { return };
    let value = if attached.is_empty() { words.next().unwrap_or_default() } else { attached };
    arguments.push(Argument::Option { name, value, unsure: false });
}

/// The values of the option `name`, given without dashes.
pub(crate) fn option_values<'w>(arguments: &[Argument<'w>], name: &str) -> Vec<&'w str> {
    let named = |option: &str| option.trim_start_matches('-') == name && option.len() - name.len() <= 2;
    let mut values = Vec::new();
    let mut rest = arguments.iter().peekable();
    while let Some(argument) = rest.next() {
        match argument {
            Argument::Option { name, value, .. } if named(name) => values.push(*value),
            // A rule that asks for its value knows that it has one.
            Argument::Switch(switch) if named(switch) => {
                if let Some(Argument::Plain(value)) = rest.peek() {
                    values.push(value);
                }
            }
            _ => {}
        }
    }
    values
}

/// Whether the option `name`, given with its dashes, is among `arguments`; a single letter may be in a bundle (`-rf`).
/// One that is switched off (`--dry-run=none`, `=false`) is not there.
pub(crate) fn has_option(arguments: &[Argument<'_>], name: &str) -> bool {
    // Of two bytes, as nearly all are that have one letter, it is not counted.
    let is_letter = |letter: &&str| match letter.len() {
        1 => *letter != "-",
        length => length <= 4 && letter.chars().count() == 1,
    };
    let letter = name.strip_prefix('-').filter(is_letter);
    arguments.iter().any(|argument| match argument {
        Argument::Option { name: option, value, .. } => {
            *option == name && !matches!(*value, "none" | "false")
        }
        Argument::Switch(switch) => {
            let bundled = letter.is_some_and(|letter| {
                let letters = switch.get(1..).unwrap_or_default();
                switch.len() <= 5
                    && letters.contains(letter)
                    && letters.chars().all(|c| c.is_ascii_alphanumeric())
            });
            *switch == name || bundled
        }
        Argument::Plain(_) => false,
    })
}

/// `-X` for `XPOST`, as a text that lives on.
fn short_name(letters: &str) -> Option<&'static str> {
    const NAMES: &str = "-A-B-C-D-E-F-G-H-I-J-K-L-M-N-O-P-Q-R-S-T-U-V-W-X-Y-Z-a-b-c-d-e-f-g-h-i-j-k-l-m-n-o-p-q-r-s-t-u-v-w-x-y-z";
    let at = NAMES.find(letters.chars().next().filter(char::is_ascii_alphabetic)?)?;
    NAMES.get(at - 1..=at)
}

fn is_number(word: &str) -> bool {
    word.strip_prefix('-').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}
