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

// Each is linear: what it may run over has a bound, or a stranger's long address would cost a second of everybody's time.
const secrets: readonly [pattern: RegExp, replacement: string][] = [
  [/\bcolophon(?:_|%5f)[a-z0-9_]{12,}/gi, 'colophon_[struck out]'], // our keys and tokens, also a part of one
  [/(\w:\/\/[^\s:/@"\\]{0,256}):[^\s"\\]{1,256}@/g, '$1:[struck out]@'], // the password in a URL
  [/(\w:\/\/)[^\s:/@"\\]{8,256}@/g, '$1[struck out]@'], // a token in its place
  [/\b(password|secret|token)(=|%3d)[^\s&"\\]{1,256}/gi, '$1$2[struck out]'],
  [/\b(bearer|basic)\s+[a-z0-9+/_.~=-]{8,}/gi, '$1 [struck out]'],
]

export function strikeSecrets(line: string): string {
  return secrets.reduce((text, [pattern, replacement]) => text.replace(pattern, replacement), line)
}
