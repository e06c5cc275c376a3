# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# What the tests of `kmemprof push` and `kmemprof fleet` share: `. lib.sh KMEMPROF`. Real ClickHouse
# servers on free ports of the loopback, ended with the test. Prints TAP, as tap.sh has it.
set -u

# shellcheck source=tests/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/../tap.sh"
for tool in clickhouse-server curl jq; do
	command -v $tool >/dev/null || skip_all "$tool is not installed: no server was asked"
done
# Used by the scripts that read this.
# shellcheck disable=SC2034
{
	kmemprof=$(realpath "$1")
	here=$(cd "$(dirname "$0")" && pwd)
	data=${here%/fleet}/data
}
scratch=$(mktemp -d)
declare -A http tcp server
others=()
export LC_ALL=C.UTF-8 TZ=UTC no_proxy='*'
unset KMEMPROF_FLEET

clean_up() {
	local pid

	for pid in "${server[@]}" "${others[@]}"; do
		kill -9 "$pid" 2>/dev/null || :
		wait "$pid" 2>/dev/null || :
	done
	rm -rf "$scratch"
}
trap clean_up EXIT

configure_clickhouse() { # NAME, with XML of its own on standard input
	local dir=$scratch/$1

	mkdir -p "$dir"
	cat >"$dir/users.xml" <<X
<yandex>
	<profiles><default/></profiles>
	<users><default><password></password><networks><ip>127.0.0.1</ip></networks>
		<profile>default</profile><quota>default</quota></default>
		<guarded><password>open sesame</password><networks><ip>127.0.0.1</ip></networks>
		<profile>default</profile><quota>default</quota></guarded></users>
	<quotas><default/></quotas>
</yandex>
X
	cat >"$dir/config.xml" - <(cat <<X
	<logger><level>warning</level><log>$dir/log</log><errorlog>$dir/errors</errorlog></logger>
	<http_port>${http[$1]}</http_port>
	<tcp_port>${tcp[$1]}</tcp_port>
	<listen_host>127.0.0.1</listen_host>
	<path>$dir/data/</path>
	<tmp_path>$dir/tmp/</tmp_path>
	<user_files_path>$dir/files/</user_files_path>
	<users_config>$dir/users.xml</users_config>
	<default_profile>default</default_profile>
	<default_database>default</default_database>
	<mark_cache_size>268435456</mark_cache_size>
	<timezone>UTC</timezone>
</yandex>
X
	)
	sed -i '1i <yandex>' "$dir/config.xml"
}

# Run the server that was configured, until it answers; false if its ports are taken.
run_clickhouse() { # NAME
	local wait

	(cd "$scratch/$1" && exec clickhouse-server --config-file="$scratch/$1/config.xml") \
		>>"$scratch/$1/out" 2>&1 &
	server[$1]=$!
	for ((wait = 0; wait < 600; wait++)); do
		! curl -s "http://127.0.0.1:${http[$1]}/ping" | grep -q Ok || return 0
		kill -0 "${server[$1]}" 2>/dev/null || return 1
		sleep 0.1
	done
	return 1
}

# A new server: ${http[NAME]} and ${tcp[NAME]} are its ports.
start_clickhouse() { # NAME [XML]
	local tries

	for ((tries = 0; tries < 20; tries++)); do
		http[$1]=$((20000 + RANDOM % 5000 * 2))
		tcp[$1]=$((http[$1] + 1))
		configure_clickhouse "$1" <<<"${2:-}"
		! run_clickhouse "$1" || return 0
	done
	echo "Bail out! no ClickHouse: $(tail -n 1 "$scratch/$1/errors" "$scratch/$1/out")"
	exit 1
}

end_clickhouse() { # NAME [SIGNAL]
	kill -"${2:-TERM}" "${server[$1]}"
	wait "${server[$1]}" 2>/dev/null
	unset "server[$1]"
}

# What a server answers to a statement.
sql() { # NAME STATEMENT
	curl -sS --max-time 60 --data-binary "$2" "http://127.0.0.1:${http[$1]}/"
}
