import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { startOwnPostgres } from '../own-postgres.ts'
import { startRelay } from '../relay/relay.ts'
import { canDropPackets, startPacketLoss } from './packet-loss.ts'

const cleanUp = (stop: () => Promise<unknown>) => onTestFinished(async () => void (await stop()))

/** The timeout as well: there are no keepalives while sent data is not acknowledged, which can be the end of the last response. */
const detection =
  '-c tcp_keepalives_idle=1 -c tcp_keepalives_interval=1 -c tcp_keepalives_count=2 -c tcp_user_timeout=2000'

test('PostgreSQL gives up a machine whose packets are dropped, but not one whose data vanishes in a relay', async ({
  skip,
}) => {
  skip(!(await canDropPackets()), 'needs root and a packet filter that can be changed')
  const postgres = await startOwnPostgres({ cleanUp })
  const connect = async (url: string) => {
    const client = new pg.Client({ connectionString: url, options: detection })
    client.on('error', () => {}) // when PostgreSQL stops
    await client.connect()
    cleanUp(async () => Promise.race([client.end().catch(() => {}), sleep(200)]))
    const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
    return { client, pid: rows[0]?.pid }
  }
  const admin = await connect(postgres.url)
  const addresses = ['127.0.201.1', '127.0.201.2'] as const
  const relays = await Promise.all(addresses.map((localAddress) => startRelay(postgres.url, { localAddress })))
  for (const relay of relays) cleanUp(relay.stop)
  const [lost, silent] = await Promise.all(relays.map(({ url }) => connect(url)))
  const sessions = async () => {
    const { rows } = await admin.client.query<{ pid: number; address: string }>(
      'SELECT pid, host(client_addr) AS address FROM pg_stat_activity WHERE pid = ANY ($1) ORDER BY address',
      [[lost?.pid, silent?.pid]],
    )
    return rows.map(({ address }) => address)
  }
  expect(await sessions()).toEqual([...addresses])

  const loss = await startPacketLoss(addresses[0])
  cleanUp(loss.stop)
  await relays[1]?.setFault({ kind: 'silence' })
  await expect.poll(sessions, { timeout: 10_000 }).toEqual([addresses[1]]) // its kernel still acknowledges
  const wasNoticed = await Promise.race([
    lost?.client.query('SELECT 1').then(
      () => 'response',
      () => 'error',
    ),
    sleep(300).then(() => 'nothing'),
  ])
  expect(wasNoticed).toBe('nothing')

  await loss.stop()
  const afterwards = await connect(relays[0]?.url ?? '')
  expect(await afterwards.client.query('SELECT 1').then(({ rowCount }) => rowCount)).toBe(1)
})
