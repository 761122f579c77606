/** Serves one HTTP request, without sessions: every request has its own server, and brings its own API key. */
import { createMcpHandler } from '@modelcontextprotocol/server'
import { createMcpServer, type McpCaller, type McpServerOptions } from './mcp-server.ts'

export interface McpHttpOptions extends McpServerOptions {
  /** Called with what the protocol rejects, and with errors of tools. */
  onError(error: Error): void
}

/** `request` has the headers and the signal; `body` is its parsed body. Clients of 2025 and of later versions are served. */
export const respondToMcpRequest = (
  request: Request,
  body: unknown,
  caller: McpCaller,
  { onError, ...options }: McpHttpOptions,
): Promise<Response> =>
  createMcpHandler(() => createMcpServer(caller, options), {
    onerror: onError,
    maxSubscriptions: 0, // nothing that it lists changes while a client is connected
  }).fetch(request, { parsedBody: body })
