//! Commands in the languages of shells that are no POSIX ones, and behind programs that run others in a way of their own.

use super::*;

/// Commands of PowerShell and of Windows' command prompt that run the command, `RUN` in its place; or `PRG` with `ARGS`.
const OF_WINDOWS: &[&str] = &[
    // Statements, blocks, expressions.
    r#"pwsh -c 'try { RUN } catch {}'"#,
    r#"powershell -Command "try { RUN } finally { popd }""#,
    r#"pwsh -c 'Set-Location C:\app; try { RUN } catch { exit 1 }'"#,
    r#"pwsh -c 'try { 1 } catch [System.Exception] { RUN }'"#,
    r#"pwsh -c '$null = RUN'"#,
    r#"pwsh -c '$out = RUN 2>&1'"#,
    r#"pwsh -c '$out=RUN'"#,
    r#"pwsh -c '[string]$out = RUN'"#,
    r#"pwsh -c '$h = @{ a = 1; b = RUN }'"#,
    r#"pwsh -c '1..3 | % { RUN }'"#,
    r#"pwsh -c '1..3 | ForEach-Object { RUN }'"#,
    r#"pwsh -c 'ls | Where-Object { RUN } | Out-Null'"#,
    r#"pwsh -c 'Start-Job { RUN }'"#,
    r#"pwsh -c 'Start-Job -Name x -ScriptBlock { RUN } | Wait-Job'"#,
    r#"pwsh -c 'Measure-Command { RUN }'"#,
    r#"pwsh -c 'Invoke-Command -ScriptBlock { RUN }'"#,
    r#"pwsh -c '. { RUN }'"#,
    r#"pwsh -c '& { RUN }'"#,
    r#"pwsh -c '(RUN)'"#,
    r#"pwsh -c '@(RUN)'"#,
    r#"pwsh -c '$(RUN)'"#,
    r#"pwsh -c '[void](RUN)'"#,
    r#"pwsh -c 'if (RUN) { 1 }'"#,
    r#"pwsh -c 'if ($x) { 1 } elseif ($y) { 2 } else { RUN }'"#,
    r#"pwsh -c 'if (-not (Test-Path x)) { RUN }'"#,
    r#"pwsh -c 'foreach ($i in 1..2) { RUN }'"#,
    r#"pwsh -c 'for ($i=0; $i -lt 2; $i++) { RUN }'"#,
    r#"pwsh -c 'while ($true) { RUN }'"#,
    r#"pwsh -c 'do { RUN } while (0)'"#,
    r#"pwsh -c 'switch (1) { 1 { RUN } default { } }'"#,
    r#"pwsh -c 'function f { RUN }; f'"#,
    r#"pwsh -c 'function f($a) { param([string]$x = "a") RUN }; f'"#,
    r#"pwsh -c '"a $(RUN) b"'"#,
    r#"pwsh -c 'return RUN'"#,
    r#"pwsh -c 'RUN | Out-Null'"#,
    r#"pwsh -c '$ErrorActionPreference="Stop"; RUN'"#,
    r#"pwsh -c '$r = RUN; if ($LASTEXITCODE -ne 0) { exit 1 }'"#,
    "pwsh -c '# a comment {\nRUN'",
    "pwsh -c '<# { #> RUN'",
    "pwsh -c \"Write-Host 'it''s'; RUN\"",
    "pwsh -c 'PRG `\n ARGS'",
    r#"pwsh -c '& "PRG" ARGS'"#,
    r#"pwsh -c 'cmd /c "RUN"'"#,
    // What it runs by commands of its own.
    r#"pwsh -c "iex 'RUN'""#,
    r#"pwsh -c '$x = "RUN"; iex $x'"#,
    "pwsh -c '$x=\"RUN\"\nInvoke-Expression -Command $x'",
    r#"pwsh -c '$x = "PRG " + "ARGS"; iex $x'"#,
    r#"pwsh -c '$x = "PRG"; & $x ARGS'"#,
    r#"pwsh -c '$env:X="RUN"; iex $env:X'"#,
    "pwsh -c '@\"\nRUN\n\"@ | iex'",
    r#"pwsh -c "'RUN' | iex""#,
    r#"pwsh -c "echo 'RUN' | iex""#,
    r#"pwsh -c 'Start-Process PRG -ArgumentList COMMAS -Wait'"#,
    r#"pwsh -c 'saps -FilePath PRG -ArgumentList "ARGS"'"#,
    r#"pwsh -c "Start-Process 'PRG' 'ARGS' -NoNewWindow""#,
    r#"X='RUN' pwsh -c 'iex $env:X'"#,
    // What it reads.
    "pwsh <<< 'try { RUN } catch {}'",
    "pwsh -c - <<< 'try { RUN } catch {}'",
    "echo 'try { RUN } catch {}' | pwsh",
    "echo 'try { RUN } catch {}' > a.ps1; pwsh -File a.ps1",
    "echo 'try { RUN } catch {}' > a.ps1; pwsh ./a.ps1",
    // The command prompt.
    r#"cmd /c "start RUN""#,
    "cmd /C start /b RUN",
    r#"cmd /c start "" RUN"#,
    r#"cmd /c 'start "a title" /d C:\x /wait RUN'"#,
    r#"cmd /c "start /wait cmd /c RUN""#,
    r#"cmd /c"RUN""#,
    r#"cmd /C"RUN""#,
    "cmd <<< 'RUN'",
    "echo RUN | cmd",
    "echo 'RUN' | cmd.exe /q",
    r#"cmd /c "@RUN""#,
    r#"cmd /c "@echo off & RUN""#,
    "cmd /c call RUN",
    r#"cmd /c "set A=PRG&& %A% ARGS""#,
    r#"cmd /v:on /c 'set A=PRG& !A! ARGS'"#,
    r#"cmd /c "set X=1&&RUN""#,
    r#"cmd /c "if errorlevel 1 (RUN) else (echo x)""#,
    r#"cmd /c "if not exist f RUN""#,
    r#"cmd /c "if /i a==b RUN""#,
    r#"cmd /c "if %X% EQU 1 RUN""#,
    r#"cmd /c "for /f %i in ('RUN') do echo %i""#,
    r#"cmd /c "for /L %i in (1,1,3) do RUN""#,
    r#"cmd /c "for %i in (a b) do @RUN""#,
    r#"cmd /c "cd /d C:\x && RUN""#,
    r#"cmd /s /c "\"RUN\"""#,
    r#"cmd /c "(RUN)""#,
    r#"cmd /c "echo x | RUN""#,
    r#"cmd /c "type x && RUN >nul 2>&1""#,
    r#"cmd /c "powershell -Command try { RUN } catch {}""#,
];

/// The same of further shells, and of programs that run others.
const OF_OTHERS: &[&str] = &[
    // Shells with brackets of their own.
    "xonsh -c '$[RUN]'",
    "xonsh -c '![RUN]'",
    "nu -c '^RUN'",
    "nu -c 'do { ^RUN }'",
    "nu -c 'let x = (RUN)'",
    "nu <<< 'try { RUN }'",
    "elvish -c 'try { RUN } catch e { }'",
    // Each of many.
    "parallel -a <(echo 'RUN')",
    "parallel :::: <(echo 'RUN')",
    "echo 'RUN' > t; parallel :::: t",
    "env_parallel ::: 'RUN'",
    "sem -j2 RUN",
    "sem --id x -j 2 RUN",
    "sem 'RUN'",
    // What tmux runs by its own commands.
    r#"tmux if-shell true "run-shell 'RUN'""#,
    "tmux if-shell 'RUN' 'split-window'",
    "tmux bind-key x run-shell 'RUN'",
    r#"tmux bind -T root -n C-x run-shell 'RUN'"#,
    r#"tmux bind x "run-shell 'RUN'""#,
    r#"tmux set-hook -g client-attached "run-shell 'RUN'""#,
    r#"tmux confirm-before -p sure "run-shell 'RUN'""#,
    r#"tmux confirm-before 'run "RUN"'"#,
    r#"tmux command-prompt 'run "RUN"'"#,
    r#"tmux source-file <(echo "run 'RUN'")"#,
    r#"tmux source-file - <<< "run 'RUN'""#,
    r#"echo "run 'RUN'" > t.conf; tmux source t.conf"#,
    r#"tmux display-menu x k "run-shell 'RUN'""#,
    "tmux -c 'RUN'",
    "tmux set -g status-right '#(RUN)'",
    "tmux set-option -g default-command 'RUN'",
    "tmux display-message -p '#(RUN)'",
    // Programs of packages, recipes, code.
    "yarn run concurrently 'RUN'",
    "npm run concurrently -- 'RUN'",
    "yarn run cross-env A=1 RUN",
    "watch -s out RUN",
    "make --eval='x:;RUN' x",
    "make --eval 'x: ; @RUN' x",
    "make --eval='$(shell RUN)' x",
    "just --command RUN",
    "just -c RUN",
    "ipython -c '!RUN'",
    "ipython -c 'x = !RUN'",
    "ipython -c '%sx RUN'",
    "ipython -c 'import os; os.system(\"RUN\")'",
    "nix run nixpkgs#PRG -- ARGS",
    "nix run github:acme/PRG -- ARGS",
    "docker run --rm acme/PRG-cli:latest ARGS",
    "docker run --rm PRG/cli ARGS",
    "docker compose run PRG-cli ARGS",
    "podman run -e A=b docker.io/acme/PRG@sha256:00 ARGS",
    // What a shell is given in variables, and reads from what was opened.
    "X='RUN' sh -c 'eval \"$X\"'",
    "X='RUN' bash -c '$X'",
    "env X='RUN' sh -c 'eval \"$X\"'",
    "X='RUN' bash <<< '$X'",
    "A=1 X='RUN' B=2 sh -c 'sh -c \"$X\"'",
    "bash 3<<E /dev/fd/3\nRUN\nE",
    "bash 3<<< 'RUN' /proc/self/fd/3",
    "exec 3<<< 'RUN'; . /dev/fd/3",
    "exec 3<<< 'RUN'; bash /dev/fd/3",
    // Words that are put together.
    "PRG${IFS}BLANKS",
    "sh -c 'PRG${IFS}BLANKS'",
    "${x}PRG ARGS",
    "PRG$@ ARGS",
    "PRG$(:) ARGS",
    "PRG``${x} ARGS",
    "declare -A c=([p]='RUN'); ${c[p]}",
    "a=('x' 'RUN'); ${a[$i]}",
    "declare -n r=c; c='RUN'; $r",
    "hash -p /usr/bin/PRG zz; zz ARGS",
    "ln -s /usr/bin/PRG ./zz && ./zz ARGS",
    "cp /usr/bin/PRG zz && ./zz ARGS",
    "cp $(which PRG) /usr/local/bin/zz; zz ARGS",
];

/// Lines of which the words are told alone, as what they run is not said as it stands.
const TOLD: &[&str] = &[
    "pwsh -c 's`tripe refunds create --charge ch_1'",
    r#"pwsh -c '[Diagnostics.Process]::Start("stripe","refunds create --charge ch_1")'"#,
    r#"pwsh -c '[scriptblock]::Create("stripe refunds create").Invoke()'"#,
    r#"pwsh -c 'iex ("{0} refunds create" -f "stripe")'"#,
    r#"pwsh -c '$a = "refunds create"; & (Get-Command stripe) $a'"#,
    "pwsh -c 'try { stripe refunds create'",
    "pwsh -c 'Write-Host \"x; stripe refunds create'",
    r#"cmd /c "s^tripe refunds create --charge ch_1""#,
    r#"cmd /c "C:\bin\stripe.exe refunds create""#,
    "stri${x}pe refunds create --charge ch_1",
    "stri$@pe refunds create --charge ch_1",
    "stri$(:)pe refunds create --charge ch_1",
    "stripe$IFS$9refunds$IFS$9create",
    "docker run --rm stripe/stripe-cli:latest refunds create --charge ch_1",
    "nix run nixpkgs#stripe-cli -- refunds create --charge ch_1",
    "nix run github:stripe/stripe-cli -- refunds create --charge ch_1",
    "docker run ghcr.io/cli/cli release delete v1 --repo acme/app",
    "nix run github:cli/cli -- release delete v1 --repo acme/app",
    "git for-each-repo --config=x push origin main",
    "git for-each-repo --config=x -- git push origin main",
];

/// Lines that name the command, or its program, and run nothing of it.
const HARMLESS: &[&str] = &[
    r#"pwsh -c 'Write-Host "RUN"'"#,
    r#"pwsh -c "Write-Output 'a; RUN'""#,
    r#"pwsh -c '$x = "RUN"; Write-Host $x'"#,
    r#"pwsh -c '$h = @{ text = "RUN" }; $h.text'"#,
    r#"pwsh -c 'if ($x -match "RUN") { 1 }'"#,
    r#"pwsh -c 'switch ($x) { "RUN" { 1 } }'"#,
    "pwsh -c '# RUN\nGet-Date'",
    "pwsh -c '<# RUN #> Get-Date'",
    r#"pwsh -c 'Get-Content log.txt | Select-String "RUN" | ForEach-Object { $_.Line }'"#,
    r#"pwsh -c 'iex "Get-Date"; Write-Host "RUN"'"#,
    r#"cmd /c "echo RUN""#,
    r#"cmd /c "rem RUN""#,
    r#"cmd /c "echo (RUN)""#,
    r#"cmd /c "findstr /c:\"RUN\" log.txt""#,
    "X='RUN' sh -c 'echo \"$X\"'",
    "tmux set -g status-left 'RUN'",
    "tmux display-message 'RUN'",
    "make --eval='x:;@echo hi' x",
    "ipython -c 'print(\"RUN\")'",
    "docker run --rm alpine echo 'RUN'",
    "declare -A c=([p]='RUN'); echo \"${c[p]}\"",
    "nu -c 'print \"RUN\"'",
];

/// A line with a command in it.
fn line(form: &str, command: &str) -> String {
    let (program, words) = command.split_once(' ').unwrap();
    form.replace("RUN", command)
        .replace("PRG", program)
        .replace("ARGS", words)
        .replace("COMMAS", &words.replace(' ', ","))
        .replace("BLANKS", &words.replace(' ', "${IFS}"))
}

fn assert_seen(forms: &[&str]) {
    let rules = RuleSet::shipped();
    let mut wrong = String::new();
    for command in [
        "stripe refunds create --charge ch_1",
        "gh pr merge 12 --repo acme/app",
        "gog gmail send --to bob@example.com",
    ] {
        let (tier, keys) = verdict(&rules, command);
        assert!(tier >= 3, "{command}");
        for form in forms {
            let line = line(form, command);
            let (found, all) = verdict(&rules, &line);
            if found < tier || !keys.is_subset(&all) {
                let _ = writeln!(wrong, "{line}\n    {found} {all:?}");
            }
        }
    }
    assert!(wrong.is_empty(), "not seen:\n{wrong}");
}

#[test]
fn what_the_shells_of_windows_run_is_seen() {
    assert_seen(OF_WINDOWS);
}

#[test]
fn what_further_shells_and_programs_run_is_seen() {
    assert_seen(OF_OTHERS);
}

#[test]
fn what_a_line_does_not_say_as_it_stands_is_told_by_its_words() {
    let rules = RuleSet::shipped();
    let low = TOLD.iter().filter(|line| verdict(&rules, line).0 < 3 + u8::from(line.contains("stripe")));
    let low: Vec<_> = low.collect();
    assert!(low.is_empty(), "not told: {low:#?}");
}

#[test]
fn what_only_names_a_command_in_another_language_stays_as_it_was() {
    let rules = RuleSet::shipped();
    let mut wrong = String::new();
    for form in HARMLESS {
        let line = line(form, "stripe refunds create --charge ch_1");
        let (tier, keys) = verdict(&rules, &line);
        if tier > 1 {
            let _ = writeln!(wrong, "{line}\n    {tier} {keys:?}");
        }
    }
    assert!(wrong.is_empty(), "taken for a command:\n{wrong}");
}

#[test]
fn files_of_the_gate_are_kept_from_the_shells_of_windows() {
    let rules = RuleSet::shipped();
    let (tier, _) = verdict(&rules, "rm -rf ~/.callosum");
    assert!(tier >= 3);
    for line in [
        r#"pwsh -c "try { Remove-Item ~/.callosum/journal.jsonl } catch {}""#,
        r#"pwsh -c "ri ~/.callosum -r""#,
        r#"pwsh -c 'ri "$env:USERPROFILE\.callosum" -Recurse -Force'"#,
        r#"cmd /c "rd /s /q %USERPROFILE%\.callosum""#,
        r#"cmd /c "del %USERPROFILE%\.callosum\journal.jsonl""#,
    ] {
        let (found, keys) = verdict(&rules, line);
        assert_eq!(found, tier, "{line}: {keys:?}");
    }
}
