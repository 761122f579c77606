/** The GitHub Action. */
import { randomUUID } from 'node:crypto'
import { appendFileSync, readFileSync } from 'node:fs'
import { readPush } from './read-push.ts'
import { formatSummary, updateDocs } from './update-docs.ts'

const environment = process.env

async function main(): Promise<void> {
  const event = JSON.parse(readFileSync(required('GITHUB_EVENT_PATH'), 'utf8')) as { before?: string }
  const after = required('GITHUB_SHA')
  const push = await readPush({
    repository: required('GITHUB_REPOSITORY'),
    ref: required('GITHUB_REF'),
    before: event.before ?? '',
    after,
  })
  const projectId = input('project-id')
  const topic = input('topic')
  const result = await updateDocs(
    {
      url: input('url'),
      projectId,
      topic,
      instructions: input('instructions', ''),
      waitMinutes: parseMinutes(input('wait-minutes', '0')),
    },
    {
      push,
      requestIdToken,
      mask: (secret) => process.stdout.write(`::add-mask::${secret}\n`),
      log: (line) => process.stdout.write(`${line.replace(/[\r\n]/g, ' ')}\n`),
      idempotencyKey: `github-${required('GITHUB_RUN_ID')}-${required('GITHUB_RUN_ATTEMPT')}`,
    },
  )
  appendFileSync(required('GITHUB_STEP_SUMMARY'), formatSummary(result))
  setOutput('skipped', String(result.kind === 'skipped'))
  if (result.kind === 'skipped') return
  const { job, jobUrl, hasEnded } = result
  setOutput('job-id', job.id)
  setOutput('job-url', jobUrl)
  setOutput('outcome', job.outcome ?? '')
  setOutput('pull-request-url', job.prLink ?? '')
  if (hasEnded && job.outcome === 'error') throw new Error(`The job failed: ${job.error?.message ?? jobUrl}`)
}

async function requestIdToken(audience: string): Promise<string> {
  const url = environment.ACTIONS_ID_TOKEN_REQUEST_URL
  const token = environment.ACTIONS_ID_TOKEN_REQUEST_TOKEN
  if (!url || !token)
    throw new Error('GitHub offers no ID token. Add `permissions: { contents: read, id-token: write }` to the job.')
  const request = new URL(url)
  request.searchParams.set('audience', audience)
  const response = await fetch(request, {
    headers: { authorization: `Bearer ${token}` },
    signal: AbortSignal.timeout(30_000),
  })
  if (!response.ok) throw new Error(`GitHub gave no ID token: status ${response.status}.`)
  return ((await response.json()) as { value: string }).value
}

function required(name: string): string {
  const value = environment[name]
  if (value === undefined) throw new Error(`${name} is not set. Run this as a GitHub Action.`)
  return value
}

/** GitHub passes the input `project-id` as INPUT_PROJECT-ID. */
function input(name: string, fallback?: string): string {
  const value = environment[`INPUT_${name.toUpperCase()}`]?.trim() || fallback
  if (value === undefined) throw new Error(`The input ${name} is missing.`)
  return value
}

function parseMinutes(text: string): number {
  if (!/^\d{1,4}$/.test(text)) throw new Error(`wait-minutes must be a whole number of minutes, not "${text}".`)
  return Number(text)
}

/** With a delimiter that a value cannot contain by accident. */
function setOutput(name: string, value: string): void {
  const delimiter = `end-${randomUUID()}`
  appendFileSync(required('GITHUB_OUTPUT'), `${name}<<${delimiter}\n${value}\n${delimiter}\n`)
}

main().catch((error: unknown) => {
  const message = (error instanceof Error ? error.message : String(error))
    .replaceAll('%', '%25')
    .replaceAll('\r', '%0D')
    .replaceAll('\n', '%0A')
  process.stdout.write(`::error::${message}\n`)
  process.exitCode = 1
})
