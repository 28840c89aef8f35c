#!/bin/sh
# The two roles that own nothing (docs/guides/deployment.md). The service gives them their rights.
set -eu
psql --set ON_ERROR_STOP=1 --set service="$SERVICE_PASSWORD" --set jobs="$JOBS_PASSWORD" --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" <<'SQL'
create role pestle_service login password :'service';
create role pestle_jobs login password :'jobs';
SQL
