/** Why a check failed, in what it said itself: for people, and for an agent as material that it is not to obey. */
import Type from 'typebox'
import type { Egress } from '../../platform/egress/egress.ts'
import type { HostCheck } from '../code-host.ts'
import { ifPermitted, runPrefix } from './checks.ts'
import { GithubAnnotation, GithubCheckRun } from './github-answers.ts'
import type { GithubApi } from './github-api.ts'

const maxCharacters = 20_000
const maxOutputCharacters = 8_000
const maxAnnotations = 50
/** Logs are read to their end, and only that is kept. */
const logLimits = { silenceSeconds: 20, deadlineSeconds: 60, maxResponseBytes: 100_000_000 }

export async function readGithubCheckLog(api: GithubApi, egress: Egress, check: HostCheck): Promise<string | null> {
  if (!check.id.startsWith(runPrefix)) return null // statuses have none
  const id = check.id.slice(runPrefix.length)
  const run = await ifPermitted(api.call('GET', `/check-runs/${id}`, GithubCheckRun))
  if (!run) return null
  const output = [run.output.title, run.output.summary, run.output.text].filter((part) => part).join('\n\n')
  const annotations = run.output.annotations_count > 0 ? await readAnnotations(api, id) : ''
  // The job of an Actions run has the number of its check.
  const log = run.app?.slug === 'github-actions' ? await readJobLog(api, egress, id) : ''
  // Before anything is cut: half a token is not known as one.
  const ours = await api.token()
  const clean = (text: string) => withoutTokens(harmless(text), ours)
  const said = joined([output, annotations].map((part) => clean(part).slice(0, maxOutputCharacters)))
  return joined([said, clean(log).slice(-(maxCharacters - said.length - 2))]) || null
}

const joined = (parts: readonly string[]) => parts.filter((part) => part !== '').join('\n\n')

async function readAnnotations(api: GithubApi, id: string): Promise<string> {
  const path = `/check-runs/${id}/annotations?per_page=${maxAnnotations}`
  const found = await ifPermitted(api.call('GET', path, Type.Array(GithubAnnotation)))
  const lines = (found ?? []).map(
    ({ path: file, start_line: line, annotation_level: level, message }) => `${file}:${line}: ${level}: ${message}`,
  )
  return lines.join('\n')
}

/**
 * GitHub sends us elsewhere for it, with an address that is good for a minute: our token stays here. Whoever runs a
 * "GitHub" chooses that address, and reads the log: it does not lead to what an operator allowed for others.
 */
async function readJobLog(api: GithubApi, egress: Egress, id: string): Promise<string> {
  const location = await api.locate(`/actions/jobs/${id}/logs`)
  if (!location) return ''
  try {
    const response = await egress.fetch(location.url, { limits: logLimits, isPublicOnly: !location.isSameGithub })
    if (response.ok && response.body) return await endOf(response.body)
    await response.body?.cancel()
  } catch {
    // What is elsewhere may not be reachable from here; what the check said of itself is.
  }
  return ''
}

/** Whole lines. */
async function endOf(body: ReadableStream<Uint8Array>): Promise<string> {
  const maxBytes = 4 * maxCharacters
  let chunks: Uint8Array[] = []
  let keptBytes = 0
  let readBytes = 0
  for await (const chunk of body) {
    chunks.push(chunk)
    keptBytes += chunk.length
    readBytes += chunk.length
    if (keptBytes < 2 * maxBytes) continue
    // Not for each chunk: of tiny ones, that would copy the whole end for every byte.
    chunks = [Buffer.concat(chunks).subarray(-maxBytes)]
    keptBytes = maxBytes
  }
  const end = Buffer.concat(chunks).subarray(-maxBytes).toString('utf8')
  return readBytes > maxBytes ? end.slice(end.indexOf('\n') + 1 || end.length) : end
}

const colours = new RegExp(`${String.fromCharCode(0x1b)}\\[[0-9;]*[A-Za-z]`, 'g')

const harmless = (text: string) =>
  text
    .replace(colours, '')
    .replaceAll('\r\n', '\n')
    .replace(/[^\P{C}\n\t]/gu, '')
    .trim()

/** Ours, and whatever else looks like GitHub's: a build may have printed one. */
const withoutTokens = (text: string, ours: string) =>
  text.replaceAll(ours, '***').replace(/\b(gh[a-z]_|github_pat_)[\w.-]{20,}/g, '***')
