#!/bin/bash
# Run once by the postgres image, when its data directory is empty. Two roles: whoever gets hold of Temporal's password
# does not have Colophon's tables, and the other way round. Neither is the superuser.
set -euo pipefail

create() { # role, file with its password, its databases
  local role=$1 password_file=$2 database
  shift 2
  # The password goes in by standard input: arguments are in every list of processes.
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

create colophon /run/secrets/colophon-database-password colophon
create temporal /run/secrets/temporal-database-password temporal temporal_visibility
