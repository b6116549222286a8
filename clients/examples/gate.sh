#!/usr/bin/env bash
# The gate for shell scripts, by curl alone: first `/v1`, then the five endpoints.
#
#     callosum serve &
#     clients/examples/gate.sh
#
# CALLOSUM_URL and CALLOSUM_TOKEN name a service elsewhere. Without them it is asked by its socket, which needs no token.
set -euo pipefail

ask() { # METHOD PATH [BODY]
  local url="${CALLOSUM_URL:-}" how=()
  if [[ -z $url ]]; then
    url=http://localhost
    how=(--unix-socket "${CALLOSUM_STATE_DIR:-$HOME/.callosum}/serve.sock")
  fi
  # Headers come by a file descriptor: what stands on a command line can be read by every user of the machine.
  curl --silent --show-error --fail-with-body --max-time 20 --request "$1" ${how[@]+"${how[@]}"} \
    --header @<(printf '%s\n' 'content-type: application/json' "${CALLOSUM_TOKEN:+authorization: Bearer $CALLOSUM_TOKEN}") \
    ${3:+--data "$3"} "$url$2"
}

field() { # NAME: the first line of a text in an answer
  sed -E '/"'"$1"'":"/!d; s/.*"'"$1"'":"(([^"\\]|\\.)*)".*/\1/; s/\\n.*//; s/\\"/"/g'
}

guarded_mail() { # SESSION TO
  local call verdict answer
  call="$1-$$-$RANDOM"
  answer=$(ask POST /v1/before "{\"tool\":\"send_email\",\"params\":{\"to\":\"$2\"},\"session\":\"$1\",\"call\":\"$call\"}")
  verdict=$(field verdict <<<"$answer")
  if [[ $verdict != allow ]]; then
    echo "$1: $verdict: $(field text <<<"$answer")"
    return
  fi
  if echo "$1: here the mail to $2 goes out"; then outcome=complete; else outcome=unknown; fi
  ask POST /v1/after "{\"call\":\"$call\",\"session\":\"$1\",\"outcome\":\"$outcome\"}" >/dev/null
}

guarded_mail nightly bob@example.com
guarded_mail hourly bob@example.com

# The five endpoints: tier 3 only warns, and says which key the action is on.
answer=$(ask POST /intercept '{"instance":"script","tool":"send_email","action":"send","params":{"to":"carol@example.com"}}')
key=$(field contextKey <<<"$answer")
echo "script: may act on $key: $(sed -n 's/.*"proceed":\([a-z]*\).*/\1/p' <<<"$answer")"
ask POST /complete "{\"instance\":\"script\",\"contextKey\":\"$key\",\"result\":{\"sent\":1}}" >/dev/null
answer=$(ask POST /intercept '{"instance":"other","tool":"send_email","action":"send","params":{"to":"carol@example.com"}}')
echo "other: is warned: $(field warning <<<"$answer")"
ask GET "/status?contextKey=$key" >/dev/null
