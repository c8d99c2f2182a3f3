#!/bin/sh
# The official conformance suite and the Inspector against `hypermnesia serve`: `make conformance`.
# Needs npm and the network; Node.js 22 is installed into a folder of its own.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
bin=$(cd "$here/../../.venv/bin" && pwd)
folder=${HYPERMNESIA_CONFORMANCE:-$(mktemp -d)}
mkdir -p "$folder"
cd "$folder"
npm install --no-audit --no-fund --silent node@22 \
  @modelcontextprotocol/conformance@0.2.0-alpha.12 @modelcontextprotocol/inspector
PATH=$folder/node_modules/node/bin:$PATH
port=${PORT:-18765}
HYPERMNESIA_JUDGE=off "$bin/hypermnesia" serve --port "$port" --store "$folder/memory.db" \
  2> "$folder/serve.log" &
trap 'kill $!' EXIT
until curl --silent --fail --output /dev/null "http://127.0.0.1:$port/healthz"; do sleep 1; done
node node_modules/.bin/conformance server --url "http://127.0.0.1:$port/mcp" \
  --requirements 2026-07-28 --expected-failures "$here/baseline.yml"
inspect() { node node_modules/.bin/mcp-inspector --cli "http://127.0.0.1:$port/mcp" --transport http "$@"; }
inspect --method tools/list > tools.json
id=$(inspect --method tools/call --tool-name memory_add --tool-arg content='Billing uses NATS' \
  | sed -n 's/.*"id": "\([0-9a-f-]*\)".*/\1/p' | head -n 1)
call() { echo "calling $1" >&2; inspect --method tools/call --tool-name "$@" | grep '"isError": false'; }
call memory_search --tool-arg query=billing
call memory_context --tool-arg query=billing
call memory_suggest --tool-arg content='Billing uses NATS'
call memory_list
call memory_get --tool-arg "id=$id"
call memory_history --tool-arg "id=$id"
call memory_profile
call memory_update --tool-arg "id=$id" --tool-arg pin=true
call memory_restore --tool-arg "id=$id"
call memory_forget --tool-arg query=billing
call memory_help
echo "conformance and Inspector: passed"
