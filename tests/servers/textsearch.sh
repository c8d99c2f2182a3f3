#!/bin/sh
# The PostgreSQL store beside the extension pg_textsearch: `make textsearch`.
# Needs npm and the network; everything is installed into a folder of its own.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
bin=$(cd "$here/../../.venv/bin" && pwd)
folder=${HYPERMNESIA_TEXTSEARCH:-${XDG_CACHE_HOME:-$HOME/.cache}/hypermnesia/textsearch}
mkdir -p "$folder"
cd "$folder"
npm install --no-audit --no-fund --silent @electric-sql/pglite@0.5.14 \
  @electric-sql/pglite-socket@0.2.17 @electric-sql/pglite-pgvector@0.0.15 \
  @electric-sql/pglite-pg_textsearch@0.0.16
cp "$here/textsearch.mjs" .  # modules are looked for beside it
port=${PORT:-15433}
node textsearch.mjs "$port" > textsearch.log 2>&1 &
server=$!
trap 'kill $server 2> /dev/null || true' EXIT
until grep -q ready textsearch.log; do
  kill -0 $server || { cat textsearch.log; exit 1; }
  sleep 1
done
cd "$here/../.."
HYPERMNESIA_TEST_TEXTSEARCH="postgresql://postgres@127.0.0.1:$port/postgres?sslmode=disable" \
  "$bin/pytest" tests/store/postgres/test_textsearch.py "$@"
