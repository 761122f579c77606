#!/bin/sh
# Updates Temporal's two databases to the schema of this image's version. Runs before every start, and changes nothing if the
# schema is current. To upgrade Temporal, change both image tags, one minor version at a time.
set -eu

[ -z "${SQL_PASSWORD_FILE:-}" ] || SQL_PASSWORD=$(cat "$SQL_PASSWORD_FILE")
export SQL_PASSWORD

setup() { # database, directory of its schema
  tool() { temporal-sql-tool --plugin postgres12 --ep "$SQL_HOST" -p 5432 -u "$SQL_USER" --db "$1" "$2" "$3" "$4"; }
  tool "$1" setup-schema -v 0.0
  tool "$1" update-schema -d "/etc/temporal/schema/postgresql/v12/$2/versioned"
}

setup temporal temporal
setup temporal_visibility visibility
