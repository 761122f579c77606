#!/bin/bash
# What deploy/compose.yml uses of the entry point of the image `postgres`.
set -eu
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  # shellcheck disable=SC2086 # several arguments
  initdb --username=postgres --pwfile="$POSTGRES_PASSWORD_FILE" --auth-local=trust --auth-host=scram-sha-256 \
    ${POSTGRES_INITDB_ARGS:-} >/dev/null
  printf '%s\n' 'host all all all scram-sha-256' >>"$PGDATA/pg_hba.conf"
  printf '%s\n' "listen_addresses = '*'" >>"$PGDATA/postgresql.conf"
fi
exec "$@"
