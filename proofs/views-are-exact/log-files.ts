/** Access logs in the formats of nginx, Apache and Caddy. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type ExpectedView, summarizeOutcomes, type ViewsProject } from './deliveries.ts'
import { type GeneratedRequest, generateRequest } from './generated-requests.ts'
import { pick } from './site-pages.ts'
import type { ReportableTimeSpan } from './view-times.ts'

type Random = () => number

const logFormats = ['nginx', 'apache', 'caddy'] as const
export type LogFormat = (typeof logFormats)[number]

export interface LogFile {
  project: ViewsProject
  format: LogFormat
  file: string
  events: number
  expectedViews: readonly ExpectedView[]
  /** Writes the rest: the first import reads an incomplete file, cut in the middle of a line. */
  finish(): void
}

/** Writes the first part of the file. */
export function writeLogFile(
  project: ViewsProject,
  span: ReportableTimeSpan,
  { lines, number, directory }: { lines: number; number: number; directory: string },
  random: Random,
): LogFile {
  const format = logFormats[number % logFormats.length] ?? 'nginx'
  const isCaddy = format === 'caddy'
  const capabilities = {
    accept: isCaddy,
    prefetch: false,
    unitMs: isCaddy ? 1 : 1000,
    acceptsOld: true,
    receipts: false,
  } as const
  const requests = Array.from({ length: lines }, () => generateRequest(project, span, capabilities, random))
  const text = requests.map((request) => {
    const line = isCaddy ? caddyLine(request) : combinedLine(request, format, random)
    return random() < 0.001 ? `${strayLine(format)}\n${line}` : line
  })
  const file = join(directory, `access-${number}.log`)
  const contents = `${text.join('\n')}\n`
  writeFileSync(file, contents.slice(0, Math.floor(contents.length * random())))
  return {
    project,
    format,
    file,
    events: lines,
    expectedViews: summarizeOutcomes(requests).expectedViews,
    finish: () => writeFileSync(file, contents),
  }
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const offsets = [
  ['+0000', 0],
  ['+0200', 120],
  ['-0330', -210],
] as const

/** The "combined" format, in the server's local time. */
function combinedLine(
  { target, userAgent, method, status, atMs = 0 }: GeneratedRequest,
  format: 'nginx' | 'apache',
  random: Random,
): string {
  const [offset, minutes] = pick(offsets, random)
  const [date = '', time = ''] = new Date(atMs + minutes * 60_000).toISOString().slice(0, 19).split('T')
  const [year, month, day] = date.split('-')
  const at = `${day}/${months[Number(month) - 1]}/${year}:${time} ${offset}`
  const escapeText = format === 'nginx' ? escapeForNginx : escapeForApache
  const request = escapeText(`${method} ${withoutFragment(target)} HTTP/1.1`)
  return `203.0.113.7 - - [${at}] "${request}" ${status} 5120 "https://example.com/" "${escapeText(userAgent) || '-'}"`
}

function caddyLine({ target, userAgent, accept, method, status, atMs = 0 }: GeneratedRequest): string {
  const headers = { 'User-Agent': [userAgent], ...(accept !== '' && { Accept: [accept] }) }
  const request = {
    remote_ip: '203.0.113.7',
    proto: 'HTTP/2.0',
    method,
    host: 'docs.example.com',
    uri: withoutFragment(target),
    headers,
  }
  const line = { level: 'info', ts: atMs / 1000, logger: 'http.log.access', msg: 'handled request', request }
  return JSON.stringify({ ...line, duration: 0.0009, size: 5120, status })
}

/** Browsers do not send the fragment. */
const withoutFragment = (target: string) => target.replace(/#.*$/, '')

const hex = (byte: number) => byte.toString(16).padStart(2, '0')
const escapeBytes = (text: string, escapeByte: (byte: number) => string | undefined) =>
  [...Buffer.from(text)].map((byte) => escapeByte(byte) ?? String.fromCharCode(byte)).join('')
const escapeForNginx = (text: string) =>
  escapeBytes(text, (byte) =>
    byte < 0x20 || byte > 0x7e || byte === 0x22 || byte === 0x5c ? `\\x${hex(byte).toUpperCase()}` : undefined,
  )
const escapeForApache = (text: string) =>
  escapeBytes(text, (byte) => {
    if (byte === 0x22 || byte === 0x5c) return `\\${String.fromCharCode(byte)}`
    return byte < 0x20 || byte > 0x7e ? `\\x${hex(byte)}` : undefined
  })

/** Lines that occur in every real log: TLS to a plain HTTP port, an aborted response. */
const strayLine = (format: LogFormat) =>
  format === 'caddy'
    ? '{"level":"error","ts":1700000000.5,"logger":"http.handlers.reverse_proxy","msg":"aborting with incomplete response"}'
    : '203.0.113.9 - - [01/Nov/2026:00:00:00 +0000] "\\x16\\x03\\x01\\x02" 400 157 "-" "-"'
