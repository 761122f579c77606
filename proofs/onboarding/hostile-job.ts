/** A job whose texts are all hostile markup: none of it may run, load resources or create unsafe links. */

import { formatFinalAgentReply, promptWithScript } from '../../testing/harness/scripted-model.ts'
import type { ProofRun } from '../proof.ts'
import type { MonitoredTab } from './monitored-tab.ts'
import type { Newcomer } from './newcomer.ts'

const hostileText = [
  'Look: <img src="https://evil.example/a.png" onerror="alert(1)"><script>alert(2)</script>',
  '![picture](https://evil.example/b.png) [link](javascript:alert(3)) [other](data:text/html,<script>alert(4)</script>)',
  '<iframe src="https://evil.example"></iframe>',
].join('\n\n')

/** Returns the path of the job's page. */
export async function runHostileJob({
  run,
  newcomer,
  tab,
  projectPath,
}: {
  run: ProofRun
  newcomer: Newcomer
  tab: MonitoredTab
  projectPath: string
}): Promise<string> {
  const page = `# Install\n\n<b>Bold</b> words.\n`
  await newcomer.open(`${projectPath}/jobs/new`)
  const prompt = promptWithScript(`Fix the page. ${hostileText}`, [
    {
      say: hostileText,
      call: [{ tool: 'bash', arguments: { command: 'ls docs && echo "<script>alert(5)</script>"' } }],
    },
    { call: [{ tool: 'write', arguments: { path: 'docs/install.md', content: page } }] },
    { say: `${hostileText}\n\n${formatFinalAgentReply('Explain how to install', hostileText)}` },
  ])
  await newcomer.fill('What should the agent do?', prompt)
  await newcomer.press('Create job')
  await newcomer.page.waitForURL(/\/jobs\/job_/)
  await newcomer.page
    .getByText(/Pull request/i)
    .first()
    .waitFor()
  await newcomer.page.getByText('docs/install.md').first().waitFor({ timeout: 120_000 })
  await newcomer.page.waitForLoadState('networkidle')
  const activeContent: { images: string[]; frames: number; links: string[] } =
    await newcomer.page.evaluate(findActiveContent)
  run.check(
    activeContent.images.length === 0 && activeContent.frames === 0,
    `the page has no images or frames from the text, found ${activeContent.images}, ${activeContent.frames} frames`,
  )
  run.check(activeContent.links.length === 0, `the page has no links with unsafe schemes, found ${activeContent.links}`)
  run.check(!tab.browserErrors.some((text) => text.includes('dialog')), 'no script from the text runs')
  run.log('hostile markup shown as text')
  return new URL(newcomer.page.url()).pathname
}

/** Runs in the page. */
const findActiveContent = `({
  images: [...document.images].map(({ src }) => src).filter((src) => src.includes('evil')),
  frames: document.querySelectorAll('iframe').length,
  links: [...document.links].map(({ href }) => href).filter((href) => !/^(https?:|mailto:)/.test(href)),
})`
