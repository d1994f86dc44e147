#!/bin/sh
# Boots systemd in a root folder, installs the package from its /root, and requests a
# quote from the service. This tests that the restrictions of the unit allow
# everything that the server needs.
#
# usage: try-unit.sh ROOT PORT
set -eu
root=$1
port=$2
mkdir -p "$root/etc/tollbridge"
install -m 0600 /dev/null "$root/etc/tollbridge/secrets.env"
echo "TOLLBRIDGE__SERVER__LISTEN=127.0.0.1:$port" > "$root/etc/tollbridge/secrets.env"
# Booted without registering at machinectl, so that the systemd of this machine is
# not needed.
systemd-nspawn --quiet --keep-unit --register=no --directory "$root" --boot < /dev/null > "$root/boot.log" 2>&1 &
nspawn=$!
leader=
trap '[ -z "$leader" ] || kill -s RTMIN+4 "$leader" 2> /dev/null || true; sleep 5; kill "$nspawn" 2> /dev/null || true; wait' EXIT
inside() { nsenter --target "$leader" --mount --uts --ipc --pid --root --wd env -i HOME=/root PATH=/usr/bin:/bin:/usr/sbin:/sbin "$@"; }
for _ in $(seq 60); do
    leader=$(cat "/proc/$nspawn/task/$nspawn/children" 2> /dev/null | cut -d ' ' -f 1)
    [ -z "$leader" ] || ! inside systemctl is-system-running 2> /dev/null | grep -Eq 'running|degraded' || break
    sleep 1
done
inside sh -c 'dpkg --install /root/*.deb' > "$root/install.log" 2>&1 || { cat "$root/boot.log" "$root/install.log"; exit 1; }
for _ in $(seq 300); do
    status=$(curl --silent --output /dev/null --write-out '%{http_code}' --json '{"resource_id": "GB"}' \
        "http://127.0.0.1:$port/v1/oracle/tax_jar_lookup") || true
    [ "$status" != 402 ] || break
    sleep 1
done
if [ "$status" != 402 ]; then
    inside systemctl --no-pager --full status tollbridge || true
    inside journalctl --no-pager --unit tollbridge | tail -n 40
    exit 1
fi
# Make a paid call, let the server write a backup, and stop the service without
# losing data.
said() { inside "$@" > "$root/said.log" 2>&1 || { cat "$root/said.log"; exit 1; }; }
said tollbridge call "http://127.0.0.1:$port/v1/oracle/tax_jar_lookup" '{"resource_id": "GB"}'
said tollbridge --config /etc/tollbridge/tollbridge.toml backup /var/backups/tollbridge/first
said systemctl stop tollbridge
inside systemctl show tollbridge --property Result | grep -qx Result=success
said runuser -u tollbridge -- tollbridge --config /etc/tollbridge/tollbridge.toml ledger verify
inside journalctl --no-pager --unit tollbridge | grep -q 'ready http' || { echo "the journal has no log"; exit 1; }
echo "Debian package: the service runs, sells, is copied and stops under systemd"
