/** Reads requests from the log of the service: evidence that does not depend on the client. */
import { readFileSync, statSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

export interface LoggedRequest {
  method: string
  /** With parameters written as `{name}`. Undefined: no route matched. */
  path: string | undefined
  status: number
}

export interface LogExcerpt {
  requests: readonly LoggedRequest[]
  /** Lines of level `error` and above, and lines that are not log entries, such as a crash. */
  errors: readonly string[]
}

export const logEndOffset = (file: string): number => statSync(file).size

/** Reads everything after `offsetBytes`, an earlier end of the log. */
export async function readLogSince(file: string, offsetBytes: number): Promise<LogExcerpt> {
  await sleep(500) // the last lines may still be in a pipe
  const requests: LoggedRequest[] = []
  const errors: string[] = []
  for (const line of readFileSync(file).subarray(offsetBytes).toString().split('\n')) {
    if (line === '') continue
    const entry = parseLogEntry(line)
    if (entry === undefined || entry.level === 'error' || entry.level === 'fatal') errors.push(line)
    else if (entry.msg === 'request') {
      const path = entry.route?.replace(/:(\w+)/g, '{$1}')
      requests.push({ method: String(entry.method), path, status: Number(entry.status) })
    }
  }
  return { requests, errors }
}

interface LogEntry {
  level: string
  msg?: string
  method?: string
  route?: string
  status?: number
}

function parseLogEntry(line: string): LogEntry | undefined {
  try {
    return JSON.parse(line) as LogEntry
  } catch {
    return undefined
  }
}
