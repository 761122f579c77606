import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import {
  type ClickHouseClient,
  type ClickHouseClientConfigOptions,
  ClickHouseLogLevel,
  type ClickHouseSettings,
  createClient,
} from '@clickhouse/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { getClickhouseBinary } from '../start-clickhouse.ts'

const binary = await getClickhouseBinary()
if (binary.kind !== 'chdb') throw new Error('These tests require chdb, but there is a ClickHouse server on the PATH.')
const chdbDirectory = binary.directory

type Running = { process: ChildProcess; url: string }

let directory: string
const started: ChildProcess[] = []

async function start(dataDirectory: string): Promise<Running> {
  const script = join(import.meta.dirname, 'server.ts')
  const child = spawn(process.execPath, [script, '--chdb', chdbDirectory, '--data', dataDirectory, '--port', '0'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  started.push(child)
  const line = await Promise.race([
    once(child.stdout, 'data').then(([text]) => `${text}`),
    once(child, 'exit').then(([code]) => `exited with ${code}`),
  ])
  const url = /^ready (http:\/\/127\.0\.0\.1:\d+)\n$/.exec(line)?.[1]
  if (!url) throw new Error(`The server is not ready: ${line}`)
  return { process: child, url }
}

async function stop(running: Running, signal: NodeJS.Signals): Promise<number | null> {
  const exited = once(running.process, 'exit')
  running.process.kill(signal)
  return (await exited)[0]
}

function connect(running: Running, options: ClickHouseClientConfigOptions = {}): ClickHouseClient {
  return createClient({ url: running.url, log: { level: ClickHouseLogLevel.OFF }, ...options })
}

/** A client with its own database, so that tests can share one server, as proofs do. */
async function connectTo(database: string, running: Running, options: ClickHouseClientConfigOptions = {}) {
  await connect(running).command({ query: `CREATE DATABASE IF NOT EXISTS ${database}` })
  return connect(running, { database, ...options })
}

async function rowsOf<T>(client: ClickHouseClient, query: string, settings: ClickHouseSettings = {}): Promise<T[]> {
  return (await client.query({ query, format: 'JSONEachRow', clickhouse_settings: settings })).json<T>()
}

let server: Running

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'clickhouse-'))
  server = await start(join(directory, 'shared'))
})

afterAll(async () => {
  for (const child of started) child.kill('SIGKILL') // processes left by failed tests
  await rm(directory, { recursive: true, maxRetries: 5 })
})

test('responds to pings, by URL and by query', async () => {
  const client = connect(server)
  expect(await client.ping()).toEqual({ success: true })
  expect(await client.ping({ select: true })).toEqual({ success: true })
  expect(await (await fetch(`${server.url}/ping`)).text()).toBe('Ok.\n')
})

test('binds parameters of every type', async () => {
  const client = connect(server)
  const text = `it's "quoted", \\n is not a line end,\n\tthis is; {x:String} \`b\` ü ${'long '.repeat(20_000)}`
  const result = await client.query({
    query: `SELECT {text:String} AS text, {n:UInt64} AS n, {list:Array(String)} AS list, {none:Nullable(String)} AS none,
              {at:DateTime64(3, 'UTC')} AS at, {column:Identifier} FROM (SELECT 7 AS seven)`,
    query_params: {
      text,
      n: '18446744073709551615',
      list: ["a'b", 'c\\d'],
      none: null,
      column: 'seven',
      at: new Date('2026-02-03T04:05:06.789Z'),
    },
    format: 'JSONEachRow',
    clickhouse_settings: { output_format_json_quote_64bit_integers: 1 },
  })
  expect(await result.json()).toEqual([
    {
      text,
      n: '18446744073709551615',
      list: ["a'b", 'c\\d'],
      none: null,
      seven: 7,
      at: '2026-02-03 04:05:06.789',
    },
  ])
})

test('returns results in the requested format, with headers', async () => {
  const client = connect(server)
  const query = 'SELECT number AS n, toString(number) AS s FROM numbers(2)'
  const json = await client.query({
    query: 'SELECT sum(number) AS n FROM numbers(1000)',
    query_id: 'mine',
    format: 'JSON',
  })
  expect(json.response_headers).toMatchObject({ 'x-clickhouse-query-id': 'mine', 'x-clickhouse-format': 'JSON' })
  expect(JSON.parse(`${json.response_headers['x-clickhouse-summary']}`)).toMatchObject({
    read_rows: '1000',
    read_bytes: '8000',
    result_rows: '1',
    elapsed_ns: expect.stringMatching(/^\d+$/),
  })
  expect(await json.json()).toMatchObject({ data: [{ n: 499500 }], statistics: { rows_read: 1000 } })
  expect(await (await client.query({ query, format: 'JSONCompactEachRow' })).json()).toEqual([
    [0, '0'],
    [1, '1'],
  ])
  expect(await (await client.query({ query, format: 'CSVWithNames' })).text()).toBe('"n","s"\n0,"0"\n1,"1"\n')
  const plain = await fetch(`${server.url}/?query=${encodeURIComponent(query)}`)
  expect(await plain.text()).toBe('0\t0\n1\t1\n')
  const byDefault = await fetch(`${server.url}/?default_format=JSONCompactEachRow`, { method: 'POST', body: query })
  expect(await byDefault.text()).toBe('[0, "0"]\n[1, "1"]\n')
})

test.each([
  ['SELECT * FROM missing', 60, 404],
  ['SELEC 1', 62, 400],
  ['1 + 1', 62, 400],
  ['SELECT 1; SELECT 2', 62, 400],
  ['', 62, 400],
  ['SELECT missing', 47, 404],
  ['SELECT {missing:String}', 456, 500],
  ["SELECT throwIf(number = 100000, 'late') FROM numbers(200000)", 395, 500],
  ['SELECT count() FROM numbers(1e12) WHERE NOT ignore(number) SETTINGS max_execution_time = 1', 159, 408],
])('%s fails with code %i, as on a server', async (query, code, status) => {
  const client = connect(server)
  const response = await fetch(server.url, { method: 'POST', body: query })
  expect(response.status).toBe(status)
  expect(response.headers.get('x-clickhouse-exception-code')).toBe(`${code}`)
  expect(await response.text()).toMatch(new RegExp(`^Code: ${code}\\. DB::Exception: .*\\([A-Z_]+\\)\n$`, 's'))
  if (query) await expect(client.command({ query })).rejects.toMatchObject({ name: 'Error', code: `${code}` })
})

test('rejects an unknown database and an unknown setting', async () => {
  const query = { query: 'SELECT 1' }
  await expect(connect(server, { database: 'nowhere' }).command(query)).rejects.toMatchObject({
    code: '81',
  })
  const clickhouse_settings = { no_such_setting: 1 } as ClickHouseSettings
  await expect(connect(server).command({ ...query, clickhouse_settings })).rejects.toMatchObject({
    code: '115',
  })
})

test('isolates databases, settings and parameters of concurrent requests', async () => {
  const clients = await Promise.all(Array.from({ length: 8 }, (_, i) => connectTo(`apart_${i}`, server)))
  await Promise.all(
    clients.map(async (client, i) => {
      await client.command({ query: 'CREATE TABLE t (v UInt32) ENGINE = MergeTree ORDER BY v' })
      await client.insert({ table: 't', values: [{ v: i }], format: 'JSONEachRow' })
    }),
  )
  const requests = Array.from({ length: 400 }, async (_, i) => {
    const database = i % clients.length
    const result = await clients[database]?.query({
      query: `SELECT currentDatabase() AS d, (SELECT sum(v) FROM t) AS v, {i:UInt32} AS i, getSetting('max_block_size') AS s`,
      query_params: { i },
      clickhouse_settings: { max_block_size: `${1000 + i}` },
      format: 'JSONEachRow',
    })
    expect(await result?.json()).toEqual([{ d: `apart_${database}`, v: database, i, s: 1000 + i }])
  })
  await Promise.all(requests)
  await expect(rowsOf(connect(server), 'SELECT {i:UInt32}')).rejects.toMatchObject({ code: '456' })
})

test('does not delay pings or other queries while slow queries run', async () => {
  const client = connect(server, { max_open_connections: 20 })
  const started = performance.now()
  const slow = Array.from({ length: 12 }, () => client.command({ query: 'WITH (SELECT sleep(2)) AS s SELECT s' }))
  await sleep(200)
  const pingStarted = performance.now()
  expect(await client.ping()).toEqual({ success: true })
  expect(performance.now() - pingStarted).toBeLessThan(1000)
  await Promise.all(slow)
  expect(performance.now() - started).toBeLessThan(5000) // sequentially they take 24 s, on four threads 6 s
})

test('applies settings to input and output formats', async () => {
  const client = await connectTo('formats', server)
  await client.command({ query: `CREATE TABLE t (at DateTime('UTC'), n UInt64) ENGINE = MergeTree ORDER BY n` })
  await client.insert({
    table: 't',
    values: [{ at: '2026-02-03T04:05:06Z', n: 1, more: true }],
    format: 'JSONEachRow',
    clickhouse_settings: {
      date_time_input_format: 'best_effort',
      input_format_skip_unknown_fields: 1,
      async_insert: 0,
    },
  })
  const iso = { date_time_output_format: 'iso', output_format_json_quote_64bit_integers: 1 } as const
  expect(await rowsOf(client, 'SELECT * FROM t', iso)).toEqual([{ at: '2026-02-03T04:05:06Z', n: '1' }])
  await expect(
    client.insert({ table: 't', values: [{ at: 'not a time', n: 2 }], format: 'JSONEachRow' }),
  ).rejects.toMatchObject({ code: '41' })
})

test('accepts all forms of INSERT', async () => {
  const client = await connectTo('forms', server)
  await client.command({ query: 'CREATE TABLE t (a UInt32, b String) ENGINE = MergeTree ORDER BY a' })
  const written = await client.command({ query: `INSERT INTO t VALUES (1, 'one;'), (2, 'two')` })
  expect(written.summary).toMatchObject({ written_rows: '2' })
  await client.command({ query: `INSERT INTO t SELECT 3, {b:String}`, query_params: { b: 'three' } })
  await client.command({ query: `INSERT INTO t (b, a) FORMAT JSONEachRow\n{"a":4,"b":"four"}` })
  await client.insert({ table: 't', columns: ['a'], values: [[5]], format: 'JSONCompactEachRow' })
  const gzipped = await fetch(`${server.url}/?database=forms&query=INSERT+INTO+t+FORMAT+CSV`, {
    method: 'POST',
    headers: { 'content-encoding': 'gzip' },
    body: gzipSync('6,"six"\n'),
  })
  expect(gzipped.status).toBe(200)
  expect((await rowsOf<{ b: string }>(client, 'SELECT b FROM t ORDER BY a')).map((row) => row.b)).toEqual([
    'one;',
    'two',
    'three',
    'four',
    '',
    'six',
  ])
})

test('rejects a body that is only partly gzip, as a server does', async () => {
  const rejected = await fetch(`${server.url}/?query=INSERT+INTO+t+FORMAT+CSV`, {
    method: 'POST',
    headers: { 'content-encoding': 'gzip' },
    body: Buffer.concat([gzipSync('1'), Buffer.from('not gzip')]),
  })
  expect(rejected.headers.get('x-clickhouse-exception-code')).toBe('354')
})

test('inserts nothing for a truncated request', async () => {
  const client = await connectTo('half', server)
  await client.command({ query: 'CREATE TABLE t (a UInt32) ENGINE = MergeTree ORDER BY a' })
  const abort = new AbortController()
  async function* body() {
    yield Buffer.from('{"a":1}\n{"a":2}\n')
    await sleep(200)
    abort.abort()
    await sleep(1000)
  }
  const truncated = fetch(`${server.url}/?database=half&query=INSERT+INTO+t+FORMAT+JSONEachRow`, {
    method: 'POST',
    body: body(),
    duplex: 'half',
    signal: abort.signal,
  } as RequestInit)
  await expect(truncated).rejects.toThrow()
  await sleep(300)
  expect(await rowsOf(client, 'SELECT count() AS n FROM t')).toEqual([{ n: 0 }])
})

const blockSettings = (token: string): ClickHouseSettings => ({
  async_insert: 0,
  insert_deduplication_token: token,
  deduplicate_blocks_in_dependent_materialized_views: 1,
})

async function createViews(client: ClickHouseClient): Promise<void> {
  const settings = 'SETTINGS non_replicated_deduplication_window = 1000, fsync_after_insert = 1'
  for (const query of [
    `CREATE TABLE raw (page String, day Date) ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY page ${settings}`,
    `CREATE TABLE by_page (page String, day Date, views UInt64) ENGINE = SummingMergeTree PARTITION BY toYYYYMM(day) ORDER BY (page, day) ${settings}`,
    'CREATE MATERIALIZED VIEW to_page TO by_page AS SELECT page, day, count() AS views FROM raw GROUP BY page, day',
  ])
    await client.command({ query })
}

const views = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ page: `/page/${i % 5000}`, day: '2026-03-04' }))

const countsOf = (client: ClickHouseClient) =>
  rowsOf(client, 'SELECT (SELECT count() FROM raw) AS raw, (SELECT sum(views) FROM by_page) AS rolled')

test('stores 500,000 rows as one part, and deduplicates them by token in the materialized view too', async () => {
  const client = await connectTo('tokens', server, { compression: { request: true, response: true } })
  await createViews(client)
  const insert = {
    table: 'raw',
    values: views(500_000),
    format: 'JSONEachRow',
    clickhouse_settings: blockSettings('a'),
  } as const
  expect((await client.insert(insert)).summary).toMatchObject({ written_rows: '505000' })
  expect(await countsOf(client)).toEqual([{ raw: 500_000, rolled: 500_000 }])
  const parts = `SELECT rows FROM system.parts WHERE database = 'tokens' AND table = 'raw' AND active`
  expect(await rowsOf(client, parts)).toEqual([{ rows: 500_000 }])
  await client.insert(insert)
  expect(await countsOf(client)).toEqual([{ raw: 500_000, rolled: 500_000 }])
  await client.insert({ ...insert, values: views(10_000), clickhouse_settings: blockSettings('b') })
  expect(await countsOf(client)).toEqual([{ raw: 510_000, rolled: 510_000 }])
})

test.each([[false], [true]])('returns a million rows, compressed: %s', async (compression) => {
  const client = await connectTo('many', server, { compression: { request: compression, response: compression } })
  const result = await client.query({
    query: 'SELECT number AS n, toString(number) AS text FROM numbers(1000000)',
    format: 'JSONEachRow',
  })
  expect(result.response_headers['content-encoding']).toBe(compression ? 'gzip' : undefined)
  let sum = 0
  for await (const rows of result.stream<{ n: number }>()) for (const row of rows) sum += row.json().n
  expect(sum).toBe(499_999_500_000)
})

test('has the system tables', async () => {
  const client = connect(server)
  expect(await rowsOf(client, 'SELECT name, free_space > 0 AS free FROM system.disks')).toEqual([
    { name: 'default', free: 1 },
  ])
  expect(
    await rowsOf(client, `SELECT name FROM system.tables WHERE database = 'system' AND name = 'parts'`),
  ).toHaveLength(1)
})

test('keeps data and deduplication tokens after SIGKILL', async () => {
  const data = join(directory, 'killed')
  let running = await start(data)
  let client = await connectTo('killed', running)
  await createViews(client)
  const insert = (token: string) =>
    client.insert({
      table: 'raw',
      values: views(10_000),
      format: 'JSONEachRow',
      clickhouse_settings: blockSettings(token),
    })

  for (let round = 1; round <= 3; round++) {
    await insert(`token ${round}`)
    const lost = insert(`lost ${round}`).catch(() => 'lost')
    await sleep(round * 20)
    await stop(running, 'SIGKILL')
    await lost
    running = await start(data)
    client = await connectTo('killed', running)
    await insert(`token ${round}`)
    await insert(`lost ${round}`)
    expect(await countsOf(client)).toEqual([{ raw: 20_000 * round, rolled: 20_000 * round }])
  }
  expect(await stop(running, 'SIGINT')).toBe(0)
})

test('stops within two seconds: completes a short query and kills a long one', async () => {
  const running = await start(join(directory, 'stopped'))
  const short = connect(running).command({ query: 'SELECT sleep(0.3)' })
  const long = connect(running).command({ query: 'SELECT count() FROM numbers(1e12) WHERE NOT ignore(number)' })
  const ended = Promise.all([expect(short).resolves.toBeDefined(), expect(long).rejects.toMatchObject({ code: '394' })])
  await sleep(100)
  const signaledAt = performance.now()
  expect(await stop(running, 'SIGTERM')).toBe(0)
  expect(performance.now() - signaledAt).toBeLessThan(2000)
  await ended
})

test.each([[[]], [['--port', 'http']], [['--what']], [['--chdb', '/nowhere', '--data', '/tmp/unused', '--port', '0']]])(
  'prints one line with the usage for %j',
  async (args) => {
    const child = spawn(process.execPath, [join(import.meta.dirname, 'server.ts'), ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let text = ''
    child.stderr.on('data', (chunk) => {
      text += chunk
    })
    const [code] = await once(child, 'close')
    expect(code).toBe(2)
    expect(text).toMatch(/^.*(Usage|npm install).*\n$/)
  },
)
