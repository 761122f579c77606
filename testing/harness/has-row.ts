import pg from 'pg'

/** Whether a query returns a row. Also false while PostgreSQL is down. */
export async function hasRow(postgresUrl: string, query: string): Promise<boolean> {
  const database = new pg.Client({ connectionString: postgresUrl, connectionTimeoutMillis: 1_000 })
  database.on('error', () => {})
  try {
    await database.connect()
    return (await database.query(`${query} LIMIT 1`)).rowCount === 1
  } catch {
    return false
  } finally {
    await database.end().catch(() => {})
  }
}
