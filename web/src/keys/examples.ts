/** Examples that run as shown. The API key comes from the environment, so that no secret ends up in a file. */
import { pythonRequirementsPath } from '../../../python/distribution.ts'
import { commandPath, npmNames, sdkPackagePath } from '../../../sdk/npm-names.ts'

export interface ExampleContext {
  /** URL of this instance, for example `https://colophon.example.com`. */
  origin: string
  projectId: string
}

/** The program that runs an example. */
export type ExampleInterpreter = 'bash' | 'node' | 'python3'

export const exampleExtensions: Readonly<Record<ExampleInterpreter, string>> = {
  bash: 'sh',
  node: 'mjs',
  python3: 'py',
}

export interface ApiExample {
  language: 'curl' | 'Command line' | 'TypeScript' | 'Python'
  interpreter: ExampleInterpreter
  requirement: string
  /** Installs the client that the instance serves. By URL, because nobody owns the names of our packages yet. */
  renderInstallCommand?: (context: Pick<ExampleContext, 'origin'>) => string
  text: string
}

/** The variables that all examples read. */
export const renderEnvironmentExample = ({
  origin,
  projectId,
}: ExampleContext): string => `export COLOPHON_URL="${origin}"
export COLOPHON_PROJECT_ID="${projectId}"
export COLOPHON_API_KEY="colophon_…"
`

const prompt = 'Fix the dead links in the install guide.'

const curl = `# Create a job. With an Idempotency-Key, a retry does not create a second one.
curl -sS --fail-with-body --retry 3 "$COLOPHON_URL/v2/agent/$COLOPHON_PROJECT_ID/job" \\
  -H "Authorization: Bearer $COLOPHON_API_KEY" -H "Content-Type: application/json" \\
  -H "Idempotency-Key: example-$(date +%s)" \\
  -d '{"prompt": "${prompt}"}' -o job.json
job=$(grep -o '"id":"job_[^"]*"' job.json | cut -d '"' -f 4)

# Poll it until it is no longer active
while curl -sS --fail-with-body "$COLOPHON_URL/v2/agent/$COLOPHON_PROJECT_ID/job/$job" \\
    -H "Authorization: Bearer $COLOPHON_API_KEY" -o job.json &&
  grep -q '"status":"active"' job.json
do sleep 2; done
cat job.json

# Read page views
curl -sS --fail-with-body "$COLOPHON_URL/v1/analytics/$COLOPHON_PROJECT_ID/views?dateFrom=2026-01-01&limit=10" \\
  -H "Authorization: Bearer $COLOPHON_API_KEY"
`

const typescript = `import { createClient } from '${npmNames.sdk}'

const { COLOPHON_URL = '', COLOPHON_PROJECT_ID = '', COLOPHON_API_KEY } = process.env
const client = createClient({ baseUrl: COLOPHON_URL, apiKey: COLOPHON_API_KEY })

// Create a job and wait until it ends. Retries and lost connections do not create a second one.
const job = await client.jobs.createAndWait(
  COLOPHON_PROJECT_ID,
  { prompt: '${prompt}' },
  { onProgress: ({ event }) => console.log(event?.text ?? event?.tool ?? 'created') },
)
console.log(job.status, job.prLink)

// Read page views
const { totals, views } = await client.views.list(COLOPHON_PROJECT_ID, { dateFrom: '2026-01-01', limit: 10 })
console.log(totals)
for (const { path, human, ai } of views) console.log(path, human, ai)
`

const command = `# Create a job and wait until it ends. Ctrl-C ends the waiting, not the job.
./colophon job create --wait '${prompt}'

# Read page views
./colophon views --from 2026-01-01 --limit 10
`

const python = `import os

from colophon_client import Colophon

client = Colophon(os.environ["COLOPHON_URL"], os.environ["COLOPHON_API_KEY"])
project_id = os.environ["COLOPHON_PROJECT_ID"]

# Create a job and wait until it ends. Retries and lost connections do not create a second one.
job = client.jobs.create_and_wait(project_id, {"prompt": "${prompt}"})
print(job["status"], job["prLink"])

# Read page views
result = client.views.list(project_id, {"dateFrom": "2026-01-01", "limit": 10}).page()
print(result["totals"])
for page in result["views"]:
    print(page["path"], page["human"], page["ai"])
`

export const apiExamples: readonly ApiExample[] = [
  { language: 'curl', interpreter: 'bash', requirement: 'For bash, with curl 7.76 or newer.', text: curl },
  {
    language: 'Command line',
    interpreter: 'bash',
    requirement: 'The colophon command of this instance is one file that runs with Node.js 20.18 or newer.',
    renderInstallCommand: ({ origin }) =>
      `curl --fail-with-body --output colophon ${origin}${commandPath} && chmod +x colophon`,
    text: command,
  },
  {
    language: 'TypeScript',
    interpreter: 'node',
    requirement:
      'For Node.js 20 or newer, Deno or Bun. Install the client of this instance, save the example as example.mjs and run “node example.mjs”.',
    renderInstallCommand: ({ origin }) => `npm install ${origin}${sdkPackagePath}`,
    text: typescript,
  },
  {
    language: 'Python',
    interpreter: 'python3',
    requirement:
      'For Python 3.10 or newer. Install the client of this instance in a virtual environment, save the example as example.py and run “python3 example.py”.',
    renderInstallCommand: ({ origin }) =>
      `python3 -m venv .venv && . .venv/bin/activate && pip install -r ${origin}${pythonRequirementsPath}`,
    text: python,
  },
]

/** Sends one AI view, as the server of a site does: an assistant that requested a page for a user. */
export const renderAiViewExample = ({
  origin,
  projectId,
}: ExampleContext): string => `curl "${origin}/v1/ingest/${projectId}/views" \\
  -H "Authorization: Bearer $COLOPHON_API_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{"views": [{"path": "/docs/start", "userAgent": "ChatGPT-User/1.0"}]}'
`

/** For the head of every page of the site. */
export const renderScriptTag = ({ origin, siteKey }: { origin: string; siteKey: string }): string =>
  `<script defer src="${origin}/colophon.js" data-site="${siteKey}"></script>`
