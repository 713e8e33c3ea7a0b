# What the tests of this folder have in common; they source it.
failed=0

# check WHAT PATTERN COMMAND…: whether the command's output has a line of this pattern, an extended regular expression.
check() {
    what=$1 pattern=$2
    shift 2
    code=0
    said=$("$@" 2>&1) || code=$?
    if printf '%s\n' "$said" | grep -qE -- "$pattern"; then
        echo "ok   $what"
    else
        echo "FAIL $what: expected $pattern, found (exit code $code): $said"
        failed=$((failed + 1))
    fi
}

# until_it PATTERN COMMAND…: waits until the command's output has a line of this pattern, for half a minute.
until_it() {
    pattern=$1
    shift
    tries=0
    until "$@" 2>&1 | grep -qE -- "$pattern"; do
        tries=$((tries + 1))
        if [ "$tries" -gt 300 ]; then
            echo "FAIL waited in vain for $pattern: $*"
            failed=$((failed + 1))
            return
        fi
        sleep 0.1
    done
}

# http PATH [CURL-OPTION]…: asks the host, where the function `inside` leads to, with $token.
http() {
    path=$1
    shift
    inside curl --silent --show-error --max-time 60 -H "Authorization: Bearer $token" "$@" "http://127.0.0.1:4747$path"
}

# status PATH [CURL-OPTION]…: the status of the answer alone.
status() {
    http "$@" --output /dev/null --write-out '%{http_code}\n'
}

# call TOOL ARGUMENTS: calls one tool.
call() {
    http /v1/calls -H 'Content-Type: application/json' --data "$(jq -nc --arg name "$1" --arg arguments "$2" \
        '{tool_calls: [{id: "1", type: "function", function: {name: $name, arguments: $arguments}}]}')"
}

# guarded: what holds wherever it serves.
guarded() {
    until_it '"name":"echo"' http /v1/tools
    check "it takes requests" '"ok"' http /readyz
    check "nobody comes in without the token" 401 token_of wrong status /v1/tools
    check "nor by another name" 403 status /v1/tools -H 'Host: evil.example'
    check "with the token there are tools" '"name":"read_file"' http /v1/tools
    check "a component is compiled and runs" '"content":"hello"' call echo '{"text": "hello"}'
    check "metrics are there for whoever has the token" '^hermes_calls_total\{.*echo.*done' http /metrics
}

# token_of TOKEN COMMAND…: with another token.
token_of() (
    token=$1
    shift
    "$@"
)
