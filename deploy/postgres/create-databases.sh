#!/bin/bash
# The postgres image runs this once, when its data directory is empty. There are two roles, so that Temporal's password does not
# give access to Colophon's tables, and vice versa. Neither is a superuser.
set -euo pipefail

create() { # role, file with its password, its databases
  local role=$1 password_file=$2 database
  shift 2
  # The password is passed on standard input, because every process list shows arguments.
  psql --set ON_ERROR_STOP=1 --set role="$role" <<-SQL
	\\set password \`cat $password_file\`
	CREATE ROLE :"role" LOGIN PASSWORD :'password';
	SQL
  for database in "$@"; do
    psql --set ON_ERROR_STOP=1 --set role="$role" --set database="$database" <<-'SQL'
	CREATE DATABASE :"database" OWNER :"role";
	REVOKE ALL ON DATABASE :"database" FROM PUBLIC;
	SQL
  done
}

create colophon /docker-entrypoint-initdb.d/passwords/colophon colophon
create temporal /docker-entrypoint-initdb.d/passwords/temporal temporal temporal_visibility
