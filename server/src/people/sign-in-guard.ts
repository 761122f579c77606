/**
 * Slows down guessing. Failed sign-ins are counted in PostgreSQL, for all replicas together, and each further attempt
 * has to wait longer. docs/decisions/accounts.md explains why no one can be locked out with it.
 */
import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { Database, DatabaseTransaction } from '../database/database.ts'
import { Problem } from '../platform/http/problem.ts'
import type { Id } from '../platform/ids.ts'

/** Where an attempt comes from. */
export interface SignInOrigin {
  /** The address, or the smallest network that a provider assigns. */
  network: string
  /** The larger network that is stored with sessions. */
  coarseNetwork: string
}

export interface FailedSignIns {
  count: number
  firstAt: Date
  lastAt: Date
}

/** Is told when there were so many failed sign-ins that the person should know. */
export type NotifyOfFailedSignIns = (to: string, count: number) => void

interface Counter {
  key: Buffer
  /** Attempts without a delay. After that, the delay doubles with each attempt, from one second. */
  freeAttempts: number
  maxDelaySeconds: number
}

const noticeFromFailures = 5
const noticeDays = 30

export class SignInGuard {
  readonly #db: Database
  readonly #notify: NotifyOfFailedSignIns

  constructor(db: Database, notify: NotifyOfFailedSignIns) {
    this.#db = db
    this.#notify = notify
  }

  /**
   * Runs an attempt to sign in, or rejects it while the delay of the previous one lasts. The attempt is counted as failed before it
   * runs: otherwise many attempts at the same time would all pass. `email`: or the passkey, if nobody has it.
   */
  async attempt<Result>(email: string, from: SignInOrigin, signIn: () => Promise<Result>): Promise<Result> {
    const account = email.toLowerCase()
    const counters = await this.#count(account, from)
    try {
      const result = await signIn()
      await this.#forget(counters)
      return result
    } catch (error) {
      if (error instanceof Problem && error.code === 'unauthenticated') await this.#recordFailure(account)
      else await this.#forget(counters) // nothing was guessed
      throw error
    }
  }

  /** Failed sign-ins that the person should know of. */
  async findFailures(personId: Id<'per'>): Promise<FailedSignIns | undefined> {
    return this.#db
      .selectFrom('failed_sign_in')
      .select(['failures as count', 'first_failed_at as firstAt', 'last_failed_at as lastAt'])
      .where('person_id', '=', personId)
      .where('failures', '>=', noticeFromFailures)
      .executeTakeFirst()
  }

  async dismissFailures(personId: Id<'per'>): Promise<void> {
    await this.#db.deleteFrom('failed_sign_in').where('person_id', '=', personId).execute()
  }

  async #count(email: string, { network, coarseNetwork }: SignInOrigin): Promise<Counter[]> {
    const fromThisNetwork: Counter = {
      key: hashKey('account and network', email, network),
      freeAttempts: 5,
      maxDelaySeconds: 900,
    }
    const counters = (await this.#hasSignedInFrom(email, coarseNetwork))
      ? [fromThisNetwork]
      : [
          fromThisNetwork,
          { key: hashKey('account', email), freeAttempts: 20, maxDelaySeconds: 60 },
          { key: hashKey('network', network), freeAttempts: 30, maxDelaySeconds: 60 },
        ]
    const inOrder = counters.sort((a, b) => Buffer.compare(a.key, b.key)) // or two transactions could wait for each other
    await this.#db.transaction().execute(async (tx) => {
      for (const counter of inOrder) await countAttempt(tx, counter)
    })
    return counters
  }

  async #hasSignedInFrom(email: string, coarseNetwork: string): Promise<boolean> {
    const known = await this.#db
      .selectFrom('person_network')
      .innerJoin('person', 'person.id', 'person_network.person_id')
      .select('person.id')
      .where('person.email', '=', email)
      .where('network', '=', coarseNetwork)
      .executeTakeFirst()
    return known !== undefined
  }

  async #forget(counters: readonly Counter[]): Promise<void> {
    const failures = sql<number>`greatest(failures - 1, 0)`
    for (const { key } of counters)
      await this.#db
        .updateTable('sign_in_counter')
        .set({ failures, next_attempt_at: sql<Date>`clock_timestamp()` })
        .where('key', '=', key)
        .execute()
  }

  async #recordFailure(email: string): Promise<void> {
    const isOld = sql`failed_sign_in.last_failed_at < now() - make_interval(days => ${noticeDays})`
    await this.#db
      .insertInto('failed_sign_in')
      .columns(['person_id', 'failures'])
      .expression((query) =>
        query
          .selectFrom('person')
          .select(['id', sql<number>`1`.as('failures')])
          .where('email', '=', email),
      )
      .onConflict((conflict) =>
        conflict.column('person_id').doUpdateSet({
          failures: sql`CASE WHEN ${isOld} THEN 1 ELSE failed_sign_in.failures + 1 END`,
          first_failed_at: sql`CASE WHEN ${isOld} THEN now() ELSE failed_sign_in.first_failed_at END`,
          last_failed_at: sql`now()`,
        }),
      )
      .execute()
    const due = await this.#db
      .updateTable('failed_sign_in')
      .from('person')
      .set({ emailed_at: sql<Date>`now()` })
      .whereRef('person.id', '=', 'failed_sign_in.person_id')
      .where('person.email', '=', email)
      .where('failures', '>=', noticeFromFailures)
      .where((where) =>
        where.or([where('emailed_at', 'is', null), where('emailed_at', '<', sql<Date>`now() - interval '1 day'`)]),
      )
      .returning('failures')
      .executeTakeFirst()
    if (due) this.#notify(email, due.failures)
  }
}

/** Remembers the network after a complete sign-in. */
export async function rememberNetwork(db: Database, personId: Id<'per'>, coarseNetwork: string): Promise<void> {
  await db
    .insertInto('person_network')
    .values({ person_id: personId, network: coarseNetwork })
    .onConflict((conflict) =>
      conflict.columns(['person_id', 'network']).doUpdateSet({ last_signed_in_at: sql<Date>`now()` }),
    )
    .execute()
}

const hashKey = (...parts: string[]) => createHash('sha256').update(JSON.stringify(parts)).digest()

/**
 * With the time at which the row is locked, not that of the transaction: one that began earlier may come second, and would wait for a time
 * that is already over.
 */
async function countAttempt(tx: DatabaseTransaction, { key, freeAttempts, maxDelaySeconds }: Counter): Promise<void> {
  const isOld = sql`sign_in_counter.last_failed_at < now() - interval '1 day'`
  const failures = sql<number>`CASE WHEN ${isOld} THEN 1 ELSE sign_in_counter.failures + 1 END`
  const delay = sql`CASE WHEN ${failures} < ${freeAttempts}::int THEN 0
    ELSE least(power(2, least(${failures} - ${freeAttempts}::int, 20)), ${maxDelaySeconds}::int) END`
  const counted = await tx
    .insertInto('sign_in_counter')
    .values({ key, failures: 1, last_failed_at: sql<Date>`now()`, next_attempt_at: sql<Date>`now()` })
    .onConflict((conflict) =>
      conflict
        .column('key')
        .doUpdateSet({
          failures,
          last_failed_at: sql<Date>`now()`,
          next_attempt_at: sql<Date>`clock_timestamp() + make_interval(secs => ${delay})`,
        })
        .where('sign_in_counter.next_attempt_at', '<=', sql<Date>`clock_timestamp()`),
    )
    .returning('key')
    .executeTakeFirst()
  if (counted) return
  const { seconds } = await tx
    .selectFrom('sign_in_counter')
    .select(sql<number>`greatest(1, ceil(extract(epoch FROM next_attempt_at - clock_timestamp())))::int`.as('seconds'))
    .where('key', '=', key)
    .executeTakeFirstOrThrow()
  throw new Problem(
    'rate_limited',
    `Sign-in failed too often. Wait ${seconds} s and try again; the wait grows with each failed attempt.`,
    { headers: { 'retry-after': String(seconds) } },
  )
}
