#!/bin/sh
# Puts Callosum where this user's programs are, and takes it away again. No root, no network: all that it needs lies beside it.
set -eu

usage() {
  cat <<'EOF'
Usage: ./install.sh [--prefix DIR] [--bin DIR]     copies this folder, and links `callosum` and `callosum-serve`
       ./install.sh --uninstall [--prefix DIR] [--bin DIR]

  --prefix DIR   where the folder is kept [default: $XDG_DATA_HOME/callosum, else ~/.local/share/callosum]
  --bin DIR      where the links are put  [default: ~/.local/bin]

It changes no settings of any runtime, and never touches the journal: `callosum install claude-code` (codex, gemini) and
`openclaw plugins install --link DIR` come after it.
EOF
}

fail() {
  echo "install.sh: $1" >&2
  exit 1
}

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd -P)
[ -n "${HOME:-}" ] || fail "HOME is not set, so nobody knows where this user's programs are"
prefix=${XDG_DATA_HOME:-$HOME/.local/share}/callosum
bin=$HOME/.local/bin
uninstall=no
while [ $# -gt 0 ]; do
  case $1 in
    --prefix | --bin)
      [ $# -ge 2 ] || fail "$1 needs a folder"
      case $2 in
        /*) ;;
        *) fail "$1 needs an absolute path, not \`$2\`" ;;
      esac
      if [ "$1" = --prefix ]; then prefix=$2; else bin=$2; fi
      shift 2
      ;;
    --uninstall) uninstall=yes && shift ;;
    -h | --help) usage && exit 0 ;;
    *) usage >&2 && exit 2 ;;
  esac
done

programs='callosum callosum-serve'
# Whether a name in the folder of programs is free, or a link of ours.
is_ours() {
  [ "$(readlink -- "$1" 2>/dev/null || true)" = "$prefix/bin/$(basename -- "$1")" ]
}

if [ "$uninstall" = yes ]; then
  for program in $programs; do
    if is_ours "$bin/$program"; then
      rm -- "$bin/$program"
      echo "removed the link $bin/$program"
    fi
  done
  if [ -f "$prefix/openclaw.plugin.json" ]; then
    rm -r -- "$prefix"
    echo "removed $prefix"
  else
    echo "there is no Callosum in $prefix"
  fi
  echo "Hooks that \`callosum install\` put into settings of runtimes, and the journal, were not touched."
  exit 0
fi

[ -x "$here/bin/callosum" ] || fail "$here has no bin/callosum: run it from the folder that the archive unpacks to"
"$here/bin/callosum" --version >/dev/null 2>&1 ||
  fail "$here/bin/callosum can't be started here: the archive is for another platform, or for another C library"
if [ -e "$prefix" ] && [ ! -f "$prefix/openclaw.plugin.json" ]; then
  fail "$prefix is there and is no Callosum: move it away, or choose another folder with --prefix"
fi
for program in $programs; do
  if [ -e "$bin/$program" ] || [ -L "$bin/$program" ]; then
    is_ours "$bin/$program" || fail "$bin/$program is there and is none of ours: move it away, or choose another folder with --bin"
  fi
done

mkdir -p -- "$bin" "$prefix/bin"
if [ "$here" != "$prefix" ]; then
  for entry in "$here"/*; do
    name=$(basename -- "$entry")
    [ "$name" = bin ] && continue
    rm -rf -- "$prefix/.$name.new"
    cp -R -- "$entry" "$prefix/.$name.new"
    rm -rf -- "${prefix:?}/$name"
    mv -- "$prefix/.$name.new" "$prefix/$name"
  done
  # In one step each, and last: hooks of running sessions start these programs at any moment.
  for program in "$here"/bin/*; do
    name=$(basename -- "$program")
    cp -- "$program" "$prefix/bin/.$name.new"
    mv -f -- "$prefix/bin/.$name.new" "$prefix/bin/$name"
  done
fi
for program in $programs; do
  ln -sf -- "$prefix/bin/$program" "$bin/$program"
done

echo "$("$prefix/bin/callosum" --version) is in $prefix, linked from $bin."
case ":${PATH:-}:" in
  *":$bin:"*) ;;
  *) echo "$bin is not on your PATH: add it, for example with \`export PATH=\"$bin:\$PATH\"\` in ~/.profile." ;;
esac
cat <<EOF

Next:
  callosum install claude-code          # or codex, gemini: their tool calls pass the gate
  openclaw plugins install --link $prefix --force --accept-capabilities
  callosum doctor                       # are calls gated?

$prefix/install.sh --uninstall takes it away again.
EOF
