import { type DestinationStream, type Logger, pino } from 'pino'
import type { LogConfig } from './config.ts'
import { currentTraceId } from './tracing/spans.ts'

export type Log = Logger

/** The commands of colophon-server. Every line of a log names the one that wrote it. */
export const processNames = [
  'serve',
  'api',
  'worker',
  'runner',
  'migrate',
  'upgrade',
  'compose-setup',
  'import-logs',
  'support',
  'backup',
  'restore',
  'reset-after-recovery',
  'admin',
] as const
export type ProcessName = (typeof processNames)[number]

/**
 * Structured logs, one JSON object per line. Secrets are redacted from the finished line, wherever they are in it: a
 * list of known fields would miss the connection string in a driver's error message.
 */
export function createLog(process: ProcessName | 'test', config: LogConfig, destination?: DestinationStream): Log {
  const options = {
    level: config.level,
    base: { process },
    mixin: () => {
      const traceId = currentTraceId()
      return traceId === undefined ? {} : { traceId }
    },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    hooks: { streamWrite: redactSecrets },
  }
  return destination ? pino(options, destination) : pino(options)
}

// Each pattern is linear, because its quantifiers are bounded: otherwise a long URL from an attacker would block the
// process for a second.
const secretPatterns: readonly [pattern: RegExp, replacement: string][] = [
  // Our keys and tokens, also truncated ones. Names of settings have only capital letters, and a person has to read them.
  [/\b(?-i:(?!COLOPHON(?:_[A-Z]{1,30}){1,12}\b))colophon(?:_|%5f)[a-z0-9_]{12,}/gi, 'colophon_[redacted]'],
  [/(\w:\/\/[^\s:/@"\\]{0,256}):[^\s"\\]{1,256}@/g, '$1:[redacted]@'], // the password in a URL
  [/(\w:\/\/)[^\s:/@"\\]{8,256}@/g, '$1[redacted]@'], // a token instead of user and password
  [/\b(password|secret|token)(=|%3d)[^\s&"\\]{1,256}/gi, '$1$2[redacted]'],
  [/\bAGE-SECRET-KEY-[0-9A-Z-]{8,}/gi, 'AGE-SECRET-KEY-[redacted]'], // opens backups
  [/\b(bearer|basic)\s+[a-z0-9+/_.~=-]{8,}/gi, '$1 [redacted]'],
]

export function redactSecrets(line: string): string {
  return secretPatterns.reduce((text, [pattern, replacement]) => text.replace(pattern, replacement), line)
}
