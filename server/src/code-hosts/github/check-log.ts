/** Why a check failed, from its own output: for people, and for an agent as untrusted material. */
import Type from 'typebox'
import type { Egress } from '../../platform/egress/egress.ts'
import type { HostCiCheck } from '../code-host.ts'
import { checkRunIdPrefix, undefinedIfForbidden } from './checks.ts'
import type { GithubApi } from './github-api.ts'
import { GithubAnnotation, GithubCheckRun } from './github-schemas.ts'

const maxCharacters = 20_000
const maxOutputCharacters = 8_000
const maxAnnotations = 50
/** A log is read completely, but only its end is kept. */
const logLimits = { idleTimeoutSeconds: 20, deadlineSeconds: 60, maxResponseBytes: 100_000_000 }

export async function readGithubCheckLog(api: GithubApi, egress: Egress, check: HostCiCheck): Promise<string | null> {
  if (!check.id.startsWith(checkRunIdPrefix)) return null // commit statuses have no log
  const id = check.id.slice(checkRunIdPrefix.length)
  const run = await undefinedIfForbidden(api.call('GET', `/check-runs/${id}`, GithubCheckRun))
  if (!run) return null
  const output = [run.output.title, run.output.summary, run.output.text].filter((part) => part).join('\n\n')
  const annotations = run.output.annotations_count > 0 ? await readAnnotations(api, id) : ''
  // For Actions, the id of the job is the id of the check run.
  const log = run.app?.slug === 'github-actions' ? await readJobLog(api, egress, id) : ''
  // Tokens are redacted before the text is truncated: half a token would not be recognized.
  const ownToken = await api.token()
  const clean = (text: string) => redactTokens(removeControlCharacters(text), ownToken)
  const summary = joinTexts([output, annotations].map((part) => clean(part).slice(0, maxOutputCharacters)))
  return joinTexts([summary, clean(log).slice(-(maxCharacters - summary.length - 2))]) || null
}

const joinTexts = (parts: readonly string[]) => parts.filter((part) => part !== '').join('\n\n')

async function readAnnotations(api: GithubApi, id: string): Promise<string> {
  const path = `/check-runs/${id}/annotations?per_page=${maxAnnotations}`
  const found = await undefinedIfForbidden(api.call('GET', path, Type.Array(GithubAnnotation)))
  const lines = (found ?? []).map(
    ({ path: file, start_line: line, annotation_level: level, message }) => `${file}:${line}: ${level}: ${message}`,
  )
  return lines.join('\n')
}

/**
 * GitHub redirects to another host with a URL that is valid for one minute. Our token is not sent there. The operator of a
 * "GitHub" server chooses that URL and can make us show its content in the log, so it must not reach internal hosts that the
 * operator of Colophon allowed for other purposes.
 */
async function readJobLog(api: GithubApi, egress: Egress, id: string): Promise<string> {
  const location = await api.readRedirect(`/actions/jobs/${id}/logs`)
  if (!location) return ''
  try {
    const response = await egress.fetch(location.url, { limits: logLimits, publicOnly: !location.isSameGithub })
    if (response.ok && response.body) return await readEnd(response.body)
    await response.body?.cancel()
  } catch {
    // The other host may not be reachable. The output of the check itself is still shown.
  }
  return ''
}

/** The last complete lines. */
async function readEnd(body: ReadableStream<Uint8Array>): Promise<string> {
  const maxBytes = 4 * maxCharacters
  let chunks: Uint8Array[] = []
  let keptBytes = 0
  let readBytes = 0
  for await (const chunk of body) {
    chunks.push(chunk)
    keptBytes += chunk.length
    readBytes += chunk.length
    if (keptBytes < 2 * maxBytes) continue
    // Not for every chunk: with tiny chunks, this would copy the whole end for every byte.
    chunks = [Buffer.concat(chunks).subarray(-maxBytes)]
    keptBytes = maxBytes
  }
  const end = Buffer.concat(chunks).subarray(-maxBytes).toString('utf8')
  return readBytes > maxBytes ? end.slice(end.indexOf('\n') + 1 || end.length) : end
}

const colorSequences = new RegExp(`${String.fromCharCode(0x1b)}\\[[0-9;]*[A-Za-z]`, 'g')

const removeControlCharacters = (text: string) =>
  text
    .replace(colorSequences, '')
    .replaceAll('\r\n', '\n')
    .replace(/[^\P{C}\n\t]/gu, '')
    .trim()

/** Redacts our token, and everything that looks like a GitHub token: a build may have printed one. */
const redactTokens = (text: string, ownToken: string) =>
  text.replaceAll(ownToken, '***').replace(/\b(gh[a-z]_|github_pat_)[\w.-]{20,}/g, '***')
