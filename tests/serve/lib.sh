# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# What the tests of `kmemprof serve` share: `. lib.sh KMEMPROF`. Real servers on free ports of the
# loopback, ended with the test. Prints TAP, as tap.sh has it.
set -u

# shellcheck source=tests/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/../tap.sh"
for tool in curl jq; do
	command -v $tool >/dev/null || skip_all "$tool is not installed: no server was asked"
done
# Used by the scripts that read this.
# shellcheck disable=SC2034
{
	kmemprof=$(realpath "$1")
	here=$(cd "$(dirname "$0")" && pwd)
	data=${here%/serve}/data
	contrib=${here%/tests/serve}/contrib/prometheus
	long=${KMEMPROF_SERVE_SECONDS:-}
}
scratch=$(mktemp -d)
server=
others=()
export LC_ALL=C.UTF-8 no_proxy='*'

clean_up() {
	local pid

	for pid in $server "${others[@]}"; do
		kill -9 "$pid" 2>/dev/null
	done
	rm -rf "$scratch"
}
trap clean_up EXIT

# Start a server; $url is where it is. It must come up: what it says is shown otherwise.
start() { # OPTION…
	local tries

	# What the server before said is not what this one says.
	: >"$scratch/out"
	"$kmemprof" serve --listen 127.0.0.1:0 "$@" >"$scratch/out" 2>"$scratch/err" &
	server=$!
	for ((tries = 0; tries < 300; tries++)); do
		url=$(sed -n 's,^serving at \(.*\)/$,\1,p' "$scratch/out")
		[ -z "$url" ] || return 0
		kill -0 $server 2>/dev/null || break
		sleep 0.1
	done
	echo "Bail out! no server: $(cat "$scratch/err")"
	exit 1
}

# End it as a service manager does; $ended is its status.
# shellcheck disable=SC2034
stop() {
	kill -TERM "$server"
	wait "$server"
	ended=$?
	server=
}

get() { # PATH [CURL-OPTION…]
	local path=$1

	shift
	curl -sS --max-time 60 "$@" "$url$path"
}

status() { # PATH [CURL-OPTION…]
	local path=$1

	shift
	curl -s --max-time 60 -o /dev/null -w '%{http_code}' "$@" "$url$path"
}

sum_of() { # FAMILY, of the metrics on standard input
	awk -v name="$1{" 'index($0, name) == 1 { sum += $NF; seen = 1 }
		END { if (!seen) print "none"; else printf "%.0f\n", sum }'
}

resident() { # kB
	awk '/^VmRSS:/ { print $2 }' "/proc/$server/status"
}

need_prometheus() {
	local tool

	for tool in prometheus promtool; do
		command -v $tool >/dev/null || skip_all "$tool is not installed: nothing was scraped"
	done
}

# A real Prometheus scrapes the server each second, as contrib's configuration says; it is ready
# then. At a port that nobody has: it says so if somebody does.
start_prometheus() {
	local tries wait

	sed "s,127.0.0.1:9417,${url#http://},; s/scrape_interval:.*/scrape_interval: 1s/
		s/evaluation_interval:.*/evaluation_interval: 1s/; s,kmemprof-alerts.yml,$contrib/&," \
		"$contrib/prometheus.yml" >"$scratch/prometheus.yml"
	for ((tries = 0; tries < 20; tries++)); do
		prometheus_at=127.0.0.1:$((20000 + RANDOM % 10000))
		prometheus --config.file="$scratch/prometheus.yml" --storage.tsdb.path="$scratch/tsdb" \
			--web.listen-address=$prometheus_at --log.level=warn 2>"$scratch/log" &
		prometheus=$!
		others+=("$prometheus")
		for ((wait = 0; wait < 300; wait++)); do
			! curl -s "http://$prometheus_at/-/ready" | grep -q Ready || return 0
			kill -0 $prometheus 2>/dev/null || break
			sleep 0.1
		done
	done
	echo "Bail out! no Prometheus: $(tail -n 1 "$scratch/log")"
	exit 1
}

stop_prometheus() {
	kill -TERM "$prometheus"
	wait "$prometheus"
}

ask_prometheus() { # PATH, with NAME=VALUE behind it
	curl -sG "${@:2}" "http://$prometheus_at/api/v1/$1"
}

query() { # EXPRESSION: its first value
	ask_prometheus query --data-urlencode "query=$1" | jq -r '.data.result[0].value[1] // "none"'
}

await_query() { # EXPRESSION: until it has a value
	local tries

	for ((tries = 0; tries < 300; tries++)); do
		[ "$(query "$1")" = none ] || return 0
		sleep 0.1
	done
}
