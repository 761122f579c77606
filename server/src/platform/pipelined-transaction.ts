/**
 * A transaction for work that many requests wait for. Its statements are sent without waiting for the responses of earlier ones, and
 * each is parsed and planned once per connection: Kysely does both for each statement of each transaction.
 */
import { createHash } from 'node:crypto'
import type { CompiledQuery, Kysely } from 'kysely'
import type { Pool, PoolClient, QueryResult } from 'pg'

export interface PipelineSource<Tables> {
  pool: Pool
  /** On `pool`. */
  database: Kysely<Tables>
}

interface Statement<Row, Tables> {
  compile(database: Kysely<Tables>): CompiledQuery<Row>
}

/** The names of prepared statements, by their text. */
const names = new Map<string, string>()

function nameOf(text: string): string {
  const known = names.get(text)
  if (known !== undefined) return known
  const name = createHash('sha256').update(text).digest('hex').slice(0, 16)
  names.set(text, name)
  return name
}

export class PipelinedTransaction<Tables> {
  readonly database: Kysely<Tables>
  readonly #client: PoolClient
  readonly #sent: Promise<unknown>[] = []

  constructor(database: Kysely<Tables>, client: PoolClient) {
    this.database = database
    this.#client = client
  }

  /**
   * Sends the statement at once. Its result has to be awaited only if something depends on it: the commit waits for all of them. The text
   * of the statement must not depend on how much data there is, because each text is prepared and kept.
   */
  query<Row>(statement: Statement<Row, Tables>): Promise<Row[]> {
    const { sql, parameters } = statement.compile(this.database)
    const response = this.#client.query({ name: nameOf(sql), text: sql, values: [...parameters] })
    const rows = response.then((result) => result.rows as Row[])
    rows.catch(() => {}) // the commit reports it
    this.#sent.push(rows)
    return rows
  }

  /** Rejects if any statement failed: PostgreSQL then rolls back instead. */
  async commit(): Promise<void> {
    const committed = this.#client.query('COMMIT')
    await Promise.all([...this.#sent, committed.then(assertCommitted)])
  }
}

/**
 * `begin` is one or more statements without parameters, after `BEGIN`. They are awaited before anything else is sent: if the transaction
 * did not begin, PostgreSQL would commit each of the following statements on its own.
 */
export async function executePipelined<Tables, Result>(
  { pool, database }: PipelineSource<Tables>,
  begin: string,
  work: (tx: PipelinedTransaction<Tables>) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect()
  let failure: unknown
  try {
    await client.query(`BEGIN; ${begin}`)
    const tx = new PipelinedTransaction(database, client)
    const result = await work(tx)
    await tx.commit()
    return result
  } catch (error) {
    failure = error
    throw error
  } finally {
    if (failure !== undefined) await client.query('ROLLBACK').catch(() => {}) // waits for the responses to everything that was sent
    client.release()
  }
}

/** PostgreSQL responds to COMMIT with ROLLBACK if a statement failed, which is not an error. */
function assertCommitted({ command }: QueryResult): void {
  if (command !== 'COMMIT') throw new Error(`The transaction was not committed: PostgreSQL responded with ${command}`)
}
