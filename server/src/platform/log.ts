import { type DestinationStream, type Logger, pino } from 'pino'
import type { LogConfig } from './config.ts'

export type Log = Logger

/**
 * Structured logs, one JSON object per line. Secrets are struck out of the finished line, wherever they stand in it: a
 * list of known fields would miss the connection string in a driver's error message.
 */
export function createLog(process: string, config: LogConfig, destination?: DestinationStream): Log {
  const options = {
    level: config.level,
    base: { process },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    hooks: { streamWrite: strikeSecrets },
  }
  return destination ? pino(options, destination) : pino(options)
}

const secrets: readonly [pattern: RegExp, replacement: string][] = [
  [/\bcolophon_[A-Za-z0-9_]{12,}/g, 'colophon_[struck out]'], // our keys and runner tokens, also a part of one
  [/(\w:\/\/[^\s:/@"\\]*):[^\s@"\\]+@/g, '$1:[struck out]@'], // the password in a URL
  [/\b(bearer|basic)\s+[A-Za-z0-9+/_.~=-]{8,}/gi, '$1 [struck out]'],
]

export function strikeSecrets(line: string): string {
  return secrets.reduce((text, [pattern, replacement]) => text.replace(pattern, replacement), line)
}
