#!/bin/sh
# The official conformance suite and the Inspector against the real server: `make conformance`.
# Needs npm and the network; Node.js 22 is installed into a folder of its own.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
bin=$(cd "$here/../../.venv/bin" && pwd)
folder=${HYPERMNESIA_CONFORMANCE:-$(mktemp -d)}
mkdir -p "$folder"
cd "$folder"
rm -f ./*.db ./*.db-*
# First Node.js, then the rest with it: npm takes old releases for an old Node.js.
npm install --no-audit --no-fund --silent node@22
PATH=$folder/node_modules/node/bin:$PATH
npm install --no-audit --no-fund --silent \
  @modelcontextprotocol/conformance@0.2.0-alpha.12 @modelcontextprotocol/inspector@2.12.0
port=${PORT:-18765}
url=http://127.0.0.1:$port
"$bin/hypermnesia" serve --port "$port" --store "$folder/memory.db" 2> "$folder/serve.log" &
server=$!
trap 'kill $server 2> /dev/null || true' EXIT
until curl --silent --fail --output /dev/null "$url/healthz"; do
  kill -0 $server || { cat "$folder/serve.log"; exit 1; }
  sleep 1
done

inspect() {
  echo "Inspector, $1: $3"
  "$bin/python" "$here/inspector.py" node node_modules/.bin/mcp-inspector --cli --protocol-era "$@"
}
inspect modern -- "$url/mcp"
inspect legacy -- "$url/mcp"
inspect modern -- "$bin/hypermnesia" mcp --store "$folder/modern.db"
inspect legacy -- "$bin/hypermnesia" mcp --store "$folder/legacy.db"

# A scenario reads the first resource, if there is one.
curl --silent --fail --output /dev/null --json '{"content": "Billing uses NATS"}' \
  "$url/api/v1/memories"
conformance() { node node_modules/.bin/conformance server --url "$url/mcp" "$@"; }
for revision in 2025-11-25 2026-07-28; do
  conformance --requirements $revision --expected-failures "$here/baseline.yml"
done
# Not scored yet, and passed.
conformance --scenario http-header-validation --spec-version 2026-07-28
conformance --scenario server-session-lifecycle --spec-version 2025-11-25
PYTHONPATH=$here/../.. "$bin/python" -m tests.conformance.authorization \
  node node_modules/.bin/conformance
echo "conformance and Inspector: passed"
