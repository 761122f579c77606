#!/bin/bash
# Creates the roles and databases that are missing. There are two roles, so that Temporal's password does not give access to Colophon's
# tables, and vice versa. Neither is a superuser.
set -euo pipefail
cd "$(dirname "$0")"

export PGHOST=postgres PGUSER=postgres PGPASSWORD
PGPASSWORD=$(cat passwords/postgres)

create() { # role, its databases
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
create temporal temporal temporal_visibility
