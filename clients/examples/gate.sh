#!/usr/bin/env bash
# The gate for shell scripts, by curl alone: first `/v1`, then the first protocol.
#
#     callosum serve &
#     clients/examples/gate.sh
#
# CALLOSUM_URL and CALLOSUM_TOKEN name a service elsewhere. Without them it is asked by its socket, which needs no token.
set -euo pipefail

ask() { # METHOD PATH [BODY]
  local how=(--unix-socket "${CALLOSUM_STATE_DIR:-$HOME/.callosum}/serve.sock" http://localhost)
  [[ -n ${CALLOSUM_URL:-} ]] && how=("$CALLOSUM_URL")
  local url="${how[-1]}$2"
  unset 'how[-1]'
  # The token comes by a file descriptor: what stands on a command line can be read by every user of the machine.
  curl --silent --show-error --fail-with-body --max-time 20 --request "$1" ${how[@]+"${how[@]}"} \
    --header @<(printf 'authorization: Bearer %s\n' "${CALLOSUM_TOKEN:-none}") \
    ${3:+--header 'content-type: application/json' --data "$3"} "$url"
}

field() { # NAME: the text of a field in an answer
  sed -n 's/.*"'"$1"'":"\([^"]*\)".*/\1/p'
}

guarded_mail() { # SESSION TO
  local call verdict answer
  call="$1-$$-$RANDOM"
  answer=$(ask POST /v1/before "{\"tool\":\"send_email\",\"params\":{\"to\":\"$2\"},\"session\":\"$1\",\"call\":\"$call\"}")
  verdict=$(field verdict <<<"$answer")
  if [[ $verdict != allow ]]; then
    echo "$1: $verdict: $(field text <<<"$answer" | sed 's/\\n.*//')"
    return
  fi
  if echo "$1: here the mail to $2 goes out"; then outcome=complete; else outcome=unknown; fi
  ask POST /v1/after "{\"call\":\"$call\",\"outcome\":\"$outcome\"}" >/dev/null
}

guarded_mail nightly bob@example.com
guarded_mail hourly bob@example.com

# The first protocol: tier 3 only warns, and says which key the action is on.
answer=$(ask POST /intercept '{"instance":"script","tool":"send_email","action":"send","params":{"to":"carol@example.com"}}')
key=$(field contextKey <<<"$answer")
echo "script: may act on $key: $(sed -n 's/.*"proceed":\([a-z]*\).*/\1/p' <<<"$answer")"
ask POST /complete "{\"instance\":\"script\",\"contextKey\":\"$key\",\"result\":{\"sent\":1}}" >/dev/null
answer=$(ask POST /intercept '{"instance":"other","tool":"send_email","action":"send","params":{"to":"carol@example.com"}}')
echo "other: is warned: $(field warning <<<"$answer" | sed 's/\\n.*//')"
ask GET "/status?contextKey=$key" >/dev/null
