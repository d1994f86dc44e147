# Functions for scripts that start a Tollbridge server; include them with `. scripts/serving.sh`.

# Starts a server in a folder with a `tollbridge.toml`, and waits until it is ready: `serve BINARY FOLDER
# [ARGUMENT...]`. Sets $server to its process id and $address to its address.
serve() {
    serve_binary=$1
    serve_folder=$2
    shift 2
    # Create the output file first, because `said` may read it before the server writes to it.
    : > "$serve_folder/said"
    (cd "$serve_folder" && exec "$serve_binary" --config tollbridge.toml serve --listen 127.0.0.1:0 "$@") \
        > "$serve_folder/said" 2> "$serve_folder/log" &
    server=$!
    address=$(said "$serve_folder/said" 'ready ' "$server") || { cat "$serve_folder/log" >&2; return 1; }
}

# Waits for the address that a program prints after a word: `said FILE WORD [PROCESS]`. Gives up when the process has
# exited.
said() {
    for _ in $(seq 600); do
        found=$(sed -n "s,^$2\(http.*\)$,\1,p" "$1")
        [ -z "$found" ] || { echo "$found"; return; }
        [ -z "${3:-}" ] || kill -0 "$3" 2> /dev/null || break
        sleep 0.5
    done
    echo "$1: no address came" >&2
    return 1
}
