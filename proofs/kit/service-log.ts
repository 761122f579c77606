/** The requests as the service itself logged them: evidence that does not rest on the client's word. */
import { readFileSync, statSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

export interface LoggedRequest {
  method: string
  /** With parameters as `{name}`; undefined where no route was found. */
  path: string | undefined
  status: number
}

export interface LogPart {
  requests: readonly LoggedRequest[]
  /** Lines of level `error` and above, and what is no log line at all, like a crash. */
  errors: readonly string[]
}

export const endOfLog = (file: string): number => statSync(file).size

/** What was logged after `offsetBytes`, an earlier end of the log. */
export async function loggedSince(file: string, offsetBytes: number): Promise<LogPart> {
  await sleep(500) // the last lines are on their way through a pipe
  const requests: LoggedRequest[] = []
  const errors: string[] = []
  for (const line of readFileSync(file).subarray(offsetBytes).toString().split('\n')) {
    if (line === '') continue
    const entry = asLogEntry(line)
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

function asLogEntry(line: string): LogEntry | undefined {
  try {
    return JSON.parse(line) as LogEntry
  } catch {
    return undefined
  }
}
