/** A result with active content: refused at first, then held and approved on the dashboard. */
import { formatFinalAgentReply, promptWithScript } from '../../testing/harness/scripted-model.ts'
import type { ProofRun } from '../proof.ts'
import type { Newcomer } from './newcomer.ts'
import type { PageToCheck } from './onboarding-page-checker.ts'

const page = '# Live\n\nSee the demo.\n\n<script src="https://demo.example.com/live.js"></script>\n'

export async function approveHeldResult({
  run,
  newcomer,
  projectPath,
  capture,
}: {
  run: ProofRun
  newcomer: Newcomer
  projectPath: string
  capture: (pages: readonly PageToCheck[]) => Promise<void>
}): Promise<void> {
  const refused = await createJob(newcomer, projectPath)
  await newcomer.see('docs/live.md')
  await newcomer.see(/Publishing rules/)
  await capture([{ name: 'job-refused', path: refused, heading: /./, act: (visitor) => visitor.see('docs/live.md') }])

  await newcomer.open(`${projectPath}/settings/repository`)
  await newcomer.page.getByRole('radio', { name: 'Hold it for approval' }).check()
  await newcomer.press('Save rules')
  await newcomer.see('Publishing rules saved.')

  const held = await createJob(newcomer, projectPath)
  await newcomer.follow('Review changes')
  await newcomer.see('Approval publishes exactly these changes.')
  const seeCard = (visitor: Newcomer) => visitor.see('Nothing has been pushed.')
  await capture([
    { name: 'job-awaiting-approval', path: held, heading: /./, act: seeCard },
    { name: 'job-changes-to-approve', path: `${held}?show=changes`, heading: /./, act: seeCard },
  ])
  await newcomer.press('Approve and publish')
  await newcomer.see(/^#\d+ open$/)
  const text = (await newcomer.page.getByRole('main').textContent()) ?? ''
  run.check(!text.includes('Awaiting approval'), 'an approved result is published, and no longer awaits approval')
  run.log('active content refused, then held and approved on the dashboard')
}

/** Returns the path of the job's page when the job has ended. */
async function createJob(newcomer: Newcomer, projectPath: string): Promise<string> {
  await newcomer.open(`${projectPath}/jobs/new`)
  const prompt = promptWithScript('Embed the live demo.', [
    { call: [{ tool: 'write', arguments: { path: 'docs/live.md', content: page } }] },
    { say: formatFinalAgentReply('Embed the live demo', 'Adds a page with the demo.') },
  ])
  await newcomer.fill('What should the agent do?', prompt)
  await newcomer.press('Create job')
  await newcomer.page.waitForURL(/\/jobs\/job_/)
  await newcomer.page
    .getByText(/^(?:Failed|Awaiting approval)$/)
    .first()
    .waitFor({ timeout: 120_000 })
  return new URL(newcomer.page.url()).pathname
}
