#!/bin/sh
# Writes random secrets once, for the Secrets of this overlay: no secret has a default.
set -eu
umask 077
cd "$(dirname "$0")"
random() { od -An -vtx1 -N32 /dev/urandom | tr -d ' \n'; }

test -s tokens.env || echo "JWT_SECRET=$(random)" >tokens.env
test -s postgres.env || echo "POSTGRES_PASSWORD=$(random)" >postgres.env
. ./postgres.env
cat >stores.env <<EOF
DATABASE_URL=postgresql://ugc:$POSTGRES_PASSWORD@postgres:5432/ugc
REDIS_URL=redis://redis:6379
ELASTICSEARCH_URL=http://elasticsearch:9200
EOF
