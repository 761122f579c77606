#!/bin/bash
# Creates the roles and databases that are missing. `colophon` owns Colophon's tables and is used by `migrate`, which gives the roles of
# api and worker what they need. Temporal has its own role, so that its password does not give access to Colophon's tables, and vice
# versa. None is a superuser.
set -euo pipefail
cd "$(dirname "$0")"

export PGHOST=${PGHOST:-postgres} PGUSER=postgres PGPASSWORD
PGPASSWORD=$(cat passwords/postgres)

create() { # role, the databases that it owns
  local role=$1 database
  shift
  # The password is passed on standard input, because every process list shows arguments.
  psql --quiet --set ON_ERROR_STOP=1 --set role="$role" <<-SQL
	\\set password \`cat passwords/$role\`
	SELECT format('CREATE ROLE %I LOGIN PASSWORD %L', :'role', :'password')
	WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = :'role') \\gexec
	SQL
  for database in "$@"; do
    psql --quiet --set ON_ERROR_STOP=1 --set role="$role" --set database="$database" <<-'SQL'
	SELECT format('CREATE DATABASE %I OWNER %I', :'database', :'role')
	WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = :'database') \gexec
	REVOKE ALL ON DATABASE :"database" FROM PUBLIC;
	SQL
  done
}

create colophon colophon
create colophon_api
create colophon_worker
create temporal temporal temporal_visibility
