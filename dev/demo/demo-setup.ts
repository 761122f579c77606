/**
 * The project of deploy/compose.demo.yml: a repository on the Gitea beside it, the scripted model, and an API key. Runs in its
 * container at every start, creates what is missing, and prints how to go on.
 */
import { runCommand } from '../../testing/services/run-command.ts'
import { SetupProgress } from './setup-progress.ts'

const giteaUrl = 'http://gitea:3000'
const modelUrl = 'http://model:8060'
/** As in deploy/compose.demo.yml. */
const giteaUser = { name: 'demo', password: 'colophon-demo' }
const repository = 'handbook'
const progress = new SetupProgress('/volumes/demo/project.json')

const pages = {
  'README.md': '# Handbook\n\nThe pages are in `docs`.\n',
  'docs/index.md': '# Welcome\n\nThis is the handbook of a product that you know well.\n\n- [Install](install.md)\n',
  'docs/install.md': '# Install\n\nDownload the program, and run it:\n\n```sh\nhandbook serve\n```\n',
}

const admin = async (args: readonly string[], stdin = '') =>
  (
    await runCommand(['node', 'server/src/main/colophon-server.ts', 'admin', ...args], { env: process.env, stdin })
  ).trim()

async function callGitea(method: string, path: string, body?: unknown): Promise<{ status: number; json: unknown }> {
  const credentials = Buffer.from(`${giteaUser.name}:${giteaUser.password}`).toString('base64')
  const response = await fetch(`${giteaUrl}/api/v1${path}`, {
    method,
    headers: { authorization: `Basic ${credentials}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  if (response.status >= 500 || response.status === 401)
    throw new Error(`Gitea responded to ${method} ${path} with ${response.status}: ${text}`)
  return { status: response.status, json: text === '' ? undefined : JSON.parse(text) }
}

/** Every request can be repeated: an earlier start may have been interrupted. */
async function createRepository(): Promise<string> {
  await callGitea('POST', '/user/repos', { name: repository, private: false, default_branch: 'main', auto_init: true })
  for (const [path, content] of Object.entries(pages)) {
    const encoded = Buffer.from(content).toString('base64')
    const contents = `/repos/${giteaUser.name}/${repository}/contents/${path}`
    const { status, json } = await callGitea('GET', contents)
    const change = { content: encoded, message: `Add ${path}`, branch: 'main' }
    if (status === 404) await callGitea('POST', contents, change)
    else await callGitea('PUT', contents, { ...change, sha: (json as { sha: string }).sha })
  }
  const scopes = ['write:repository', 'write:issue', 'read:user', 'read:notification']
  const token = { name: `colophon-${Date.now()}`, scopes }
  const { json } = await callGitea('POST', `/users/${giteaUser.name}/tokens`, token)
  return (json as { sha1: string }).sha1
}

async function addModel(): Promise<void> {
  const name = 'scripted'
  const models = await admin(['model', 'list'])
  if (models.split('\n').some((line) => line.startsWith(`${name}  `))) return // added by a start that was interrupted
  const model = ['--name', name, '--format', 'anthropic-messages', '--url', `${modelUrl}/v1`]
  const limits = ['--context-window', '200000', '--max-output', '8000', '--default']
  await admin(['model', 'add', ...model, ...limits], 'any-key')
}

async function connectRepository(projectId: string): Promise<void> {
  const token = await createRepository()
  const source = ['--host', 'gitea', '--url', giteaUrl, '--repository', `${giteaUser.name}/${repository}`]
  const folder = ['--branch', 'main', '--docs-folder', 'docs']
  await admin(['repository', 'connect', '--project', projectId, ...source, ...folder], token)
}

interface NextSteps {
  projectId: string
  apiKey: string
  ownerLink: string | undefined
}

function printNextSteps({ projectId, apiKey, ownerLink }: NextSteps): void {
  const url = process.env.COLOPHON_PUBLIC_URL
  const repositoryUrl = `http://localhost:${process.env.GITEA_PORT}/${giteaUser.name}/${repository}`
  console.log(`
Colophon is up: ${url}

1. ${
    ownerLink
      ? `Open the dashboard and create your account. The link works once:\n\n     ${ownerLink}\n\n   Later, sign in at ${url} with the email address and password that you chose.`
      : `Sign in at ${url} with the email address and password that you chose.`
  }

2. Create a job:

export COLOPHON_URL=${url} COLOPHON_API_KEY=${apiKey} COLOPHON_PROJECT_ID=${projectId}
curl "$COLOPHON_URL/v2/agent/$COLOPHON_PROJECT_ID/job" -H "Authorization: Bearer $COLOPHON_API_KEY" \\
  -H 'Content-Type: application/json' -d '{"prompt": "Document the --proxy flag in docs/install.md"}'

   A few seconds later its pull request is open: ${repositoryUrl}/pulls
   A scripted model wrote it. Add a real one on the dashboard.

3. Record a page view, then read the page views. They are counted within ten seconds:

curl "$COLOPHON_URL/v1/ingest/$COLOPHON_PROJECT_ID/views" -H "Authorization: Bearer $COLOPHON_API_KEY" \\
  -H 'Content-Type: application/json' -d '{"views": [{"path": "/docs/install", "userAgent": "ChatGPT-User/1.0"}]}'
curl "$COLOPHON_URL/v1/analytics/$COLOPHON_PROJECT_ID/views" -H "Authorization: Bearer $COLOPHON_API_KEY"
`)
}

const projectId = await progress.once('projectId', () => admin(['project', 'create', '--name', 'Handbook']))
const apiKey = await progress.once('apiKey', () => admin(['key', 'create', '--project', projectId, '--name', 'demo']))
await progress.once('model', async () => {
  await addModel()
  return 'added'
})
await progress.once('repository', async () => {
  await connectRepository(projectId)
  return 'connected'
})
const ownerLink = await admin(['owner-link', 'create']).catch(() => undefined) // fails once there is an owner
printNextSteps({ projectId, apiKey, ownerLink })
