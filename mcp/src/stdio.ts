/** Serves the tools over standard input and output, for assistants that start a program. */
import { once } from 'node:events'
import type { Readable, Writable } from 'node:stream'
import type { Client } from '@colophon/sdk'
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
import { createMcpServer } from './mcp-server.ts'

export interface StdioServerOptions {
  /** With an API key. */
  client: Client
  /** Of Colophon. */
  version: string
  stdin?: Readable
  /** Only messages of the protocol are written to it. */
  stdout?: Writable
  stderr?: Writable
}

/** Ends when the standard input does. Throws if the instance does not accept the key. */
export async function runStdioServer({
  client,
  version,
  stdin = process.stdin,
  stdout = process.stdout,
  stderr = process.stderr,
}: StdioServerOptions): Promise<void> {
  const report = (error: unknown) => stderr.write(`colophon mcp: ${error instanceof Error ? error.message : error}\n`)
  const key = await client.me()
  const hasEnded = once(stdin, 'end')
  const stopping = new AbortController()
  const handle = serveStdio(() => createMcpServer({ client, key }, { version, stopping: stopping.signal }), {
    transport: new StdioServerTransport(stdin, stdout),
    maxSubscriptions: 0, // nothing that it lists changes while a client is connected
    onerror: report,
  })
  await hasEnded
  stopping.abort()
  await handle.close()
}
