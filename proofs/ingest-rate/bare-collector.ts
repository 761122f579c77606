/**
 * The least that a server can do for a beacon that must not be lost or counted twice: parse it, insert it with a unique ID, and respond
 * after the commit. As many as arrive during one commit share the next one. No sites, no limits, no classification, no ClickHouse.
 */
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import pg from 'pg'

interface Beacon {
  id: string
  key: string
  path: string
}

const client = new pg.Client({ connectionString: process.env.DATABASE_URL })
await client.connect()
await client.query(
  'CREATE TABLE bare_beacon (id text PRIMARY KEY, site_key text, path text, at timestamptz DEFAULT now())',
)

let waiting: { beacon: Beacon; response: ServerResponse }[] = []
let isWriting = false

async function write(): Promise<void> {
  if (isWriting) return
  isWriting = true
  while (waiting.length > 0) {
    const group = waiting
    waiting = []
    await client.query(
      `INSERT INTO bare_beacon (id, site_key, path) SELECT * FROM unnest($1::text[], $2::text[], $3::text[])
       ON CONFLICT DO NOTHING`,
      [
        group.map(({ beacon }) => beacon.id),
        group.map(({ beacon }) => beacon.key),
        group.map(({ beacon }) => beacon.path),
      ],
    )
    for (const { response } of group) response.writeHead(204).end()
  }
  isWriting = false
}

const server = createServer(async (request, response) => {
  waiting.push({ beacon: (await json(request)) as Beacon, response })
  void write()
})
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port))
