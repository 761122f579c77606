/**
 * npm run screenshots: takes the screenshots of README.md and the docs again, at twice the resolution of a page. Colophon, the
 * agent and the browser are real; the model follows the scripts below, and GitHub is simulated.
 */

import { cpSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createGithubControlClient } from '@colophon/github-simulator/control'
import type { BrowserContext } from 'playwright-core'
import { openChromium } from '../proofs/onboarding/cold-load.ts'
import { type ProofRun, seededRandom } from '../proofs/proof.ts'
import { personalTokenPermissions } from '../server/src/code-hosts/testing/github-test-repository.ts'
import { scopes } from '../server/src/keys/scopes.ts'
import { type RunningColophon, startColophon } from '../testing/harness/colophon.ts'
import { runColophonCommand } from '../testing/harness/colophon-process.ts'
import { createFirstOwner, type SignedInPerson, toLocalhostOrigin } from '../testing/harness/people.ts'
import { runOnPostgres } from '../testing/harness/run-on-postgres.ts'
import { addScriptedModel, promptWithScript } from '../testing/harness/scripted-model.ts'
import type { Script } from '../testing/simulators/model/script.ts'
import { renderTerminal, runOnTerminal, type TerminalScreen } from './terminal-pictures.ts'

const docsPictures = join(import.meta.dirname, '../docs/pictures')
/** Copied to the docs when all are taken. */
const pictures = mkdtempSync(join(tmpdir(), 'colophon-pictures-'))
const model = 'claude-sonnet-4-5'
const login = 'robin'

const files = {
  'docs/index.md':
    '# Acme CLI\n\nDeploy and inspect your services from the terminal.\n\n- [Install](guides/install.md)\n',
  'docs/guides/install.md':
    '# Install the CLI\n\nDownload the binary for your platform and put it on your PATH.\n\n## Verify the installation\n\n```sh\nacme --version\n```\n',
  'docs/reference/configuration.md':
    '# Configuration\n\nThe CLI reads `~/.config/acme/config.toml` and environment variables.\n',
}

const proxyPage = `# Use the CLI behind a proxy

The CLI reads the standard proxy variables. Set them before you run a command:

\`\`\`sh
export HTTPS_PROXY=http://proxy.example.com:3128
export NO_PROXY=localhost,.internal.example.com
acme login
\`\`\`

If your proxy inspects TLS, add its certificate as well:

\`\`\`sh
export ACME_CA_FILE=/etc/ssl/certs/proxy.pem
\`\`\`

See [Configuration](../reference/configuration.md) for all variables.
`

const pullRequestText = `<pull-request>
<title>Document how to use a proxy</title>
<summary>
Adds a guide with the proxy variables and the certificate setting, and links to it from the install page.
</summary>
</pull-request>`

const proxyScript: Script = [
  {
    say: 'I will check what the docs say about proxies today.',
    call: [
      { tool: 'grep', arguments: { pattern: 'proxy', path: 'docs' } },
      { tool: 'read', arguments: { path: 'docs/guides/install.md' } },
      { tool: 'read', arguments: { path: 'docs/reference/configuration.md' } },
    ],
  },
  {
    say: 'Nothing mentions proxies. I will add a guide and link to it from the install page.',
    call: [
      { tool: 'write', arguments: { path: 'docs/guides/proxy.md', content: proxyPage } },
      {
        tool: 'edit',
        arguments: {
          path: 'docs/guides/install.md',
          edits: [
            {
              oldText: '## Verify the installation',
              newText:
                'If your network requires a proxy, see [Use the CLI behind a proxy](proxy.md).\n\n## Verify the installation',
            },
          ],
        },
      },
    ],
    usage: { inputTokens: 6_800, cacheReadTokens: 21_000, outputTokens: 940 },
  },
  {
    say: `I added the guide \`docs/guides/proxy.md\` and a link to it on the install page. It covers the proxy variables and the certificate of a proxy that inspects TLS.\n\n${pullRequestText}`,
    usage: { inputTokens: 8_900, cacheReadTokens: 28_000, outputTokens: 120 },
  },
]

const versionScript: Script = [
  {
    say: 'I will add the version to the guide.',
    call: [
      {
        tool: 'edit',
        arguments: {
          path: 'docs/guides/proxy.md',
          edits: [
            {
              oldText: 'If your proxy inspects TLS, add its certificate as well:',
              newText: 'If your proxy inspects TLS, add its certificate as well (Acme CLI 2.4 or newer):',
            },
          ],
        },
      },
    ],
  },
  {
    say: `The guide now says that \`ACME_CA_FILE\` requires Acme CLI 2.4 or newer.\n\n${pullRequestText}`,
  },
]

const completionPrompt = 'Document the shell completion of the CLI.'
const completionScript: Script = [
  {
    say: 'There is no page about shell completion yet. I will add one.',
    call: [
      { tool: 'grep', arguments: { pattern: 'completion', path: 'docs' } },
      {
        tool: 'write',
        arguments: {
          path: 'docs/guides/completion.md',
          content: '# Shell completion\n\n```sh\nacme completion bash >/etc/bash_completion.d/acme\n```\n',
        },
      },
    ],
    usage: { inputTokens: 5_200, cacheReadTokens: 12_000, outputTokens: 310 },
  },
  {
    say: `I added the page \`docs/guides/completion.md\`.

<pull-request>
<title>Document the shell completion</title>
<summary>
Adds a page with the command that installs the completion for Bash.
</summary>
</pull-request>`,
  },
]

const pages = [
  { path: '/guides/install', weight: 30 },
  { path: '/', weight: 22 },
  { path: '/guides/deploy', weight: 17 },
  { path: '/reference/configuration', weight: 13 },
  { path: '/guides/proxy', weight: 9 },
  { path: '/reference/api', weight: 6 },
  { path: '/changelog', weight: 3 },
]
const humanAgent =
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36'
const aiAgents = ['ChatGPT-User/1.0', 'Claude-User/1.0', 'PerplexityBot/1.0', 'GPTBot/1.2', 'OAI-SearchBot/1.0']

const dayMs = 86_400_000

/** Eight weeks of views: fewer on weekends, with a slowly growing share of AI. */
function createViews(random: () => number) {
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T
  const weighted = pages.flatMap(({ path, weight }) => Array.from({ length: weight }, () => path))
  const views: { path: string; userAgent: string; at: string }[] = []
  for (let daysAgo = 60; daysAgo > 0; daysAgo--) {
    const startMs = Date.now() - daysAgo * dayMs
    const isWeekend = [0, 6].includes(new Date(startMs).getUTCDay())
    const humans = Math.round((isWeekend ? 120 : 420) * (0.85 + 0.3 * random()))
    const ai = Math.round((isWeekend ? 150 : 210) * (1.3 - daysAgo / 120) * (0.85 + 0.3 * random()))
    for (let index = 0; index < humans + ai; index++) {
      const at = new Date(startMs + random() * dayMs).toISOString()
      views.push({ path: pick(weighted), userAgent: index < humans ? humanAgent : pick(aiAgents), at })
    }
  }
  return views
}

async function main(run: ProofRun): Promise<void> {
  const colophon = await startColophon(run, 'screenshots')
  await addScriptedModel(colophon, { name: model, format: 'anthropic-messages', isDefault: true })
  await colophon.startRunner()
  const owner = await createFirstOwner(colophon.api.url, colophon, 'Robin Doe')
  const origin = toLocalhostOrigin(colophon.api.url)
  const browser = await openChromium()
  run.cleanUp(() => browser.close())
  const context = await browser.newContext({
    viewport: { width: 1280, height: 860 },
    deviceScaleFactor: 2,
    colorScheme: 'light',
    timezoneId: 'UTC',
  })
  // Browsers treat localhost as a secure context and keep Secure cookies.
  const attributes = { url: origin.replace('http:', 'https:'), secure: true, httpOnly: true, sameSite: 'Lax' } as const
  await context.addCookies([...owner.cookies].map(([name, value]) => ({ name, value, ...attributes })))

  const { id: projectId } = await owner.client.projects.create({ name: 'Acme CLI docs' })
  const { id: newProjectId } = await owner.client.projects.create({ name: 'Developer portal' })
  await takePicture(context, 'start', `${origin}/projects/${newProjectId}`, 'Your first pull request')

  await sendViews(run, owner, projectId)
  await takePicture(context, 'analytics', `${origin}/projects/${projectId}/analytics?range=28d&zone=UTC`, 'Over time')

  const job = await createJob(run, colophon, owner, projectId)
  const jobUrl = `${origin}/projects/${projectId}/jobs/${job.id}`
  await takePicture(context, 'job', jobUrl, 'Internal links: passed', 'Changes')
  await job.sendFeedback()
  await takePicture(context, 'github', jobUrl, 'Preview site')
  await takeCommandPictures(context, colophon, owner, projectId)
  cpSync(pictures, docsPictures, { recursive: true })
}

async function takePicture(
  context: BrowserContext,
  name: string,
  url: string,
  text: string,
  tab?: string,
): Promise<void> {
  const page = await context.newPage()
  await page.goto(url)
  await page.getByText(text).first().waitFor()
  if (tab !== undefined) await page.getByRole('tab', { name: tab }).click()
  await page.waitForLoadState('networkidle')
  await sleep(1_000) // animations of the chart
  await page.screenshot({ path: join(pictures, `${name}.png`) })
  await page.close()
}

/** Of the `colophon` command, as one file, on a pseudo-terminal. */
async function takeCommandPictures(
  context: BrowserContext,
  colophon: RunningColophon,
  { client }: SignedInPerson,
  projectId: string,
): Promise<void> {
  const { secret } = await client.keys.create(projectId, { name: 'Terminal', scopes: [...scopes] })
  const environment = {
    PATH: process.env.PATH,
    COLOPHON_URL: colophon.api.url,
    COLOPHON_API_KEY: secret,
    PROMPT: promptWithScript(completionPrompt, completionScript),
  }
  const file = join(import.meta.dirname, '../cli/dist/colophon.mjs')
  const show = async (args: string, realArgs = args): Promise<TerminalScreen> => {
    const output = await runOnTerminal(`node '${file}' ${realArgs}`, { columns: 110, environment })
    const withExampleHosts = output
      .replaceAll(colophon.api.url, 'https://colophon.example.com')
      .replaceAll(colophon.addresses.github.url, 'https://github.com')
    return { command: `colophon ${args}`, output: withExampleHosts }
  }
  const page = await context.newPage()
  const take = async (name: string, screens: readonly TerminalScreen[]) => {
    await page.setContent(renderTerminal(screens))
    await page.locator('pre').screenshot({ path: join(pictures, `${name}.png`) })
  }
  await take('command', [
    // The script is for the model that plays it, not for the reader.
    await show(`job create '${completionPrompt}' --wait`, 'job create "$PROMPT" --wait'),
    await show('views --limit 5'),
  ])
  await take('command-doctor', [await show('job list'), await show('doctor')])
  await page.close()
}

async function sendViews(run: ProofRun, { client }: SignedInPerson, projectId: string): Promise<void> {
  const views = createViews(run.random)
  for (let first = 0; first < views.length; first += 10_000)
    await client.views.ingest(projectId, { views: views.slice(first, first + 10_000) })
  const range = { dateFrom: new Date(Date.now() - 70 * dayMs).toISOString(), limit: 1 }
  for (const deadline = Date.now() + 60_000; Date.now() < deadline; await sleep(500)) {
    if ((await client.views.list(projectId, range)).totals.total === views.length) return
  }
  throw new Error(`Not all ${views.length} views are counted after 60 s.`)
}

interface JobWithPullRequest {
  id: string
  /** Adds a comment for the agent, checks, a preview and a conflict to the pull request. */
  sendFeedback(): Promise<void>
}

async function createJob(
  run: ProofRun,
  colophon: RunningColophon,
  { client }: SignedInPerson,
  projectId: string,
): Promise<JobWithPullRequest> {
  const control = createGithubControlClient(colophon.addresses.github)
  // On services that keep running, an earlier run has created the accounts.
  await control.createUser(login, { password: 'a password for GitHub' }).catch(ignoreExistingAccount)
  await control.createOrganization('acme', [login]).catch(ignoreExistingAccount)
  const { id, fullName } = await control.createRepository('acme', 'docs', { files })
  run.cleanUp(() => control.deleteRepository(id))
  const token = await control.createFineGrainedToken(login, {
    repositories: [id],
    permissions: personalTokenPermissions,
  })
  const location = ['--host', 'github', '--url', colophon.addresses.github.url, '--repository', fullName]
  await runColophonCommand(
    [
      'admin',
      'repository',
      'connect',
      '--project',
      projectId,
      ...location,
      '--branch',
      'main',
      '--docs-folder',
      'docs',
    ],
    { environment: colophon.environment, stdin: token },
  )
  const prompt = 'Support keeps getting questions about corporate proxies. Document how to use the CLI behind one.'
  const job = await client.jobs.create(projectId, { prompt: promptWithScript(prompt, proxyScript) })
  const waitForMessages = async (count: number) => {
    for (const deadline = Date.now() + 120_000; Date.now() < deadline; await sleep(500)) {
      const { status } = await client.jobs.get(projectId, job.id)
      const { messages } = await client.jobs.messages(projectId, job.id)
      if (status === 'failed') throw new Error('The job failed.')
      if (status === 'completed' && messages.length === count) return
    }
    throw new Error('The job is not completed after 2 minutes.')
  }
  // The scripts are for the model that plays them, not for the reader.
  const removeScripts = () =>
    runOnPostgres(colophon.postgresUrl, "UPDATE turn SET prompt = split_part(prompt, E'\\n\\n```script', 1)")
  await waitForMessages(1)
  await removeScripts()
  return {
    id: job.id,
    async sendFeedback() {
      const { number = 0 } = (await control.pullRequests(id))[0] ?? {}
      const comment = 'Which version introduced ACME_CA_FILE? Please say so in the guide.'
      await control.comment(id, number, login, `@colophon ${promptWithScript(comment, versionScript)}`)
      await waitForMessages(2)
      await removeScripts()
      await control.pushFile(id, 'main', 'docs/guides/install.md', '# Install the CLI\n\nUse your package manager.\n')
      const head = (await control.pullRequests(id))[0]?.headSha ?? ''
      await control.setStatus(id, head, { context: 'links', state: 'failure', description: '1 broken link' })
      await control.setStatus(id, head, { context: 'build', state: 'success', description: 'Built 4 pages' })
      await control.setStatus(id, head, { context: 'spelling', state: 'success', description: 'No mistakes' })
      await control.setDeployment(id, head, { environmentUrl: 'https://docs-preview.example.com/' })
    },
  }
}

function ignoreExistingAccount(error: unknown): void {
  if (!(error instanceof Error && error.message.includes('already exists'))) throw error
}

const stops: (() => Promise<unknown>)[] = []
const seed = 1
const run: ProofRun = {
  size: 'stated',
  seed,
  args: [],
  random: seededRandom(seed),
  log: console.log,
  figure: () => {},
  check(ok, message) {
    if (!ok) throw new Error(message)
  },
  cleanUp: (stop) => void stops.push(stop),
}
try {
  await main(run)
} finally {
  for (const stop of stops.reverse()) await stop().catch(console.error)
}
process.exit(process.exitCode ?? 0)
