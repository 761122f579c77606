/** Serves Colophon's tools over stdio, like a program that an assistant starts. */
import { runStdioServer } from '../../mcp/src/stdio.ts'
import { createClient } from '../../sdk/src/index.ts'

const { COLOPHON_URL: baseUrl, COLOPHON_API_KEY: apiKey } = process.env
if (!baseUrl || !apiKey) {
  console.error('Set COLOPHON_URL to the URL of the instance, and COLOPHON_API_KEY to an API key.')
  process.exitCode = 2
} else {
  process.exitCode = await runStdioServer({ client: createClient({ baseUrl, apiKey, retry: false }), version: 'test' })
}
