/** Keeps from logs what helps to find a fault and identifies nobody. */
import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { processNames } from '../../platform/log.ts'
import { maskText, stackFrames } from './mask-text.ts'

const maxLines = 5_000
const maxLineCharacters = 100_000

/** Fields whose text comes from our code, or from a closed list. */
const closedFields = new Set([
  'level',
  'time',
  'process',
  'method',
  'route',
  'code',
  'component',
  'status',
  'service',
  'migration',
  'warning',
  'step',
  'signal',
])
const closedValue = /^[\w.:/@{}*+-]{1,120}$/

/** Fields with sentences. */
const maskedFields = new Set(['msg', 'reason'])

const knownProcesses: ReadonlySet<unknown> = new Set(processNames)

/** IDs are random. With them, lines about the same job can be recognized. */
const idPattern = /^[a-z]{3}_[0-9a-z]{26}$/

export interface LogSummary {
  /** The newest ones, oldest first. */
  lines: Record<string, unknown>[]
  /** Older ones that were left out. */
  omittedLines: number
  /** Lines that are not from a process of Colophon. */
  foreignLines: number
}

/** `path`: `-` is the standard input. */
export async function readLog(path: string): Promise<LogSummary> {
  const input = path === '-' ? process.stdin : createReadStream(path)
  const summary: LogSummary = { lines: [], omittedLines: 0, foreignLines: 0 }
  for await (const text of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    const line = describeLogLine(text)
    if (line) summary.lines.push(line)
    else summary.foreignLines++
    if (summary.lines.length > 2 * maxLines) dropOldest(summary)
  }
  dropOldest(summary)
  return summary
}

function dropOldest(summary: LogSummary): void {
  const dropped = summary.lines.splice(0, Math.max(0, summary.lines.length - maxLines))
  summary.omittedLines += dropped.length
}

/** Undefined: not a line of ours. Container runtimes can write a prefix before the JSON. */
export function describeLogLine(text: string): Record<string, unknown> | undefined {
  if (text.length > maxLineCharacters) return undefined
  const start = text.indexOf('{')
  const fields = start === -1 ? undefined : parseObject(text.slice(start))
  if (!fields || !knownProcesses.has(fields.process)) return undefined
  const described: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(fields)) {
    if (maskedFields.has(name)) described[name] = maskText(String(value))
    else if (name === 'error') Object.assign(described, describeError(String(value)))
    else if (isKept(name, value)) described[name] = value
  }
  return described
}

function isKept(name: string, value: unknown): boolean {
  if (typeof value === 'number' || typeof value === 'boolean') return true
  if (typeof value !== 'string') return false
  return idPattern.test(value) || (closedFields.has(name) && closedValue.test(value))
}

function describeError(error: string) {
  const [message = ''] = error.split('\n')
  const frames = stackFrames(error)
  return frames.length > 0 ? { error: maskText(message), stack: frames } : { error: maskText(message) }
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}
