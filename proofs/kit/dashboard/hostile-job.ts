/** A job whose every text wants to be more than text: nothing of it may run, be loaded, or lead anywhere odd. */
import type { ProofRun } from '../../proof.ts'
import { closing, played } from '../agents/agent-service.ts'
import type { Newcomer } from './newcomer.ts'
import type { WatchedTab } from './watched-browser.ts'

const hostileText = [
  'Look: <img src="https://evil.example/a.png" onerror="alert(1)"><script>alert(2)</script>',
  '![picture](https://evil.example/b.png) [link](javascript:alert(3)) [other](data:text/html,<script>alert(4)</script>)',
  '<iframe src="https://evil.example"></iframe>',
].join('\n\n')

/** Returns the address of its page. */
export async function hostileJob({
  run,
  newcomer,
  tab,
  projectPath,
}: {
  run: ProofRun
  newcomer: Newcomer
  tab: WatchedTab
  projectPath: string
}): Promise<string> {
  const page = `# Install\n\n<b>Bold</b> words.\n`
  await newcomer.open(`${projectPath}/jobs/new`)
  const prompt = played(`Mend the page. ${hostileText}`, [
    {
      say: hostileText,
      call: [{ tool: 'bash', arguments: { command: 'ls docs && echo "<script>alert(5)</script>"' } }],
    },
    { call: [{ tool: 'write', arguments: { path: 'docs/install.md', content: page } }] },
    { say: `${hostileText}\n\n${closing('Explain how to install', hostileText)}` },
  ])
  await newcomer.fill('What should the agent do?', prompt)
  await newcomer.press('Start the job')
  await newcomer.page.waitForURL(/\/jobs\/job_/)
  await newcomer.page
    .getByText(/Pull request/i)
    .first()
    .waitFor()
  await newcomer.page.getByText('docs/install.md').first().waitFor({ timeout: 120_000 })
  await newcomer.page.waitForLoadState('networkidle')
  const dangers: { images: string[]; frames: number; links: string[] } = await newcomer.page.evaluate(lookForDangers)
  run.check(dangers.images.length === 0 && dangers.frames === 0, `no image and no frame of it: ${dangers.images}`)
  run.check(dangers.links.length === 0, `no link of it leads to a script: ${dangers.links}`)
  run.check(!tab.complaints.some((text) => text.includes('dialog')), 'no script of it ran')
  run.say('a job full of markup was shown as text')
  return new URL(newcomer.page.url()).pathname
}

/** Runs in the page. */
const lookForDangers = `({
  images: [...document.images].map(({ src }) => src).filter((src) => src.includes('evil')),
  frames: document.querySelectorAll('iframe').length,
  links: [...document.links].map(({ href }) => href).filter((href) => !/^(https?:|mailto:)/.test(href)),
})`
