/** Parses a line of an access log, in one of the formats of this folder. Never returns an IP address. */
import { readAkamaiEntry } from './akamai.ts'
import { readAzureEntry } from './azure.ts'
import { readCaddyEntry } from './caddy.ts'
import { readCloudflareEntry } from './cloudflare.ts'
import { createCloudfrontReader, readCloudfrontEntry } from './cloudfront.ts'
import { readCombinedLine } from './combined.ts'
import { readGoogleCloudEntry } from './google-cloud.ts'
import { readJsonRequest } from './json.ts'
import { parseJson } from './log-fields.ts'
import type { LogFormat } from './log-format.ts'
import type { JsonEntry, ParsedLine, ReadJsonEntry } from './logged-request.ts'
import { readNetlifyEntry } from './netlify.ts'
import { readTraefikEntry } from './traefik.ts'
import { readVercelEntry } from './vercel.ts'

export type { LoggedRequest, ParsedLine } from './logged-request.ts'

/** At most one of them recognizes an entry: each requires fields that the others do not have. */
const jsonFormats = {
  json: readJsonRequest,
  caddy: readCaddyEntry,
  traefik: readTraefikEntry,
  cloudfront: readCloudfrontEntry,
  cloudflare: readCloudflareEntry,
  'google-cloud': readGoogleCloudEntry,
  azure: readAzureEntry,
  akamai: readAkamaiEntry,
  vercel: readVercelEntry,
  netlify: readNetlifyEntry,
} satisfies Record<string, ReadJsonEntry>

const combinedFormats = ['nginx', 'apache', 'fastly', 'traefik'] as const

export interface LogLineOptions {
  /** Undefined: detected for each line. */
  format?: LogFormat | undefined
  /** Requests for other hosts are ignored. Lines without a host cannot be read then. */
  host?: string | undefined
}

export type ParseLogLine = (line: string) => ParsedLine

/** Of real requests, with every header that a CDN can log. */
const maxLineCharacters = 256 * 1024

/** For one file, because the header of a file can name its fields. */
export function createLogLineParser({ format, host }: LogLineOptions = {}): ParseLogLine {
  const readers = jsonReadersOf(format)
  const readCloudfrontLine = createCloudfrontReader()
  const expectedHost = host?.toLowerCase()
  const readText = (line: string): ParsedLine => {
    const cloudfront = format === undefined || format === 'cloudfront' ? readCloudfrontLine(line) : undefined
    return cloudfront ?? (isCombined(format) ? readCombinedLine(line) : undefined)
  }
  const readLine = (line: string): ParsedLine => {
    if (line.length > maxLineCharacters) return undefined
    if (!line.startsWith('{')) return readText(line)
    const entry = parseJson(line)
    if (typeof entry !== 'object' || entry === null) return undefined
    const parsed = readEntry(entry as JsonEntry, readers)
    const wrapped = findWrappedLine(entry as JsonEntry)
    return parsed ?? (wrapped === undefined ? undefined : readLine(wrapped))
  }
  return (line) => {
    const parsed = readLine(line)
    if (expectedHost === undefined || typeof parsed !== 'object' || parsed.host === expectedHost) return parsed
    return parsed.host === undefined ? undefined : 'ignored'
  }
}

/** Those of nginx and Fastly are configured as docs/views.md shows. In 0.1.0, nginx wrote the JSON of Caddy. */
function jsonReadersOf(format: LogFormat | undefined): readonly ReadJsonEntry[] {
  if (format === undefined) return Object.values(jsonFormats)
  if (format === 'nginx') return [readJsonRequest, readCaddyEntry]
  if (format === 'fastly') return [readJsonRequest]
  return format in jsonFormats ? [jsonFormats[format as keyof typeof jsonFormats]] : []
}

const isCombined = (format: LogFormat | undefined) =>
  format === undefined || (combinedFormats as readonly string[]).includes(format)

function readEntry(entry: JsonEntry, readers: readonly ReadJsonEntry[]): ParsedLine {
  for (const read of readers) {
    const parsed = read(entry)
    if (parsed !== undefined) return parsed
  }
  return undefined
}

/** Fluent Bit and Vector wrap the lines of files that they forward. A wrapped line is shorter, so this ends. */
function findWrappedLine({ log, message }: JsonEntry): string | undefined {
  const line = log ?? message
  return typeof line === 'string' ? line.trim() : undefined
}
