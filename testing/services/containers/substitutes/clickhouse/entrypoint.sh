#!/bin/sh
# The session that opens the listener needs a user, which a server does not: session.xml, in addition to those of deploy/clickhouse.
set -eu
rm -rf /tmp/users
cp -r /etc/clickhouse-server/config.d/users /tmp/users
cp /etc/clickhouse-server/session.xml /tmp/users/users.d/
exec python3 /usr/lib/clickhouse-server.py /usr/lib/libchdb.so --config-file=/etc/clickhouse-server/config.xml \
  --path=/var/lib/clickhouse --listen_host=0.0.0.0 --http_port=8123
