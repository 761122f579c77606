/** The script of the GitLab CI/CD component. */
import { writeFileSync } from 'node:fs'
import { readPush } from './read-push.ts'
import { formatSummary, updateDocs } from './update-docs.ts'

const environment = process.env

async function main(): Promise<void> {
  const push = await readPush({
    repository: required('CI_PROJECT_PATH'),
    ref: `refs/heads/${required('CI_COMMIT_BRANCH')}`,
    before: environment.CI_COMMIT_BEFORE_SHA ?? '',
    after: required('CI_COMMIT_SHA'),
  })
  // GitLab gives each job one token of a name, and it can be exchanged once.
  let idToken: string | undefined = required('COLOPHON_ID_TOKEN')
  const result = await updateDocs(
    {
      url: required('COLOPHON_URL'),
      projectId: required('COLOPHON_PROJECT_ID'),
      topic: required('COLOPHON_TOPIC'),
      instructions: environment.COLOPHON_INSTRUCTIONS ?? '',
      waitMinutes: Number(environment.COLOPHON_WAIT_MINUTES || '0'),
    },
    {
      push,
      async requestIdToken() {
        const token = idToken
        idToken = undefined
        return token
      },
      mask: () => {}, // nothing that this script writes contains a secret
      log: (line) => process.stdout.write(`${line}\n`),
      idempotencyKey: `gitlab-${required('CI_JOB_ID')}`,
    },
  )
  const summary = formatSummary(result)
  writeFileSync('colophon-summary.md', summary)
  if (result.kind === 'skipped') {
    process.stdout.write(`${result.reason}\n`)
    return
  }
  const { job, jobUrl, hasEnded } = result
  writeFileSync(
    'colophon.env',
    `COLOPHON_JOB_ID=${job.id}\nCOLOPHON_JOB_URL=${jobUrl}\nCOLOPHON_PULL_REQUEST_URL=${job.prLink ?? ''}\n`,
  )
  process.stdout.write(`Status: ${job.status}${job.prLink === null ? '' : `, ${job.prLink}`}\n`)
  if (hasEnded && job.outcome === 'error') throw new Error(`The job failed: ${job.error?.message ?? jobUrl}`)
}

function required(name: string): string {
  const value = environment[name]
  if (!value) throw new Error(`${name} is not set. See the inputs of the component.`)
  return value
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
})
