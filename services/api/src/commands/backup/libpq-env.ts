import pg from 'pg';

/** The parameters of DATABASE_URL that mean the same to the programs of PostgreSQL. */
const PARAMETERS = { sslcert: 'PGSSLCERT', sslkey: 'PGSSLKEY', sslrootcert: 'PGSSLROOTCERT', options: 'PGOPTIONS' };

/** The service checks certificates in all of these modes; the programs of PostgreSQL only in the last. */
const VERIFIED_MODES = ['prefer', 'require', 'verify-ca', 'verify-full'];

/**
 * The environment in which a program of PostgreSQL connects to DATABASE_URL as the service does. The password is not in
 * the arguments, which other users of the machine can read.
 */
export function libpqEnv(url: string, applicationName: string, inherited: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { host, port, user = '', password, database = '' } = new pg.Client(url);
  const { searchParams } = new URL(url);
  const given = Object.entries(PARAMETERS).flatMap(([name, variable]) => {
    const value = searchParams.get(name);
    return value === null ? [] : [[variable, value]];
  });
  return {
    ...inherited,
    PGHOST: host,
    PGPORT: String(port),
    PGUSER: user,
    PGDATABASE: database,
    PGAPPNAME: applicationName,
    ...(password && { PGPASSWORD: password }),
    ...sslEnv(searchParams.get('sslmode'), inherited),
    ...Object.fromEntries(given),
  };
}

function sslEnv(mode: string | null, { NODE_EXTRA_CA_CERTS }: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  if (mode === null) return {};
  if (mode === 'no-verify') return { PGSSLMODE: 'require' };
  if (!VERIFIED_MODES.includes(mode)) return { PGSSLMODE: mode };
  return { PGSSLMODE: 'verify-full', PGSSLROOTCERT: NODE_EXTRA_CA_CERTS ?? 'system' };
}
